package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParser;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlKind;

/// An operator with ANY or ALL behind it, such as `LIKE ANY`; comparisons have Calcite's own.
public final class Quantified extends SqlBinaryOperator {
    private static final int PRECEDENCE = 32;

    private final String symbol;

    /// @param symbol the operator between the left side and each value, `~~` for LIKE
    public Quantified(String symbol, boolean all) {
        super(symbol + (all ? " ALL" : " ANY"), all ? SqlKind.ALL : SqlKind.SOME, PRECEDENCE, true, null, null, null);
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }

    /// Whether ANY, SOME or ALL of something stands behind the operator that comes next.
    public static boolean isNext(GeneratedParser parser) {
        int at = parser.getToken(1).kind == GeneratedParserConstants.NOT ? 2 : 1;
        return switch (parser.getToken(at).kind) {
            case GeneratedParserConstants.LIKE, GeneratedParserConstants.ILIKE -> quantifies(parser, at + 1);
            case GeneratedParserConstants.PG_OPERATOR,
                    GeneratedParserConstants.PLUS,
                    GeneratedParserConstants.MINUS,
                    GeneratedParserConstants.STAR,
                    GeneratedParserConstants.SLASH,
                    GeneratedParserConstants.PERCENT_REMAINDER -> at == 1 && quantifies(parser, at + 1);
            default -> false;
        };
    }

    private static boolean quantifies(GeneratedParser parser, int at) {
        return switch (parser.getToken(at).kind) {
            case GeneratedParserConstants.ANY, GeneratedParserConstants.SOME, GeneratedParserConstants.ALL ->
                parser.getToken(at + 1).kind == GeneratedParserConstants.LPAREN;
            default -> false;
        };
    }
}
