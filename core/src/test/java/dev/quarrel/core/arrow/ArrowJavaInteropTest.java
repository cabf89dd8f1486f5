package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Files of arrow-java read by us, and ours by arrow-java.
class ArrowJavaInteropTest {
    private static final int ROWS = 1000;

    @TempDir
    private Path folder;

    /// Every fifth row is NULL; the others hold a number made of the row.
    private static boolean isNull(int row) {
        return row % 5 == 3;
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionUtil.CodecType.class,
            names = {"NO_COMPRESSION", "LZ4_FRAME", "ZSTD"})
    void readsFilesOfArrowJava(CompressionUtil.CodecType codec) throws IOException {
        Path path = folder.resolve("java.arrow");
        try (BufferAllocator allocator = new RootAllocator()) {
            List<FieldVector> vectors = vectors(allocator);
            try (VectorSchemaRoot root = new VectorSchemaRoot(vectors)) {
                for (FieldVector vector : vectors) {
                    vector.allocateNew();
                    fill(vector);
                    vector.setValueCount(ROWS);
                }
                root.setRowCount(ROWS);
                write(path, root, null, codec);
            }
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "java", List.of(file))) {
            assertThat(file.batchCodec(0))
                    .isEqualTo(
                            switch (codec) {
                                case LZ4_FRAME -> "lz4_frame";
                                case ZSTD -> "zstd";
                                default -> "plain";
                            });
            int[] readable = IntStream.range(0, file.schema().size() - 1).toArray();
            try (Batch batch = table.read(0, readable)) {
                List<List<Object>> rows = RandomBatch.rows(batch);
                assertThat(rows).hasSize(ROWS);
                for (int row = 0; row < ROWS; row++) {
                    assertThat(rows.get(row)).as("row %d", row).isEqualTo(expected(row, batch));
                }
            }
            // A struct without members, and without values.
            try (Batch batch = table.read(0, new int[] {readable.length})) {
                assertThat(RandomBatch.rows(batch)).containsOnly(Collections.singletonList(null));
            }
        }
    }

    private static List<FieldVector> vectors(BufferAllocator allocator) {
        return new ArrayList<>(List.of(
                new BitVector("bool", allocator),
                new TinyIntVector("int8", allocator),
                new UInt1Vector("uint8", allocator),
                new SmallIntVector("int16", allocator),
                new UInt2Vector("uint16", allocator),
                new IntVector("int32", allocator),
                new UInt4Vector("uint32", allocator),
                new UInt8Vector("uint64", allocator),
                new Float2Vector("float16", allocator),
                new Float4Vector("float32", allocator),
                new Float8Vector("float64", allocator),
                new DecimalVector("decimal", allocator, 20, 3),
                new DateDayVector("day", allocator),
                new DateMilliVector("date64", allocator),
                new TimeStampSecVector("seconds", allocator),
                new TimeStampMilliVector("millis", allocator),
                new TimeStampMicroTZVector("micros", allocator, "UTC"),
                new TimeStampNanoVector("nanos", allocator),
                new VarCharVector("utf8", allocator),
                new LargeVarCharVector("large", allocator),
                new ViewVarCharVector("view", allocator),
                new NullVector("null", ROWS),
                new VarBinaryVector("bytes", allocator),
                new LargeVarBinaryVector("large_bytes", allocator),
                new ViewVarBinaryVector("viewed_bytes", allocator),
                new FixedSizeBinaryVector("five_bytes", allocator, 5),
                new FixedSizeBinaryVector("sixteen_bytes", allocator, 16),
                new FixedSizeBinaryVector("uuid", uuidType(), allocator),
                StructVector.empty("struct", allocator)));
    }

    private static FieldType uuidType() {
        return new FieldType(
                true,
                new ArrowType.FixedSizeBinary(16),
                null,
                Map.of("ARROW:extension:name", "arrow.uuid", "ARROW:extension:metadata", ""));
    }

    private static void fill(FieldVector vector) {
        for (int row = 0; row < ROWS; row++) {
            if (isNull(row)) {
                continue;
            }
            byte[] text = text(row).getBytes(StandardCharsets.UTF_8);
            switch (vector) {
                case BitVector v -> v.setSafe(row, row % 2);
                case TinyIntVector v -> v.setSafe(row, (byte) row);
                case UInt1Vector v -> v.setSafe(row, (byte) row);
                case SmallIntVector v -> v.setSafe(row, (short) (row * 77));
                case UInt2Vector v -> v.setSafe(row, (char) (row * 77));
                case IntVector v -> v.setSafe(row, row * 7_777_777);
                case UInt4Vector v -> v.setSafe(row, row * 7_777_777);
                case UInt8Vector v -> v.setSafe(row, -row);
                case Float2Vector v -> v.setSafe(row, Float.floatToFloat16(row / 2f));
                case Float4Vector v -> v.setSafe(row, row / 4f);
                case Float8Vector v -> v.setSafe(row, row / 8.0);
                case DecimalVector v -> v.setSafe(row, decimal(row));
                case DateDayVector v -> v.setSafe(row, row - 500);
                case DateMilliVector v -> v.setSafe(row, (row - 500) * 86_400_000L);
                case TimeStampSecVector v -> v.setSafe(row, row - 500L);
                case TimeStampMilliVector v -> v.setSafe(row, row - 500L);
                case TimeStampMicroTZVector v -> v.setSafe(row, row - 500L);
                case TimeStampNanoVector v -> v.setSafe(row, row - 500L);
                case VarCharVector v -> v.setSafe(row, text);
                case LargeVarCharVector v -> v.setSafe(row, text);
                case ViewVarCharVector v -> v.setSafe(row, text);
                case VarBinaryVector v -> v.setSafe(row, bytes(row));
                case LargeVarBinaryVector v -> v.setSafe(row, bytes(row));
                case ViewVarBinaryVector v -> v.setSafe(row, bytes(row));
                case FixedSizeBinaryVector v -> v.setSafe(row, Arrays.copyOf(bytes(row), v.getByteWidth()));
                case StructVector _ -> {}
                case NullVector _ -> {}
                default -> throw new IllegalArgumentException(vector.toString());
            }
        }
    }

    private static String text(int row) {
        return row % 3 == 0 ? "" : row % 3 == 1 ? "é" + row : "a text longer than twelve bytes " + row;
    }

    /// No UTF-8.
    private static byte[] bytes(int row) {
        byte[] bytes = new byte[row % 20];
        Arrays.fill(bytes, (byte) (row | 0x80));
        return bytes;
    }

    private static BigDecimal decimal(int row) {
        return new BigDecimal("-98765432109876.543")
                .add(BigDecimal.valueOf(row))
                .setScale(3);
    }

    private static List<Object> expected(int row, Batch batch) {
        if (isNull(row)) {
            return Arrays.asList(new Object[batch.columns().size()]);
        }
        BigDecimal unsigned =
                row == 0 ? BigDecimal.ZERO : BigDecimal.TWO.pow(64).subtract(BigDecimal.valueOf(row));
        return Arrays.asList(
                row % 2 == 1,
                (long) (byte) row,
                (long) (row & 0xFF),
                (long) (short) (row * 77),
                (long) (row * 77 & 0xFFFF),
                (long) (row * 7_777_777),
                row * 7_777_777 & 0xFFFF_FFFFL,
                unsigned,
                row / 2f,
                row / 4f,
                row / 8.0,
                decimal(row),
                (long) row - 500,
                (long) row - 500,
                (row - 500L) * 1_000_000,
                (row - 500L) * 1_000,
                row - 500L,
                Math.floorDiv(row - 500L, 1000L),
                text(row),
                text(row),
                text(row),
                null,
                Bytes.of(bytes(row)),
                Bytes.of(bytes(row)),
                Bytes.of(bytes(row)),
                Bytes.of(Arrays.copyOf(bytes(row), 5)),
                Bytes.of(Arrays.copyOf(bytes(row), 16)),
                new UUID(
                        ByteBuffer.wrap(Arrays.copyOf(bytes(row), 16)).getLong(0),
                        ByteBuffer.wrap(Arrays.copyOf(bytes(row), 16)).getLong(8)));
    }

    private static void write(
            Path path, VectorSchemaRoot root, DictionaryProvider dictionaries, CompressionUtil.CodecType codec)
            throws IOException {
        CompressionCodec.Factory factory = codec == CompressionUtil.CodecType.NO_COMPRESSION
                ? NoCompressionCodec.Factory.INSTANCE
                : CommonsCompressionFactory.INSTANCE;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                ArrowFileWriter writer =
                        new ArrowFileWriter(root, dictionaries, channel, Map.of(), IpcOption.DEFAULT, factory, codec)) {
            writer.start();
            writer.writeBatch();
            writer.end();
        }
    }

    @Test
    void mergesDictionariesOfSeveralFilesAndReadsMixedOnesOfManyPlainRowsAsText() throws IOException {
        ArrowType.Int bytes = new ArrowType.Int(8, true);
        ArrowType.Int shorts = new ArrowType.Int(16, true);
        writeCoded("a.arrow", bytes, List.of("x", "y", "z"), "z", null, "x");
        writeCoded("b.arrow", shorts, List.of("w", "z", "z"), "w", "z", "z");
        writeCoded("c.arrow", null, List.of(), "x", "q", "x", "x", "x", "x", "x");
        try (ArrowFile a = ArrowFile.open(folder.resolve("a.arrow"));
                ArrowFile b = ArrowFile.open(folder.resolve("b.arrow"));
                ArrowFile c = ArrowFile.open(folder.resolve("c.arrow"))) {
            try (ArrowTable table = ArrowTable.of("public", "t", List.of(a, b))) {
                assertThat(RandomBatch.rows(table).stream().map(List::getFirst))
                        .containsExactly("z", null, "x", "w", "z", "z");
                assertThat(table.dictionary(0).size()).isEqualTo(4);
                int[] tableCodes = {-1, -1};
                for (int batch = 0; batch < 2; batch++) {
                    try (Batch read = table.read(batch, new int[] {0})) {
                        DictionaryColumn column = (DictionaryColumn) read.column(0);
                        assertThat(column.dictionary().table()).isSameAs(table.dictionary(0));
                        int row = batch == 0 ? 0 : 2; // both hold z
                        tableCodes[batch] = column.dictionary().tableCodes()[column.code(row)];
                    }
                }
                assertThat(tableCodes[0]).isEqualTo(tableCodes[1]);
            }
            try (ArrowTable table = ArrowTable.of("public", "t", List.of(b))) {
                assertThat(table.dictionary(0).size())
                        .as("an entry was there twice")
                        .isEqualTo(2);
                assertThat(RandomBatch.rows(table).stream().map(List::getFirst)).containsExactly("w", "z", "z");
            }
            try (ArrowTable table = ArrowTable.of("public", "t", List.of(a, c, b))) {
                assertThat(table.dictionary(0)).isNull();
                assertThat(RandomBatch.rows(table).stream().map(List::getFirst))
                        .containsExactly("z", null, "x", "x", "q", "x", "x", "x", "x", "x", "w", "z", "z");
                try (Batch read = table.read(0, new int[] {0})) {
                    assertThat(read.column(0)).isInstanceOf(dev.quarrel.core.column.Utf8Column.class);
                }
            }
        }
    }

    /// @param index null for plain text
    private void writeCoded(String fileName, ArrowType.Int index, List<String> entries, String... values)
            throws IOException {
        try (BufferAllocator allocator = new RootAllocator();
                VarCharVector dictionaryVector = new VarCharVector("entries", allocator);
                VarCharVector texts = new VarCharVector("v", allocator)) {
            set(texts, Arrays.asList(values));
            if (index == null) {
                write(
                        folder.resolve(fileName),
                        new VectorSchemaRoot(List.of(texts)),
                        null,
                        CompressionUtil.CodecType.NO_COMPRESSION);
                return;
            }
            set(dictionaryVector, entries);
            Dictionary dictionary = new Dictionary(dictionaryVector, new DictionaryEncoding(7, false, index));
            try (FieldVector encoded = (FieldVector) DictionaryEncoder.encode(texts, dictionary);
                    VectorSchemaRoot root = new VectorSchemaRoot(List.of(encoded))) {
                root.setRowCount(values.length);
                write(
                        folder.resolve(fileName),
                        root,
                        new DictionaryProvider.MapDictionaryProvider(dictionary),
                        CompressionUtil.CodecType.NO_COMPRESSION);
            }
        }
    }

    private static void set(VarCharVector vector, List<String> values) {
        vector.allocateNew();
        for (int row = 0; row < values.size(); row++) {
            if (values.get(row) != null) {
                vector.setSafe(row, values.get(row).getBytes(StandardCharsets.UTF_8));
            }
        }
        vector.setValueCount(values.size());
    }

    @Test
    void arrowJavaReadsOurFiles() throws IOException {
        Random random = new Random(7);
        for (WriteOptions options :
                List.of(WriteOptions.PLAIN, WriteOptions.PLAIN.withZstd(1).withDictionary("few", 2))) {
            Path path = folder.resolve("ours.arrow");
            try (Arena arena = Arena.ofConfined()) {
                List<Batch> batches = List.of(
                        RandomBatch.of(RandomBatch.EVERY_TYPE, 65, 0.3, random, arena),
                        RandomBatch.of(RandomBatch.EVERY_TYPE, 0, 0.3, random, arena),
                        RandomBatch.of(RandomBatch.EVERY_TYPE, 1000, 0, random, arena));
                try (dev.quarrel.core.arrow.ArrowFileWriter writer =
                        dev.quarrel.core.arrow.ArrowFileWriter.create(path, RandomBatch.EVERY_TYPE, options)) {
                    batches.forEach(writer::append);
                    writer.finish();
                }
                try (BufferAllocator allocator = new RootAllocator();
                        FileChannel channel = FileChannel.open(path);
                        ArrowFileReader reader =
                                new ArrowFileReader(channel, allocator, CommonsCompressionFactory.INSTANCE)) {
                    VectorSchemaRoot root = reader.getVectorSchemaRoot();
                    assertThat(root.getSchema().findField("s").getMetadata())
                            .isEqualTo(Map.of("pg.type", "character varying(40)", "pg.oid", "1043"));
                    assertThat(root.getSchema().findField("tz").getType())
                            .isEqualTo(new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"));
                    for (Batch batch : batches) {
                        assertThat(reader.loadNextBatch()).isTrue();
                        compare(batch, root, reader);
                    }
                    assertThat(reader.loadNextBatch()).isFalse();
                }
            }
            java.nio.file.Files.delete(path);
        }
    }

    private static void compare(Batch batch, VectorSchemaRoot root, ArrowFileReader reader) throws IOException {
        assertThat(root.getRowCount()).isEqualTo(batch.rowCount());
        for (int column = 0; column < batch.columns().size(); column++) {
            FieldVector vector = root.getVector(column);
            boolean coded = vector.getField().getDictionary() != null;
            try (FieldVector plain = coded
                    ? (FieldVector) DictionaryEncoder.decode(
                            vector,
                            reader.getDictionaryVectors()
                                    .get(vector.getField().getDictionary().getId()))
                    : null) {
                FieldVector read = coded ? plain : vector;
                for (int row = 0; row < batch.rowCount(); row++) {
                    Object expected = RandomBatch.value(batch.column(column), row);
                    assertThat(canonical(read, row, batch.schema().type(column)))
                            .as("%s row %d", batch.schema().field(column), row)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static Object canonical(FieldVector vector, int row, DataType type) {
        if (vector.isNull(row)) {
            return null;
        }
        return switch (vector) {
            case BitVector v -> v.get(row) == 1;
            case SmallIntVector v -> (long) v.get(row);
            case IntVector v -> (long) v.get(row);
            case DateDayVector v -> (long) v.get(row);
            case Float4Vector v -> v.get(row);
            case Float8Vector v -> v.get(row);
            case DecimalVector v -> v.getObject(row);
            case VarCharVector v -> new String(v.get(row), StandardCharsets.UTF_8);
            case VarBinaryVector v -> Bytes.of(v.get(row));
            case FixedSizeBinaryVector v -> {
                assertThat(v.getField().getMetadata()).containsEntry("ARROW:extension:name", "arrow.uuid");
                ByteBuffer bytes = ByteBuffer.wrap(v.get(row));
                yield new UUID(bytes.getLong(), bytes.getLong());
            }
            case org.apache.arrow.vector.BigIntVector v -> v.get(row);
            case org.apache.arrow.vector.TimeStampVector v -> v.get(row);
            case org.apache.arrow.vector.TimeMicroVector v -> v.get(row);
            case org.apache.arrow.vector.IntervalMonthDayNanoVector v -> {
                var value = v.getObject(row);
                long months = value.getPeriod().toTotalMonths();
                long nanos = org.apache.arrow.vector.IntervalMonthDayNanoVector.getNanoseconds(v.getDataBuffer(), row);
                yield nanos == Long.MIN_VALUE
                        ? Interval.MINUS_INFINITY
                        : new Interval((int) months, value.getPeriod().getDays(), nanos / 1_000);
            }
            default -> throw new IllegalArgumentException(vector + " for " + type);
        };
    }

    @Test
    void aDictionaryWithANullEntryGivesNullRows() throws IOException {
        Path path = folder.resolve("null.arrow");
        try (BufferAllocator allocator = new RootAllocator();
                VarCharVector entries = new VarCharVector("entries", allocator)) {
            set(entries, Arrays.asList("a", null, "c"));
            Dictionary dictionary =
                    new Dictionary(entries, new DictionaryEncoding(1, false, new ArrowType.Int(8, true)));
            FieldType type = new FieldType(true, new ArrowType.Int(8, true), dictionary.getEncoding());
            try (TinyIntVector codes = new TinyIntVector("v", type, allocator);
                    VectorSchemaRoot root = new VectorSchemaRoot(List.of(codes))) {
                codes.allocateNew();
                for (int row = 0; row < 4; row++) {
                    codes.setSafe(row, row % 3);
                }
                codes.setValueCount(4);
                root.setRowCount(4);
                write(
                        path,
                        root,
                        new DictionaryProvider.MapDictionaryProvider(dictionary),
                        CompressionUtil.CodecType.NO_COMPRESSION);
            }
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
            assertThat(RandomBatch.rows(table).stream().map(List::getFirst)).containsExactly("a", null, "c", "a");
        }
    }

    @Test
    void aCodeOutsideTheDictionaryIsCorruption() throws IOException {
        Path path = folder.resolve("code.arrow");
        writeCoded("code.arrow", new ArrowType.Int(8, true), List.of("x", "y"), "x", "y", "x");
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            // The codes are the only place with the bytes 0, 1, 0 at an aligned offset and zeros behind.
            ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
            channel.read(bytes, 0);
            int found = -1;
            for (int offset = 0; offset + 8 <= bytes.capacity(); offset += 8) {
                if (bytes.getLong(offset) == 0x0001_0000_0000_0000L) {
                    found = offset;
                }
            }
            assertThat(found).isPositive();
            channel.write(ByteBuffer.wrap(new byte[] {99}), found);
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
            assertThatThrownBy(() -> table.read(0, new int[] {0}))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.DATA_CORRUPTED))
                    .hasMessageContaining("row 0 has code 99 into a dictionary of 2 entries")
                    .hasMessageContaining(path.toString());
        }
    }
}
