package dev.quarrel.calcite.parse;

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
