package dev.quarrel.core.cpu.number;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;

/// The values that a comparison with a constant, or several, let through; NULL is never among them.
public sealed interface Range {
    /// Integers, dates and timestamps from `low` to `high`, both included; none where `low > high`.
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
        if (constant.isNull()) {
            return null;
        }
        return switch (constant.type()) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> integers(relation(op, turned), (Long) constant.value());
            case DataType.Float32 _ -> floats(relation(op, turned), (Float) constant.value());
            case DataType.Float64 _ -> doubles(relation(op, turned), (Double) constant.value());
            default -> null;
        };
    }

    private static Relation relation(Opcode op, boolean turned) {
        return switch (op) {
            case EQ_INT16, EQ_INT32, EQ_INT64, EQ_DATE, EQ_TIME, EQ_TIMESTAMP, EQ_FLOAT32, EQ_FLOAT64 -> Relation.EQ;
            case NE_INT16, NE_INT32, NE_INT64, NE_DATE, NE_TIME, NE_TIMESTAMP, NE_FLOAT32, NE_FLOAT64 -> Relation.NE;
            case LT_INT16, LT_INT32, LT_INT64, LT_DATE, LT_TIME, LT_TIMESTAMP, LT_FLOAT32, LT_FLOAT64 ->
                turned ? Relation.GT : Relation.LT;
            case LE_INT16, LE_INT32, LE_INT64, LE_DATE, LE_TIME, LE_TIMESTAMP, LE_FLOAT32, LE_FLOAT64 ->
                turned ? Relation.GE : Relation.LE;
            case GT_INT16, GT_INT32, GT_INT64, GT_DATE, GT_TIME, GT_TIMESTAMP, GT_FLOAT32, GT_FLOAT64 ->
                turned ? Relation.LT : Relation.GT;
            case GE_INT16, GE_INT32, GE_INT64, GE_DATE, GE_TIME, GE_TIMESTAMP, GE_FLOAT32, GE_FLOAT64 ->
                turned ? Relation.LE : Relation.GE;
            default -> null;
        };
    }

    private static Range integers(Relation relation, long value) {
        return switch (relation) {
            case EQ -> new Integers(value, value, false);
            case NE -> new Integers(value, value, true);
            case LT -> value == Long.MIN_VALUE ? none() : new Integers(Long.MIN_VALUE, value - 1, false);
            case LE -> new Integers(Long.MIN_VALUE, value, false);
            case GT -> value == Long.MAX_VALUE ? none() : new Integers(value + 1, Long.MAX_VALUE, false);
            case GE -> new Integers(value, Long.MAX_VALUE, false);
            case null -> null;
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
        if (relation == null || Double.isNaN(value)) {
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
