package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.FieldPath;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The options of an [ArrowFileWriter] or [ArrowStreamWriter].
///
/// @param codec compresses each buffer; plain ones are read in place and so by far the fastest
/// @param zstdLevel 1 to 19 for ZSTD, else 0
/// @param dictionaryCodeBytes columns to write dictionary-encoded, or members of structs in them, and the width
/// of their codes: 1 byte for at most 127 distinct values in the file, 2 for 32767, 4 for more
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
        Map<FieldPath, Integer> dictionaryCodeBytes,
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
        return changed(draft -> {
            draft.codec = level > 0 ? Codec.ZSTD : Codec.PLAIN;
            draft.zstdLevel = level;
        });
    }

    public WriteOptions withLz4() {
        return changed(draft -> {
            draft.codec = Codec.LZ4_FRAME;
            draft.zstdLevel = 0;
        });
    }

    /// @param codeBytes 1, 2 or 4; a column with more distinct values than fit fails to be written
    public WriteOptions withDictionary(String column, int codeBytes) {
        return withDictionary(new FieldPath(column), codeBytes);
    }

    /// @param texts a column, or a member of the structs of one that comes as a
    ///     [dev.quarrel.core.column.NestedColumn]; of no lists
    public WriteOptions withDictionary(FieldPath texts, int codeBytes) {
        return changed(draft -> draft.dictionaryCodeBytes = with(dictionaryCodeBytes, texts, codeBytes));
    }

    public WriteOptions withNested(String column, NestedType type) {
        return changed(draft -> draft.nested = with(nested, column, type));
    }

    public WriteOptions withHalf(String column) {
        Set<String> more = new TreeSet<>(halves);
        more.add(column);
        return changed(draft -> draft.halves = more);
    }

    public WriteOptions withLargeOffsets(boolean large) {
        return changed(draft -> draft.largeOffsets = large);
    }

    /// @param columns whose values statistics are made of; of others, NULLs alone are counted
    public WriteOptions withStatistics(Set<String> columns) {
        return changed(draft -> draft.statistics = Optional.of(columns));
    }

    public WriteOptions withMetadata(String key, String value) {
        return changed(draft -> draft.metadata = with(metadata, key, value));
    }

    public WriteOptions withDurable(boolean newDurable) {
        return changed(draft -> draft.durable = newDurable);
    }

    public WriteOptions withDirect(boolean newDirect) {
        return changed(draft -> draft.direct = newDirect);
    }

    private static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
        Map<K, V> more = new HashMap<>(map);
        more.put(key, value);
        return more;
    }

    /// The values of options that are not made yet.
    private static final class Draft {
        Codec codec;
        int zstdLevel;
        Map<FieldPath, Integer> dictionaryCodeBytes;
        Map<String, NestedType> nested;
        Set<String> halves;
        boolean largeOffsets;
        Optional<Set<String>> statistics;
        Map<String, String> metadata;
        boolean durable;
        boolean direct;
    }

    private WriteOptions changed(Consumer<Draft> change) {
        Draft draft = new Draft();
        draft.codec = codec;
        draft.zstdLevel = zstdLevel;
        draft.dictionaryCodeBytes = dictionaryCodeBytes;
        draft.nested = nested;
        draft.halves = halves;
        draft.largeOffsets = largeOffsets;
        draft.statistics = statistics;
        draft.metadata = metadata;
        draft.durable = durable;
        draft.direct = direct;
        change.accept(draft);
        return new WriteOptions(
                draft.codec,
                draft.zstdLevel,
                draft.dictionaryCodeBytes,
                draft.nested,
                draft.halves,
                draft.largeOffsets,
                draft.statistics,
                draft.metadata,
                draft.durable,
                draft.direct);
    }
}
