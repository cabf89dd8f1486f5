package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// The distinct texts of one column, numbered as workers come upon them.
///
/// Threads share it; each keeps what it has met in its own `TextEncoder`, and comes here for what is new to it.
public final class SharedTexts {
    /// So many fit the two bytes of a code.
    public static final int MAX_CODES = 1 << 16;
    /// Text that is worth its codes has many rows a value; and what is kept of the values stays small.
    public static final int MAX_TEXT_BYTES = 8 << 20;

    private final int maxCodes;
    private final Map<ByteBuffer, Integer> codes = new HashMap<>(); // guarded by this
    private ColumnWriter texts; // guarded by this

    /// @param memory for the texts
    public SharedTexts(int maxCodes, Allocator memory) {
        this.maxCodes = maxCodes;
        this.texts = new ColumnWriter(DataType.UTF8, memory, 256);
    }

    /// The code of a text, or -1 for one too many.
    ///
    /// @param text not changed afterwards
    public synchronized int code(byte[] text) {
        ByteBuffer key = ByteBuffer.wrap(text);
        Integer known = codes.get(key);
        if (known != null) {
            return known;
        }
        if (codes.size() == maxCodes || texts.byteCount() + text.length > MAX_TEXT_BYTES) {
            return -1;
        }
        texts.appendUtf8(MemorySegment.ofArray(text), 0, text.length);
        codes.put(key, codes.size());
        return codes.size() - 1;
    }

    /// All texts by their codes; called once, when no further text comes.
    public synchronized Dictionary toDictionary() {
        return new Dictionary((Utf8Column) texts.finish());
    }
}
