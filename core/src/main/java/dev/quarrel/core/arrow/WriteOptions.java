package dev.quarrel.core.arrow;

import java.util.HashMap;
import java.util.Map;

/// How an [ArrowFileWriter] writes.
///
/// @param zstdLevel compresses each buffer with ZSTD at this level (1 to 19); 0 writes plain buffers, which are read
///     in place and so by far the fastest
/// @param dictionaryCodeBytes columns to write dictionary-encoded, by name, and the width of their codes: 1 byte for at
///     most 127 distinct values in the file, 2 for 32767, 4 for more
/// @param nested columns of text to write as lists and structs, by name; each value must be of the type
/// @param metadata custom metadata of the footer
/// @param durable whether `finish` waits until the file is on disk
public record WriteOptions(
        int zstdLevel,
        Map<String, Integer> dictionaryCodeBytes,
        Map<String, NestedType> nested,
        Map<String, String> metadata,
        boolean durable) {
    public static final WriteOptions PLAIN = new WriteOptions(0, Map.of(), Map.of(), Map.of(), true);

    public WriteOptions {
        if (zstdLevel < 0 || zstdLevel > 19) {
            throw new IllegalArgumentException("ZSTD level " + zstdLevel);
        }
        for (int codeBytes : dictionaryCodeBytes.values()) {
            if (codeBytes != 1 && codeBytes != 2 && codeBytes != 4) {
                throw new IllegalArgumentException("dictionary codes of " + codeBytes + " bytes");
            }
        }
        dictionaryCodeBytes = Map.copyOf(dictionaryCodeBytes);
        nested = Map.copyOf(nested);
        metadata = Map.copyOf(metadata);
    }

    public WriteOptions withZstd(int level) {
        return new WriteOptions(level, dictionaryCodeBytes, nested, metadata, durable);
    }

    /// @param codeBytes 1, 2 or 4; a column with more distinct values than fit fails to be written
    public WriteOptions withDictionary(String column, int codeBytes) {
        Map<String, Integer> more = new HashMap<>(dictionaryCodeBytes);
        more.put(column, codeBytes);
        return new WriteOptions(zstdLevel, more, nested, metadata, durable);
    }

    public WriteOptions withNested(String column, NestedType type) {
        Map<String, NestedType> more = new HashMap<>(nested);
        more.put(column, type);
        return new WriteOptions(zstdLevel, dictionaryCodeBytes, more, metadata, durable);
    }

    public WriteOptions withMetadata(String key, String value) {
        Map<String, String> more = new HashMap<>(metadata);
        more.put(key, value);
        return new WriteOptions(zstdLevel, dictionaryCodeBytes, nested, more, durable);
    }

    public WriteOptions withDurable(boolean newDurable) {
        return new WriteOptions(zstdLevel, dictionaryCodeBytes, nested, metadata, newDurable);
    }
}
