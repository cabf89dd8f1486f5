package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import com.github.luben.zstd.Zstd;
import dev.quarrel.core.arrow.stats.BatchSummary;
import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.ColumnSummary;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StromStats;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// Writes batches to an Arrow IPC file, under a temporary name until it is whole.
///
/// Several workers may append at once: each encodes, compresses and writes its own batch, and they take turns at
/// writing. Dictionaries grow with the file and are written at its end. Statistics are gathered on the
/// way and stand in the footer under `quarrel.stats`.
///
/// - Shape: every buffer starts at a multiple of 64 bytes of the file.
/// - Memory: batches are only read; a batch is kept no longer than `append` runs.
/// - Errors: `QueryException` 58030 or 53100 when the disk fails, naming the file. After an error the writer can
///   only be closed.
/// - Source: Arrow columnar format, section "IPC File Format".
public final class ArrowFileWriter implements AutoCloseable {
    /// Ends the names of files that are being written; no reader opens them.
    public static final String TEMPORARY_SUFFIX = ".tmp";

    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final int ALIGNMENT = 64;
    private static final MemorySegment PADDING = MemorySegment.ofArray(new byte[ALIGNMENT]);
    private static final int CONTINUATION = -1;
    private static final int PREFIX_BYTES = 8;

    private final boolean isNameKept;
    private final Path target;
    private final Path temporary;
    private final Schema schema;
    private final WriteOptions options;
    private final MetadataWriter metadata;
    private final Map<Integer, GrowingDictionary> dictionaries = new HashMap<>();
    private final Map<Integer, NestedType> nested = new HashMap<>();
    private final Set<Integer> halves = new HashSet<>();
    private final FileAppender file; // guarded by itself
    private final AtomicLong nextSequence = new AtomicLong();
    private final List<Appended> appended = new ArrayList<>(); // guarded by itself
    private boolean finished;

    private record Appended(long sequence, Footer.Block block, BatchSummary summary) {}

    private ArrowFileWriter(Path target, Schema schema, WriteOptions options, OpenFiles files, boolean isNameKept)
            throws IOException {
        this.isNameKept = isNameKept;
        this.target = target;
        this.temporary = target.resolveSibling(target.getFileName() + TEMPORARY_SUFFIX);
        this.schema = schema;
        this.options = options;
        Map<Integer, Integer> codeBytes = new HashMap<>();
        options.dictionaryCodeBytes().forEach((name, bytes) -> {
            int column = schema.indexOf(name);
            if (column < 0 || !schema.type(column).equals(DataType.UTF8)) {
                throw new IllegalArgumentException("no text column is named " + name + " in " + schema);
            }
            codeBytes.put(column, bytes);
            dictionaries.put(column, new GrowingDictionary(name, bytes));
        });
        options.nested().forEach((name, type) -> {
            int column = schema.indexOf(name);
            if (column < 0 || !schema.type(column).equals(DataType.UTF8) || codeBytes.containsKey(column)) {
                throw new IllegalArgumentException("no column of lists or structs is named " + name + " in " + schema);
            }
            nested.put(column, type);
        });
        options.halves().forEach(name -> {
            int column = schema.indexOf(name);
            if (column < 0 || !schema.type(column).equals(DataType.FLOAT32)) {
                throw new IllegalArgumentException("no real column is named " + name + " in " + schema);
            }
            halves.add(column);
        });
        this.metadata = new MetadataWriter(schema, codeBytes, nested, halves, options.largeOffsets());
        byte[] schemaMessage = metadata.schemaMessage();
        this.file = new FileAppender(temporary, options, files);
        try {
            file.begin(schemaMessage.length);
            file.append(Arrays.copyOf(MAGIC, 8)); // padded
            writeMessage(schemaMessage, 0);
            file.end();
        } catch (IOException | RuntimeException e) {
            try (file) {
                Files.deleteIfExists(temporary);
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /// Starts the file `target`, which appears when it is finished; its folder is made if it is missing.
    ///
    /// - Errors: `QueryException` 53100 without room, else 58030, also for a device.
    public static ArrowFileWriter create(Path target, Schema schema, WriteOptions options) {
        return create(target, schema, options, new OpenFiles(1));
    }

    /// The same for one of many files.
    static ArrowFileWriter create(Path target, Schema schema, WriteOptions options, OpenFiles files) {
        return create(target, schema, options, files, true);
    }

    /// @param isNameKept whether its name is to outlive a power cut where its bytes do; not where it moves on
    public static ArrowFileWriter create(
            Path target, Schema schema, WriteOptions options, OpenFiles files, boolean isNameKept) {
        try {
            if (Durable.isDevice(target)) {
                throw new IOException("it is a device, which a file that is finished would replace");
            }
            Path folder = target.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            return new ArrowFileWriter(target, schema, options, files, isNameKept);
        } catch (IOException e) {
            throw Durable.failed(target, e);
        }
    }

    public Path target() {
        return target;
    }

    public Schema schema() {
        return schema;
    }

    /// Bytes written so far.
    public long byteSize() {
        synchronized (file) {
            return file.position();
        }
    }

    /// Appends a batch in order of arrival. Any thread.
    ///
    /// - Memory: `batch` stays the caller's.
    public void append(Batch batch) {
        append(nextSequence.getAndIncrement(), batch);
    }

    /// Appends a batch at a place of its own: the file's batches are read in ascending `sequence`, whoever came first.
    /// Any thread.
    ///
    /// - Memory: `batch` stays the caller's.
    public void append(long sequence, Batch batch) {
        checkTypes(batch);
        List<ColumnSummary> summaries = new ArrayList<>(schema.size());
        List<MetadataWriter.Node> nodes = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            Allocator memory = Allocator.of(arena);
            List<MemorySegment> buffers = new ArrayList<>();
            for (int column = 0; column < schema.size(); column++) {
                ColumnSummary summary = addBuffers(column, batch.column(column), nodes, buffers, memory);
                summaries.add(summary);
                if (summary.stats().nullCount() > 0 && !schema.field(column).nullable()) {
                    throw new IllegalArgumentException("NULL in " + schema.field(column));
                }
            }
            Footer.Block block =
                    writeBody(batch.rowCount(), nodes, buffers, memory, -1, StromStats.ofBatch(schema, summaries));
            synchronized (appended) {
                appended.add(new Appended(sequence, block, new BatchSummary(batch.rowCount(), summaries)));
            }
        } catch (IOException e) {
            throw Durable.failed(temporary, e);
        }
    }

    private void checkTypes(Batch batch) {
        List<DataType> given = batch.schema().fields().stream().map(Field::type).toList();
        List<DataType> wanted = schema.fields().stream().map(Field::type).toList();
        if (!given.equals(wanted)) {
            throw new IllegalArgumentException("a batch of " + batch.schema() + " for a file of " + schema);
        }
    }

    /// Adds the buffers of one column in Arrow's order: validity, then offsets or values, then text.
    private ColumnSummary addBuffers(
            int index, Column column, List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
        long rowCount = column.rowCount();
        long nullCount = ColumnSummarizer.nullCount(column.validity(), column.rowCount());
        if (nested.containsKey(index)) {
            NestedWriter.write(column, nested.get(index), nodes, buffers, memory);
            return unsummarized(nullCount);
        }
        nodes.add(new MetadataWriter.Node(rowCount, nullCount));
        buffers.add(validity(column.validity(), column.rowCount(), nullCount, memory));
        GrowingDictionary dictionary = dictionaries.get(index);
        if (dictionary != null) {
            GrowingDictionary.Encoded encoded =
                    switch (column) {
                        case Utf8Column text -> dictionary.encode(text, nullCount, memory);
                        case DictionaryColumn coded -> dictionary.encode(coded, nullCount, memory);
                        case FixedColumn _, BoolColumn _ -> throw new IllegalArgumentException(column.toString());
                    };
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

    /// @param dictionaryId of a dictionary batch, or -1 for a record batch
    private Footer.Block writeBody(
            long rowCount,
            List<MetadataWriter.Node> nodes,
            List<MemorySegment> buffers,
            Allocator memory,
            long dictionaryId,
            Map<String, String> batchMetadata)
            throws IOException {
        if (options.zstdLevel() > 0) {
            buffers.replaceAll(buffer -> compressed(buffer, memory));
        }
        long[] offsets = new long[buffers.size()];
        long[] lengths = new long[buffers.size()];
        long bodyBytes = 0;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            offsets[buffer] = bodyBytes;
            lengths[buffer] = buffers.get(buffer).byteSize();
            bodyBytes = aligned(bodyBytes + lengths[buffer]);
        }
        Codec codec = options.zstdLevel() > 0 ? Codec.ZSTD : Codec.PLAIN;
        MetadataWriter.Body body = new MetadataWriter.Body(rowCount, nodes, offsets, lengths, bodyBytes, codec);
        byte[] message = dictionaryId < 0
                ? MetadataWriter.batchMessage(body, batchMetadata)
                : MetadataWriter.dictionaryMessage(dictionaryId, body);
        synchronized (file) {
            file.begin(message.length + bodyBytes);
            try {
                Footer.Block block = writeMessage(message, bodyBytes);
                for (MemorySegment buffer : buffers) {
                    file.append(buffer);
                    file.append(PADDING.asSlice(0, aligned(buffer.byteSize()) - buffer.byteSize()));
                }
                return block;
            } finally {
                file.end();
            }
        }
    }

    private MemorySegment compressed(MemorySegment buffer, Allocator memory) {
        long length = buffer.byteSize();
        if (length == 0) {
            return buffer;
        }
        long bound = Zstd.compressBound(length);
        MemorySegment target = memory.allocate(8 + bound);
        MemorySegment source = buffer;
        // The library reads by address: a mapped file that is cut short meanwhile would end the JVM.
        if (!source.isNative() || source.isMapped()) {
            source = memory.allocate(length);
            MemorySegment.copy(buffer, 0, source, 0, length);
        }
        long result =
                Zstd.compressUnsafe(target.address() + 8, bound, source.address(), length, options.zstdLevel(), false);
        if (Zstd.isError(result)) {
            throw new IllegalStateException("ZSTD: " + Zstd.getErrorName(result));
        }
        if (result < length) {
            target.set(INT64, 0, length);
            return target.asSlice(0, 8 + result);
        }
        MemorySegment stored = memory.allocate(8 + length);
        stored.set(INT64, 0, -1);
        MemorySegment.copy(buffer, 0, stored, 8, length);
        return stored;
    }

    /// Appends an encapsulated message, padded so that its body is aligned.
    private Footer.Block writeMessage(byte[] message, long bodyBytes) throws IOException {
        long offset = file.position();
        int metadataBytes = Math.toIntExact(aligned(offset + PREFIX_BYTES + message.length) - offset);
        ByteBuffer bytes = ByteBuffer.allocate(metadataBytes).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(CONTINUATION).putInt(metadataBytes - PREFIX_BYTES).put(message);
        file.append(bytes.array());
        return new Footer.Block(offset, metadataBytes, bodyBytes);
    }

    private static long aligned(long offset) {
        return (offset + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /// Writes dictionaries and footer and gives the file its name. Every `append` must have returned.
    ///
    /// - Errors: as `append`; the file does not appear then.
    public WrittenFile finish() {
        if (finished) {
            throw new IllegalStateException("finished before: " + target);
        }
        List<Appended> ordered;
        synchronized (appended) {
            ordered = new ArrayList<>(appended);
        }
        ordered.sort(Comparator.comparingLong(Appended::sequence));
        List<BatchSummary> batches = ordered.stream().map(Appended::summary).toList();
        long rowCount = batches.stream().mapToLong(BatchSummary::rowCount).sum();
        FileStats stats = FileStats.of(schema, batches);
        try {
            List<Footer.Block> dictionaryBlocks = new ArrayList<>();
            for (Map.Entry<Integer, GrowingDictionary> entry : dictionaries.entrySet()) {
                dictionaryBlocks.add(writeDictionary(entry.getKey(), entry.getValue()));
            }
            Map<String, String> fileMetadata = new HashMap<>(options.metadata());
            fileMetadata.put(FooterStats.KEY, FooterStats.text(stats, schema));
            byte[] footer = metadata.footer(
                    dictionaryBlocks, ordered.stream().map(Appended::block).toList(), fileMetadata, stats);
            ByteBuffer tail = ByteBuffer.allocate(PREFIX_BYTES + footer.length + 4 + MAGIC.length)
                    .order(ByteOrder.LITTLE_ENDIAN);
            tail.putInt(CONTINUATION)
                    .putInt(0)
                    .put(footer)
                    .putInt(footer.length)
                    .put(MAGIC);
            file.begin(tail.capacity());
            file.append(tail.array());
            file.end();
            long byteSize = file.position();
            String sha256 = file.finish();
            file.close();
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            if (options.durable() && isNameKept) {
                Durable.syncFolder(target);
            }
            finished = true;
            return new WrittenFile(target, schema, rowCount, byteSize, sha256, stats);
        } catch (IOException e) {
            throw Durable.failed(temporary, e);
        }
    }

    private Footer.Block writeDictionary(int column, GrowingDictionary dictionary) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Allocator memory = Allocator.of(arena);
            Utf8Column entries = dictionary.entries(memory);
            List<MemorySegment> buffers = new ArrayList<>();
            buffers.add(MemorySegment.NULL);
            addText(entries, buffers, memory);
            return writeBody(
                    entries.rowCount(),
                    List.of(new MetadataWriter.Node(entries.rowCount(), 0)),
                    buffers,
                    memory,
                    column,
                    Map.of());
        }
    }

    /// Removes what was written unless the file is finished.
    @Override
    public void close() {
        if (finished) {
            return;
        }
        try (file) {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            throw Durable.failed(temporary, e);
        }
    }
}
