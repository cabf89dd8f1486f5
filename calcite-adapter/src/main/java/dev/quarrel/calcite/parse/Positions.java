package dev.quarrel.calcite.parse;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Converts positions in a SQL text. Parsed nodes carry line 1 and, as their column, 1 + the index in the whole
/// text, whatever its line breaks.
public final class Positions {
    private Positions() {}

    /// What PostgreSQL reports: characters (code points), counted from 1.
    ///
    /// @param index a Java string index into `text`
    public static int of(String text, int index) {
        return text.codePointCount(0, Math.min(index, text.length())) + 1;
    }

    /// The Java string index where a node begins.
    public static int start(SqlNode node) {
        return node.getParserPosition().getColumnNum() - 1;
    }

    /// The syntax error that PostgreSQL's grammar would have raised at a place that Calcite's lets pass.
    public static QueryException syntaxError(String text, int index) {
        for (Lexeme lexeme : Lexer.scan(text)) {
            if (lexeme.end() > index || lexeme.kind() == Lexeme.Kind.END) {
                return LexemeReader.syntaxError(text, lexeme);
            }
        }
        throw new IllegalArgumentException("no lexeme at " + index);
    }

    /// That a statement has parameters where no values can be given.
    public static QueryException noParameters(Statement statement) {
        for (Lexeme lexeme : Lexer.scan(statement.text())) {
            if (lexeme.kind() == Lexeme.Kind.PARAMETER && lexeme.start() >= statement.start()) {
                return new QueryException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $" + lexeme.text())
                        .withPosition(of(statement.text(), lexeme.start()));
            }
        }
        throw new IllegalArgumentException("no parameter in " + statement.sql());
    }

    static SqlParserPos parserPos(int start, int end) {
        return new SqlParserPos(1, start + 1, 1, Math.max(end, start + 1));
    }
}
