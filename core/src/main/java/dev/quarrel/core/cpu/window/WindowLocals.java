package dev.quarrel.core.cpu.window;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.group.LocalRows;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.ir.LocalAggregate;
import java.util.Arrays;
import java.util.stream.Stream;

/// An application's aggregate over frames: rows are added in the window's order while a frame grows, and from its
/// start wherever it does not.
///
/// @param before rows that count, in front of each row
record WindowLocals(LocalAggregate aggregate, int[] before, WindowPart part) {
    private static final int TILE_ROWS = 1024;

    void compute(WindowFrames frames, ValueStore first, ValueStore[] further, ValueStore result) {
        ValueStore[] arguments =
                Stream.concat(Stream.of(first), Arrays.stream(further)).toArray(ValueStore[]::new);
        int rowCount = part.rowCount();
        int[] runs = new int[6];
        int low = -1; // of the rows that the state has; negative: it is of no use for the next frame
        int high = -1;
        Object answer = null; // of those rows
        try (Reservation memory = new Reservation(part.scratch().budget());
                LocalRows state = new LocalRows(aggregate, arguments, memory)) {
            for (int start = 0; start < rowCount; start += TILE_ROWS) {
                int count = Math.min(TILE_ROWS, rowCount - start);
                try (BudgetArena arena = new BudgetArena(part.scratch().budget())) {
                    ColumnWriter writer = new ColumnWriter(aggregate.result(), arena, count);
                    for (int row = start; row < start + count; row++) {
                        part.check(row);
                        int runCount = frames.runs(row, runs);
                        boolean goesOn = runCount == 1 && runs[0] == low && runs[1] >= high;
                        if (!goesOn) {
                            state.start();
                        }
                        for (int run = 0; run < runCount; run++) {
                            add(state, goesOn ? high : runs[2 * run], runs[2 * run + 1], rowCount);
                        }
                        answer = goesOn && runs[1] == high ? answer : state.finish();
                        low = runCount == 1 ? runs[0] : -1;
                        high = runCount == 1 ? runs[1] : -1;
                        writer.append(answer);
                    }
                    WindowAggregate.append(writer.finish(), count, result);
                }
            }
        }
    }

    private void add(LocalRows state, int from, int to, int rowCount) {
        for (int row = from; row < to; row++) {
            if (before[row + 1] > before[row]) {
                state.add(null, row, rowCount);
            }
        }
    }
}
