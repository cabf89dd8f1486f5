package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// A store of text or bytes: as codes while all rows come from one dictionary, otherwise as bytes.
public final class TextStore extends ValueStore {
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
    private static final int FIRST_BYTES = 256;
    private static final int LARGE_BYTES = 1 << 22;
    private static final int MAX_HASHED = 1 << 14;
    private static final int STOP_CHECK_ROWS = 1 << 14;
    private static final int TILE_ROWS = 1024;

    private Dictionary dictionary; // of the codes; null in byte form
    private int[] numbers = new int[0]; // codes; in byte form, where each row's value ends
    private byte[] data = new byte[0];
    private MemorySegment dataSegment = NOTHING;
    private int dataBytes;
    private Dictionary hashedEntries; // that `entryHashes` are for
    private long[] entryHashes = {};

    /// @param type Utf8 or Binary
    public TextStore(DataType type, Reservation reservation) {
        super(type, reservation);
    }

    /// The dictionary of `codes`, or null when the rows are kept as bytes (or there is none).
    public Dictionary dictionary() {
        return dictionary;
    }

    public int[] codes() {
        return numbers;
    }

    /// In byte form, where each row's value ends in `bytes()`; it starts where that of the row before ends.
    int[] ends() {
        return numbers;
    }

    /// All values' bytes, in byte form.
    byte[] bytes() {
        return data;
    }

    @Override
    int bitsPerRow() {
        return 32;
    }

    @Override
    void resize(int newCapacity) {
        numbers = Arrays.copyOf(numbers, newCapacity);
    }

    @Override
    public void clear() {
        super.clear();
        reservation.shrink(data.length);
        data = new byte[0];
        dataSegment = NOTHING;
        dataBytes = 0;
        dictionary = null;
    }

    @Override
    public void reset() {
        super.reset();
        dictionary = null;
        dataBytes = 0;
    }

    /// The bytes that `start` and `length` speak of.
    public MemorySegment bytes(int row) {
        return dictionary == null ? dataSegment : dictionary.values().data();
    }

    public long start(int row) {
        return dictionary == null
                ? row == 0 ? 0 : numbers[row - 1]
                : dictionary.values().offset(numbers[row]);
    }

    public int length(int row) {
        if (dictionary == null) {
            return numbers[row] - (row == 0 ? 0 : numbers[row - 1]);
        }
        Utf8Column values = dictionary.values();
        return (int) (values.offset(numbers[row] + 1) - values.offset(numbers[row]));
    }

    /// Whether a row's value, which is present, is that text.
    boolean isEqual(int row, MemorySegment source, long start, int length) {
        long own = start(row);
        return length == length(row)
                && MemorySegment.mismatch(bytes(row), own, own + length, source, start, start + length) < 0;
    }

    /// Takes codes of `wanted` from here on, if that is possible.
    private boolean isCodesOf(Dictionary wanted) {
        if (size() == 0 && wanted != null) {
            dictionary = wanted;
        }
        return wanted != null && dictionary == wanted;
    }

    private void useBytes() {
        if (dictionary == null) {
            return;
        }
        Dictionary old = dictionary;
        int[] codes = numbers;
        reservation.grow(capacity() * 4L);
        int[] ends = new int[codes.length];
        dictionary = null;
        MemorySegment values = old.values().data();
        for (int row = 0; row < size(); row++) {
            if (isPresent(row)) {
                long start = old.values().offset(codes[row]);
                copyIn(values, start, (int) (old.values().offset(codes[row] + 1) - start));
            }
            ends[row] = dataBytes;
        }
        numbers = ends;
        reservation.shrink(capacity() * 4L);
    }

    private void copyIn(MemorySegment source, long start, int length) {
        reserveBytes(length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, start, data, dataBytes, length);
        dataBytes += length;
    }

    private void reserveBytes(long more) {
        long needed = dataBytes + more;
        if (needed <= data.length) {
            return;
        }
        if (needed > Integer.MAX_VALUE - 16) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("More than 2 GiB of text in one column would have to be held.");
        }
        int newLength =
                (int) Math.min(Integer.MAX_VALUE - 16, Math.max(Math.max(FIRST_BYTES, needed), data.length * 2L));
        if (newLength >= LARGE_BYTES) {
            reservation.budget().checkStop();
        }
        reservation.grow(newLength - data.length);
        data = Arrays.copyOf(data, newLength);
        dataSegment = MemorySegment.ofArray(data);
    }

    @Override
    void appendNothing() {
        numbers[size()] = dictionary == null ? dataBytes : 0;
    }

    @Override
    void appendValues(Vector source, int[] rows, int count) {
        TextVector text = (TextVector) source;
        int start = size();
        long[] present = text.validity();
        if (isCodesOf(text.dictionary())) {
            int[] codes = text.codes();
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                numbers[start + index] = present == null || Bits.get(present, row) ? codes[row] : 0;
            }
            return;
        }
        useBytes();
        MemorySegment from = text.data();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            if (present == null || Bits.get(present, row)) {
                copyIn(from, text.start(row), text.length(row));
            }
            numbers[start + index] = dataBytes;
        }
    }

    @Override
    boolean appendDense(Vector source, int count) {
        TextVector text = (TextVector) source;
        if (!isCodesOf(text.dictionary())) {
            return false;
        }
        System.arraycopy(text.codes(), 0, numbers, size(), count);
        return true;
    }

    @Override
    void appendValues(ValueStore source, int from, int count) {
        TextStore other = (TextStore) source;
        if (isCodesOf(other.dictionary)) {
            copyValues(source, from, count, size());
            return;
        }
        useBytes();
        for (int index = 0; index < count; index++) {
            if (other.isPresent(from + index)) {
                copyIn(other.bytes(from + index), other.start(from + index), other.length(from + index));
            }
            numbers[size() + index] = dataBytes;
        }
    }

    /// Codes are.
    @Override
    boolean isPiecewise() {
        return dictionary != null;
    }

    @Override
    void copyValues(ValueStore source, int from, int count, int at) {
        System.arraycopy(((TextStore) source).numbers, from, numbers, at, count);
    }

    /// Makes an empty store one of codes of a dictionary.
    void startCodes(Dictionary of) {
        dictionary = of;
    }

    /// Appends one value.
    void appendValue(byte[] source, int start, int length) {
        ensure(1);
        useBytes();
        reserveBytes(length);
        System.arraycopy(source, start, data, dataBytes, length);
        dataBytes += length;
        numbers[size()] = dataBytes;
        appended();
    }

    /// Appends one value.
    public void appendValue(MemorySegment source, long start, int length) {
        ensure(1);
        useBytes();
        copyIn(source, start, length);
        numbers[size()] = dataBytes;
        appended();
    }

    @Override
    void retainValues(int[] rows, int count) {
        if (dictionary != null) {
            for (int index = 0; index < count; index++) {
                numbers[index] = numbers[rows[index]];
            }
            return;
        }
        int end = 0;
        for (int index = 0; index < count; index++) {
            // Rows ascend: what is overwritten here was read before, or is written as it was.
            int start = (int) start(rows[index]);
            int length = length(rows[index]);
            System.arraycopy(data, start, data, end, length);
            end += length;
            numbers[index] = end;
        }
        dataBytes = end;
    }

    @Override
    void gatherNothing(Vector to) {
        ((TextVector) to).useReferences(NOTHING);
    }

    @Override
    void gatherValues(int[] ids, int[] rows, int count, Vector to) {
        TextVector out = (TextVector) to;
        if (dictionary != null) {
            out.useCodes(dictionary);
            int[] codes = out.codes();
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                codes[row] = numbers[Math.max(0, ids[row])];
            }
            return;
        }
        out.useReferences(dataSegment);
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            int id = Math.max(0, ids[row]);
            int start = id == 0 ? 0 : numbers[id - 1];
            out.offsets()[row] = start;
            out.lengths()[row] = numbers[id] - start;
        }
    }

    @Override
    Column column(int[] order, int from, int count, Validity present, Allocator allocator) {
        if (dictionary != null) {
            MemorySegment codes = allocator.allocateUnset(count * 4L);
            int[] tile = new int[order == null ? 0 : Math.min(TILE_ROWS, count)];
            if (order == null) {
                MemorySegment.copy(numbers, from, codes, INT32, 0, count);
            }
            for (int first = 0; order != null && first < count; first += TILE_ROWS) {
                int rows = Math.min(TILE_ROWS, count - first);
                for (int index = 0; index < rows; index++) {
                    tile[index] = numbers[order[from + first + index]];
                }
                MemorySegment.copy(tile, 0, codes, INT32, first * 4L, rows);
            }
            return new DictionaryColumn(count, codes, 4, dictionary, present);
        }
        long bytes = 0;
        for (int index = 0; index < count; index++) {
            bytes += length(order == null ? from + index : order[from + index]);
        }
        MemorySegment offsets = allocator.allocateUnset((count + 1L) * 4);
        MemorySegment out = allocator.allocateUnset(bytes);
        offsets.set(INT32, 0, 0);
        // Short texts are brought together on the heap, which is quicker than out of it one by one.
        int[] ends = new int[Math.min(TILE_ROWS, count)];
        byte[] tile = {};
        Math.toIntExact(bytes);
        int done = 0;
        for (int first = 0; first < count; first += TILE_ROWS) {
            int rows = Math.min(TILE_ROWS, count - first);
            int tileBytes = 0;
            for (int index = first; index < first + rows; index++) {
                int row = order == null ? from + index : order[from + index];
                tileBytes += length(row);
                ends[index - first] = done + tileBytes;
            }
            if (tile.length < tileBytes) {
                tile = new byte[Math.max(tileBytes, 2 * tile.length)];
            }
            int at = 0;
            for (int index = first; index < first + rows; index++) {
                int row = order == null ? from + index : order[from + index];
                int length = length(row);
                System.arraycopy(data, (int) start(row), tile, at, length);
                at += length;
            }
            MemorySegment.copy(tile, 0, out, ValueLayout.JAVA_BYTE, done, tileBytes);
            MemorySegment.copy(ends, 0, offsets, INT32, (first + 1L) * 4, rows);
            done += tileBytes;
        }
        return new Utf8Column(type(), count, offsets, false, out, present);
    }

    /// Of codes, an entry's hash is made once.
    @Override
    void presentHashes(int from, int count, long[] hashes) {
        if (dictionary == null || dictionary.size() > MAX_HASHED || dictionary.size() > size()) {
            super.presentHashes(from, count, hashes);
            return;
        }
        if (hashedEntries != dictionary) {
            Utf8Column values = dictionary.values();
            entryHashes = new long[dictionary.size()];
            for (int entry = 0; entry < entryHashes.length; entry++) {
                long start = values.offset(entry);
                entryHashes[entry] = KeyHash.ofBytes(values.data(), start, (int) (values.offset(entry + 1) - start));
            }
            hashedEntries = dictionary;
        }
        for (int index = 0; index < count; index++) {
            hashes[index] = isPresent(from + index) ? entryHashes[numbers[from + index]] : 0;
        }
    }

    @Override
    long presentHash(int row) {
        if (dictionary == null) {
            return KeyHash.ofBytes(data, (int) start(row), length(row));
        }
        return KeyHash.ofBytes(bytes(row), start(row), length(row));
    }

    /// Turns bytes into codes of an own dictionary, if there are few distinct values: so that later groupings work
    /// on codes.
    ///
    /// @param allocator of the dictionary's memory, which must outlive every use of the codes
    public void encode(int maxEntries, Allocator allocator) {
        if (dictionary != null || size() == 0) {
            return;
        }
        try (Reservation scratch = new Reservation(reservation.budget())) {
            TextNumbers codes = new TextNumbers(type(), scratch);
            scratch.grow(capacity() * 4L);
            int[] encoded = new int[numbers.length];
            for (int row = 0; row < size(); row++) {
                encoded[row] = isPresent(row) ? codes.codeOrAdd(dataSegment, start(row), length(row)) : 0;
                if (codes.size() > maxEntries) {
                    return;
                }
                if ((row & STOP_CHECK_ROWS - 1) == 0) {
                    scratch.budget().checkStop();
                }
            }
            dictionary = codes.toDictionary(allocator);
            numbers = encoded;
        }
        reservation.shrink(data.length);
        data = new byte[0];
        dataSegment = NOTHING;
        dataBytes = 0;
    }
}
