package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.join.KeySet;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.RuntimeFilter;
import dev.quarrel.core.ir.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// A scan's runtime filters in one execution: the keys that build sides turned out to have.
///
/// Only those are here whose build side this device has in memory. Workers share it; each has its [Worker].
public final class ScanFilters {
    /// A filter that lets more than this share of the rows through is not worth its look at the column.
    private static final double USEFUL = 0.75;

    /// Rows of a join's build side of which a set is made beside its table.
    private static final int MAX_JOIN_ROWS = 1 << 16;

    /// One filter.
    ///
    /// @param column of the source
    /// @param counted what it did, for EXPLAIN ANALYZE
    public record Filter(int column, KeySet keys, PipelineCounters.Filtered counted) {}

    private final List<Filter> filters;

    private ScanFilters(List<Filter> filters) {
        this.filters = filters;
    }

    public static ScanFilters of(Pipeline pipeline, PipelineContext context) {
        List<Filter> filters = new ArrayList<>();
        long rows = pipeline.source() instanceof Source.TableScan scan
                        && !pipeline.filters().isEmpty()
                ? RowSource.table(scan, context).stats().rowCount()
                : 0;
        for (int number = 0; number < pipeline.filters().size(); number++) {
            RuntimeFilter filter = pipeline.filters().get(number);
            // A set of more values than there are rows to ask costs more than it can save.
            KeySet keys = context.materialized(filter.build()) instanceof JoinTable table && table.rowCount() <= rows
                    ? table.keySet(filter.buildColumn())
                    : null;
            if (keys != null) {
                filters.add(new Filter(filter.column(), keys, context.counters().filtered(number)));
            }
        }
        return new ScanFilters(filters);
    }

    /// These, and those that the pipeline's own joins after the first one make: for a pipeline that asks its joins in
    /// their order.
    ///
    /// @param tables one a join
    public ScanFilters withJoins(Pipeline pipeline, List<JoinTable> tables) {
        List<Filter> more = new ArrayList<>(filters);
        for (int index = 0; index < tables.size(); index++) {
            Join join = pipeline.joins().get(index);
            if (pipeline.programs().get(index).canFail()) {
                break;
            }
            for (int key = 0;
                    index > 0 && join.kind().needsMatch() && key < join.keys().size();
                    key++) {
                int column = pipeline.sourceColumn(index, join.keys().get(key));
                KeySet keys = column < 0 || !isSmall(tables.get(index))
                        ? null
                        : tables.get(index).keySet(key);
                if (keys != null) {
                    more.add(new Filter(column, keys, new PipelineCounters.Filtered(new LongAdder(), new LongAdder())));
                }
            }
            // Rows of its build side follow that a row dropped would have matched.
            if (join.kind().emitsBuildRows() || join.canFail()) {
                break;
            }
        }
        return new ScanFilters(more);
    }

    /// Whether its set of keys costs little to make.
    private static boolean isSmall(JoinTable table) {
        return table.isDenseInteger() || table.rowCount() <= MAX_JOIN_ROWS;
    }

    public List<Filter> all() {
        return filters;
    }

    /// Whether no row passes.
    public boolean dropAll() {
        return filters.stream().anyMatch(filter -> filter.keys().isEmpty());
    }

    /// The filters before a pipeline that has no stages to put them among; null where there are none.
    public Worker newWorker(int tileRows) {
        return filters.isEmpty() ? null : new Worker(filters, tileRows);
    }

    /// Whether a filter helps, by what it has done.
    static boolean isUseful(long rowsIn, long rowsOut) {
        return rowsOut < rowsIn * USEFUL;
    }

    /// Takes the rows out of `mask` whose value is NULL or not among the keys.
    ///
    /// @param values of the column; its rows begin at `first`
    static void narrow(Filter filter, StoredIntegers values, int first, Mask mask) {
        int before = mask.count();
        Validity validity = values.validity();
        if (!validity.isAllPresent()) {
            long[] bits = mask.bits();
            for (int word = 0; word < mask.wordCount(); word++) {
                bits[word] &= validity.word(first + word * 64L);
            }
            mask.recount();
        }
        KeySet keys = filter.keys();
        if (keys.bloom() == null) {
            ColumnScans.members(values, first, keys.bitmap(), keys.from(), keys.last(), false, mask);
        } else {
            ColumnScans.members(values, first, keys, mask);
        }
        filter.counted().rows().add(before);
        filter.counted().dropped().add(before - mask.count());
    }

    /// The filters on one worker: one after the other, those that drop few rows no longer.
    public static final class Worker {
        /// Tiles after which a filter is judged.
        private static final int TRIAL_TILES = 16;

        private final List<Filter> filters;
        private final long[] rowsIn;
        private final long[] rowsOut;
        private final Mask mask;
        private int tiles;

        Worker(List<Filter> filters, int tileRows) {
            this.filters = filters;
            this.rowsIn = new long[filters.size()];
            this.rowsOut = new long[filters.size()];
            this.mask = new Mask(tileRows);
        }

        /// The rows of a tile that pass: a mask that is overwritten with the next tile, or `rows`.
        public Mask narrow(BatchInput source, Mask rows) {
            Mask passed = rows;
            for (int number = 0; number < rowsIn.length; number++) {
                Filter filter = filters.get(number);
                StoredIntegers values = tiles > TRIAL_TILES && !isUseful(rowsIn[number], rowsOut[number])
                        ? null
                        : StoredIntegers.of(source.batch(), filter.column());
                if (values == null || values.width() > Long.BYTES) {
                    continue;
                }
                if (passed == rows) {
                    mask.set(rows);
                    passed = mask;
                }
                int before = mask.count();
                source.addLoadedBytes((long) before * values.width());
                ScanFilters.narrow(filter, values, source.firstRow(), mask);
                rowsIn[number] += before;
                rowsOut[number] += mask.count();
                if (mask.isEmpty()) {
                    break;
                }
            }
            tiles++;
            return passed;
        }
    }
}
