package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.ValueOrder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArrowFileWriterTest {
    private static final long SEED = 20260101;

    @TempDir
    private Path folder;

    static Stream<WriteOptions> options() {
        return Stream.of(
                WriteOptions.PLAIN,
                WriteOptions.PLAIN.withZstd(1),
                WriteOptions.PLAIN.withDictionary("few", 2),
                WriteOptions.PLAIN
                        .withDictionary("few", 2)
                        .withDictionary("s", 4)
                        .withZstd(3));
    }

    @ParameterizedTest
    @MethodSource("options")
    void writesAndReadsEveryTypeAtEdgeRowCounts(WriteOptions options) {
        Random random = new Random(SEED);
        for (int rowCount : RandomBatch.EDGE_ROW_COUNTS) {
            for (double nullShare : new double[] {0, 0.3, 1}) {
                Path path = folder.resolve("t" + rowCount + "-" + nullShare + ".arrow");
                try (Arena arena = Arena.ofConfined()) {
                    Batch first = RandomBatch.of(RandomBatch.EVERY_TYPE, rowCount, nullShare, random, arena);
                    Batch second = RandomBatch.of(RandomBatch.EVERY_TYPE, 33, nullShare, random, arena);
                    List<List<Object>> expected = new ArrayList<>(RandomBatch.rows(first));
                    expected.addAll(RandomBatch.rows(second));
                    WrittenFile written = write(path, RandomBatch.EVERY_TYPE, options, first, second);
                    assertThat(written.rowCount()).isEqualTo(rowCount + 33);
                    assertThat(written.byteSize()).isEqualTo(path.toFile().length());
                    try (ArrowFile file = ArrowFile.open(path);
                            ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
                        assertThat(file.schema()).isEqualTo(RandomBatch.EVERY_TYPE);
                        assertThat(table.batchCount()).isEqualTo(2);
                        assertThat(RandomBatch.rows(table))
                                .as("%d rows, nulls %s, seed %d", rowCount, nullShare, SEED)
                                .isEqualTo(expected);
                        checkStats(table);
                    }
                }
            }
        }
    }

    private static WrittenFile write(Path path, Schema schema, WriteOptions options, Batch... batches) {
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema, options)) {
            for (Batch batch : batches) {
                writer.append(batch);
            }
            return writer.finish();
        }
    }

    /// Every present value lies within its batch's bounds, and the null counts are exact.
    private static void checkStats(ArrowTable table) {
        for (int batch = 0; batch < table.batchCount(); batch++) {
            for (int column = 0; column < table.schema().size(); column++) {
                ColumnStats stats = table.batchStats(batch, column);
                try (Batch read = table.read(batch, new int[] {column})) {
                    List<Object> values =
                            RandomBatch.rows(read).stream().map(List::getFirst).toList();
                    List<Object> present =
                            values.stream().filter(Objects::nonNull).toList();
                    assertThat(stats.nullCount()).isEqualTo(values.size() - present.size());
                    long distinct = present.stream().distinct().count();
                    assertThat((double) stats.distinctCount()).isBetween(distinct * 0.9 - 1, distinct * 1.1 + 1);
                    if (table.schema().type(column) instanceof DataType.Interval) {
                        assertThat(stats.min()).isNull();
                        continue;
                    }
                    for (Object value : present) {
                        assertThat(ValueOrder.compare(stats.min(), value))
                                .as("%s min %s value %s", table.schema().field(column), stats.min(), value)
                                .isLessThanOrEqualTo(0);
                        assertThat(ValueOrder.compare(stats.max(), value))
                                .as("%s max %s value %s", table.schema().field(column), stats.max(), value)
                                .isGreaterThanOrEqualTo(0);
                    }
                }
            }
        }
    }

    @Test
    void dictionaryColumnsStayCoded() {
        Schema schema = Schema.of(new Field("s", DataType.UTF8, true));
        Path path = folder.resolve("d.arrow");
        try (Arena arena = Arena.ofConfined()) {
            write(path, schema, WriteOptions.PLAIN.withDictionary("s", 1), texts(schema, arena, "b", "a", null, "b"));
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "d", List.of(file));
                Batch batch = table.read(0, new int[] {0})) {
            DictionaryColumn column = (DictionaryColumn) batch.column(0);
            assertThat(column.codeBytes()).isEqualTo(1);
            assertThat(column.dictionary().size()).isEqualTo(2);
            assertThat(column.dictionary()).isSameAs(table.dictionary(0));
            assertThat(RandomBatch.rows(batch))
                    .isEqualTo(Stream.of("b", "a", null, "b")
                            .map(java.util.Collections::singletonList)
                            .toList());
        }
    }

    @Test
    void statisticsAreMadeOfTheColumnsThatAreWanted() {
        Schema schema = Schema.of(
                new Field("plain", DataType.UTF8, true),
                new Field("coded", DataType.UTF8, true),
                new Field("wanted", DataType.UTF8, true));
        Path path = folder.resolve("s.arrow");
        WriteOptions options = WriteOptions.PLAIN
                .withDictionary("coded", 1)
                .withDictionary("wanted", 1)
                .withStatistics(Set.of("wanted"));
        try (Arena arena = Arena.ofConfined()) {
            Schema one = Schema.of(new Field("s", DataType.UTF8, true));
            Column column = texts(one, arena, "b", null, "a").column(0);
            write(path, schema, options, Batch.view(schema, List.of(column, column, column), 3));
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "s", List.of(file))) {
            for (int index = 0; index < 2; index++) {
                assertThat(table.batchStats(0, index)).isEqualTo(new ColumnStats(1, null, null, -1));
            }
            assertThat(table.batchStats(0, 2).min()).isNotNull();
        }
    }

    private static Batch texts(Schema schema, Arena arena, String... values) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, Allocator.of(arena));
        for (String value : values) {
            RandomBatch.append(writer, value);
        }
        return Batch.view(schema, List.of(writer.finish()), values.length);
    }

    @Test
    void tooManyDistinctValuesForTheCodesAreAnError() {
        Schema schema = Schema.of(new Field("s", DataType.UTF8, true));
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer = ArrowFileWriter.create(
                        folder.resolve("d.arrow"), schema, WriteOptions.PLAIN.withDictionary("s", 1))) {
            String[] many = Stream.iterate(0, number -> number + 1)
                    .limit(128)
                    .map(String::valueOf)
                    .toArray(String[]::new);
            assertThatThrownBy(() -> writer.append(texts(schema, arena, many)))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED))
                    .hasMessageContaining("column \"s\" has more than 127 distinct values");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void workersAppendAtOnceAndTheSequenceOrdersTheBatches() throws Exception {
        Schema schema = Schema.of(new Field("n", DataType.INT64, false), new Field("s", DataType.UTF8, true));
        Path path = folder.resolve("p.arrow");
        int batches = 40;
        int rows = 500;
        try (ExecutorService workers = Executors.newFixedThreadPool(4);
                ArrowFileWriter writer =
                        ArrowFileWriter.create(path, schema, WriteOptions.PLAIN.withDictionary("s", 2))) {
            List<Future<?>> running = new ArrayList<>();
            for (int index = batches - 1; index >= 0; index--) {
                int sequence = index;
                running.add(workers.submit(() -> {
                    try (Arena arena = Arena.ofConfined()) {
                        ColumnWriter numbers = new ColumnWriter(DataType.INT64, Allocator.of(arena));
                        ColumnWriter texts = new ColumnWriter(DataType.UTF8, Allocator.of(arena));
                        for (int row = 0; row < rows; row++) {
                            numbers.appendInt64((long) sequence * rows + row);
                            texts.appendUtf8("t" + (sequence + row) % 300);
                        }
                        writer.append(sequence, Batch.view(schema, List.of(numbers.finish(), texts.finish()), rows));
                    }
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
            WrittenFile written = writer.finish();
            assertThat(written.stats().sortedBy()).containsExactly("n");
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "p", List.of(file))) {
            assertThat(table.sortedBy()).containsExactly(0);
            assertThat(table.dictionary(1).size()).isEqualTo(300);
            List<List<Object>> read = RandomBatch.rows(table);
            assertThat(read).hasSize(batches * rows);
            for (int row = 0; row < read.size(); row++) {
                assertThat(read.get(row)).containsExactly((long) row, "t" + (row / rows + row % rows) % 300);
            }
            assertThat(table.stats().columns().getFirst().min()).isEqualTo(0L);
            assertThat((double) table.stats().columns().getFirst().distinctCount())
                    .isBetween(0.9 * batches * rows, 1.0 * batches * rows);
        }
    }

    @Test
    void nothingAppearsUnlessFinished() throws IOException {
        Schema schema = Schema.of(new Field("s", DataType.UTF8, true));
        Path path = folder.resolve("x.arrow");
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema, WriteOptions.PLAIN)) {
            assertThat(Files.exists(path)).isFalse();
            assertThat(Files.exists(folder.resolve("x.arrow.tmp"))).isTrue();
            assertThat(writer.byteSize()).isPositive();
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aDeviceIsNotReplaced() {
        Schema schema = Schema.of(new Field("s", DataType.UTF8, true));
        Path device = Path.of("/dev/full");
        assumeTrue(Files.isWritable(device), "no /dev/full here");
        assertThatThrownBy(() -> ArrowFileWriter.create(device, schema, WriteOptions.PLAIN))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.IO_ERROR))
                .hasMessageContaining("could not write file \"/dev/full\": it is a device");
        assertThat(Files.isRegularFile(device)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("plainAndCompressed")
    void numericsKeepTheirScales(WriteOptions options) {
        Schema schema = Schema.of(new Field("n", DataType.NUMERIC, true));
        Random random = new Random(SEED);
        for (int rowCount : RandomBatch.EDGE_ROW_COUNTS) {
            Path path = folder.resolve("n" + rowCount + ".arrow");
            try (Arena arena = Arena.ofConfined()) {
                Batch batch = RandomBatch.of(schema, rowCount, 0.2, random, arena);
                write(path, schema, options, batch);
                try (ArrowFile file = ArrowFile.open(path);
                        ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
                    assertThat(table.schema().type(0)).isEqualTo(DataType.NUMERIC);
                    assertThat(RandomBatch.rows(table)).isEqualTo(RandomBatch.rows(batch));
                }
            }
        }
    }

    static Stream<WriteOptions> plainAndCompressed() {
        return Stream.of(WriteOptions.PLAIN, WriteOptions.PLAIN.withZstd(1));
    }

    @ParameterizedTest
    @MethodSource("plainAndCompressed")
    void arraysBecomeListsAndTextsAgain(WriteOptions plain) {
        List<String> types = List.of(
                "boolean[]",
                "smallint[]",
                "integer[]",
                "bigint[]",
                "real[]",
                "double precision[]",
                "text[]",
                "date[]",
                "time without time zone[]",
                "timestamp without time zone[]",
                "timestamp with time zone[]",
                "uuid[]",
                "bytea[]");
        List<List<String>> elements = List.of(
                List.of("t", "f"),
                List.of("-32768", "7"),
                List.of("2147483647", "0"),
                List.of("-9223372036854775808", "1"),
                List.of("1.5", "NaN", "-Infinity"),
                List.of("1e-300", "-0"),
                List.of("", "a b", "q\"\\", "NULL", "{,}", "é🏹"),
                List.of("2020-02-29", "infinity", "0044-03-15 BC"),
                List.of("24:00:00", "12:34:56.789"),
                List.of("-infinity", "1969-12-31 23:59:59.999999"),
                List.of("2020-01-01 00:00:00+00"),
                List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
                List.of("\\x", "\\x00ff"));
        List<Field> fields = new ArrayList<>();
        WriteOptions options = plain;
        for (String type : types) {
            fields.add(new Field(type, DataType.UTF8, true, type));
            options =
                    options.withNested(type, NestedType.array(PgType.parse(type).type(), 1));
        }
        Schema schema = new Schema(fields);
        Random random = new Random(SEED);
        for (int rowCount : RandomBatch.EDGE_ROW_COUNTS) {
            Path path = folder.resolve("a" + rowCount + ".arrow");
            try (Arena arena = Arena.ofConfined()) {
                List<ColumnWriter> writers = new ArrayList<>();
                for (List<String> values : elements) {
                    ColumnWriter writer = new ColumnWriter(DataType.UTF8, Allocator.of(arena));
                    for (int row = 0; row < rowCount; row++) {
                        List<String> array = new ArrayList<>();
                        for (int count = random.nextInt(4); count > 0; count--) {
                            array.add(random.nextInt(4) == 0 ? null : values.get(random.nextInt(values.size())));
                        }
                        if (random.nextInt(5) == 0) {
                            writer.appendNull();
                        } else {
                            writer.appendUtf8(ArrayText.format(array));
                        }
                    }
                    writers.add(writer);
                }
                Batch batch = Batch.view(schema, ColumnWriter.finishAll(writers), rowCount);
                write(path, schema, options, batch);
                try (ArrowFile file = ArrowFile.open(path);
                        ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
                    assertThat(file.schema()).isEqualTo(schema);
                    assertThat(file.storage(0).describe()).isEqualTo("list of bool");
                    assertThat(RandomBatch.rows(table)).isEqualTo(RandomBatch.rows(batch));
                }
            }
        }
    }

    @Test
    void arraysOfSeveralDimensionsAreNoLists() {
        Schema schema = Schema.of(new Field("a", DataType.UTF8, true, "integer[]"));
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer = ArrowFileWriter.create(
                        folder.resolve("a.arrow"),
                        schema,
                        WriteOptions.PLAIN.withNested("a", NestedType.array(PgType.INT4_ARRAY, 1)))) {
            ColumnWriter column = new ColumnWriter(DataType.UTF8, Allocator.of(arena));
            column.appendUtf8("{{1,2},{3,4}}");
            Batch batch = Batch.view(schema, List.of(column.finish()), 1);
            assertThatThrownBy(() -> writer.append(batch))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            refused -> assertThat(refused.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED));
        }
    }
}
