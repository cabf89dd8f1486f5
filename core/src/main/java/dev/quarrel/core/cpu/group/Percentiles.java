package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// Percentiles by selection, for values that are words.
///
/// - Source: PostgreSQL's `orderedsetaggs.c`.
final class Percentiles {
    private final AggregateKind kind;
    private final DataType type;
    private final boolean descending;
    private final WordGroups words;
    private final double[] fractions; // by group
    private final boolean[] isNull;
    private final Fractions shared; // those of every group, or null
    private final Reservation reservation;

    /// @param fractions one a row, the same in all rows of a group; or an array's text, the same in all rows
    Percentiles(
            AggregateKind kind,
            ValueStore values,
            ValueStore fractions,
            int[] groups,
            int groupCount,
            boolean descending,
            Reservation reservation) {
        this.kind = kind;
        this.type = values.type();
        this.descending = descending;
        this.reservation = reservation;
        reservation.grow(groupCount * 9L);
        this.fractions = new double[groupCount];
        this.isNull = new boolean[groupCount];
        if (fractions instanceof DoubleStore numbers) {
            this.shared = null;
            for (int row = 0; row < values.size(); row++) {
                this.fractions[groups[row]] = numbers.values()[row];
                isNull[groups[row]] = !numbers.isPresent(row);
            }
        } else {
            this.shared = Fractions.of((TextStore) fractions);
            Arrays.fill(isNull, shared == null);
        }
        this.words = new WordGroups(values, groups, groupCount, reservation);
    }

    /// The results of groups [from, from + count), or null if one is a zero, whose sign words do not have.
    Column result(int from, int count, Allocator allocator) {
        return kind.isArray() ? arrays(from, count, allocator) : values(from, count, allocator);
    }

    private Column values(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(type, allocator, count);
        for (int group = from; group < from + count; group++) {
            int size = words.size(group);
            if (size == 0 || isNull[group]) {
                writer.appendNull();
                continue;
            }
            Fractions.check(fractions[group]);
            if (kind == AggregateKind.PERCENTILE_CONT) {
                double value = between(group, size, fractions[group]);
                if (value == 0) {
                    return null;
                }
                writer.appendFloat64(value);
            } else if (!appendOne(word(group, size, fractions[group]), writer)) {
                return null;
            }
        }
        return writer.finish();
    }

    private Column arrays(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        try (Reservation scratch = new Reservation(reservation.budget())) {
            ArrayWriter array = new ArrayWriter(type, scratch);
            for (int group = from; group < from + count; group++) {
                if (words.size(group) == 0 || isNull[group]) {
                    writer.appendNull();
                    continue;
                }
                shared.check();
                if (!write(group, array)) {
                    return null;
                }
                writer.appendUtf8(array.segment(), 0, array.length());
            }
        }
        return writer.finish();
    }

    /// @return false for a zero
    private boolean write(int group, ArrayWriter array) {
        int size = words.size(group);
        array.open();
        for (int index = 0; index < shared.count(); index++) {
            double fraction = shared.values()[index];
            if (shared.isNull()[index]) {
                array.addNull();
            } else if (kind == AggregateKind.PERCENTILES_CONT) {
                double value = between(group, size, fraction);
                if (value == 0) {
                    return false;
                }
                array.addFloat(value);
            } else {
                long word = word(group, size, fraction);
                if (!(type instanceof DataType.Float64)) {
                    array.addWord(word);
                } else if (word == 0) {
                    return false;
                } else {
                    array.addFloat(value(word));
                }
            }
        }
        array.close();
        return true;
    }

    private long word(int group, int size, double fraction) {
        int place = Fractions.place(fraction, size);
        return words.nth(group, descending ? size - 1 - place : place);
    }

    private boolean appendOne(long word, ColumnWriter writer) {
        switch (type) {
            case DataType.Int16 _ -> writer.appendInt16((short) word);
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32((int) word);
            case DataType.Float64 _ -> writer.appendFloat64(value(word));
            default -> writer.appendInt64(word);
        }
        return word != 0 || !(type instanceof DataType.Float64);
    }

    /// Zero also where a zero takes part, whose sign might show.
    private double between(int group, int size, double fraction) {
        double place = fraction * (size - 1);
        int first = (int) Math.floor(place);
        int second = (int) Math.ceil(place);
        int lower = descending ? size - 1 - second : first;
        long low = words.nth(group, lower);
        long high = first == second ? low : words.after(group, lower);
        if (low == 0 || high == 0) {
            return 0;
        }
        double one = value(descending ? high : low);
        double other = value(descending ? low : high);
        return first == second ? one : one + (place - first) * (other - one);
    }

    private static double value(long word) {
        return Double.longBitsToDouble(word ^ word >> 63 & Long.MAX_VALUE);
    }
}
