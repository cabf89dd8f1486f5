package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.RandomBatch;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Statistics of files that bring none: those the writer would have written, made once.
class StatsCacheTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    @TempDir
    private Path folder;

    private Path root;
    private Path caches;

    @BeforeEach
    void folders() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
        caches = folder.resolve("caches").resolve("statistics");
    }

    /// Columns of every type and a row number, which ascends.
    private static Batch batch(Random random, int rowCount, long firstRow, Arena arena) {
        Batch values = RandomBatch.of(RandomBatch.EVERY_TYPE, rowCount, 0.1, random, arena);
        MemorySegment numbers = arena.allocate(Math.max(8, rowCount * 8L), 8);
        for (int row = 0; row < rowCount; row++) {
            numbers.setAtIndex(ValueLayout.JAVA_LONG, row, firstRow + row);
        }
        List<Column> columns = new ArrayList<>(values.columns());
        columns.add(new FixedColumn(DataType.INT64, rowCount, numbers, Validity.allPresent()));
        return Batch.view(schema(), columns, rowCount);
    }

    private static Schema schema() {
        List<Field> fields = new ArrayList<>(RandomBatch.EVERY_TYPE.fields());
        fields.add(new Field("number", DataType.INT64, false));
        return new Schema(fields);
    }

    /// Writes a file, takes its statistics away, and answers them.
    private static FileStats writeForeign(Path path, int batches, long firstRow) throws IOException {
        Random random = new Random(SEED);
        FileStats stats;
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema(), WriteOptions.PLAIN.withDurable(false));
                Arena arena = Arena.ofConfined()) {
            for (int batch = 0; batch < batches; batch++) {
                writer.append(batch(random, 200, firstRow + 200L * batch, arena));
            }
            stats = writer.finish().stats();
        }
        String text = Files.readString(path, StandardCharsets.ISO_8859_1);
        assertThat(text).contains(FooterStats.KEY);
        Files.writeString(path, text.replace(FooterStats.KEY, "somebody.else"), StandardCharsets.ISO_8859_1);
        return stats;
    }

    private List<Path> entries() throws IOException {
        if (!Files.exists(caches)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.list(caches)) {
            return paths.toList();
        }
    }

    /// The table after a read, when its statistics have come.
    private static TableStats statsAfterRead(DatasetCatalog catalog) throws InterruptedException {
        long version;
        try (CatalogSnapshot snapshot = catalog.snapshot()) {
            version = snapshot.version();
            Table table = snapshot.table("public", "t");
            table.read(0, new int[] {0}).close();
        }
        for (int wait = 0; wait < 2_000; wait++) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                if (snapshot.version() > version) {
                    return snapshot.table("public", "t").stats();
                }
            }
            Thread.sleep(5);
        }
        throw new AssertionError("no statistics after 10 s");
    }

    @Test
    void statisticsAreThoseThatTheWriterMakes() throws Exception {
        FileStats written = writeForeign(root.resolve("t.arrow"), 3, 0);
        assertThat(written.sortedBy()).containsExactly("number");
        TableStats made;
        int number = schema().size() - 1;
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t").sortedBy()).isEmpty();
                assertThat(snapshot.table("public", "t").batchStats(0, number).min())
                        .isNull();
            }
            made = statsAfterRead(catalog);
            assertThat(made.columns().get(number).min()).isEqualTo(0L);
            assertThat(made.columns().get(number).max()).isEqualTo(599L);
        }
        assertThat(entries()).hasSize(1);
        // The next process knows them at once.
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Table table = snapshot.table("public", "t");
            assertThat(table.stats()).isEqualTo(made);
            assertThat(table.sortedBy()).containsExactly(number);
            for (int batch = 0; batch < 3; batch++) {
                for (int column = 0; column <= number; column++) {
                    assertThat(table.batchStats(batch, column))
                            .as("batch %d of column %d", batch, column)
                            .isEqualTo(written.batches().get(batch).columns().get(column));
                }
            }
        }
        assertThat(Files.list(root)).hasSize(1);
    }

    /// Wrong bounds make wrong rows, and names are known to everybody.
    @Test
    void entriesOfOthersDoNotCount(@TempDir Path others) throws Exception {
        writeForeign(root.resolve("t.arrow"), 3, 0);
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            statsAfterRead(catalog);
        }
        int number = schema().size() - 1;
        Path entry = entries().getFirst();
        Path moved = Files.move(entry, others.resolve("entry"));
        Files.createSymbolicLink(entry, moved);
        assertThat(leastKnown(number)).isNull();
        Files.delete(entry);
        Files.copy(moved, entry);
        assertThat(leastKnown(number)).isEqualTo(0L);
        try {
            Files.setOwner(
                    entry, entry.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        } catch (FileSystemException | UserPrincipalNotFoundException _) {
            return; // only root can give a file away
        }
        assertThat(leastKnown(number)).isNull();
    }

    private Object leastKnown(int column) {
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table("public", "t").batchStats(0, column).min();
        }
    }

    /// Files of one folder are one table, whose rows ascend if those of each file do and follow one another.
    @Test
    void severalFiles() throws Exception {
        Path table = Files.createDirectory(root.resolve("t"));
        for (int file = 0; file < 3; file++) {
            writeForeign(table.resolve("part" + file + ".arrow"), 1, 1000L * file);
        }
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            assertThat(statsAfterRead(catalog).columns().getLast().max()).isEqualTo(2199L);
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t").sortedBy()).containsExactly(schema().size() - 1);
            }
        }
        assertThat(entries()).hasSize(3);
    }

    @Test
    void entriesOfOtherFilesAndBrokenOnesAreIgnored() throws Exception {
        Path file = root.resolve("t.arrow");
        writeForeign(file, 2, 0);
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            statsAfterRead(catalog);
        }
        Path entry = entries().getFirst();
        String good = Files.readString(entry);
        for (String bad : List.of(
                "",
                "{",
                "[]",
                "null",
                good.substring(0, good.length() / 2),
                good.replaceFirst("\"size\":\\d+", "\"size\":7"),
                good.replaceFirst("\"modified\":\\d+", "\"modified\":7"),
                good.replaceFirst("\"key\":\"[^\"]*\"", "\"key\":\"x\""),
                good.replace("\"format\":1", "\"format\":2"),
                good.replace("number", "numbers"),
                good.replaceFirst("\"rows\":200", "\"rows\":199"))) {
            Files.writeString(entry, bad);
            try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches));
                    CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t").sortedBy()).as(bad).isEmpty();
            }
        }
        // A file that is written anew has statistics of its own.
        writeForeign(file, 2, 5_000);
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            assertThat(statsAfterRead(catalog).columns().getLast().min()).isEqualTo(5_000L);
        }
        assertThat(entries()).containsExactly(entry);
    }

    @Test
    void withoutCacheNoneAreMade() throws Exception {
        writeForeign(root.resolve("t.arrow"), 1, 0);
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                snapshot.table("public", "t").read(0, new int[] {0}).close();
            }
            Thread.sleep(50);
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t").sortedBy()).isEmpty();
            }
        }
        assertThat(entries()).isEmpty();
    }

    /// A folder that nobody may write, or that is a file, costs the entry alone.
    @Test
    void aCacheThatCannotBeWritten() throws Exception {
        writeForeign(root.resolve("t.arrow"), 1, 0);
        Files.writeString(folder.resolve("caches"), "no folder");
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            assertThat(statsAfterRead(catalog).columns().getLast().max()).isEqualTo(199L);
        }
    }

    @Test
    void closedWhileItLooks() throws Exception {
        for (int turn = 0; turn < 5; turn++) {
            writeForeign(root.resolve("t.arrow"), 40, turn);
            try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
                try (CatalogSnapshot snapshot = catalog.snapshot()) {
                    snapshot.table("public", "t").read(0, new int[] {0}).close();
                }
                Thread.sleep(3L * turn);
            }
        }
        try (DatasetCatalog catalog = DatasetCatalog.open(root, new StatsCache(caches))) {
            assertThat(statsAfterRead(catalog).columns().getLast().max()).isEqualTo(8_003L);
        }
    }

    @Test
    void whereTheCacheIs() {
        assertThat(StatsCache.ofUser(Map.of("XDG_CACHE_HOME", "/x"), "/home/u").folder())
                .isEqualTo(Path.of("/x/quarrel/statistics"));
        assertThat(StatsCache.ofUser(Map.of("XDG_CACHE_HOME", "x"), "/home/u").folder())
                .isEqualTo(Path.of("/home/u/.cache/quarrel/statistics"));
        assertThat(StatsCache.ofUser(Map.of(), "/home/u").folder())
                .isEqualTo(Path.of("/home/u/.cache/quarrel/statistics"));
        assertThat(StatsCache.ofUser(Map.of(), "")).isNull();
    }
}
