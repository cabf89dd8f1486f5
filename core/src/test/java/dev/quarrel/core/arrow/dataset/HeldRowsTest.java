package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.rows.MetRows;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What rows of tables are held to, and what they hold of which nothing is said: in the manifest, for all processes.
class HeldRowsTest {
    private static final Schema COLUMNS =
            new Schema(List.of(new Field("id", DataType.INT32, false), new Field("t", DataType.UTF8, true)));
    private static final UniqueKey KEY = new UniqueKey("t_pkey", UniqueKey.Kind.PRIMARY, List.of("id"), true, true);
    private static final Counter COUNTER = new Counter(Counter.Kind.SERIAL, "t_id_seq", 7, 1, 1, 1, 0);

    @TempDir
    private Path root;

    private static Batch rows(PooledMemory memory, Object... values) {
        ColumnWriter ids = new ColumnWriter(DataType.INT32, memory, values.length);
        ColumnWriter texts = new ColumnWriter(DataType.UTF8, memory, values.length);
        for (Object id : values) {
            ids.append(id);
            texts.append("t" + id);
        }
        return Batch.view(COLUMNS, ColumnWriter.finishAll(List.of(ids, texts)), values.length);
    }

    private static StagedTable staged(DatasetTransaction changes, Object... ids) {
        StagedTable staged = changes.stage("public");
        try (PooledMemory memory = new PooledMemory();
                TableLoad load = staged.load(COLUMNS, WriteOptions.PLAIN)) {
            load.append(rows(memory, ids));
            load.finish();
        }
        return staged;
    }

    private void make(DatasetCatalog catalog) {
        try (DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
            List<ColumnDefault> defaults = List.of(
                    new ColumnDefault("id", "nextval('t_id_seq'::regclass)", COUNTER),
                    new ColumnDefault("t", "'x'::text"));
            changes.createTable("public", "t", false, staged(changes), defaults, List.of(KEY));
            changes.commit(() -> {});
        }
    }

    private static void isTwice(QueryException wrong, int id) {
        assertThat(wrong.state()).isEqualTo(SqlState.UNIQUE_VIOLATION);
        assertThat(wrong.detail()).isEqualTo("Key (id)=(" + id + ") already exists.");
        assertThat(wrong.constraint()).isEqualTo("t_pkey");
    }

    private static QueryException failure(Runnable of) {
        try {
            of.run();
        } catch (QueryException wrong) {
            return wrong;
        }
        throw new AssertionError("it went well");
    }

    @Test
    void manifestsHaveDefaultsAndKeys() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            make(catalog);
        }
        Manifest.TableEntry table = Manifest.read(root).tables().getFirst();
        assertThat(table.uniqueKeys()).containsExactly(KEY);
        assertThat(table.defaults().getFirst().counter()).isEqualTo(COUNTER);
        assertThat(table.defaults().getLast()).isEqualTo(new ColumnDefault("t", "'x'::text"));
        Manifest.TableEntry other = new Manifest.TableEntry(
                "public", "t", table.fields(), List.of(KEY), table.files(), null, table.defaults());
        assertThat(other).isEqualTo(table);
    }

    @Test
    void rowsAreHeldToKeysWithinATransactionAndBetween() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                PooledMemory memory = new PooledMemory()) {
            make(catalog);
            try (DatasetTransaction first = DatasetTransaction.begin(catalog);
                    DatasetTransaction second = DatasetTransaction.begin(catalog)) {
                first.append("public", "t", staged(first, 1L, 2L), "SQL");
                isTwice(failure(() -> first.append("public", "t", staged(first, 3L, 2L), "SQL")), 2);
                isTwice(failure(() -> first.append("public", "t", staged(first, 4L, 4L), "SQL")), 4);
                first.append("public", "t", COLUMNS, rows(memory, 5L));
                isTwice(failure(() -> first.append("public", "t", COLUMNS, rows(memory, 5L))), 5);
                isTwice(failure(() -> first.append("public", "t", COLUMNS, rows(memory, 1L))), 1);
                second.append("public", "t", COLUMNS, rows(memory, 5L));
                first.commit(() -> {});
                isTwice(failure(() -> second.commit(() -> {})), 5);
            }
            try (DatasetTransaction third = DatasetTransaction.begin(catalog)) {
                assertThat(third.rowCount("public", "t")).isEqualTo(3);
                isTwice(failure(() -> third.append("public", "t", staged(third, 5L), "SQL")), 5);
            }
        }
    }

    /// Runs that add files, an import's, are held to keys, too.
    @Test
    void runsAreHeldToKeys() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            make(catalog);
        }
        append(1L, 2L);
        isTwice(failure(() -> append(7L, 2L)), 2);
        append(3L);
        Manifest.TableEntry table = Manifest.read(root).tables().getFirst();
        assertThat(table.uniqueKeys()).containsExactly(KEY);
        assertThat(table.defaults()).hasSize(2);
    }

    private void append(Object... ids) {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "test");
                PooledMemory memory = new PooledMemory()) {
            try (var file = run.create("public", "t", COLUMNS, WriteOptions.PLAIN)) {
                file.append(rows(memory, ids));
                run.add("public", "t", file.finish());
            }
            run.commit(null, null);
        }
    }

    /// Two processes do not know what values the other has given out: who comes second fails, and then goes on behind.
    @Test
    void countersOfTwoProcessesGiveNoValueTwice() {
        try (DatasetCatalog one = DatasetCatalog.open(root)) {
            make(one);
            try (DatasetCatalog other = DatasetCatalog.open(root)) {
                try (DatasetTransaction first = DatasetTransaction.begin(one);
                        DatasetTransaction second = DatasetTransaction.begin(other)) {
                    assertThat(next(first)).isEqualTo(1);
                    assertThat(next(first)).isEqualTo(2);
                    assertThat(next(second)).isEqualTo(1);
                    first.append("public", "t", staged(first, 1L, 2L), "SQL");
                    second.append("public", "t", staged(second, 10L), "SQL");
                    first.commit(() -> {});
                    assertThatThrownBy(() -> second.commit(() -> {}))
                            .isInstanceOfSatisfying(
                                    QueryException.class,
                                    wrong -> assertThat(wrong.state()).isEqualTo(SqlState.SERIALIZATION_FAILURE));
                }
                try (DatasetTransaction again = DatasetTransaction.begin(other)) {
                    assertThat(next(again)).isEqualTo(3);
                    again.append("public", "t", staged(again, 3L), "SQL");
                    again.commit(() -> {});
                }
            }
        }
        assertThat(counter().next()).isEqualTo(4);
    }

    private Counter counter() {
        return Manifest.read(root).tables().getFirst().defaults().getFirst().counter();
    }

    private long next(DatasetTransaction changes) {
        return changes.nextValues(counter(), 1, "integer", Integer.MAX_VALUE);
    }

    @Test
    void rowsThatMeetOthersAreTold() {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                PooledMemory memory = new PooledMemory()) {
            make(catalog);
            try (DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
                changes.append("public", "t", staged(changes, 1L, 2L), "SQL");
                List<Batch> given = List.of(rows(memory, 1L, 5L, 5L, 6L), rows(memory, 6L, 2L, 7L));
                try (MetRows met = changes.met("public", "t", List.of(KEY), COLUMNS, given, true)) {
                    assertThat(met.fresh().stream().mapToInt(Batch::rowCount)).containsExactly(2, 1);
                    assertThat(met.met().stream().mapToInt(Batch::rowCount)).containsExactly(1, 1);
                    assertThat(met.hasSame()).isTrue();
                }
            }
        }
    }
}
