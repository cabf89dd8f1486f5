package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.ColumnSummary;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// Makes the messages of a schema's batches, for a file or a stream: metadata, and the buffers of the body.
///
/// Any number of threads encode at a time; dictionaries grow with what is encoded.
///
/// - Shape: each buffer of a body starts at a multiple of 64 bytes.
/// - Source: Arrow columnar format, section "Serialization and Interprocess Communication (IPC)".
final class BatchEncoder {
    static final int ALIGNMENT = 64;

    private final Schema schema;
    private final WriteOptions options;
    private final MetadataWriter metadata;
    private final Map<Integer, GrowingDictionary> dictionaries = new HashMap<>();
    private final Map<FieldPath, GrowingDictionary> memberDictionaries = new HashMap<>();
    private final Map<Integer, NestedType> nested = new HashMap<>();
    private final Set<Integer> halves = new HashSet<>();

    /// A message and what follows it.
    ///
    /// @param bodyBytes with the padding between and behind the buffers
    record Message(byte[] metadata, List<MemorySegment> buffers, long bodyBytes) {}

    /// @param summaries one a column
    record Encoded(Message message, List<ColumnSummary> summaries) {}

    /// - Errors: [IllegalArgumentException] for options that do not fit the schema.
    BatchEncoder(Schema schema, WriteOptions options) {
        this.schema = schema;
        this.options = options;
        options.nested().forEach((name, type) -> {
            int column = schema.indexOf(name);
            boolean isCoded = options.dictionaryCodeBytes().containsKey(new FieldPath(name));
            if (column < 0 || !schema.type(column).equals(DataType.UTF8) || isCoded) {
                throw new IllegalArgumentException("no column of lists or structs is named " + name + " in " + schema);
            }
            nested.put(column, type);
        });
        Map<FieldPath, MetadataWriter.Codes> codes = new HashMap<>();
        options.dictionaryCodeBytes().keySet().stream()
                .sorted(Comparator.comparing(FieldPath::toString))
                .forEach(texts -> codes.put(texts, codes(texts)));
        options.halves().forEach(name -> {
            int column = schema.indexOf(name);
            if (column < 0 || !schema.type(column).equals(DataType.FLOAT32)) {
                throw new IllegalArgumentException("no real column is named " + name + " in " + schema);
            }
            halves.add(column);
        });
        this.metadata = new MetadataWriter(schema, codes, nested, halves, options.largeOffsets());
    }

    /// Makes the dictionary of a column or member.
    private MetadataWriter.Codes codes(FieldPath texts) {
        int column = schema.indexOf(texts.column());
        boolean isMember = !texts.fields().isEmpty();
        NestedType type = nested.get(column);
        for (String field : texts.fields()) {
            type = type instanceof NestedType.Composite composite ? composite.member(field) : null;
        }
        boolean isText = isMember
                ? type instanceof NestedType.Leaf(PgType _, DataType held) && held.equals(DataType.UTF8)
                : column >= 0 && schema.type(column).equals(DataType.UTF8);
        if (!isText) {
            throw new IllegalArgumentException("no text column is named " + texts + " in " + schema);
        }
        int codeBytes = options.dictionaryCodeBytes().get(texts);
        GrowingDictionary dictionary = new GrowingDictionary(texts.toString(), codeBytes);
        int id = isMember ? schema.size() + memberDictionaries.size() : column;
        dictionaries.put(id, dictionary);
        if (isMember) {
            memberDictionaries.put(texts, dictionary);
        }
        return new MetadataWriter.Codes(id, codeBytes);
    }

    MetadataWriter metadata() {
        return metadata;
    }

    /// One a dictionary-encoded column, or member of structs, by the dictionary's id: the column's place, and
    /// of members what comes behind those.
    Map<Integer, GrowingDictionary> dictionaries() {
        return dictionaries;
    }

    /// The message of a batch.
    ///
    /// - Memory: buffers are views of the batch, or in `memory`.
    ///
    /// @param metadataOf the batch's custom metadata
    Encoded encode(Batch batch, Allocator memory, Function<List<ColumnSummary>, Map<String, String>> metadataOf) {
        checkTypes(batch);
        List<ColumnSummary> summaries = new ArrayList<>(schema.size());
        List<MetadataWriter.Node> nodes = new ArrayList<>();
        List<MemorySegment> buffers = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            ColumnSummary summary =
                    addBuffers(column, batch.column(column), batch.nested(column), nodes, buffers, memory);
            summaries.add(summary);
            if (summary.stats().nullCount() > 0 && !schema.field(column).nullable()) {
                throw new IllegalArgumentException("NULL in " + schema.field(column));
            }
        }
        Message message = message(batch.rowCount(), nodes, buffers, memory, -1, metadataOf.apply(summaries));
        return new Encoded(message, summaries);
    }

    /// The message of a dictionary, whole.
    Message dictionary(int id, Allocator memory) {
        Utf8Column entries = dictionaries.get(id).entries(memory);
        List<MemorySegment> buffers = new ArrayList<>();
        buffers.add(MemorySegment.NULL);
        addText(entries, buffers, memory);
        List<MetadataWriter.Node> nodes = List.of(new MetadataWriter.Node(entries.rowCount(), 0));
        return message(entries.rowCount(), nodes, buffers, memory, id, Map.of());
    }

    /// @param dictionaryId of a dictionary batch, or -1 for a record batch
    private Message message(
            long rowCount,
            List<MetadataWriter.Node> nodes,
            List<MemorySegment> buffers,
            Allocator memory,
            long dictionaryId,
            Map<String, String> batchMetadata) {
        Codec codec = options.codec();
        if (codec != Codec.PLAIN) {
            buffers.replaceAll(buffer -> codec.compressed(buffer, options.zstdLevel(), memory));
        }
        long[] offsets = new long[buffers.size()];
        long[] lengths = new long[buffers.size()];
        long bodyBytes = 0;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            offsets[buffer] = bodyBytes;
            lengths[buffer] = buffers.get(buffer).byteSize();
            bodyBytes = aligned(bodyBytes + lengths[buffer]);
        }
        MetadataWriter.Body body = new MetadataWriter.Body(rowCount, nodes, offsets, lengths, bodyBytes, codec);
        byte[] message = dictionaryId < 0
                ? MetadataWriter.batchMessage(body, batchMetadata)
                : MetadataWriter.dictionaryMessage(dictionaryId, body);
        return new Message(message, buffers, bodyBytes);
    }

    static long aligned(long offset) {
        return (offset + ALIGNMENT - 1) & -ALIGNMENT;
    }

    private void checkTypes(Batch batch) {
        List<DataType> given = batch.schema().fields().stream().map(Field::type).toList();
        List<DataType> wanted = schema.fields().stream().map(Field::type).toList();
        if (!given.equals(wanted)) {
            throw new IllegalArgumentException("a batch of " + batch.schema() + " for a file of " + schema);
        }
    }

    /// Adds the buffers of one column in Arrow's order: validity, then offsets or values, then text.
    ///
    /// @param given its values taken apart; null for lists and structs that come as text, and for all else
    private ColumnSummary addBuffers(
            int index,
            Column column,
            NestedColumn given,
            List<MetadataWriter.Node> nodes,
            List<MemorySegment> buffers,
            Allocator memory) {
        long rowCount = column.rowCount();
        Validity present = given == null ? column.validity() : given.validity();
        long nullCount = ColumnSummarizer.nullCount(present, column.rowCount());
        NestedType nestedType = nested.get(index);
        if (nestedType != null) {
            if (given == null) {
                String name = schema.field(index).name();
                if (memberDictionaries.keySet().stream()
                        .anyMatch(texts -> texts.column().equals(name))) {
                    throw new IllegalArgumentException("texts of structs for codes of the members of " + name);
                }
                NestedWriter.write(column, nestedType, nodes, buffers, memory);
            } else {
                new NestedBuffers(schema.field(index).name(), memberDictionaries, nodes, buffers, memory)
                        .add(given, nestedType);
            }
            return unsummarized(nullCount);
        }
        nodes.add(new MetadataWriter.Node(rowCount, nullCount));
        buffers.add(validity(column.validity(), column.rowCount(), nullCount, memory));
        GrowingDictionary dictionary = dictionaries.get(index);
        if (dictionary != null) {
            GrowingDictionary.Encoded encoded = dictionary.encode(column, nullCount, memory);
            buffers.add(encoded.codes());
            return isSummarized(index) ? encoded.summary() : unsummarized(nullCount);
        }
        switch (column) {
            case FixedColumn fixed
            when fixed.type() instanceof DataType.Interval ->
                buffers.add(IntervalNanos.of(fixed, schema.field(index).name(), memory));
            case FixedColumn fixed
            when fixed.type() instanceof DataType.Numeric -> {
                nodes.add(new MetadataWriter.Node(rowCount, 0));
                nodes.add(new MetadataWriter.Node(rowCount, 0));
                NumericStruct.addMembers(fixed, buffers, memory);
            }
            case FixedColumn fixed when halves.contains(index) -> buffers.add(halves(fixed, memory));
            case FixedColumn fixed ->
                buffers.add(fixed.values().asSlice(0, rowCount * fixed.type().byteWidth()));
            case BoolColumn bools -> buffers.add(bools.bits().asSlice(0, (rowCount + 7) / 8));
            case Utf8Column text -> addText(text, options.largeOffsets(), buffers, memory);
            case DictionaryColumn coded ->
                addText(PlainText.of(coded, memory), options.largeOffsets(), buffers, memory);
        }
        return isSummarized(index) ? ColumnSummarizer.summarize(column) : unsummarized(nullCount);
    }

    private boolean isSummarized(int index) {
        return options.statistics().isEmpty()
                || options.statistics().get().contains(schema.field(index).name());
    }

    private static ColumnSummary unsummarized(long nullCount) {
        return new ColumnSummary(new ColumnStats(nullCount, null, null, -1), false, null, null);
    }

    private static MemorySegment halves(FixedColumn column, Allocator memory) {
        MemorySegment halves = memory.allocate(column.rowCount() * 2L);
        for (int row = 0; row < column.rowCount(); row++) {
            float value = Float.intBitsToFloat(column.values().get(INT32, row * 4L));
            halves.set(INT16, row * 2L, Float.floatToFloat16(value));
        }
        return halves;
    }

    static MemorySegment validity(Validity validity, int rowCount, long nullCount, Allocator memory) {
        if (nullCount == 0) {
            return MemorySegment.NULL;
        }
        MemorySegment bits = validity.bits().asSlice(0, (rowCount + 7L) / 8);
        if ((rowCount & 7) == 0) {
            return bits;
        }
        // The bits past the last row are whatever memory held; equal rows shall give equal files.
        MemorySegment copy = memory.allocate(bits.byteSize());
        MemorySegment.copy(bits, 0, copy, 0, bits.byteSize());
        long last = bits.byteSize() - 1;
        int used = copy.get(ValueLayout.JAVA_BYTE, last) & ((1 << (rowCount & 7)) - 1);
        copy.set(ValueLayout.JAVA_BYTE, last, (byte) used);
        return copy;
    }

    static void addText(Utf8Column column, List<MemorySegment> buffers, Allocator memory) {
        addText(column, false, buffers, memory);
    }

    private static void addText(
            Utf8Column column, boolean largeOffsets, List<MemorySegment> buffers, Allocator memory) {
        int rowCount = column.rowCount();
        int offsetBytes = largeOffsets ? 8 : 4;
        if (rowCount == 0) {
            buffers.add(memory.allocate(offsetBytes));
            buffers.add(MemorySegment.NULL);
            return;
        }
        long start = column.offset(0);
        long textBytes = column.offset(rowCount) - start;
        if (textBytes > Integer.MAX_VALUE && !largeOffsets) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "a batch has more than 2 GiB of text in one column")
                    .withHint("write it with large offsets");
        }
        if (start == 0 && column.largeOffsets() == largeOffsets) {
            buffers.add(column.offsets().asSlice(0, (rowCount + 1L) * offsetBytes));
        } else if (largeOffsets) {
            MemorySegment offsets = memory.allocate((rowCount + 1L) * 8);
            for (int row = 0; row <= rowCount; row++) {
                offsets.set(INT64, row * 8L, column.offset(row) - start);
            }
            buffers.add(offsets);
        } else {
            MemorySegment offsets = memory.allocate((rowCount + 1L) * 4);
            for (int row = 0; row <= rowCount; row++) {
                offsets.set(INT32, row * 4L, (int) (column.offset(row) - start));
            }
            buffers.add(offsets);
        }
        buffers.add(column.data().asSlice(start, textBytes));
    }
}
