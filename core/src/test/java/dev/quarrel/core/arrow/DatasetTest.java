package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetTest {
    private static final Schema NUMBER = Schema.of(new Field("n", DataType.INT64, false));
    private static final Schema NAMED =
            Schema.of(new Field("n", DataType.INT64, false), new Field("s", DataType.UTF8, true, "text"));

    @TempDir
    private Path root;

    private static Batch batch(Schema schema, Arena arena, Object[]... rows) {
        List<ColumnWriter> writers = schema.fields().stream()
                .map(field -> new ColumnWriter(field.type(), Allocator.of(arena)))
                .toList();
        for (Object[] row : rows) {
            for (int column = 0; column < row.length; column++) {
                RandomBatch.append(writers.get(column), row[column]);
            }
        }
        List<Column> columns = ColumnWriter.finishAll(writers);
        return Batch.view(schema, columns, rows.length);
    }

    private static WrittenFile write(Path path, Schema schema, Object[]... rows) {
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema, WriteOptions.PLAIN.withDurable(false))) {
            return fill(writer, schema, rows);
        }
    }

    private static WrittenFile fill(ArrowFileWriter writer, Schema schema, Object[]... rows) {
        try (Arena arena = Arena.ofConfined()) {
            writer.append(batch(schema, arena, rows));
        }
        return writer.finish();
    }

    private static void add(DatasetWriter run, String schemaName, String table, Schema schema, Object[]... rows) {
        try (ArrowFileWriter writer = run.create(schemaName, table, schema, WriteOptions.PLAIN)) {
            run.add(schemaName, table, fill(writer, schema, rows));
        }
    }

    private static Object[] row(Object... values) {
        return values;
    }

    private static List<List<Object>> rows(CatalogSnapshot snapshot, String schemaName, String table) {
        return RandomBatch.rows(snapshot.table(schemaName, table));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> root.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aRunAppearsWithItsManifestAndNotBefore() throws IOException {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "a test")) {
            add(run, "public", "t", NAMED, row(1L, "a"), row(2L, null));
            add(run, "public", "t", NAMED, row(3L, "c"));
            add(run, "Sales/2026", "_x", NUMBER, row(7L));
            try (DatasetCatalog catalog = DatasetCatalog.open(root);
                    CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.tables("public")).isEmpty();
            }
            run.commit("10:20:", "0/16B3748");
        }
        assertThat(files())
                .containsExactly(
                        "Sales%2F2026/%5Fx/part-1-0.arrow",
                        "_SUCCESS", "_lock", "_manifest.json", "t/part-1-0.arrow", "t/part-1-1.arrow");
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.schemaNames()).containsExactly("Sales/2026", "public");
            assertThat(rows(snapshot, "public", "t"))
                    .containsExactly(Arrays.asList(1L, "a"), Arrays.asList(2L, null), Arrays.asList(3L, "c"));
            assertThat(rows(snapshot, "Sales/2026", "_x")).containsExactly(List.of(7L));
            Table table = snapshot.table("public", "t");
            assertThat(table.schema()).isEqualTo(NAMED);
            assertThat(table.stats().rowCount()).isEqualTo(3);
            assertThat(table.stats().columns().get(0)).isEqualTo(new ColumnStats(0, 1L, 3L, 3));
            assertThat(table.stats().columns().get(1)).isEqualTo(new ColumnStats(1, "a", "c", 2));
            assertThat(table.batchStats(1, 0)).isEqualTo(new ColumnStats(0, 3L, 3L, 1));
            assertThat(snapshot.table("public", "T")).isNull();
            assertThat(snapshot.table("nowhere", "t")).isNull();
        }
        Manifest manifest = Manifest.read(root);
        assertThat(manifest.runs().getFirst().origin().lsn()).isEqualTo("0/16B3748");
        assertThat(manifest.runs().getFirst().origin().source()).isEqualTo("a test");
        assertThat(Inspection.of(root, true).isSound()).isTrue();
    }

    @Test
    void aRunThatIsNotCommittedLeavesNothing() throws IOException {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
            add(run, "public", "t", NUMBER, row(1L));
            ArrowFileWriter _ = run.create("public", "t", NUMBER, WriteOptions.PLAIN);
        }
        assertThat(files()).containsExactly("_lock", "_manifest.json");
        assertThat(Manifest.read(root)).isEqualTo(Manifest.EMPTY);
    }

    @Test
    void replacedFilesGoWithTheRunAfterAndSnapshotsKeepThem() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        DatasetCatalog catalog = DatasetCatalog.open(root);
        CatalogSnapshot first = catalog.snapshot();
        commit(DatasetWriter.Mode.REPLACE, 2L);
        assertThat(files()).contains("t/part-1-0.arrow", "t/part-2-0.arrow");
        CatalogSnapshot second = catalog.snapshot();
        assertThat(second.version()).isGreaterThan(first.version());
        commit(DatasetWriter.Mode.REPLACE, 3L);
        assertThat(files()).doesNotContain("t/part-1-0.arrow").contains("t/part-2-0.arrow", "t/part-3-0.arrow");
        CatalogSnapshot third = catalog.snapshot();
        CatalogSnapshot again = catalog.snapshot();
        assertThat(again.version()).isEqualTo(third.version());
        assertThat(rows(first, "public", "t")).containsExactly(List.of(1L));
        assertThat(rows(second, "public", "t")).containsExactly(List.of(2L));
        assertThat(rows(third, "public", "t")).containsExactly(List.of(3L));
        Table old = first.table("public", "t");
        first.close();
        first.close();
        assertThatThrownBy(() -> RandomBatch.rows(old)).isInstanceOf(RuntimeException.class);
        catalog.close();
        assertThat(rows(third, "public", "t")).containsExactly(List.of(3L));
        second.close();
        third.close();
        again.close();
    }

    private void commit(DatasetWriter.Mode mode, long... values) {
        try (DatasetWriter run = DatasetWriter.begin(root, mode, null)) {
            for (long value : values) {
                add(run, "public", "t", NUMBER, row(value));
            }
            run.commit(null, null);
        }
    }

    @Test
    void aRunWithAKeyIsGoneOnWith() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            add(run, "public", "t", NUMBER, row(2L));
            add(run, "public", "t", NUMBER, row(3L));
            run.finish("public", "t");
            add(run, "public", "damaged", NUMBER, row(4L));
            run.finish("public", "damaged");
            add(run, "public", "unfinished", NUMBER, row(5L));
        }
        assertThat(files())
                .containsExactly(
                        "_SUCCESS",
                        "_lock",
                        "_manifest.json",
                        "_unfinished.json",
                        "damaged/part-2-0.arrow",
                        "t/part-1-0.arrow",
                        "t/part-2-0.arrow",
                        "t/part-2-1.arrow");
        Files.write(
                root.resolve("damaged/part-2-0.arrow"),
                new byte[(int) Files.size(root.resolve("damaged/part-2-0.arrow"))]);
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            assertThat(run.run()).isEqualTo(2);
            assertThat(run.finishedFiles("public", "t")).hasSize(2);
            assertThat(run.finishedFiles("public", "damaged")).isEmpty();
            assertThat(run.finishedFiles("public", "unfinished")).isEmpty();
            add(run, "public", "damaged", NUMBER, row(6L));
            run.commit(null, null);
        }
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "t")).containsExactly(List.of(2L), List.of(3L));
            assertThat(rows(snapshot, "public", "damaged")).containsExactly(List.of(6L));
        }
        assertThat(files()).doesNotContain("_unfinished.json");
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            add(run, "public", "t", NUMBER, row(7L));
            run.finish("public", "t");
        }
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "another key")) {
            assertThat(run.finishedFiles("public", "t")).isEmpty();
        }
        assertThat(files()).doesNotContain("_unfinished.json", "t/part-3-0.arrow");
    }

    @Test
    void appendedRunsFollowAndMayBringColumns() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, null)) {
            add(run, "public", "t", NAMED, row(2L, "b"));
            add(run, "public", "u", NUMBER, row(9L));
            run.commit(null, null);
        }
        commit(DatasetWriter.Mode.APPEND, 3L);
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "t"))
                    .containsExactly(Arrays.asList(1L, null), Arrays.asList(2L, "b"), Arrays.asList(3L, null));
            assertThat(snapshot.table("public", "t").batchStats(0, 1)).isEqualTo(new ColumnStats(1, null, null, 0));
            assertThat(rows(snapshot, "public", "u")).containsExactly(List.of(9L));
            assertThat(snapshot.table("public", "t").sortedBy()).isEmpty();
        }
        assertThat(Manifest.read(root).runs().stream().map(Manifest.Run::id)).containsExactly(1, 2, 3);
        assertThat(Inspection.of(root, true).isSound()).isTrue();
        assertThatThrownBy(() -> {
                    try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, null)) {
                        add(run, "public", "t", Schema.of(new Field("n", DataType.UTF8, true)), row("x"));
                        run.commit(null, null);
                    }
                })
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.DATATYPE_MISMATCH));
        assertThat(Manifest.read(root).runs()).hasSize(3);
    }

    @Test
    void oneRunAtATime() {
        try (DatasetWriter _ = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
            assertThatThrownBy(() -> DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            e -> assertThat(e.state()).isEqualTo(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE));
        }
    }

    @Test
    void foreignFilesAreNotHiddenByAManifest() {
        write(root.resolve("mine.arrow"), NUMBER, row(1L));
        assertThatThrownBy(() -> DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("holds Arrow files without a manifest");
        assertThat(root.resolve("_manifest.json")).doesNotExist();
    }

    /// As if killed: the process is gone, its lock too, and its files stay.
    @Test
    void leftoversOfADeadRunAreNeverReadAndGoWithTheNext() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        write(root.resolve("t/part-2-0.arrow"), NUMBER, row(666L));
        Files.write(root.resolve("t/part-2-1.arrow.tmp"), new byte[] {1, 2, 3});
        Files.write(root.resolve("_manifest.json.tmp"), new byte[] {'{'});
        Files.createDirectories(root.resolve("v"));
        write(root.resolve("v/part-2-0.arrow"), NUMBER, row(666L));
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "t")).containsExactly(List.of(1L));
            assertThat(snapshot.table("public", "v")).isNull();
        }
        commit(DatasetWriter.Mode.REPLACE, 2L);
        assertThat(files())
                .containsExactly("_SUCCESS", "_lock", "_manifest.json", "t/part-1-0.arrow", "t/part-3-0.arrow");
        assertThat(root.resolve("v")).doesNotExist();
    }

    @Test
    void aManifestThatReachesOutsideIsRefused() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        Path manifest = root.resolve("_manifest.json");
        String text = Files.readString(manifest);
        for (String path : List.of("../t.arrow", "/etc/passwd", "t/../../x.arrow", "t//x.arrow", "C:\\\\x", "")) {
            Files.writeString(manifest, text.replace("t/part-1-0.arrow", path));
            assertThatThrownBy(() -> DatasetCatalog.open(root))
                    .as(path)
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.DATA_CORRUPTED))
                    .hasMessageContaining("_manifest.json")
                    .hasMessageContaining("outside the dataset");
        }
        for (String garbage : List.of("", "{", "[]", "{\"format\": 2}", "{\"format\":1,\"runs\":3}", "null")) {
            Files.writeString(manifest, garbage);
            assertThatThrownBy(() -> DatasetCatalog.open(root))
                    .as(garbage)
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining("_manifest.json");
        }
    }

    @Test
    void aBrokenFileFailsItsOwnTableOnly() throws IOException {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
            add(run, "public", "good", NUMBER, row(1L));
            add(run, "public", "bad", NUMBER, row(2L));
            add(run, "public", "gone", NUMBER, row(3L));
            run.commit(null, null);
        }
        Path bad = root.resolve("bad/part-1-0.arrow");
        byte[] content = Files.readAllBytes(bad);
        Files.write(bad, Arrays.copyOf(content, content.length / 2));
        Files.delete(root.resolve("gone/part-1-0.arrow"));
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(rows(snapshot, "public", "good")).containsExactly(List.of(1L));
                Table broken = snapshot.table("public", "bad");
                assertThat(broken.schema()).isEqualTo(NUMBER);
                assertThat(broken.fault()).hasMessageContaining(bad.toString());
                assertThatThrownBy(broken::batchCount)
                        .isInstanceOf(QueryException.class)
                        .hasMessageContaining("bad/part-1-0.arrow");
                assertThat(snapshot.table("public", "gone").fault()).hasMessageContaining("there is no such file");
                assertThat(snapshot.tables("public").stream().map(Table::name)).containsExactly("bad", "gone", "good");
            }
            assertThat(Inspection.of(root, false).isSound()).isFalse();
            Files.write(bad, content);
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(rows(snapshot, "public", "bad")).containsExactly(List.of(2L));
            }
        }
    }

    @Test
    void foldersWithoutManifestFollowTheRule() throws IOException {
        write(root.resolve("One.arrow"), NUMBER, row(1L));
        write(root.resolve("50%25.arrow"), NUMBER, row(50L));
        write(root.resolve("_hidden.arrow"), NUMBER, row(0L));
        write(root.resolve(".hidden.arrow"), NUMBER, row(0L));
        Files.write(root.resolve("half.arrow.tmp"), new byte[] {1});
        Files.writeString(root.resolve("notes.txt"), "no table");
        write(root.resolve("many/b.arrow"), NAMED, row(2L, "two"));
        write(root.resolve("many/a.arrow"), NUMBER, row(1L));
        write(root.resolve("sales/orders/x.arrow"), NUMBER, row(8L));
        write(root.resolve("sales/flat/y.arrow"), NUMBER, row(9L));
        write(root.resolve("parts/day=1/z.arrow"), NUMBER, row(9L));
        write(root.resolve("twice.arrow"), NUMBER, row(1L));
        write(root.resolve("twice/part.arrow"), NUMBER, row(1L));
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.schemaNames()).containsExactly("public", "sales");
            assertThat(snapshot.tables("public").stream().map(Table::name))
                    .containsExactly("50%", "One", "many", "parts", "twice");
            assertThat(rows(snapshot, "public", "One")).containsExactly(List.of(1L));
            assertThat(rows(snapshot, "public", "many"))
                    .containsExactly(Arrays.asList(1L, null), Arrays.asList(2L, "two"));
            assertThat(snapshot.table("public", "many").schema().field(1).nullable())
                    .isTrue();
            assertThat(snapshot.tables("sales").stream().map(Table::name)).containsExactly("flat", "orders");
            assertThat(rows(snapshot, "public", "parts")).containsExactly(List.of(9L, 1L));
            assertThat(snapshot.table("public", "twice").fault())
                    .hasMessageContaining("\"twice\" and \"twice.arrow\"")
                    .satisfies(e -> assertThat(((QueryException) e).state()).isEqualTo(SqlState.DUPLICATE_TABLE));
        }
    }

    @Test
    void filesOfOneTableMustAgreeOnTypes() {
        write(root.resolve("t/a.arrow"), NUMBER, row(1L));
        write(root.resolve("t/b.arrow"), Schema.of(new Field("n", DataType.UTF8, true)), row("x"));
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            QueryException fault = snapshot.table("public", "t").fault();
            assertThat(fault.state()).isEqualTo(SqlState.DATATYPE_MISMATCH);
            assertThat(fault).hasMessageContaining("b.arrow").hasMessageContaining("column \"n\" as utf8");
        }
    }

    @Test
    void aFolderIsFollowedAsItChanges() throws IOException {
        write(root.resolve("t.arrow"), NUMBER, row(1L));
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            long version;
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                version = snapshot.version();
                assertThat(rows(snapshot, "public", "t")).containsExactly(List.of(1L));
                Path other = write(root.resolve("new.tmp"), NUMBER, row(2L)).path();
                Files.move(other, root.resolve("t.arrow"), StandardCopyOption.REPLACE_EXISTING);
                assertThat(rows(snapshot, "public", "t")).containsExactly(List.of(1L));
            }
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.version()).isGreaterThan(version);
                assertThat(rows(snapshot, "public", "t")).containsExactly(List.of(2L));
                version = snapshot.version();
            }
            write(root.resolve("u.arrow"), NUMBER, row(3L));
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.version()).isGreaterThan(version);
                assertThat(rows(snapshot, "public", "u")).containsExactly(List.of(3L));
            }
            Files.delete(root.resolve("u.arrow"));
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "u")).isNull();
                version = snapshot.version();
            }
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.version()).isEqualTo(version);
            }
        }
    }

    @Test
    void aMissingRootIsSaid() {
        assertThatThrownBy(() -> DatasetCatalog.open(root.resolve("nowhere")))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.UNDEFINED_FILE));
    }

    @Test
    void verifyFindsAFlippedBit() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 77L);
        Path file = root.resolve("t/part-1-0.arrow");
        byte[] bytes = Files.readAllBytes(file);
        int place = Collections.indexOfSubList(boxed(bytes), boxed(new byte[] {77, 0, 0, 0, 0, 0, 0, 0}));
        bytes[place] = 99;
        Files.write(file, bytes);
        assertThat(Inspection.of(root, false).isSound()).isTrue();
        Inspection verified = Inspection.of(root, true);
        assertThat(verified.isSound()).isFalse();
        assertThat(verified.tables().getFirst().files().getFirst().problems())
                .anySatisfy(problem -> assertThat(problem).contains("SHA-256"))
                .anySatisfy(problem -> assertThat(problem).contains("statistics of column \"n\" in batch 0 are wrong"));
    }

    private static List<Byte> boxed(byte[] bytes) {
        List<Byte> boxed = new ArrayList<>();
        for (byte one : bytes) {
            boxed.add(one);
        }
        return boxed;
    }

    @Test
    void inspectionShowsAFile() {
        write(root.resolve("t.arrow"), NAMED, row(1L, "a"), row(2L, null));
        Inspection inspection = Inspection.of(root.resolve("t.arrow"), true);
        assertThat(inspection.isSound()).isTrue();
        Inspection.FileReport file = inspection.tables().getFirst().files().getFirst();
        assertThat(file.rowCount()).isEqualTo(2);
        assertThat(file.sortedBy()).containsExactly("n");
        assertThat(file.columns().stream().map(Inspection.ColumnReport::arrowType))
                .containsExactly("int64", "utf8");
        assertThat(file.batches().getFirst().stats())
                .containsExactly(
                        new Inspection.StatsReport(0, "1", "2", 2), new Inspection.StatsReport(1, "a", "a", 1));
    }

    @Test
    void aFileCutShortInUseIsNamedBySnapshot() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 5L);
        Path file = root.resolve("t/part-1-0.arrow");
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.faultOf(new InternalError())).isNull();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(100);
            }
            assertThat(snapshot.faultOf(new InternalError()))
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("cut short");
            assertThatThrownBy(() -> rows(snapshot, "public", "t"))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.IO_ERROR));
        }
    }

    @Test
    void keysOfFoldersAreColumns() {
        write(root.resolve("t/year=2024/region=north%20%2F%20east/a.arrow"), NUMBER, row(1L), row(2L));
        write(root.resolve("t/year=2024/region=south/b.arrow"), NUMBER, row(3L));
        write(root.resolve("t/year=1999/region=__HIVE_DEFAULT_PARTITION__/c.arrow"), NUMBER, row(4L));
        write(root.resolve("d/day=2026-11-21/a.arrow"), NUMBER, row(1L));
        write(root.resolve("d/day=2026-11-22/a.arrow"), NUMBER, row(2L));
        write(root.resolve("bad/a=1/a.arrow"), NUMBER, row(1L));
        write(root.resolve("bad/b=1/a.arrow"), NUMBER, row(1L));
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "t"))
                    .containsExactlyInAnyOrder(
                            List.of(1L, 2024L, "north / east"),
                            List.of(2L, 2024L, "north / east"),
                            List.of(3L, 2024L, "south"),
                            Arrays.asList(4L, 1999L, null));
            Table table = snapshot.table("public", "t");
            assertThat(table.schema().fields())
                    .containsExactly(
                            new Field("n", DataType.INT64, false),
                            new Field("year", DataType.INT64, false),
                            new Field("region", DataType.UTF8, true));
            assertThat(table.batchStats(0, 1)).isEqualTo(new ColumnStats(0, 1999L, 1999L, 1));
            assertThat(table.stats().columns().get(1).max()).isEqualTo(2024L);
            assertThat(table.dictionary(2).size()).isEqualTo(2);
            assertThat(snapshot.table("public", "d").schema().field(1))
                    .isEqualTo(new Field("day", DataType.DATE, false));
            assertThat(snapshot.table("public", "bad").fault()).hasMessageContaining("keys [a]");
        }
    }

    @Test
    void aRunWritesFilesByKeys() throws IOException {
        List<Field> keys = List.of(new Field("region", DataType.UTF8, true), new Field("day", DataType.DATE, true));
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "a test")) {
            for (String region : Arrays.asList("a/b=c", null, "_x")) {
                Map<String, String> values = new LinkedHashMap<>();
                values.put("region", region);
                values.put("day", "2026-11-21");
                try (ArrowFileWriter writer = run.create("public", "t", values, NUMBER, WriteOptions.PLAIN)) {
                    run.add("public", "t", values, keys, fill(writer, NUMBER, row(1L)));
                }
            }
            run.commit(null, null);
        }
        assertThat(files())
                .contains(
                        "t/region=__HIVE_DEFAULT_PARTITION__/day=2026-11-21/part-1-1.arrow",
                        "t/region=_x/day=2026-11-21/part-1-2.arrow",
                        "t/region=a%2Fb%3Dc/day=2026-11-21/part-1-0.arrow");
        long day = LocalDate.of(2026, 11, 21).toEpochDay();
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "t"))
                    .containsExactlyInAnyOrder(
                            List.of(1L, "a/b=c", day), Arrays.asList(1L, null, day), List.of(1L, "_x", day));
        }
        assertThat(Inspection.of(root, true).isSound()).isTrue();
        // The same folders, without the manifest.
        Files.delete(root.resolve(Manifest.FILE_NAME));
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "t"))
                    .containsExactlyInAnyOrder(
                            List.of(1L, "a/b=c", day), Arrays.asList(1L, null, day), List.of(1L, "_x", day));
        }
    }

    @Test
    void aManifestThatSaysOtherwiseIsFound() throws IOException {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "a test")) {
            add(run, "public", "t", NUMBER, row(1L), row(777L));
            run.commit(null, null);
        }
        assertThat(Inspection.of(root, true).isSound()).isTrue();
        Path manifest = root.resolve(Manifest.FILE_NAME);
        Files.writeString(manifest, Files.readString(manifest).replace("777", "776"));
        assertThat(Inspection.of(root, false).isSound()).isTrue();
        assertThat(Inspection.of(root, true)
                        .tables()
                        .getFirst()
                        .files()
                        .getFirst()
                        .problems())
                .singleElement()
                .asString()
                .contains("the statistics of column \"n\" in batch 0 are wrong: the manifest says");
    }
}
