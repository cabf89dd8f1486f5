package dev.quarrel.cuda;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// The facts of the Star Schema Benchmark as far as encoding a program asks for them: their statistics.
record Lineorder(Schema schema, TableStats stats) implements Table {
    private static final long ROWS = 6_000_000;
    private static final int PARTS_DOUBLINGS = 200_000;

    /// @param scan whose columns it has
    static Lineorder of(Source.TableScan scan, int scale) {
        List<Field> fields = new ArrayList<>();
        List<ColumnStats> stats = new ArrayList<>();
        for (int column = 0; column < scan.types().size(); column++) {
            String name = scan.columnNames().get(column);
            fields.add(new Field(name, scan.types().get(column), false));
            stats.add(
                    switch (name) {
                        case "lo_orderdate" -> integers(19_920_101, 19_980_802);
                        case "lo_commitdate" -> integers(19_920_131, 19_981_031);
                        case "lo_custkey" -> integers(1, 30_000L * scale);
                        case "lo_suppkey" -> integers(1, 2_000L * scale);
                        case "lo_partkey" ->
                            integers(1, (long) (PARTS_DOUBLINGS * (1 + Math.floor(Math.log(scale) / Math.log(2)))));
                        case "lo_quantity" -> integers(1, 50);
                        case "lo_discount" -> integers(0, 10);
                        case "lo_tax" -> integers(0, 8);
                        case "lo_linenumber" -> integers(1, 7);
                        case "lo_extendedprice" -> integers(90_000, 10_494_950);
                        case "lo_revenue" -> integers(81_000, 10_494_950);
                        case "lo_supplycost" -> integers(54_000, 125_939);
                        case "lo_ordtotalprice" -> integers(80_000, 60_000_000);
                        default -> ColumnStats.UNKNOWN;
                    });
        }
        return new Lineorder(new Schema(fields), new TableStats(ROWS * scale, stats));
    }

    private static ColumnStats integers(long least, long greatest) {
        return new ColumnStats(0, least, greatest, -1);
    }

    @Override
    public String schemaName() {
        return "public";
    }

    @Override
    public String name() {
        return "lineorder";
    }

    @Override
    public int batchCount() {
        return 0;
    }

    @Override
    public int batchRows(int batch) {
        throw new IndexOutOfBoundsException(batch);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        throw new IndexOutOfBoundsException(batch);
    }
}
