package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.Token;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Tokens that carry a whole syntax tree node: a string, a typed literal, a decimal number, a parameter, or a
/// function without parentheses.
public final class Atoms {
    private Atoms() {}

    /// The node that [Tokens] put into a token of kind PG_ATOM.
    public static SqlNode nodeOf(Token token) {
        return ((AtomToken) token).node;
    }

    /// Whether it is a function without parentheses.
    public static boolean isCall(Token token) {
        return nodeOf(token) instanceof SqlCall call && call.getOperator() instanceof SqlUnresolvedFunction;
    }

    /// Where SUBSTRING begins unless FROM says so.
    public static final SqlNode ONE = SqlLiteral.createExactNumeric("1", SqlParserPos.ZERO);

    /// A node as an integer, by a cast.
    public static SqlNode integer(SqlNode node) {
        SqlParserPos pos = node.getParserPosition();
        PostgresTypeName type = new PostgresTypeName(new SqlIdentifier("int4", pos), List.of(), null, 0, pos);
        return SqlStdOperatorTable.CAST.createCall(pos, node, new SqlDataTypeSpec(type, pos));
    }

    /// Whether a join begins there.
    public static boolean beginsJoin(Token next) {
        return switch (next.kind) {
            case GeneratedParserConstants.JOIN,
                    GeneratedParserConstants.INNER,
                    GeneratedParserConstants.LEFT,
                    GeneratedParserConstants.RIGHT,
                    GeneratedParserConstants.FULL,
                    GeneratedParserConstants.CROSS,
                    GeneratedParserConstants.NATURAL,
                    GeneratedParserConstants.PG_SERIES_JOIN -> true;
            default -> false;
        };
    }

    /// Whether a token is this word without quotes, which the grammar otherwise takes for a name.
    public static boolean isWord(Token token, String word) {
        return token.kind == GeneratedParserConstants.IDENTIFIER && token.image.equals(word);
    }

    /// Whether a SELECT that goes on like that has no items. DISTINCT needs one.
    ///
    /// @param last what was read: SELECT, ALL, DISTINCT or the end of ON's list
    public static boolean hasNoItems(Token last, Token next) {
        boolean isOptional = last.kind == GeneratedParserConstants.SELECT || last.kind == GeneratedParserConstants.ALL;
        return isOptional
                && switch (next.kind) {
                    case GeneratedParserConstants.FROM,
                            GeneratedParserConstants.WHERE,
                            GeneratedParserConstants.GROUP,
                            GeneratedParserConstants.HAVING,
                            GeneratedParserConstants.WINDOW,
                            GeneratedParserConstants.UNION,
                            GeneratedParserConstants.INTERSECT,
                            GeneratedParserConstants.EXCEPT,
                            GeneratedParserConstants.ORDER,
                            GeneratedParserConstants.LIMIT,
                            GeneratedParserConstants.OFFSET,
                            GeneratedParserConstants.FETCH,
                            GeneratedParserConstants.FOR,
                            GeneratedParserConstants.RPAREN,
                            GeneratedParserConstants.EOF -> true;
                    default -> false;
                };
    }

    static final class AtomToken extends Token {
        private static final long serialVersionUID = 1;

        private final transient SqlNode node;

        AtomToken(int kind, String image, SqlNode node) {
            this.kind = kind;
            this.image = image;
            this.node = node;
        }
    }
}
