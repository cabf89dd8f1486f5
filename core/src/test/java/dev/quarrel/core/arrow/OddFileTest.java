package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.FileName;
import dev.quarrel.core.arrow.dataset.PartitionFolder;
import dev.quarrel.core.arrow.dataset.StatsCache;
import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.ColumnSummary;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files that no writer should write and some do: an error that names the file, and no harm to others.
class OddFileTest {
    private static final long TEXTS = 0x1122_3344_5566_7701L;
    private static final long NUMBERS = 0x1122_3344_5566_7702L;

    @TempDir
    private Path folder;

    private Path write(String name, Schema schema, List<List<Object>> columns, WriteOptions options) {
        Path path = folder.resolve(name);
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer = ArrowFileWriter.create(path, schema, options.withDurable(false))) {
            List<Column> made = new ArrayList<>();
            for (int column = 0; column < schema.size(); column++) {
                ColumnWriter values =
                        new ColumnWriter(schema.type(column), bytes -> arena.allocate(Math.max(1, bytes), 8));
                columns.get(column).forEach(value -> RandomBatch.append(values, value));
                made.add(values.finish());
            }
            writer.append(Batch.view(schema, made, columns.getFirst().size()));
            writer.finish();
        }
        return path;
    }

    private static byte[] words(long... words) {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(words).forEach(bytes::putLong);
        return bytes.array();
    }

    /// Replaces bytes wherever they stand.
    private static void patch(Path path, byte[] from, byte[] to) throws IOException {
        String text = Files.readString(path, StandardCharsets.ISO_8859_1);
        String old = new String(from, StandardCharsets.ISO_8859_1);
        assertThat(text).contains(old);
        Files.writeString(
                path, text.replace(old, new String(to, StandardCharsets.ISO_8859_1)), StandardCharsets.ISO_8859_1);
    }

    private static void withoutStatistics(Path path) throws IOException {
        patch(
                path,
                FooterStats.KEY.getBytes(StandardCharsets.US_ASCII),
                "somebody.else".getBytes(StandardCharsets.US_ASCII));
    }

    /// A column of texts and one of numbers, both with a dictionary, of one id.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fieldsOfTwoTypesShareADictionary(boolean textFirst) throws IOException {
        Path path = folder.resolve("shared.arrow");
        try (BufferAllocator allocator = new RootAllocator();
                VarCharVector texts = new VarCharVector("entries", allocator);
                BigIntVector numbers = new BigIntVector("numbers", allocator);
                VarCharVector text = new VarCharVector("text", allocator);
                BigIntVector number = new BigIntVector("number", allocator)) {
            for (VarCharVector each : List.of(texts, text)) {
                each.allocateNew();
                each.setSafe(0, "a".getBytes(StandardCharsets.UTF_8));
                each.setValueCount(1);
            }
            for (BigIntVector each : List.of(numbers, number)) {
                each.allocateNew();
                each.setSafe(0, 5);
                each.setValueCount(1);
            }
            ArrowType.Int index = new ArrowType.Int(32, true);
            Dictionary ofTexts = new Dictionary(texts, new DictionaryEncoding(TEXTS, false, index));
            Dictionary ofNumbers = new Dictionary(numbers, new DictionaryEncoding(NUMBERS, false, index));
            try (IntVector one = (IntVector) DictionaryEncoder.encode(text, ofTexts);
                    IntVector other = (IntVector) DictionaryEncoder.encode(number, ofNumbers);
                    VectorSchemaRoot root = new VectorSchemaRoot(
                            textFirst ? List.<FieldVector>of(one, other) : List.<FieldVector>of(other, one));
                    FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    org.apache.arrow.vector.ipc.ArrowFileWriter writer =
                            new org.apache.arrow.vector.ipc.ArrowFileWriter(
                                    root, new DictionaryProvider.MapDictionaryProvider(ofTexts, ofNumbers), channel)) {
                root.setRowCount(1);
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        }
        patch(path, words(NUMBERS), words(TEXTS));
        assertThatThrownBy(() -> ArrowFile.open(path))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.DATA_CORRUPTED))
                .hasMessageContaining(path.toString())
                .hasMessageContaining("dictionary " + TEXTS + " is shared by fields of different types");
    }

    @Test
    void aColumnNameHasANul() {
        Schema schema = Schema.of(new Field("a\0b", DataType.INT32, true));
        Path path = write("nul.arrow", schema, List.of(List.of(1L)), WriteOptions.PLAIN);
        assertThatThrownBy(() -> ArrowFile.open(path))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED))
                .hasMessageContaining(path.toString())
                .hasMessageContaining("\"a\uFFFDb\" has a NUL character");
    }

    @Test
    void otherOddNamesAreNames() {
        List<String> names = List.of("", " ", "a\nb", "\"", "a'b", "\u0001", "é𝄞", "select", "x".repeat(300), "%00");
        Schema schema = new Schema(names.stream()
                .map(name -> new Field(name, DataType.INT32, true))
                .toList());
        List<List<Object>> columns =
                names.stream().map(_ -> List.<Object>of(1L)).toList();
        try (ArrowFile file = ArrowFile.open(write("odd.arrow", schema, columns, WriteOptions.PLAIN))) {
            assertThat(file.schema().fields().stream().map(Field::name)).containsExactlyElementsOf(names);
        }
    }

    /// What a folder or file calls itself is no way around that.
    @Test
    void anEncodedNulStaysEncoded() {
        assertThat(FileName.decode("a%00b%20c")).isEqualTo("a%00b c");
        assertThat(PartitionFolder.key("k%00=v%00")).isEqualTo("k%00");
        assertThat(PartitionFolder.value("k%00=v%00")).isEqualTo("v%00");
        assertThat(FileName.decode(FileName.encode("a%00b"))).isEqualTo("a%00b");
    }

    @Test
    void aTypeNameHasANul() {
        Schema schema = Schema.of(new Field("t", DataType.UTF8, true, "strange\0type"));
        Path path = write("type.arrow", schema, List.of(List.of("x")), WriteOptions.PLAIN);
        try (ArrowFile file = ArrowFile.open(path)) {
            assertThat(file.schema().field(0).pgType()).isNull();
        }
    }

    /// Metadata says that a row of a column is there, its validity that none is.
    @Test
    void filesThatCannotBeLookedAtHurtNoOther() throws Exception {
        Path root = Files.createDirectory(folder.resolve("root"));
        Schema schema = Schema.of(new Field("s", DataType.UTF8, true));
        List<List<Object>> nulls = List.of(java.util.Collections.nCopies(777, null));
        for (WriteOptions options : List.of(WriteOptions.PLAIN, WriteOptions.PLAIN.withDictionary("s", 1))) {
            String name = options.dictionaryCodeBytes().isEmpty() ? "plain" : "coded";
            Path path = write("root/" + name + ".arrow", schema, nulls, options);
            withoutStatistics(path);
            patch(path, words(777, 777), words(777, 776));
        }
        withoutStatistics(write("root/sound.arrow", schema, List.of(List.of("b", "a")), WriteOptions.PLAIN));
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(folder.resolve("cache")))) {
            for (String name : List.of("plain", "coded", "sound")) {
                try (CatalogSnapshot snapshot = catalog.snapshot()) {
                    Table table = snapshot.table("public", name);
                    table.read(0, new int[] {0}).close();
                }
            }
            Object least = null;
            for (int wait = 0; wait < 2_000 && least == null; wait++) {
                Thread.sleep(5);
                try (CatalogSnapshot snapshot = catalog.snapshot()) {
                    least = snapshot.table("public", "sound")
                            .stats()
                            .columns()
                            .getFirst()
                            .min();
                }
            }
            assertThat(least).isEqualTo("a");
        }
    }

    /// A row that is there and whose entry is NULL is NULL, for the statistics too.
    @Test
    void statisticsOfADictionaryWithANullEntry() throws IOException {
        Path path = folder.resolve("entry.arrow");
        try (BufferAllocator allocator = new RootAllocator();
                VarCharVector entries = new VarCharVector("entries", allocator);
                IntVector codes = new IntVector(
                        "s",
                        new org.apache.arrow.vector.types.pojo.FieldType(
                                true,
                                new ArrowType.Int(32, true),
                                new DictionaryEncoding(1, false, new ArrowType.Int(32, true))),
                        allocator)) {
            entries.allocateNew();
            entries.setSafe(0, "m".getBytes(StandardCharsets.UTF_8));
            entries.setNull(1);
            entries.setValueCount(2);
            codes.allocateNew(4);
            for (int row = 0; row < 4; row++) {
                codes.set(row, row % 2);
            }
            codes.setValueCount(4);
            Dictionary dictionary =
                    new Dictionary(entries, new DictionaryEncoding(1, false, new ArrowType.Int(32, true)));
            try (VectorSchemaRoot root = new VectorSchemaRoot(List.<FieldVector>of(codes));
                    FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    org.apache.arrow.vector.ipc.ArrowFileWriter writer =
                            new org.apache.arrow.vector.ipc.ArrowFileWriter(
                                    root, new DictionaryProvider.MapDictionaryProvider(dictionary), channel)) {
                root.setRowCount(4);
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        }
        try (ArrowFile file = ArrowFile.open(path);
                OwnedMemory memory = new OwnedMemory()) {
            ColumnSummary summary = ColumnSummarizer.summarize(file.column(0, 0, memory));
            assertThat(summary.stats().nullCount()).isEqualTo(2);
            assertThat(summary.stats().min()).isEqualTo("m");
            assertThat(summary.stats().distinctCount()).isEqualTo(1);
        }
    }
}
