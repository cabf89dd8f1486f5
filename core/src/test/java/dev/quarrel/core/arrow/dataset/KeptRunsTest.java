package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.RandomBatch;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// States of a dataset before its newest one.
class KeptRunsTest {
    private static final Schema NUMBER = Schema.of(new Field("n", DataType.INT64, false));

    @TempDir
    private Path root;

    private void commit(DatasetWriter.Mode mode, int keptRuns, String table, long value) {
        try (DatasetWriter run = DatasetWriter.begin(root, mode, "a test", null, keptRuns)) {
            try (ArrowFileWriter writer = run.create("public", table, NUMBER, WriteOptions.PLAIN);
                    Arena arena = Arena.ofConfined()) {
                ColumnWriter column = new ColumnWriter(DataType.INT64, Allocator.of(arena));
                column.appendInt64(value);
                writer.append(Batch.view(NUMBER, ColumnWriter.finishAll(List.of(column)), 1));
                run.add("public", table, writer.finish());
            }
            run.commit(null, null);
        }
    }

    private List<Long> numbers(DatasetCatalog catalog, String table) {
        try (CatalogSnapshot snapshot = catalog.snapshot()) {
            Table found = snapshot.table("public", table);
            return found == null
                    ? null
                    : RandomBatch.rows(found).stream()
                            .map(row -> (Long) row.getFirst())
                            .toList();
        }
    }

    private List<Long> numbers(int run, String table) {
        try (DatasetCatalog catalog = DatasetCatalog.openRun(root, run, null, root.resolve("copies"))) {
            return numbers(catalog, table);
        }
    }

    private List<String> parts() throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.map(path -> root.relativize(path).toString())
                    .filter(path -> path.contains("part-") || path.contains("manifest-"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void earlierStatesStayReadable() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 2, "t", 1);
        commit(DatasetWriter.Mode.REPLACE, 2, "u", 2);
        commit(DatasetWriter.Mode.REPLACE, 2, "t", 3);
        assertThat(numbers(1, "t")).containsExactly(1L);
        assertThat(numbers(1, "u")).isNull();
        assertThat(numbers(2, "t")).containsExactly(1L);
        assertThat(numbers(2, "u")).containsExactly(2L);
        assertThat(numbers(3, "t")).containsExactly(3L);
        commit(DatasetWriter.Mode.APPEND, 2, "t", 4);
        assertThat(numbers(2, "t")).containsExactly(1L);
        assertThat(numbers(3, "t")).containsExactly(3L);
        assertThat(numbers(4, "t")).containsExactly(3L, 4L);
        assertThat(parts())
                .containsExactly(
                        "_replaced/1/t/part-1-0.arrow",
                        "_replaced/manifest-2.json",
                        "_replaced/manifest-3.json",
                        "t/part-3-0.arrow",
                        "t/part-4-0.arrow",
                        "u/part-2-0.arrow");
    }

    @Test
    void aRunThatIsNotKeptIsAnError() {
        commit(DatasetWriter.Mode.REPLACE, 1, "t", 1);
        commit(DatasetWriter.Mode.REPLACE, 1, "t", 2);
        commit(DatasetWriter.Mode.REPLACE, 1, "t", 3);
        assertThatThrownBy(() -> numbers(1, "t"))
                .isInstanceOfSatisfying(
                        QueryException.class, error -> assertThat(error.state()).isEqualTo(SqlState.UNDEFINED_OBJECT))
                .hasMessage("the dataset has no run 1 any more");
        assertThat(numbers(2, "t")).containsExactly(2L);
        assertThatThrownBy(() -> numbers(4, "t")).isInstanceOf(QueryException.class);
    }

    /// What is open is read to its end, though its files go meanwhile.
    @Test
    void anOpenStateOutlivesItsFiles() throws IOException {
        commit(DatasetWriter.Mode.REPLACE, 1, "t", 1);
        try (DatasetCatalog first = DatasetCatalog.openRun(root, 1, null, root.resolve("copies"))) {
            commit(DatasetWriter.Mode.REPLACE, 0, "t", 2);
            commit(DatasetWriter.Mode.REPLACE, 0, "t", 3);
            commit(DatasetWriter.Mode.REPLACE, 0, "t", 4);
            assertThat(numbers(first, "t")).containsExactly(1L);
            assertThat(first.run()).hasValue(1);
        }
        assertThat(parts()).containsExactly("_replaced/3/t/part-3-0.arrow", "t/part-4-0.arrow");
        try (DatasetCatalog newest = DatasetCatalog.open(root)) {
            assertThat(newest.run()).hasValue(4);
        }
    }
}
