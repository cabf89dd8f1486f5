package dev.quarrel.core.cpu.number;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;

/// The values that pass one or several comparisons with constants; NULL is never among them.
public sealed interface Range {
    /// Decimal digits that every long has room for, and neither the least nor the greatest one has.
    int LONG_DIGITS = 18;

    /// Integers, dates, timestamps and unscaled decimals from `low` to `high`, both included; none where `low > high`.
    /// For decimals, the least and the greatest long stand for no bound.
    ///
    /// @param outside the others instead
    record Integers(long low, long high, boolean outside) implements Range {}

    /// Floats from `low` to `high`, both included, and NaN if `nan`; none of the former where `low > high`.
    ///
    /// @param outside the others instead
    record Floats(double low, double high, boolean nan, boolean outside) implements Range {}

    /// What lies in both, or null if that is no range.
    default Range and(Range other) {
        return switch (this) {
            case Integers(long low, long high, boolean outside) ->
                other instanceof Integers(long from, long to, boolean turned) && !outside && !turned
                        ? new Integers(Math.max(low, from), Math.min(high, to), false)
                        : null;
            case Floats(double low, double high, boolean nan, boolean outside) ->
                other instanceof Floats(double from, double to, boolean missing, boolean turned) && !outside && !turned
                        ? new Floats(Math.max(low, from), Math.min(high, to), nan && missing, false)
                        : null;
        };
    }

    /// The range of `column op constant`, or null where there is none.
    ///
    /// @param turned for `constant op column`
    static Range of(Opcode op, boolean turned, Literal constant) {
        if (constant.isNull() || op.relation() == null) {
            return null;
        }
        Relation relation = turned ? op.relation().turned() : op.relation();
        return switch (constant.type()) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> integers(relation, (Long) constant.value());
            case DataType.Decimal(int _, int scale) -> decimals(relation, (BigDecimal) constant.value(), scale);
            case DataType.Float32 _ -> floats(relation, (Float) constant.value());
            case DataType.Float64 _ -> doubles(relation, (Double) constant.value());
            default -> null;
        };
    }

    /// A constant of 64 bits and more has no range of integers.
    private static Range decimals(Relation relation, BigDecimal value, int scale) {
        return value.precision() > LONG_DIGITS || value.scale() != scale
                ? null
                : integers(relation, value.unscaledValue().longValue());
    }

    private static Range integers(Relation relation, long value) {
        return switch (relation) {
            case EQ -> new Integers(value, value, false);
            case NE -> new Integers(value, value, true);
            case LT -> value == Long.MIN_VALUE ? none() : new Integers(Long.MIN_VALUE, value - 1, false);
            case LE -> new Integers(Long.MIN_VALUE, value, false);
            case GT -> value == Long.MAX_VALUE ? none() : new Integers(value + 1, Long.MAX_VALUE, false);
            case GE -> new Integers(value, Long.MAX_VALUE, false);
        };
    }

    private static Range none() {
        return new Integers(1, 0, false);
    }

    private static Range floats(Relation relation, float value) {
        return range(relation, value, Math.nextDown(value), Math.nextUp(value));
    }

    private static Range doubles(Relation relation, double value) {
        return range(relation, value, Math.nextDown(value), Math.nextUp(value));
    }

    /// NaN is the greatest value, and -0 = 0 as in the hardware's comparisons.
    private static Range range(Relation relation, double value, double before, double after) {
        double least = Double.NEGATIVE_INFINITY;
        double greatest = Double.POSITIVE_INFINITY;
        if (Double.isNaN(value)) {
            return null;
        }
        return switch (relation) {
            case EQ -> new Floats(value, value, false, false);
            case NE -> new Floats(value, value, false, true);
            case LT ->
                value == least ? new Floats(greatest, least, false, false) : new Floats(least, before, false, false);
            case LE -> new Floats(least, value, false, false);
            case GT ->
                value == greatest ? new Floats(greatest, least, true, false) : new Floats(after, greatest, true, false);
            case GE -> new Floats(value, greatest, true, false);
        };
    }
}
