package dev.quarrel.core.arrow;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The options of an [ArrowFileWriter] or [ArrowStreamWriter].
///
/// @param codec compresses each buffer; plain ones are read in place and so by far the fastest
/// @param zstdLevel 1 to 19 for ZSTD, else 0
/// @param dictionaryCodeBytes columns to write dictionary-encoded, by name, and the width of their codes: 1 byte for at
///     most 127 distinct values in the file, 2 for 32767, 4 for more
/// @param nested columns of text to write as lists and structs, by name; each value must be of the type
/// @param halves columns of Float32 to write as half floats, by name; each value must be one
/// @param largeOffsets whether texts and bytes get offsets of 8 bytes
/// @param statistics the columns whose bounds and distinct values are counted, by name; empty for all
/// @param metadata custom metadata of the footer
/// @param durable whether `finish` waits until the file is on disk
/// @param direct whether a large file goes past the system's cache, where file system and disk let it: it is cheaper to
///     write, and read from the disk at first
public record WriteOptions(
        Codec codec,
        int zstdLevel,
        Map<String, Integer> dictionaryCodeBytes,
        Map<String, NestedType> nested,
        Set<String> halves,
        boolean largeOffsets,
        Optional<Set<String>> statistics,
        Map<String, String> metadata,
        boolean durable,
        boolean direct) {
    public static final WriteOptions PLAIN = new WriteOptions(
            Codec.PLAIN, 0, Map.of(), Map.of(), Set.of(), false, Optional.empty(), Map.of(), true, false);

    public WriteOptions {
        if (zstdLevel < 0 || zstdLevel > 19 || zstdLevel > 0 != (codec == Codec.ZSTD)) {
            throw new IllegalArgumentException("ZSTD level " + zstdLevel);
        }
        for (int codeBytes : dictionaryCodeBytes.values()) {
            if (codeBytes != 1 && codeBytes != 2 && codeBytes != 4) {
                throw new IllegalArgumentException("dictionary codes of " + codeBytes + " bytes");
            }
        }
        dictionaryCodeBytes = Map.copyOf(dictionaryCodeBytes);
        nested = Map.copyOf(nested);
        halves = Set.copyOf(halves);
        statistics = statistics.map(Set::copyOf);
        metadata = Map.copyOf(metadata);
    }

    /// @param level 1 to 19; 0 for plain buffers
    public WriteOptions withZstd(int level) {
        return new WriteOptions(
                level > 0 ? Codec.ZSTD : Codec.PLAIN,
                level,
                dictionaryCodeBytes,
                nested,
                halves,
                largeOffsets,
                statistics,
                metadata,
                durable,
                direct);
    }

    public WriteOptions withLz4() {
        return new WriteOptions(
                Codec.LZ4_FRAME,
                0,
                dictionaryCodeBytes,
                nested,
                halves,
                largeOffsets,
                statistics,
                metadata,
                durable,
                direct);
    }

    /// @param codeBytes 1, 2 or 4; a column with more distinct values than fit fails to be written
    public WriteOptions withDictionary(String column, int codeBytes) {
        return new WriteOptions(
                codec,
                zstdLevel,
                with(dictionaryCodeBytes, column, codeBytes),
                nested,
                halves,
                largeOffsets,
                statistics,
                metadata,
                durable,
                direct);
    }

    public WriteOptions withNested(String column, NestedType type) {
        return new WriteOptions(
                codec,
                zstdLevel,
                dictionaryCodeBytes,
                with(nested, column, type),
                halves,
                largeOffsets,
                statistics,
                metadata,
                durable,
                direct);
    }

    public WriteOptions withHalf(String column) {
        Set<String> more = new TreeSet<>(halves);
        more.add(column);
        return new WriteOptions(
                codec,
                zstdLevel,
                dictionaryCodeBytes,
                nested,
                more,
                largeOffsets,
                statistics,
                metadata,
                durable,
                direct);
    }

    public WriteOptions withLargeOffsets(boolean large) {
        return new WriteOptions(
                codec, zstdLevel, dictionaryCodeBytes, nested, halves, large, statistics, metadata, durable, direct);
    }

    /// @param columns whose values statistics are made of; of others, NULLs alone are counted
    public WriteOptions withStatistics(Set<String> columns) {
        return new WriteOptions(
                codec,
                zstdLevel,
                dictionaryCodeBytes,
                nested,
                halves,
                largeOffsets,
                Optional.of(columns),
                metadata,
                durable,
                direct);
    }

    public WriteOptions withMetadata(String key, String value) {
        return new WriteOptions(
                codec,
                zstdLevel,
                dictionaryCodeBytes,
                nested,
                halves,
                largeOffsets,
                statistics,
                with(metadata, key, value),
                durable,
                direct);
    }

    public WriteOptions withDurable(boolean newDurable) {
        return new WriteOptions(
                codec,
                zstdLevel,
                dictionaryCodeBytes,
                nested,
                halves,
                largeOffsets,
                statistics,
                metadata,
                newDurable,
                direct);
    }

    public WriteOptions withDirect(boolean newDirect) {
        return new WriteOptions(
                codec,
                zstdLevel,
                dictionaryCodeBytes,
                nested,
                halves,
                largeOffsets,
                statistics,
                metadata,
                durable,
                newDirect);
    }

    private static <V> Map<String, V> with(Map<String, V> map, String key, V value) {
        Map<String, V> more = new HashMap<>(map);
        more.put(key, value);
        return more;
    }
}
