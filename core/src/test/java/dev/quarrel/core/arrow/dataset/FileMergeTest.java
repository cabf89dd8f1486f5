package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.RandomBatch;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that are written anew have the rows that were left in the old ones.
final class FileMergeTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final Schema SCHEMA = Schema.of(
            new Field("n", DataType.INT64, false),
            new Field("s", DataType.UTF8, true),
            new Field("d", new DataType.Decimal(12, 2), true),
            new Field("f", DataType.FLOAT64, true),
            new Field("b", DataType.BOOL, true));
    private static final UniqueKey KEY = new UniqueKey("t_pkey", UniqueKey.Kind.PRIMARY, List.of("n"), false);

    @TempDir
    private Path root;

    private final Random random = new Random(SEED);
    private long next;

    private void append(ArrowFileWriter file, int rows, boolean isNull) {
        try (Arena arena = Arena.ofConfined()) {
            List<ColumnWriter> writers = SCHEMA.fields().stream()
                    .map(field -> new ColumnWriter(field.type(), Allocator.of(arena)))
                    .toList();
            for (int row = 0; row < rows; row++) {
                RandomBatch.append(writers.get(0), next++);
                RandomBatch.append(writers.get(1), isNull || next % 7 == 0 ? null : "text " + random.nextInt(30));
                RandomBatch.append(
                        writers.get(2), isNull || next % 5 == 0 ? null : BigDecimal.valueOf(random.nextInt(9_999), 2));
                RandomBatch.append(writers.get(3), isNull ? null : random.nextGaussian());
                RandomBatch.append(writers.get(4), random.nextInt(3) == 0 ? null : random.nextBoolean());
            }
            file.append(Batch.view(SCHEMA, ColumnWriter.finishAll(writers), rows));
        }
    }

    private void write(int files, int rows, Map<String, String> keys, WriteOptions options) {
        List<Field> keyFields = keys.isEmpty() ? List.of() : List.of(new Field("day", DataType.UTF8, true));
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "a test")) {
            for (int file = 0; file < files; file++) {
                try (ArrowFileWriter out = run.create("public", "t", keys, SCHEMA, options)) {
                    append(out, rows == 0 ? random.nextInt(300) : rows, file % 4 == 3);
                    run.add("public", "t", keys, keyFields, out.finish());
                }
            }
            run.commit(null, null);
        }
    }

    private Manifest.TableEntry table() {
        return Manifest.read(root).tables().getFirst();
    }

    private List<List<Object>> rows() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            List<List<Object>> rows = new ArrayList<>(RandomBatch.rows(snapshot.table("public", "t")));
            rows.sort((one, other) -> Long.compare((Long) one.getFirst(), (Long) other.getFirst()));
            return rows;
        }
    }

    private static DeletedRows some(Manifest.FileEntry file, int each) {
        return DeletedRows.of(
                LongStream.range(0, file.rows()).filter(row -> row % each == 0).toArray());
    }

    /// Deletes rows of each file, and has files written anew in the same run.
    private int change(int each) {
        Manifest.TableEntry before = table();
        Map<String, DeletedRows> deleted = new HashMap<>();
        before.files().forEach(file -> deleted.put(file.path(), some(file, each)));
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "a test")) {
            run.declareKeys("public", "t", List.of(KEY));
            run.change("public", "t", deleted);
            int merged = FileMerge.into(run, before.withDeleted(deleted), WriteOptions.PLAIN, () -> {});
            run.commit(null, null);
            return merged;
        }
    }

    @Test
    void manySmallFilesBecomeOneOfTheRowsThatAreLeft() {
        write(20, 0, Map.of(), WriteOptions.PLAIN);
        write(20, 0, Map.of(), WriteOptions.PLAIN.withDictionary("s", 1));
        write(1, 1, Map.of(), WriteOptions.PLAIN.withZstd(3));
        List<List<Object>> all = rows();
        List<List<Object>> left = new ArrayList<>();
        int first = 0;
        for (Manifest.FileEntry file : table().files()) {
            for (int row = 0; row < file.rows(); row++) {
                if (row % 3 != 0) {
                    left.add(all.get(first + row));
                }
            }
            first += (int) file.rows();
        }
        change(3);
        assertThat(rows()).as("seed %d", SEED).isEqualTo(left);
        assertThat(table().files()).hasSize(1);
        assertThat(table().files().getFirst().deleted().isEmpty()).isTrue();
        assertThat(table().uniqueKeys()).containsExactly(KEY);
        assertThat(table().files().getFirst().stats().batches()).hasSize(1);
    }

    /// Files of another folder, of another size, and too few stay.
    @Test
    void onlyWhatIsAlikeIsMerged() {
        write(31, 10, Map.of("day", "1"), WriteOptions.PLAIN);
        write(32, 10, Map.of("day", "2"), WriteOptions.PLAIN);
        write(32, 10, Collections.singletonMap("day", null), WriteOptions.PLAIN);
        write(1, 50_000, Map.of("day", "2"), WriteOptions.PLAIN); // above 1 MiB
        List<List<Object>> before = rows();
        assertThat(change(1_000_000) > 0).isTrue();
        assertThat(rows()).hasSize(before.size() - 96);
        List<String> days = new ArrayList<>();
        table().files().forEach(file -> days.add(file.keys().get("day") + " " + file.rows()));
        Collections.sort(days);
        assertThat(days.stream().filter(day -> day.startsWith("2"))).containsExactly("2 288", "2 50000");
        assertThat(days.stream().filter(day -> day.startsWith("null"))).containsExactly("null 288");
        assertThat(days.stream().filter(day -> day.equals("1 10"))).hasSize(31);
    }

    @Test
    void aLargeFileIsWrittenAnewWhenAQuarterOfItIsDeleted() {
        write(1, 700_000, Map.of(), WriteOptions.PLAIN);
        assertThat(table().files().getFirst().bytes()).isGreaterThan(16 << 20);
        assertThat(change(5)).isZero();
        assertThat(table().files().getFirst().deleted().count()).isEqualTo(140_000);
        List<List<Object>> all = rows();
        assertThat(change(3)).isEqualTo(1);
        assertThat(table().files().getFirst().deleted().isEmpty()).isTrue();
        assertThat(table().files().getFirst().rows()).isEqualTo(700_000 - 233_334);
        all.clear();
        assertThat(rows().get(1).getFirst()).isEqualTo(2L);
    }

    @Test
    void appendedFilesAreMergedAsTheyCome() throws IOException {
        Schema schema = Schema.of(new Field("n", DataType.INT64, false));
        int most = 0;
        for (int run = 0; run < 70; run++) {
            try (DatasetCatalog catalog = DatasetCatalog.open(root);
                    DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
                StagedTable staged = changes.stage("public");
                try (TableLoad load = staged.load(schema, WriteOptions.PLAIN);
                        Arena arena = Arena.ofConfined()) {
                    ColumnWriter writer = new ColumnWriter(DataType.INT64, Allocator.of(arena));
                    RandomBatch.append(writer, (long) run);
                    load.append(Batch.view(schema, ColumnWriter.finishAll(List.of(writer)), 1));
                    load.finish();
                }
                if (run == 0) {
                    changes.createTable("public", "t", false, staged);
                } else {
                    changes.append("public", "t", staged, "SQL");
                }
                changes.commit(() -> {});
            }
            most = Math.max(most, table().files().size());
        }
        assertThat(most).isLessThan(34);
        assertThat(rows().stream().map(List::getFirst))
                .containsExactlyElementsOf(LongStream.range(0, 70).boxed().toList());
        try (var files = Files.list(root.resolve("t"))) {
            assertThat(files).hasSizeLessThan(36);
        }
    }

    @Test
    void aRunThatIsStoppedLeavesTheFiles() {
        write(32, 5, Map.of(), WriteOptions.PLAIN);
        List<List<Object>> before = rows();
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "a test")) {
            assertThatThrownBy(() -> FileMerge.into(run, table(), WriteOptions.PLAIN, () -> {
                        throw new QueryException(SqlState.QUERY_CANCELED, "stopped");
                    }))
                    .hasMessage("stopped");
        }
        assertThat(rows()).isEqualTo(before);
        assertThat(table().files()).hasSize(32);
        assertThat(Arrays.stream(root.toFile().list()).filter(name -> name.startsWith("_writing")))
                .isEmpty();
    }
}
