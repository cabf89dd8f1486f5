package dev.quarrel.core.cpu.text;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// One text argument of an instruction, row by row, as a range of a byte array.
///
/// Bytes that lie in mapped memory are copied into an array first: for a tile whose texts lie together in one go.
public final class TextReader {
    private static final int MAX_SPAN = 1 << 20;
    /// Bytes a wanted row up to which all of a tile's are copied, whichever rows are wanted.
    private static final int CHEAP_SPAN = 64;

    private static final int WINDOW_BYTES = 1 << 12;

    private TextVector vector;
    private byte[] scratch = new byte[256];
    private boolean isOfTile;
    private long[] tileOffsets;
    private int[] tileLengths;
    private long tileStart;
    /// Of rows whose values are entries of `copied`; else null.
    private int[] codes;
    private Dictionary seen;
    private Dictionary copied;
    private byte[] entryBytes;
    private int[] entryStarts;
    /// What the constant value is known to be; null for nothing.
    private byte[] same;
    /// Entries of a dictionary that lie behind each other, of which `scratch` holds the bytes [windowStart, windowEnd).
    private Utf8Column windowed;
    private int nextEntry;
    private long windowStart;
    private long windowEnd;

    /// The bytes that hold the current value; valid until the next `read`.
    public byte[] bytes;
    public int start;
    public int length;

    /// A reader whose current value is a text.
    public static TextReader of(String text) {
        TextReader reader = new TextReader();
        reader.bytes = text.getBytes(StandardCharsets.UTF_8);
        reader.length = reader.bytes.length;
        return reader;
    }

    /// Whether the current value stays the same from row to row and tile to tile.
    public boolean isConstant() {
        return vector != null && vector.isConstant();
    }

    /// Prepares for reads of a tile.
    public void bind(TextVector newVector, Mask rows) {
        vector = newVector;
        isOfTile = false;
        codes = null;
        same = null;
        windowed = null;
        if (vector.isConstant() && vector.isPresent(0)) {
            bytes = vector.buffer();
            start = (int) vector.offsets()[0];
            length = vector.lengths()[0];
        } else if (vector.dictionary() != null) {
            bindEntries(vector.dictionary(), rows);
        } else {
            if (vector.ownsBytes()) {
                ofTile(vector.buffer(), 0);
            } else if (!rows.isSparse()) {
                copyTile(rows);
            }
        }
    }

    /// Copies the entries where they are few beside the rows, or were asked for in the tile before.
    private void bindEntries(Dictionary dictionary, Mask rows) {
        if (dictionary != copied && (dictionary == seen || dictionary.size() <= rows.count())) {
            copied = dictionary;
            entryStarts = starts(dictionary.values());
            if (entryStarts != null) {
                long first = dictionary.size() == 0 ? 0 : dictionary.values().offset(0);
                entryBytes = new byte[entryStarts[dictionary.size()]];
                MemorySegment.copy(
                        dictionary.values().data(), ValueLayout.JAVA_BYTE, first, entryBytes, 0, entryBytes.length);
            }
        }
        seen = dictionary;
        if (dictionary == copied && entryStarts != null) {
            bytes = entryBytes;
            codes = vector.codes();
        }
    }

    /// Where each entry starts behind the first one's start, and where the last one ends; null for more than
    /// [#MAX_SPAN] bytes, or where offsets are not in order.
    private static int[] starts(Utf8Column entries) {
        int[] starts = new int[entries.rowCount() + 1];
        long first = entries.rowCount() == 0 ? 0 : entries.offset(0);
        for (int entry = 1; entry < starts.length; entry++) {
            long start = entries.offset(entry) - first;
            if (start < starts[entry - 1] || start > MAX_SPAN) {
                return null;
            }
            starts[entry] = (int) start;
        }
        return first < 0 || first + starts[starts.length - 1] > entries.data().byteSize() ? null : starts;
    }

    private void ofTile(byte[] tileBytes, long newTileStart) {
        isOfTile = true;
        bytes = tileBytes;
        tileOffsets = vector.offsets();
        tileLengths = vector.lengths();
        tileStart = newTileStart;
    }

    private void copyTile(Mask rows) {
        if (vector.isContiguous()) {
            int last = rows.rowCount() - 1;
            long start = vector.offsets()[0];
            long span = vector.offsets()[last] + vector.lengths()[last] - start;
            if (span <= Math.min(MAX_SPAN, (long) CHEAP_SPAN * rows.count())) {
                copyTile(start, (int) span);
                return;
            }
        }
        long[] offsets = vector.offsets();
        int[] lengths = vector.lengths();
        int[] indexes = rows.indexes();
        long first = Long.MAX_VALUE;
        long end = 0;
        long total = 0;
        for (int index = 0; index < rows.count(); index++) {
            int row = indexes[index];
            if (vector.isPresent(row)) {
                first = Math.min(first, offsets[row]);
                end = Math.max(end, offsets[row] + lengths[row]);
                total += lengths[row];
            }
        }
        long span = end - first;
        if (total == 0 || span > MAX_SPAN || span > total * 4) {
            return;
        }
        copyTile(first, (int) span);
    }

    private void copyTile(long first, int span) {
        ensure(span);
        MemorySegment.copy(vector.base(), ValueLayout.JAVA_BYTE, first, scratch, 0, span);
        ofTile(scratch, first);
    }

    /// Whether a row of the tile has a value.
    boolean isPresent(int row) {
        return vector.isPresent(row);
    }

    /// Makes a present row's value the current one.
    public void read(int row) {
        if (isOfTile) {
            start = (int) (tileOffsets[row] - tileStart);
            length = tileLengths[row];
        } else if (codes != null) {
            int code = codes[row];
            start = entryStarts[code];
            length = entryStarts[code + 1] - start;
        } else if (!vector.isConstant()) {
            copy(vector.data(), vector.start(row), vector.length(row));
        }
    }

    /// Makes an entry of a dictionary the current value. Those that are read one after the other are copied together.
    public void readEntry(Utf8Column entries, int code) {
        vector = null; // of a tile before, which may have been a constant
        same = null;
        long from = entries.offset(code);
        long end = entries.offset(code + 1);
        boolean isNext = entries == windowed && code == nextEntry;
        if (isNext && end > windowEnd && end - from < WINDOW_BYTES) {
            windowStart = from;
            windowEnd = Math.min(from + WINDOW_BYTES, entries.data().byteSize());
            ensure(WINDOW_BYTES);
            MemorySegment.copy(
                    entries.data(), ValueLayout.JAVA_BYTE, from, scratch, 0, (int) (windowEnd - windowStart));
        }
        windowed = entries;
        nextEntry = code + 1;
        if (isNext && from >= windowStart && from <= end && end <= windowEnd) {
            bytes = scratch;
            start = (int) (from - windowStart);
            length = (int) (end - from);
            return;
        }
        windowEnd = 0;
        copy(entries.data(), from, Math.toIntExact(end - from));
    }

    private void copy(MemorySegment from, long offset, int byteCount) {
        ensure(byteCount);
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, scratch, 0, byteCount);
        bytes = scratch;
        start = 0;
        length = byteCount;
    }

    private void ensure(int byteCount) {
        if (byteCount > scratch.length) {
            scratch = new byte[Math.max(byteCount, scratch.length * 2)];
        }
    }

    /// The current value in canonical form: a String, or Bytes.
    Object value(DataType type) {
        return type instanceof DataType.Binary ? Bytes.of(copyOfBytes()) : string();
    }

    public String string() {
        return new String(bytes, start, length, StandardCharsets.UTF_8);
    }

    /// Whether the current value is these bytes, which stay as they are. Of a constant that is asked once a tile.
    public boolean isSame(byte[] known) {
        if (known == same && known != null) {
            return true;
        }
        boolean isSame = Arrays.equals(known, 0, known.length, bytes, start, end());
        same = isSame && isConstant() ? known : null;
        return isSame;
    }

    public int end() {
        return start + length;
    }

    public byte[] copyOfBytes() {
        return Arrays.copyOfRange(bytes, start, start + length);
    }
}
