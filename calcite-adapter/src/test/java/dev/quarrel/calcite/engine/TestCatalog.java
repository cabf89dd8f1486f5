package dev.quarrel.calcite.engine;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/// Tables in memory, which a test may change, and how many snapshots of them are open.
final class TestCatalog implements Catalog {
    static final Schema T = Schema.of(
            new Field("a", DataType.INT32, true),
            new Field("b", DataType.UTF8, true),
            new Field("c", new DataType.Decimal(12, 2), true),
            new Field("d", DataType.DATE, true),
            new Field("e", DataType.FLOAT64, true),
            new Field("p", DataType.UTF8, true, "character(4)"));
    static final Schema U = Schema.of(new Field("a", DataType.INT32, true), new Field("n", DataType.UTF8, true));

    final AtomicInteger openSnapshots = new AtomicInteger();
    private volatile Map<String, Table> tables = Map.of();
    private volatile long version;

    /// `t` of four rows, the last all NULL but for c; `u` of five, with repeated and NULL keys.
    static TestCatalog small() {
        TestCatalog catalog = new TestCatalog();
        catalog.put(
                "t",
                T,
                row(1L, "x", new BigDecimal("1.50"), 9000L, 1.5, "ab  "),
                row(2L, "y", new BigDecimal("2.25"), 9001L, 2.5, "abc "),
                row(3L, "x", null, 9100L, -0.5, "ab  "),
                row(null, null, new BigDecimal("-7.00"), null, null, null));
        catalog.put("u", U, row(1L, "one"), row(2L, "two"), row(2L, "deux"), row(5L, "five"), row(null, "nul"));
        return catalog;
    }

    static Object[] row(Object... values) {
        return values;
    }

    void put(String name, Schema schema, Object[]... rows) {
        List<ColumnWriter> writers = schema.fields().stream()
                .map(field -> new ColumnWriter(field.type(), Allocator.of(Arena.global())))
                .toList();
        for (Object[] row : rows) {
            for (int column = 0; column < row.length; column++) {
                writers.get(column).append(row[column]);
            }
        }
        Map<String, Table> changed = new TreeMap<>(tables);
        Batch batch = Batch.view(schema, ColumnWriter.finishAll(writers), rows.length);
        changed.put(name, new MemoryTable("public", name, schema, rows.length == 0 ? List.of() : List.of(batch)));
        tables = Map.copyOf(changed);
        version++;
    }

    /// Adds a table of one int4 column `k`, of which bounds are known.
    void putBounded(String name, long... values) {
        Object[][] rows = LongStream.of(values).mapToObj(TestCatalog::row).toArray(Object[][]::new);
        put(name, Schema.of(new Field("k", DataType.INT32, true)), rows);
        Map<String, Table> changed = new TreeMap<>(tables);
        changed.put(
                name,
                new BoundedTable(
                        tables.get(name),
                        LongStream.of(values).min().orElseThrow(),
                        LongStream.of(values).max().orElseThrow()));
        tables = Map.copyOf(changed);
    }

    /// Adds a table of columns `k` (int4 not null), `v`, `w` (text) and `f` (int4), which no two rows have in common by
    /// the key `k`, and by `v` where it is not NULL.
    void putKeyed(String name, Object[]... rows) {
        Schema schema = Schema.of(
                new Field("k", DataType.INT32, false),
                new Field("v", DataType.UTF8, true),
                new Field("w", DataType.UTF8, true),
                new Field("f", DataType.INT32, true));
        put(name, schema, rows);
        Map<String, Table> changed = new TreeMap<>(tables);
        changed.put(
                name,
                ((MemoryTable) tables.get(name))
                        .withUniqueKeys(List.of(
                                new UniqueKey(name + "_pkey", UniqueKey.Kind.PRIMARY, List.of("k"), true),
                                new UniqueKey(name + "_v", UniqueKey.Kind.INDEX, List.of("v"), true))));
        tables = Map.copyOf(changed);
    }

    private record BoundedTable(Table rows, Object min, Object max) implements Table {
        @Override
        public String schemaName() {
            return rows.schemaName();
        }

        @Override
        public String name() {
            return rows.name();
        }

        @Override
        public Schema schema() {
            return rows.schema();
        }

        @Override
        public TableStats stats() {
            return new TableStats(rows.stats().rowCount(), List.of(new ColumnStats(-1, min, max, -1)));
        }

        @Override
        public int batchCount() {
            return rows.batchCount();
        }

        @Override
        public int batchRows(int batch) {
            return rows.batchRows(batch);
        }

        @Override
        public Batch read(int batch, int[] columns) {
            return rows.read(batch, columns);
        }
    }

    @Override
    public CatalogSnapshot snapshot() {
        openSnapshots.incrementAndGet();
        return new FixedSnapshot(version, tables.values(), openSnapshots::decrementAndGet);
    }

    @Override
    public void close() {}
}
