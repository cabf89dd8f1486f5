package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.QueryException;
import java.math.BigDecimal;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;

/// Reads a literal's text as the analyser read another one's in the same place of the same statement.
///
/// Only types whose literals say all by their text alone are read: numbers, texts, dates and timestamps. Statements
/// with words like "now" share no plan, and do not come here.
public final class LiteralReader {
    private final RexMaker maker;
    private final PgParse.Moment moment;

    public LiteralReader(RexMaker maker, PgParse.Moment moment) {
        this.maker = maker;
        this.moment = moment;
    }

    /// null for a text that the type does not have, or not as a literal.
    ///
    /// @param like what was made of the other text
    /// @param text of a number: its digits, without the sign; of a string: its value
    /// @param isNumber whether it is written as a number
    /// @param negated whether a minus sign stands before it
    public RexLiteral read(RexLiteral like, String text, boolean isNumber, boolean negated) {
        try {
            RexNode read = isNumber ? number(like, text, negated) : string(like, text);
            return read instanceof RexLiteral literal ? literal : null;
        } catch (QueryException _) {
            return null; // the analyser says so, with the place
        }
    }

    private RexNode number(RexLiteral like, String text, boolean negated) {
        BigDecimal written = new BigDecimal(text);
        BigDecimal value = negated ? written.negate() : written;
        return switch (SqlTypes.pgType(like.getType())) {
            case INT2 -> integer(value, SqlType.INT2, 15);
            case INT4 -> integer(value, SqlType.INT4, 31);
            case INT8 -> integer(value, SqlType.INT8, 63);
            case NUMERIC -> {
                boolean isPlain = !SqlTypes.isNumeric(like.getType());
                int scale = like.getType().getScale();
                yield isPlain && value.scale() <= scale && value.precision() - value.scale() + scale <= 38
                        ? maker.decimal(value.setScale(scale))
                        : null;
            }
            case FLOAT8 -> {
                double number = value.doubleValue();
                yield Double.isInfinite(number) || number == 0 && value.signum() != 0 ? null : maker.float8(number);
            }
            default -> null;
        };
    }

    private RexNode integer(BigDecimal value, SqlType type, int bits) {
        return value.scale() == 0 && value.unscaledValue().bitLength() <= bits
                ? maker.integer(value.longValueExact(), type)
                : null;
    }

    private RexNode string(RexLiteral like, String text) {
        return switch (SqlTypes.pgType(like.getType())) {
            case INT2 -> maker.integer(PgParse.int2(text), SqlType.INT2);
            case INT4 -> maker.integer(PgParse.int4(text), SqlType.INT4);
            case INT8 -> maker.integer(PgParse.int8(text), SqlType.INT8);
            case TEXT, VARCHAR, BPCHAR ->
                SqlTypes.typmod(like.getType()) < 0 ? maker.string(text, like.getType()) : null;
            case DATE -> maker.date(PgParse.date(text, moment));
            case TIMESTAMP ->
                SqlTypes.typmod(like.getType()) < 0
                        ? maker.timestamp(PgParse.timestamp(text, moment), SqlType.TIMESTAMP)
                        : null;
            case TIMESTAMPTZ ->
                SqlTypes.typmod(like.getType()) < 0
                        ? maker.timestamp(PgParse.timestampTz(text, moment), SqlType.TIMESTAMPTZ)
                        : null;
            default -> null;
        };
    }
}
