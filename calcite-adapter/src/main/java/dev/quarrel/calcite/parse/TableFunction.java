package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParser;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.Token;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Functions that stand in FROM: one, or the several of ROWS FROM.
public final class TableFunction extends SqlCall {
    private static final SqlOperator OPERATOR = new SqlSpecialOperator("TABLE_FUNCTION", SqlKind.COLLECTION_TABLE);

    private final List<SqlNode> calls;
    private final boolean isRowsFrom;
    private final boolean isNumbered;
    private final SqlIdentifier alias;
    private final SqlNodeList definitions;
    private final List<SqlDataTypeSpec> types;

    /// @param isNumbered whether WITH ORDINALITY stands behind
    /// @param alias the name before a list of column definitions; null for none
    /// @param definitions the names in lists of column definitions
    /// @param types beside them
    public TableFunction(
            SqlParserPos pos,
            List<SqlNode> calls,
            boolean isRowsFrom,
            boolean isNumbered,
            SqlIdentifier alias,
            SqlNodeList definitions,
            List<SqlDataTypeSpec> types) {
        super(pos);
        this.calls = List.copyOf(calls);
        this.isRowsFrom = isRowsFrom;
        this.isNumbered = isNumbered;
        this.alias = alias;
        this.definitions = definitions;
        this.types = List.copyOf(types);
    }

    /// Whether functions follow in FROM; a name alone is a table.
    public static boolean isNext(GeneratedParser parser) {
        int at = parser.getToken(1).kind == GeneratedParserConstants.LATERAL ? 2 : 1;
        switch (parser.getToken(at).kind) {
            case GeneratedParserConstants.ROWS -> {
                return parser.getToken(at + 1).kind == GeneratedParserConstants.FROM;
            }
            case GeneratedParserConstants.PG_ATOM -> {
                return Atoms.isCall(parser.getToken(at));
            }
            case GeneratedParserConstants.EOF,
                    GeneratedParserConstants.LPAREN,
                    GeneratedParserConstants.VALUES,
                    GeneratedParserConstants.TABLE,
                    GeneratedParserConstants.UNNEST -> {
                return false;
            }
            default -> {
                // No token is looked at that the parser would not: the last one is where an error is.
                if (!mayBeName(parser.getToken(at))) {
                    return false;
                }
                while (parser.getToken(at + 1).kind == GeneratedParserConstants.DOT) {
                    at += 2;
                }
                return parser.getToken(at + 1).kind == GeneratedParserConstants.LPAREN;
            }
        }
    }

    private static boolean mayBeName(Token token) {
        if (token.kind == GeneratedParserConstants.IDENTIFIER
                || token.kind == GeneratedParserConstants.QUOTED_IDENTIFIER) {
            return true;
        }
        String word = token.image.toLowerCase(Locale.ROOT);
        return Character.isLetter(word.charAt(0)) && (!Words.isReserved(word) || word.equals("cast"));
    }

    /// Whether a list of column definitions follows, perhaps behind a name: `AS t (a int)`, `AS (a int)`, `t (a int)`.
    public static boolean hasDefinitionsNext(GeneratedParser parser) {
        int at = 1;
        boolean isAlias = parser.getToken(at).kind == GeneratedParserConstants.AS;
        if (isAlias) {
            at++;
        }
        if (parser.getToken(at).kind != GeneratedParserConstants.LPAREN) {
            at++;
        } else if (!isAlias) {
            return false;
        }
        if (parser.getToken(at).kind != GeneratedParserConstants.LPAREN) {
            return false;
        }
        int behindName = parser.getToken(at + 2).kind;
        return behindName != GeneratedParserConstants.COMMA && behindName != GeneratedParserConstants.RPAREN;
    }

    public List<SqlNode> calls() {
        return calls;
    }

    public boolean isRowsFrom() {
        return isRowsFrom;
    }

    public boolean isNumbered() {
        return isNumbered;
    }

    /// The name before a list of column definitions; null for none.
    public SqlIdentifier alias() {
        return alias;
    }

    /// The types in lists of column definitions.
    public List<SqlDataTypeSpec> types() {
        return types;
    }

    public SqlNodeList definitions() {
        return definitions;
    }

    @Override
    public SqlOperator getOperator() {
        return OPERATOR;
    }

    @Override
    public List<SqlNode> getOperandList() {
        return calls;
    }

    @Override
    public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
        calls.forEach(call -> call.unparse(writer, 0, 0));
    }
}
