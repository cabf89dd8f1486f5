package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.RandomBatch;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
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
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

    /// Whoever shares the folder can put links of the run's names there: what they lead to is neither written
    /// nor deleted.
    @Test
    void linksInTheFolderAreNotFollowed(@TempDir Path others) throws IOException {
        Path theirs = Files.writeString(others.resolve("part-1-0.arrow"), "not ours");
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            add(run, "public", "t", NUMBER, row(1L));
            run.commit("10:20:", "0/16B3748");
        }
        for (String name : List.of(
                "_manifest.json.tmp", "_SUCCESS.tmp", "_unfinished.json.tmp", "_writing/t/part-2-0.arrow.tmp")) {
            Files.createDirectories(root.resolve(name).getParent());
            Files.createSymbolicLink(root.resolve(name), theirs);
        }
        Files.createSymbolicLink(root.resolve("others"), others);
        Path link = Files.createSymbolicLink(root.resolve("t/part-1-7.arrow"), theirs);
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            add(run, "public", "t", NUMBER, row(2L));
            run.finish("public", "t");
            run.commit("10:20:", "0/16B3749");
        }
        assertThat(theirs).hasContent("not ours");
        assertThat(link).isSymbolicLink();
        assertThat(root.resolve("t/part-2-0.arrow")).isRegularFile();
        Files.delete(root.resolve("_lock"));
        Files.createSymbolicLink(root.resolve("_lock"), others.resolve("made"));
        assertThatThrownBy(() -> DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.IO_ERROR));
        assertThat(others.resolve("made")).doesNotExist();
    }

    @Test
    void aRunThatIsNotCommittedLeavesNothing() throws IOException {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
            add(run, "public", "t", NUMBER, row(1L));
            ArrowFileWriter _ = run.create("public", "t", NUMBER, WriteOptions.PLAIN);
        }
        assertThat(root).isEmptyDirectory();
        commit(DatasetWriter.Mode.REPLACE, 1L);
        List<String> before = files();
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
            add(run, "public", "t", NUMBER, row(2L));
        }
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void replacedFilesGoWithTheRunAfterAndSnapshotsKeepThem() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        DatasetCatalog catalog = DatasetCatalog.open(root);
        CatalogSnapshot first = catalog.snapshot();
        commit(DatasetWriter.Mode.REPLACE, 2L);
        assertThat(files())
                .contains("_replaced/1/t/part-1-0.arrow", "t/part-2-0.arrow")
                .doesNotContain("t/part-1-0.arrow");
        CatalogSnapshot second = catalog.snapshot();
        assertThat(second.version()).isGreaterThan(first.version());
        commit(DatasetWriter.Mode.REPLACE, 3L);
        assertThat(files())
                .containsExactly(
                        "_SUCCESS", "_lock", "_manifest.json", "_replaced/2/t/part-2-0.arrow", "t/part-3-0.arrow");
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

    /// Three kinds of readers while runs replace each other: one that keeps a catalog, one that opens the dataset
    /// anew each time, and one that lists the table's folder as other tools do. The first two see one run at any
    /// time. The last may see two, or a part of the new one, while `commit` runs, which takes milliseconds; it sees
    /// one at other times.
    @Test
    void readersSeeOneRunWhileRunsReplaceEachOther() throws Exception {
        commit(DatasetWriter.Mode.REPLACE, 0L, 0L);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger window = new AtomicInteger(); // odd while a run is committed
        AtomicInteger reads = new AtomicInteger();
        try (DatasetCatalog kept = DatasetCatalog.open(root);
                ExecutorService readers = Executors.newFixedThreadPool(3)) {
            List<Future<?>> running = List.of(
                    readers.submit(() -> {
                        while (!over.get()) {
                            try (CatalogSnapshot snapshot = kept.snapshot()) {
                                List<List<Object>> rows = rows(snapshot, "public", "t");
                                assertThat(rows).hasSize(2);
                                assertThat(rows.get(0)).isEqualTo(rows.get(1));
                            }
                            reads.incrementAndGet();
                        }
                        return null;
                    }),
                    readers.submit(() -> {
                        while (!over.get()) {
                            try (DatasetCatalog opened = DatasetCatalog.open(root);
                                    CatalogSnapshot snapshot = opened.snapshot()) {
                                assertThat(rows(snapshot, "public", "t")).hasSize(2);
                            }
                            assertThat(Inspection.of(root, true).isSound()).isTrue();
                            reads.incrementAndGet();
                        }
                        return null;
                    }),
                    readers.submit(() -> {
                        while (!over.get()) {
                            int before = window.get();
                            Set<String> runs = runsInFolder();
                            if (before == window.get() && before % 2 == 0) {
                                assertThat(runs).hasSize(1);
                            } else {
                                assertThat(runs).hasSizeBetween(1, 2);
                            }
                            reads.incrementAndGet();
                        }
                        return null;
                    }));
            for (long run = 1; run <= 20; run++) {
                int seen = reads.get();
                try (DatasetWriter writer = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
                    add(writer, "public", "t", NUMBER, row(run));
                    add(writer, "public", "t", NUMBER, row(run));
                    window.incrementAndGet();
                    writer.commit(null, null);
                    window.incrementAndGet();
                }
                while (reads.get() < seen + 5 && running.stream().noneMatch(Future::isDone)) {
                    Thread.onSpinWait();
                }
            }
            over.set(true);
            for (Future<?> reader : running) {
                reader.get();
            }
        }
        assertThat(files()).filteredOn(name -> name.endsWith(".arrow")).hasSize(4);
    }

    private Set<String> runsInFolder() throws IOException {
        Set<String> runs = new HashSet<>();
        try (Stream<Path> paths = Files.list(root.resolve("t"))) {
            paths.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".arrow"))
                    .forEach(name -> runs.add(name.split("-")[1]));
        }
        return runs;
    }

    @Test
    void filesOfFoldersMoveWithTheirKeys() throws IOException {
        for (String value : List.of("a", "b")) {
            try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null)) {
                Map<String, String> keys = Map.of("k", value);
                try (ArrowFileWriter writer = run.create("s", "t", keys, NUMBER, WriteOptions.PLAIN)) {
                    run.add(
                            "s",
                            "t",
                            keys,
                            List.of(new Field("k", DataType.UTF8, true)),
                            fill(writer, NUMBER, row(1L)));
                }
                run.commit(null, null);
            }
        }
        assertThat(files()).contains("_replaced/1/s/t/k=a/part-1-0.arrow", "s/t/k=b/part-2-0.arrow");
        assertThat(root.resolve("s/t/k=a")).doesNotExist();
        commit(DatasetWriter.Mode.APPEND, 1L);
        assertThat(files()).contains("s/t/k=b/part-2-0.arrow", "t/part-3-0.arrow");
        assertThat(root.resolve("_replaced")).doesNotExist();
        assertThat(Inspection.of(root, true).isSound()).isTrue();
    }

    /// The process ended between the manifest's rename and the end of its run: the next one removes what was left.
    @Test
    void whatWasNotMovedGoesWithTheNextRun() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        byte[] old = Files.readAllBytes(root.resolve("t/part-1-0.arrow"));
        commit(DatasetWriter.Mode.REPLACE, 2L);
        Files.write(root.resolve("t/part-1-0.arrow"), old);
        commit(DatasetWriter.Mode.REPLACE, 3L);
        assertThat(files())
                .filteredOn(name -> name.endsWith(".arrow"))
                .containsExactly("_replaced/2/t/part-2-0.arrow", "t/part-3-0.arrow");
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
                        "_writing/damaged/part-2-0.arrow",
                        "_writing/t/part-2-0.arrow",
                        "_writing/t/part-2-1.arrow",
                        "t/part-1-0.arrow");
        Path damaged = root.resolve("_writing/damaged/part-2-0.arrow");
        Files.write(damaged, new byte[(int) Files.size(damaged)]);
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
        assertThat(files()).doesNotContain("_unfinished.json").contains("damaged/part-2-0.arrow", "t/part-2-1.arrow");
        assertThat(root.resolve("_writing")).doesNotExist();
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
                .containsExactly(
                        "_SUCCESS", "_lock", "_manifest.json", "_replaced/1/t/part-1-0.arrow", "t/part-3-0.arrow");
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

    /// A column of another type is told to who reads it of that file; other columns are there.
    @Test
    void filesOfOneTableMustAgreeOnTypes() {
        write(root.resolve("t/a.arrow"), NUMBER, row(1L));
        write(
                root.resolve("t/b.arrow"),
                Schema.of(new Field("n", DataType.UTF8, true), new Field("m", DataType.INT64, false)),
                row("x", 7L));
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Table table = snapshot.table("public", "t");
            assertThat(table.fault()).isNull();
            table.read(0, new int[] {0, 1}).close();
            table.read(1, new int[] {1}).close();
            assertThatThrownBy(() -> table.read(1, new int[] {0}))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining("b.arrow")
                    .hasMessageContaining("column \"n\" as utf8")
                    .satisfies(e -> assertThat(((QueryException) e).state()).isEqualTo(SqlState.DATATYPE_MISMATCH));
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
    void aRunsFileThatWasCutShortIsNoDataFault() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 5L);
        try (FileChannel channel = FileChannel.open(root.resolve("t/part-1-0.arrow"), StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThatThrownBy(() -> rows(snapshot, "public", "t"))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.IO_ERROR))
                    .hasMessageContaining("cut short");
        }
    }

    private static final int MANY = 50_000;

    private static void writeMany(Path path, long value) {
        Object[][] rows = new Object[MANY][];
        Arrays.setAll(rows, _ -> row(value, "text " + value));
        write(path, NAMED, rows);
    }

    private static long only(CatalogSnapshot snapshot, int column) {
        Table table = snapshot.table("public", "t");
        try (Batch batch = table.read(0, new int[] {column})) {
            List<Object> values = RandomBatch.rows(batch).stream()
                    .map(List::getFirst)
                    .distinct()
                    .toList();
            assertThat(values).hasSize(1);
            return Long.parseLong(values.getFirst().toString().replace("text ", ""));
        }
    }

    /// A file without manifest is somebody else's, who may write it again at any time.
    @Test
    void aFileWrittenAgainInPlaceGivesOldRowsOrAnError() throws IOException {
        Path file = root.resolve("t.arrow");
        Path other = root.resolve("other");
        writeMany(file, 1);
        writeMany(other, 2);
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(only(snapshot, 0)).isEqualTo(1);
                Files.write(file, Files.readAllBytes(other), StandardOpenOption.WRITE); // not cut short before
                assertThat(only(snapshot, 0)).as("what was read once").isEqualTo(1);
                assertThatThrownBy(() -> only(snapshot, 1))
                        .isInstanceOfSatisfying(
                                QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.IO_ERROR))
                        .hasMessageContaining(file.toString());
            }
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(only(snapshot, 0)).isEqualTo(2);
                assertThat(only(snapshot, 1)).isEqualTo(2);
            }
        }
    }

    @Test
    void aFileThatIsReplacedStaysReadableToWhoHoldsIt() throws IOException {
        Path file = root.resolve("t.arrow");
        writeMany(file, 1);
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(only(snapshot, 0)).isEqualTo(1);
                writeMany(file, 2);
                assertThat(only(snapshot, 1)).isEqualTo(1);
                Files.delete(file);
                assertThat(only(snapshot, 1)).isEqualTo(1);
            }
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t")).isNull();
            }
        }
    }

    @Test
    @Timeout(60)
    void aFolderThatCannotBeReadIsAFaultOfItsTable() throws IOException {
        write(root.resolve("good.arrow"), NUMBER, row(1L));
        write(root.resolve("s/fine/a.arrow"), NUMBER, row(2L));
        Path deep = root.resolve("deep");
        for (int depth = 0; depth < 34; depth++) {
            deep = deep.resolve("k" + depth + "=1");
        }
        write(deep.resolve("a.arrow"), NUMBER, row(1L));
        Files.createDirectories(root.resolve("loop/a=1"));
        Files.createSymbolicLink(root.resolve("loop/a=1/b=1"), root.resolve("loop"));
        Files.createSymbolicLink(root.resolve("loop/a=1/b=2"), root.resolve("loop"));
        Path closed = Files.createDirectory(root.resolve("closed"));
        write(root.resolve("parts/k=1/a.arrow"), NUMBER, row(1L));
        Path part = Files.createDirectory(root.resolve("parts/k=2"));
        Set<PosixFilePermission> nothing = Set.of();
        Files.setPosixFilePermissions(closed, nothing);
        Files.setPosixFilePermissions(part, nothing);
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot, "public", "good")).containsExactly(List.of(1L));
            assertThat(rows(snapshot, "s", "fine")).containsExactly(List.of(2L));
            for (String name : List.of("deep", "loop")) {
                assertThat(snapshot.table("public", name).fault())
                        .hasMessageContaining("more than 32 key=value folders deep")
                        .satisfies(e ->
                                assertThat(((QueryException) e).state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED));
            }
            if (!Files.isReadable(closed)) { // root may read everything
                for (String name : List.of("closed", "parts")) {
                    assertThat(snapshot.table("public", name).fault())
                            .hasMessageContaining("the folder cannot be listed: permission denied")
                            .satisfies(e ->
                                    assertThat(((QueryException) e).state()).isEqualTo(SqlState.IO_ERROR));
                }
            }
        } finally {
            for (Path each : List.of(closed, part)) {
                Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    /// A file may take long to open, by its form or its disk: nobody waits but who names its table.
    @Test
    @Timeout(60)
    void aTableThatIsSlowToOpenDelaysNoOther(@TempDir Path copies) throws Exception {
        write(root.resolve("good.arrow"), NUMBER, row(1L));
        write(root.resolve("slow.arrow"), NUMBER, row(1L));
        CountDownLatch isFree = new CountDownLatch(1);
        AtomicInteger opened = new AtomicInteger();
        try (DatasetCatalog catalog = DatasetCatalog.open(root, null, copies, 100_000_000, path -> {
            if (path.endsWith("slow.arrow")) {
                opened.incrementAndGet();
                try {
                    isFree.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        })) {
            CatalogSnapshot old = catalog.snapshot();
            assertThat(old.table("public", "slow").isOpen()).isFalse();
            assertThat(rows(old, "public", "good")).containsExactly(List.of(1L));
            assertThatThrownBy(() -> old.table("public", "slow").awaitOpen(() -> {
                        throw new QueryException(SqlState.QUERY_CANCELED, "cancelled");
                    }))
                    .hasMessageContaining("cancelled");
            write(root.resolve("more.arrow"), NUMBER, row(3L));
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(rows(snapshot, "public", "more")).containsExactly(List.of(3L));
                assertThat(snapshot.table("public", "slow").isOpen()).isFalse();
            }
            assertThat(opened).as("times that it was begun").hasValue(1);
            isFree.countDown();
            assertThat(rows(old, "public", "slow")).containsExactly(List.of(1L));
            long version = old.version();
            old.close();
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.version()).isGreaterThan(version);
                assertThat(snapshot.table("public", "slow")).isInstanceOf(ArrowTable.class);
                assertThat(rows(snapshot, "public", "slow")).containsExactly(List.of(1L));
            }
        }
    }

    /// What is done once a column must not look at all the others.
    @Test
    void thirtyThousandColumns() throws IOException {
        Field[] fields = new Field[30_000];
        Object[] values = new Object[fields.length];
        for (int column = 0; column < fields.length; column++) {
            fields[column] = new Field("column " + column, DataType.INT64, false);
            values[column] = (long) column;
        }
        write(root.resolve("wide.arrow"), Schema.of(fields), values);
        Files.createDirectory(root.resolve("twice"));
        Files.copy(root.resolve("wide.arrow"), root.resolve("twice/a.arrow"));
        Files.copy(root.resolve("wide.arrow"), root.resolve("twice/b.arrow"));
        long start = System.nanoTime();
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "twice").fault()).isNull();
            Table wide = snapshot.table("public", "wide");
            assertThat(wide.schema().size()).isEqualTo(fields.length);
            try (Batch batch = wide.read(0, new int[] {29_999})) {
                assertThat(RandomBatch.rows(batch)).containsExactly(List.of(29_999L));
            }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
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

    private List<UniqueKey> keys() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table("public", "t").uniqueKeys();
        }
    }

    @Test
    void keysAreThoseOfTheManifestAndOfOneRun() throws IOException {
        List<UniqueKey> declared = List.of(
                new UniqueKey("t_pkey", UniqueKey.Kind.PRIMARY, List.of("n"), true),
                new UniqueKey("both", UniqueKey.Kind.INDEX, List.of("s", "n"), false));
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            add(run, "public", "t", NAMED, row(1L, "a"));
            run.declareKeys("public", "t", declared);
            run.finish("public", "t");
        }
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, null, "key")) {
            run.commit(null, null);
        }
        assertThat(keys()).isEqualTo(declared);
        Path manifest = root.resolve(Manifest.FILE_NAME);
        String text = Files.readString(manifest);
        Files.writeString(manifest, text.replace("\"index\"", "\"of a later version\""));
        assertThat(keys()).isEqualTo(declared.subList(0, 1));
        Files.writeString(manifest, text.replace("[ \"s\", \"n\" ]", "[ \"s\", \"s\" ]"));
        assertThatThrownBy(this::keys).hasMessageContaining("has a key both of columns [s, s]");
        Files.writeString(manifest, text);
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, null)) {
            add(run, "public", "t", NAMED, row(2L, "b"));
            run.declareKeys("public", "t", declared);
            run.commit(null, null);
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void aTableWhoseKeysAloneChangeIsANewOne() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1L);
        Path manifest = root.resolve(Manifest.FILE_NAME);
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t").uniqueKeys()).isEmpty();
            }
            String key =
                    "\"uniqueKeys\": [{\"name\": \"k\", \"kind\": \"constraint\", \"columns\": [\"n\"]}], \"files\"";
            Files.writeString(manifest, Files.readString(manifest).replace("\"files\"", key));
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t").uniqueKeys())
                        .containsExactly(new UniqueKey("k", UniqueKey.Kind.CONSTRAINT, List.of("n"), true));
            }
        }
    }
}
