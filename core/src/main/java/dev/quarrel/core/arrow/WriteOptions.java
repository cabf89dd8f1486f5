package dev.quarrel.core.arrow;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// How an [ArrowFileWriter] writes.
///
/// @param zstdLevel compresses each buffer with ZSTD at this level (1 to 19); 0 writes plain buffers, which are read
///     in place and so by far the fastest
/// @param dictionaryCodeBytes columns to write dictionary-encoded, by name, and the width of their codes: 1 byte for at
///     most 127 distinct values in the file, 2 for 32767, 4 for more
/// @param lists columns of arrays to write as lists, by name; each value must be of one dimension and counted from 1
/// @param metadata custom metadata of the footer
/// @param durable whether `finish` waits until the file is on disk
public record WriteOptions(
        int zstdLevel,
        Map<String, Integer> dictionaryCodeBytes,
        Set<String> lists,
        Map<String, String> metadata,
        boolean durable) {
    public static final WriteOptions PLAIN = new WriteOptions(0, Map.of(), Set.of(), Map.of(), true);

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
        lists = Set.copyOf(lists);
        metadata = Map.copyOf(metadata);
    }

    public WriteOptions withZstd(int level) {
        return new WriteOptions(level, dictionaryCodeBytes, lists, metadata, durable);
    }

    /// @param codeBytes 1, 2 or 4; a column with more distinct values than fit fails to be written
    public WriteOptions withDictionary(String column, int codeBytes) {
        Map<String, Integer> more = new HashMap<>(dictionaryCodeBytes);
        more.put(column, codeBytes);
        return new WriteOptions(zstdLevel, more, lists, metadata, durable);
    }

    /// @param column of an array type
    public WriteOptions withList(String column) {
        Set<String> more = new HashSet<>(lists);
        more.add(column);
        return new WriteOptions(zstdLevel, dictionaryCodeBytes, more, metadata, durable);
    }

    public WriteOptions withMetadata(String key, String value) {
        Map<String, String> more = new HashMap<>(metadata);
        more.put(key, value);
        return new WriteOptions(zstdLevel, dictionaryCodeBytes, lists, more, durable);
    }

    public WriteOptions withDurable(boolean newDurable) {
        return new WriteOptions(zstdLevel, dictionaryCodeBytes, lists, metadata, newDurable);
    }
}
