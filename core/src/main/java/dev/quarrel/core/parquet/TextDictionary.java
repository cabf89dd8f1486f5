package dev.quarrel.core.parquet;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The distinct texts (or bytes) of a column chunk, in the order in which they came, up to a size.
final class TextDictionary {
    private static final int MAX_ENTRIES = 1 << 15;
    private static final int MAX_BYTES = 1 << 20;

    private final Map<ByteBuffer, Integer> codes = new HashMap<>();
    private final ByteQueue plain = new ByteQueue();
    private Dictionary lastDictionary;
    private int[] lastCodes = new int[0];

    int size() {
        return codes.size();
    }

    /// The entries as PLAIN has them.
    ByteQueue plain() {
        return plain;
    }

    /// The entries, in no order.
    Iterable<byte[]> entries() {
        return () -> codes.keySet().stream().map(ByteBuffer::array).iterator();
    }

    /// @return the text's code, or -1 where it is new and there is no more room
    int code(byte[] bytes, int length) {
        Integer known = codes.get(ByteBuffer.wrap(bytes, 0, length));
        if (known != null) {
            return known;
        }
        if (codes.size() == MAX_ENTRIES || plain.size() + (long) length > MAX_BYTES) {
            return -1;
        }
        int code = codes.size();
        codes.put(ByteBuffer.wrap(Arrays.copyOf(bytes, length)), code);
        plain.putInt(length);
        plain.put(bytes, 0, length);
        return code;
    }

    /// The same for an entry of a batch's dictionary, looked up once.
    int code(Dictionary dictionary, int entry) {
        if (dictionary != lastDictionary) {
            lastDictionary = dictionary;
            lastCodes = new int[dictionary.size()];
            Arrays.fill(lastCodes, -1);
        }
        if (lastCodes[entry] < 0) {
            Utf8Column values = dictionary.values();
            byte[] text = values.bytes(entry).toArray(ValueLayout.JAVA_BYTE);
            lastCodes[entry] = code(text, text.length);
        }
        return lastCodes[entry];
    }
}
