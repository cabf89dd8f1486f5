package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.rows.BoolStore;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.FloatStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.SortOrder;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.SortBound;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.UuidWords;
import dev.quarrel.core.type.ValueOrder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The bar of a top-N: the first key that a row must reach to be among the first N, once N rows are known. It is
/// the key of the last of them.
///
/// A row that is equal in a key that is the only one comes behind them if it stands behind them in the source; so a bar
/// knows the last morsel its rows came from. Threads share it.
public final class SortBar {
    private final SortKey key;
    private final boolean isOnlyKey;
    private final int lastMorsel;
    private final Object owner;
    private final ValueStore value; // one row

    private SortBar(SortKey key, boolean isOnlyKey, int lastMorsel, Object owner, ValueStore value) {
        this.key = key;
        this.isOnlyKey = isOnlyKey;
        this.lastMorsel = lastMorsel;
        this.owner = owner;
        this.value = value;
    }

    /// The bar that row `row` of the first key's column sets.
    ///
    /// @param lastMorsel no row among the first N came from a later one
    /// @param owner who has seen all rows of `lastMorsel` so far
    static SortBar of(ValueStore column, int row, List<SortKey> keys, int lastMorsel, Object owner) {
        // A row of its own, so that the bar does not hold the worker's rows; a few bytes need no reservation.
        ValueStore value = ValueStore.of(column.type(), new Reservation(new MemoryBudget(Long.MAX_VALUE)));
        value.append(column, row, 1);
        return new SortBar(keys.getFirst(), keys.size() == 1, lastMorsel, owner, value);
    }

    /// The bar for another device; null where rows without a value are the last of the first N, or where it does not
    /// compare such values.
    public SortBound bound() {
        Object own = value.isPresent(0) ? value(value) : null;
        return own == null ? null : new SortBound(key, own);
    }

    /// Whether fewer rows reach this bar than the other.
    boolean isSharperThan(SortBar other) {
        if (!value.isPresent(0) || !other.value.isPresent(0)) {
            boolean isNull = !value.isPresent(0);
            return isNull != !other.value.isPresent(0) && isNull == key.nullsFirst();
        }
        int order = KeyForm.compareValues(value, 0, other.value, 0);
        return key.descending() ? order > 0 : order < 0;
    }

    /// Whether a row with an equal first key comes behind the first N.
    private boolean isStrict(int morsel, Object reader) {
        return isOnlyKey && (morsel > lastMorsel || morsel == lastMorsel && reader == owner);
    }

    /// Whether values of a batch with these statistics may be among the first.
    ///
    /// @param morsel whose rows these are
    boolean admits(ColumnStats stats, int morsel) {
        if (stats.nullCount() < 0 || stats.nullCount() > 0 && (key.nullsFirst() || !value.isPresent(0))) {
            return true;
        }
        if (!value.isPresent(0)) {
            return !key.nullsFirst() || !isStrict(morsel, null);
        }
        Object best = key.descending() ? stats.max() : stats.min();
        if (best == null) {
            return true;
        }
        Object own = value(value);
        int order = own == null ? -1 : ValueOrder.compare(best, own);
        order = key.descending() ? -order : order;
        return isStrict(morsel, null) ? order < 0 : order <= 0;
    }

    /// The canonical value of a store's first row, or null where statistics are not compared with its type.
    private static Object value(ValueStore store) {
        return switch (store) {
            case BoolStore bools -> bools.get(0);
            case IntStore ints -> (Object) (long) ints.values()[0];
            case LongStore longs -> longs.values()[0];
            case FloatStore floats -> floats.values()[0];
            case DoubleStore doubles -> doubles.values()[0];
            case DecimalStore decimals ->
                switch (decimals.type()) {
                    case DataType.Decimal(int _, int scale) ->
                        new BigDecimal(Int128.toBigInteger(decimals.high()[0], decimals.low()[0]), scale);
                    case DataType.Uuid _ -> UuidWords.uuid(decimals.high()[0], decimals.low()[0]);
                    default -> null;
                };
            case TextStore texts -> {
                MemorySegment bytes = texts.bytes(0).asSlice(texts.start(0), texts.length(0));
                yield texts.type() instanceof DataType.Binary
                        ? Bytes.of(bytes)
                        : new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            }
        };
    }

    /// Whether one row's key may be among the first.
    public boolean admits(Vector values, int row, int morsel, Object reader) {
        boolean absent = !values.isPresent(row);
        int order;
        if (absent || !value.isPresent(0)) {
            order = absent == !value.isPresent(0) ? 0 : absent == key.nullsFirst() ? -1 : 1;
        } else {
            order = compare(values, row);
            order = key.descending() ? -order : order;
        }
        return isStrict(morsel, reader) ? order < 0 : order <= 0;
    }

    /// Selects those of `rows` that may be among the first.
    ///
    /// @param kept room for a tile's rows
    void admit(Vector values, Mask rows, Mask admitted, int[] kept, int morsel, Object reader) {
        int[] indexes = rows.indexes();
        int count = rows.count();
        int next = 0;
        boolean isStrict = isStrict(morsel, reader);
        boolean isPlain = values.validity() == null && value.isPresent(0);
        if (isPlain && values instanceof IntVector ints) {
            long flip = key.descending() ? -1 : 0;
            long limit = (((IntStore) value).values()[0] ^ flip) - (isStrict ? 1 : 0);
            int[] from = ints.values();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                kept[next] = row;
                next += (from[row] ^ flip) <= limit ? 1 : 0;
            }
        } else if (isPlain && values instanceof LongVector longs) {
            long flip = key.descending() ? -1 : 0;
            long limit = ((LongStore) value).values()[0] ^ flip;
            // One less than the least value would be the greatest: then equal rows stay, for the sort to leave out.
            limit -= isStrict && limit > Long.MIN_VALUE ? 1 : 0;
            long[] from = longs.values();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                kept[next] = row;
                next += (from[row] ^ flip) <= limit ? 1 : 0;
            }
        } else if (isPlain
                && values instanceof DoubleVector doubles
                && !Double.isNaN(((DoubleStore) value).values()[0])) {
            double limit = ((DoubleStore) value).values()[0];
            next = key.descending()
                    ? atLeast(doubles.values(), indexes, count, limit, isStrict, kept)
                    : atMost(doubles.values(), indexes, count, limit, isStrict, kept);
        } else if (isPlain
                && values instanceof DecimalVector decimals
                && !(decimals.type() instanceof DataType.Interval)) {
            next = amongFirst(decimals, indexes, count, isStrict, kept);
        } else {
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                kept[next] = row;
                next += admits(values, row, morsel, reader) ? 1 : 0;
            }
        }
        if (next == count) {
            admitted.set(rows);
        } else {
            admitted.setIndexes(kept, next, rows.rowCount());
        }
    }

    /// Decimals and numerics have loops of their own: where one loop serves types with scales and without, code
    /// that was compiled for the one may be left at every row of the other.
    private int amongFirst(DecimalVector from, int[] rows, int count, boolean isStrict, int[] kept) {
        DecimalStore own = (DecimalStore) value;
        int most = isStrict ? -1 : 0;
        int sign = key.descending() ? -1 : 1;
        return own.scale() == null
                ? decimals(from, rows, count, own.high()[0], own.low()[0], sign, most, kept)
                : numerics(from, rows, count, own.high()[0], own.low()[0], own.scale()[0], sign, most, kept);
    }

    private static int decimals(
            DecimalVector from, int[] rows, int count, long high, long low, int sign, int most, int[] kept) {
        int next = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            kept[next] = row;
            next += sign * Int128.compare(from.high()[row], from.low()[row], high, low) <= most ? 1 : 0;
        }
        return next;
    }

    private static int numerics(
            DecimalVector from, int[] rows, int count, long high, long low, int scale, int sign, int most, int[] kept) {
        int next = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            int order = Int128.compareScaled(from.high()[row], from.low()[row], from.scale()[row], high, low, scale);
            kept[next] = row;
            next += sign * order <= most ? 1 : 0;
        }
        return next;
    }

    /// NaN, the greatest, is among them.
    private static int atLeast(double[] from, int[] rows, int count, double limit, boolean isStrict, int[] kept) {
        int next = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            kept[next] = row;
            next += isStrict ? from[row] <= limit ? 0 : 1 : from[row] < limit ? 0 : 1;
        }
        return next;
    }

    private static int atMost(double[] from, int[] rows, int count, double limit, boolean isStrict, int[] kept) {
        int next = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            kept[next] = row;
            next += isStrict ? from[row] < limit ? 1 : 0 : from[row] <= limit ? 1 : 0;
        }
        return next;
    }

    private int compare(Vector values, int row) {
        return switch (values) {
            case IntVector ints -> Integer.compare(ints.values()[row], ((IntStore) value).values()[0]);
            case LongVector longs -> Long.compare(longs.values()[row], ((LongStore) value).values()[0]);
            case BoolVector bools -> Boolean.compare(bools.get(row), ((BoolStore) value).get(0));
            case FloatVector floats ->
                Long.compare(
                        FloatBits.ordered(floats.values()[row]), FloatBits.ordered(((FloatStore) value).values()[0]));
            case DoubleVector doubles ->
                Long.compare(
                        FloatBits.ordered(doubles.values()[row]), FloatBits.ordered(((DoubleStore) value).values()[0]));
            case DecimalVector decimals -> {
                DecimalStore own = (DecimalStore) value;
                boolean isScaled = own.scale() != null;
                if (own.type() instanceof DataType.Interval) {
                    yield Interval.compareSpans(decimals.low()[row], decimals.high()[row], own.low()[0], own.high()[0]);
                }
                yield Int128.compareScaled(
                        decimals.high()[row],
                        decimals.low()[row],
                        isScaled ? decimals.scale()[row] : 0,
                        own.high()[0],
                        own.low()[0],
                        isScaled ? own.scale()[0] : 0);
            }
            case TextVector texts -> {
                TextStore own = (TextStore) value;
                MemorySegment bytes = own.bytes(0);
                yield SortOrder.compareBytes(
                        texts.data(), texts.start(row), texts.length(row), bytes, own.start(0), own.length(0));
            }
        };
    }
}
