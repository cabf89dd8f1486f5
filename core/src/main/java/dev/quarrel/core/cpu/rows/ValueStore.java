package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A growing store of one column's values: build sides, sorts, groups and results keep their rows in such
/// stores.
///
/// - Nulls: `validity` as in a [Vector]; null while every row is present.
/// - Memory: arrays on the heap that double or grow to what is foreseen, reserved before they grow. One thread at a
///   time appends; any number reads.
/// - Errors: 53200 when the budget is exhausted or a bound of the JVM's arrays is reached; the store is as before
///   then.
public abstract sealed class ValueStore
        permits BoolStore, IntStore, LongStore, FloatStore, DoubleStore, DecimalStore, TextStore {
    /// Rows that are gathered in an array before they go to a column: cache misses overlap, and the loop is fast before
    /// the JVM's last compiler has seen it, which one over a segment is not.
    static final int COLUMN_TILE = 1 << 11;

    private static final int FIRST_CAPACITY = 64;
    /// From here on arrays are so large that copying them costs more than rows too many that were foreseen.
    private static final int FORESEEN_CAPACITY = 1 << 15;
    private static final int LARGE_CAPACITY = 1 << 18;
    private static final int MAX_CAPACITY = 1 << 30;

    private final DataType type;
    final Reservation reservation;
    private long[] validity;
    private int size;
    private int capacity;
    private int expected;

    ValueStore(DataType type, Reservation reservation) {
        this.type = type;
        this.reservation = reservation;
    }

    public static ValueStore of(DataType type, Reservation reservation) {
        return switch (type) {
            case DataType.Bool _ -> new BoolStore(reservation);
            case DataType.Int16 _, DataType.Int32 _, DataType.Date _ -> new IntStore(type, reservation);
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> new LongStore(type, reservation);
            case DataType.Float32 _ -> new FloatStore(reservation);
            case DataType.Float64 _ -> new DoubleStore(reservation);
            case DataType.Decimal _, DataType.Numeric _, DataType.Uuid _, DataType.Interval _ ->
                new DecimalStore(type, reservation);
            case DataType.Utf8 _, DataType.Binary _ -> new TextStore(type, reservation);
        };
    }

    public final DataType type() {
        return type;
    }

    public final int size() {
        return size;
    }

    public final boolean isPresent(int row) {
        return validity == null || Bits.get(validity, row);
    }

    public final boolean isAllPresent() {
        return validity == null;
    }

    /// Bits a row that the arrays take, without validity.
    abstract int bitsPerRow();

    /// Grows the arrays to exactly this many rows.
    abstract void resize(int newCapacity);

    /// Says how many rows there will be, about: large arrays grow to that at once, instead of doubling.
    final void expect(int rows) {
        expected = rows;
    }

    public final void ensure(int moreRows) {
        long needed = (long) size + moreRows;
        if (needed <= capacity) {
            return;
        }
        if (needed > MAX_CAPACITY) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("More than " + MAX_CAPACITY + " rows would have to be held.");
        }
        long doubled = Math.max(Math.max(FIRST_CAPACITY, needed), capacity * 2L);
        boolean isForeseen = doubled >= FORESEEN_CAPACITY && expected >= needed;
        int newCapacity = (int) Math.min(MAX_CAPACITY, isForeseen ? expected : doubled);
        newCapacity = newCapacity + 63 & -64;
        int rowBits = bitsPerRow() + (validity == null ? 0 : 1);
        if (newCapacity >= LARGE_CAPACITY) {
            // Copying takes long, and rows of many columns grow all at once.
            reservation.budget().checkStop();
        }
        reservation.grow((newCapacity - (long) capacity) * rowBits / 8);
        resize(newCapacity);
        if (validity != null) {
            validity = Arrays.copyOf(validity, newCapacity / 64);
            Arrays.fill(validity, capacity / 64, newCapacity / 64, -1L);
        }
        capacity = newCapacity;
    }

    final int capacity() {
        return capacity;
    }

    private void makeValidity() {
        reservation.grow(capacity / 8L);
        validity = new long[capacity / 64];
        Bits.fill(validity, true);
    }

    /// Appends rows of a vector, in the order given.
    public final void append(Vector source, int[] rows, int count) {
        ensure(count);
        long[] from = source.validity();
        if (from != null) {
            for (int index = 0; index < count; index++) {
                if (!Bits.get(from, rows[index])) {
                    clearValidity(size + index);
                }
            }
        }
        appendValues(source, rows, count);
        size += count;
    }

    /// Counts so many present rows more, whose values the caller writes into the arrays.
    public final void grow(int count) {
        ensure(count);
        size += count;
    }

    /// Makes a row that is there NULL.
    public final void setNull(int row) {
        clearValidity(row);
    }

    /// Appends rows `rows[from]` to `rows[from + count - 1]` of another store of the same type; a negative one makes a
    /// NULL.
    ///
    /// @param tile room for a tile of the type
    public final void appendGathered(ValueStore source, int[] rows, int from, int count, GatherTile tile) {
        appendGathered(source, rows, from, count, tile, true);
    }

    /// Appends the first `count` of some rows of another store of the same type.
    ///
    /// @param tile room for a tile of the type
    public final void appendRows(ValueStore source, int[] rows, int count, GatherTile tile) {
        appendGathered(source, rows, 0, count, tile, false);
    }

    private void appendGathered(
            ValueStore source, int[] rows, int from, int count, GatherTile tile, boolean anyAbsent) {
        for (int start = from; start < from + count; start += GatherTile.ROWS) {
            int part = Math.min(GatherTile.ROWS, from + count - start);
            tile.all.setAll(part);
            System.arraycopy(rows, start, tile.rows, 0, part);
            source.gather(tile.rows, tile.all, tile.vector, anyAbsent);
            append(tile.vector, tile.all);
        }
    }

    /// The buffers of one tile for [#appendGathered].
    public static final class GatherTile {
        public static final int ROWS = 1024;

        final Vector vector;
        private final int[] rows = new int[ROWS];
        private final Mask all = new Mask(ROWS);

        public GatherTile(DataType type) {
            vector = Vector.of(type, ROWS);
        }
    }

    private void clearValidity(int row) {
        if (validity == null) {
            makeValidity();
        }
        Bits.set(validity, row, false);
    }

    /// Appends the selected rows of a vector.
    public final void append(Vector source, Mask rows) {
        int count = rows.count();
        if (count == rows.rowCount() && source.validity() == null) {
            ensure(count);
            if (appendDense(source, count)) {
                size += count;
                return;
            }
        }
        append(source, rows.indexes(), count);
    }

    /// Appends the values of a vector's first rows, all of them present, if there is a quick way to.
    ///
    /// @return whether it did
    boolean appendDense(Vector source, int count) {
        return false;
    }

    abstract void appendValues(Vector source, int[] rows, int count);

    /// Appends rows [from, from + count) of another store of the same type.
    public final void append(ValueStore source, int from, int count) {
        ensure(count);
        if (source.validity != null) {
            for (int index = 0; index < count; index++) {
                if (!Bits.get(source.validity, from + index)) {
                    clearValidity(size + index);
                }
            }
        }
        appendValues(source, from, count);
        size += count;
    }

    abstract void appendValues(ValueStore source, int from, int count);

    /// Whether threads may write different rows of stores like this one at the same time ([#copyValues]).
    boolean isPiecewise() {
        return false;
    }

    /// Writes rows [from, from + count) of another store of the same form over those from `at` on, which are there;
    /// all are present. Other threads may do so elsewhere.
    void copyValues(ValueStore source, int from, int count, int at) {
        throw new UnsupportedOperationException("pieces of " + type);
    }

    /// Appends a NULL row.
    public final void appendNull() {
        ensure(1);
        clearValidity(size);
        appendNothing();
        size++;
    }

    /// Counts a present row whose value is in place.
    final void appended() {
        size++;
    }

    /// Makes the values' place for a NULL row.
    void appendNothing() {}

    /// Keeps the rows given, in their order, and forgets the others.
    ///
    /// @param rows ascending
    final void retain(int[] rows, int count) {
        if (validity != null) {
            for (int index = 0; index < count; index++) {
                Bits.set(validity, index, Bits.get(validity, rows[index]));
            }
            for (int row = count; row < size; row++) {
                Bits.set(validity, row, true);
            }
        }
        retainValues(rows, count);
        size = count;
    }

    abstract void retainValues(int[] rows, int count);

    /// For each selected row of `rows`: the vector's value becomes that of row `ids[row]` of this store; a
    /// negative one makes a NULL. The vector's other rows stay.
    ///
    /// @param anyAbsent whether an id may be negative
    public final void gather(int[] ids, Mask rows, Vector to, boolean anyAbsent) {
        int[] indexes = rows.indexes();
        int count = rows.count();
        if (validity == null && !anyAbsent) {
            to.setAllPresent();
        } else {
            long[] from = validity;
            long[] words = to.writableValidity();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int id = ids[row];
                Bits.set(words, row, id >= 0 && (from == null || Bits.get(from, id)));
            }
        }
        if (size > 0) {
            gatherValues(ids, indexes, count, to);
        } else {
            gatherNothing(to);
        }
    }

    /// Of rows with a negative id, any value.
    abstract void gatherValues(int[] ids, int[] rows, int count, Vector to);

    /// Gives a vector the form it has when there are NULLs alone.
    void gatherNothing(Vector to) {}

    /// Rows [from, from + count) as a column of its own memory; of `order`'s entries, unless that is null.
    public final Column toColumn(int[] order, int from, int count, Allocator allocator) {
        Validity present = validityOf(order, from, count, allocator);
        return column(order, from, count, present, allocator);
    }

    abstract Column column(int[] order, int from, int count, Validity present, Allocator allocator);

    private Validity validityOf(int[] order, int from, int count, Allocator allocator) {
        if (validity == null || count == 0) {
            return Validity.allPresent();
        }
        long nulls = 0;
        MemorySegment bits = allocator.allocate(Bits.words(count) * 8L);
        for (int base = 0; base < count; base += 64) {
            long word = 0;
            int end = Math.min(64, count - base);
            for (int bit = 0; bit < end; bit++) {
                int place = from + base + bit;
                if (Bits.get(validity, order == null ? place : order[place])) {
                    word |= 1L << bit;
                }
            }
            nulls += end - Long.bitCount(word);
            bits.set(INT64, base >>> 3, word);
        }
        return Validity.of(bits, count, nulls);
    }

    /// The row's hash as a key ([KeyHash]).
    abstract long presentHash(int row);

    /// The hashes of rows [from, from + count); of NULLs, anything.
    void presentHashes(int from, int count, long[] hashes) {
        for (int index = 0; index < count; index++) {
            hashes[index] = isPresent(from + index) ? presentHash(from + index) : 0;
        }
    }

    private void hashes(int from, int count, long[] hashes) {
        presentHashes(from, count, hashes);
        for (int index = 0; validity != null && index < count; index++) {
            hashes[index] = Bits.get(validity, from + index) ? hashes[index] : KeyHash.NULL;
        }
    }

    /// The hashes of rows [from, from + count) of a key of several columns.
    ///
    /// @param further room for as many, where there are several columns
    static void hashes(ValueStore[] keys, int from, int count, long[] hashes, long[] further) {
        if (keys.length == 0) {
            Arrays.fill(hashes, 0, count, 0);
            return;
        }
        keys[0].hashes(from, count, hashes);
        for (int key = 1; key < keys.length; key++) {
            keys[key].hashes(from, count, further);
            for (int index = 0; index < count; index++) {
                hashes[index] = KeyHash.combine(hashes[index], further[index]);
            }
        }
    }

    /// Forgets all rows, and keeps the arrays for the next ones.
    public void reset() {
        if (validity != null) {
            validity = null;
            reservation.shrink(capacity / 8L);
        }
        size = 0;
    }

    /// Frees the arrays and gives back what was reserved for them; the store is empty then.
    public void clear() {
        long bytes = (long) capacity * (bitsPerRow() + (validity == null ? 0 : 1)) / 8;
        validity = null;
        size = 0;
        capacity = 0;
        resize(0);
        reservation.shrink(bytes);
    }
}
