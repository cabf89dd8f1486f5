package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.files.BatchBuilder;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What batches take while they grow, and the sizes that a bound leaves them.
final class MemoryBoundTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final PostgresSource SOURCE = PostgresSource.parse("postgresql://a@localhost/b");

    private static ExportConfig.Builder config() {
        return ExportConfig.builder(SOURCE, Path.of("out")).tables("t");
    }

    @Test
    void batchesBecomeSmallerUntilAllWorkersFit() {
        long batch = config().workers(4).memoryBytes(600L << 20).build().batchBytes();
        assertThat(4 * batch * 3 / 2 + (300L << 20)).isLessThanOrEqualTo(600L << 20);
        assertThat(batch).isGreaterThan(40L << 20);
        assertThat(config().workers(4)
                        .memoryBytes(600L << 20)
                        .zstdLevel(1)
                        .build()
                        .batchBytes())
                .isLessThan(batch);
        assertThat(config().workers(4)
                        .memoryBytes(1L << 40)
                        .batchBytes(5000)
                        .build()
                        .batchBytes())
                .isEqualTo(5000);
        assertThatThrownBy(() -> config().workers(4).memoryBytes(302L << 20).build())
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("too few for 4 workers");
    }

    /// Rows whose texts become larger and smaller: whatever was foreseen is wrong.
    @Test
    void aBatchTakesHalfAsMuchAgainAtMost() {
        Random random = new Random(SEED);
        Schema schema = new Schema(List.of(
                new Field("id", DataType.INT64, false, null),
                new Field("name", DataType.UTF8, true, null),
                new Field("note", DataType.UTF8, true, null)));
        long batchBytes = 8L << 20;
        int batches = 0;
        long most = 0;
        try (BatchBuilder builder = new BatchBuilder(schema, Set.of(), batchBytes, Long.MAX_VALUE)) {
            for (int row = 0; row < 400_000; row++) {
                ColumnWriter[] writers = builder.writers();
                int size = row / 50_000 % 2 == 0 ? 10 : 300;
                writers[0].appendInt64(row);
                writers[1].appendUtf8("x".repeat(random.nextInt(size)));
                if (row % 3 == 0) {
                    writers[2].appendNull();
                } else {
                    writers[2].appendUtf8("y".repeat(random.nextInt(310 - size)));
                }
                builder.foresee();
                most = Math.max(most, builder.memoryBytes());
                if (row % 100 == 0 && builder.isFull()) {
                    try (Batch batch = builder.take()) {
                        assertThat(batch.rowCount()).isGreaterThan(1000);
                        batches++;
                    }
                }
            }
        }
        assertThat(batches).isBetween(4, 60);
        // Where a column outgrows what was foreseen, its old buffer and the new one are there at once.
        assertThat(most).isLessThan(batchBytes * 2 + (2 << 20));
    }
}
