package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.ValueOrder;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/// The state that the workers of one top-N share: the sharpest bar so far, the order in which to read morsels,
/// and the morsels that the bar rules out by their statistics.
///
/// Rows of a morsel that is ruled out are not looked at; so where a row may fail, none is.
public final class TopN {
    private final SortKey key;
    private final AtomicReference<SortBar> bar = new AtomicReference<>();
    private final Table table; // null where nothing is known of the source
    private final int column; // of the table
    private final int input; // of the first program
    private final boolean isAscending; // whether the table's rows ascend in the key

    private TopN(SortKey key, Table table, int column, int input) {
        this.key = key;
        this.table = table;
        this.column = column;
        this.input = input;
        this.isAscending = table != null && table.sortedBy().contains(column);
    }

    /// @param table of the pipeline's scan, or null
    public static TopN of(Pipeline pipeline, List<SortKey> keys, Table table) {
        SortKey key = keys.getFirst();
        boolean canFail = pipeline.programs().stream()
                .flatMap(program -> program.code().stream())
                .anyMatch(instruction -> instruction.canFail() || instruction.op() == Opcode.CAST);
        if (table == null || canFail) {
            return new TopN(key, null, -1, -1);
        }
        int input = pipeline.sourceColumn(pipeline.programs().size() - 1, key.output());
        if (input < 0) {
            return new TopN(key, null, -1, -1);
        }
        Source.TableScan scan = (Source.TableScan) pipeline.source();
        return new TopN(key, table, RowSource.columns(scan, table)[input], input);
    }

    /// Whether the source's rows stand in the order asked for, or in its reverse.
    public boolean readsInOrder() {
        return isAscending;
    }

    /// Whether statistics may rule out morsels.
    boolean knowsMorsels() {
        return table != null;
    }

    /// The sharpest bar so far, or null.
    public SortBar bar() {
        return bar.get();
    }

    void offer(SortBar candidate) {
        bar.accumulateAndGet(candidate, (old, made) -> old == null || made.isSharperThan(old) ? made : old);
    }

    /// The morsels, those first that promise the sharpest bar.
    public List<Morsel> ordered(List<Morsel> morsels) {
        if (table == null) {
            return morsels;
        }
        for (Morsel morsel : morsels) {
            ColumnStats stats = table.batchStats(morsel.batch(), column);
            boolean isKnown = stats.min() != null && stats.max() != null && stats.nullCount() == 0;
            if (!isKnown) {
                return morsels;
            }
        }
        if (isAscending) {
            return key.descending() ? morsels.reversed() : morsels;
        }
        Comparator<Morsel> byBest = Comparator.comparing(
                morsel -> {
                    ColumnStats stats = table.batchStats(morsel.batch(), column);
                    return key.descending() ? stats.max() : stats.min();
                },
                ValueOrder::compare);
        return morsels.stream()
                .sorted(key.descending() ? byBest.reversed() : byBest)
                .toList();
    }

    /// Whether no row of the morsel can be among the first, by its batch's statistics.
    public boolean rulesOut(Morsel morsel) {
        SortBar sharpest = bar.get();
        return table != null
                && sharpest != null
                && !sharpest.admits(table.batchStats(morsel.batch(), column), morsel.index());
    }

    /// The row of a morsel whose key is the best of its keys, or -1 where none is known to be.
    public int bestRow(Morsel morsel) {
        if (!isAscending
                || bar.get() == null
                || table.batchStats(morsel.batch(), column).nullCount() != 0) {
            return -1;
        }
        return key.descending() ? morsel.firstRow() + morsel.rowCount() - 1 : morsel.firstRow();
    }

    /// The first program's input that the key is; where `bestRow` knows one.
    public int input() {
        return input;
    }
}
