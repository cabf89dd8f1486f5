package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.memory.LargeBytes;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A vector of text, or of bytes of type Binary, in one of two forms, which may change from tile to tile:
///
/// - codes into a dictionary (`dictionary()` is not null): `codes()` by row, in that dictionary's own code space,
///   which is
///   a table-wide one where the column has one;
/// - references (`dictionary()` is null): value i is `base()[offsets()[i], + lengths()[i])`, UTF-8. The bytes may be
///   the
///   column's own (nothing is copied at a load) or this vector's buffer.
///
/// `data`, `start` and `length` read a row in either form.
public final class TextVector extends Vector {
    /// What PostgreSQL allocates for one value at most, less the value's header.
    private static final int MAX_VALUE_BYTES = 0x3FFF_FFFF - 4;

    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final int[] codes;
    private final long[] offsets;
    private final int[] lengths;
    private Dictionary dictionary;
    private MemorySegment base = NOTHING;
    private byte[] buffer = new byte[0];
    private LargeBytes large; // null until the buffer is
    private MemorySegment bufferSegment = NOTHING;
    private int used;
    private boolean ownsBytes;
    private boolean contiguous;
    private Dictionary entries;

    /// @param type Utf8 or Binary
    public TextVector(DataType type, int tileRows) {
        super(type, tileRows);
        this.codes = new int[capacity()];
        this.offsets = new long[capacity()];
        this.lengths = new int[capacity()];
    }

    /// The dictionary of `codes()`, or null in the reference form.
    public Dictionary dictionary() {
        return dictionary;
    }

    public int[] codes() {
        return codes;
    }

    /// The bytes that `offsets()` point into. Reference form only.
    public MemorySegment base() {
        return base;
    }

    public long[] offsets() {
        return offsets;
    }

    public int[] lengths() {
        return lengths;
    }

    /// Whether this is the reference form, and the values of the tile's rows lie one behind the other.
    public boolean isContiguous() {
        return contiguous;
    }

    /// Says that values of the reference form are those of `entries` by `codes()`, until the vector takes another form.
    public void setEntries(Dictionary newEntries) {
        entries = newEntries;
    }

    /// What the rows' values are entries of, by `codes()`; null where that is not known. Unlike those of
    /// `dictionary()`, entries may be equal to each other.
    public Dictionary entries() {
        return dictionary == null ? entries : dictionary;
    }

    private void toldNothing() {
        contiguous = false;
        entries = null;
    }

    /// Says so, until the vector takes another form.
    void setContiguous() {
        contiguous = true;
    }

    /// Makes this a vector of codes, for the caller to fill.
    public void useCodes(Dictionary newDictionary) {
        toldNothing();
        dictionary = newDictionary;
        base = NOTHING;
        ownsBytes = false;
    }

    /// Makes this a vector of references into `newBase`, for the caller to fill.
    public void useReferences(MemorySegment newBase) {
        toldNothing();
        dictionary = null;
        base = newBase;
        ownsBytes = false;
    }

    /// The bytes in which row values lie, in either form.
    public MemorySegment data() {
        return dictionary == null ? base : dictionary.values().data();
    }

    /// Where a present row's value starts in `data()`.
    public long start(int row) {
        return dictionary == null ? offsets[row] : dictionary.values().offset(codes[row]);
    }

    /// Bytes of a present row's value.
    public int length(int row) {
        if (dictionary == null) {
            return lengths[row];
        }
        Utf8Column values = dictionary.values();
        return (int) (values.offset(codes[row] + 1) - values.offset(codes[row]));
    }

    /// Makes this an empty vector of references into its own buffer; `append` fills it.
    public void startBuffer() {
        toldNothing();
        dictionary = null;
        used = 0;
        base = bufferSegment;
        ownsBytes = true;
    }

    /// Room for `byteCount` more bytes in the own buffer; returns where they start. Growing keeps what is there.
    ///
    /// - Errors: 53200 where the tile's texts have no room in one array, or in their share of the heap.
    int reserve(int byteCount) {
        int start = used;
        if (byteCount > MAX_ARRAY - used) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("The texts that some rows of an expression have together are larger than 2 GiB.");
        }
        int end = used + byteCount;
        if (end > buffer.length) {
            int wanted = Math.clamp(2L * buffer.length, Math.max(end, 1024), MAX_ARRAY);
            if (LargeBytes.isLarge(wanted)) {
                large = large == null ? new LargeBytes() : large;
                buffer = large.grow(buffer, end, wanted);
            } else {
                buffer = Arrays.copyOf(buffer, wanted);
            }
            bufferSegment = MemorySegment.ofArray(buffer);
            base = bufferSegment;
        }
        used = end;
        return start;
    }

    /// The own buffer, until the next `reserve`.
    public byte[] buffer() {
        return buffer;
    }

    /// Makes room for the value of `row`, whose bytes the caller writes into `buffer()` from the place returned on.
    public int begin(int row, int byteCount) {
        int place = reserve(byteCount);
        offsets[row] = place;
        lengths[row] = byteCount;
        return place;
    }

    /// Shortens the value of `row`, which must be the last one begun.
    public void shorten(int row, int byteCount) {
        used -= lengths[row] - byteCount;
        lengths[row] = byteCount;
    }

    /// Lengthens the value of `row`, which must be the last one begun.
    public void extend(int row, byte[] source, int start, int byteCount) {
        lengths[row] = checkedLength((long) lengths[row] + byteCount);
        int place = reserve(byteCount);
        System.arraycopy(source, start, buffer, place, byteCount);
    }

    /// The bytes of a value that is to be made.
    ///
    /// - Errors: 54000 for more than PostgreSQL has in one.
    public static int checkedLength(long byteCount) {
        if (byteCount > MAX_VALUE_BYTES) {
            throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large")
                    .withDetail("A value has at most " + MAX_VALUE_BYTES + " bytes, not " + byteCount + ".");
        }
        return (int) byteCount;
    }

    /// Whether this is the reference form, and refers to the own buffer.
    public boolean ownsBytes() {
        return ownsBytes;
    }

    /// Copies bytes into the own buffer as the value of `row`.
    public void append(int row, MemorySegment source, long start, int length) {
        int place = reserve(length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, start, buffer, place, length);
        offsets[row] = place;
        lengths[row] = length;
    }

    /// Copies bytes into the own buffer as the value of `row`.
    public void append(int row, byte[] source, int start, int length) {
        int place = reserve(length);
        System.arraycopy(source, start, buffer, place, length);
        offsets[row] = place;
        lengths[row] = length;
    }

    /// The values of the first `count` rows, all present, in memory of the column's own; null where they take more than
    /// `maxBytes`.
    public Utf8Column toColumn(int count, int maxBytes) {
        int[] offsets = new int[count + 1];
        for (int row = 0; row < count; row++) {
            if (length(row) > maxBytes - offsets[row]) {
                return null;
            }
            offsets[row + 1] = offsets[row] + length(row);
        }
        byte[] bytes = new byte[offsets[count]];
        for (int row = 0; row < count; row++) {
            MemorySegment.copy(data(), ValueLayout.JAVA_BYTE, start(row), bytes, offsets[row], length(row));
        }
        return new Utf8Column(
                type(),
                count,
                MemorySegment.ofArray(offsets),
                false,
                MemorySegment.ofArray(bytes),
                Validity.allPresent());
    }

    @Override
    void gatherValues(Vector source, int[] rows, int count) {
        TextVector from = (TextVector) source;
        toldNothing();
        dictionary = from.dictionary;
        base = from.base;
        ownsBytes = false;
        if (dictionary != null) {
            for (int row = 0; row < count; row++) {
                codes[row] = from.codes[Math.max(0, rows[row])];
            }
            return;
        }
        for (int row = 0; row < count; row++) {
            int index = Math.max(0, rows[row]);
            offsets[row] = from.offsets[index];
            lengths[row] = from.lengths[index];
        }
    }

    /// In one form with one base or dictionary; `TextSelect` chooses between vectors of different ones.
    @Override
    public void copyValues(Vector source, Mask rows) {
        TextVector from = (TextVector) source;
        int[] indexes = rows.indexes();
        int count = rows.count();
        toldNothing();
        dictionary = from.dictionary;
        base = from.base;
        ownsBytes = false;
        if (dictionary != null) {
            for (int index = 0; index < count; index++) {
                codes[indexes[index]] = from.codes[indexes[index]];
            }
            return;
        }
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            offsets[row] = from.offsets[row];
            lengths[row] = from.lengths[row];
        }
    }

    /// References into the source's bytes: nothing is copied.
    @Override
    public void gatherSelected(Vector source, int[] sourceRows, Mask rows) {
        TextVector from = (TextVector) source;
        useReferences(from.base);
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (isPresent(row)) {
                offsets[row] = from.offsets[sourceRows[row]];
                lengths[row] = from.lengths[sourceRows[row]];
            }
        }
    }

    @Override
    void fill(Object value) {
        byte[] bytes =
                value instanceof Bytes binary ? binary.toArray() : ((String) value).getBytes(StandardCharsets.UTF_8);
        startBuffer();
        append(0, bytes, 0, bytes.length);
        Arrays.fill(offsets, offsets[0]);
        Arrays.fill(lengths, lengths[0]);
    }

    /// The bytes of a present row, copied.
    public byte[] bytes(int row) {
        byte[] copy = new byte[length(row)];
        MemorySegment.copy(data(), ValueLayout.JAVA_BYTE, start(row), copy, 0, copy.length);
        return copy;
    }

    @Override
    Object presentValue(int row) {
        return type() instanceof DataType.Binary
                ? Bytes.of(bytes(row))
                : new String(bytes(row), StandardCharsets.UTF_8);
    }
}
