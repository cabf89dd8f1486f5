package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.Token;
import org.apache.calcite.sql.SqlNode;

/// Tokens that carry a whole syntax tree node: a string, a typed literal, a decimal number, a parameter, or a
/// function without parentheses.
public final class Atoms {
    private Atoms() {}

    /// The node that [Tokens] put into a token of kind PG_ATOM.
    public static SqlNode nodeOf(Token token) {
        return ((AtomToken) token).node;
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
