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
import java.util.List;

/// Percentiles by selection, for values that are words: in rounds of parts, which threads run at the same time (the
/// workers' rows are counted, then brought together group by group, then groups' values are picked).
///
/// - Source: PostgreSQL's `orderedsetaggs.c`.
final class Percentiles {
    private static final int LEAST_PART_GROUPS = 64;
    private static final int MAX_PARTS = 1 << 10;
    /// Rows of one loop: a first run compiles the loop after a few calls.
    private static final int TILE_ROWS = 1 << 13;

    private final AggregateKind kind;
    private final DataType type;
    private final boolean descending;
    private final List<WordGroups.Rows> pieces;
    private final List<ValueStore> fractionValues; // by worker
    private final WordGroups words;
    private final int groupCount;
    private final int partGroups;
    private final double[] fractions; // by group
    private final boolean[] isNull;
    private final long[] lower; // by group: the word wanted, or the one before what is wanted
    private final long[] upper; // and the one behind it
    private final Fractions shared; // those of every group, or null
    private final Reservation reservation;
    private Round round = Round.NEW;

    private enum Round {
        NEW,
        COUNT,
        FILL,
        PICK,
        DONE
    }

    /// @param pieces by worker, one at least
    /// @param fractions one a row, the same in all rows of a group; or an array's text, the same in all rows
    Percentiles(
            AggregateKind kind,
            List<WordGroups.Rows> pieces,
            List<ValueStore> fractions,
            int groupCount,
            boolean descending,
            Reservation reservation) {
        this.kind = kind;
        this.type = pieces.getFirst().values().type();
        this.pieces = pieces;
        this.fractionValues = fractions;
        this.groupCount = groupCount;
        this.partGroups = Math.max(LEAST_PART_GROUPS, groupCount / MAX_PARTS + 1);
        this.descending = descending;
        this.reservation = reservation;
        reservation.grow(groupCount * (kind.isArray() ? 9L : 25L));
        this.fractions = new double[groupCount];
        this.isNull = new boolean[groupCount];
        this.lower = new long[kind.isArray() ? 0 : groupCount];
        this.upper = new long[lower.length];
        if (fractions.getFirst() instanceof DoubleStore) {
            this.shared = null;
        } else {
            ValueStore first = fractions.stream()
                    .filter(texts -> texts.size() > 0)
                    .findFirst()
                    .orElse(fractions.getFirst());
            this.shared = Fractions.of((TextStore) first);
            Arrays.fill(isNull, shared == null);
        }
        this.words = new WordGroups(pieces, groupCount, reservation);
    }

    /// Begins the next round; alone.
    ///
    /// @return its parts, 0 at the end
    int beginRound() {
        round = round == Round.DONE ? Round.DONE : Round.values()[round.ordinal() + 1];
        return switch (round) {
            case NEW -> throw new IllegalStateException("no round");
            case COUNT -> pieces.size();
            case FILL -> {
                words.settle();
                yield pieces.size();
            }
            case PICK -> {
                words.filled();
                yield (groupCount + partGroups - 1) / partGroups;
            }
            case DONE -> 0;
        };
    }

    void run(int part) {
        switch (round) {
            case COUNT -> {
                words.count(part);
                if (fractionValues.get(part) instanceof DoubleStore numbers) {
                    takeFractions(pieces.get(part), numbers);
                }
            }
            case FILL -> words.fill(part);
            case PICK -> {
                reservation.budget().checkStop();
                int end = Math.min((part + 1) * partGroups, groupCount);
                for (int group = part * partGroups; group < end; group++) {
                    pick(group);
                }
            }
            case NEW, DONE -> throw new IllegalStateException("no part in round " + round);
        }
    }

    /// Other workers may write the same for the same group.
    private void takeFractions(WordGroups.Rows rows, DoubleStore numbers) {
        int count = numbers.size();
        for (int from = 0; from < count; from += TILE_ROWS) {
            takeFractions(rows, numbers, from, Math.min(from + TILE_ROWS, count));
        }
    }

    private void takeFractions(WordGroups.Rows rows, DoubleStore numbers, int from, int to) {
        double[] values = numbers.values();
        for (int row = from; row < to; row++) {
            fractions[rows.group(row)] = values[row];
        }
        for (int row = from; row < to && !numbers.isAllPresent(); row++) {
            if (!numbers.isPresent(row)) {
                isNull[rows.group(row)] = true;
            }
        }
    }

    private void pick(int group) {
        int size = words.size(group);
        if (kind.isArray() || size == 0 || isNull[group]) {
            return;
        }
        double fraction = fractions[group];
        Fractions.check(fraction);
        if (kind != AggregateKind.PERCENTILE_CONT) {
            lower[group] = word(group, size, fraction);
            return;
        }
        int first = first(size, fraction);
        lower[group] = words.nth(group, first);
        upper[group] = isBetween(size, fraction) ? words.after(group, first) : lower[group];
    }

    /// The results of groups [from, from + count), or null if one is a zero whose sign words do not have.
    Column result(int from, int count, Allocator allocator) {
        for (int parts = beginRound(); parts > 0; parts = beginRound()) {
            for (int part = 0; part < parts; part++) {
                run(part);
            }
        }
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
            if (kind == AggregateKind.PERCENTILE_CONT) {
                if (hidesSign(lower[group]) || hidesSign(upper[group])) {
                    return null;
                }
                writer.appendFloat64(between(size, fractions[group], lower[group], upper[group]));
            } else if (!appendOne(lower[group], writer)) {
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
                int first = first(size, fraction);
                long low = words.nth(group, first);
                long high = isBetween(size, fraction) ? words.after(group, first) : low;
                if (hidesSign(low) || hidesSign(high)) {
                    return false;
                }
                array.addFloat(between(size, fraction, low, high));
            } else {
                long word = word(group, size, fraction);
                if (!(type instanceof DataType.Float64)) {
                    array.addWord(word);
                } else if (hidesSign(word)) {
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
        return !hidesSign(word);
    }

    private boolean hidesSign(long word) {
        return word == 0 && words.hasNegativeZero();
    }

    /// The lower in the words' order of the two places that a fraction lies between.
    private int first(int size, double fraction) {
        double place = fraction * (size - 1);
        return descending ? size - 1 - (int) Math.ceil(place) : (int) Math.floor(place);
    }

    private static boolean isBetween(int size, double fraction) {
        double place = fraction * (size - 1);
        return Math.floor(place) != Math.ceil(place);
    }

    private double between(int size, double fraction, long low, long high) {
        double place = fraction * (size - 1);
        double one = value(descending ? high : low);
        double other = value(descending ? low : high);
        return isBetween(size, fraction) ? one + (place - Math.floor(place)) * (other - one) : one;
    }

    private static double value(long word) {
        return Double.longBitsToDouble(word ^ word >> 63 & Long.MAX_VALUE);
    }
}
