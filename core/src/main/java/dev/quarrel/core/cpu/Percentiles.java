package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Percentiles by selection, for values that are words.
///
/// - Source: PostgreSQL's `orderedsetaggs.c`.
final class Percentiles {
    private final AggregateKind kind;
    private final DataType type;
    private final boolean descending;
    private final WordGroups words;
    private final double[] fractions; // by group; NaN where it is NULL
    private final boolean[] isNull;

    /// @param fractions one a row, the same in all rows of a group
    Percentiles(
            AggregateKind kind,
            ValueStore values,
            DoubleStore fractions,
            int[] groups,
            int groupCount,
            boolean descending,
            Reservation reservation) {
        this.kind = kind;
        this.type = values.type();
        this.descending = descending;
        reservation.grow(groupCount * 9L);
        this.fractions = new double[groupCount];
        this.isNull = new boolean[groupCount];
        for (int row = 0; row < values.size(); row++) {
            this.fractions[groups[row]] = fractions.values()[row];
            isNull[groups[row]] = !fractions.isPresent(row);
        }
        this.words = new WordGroups(values, groups, groupCount, reservation);
    }

    /// - Errors: 22003 for a fraction outside [0, 1].
    static void check(double fraction) {
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "percentile value " + fraction + " is not between 0 and 1");
        }
    }

    /// The results of groups [from, from + count), or null if one is a zero, whose sign words do not have.
    Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(type, allocator, count);
        for (int group = from; group < from + count; group++) {
            int size = words.size(group);
            if (size == 0 || isNull[group]) {
                writer.appendNull();
                continue;
            }
            check(fractions[group]);
            boolean isDone = kind == AggregateKind.PERCENTILE_CONT
                    ? appendBetween(group, size, writer)
                    : appendOne(group, size, writer);
            if (!isDone) {
                return null;
            }
        }
        return writer.finish();
    }

    private boolean appendOne(int group, int size, ColumnWriter writer) {
        int place = Math.max(0, (int) Math.ceil(fractions[group] * size) - 1);
        long word = words.nth(group, descending ? size - 1 - place : place);
        switch (type) {
            case DataType.Int16 _ -> writer.appendInt16((short) word);
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32((int) word);
            case DataType.Float64 _ -> writer.appendFloat64(value(word));
            default -> writer.appendInt64(word);
        }
        return word != 0 || !(type instanceof DataType.Float64);
    }

    private boolean appendBetween(int group, int size, ColumnWriter writer) {
        double place = fractions[group] * (size - 1);
        int first = (int) Math.floor(place);
        int second = (int) Math.ceil(place);
        int lower = descending ? size - 1 - second : first;
        long low = words.nth(group, lower);
        long high = first == second ? low : words.after(group, lower);
        double one = value(descending ? high : low);
        double other = value(descending ? low : high);
        writer.appendFloat64(first == second ? one : one + (place - first) * (other - one));
        return low != 0 && high != 0;
    }

    private static double value(long word) {
        return Double.longBitsToDouble(word ^ word >> 63 & Long.MAX_VALUE);
    }
}
