package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A process that commits run after run is killed without warning: readers find a whole run, the next run works.
class KilledRunTest {
    private static final Schema SCHEMA = Schema.of(new Field("run", DataType.INT64, false));
    private static final int KILLS = 3;
    private static final int ROWS = 5_000;

    @TempDir
    private Path root;

    /// What the killed process does: each run writes the same number into every row of two tables.
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) {
            while (true) {
                commitOne(Path.of(arguments[0]));
                System.out.println("committed");
            }
        }
    }

    private static int commitOne(Path root) {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "victim");
                Arena arena = Arena.ofConfined()) {
            for (String table : List.of("a", "b")) {
                try (ArrowFileWriter file = run.create("public", table, SCHEMA, WriteOptions.PLAIN)) {
                    for (int batch = 0; batch < 3; batch++) {
                        ColumnWriter numbers = new ColumnWriter(DataType.INT64, Allocator.of(arena), ROWS);
                        for (int row = 0; row < ROWS; row++) {
                            numbers.appendInt64(run.run());
                        }
                        file.append(Batch.view(SCHEMA, List.of(numbers.finish()), ROWS));
                    }
                    run.add("public", table, file.finish());
                }
            }
            run.commit(null, null);
            return run.run();
        }
    }

    @Test
    void aKilledRunLeavesThePreviousDataset() throws IOException, InterruptedException {
        long seed = Long.getLong("quarrel.seed", System.nanoTime());
        System.out.println("KilledRunTest seed " + seed);
        Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            Process victim = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Victim.class.getName(),
                            root.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader output =
                    new BufferedReader(new InputStreamReader(victim.getInputStream(), StandardCharsets.UTF_8))) {
                for (int committed = random.nextInt(1, 4); committed > 0; committed--) {
                    assertThat(output.readLine()).isEqualTo("committed");
                }
                Thread.sleep(random.nextInt(30));
            } finally {
                victim.destroyForcibly().waitFor();
            }
            long found = onlyRun();
            assertThat(found).isPositive();
            assertThat(Inspection.of(root, true).isSound()).isTrue();
            assertThat(commitOne(root)).isGreaterThan((int) found);
            assertThat(onlyRun()).isGreaterThan(found);
        }
    }

    /// The run that every row of both tables is of.
    private long onlyRun() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Set<Object> runs = new HashSet<>();
            for (String table : List.of("a", "b")) {
                List<List<Object>> rows = RandomBatch.rows(snapshot.table("public", table));
                assertThat(rows).hasSize(3 * ROWS);
                rows.forEach(row -> runs.add(row.getFirst()));
            }
            assertThat(runs).hasSize(1);
            return (Long) runs.iterator().next();
        }
    }
}
