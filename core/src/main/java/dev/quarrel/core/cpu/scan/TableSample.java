package dev.quarrel.core.cpu.scan;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.expr.TileProgram;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Rows of a table here and there, for the planner's estimates: a program is run over them as a query would run it
/// over all.
///
/// The same rows each time: some thousand, in short runs at even distances, since each run costs about one page of a
/// mapped file and neighbours are often alike. Of a table that is not much larger all rows: there is nothing to guess
/// then.
///
/// - Memory: nothing is kept. Only what can be read without being decompressed or converted is looked at.
/// - Errors: none. A row that fails, or a file that is cut short, gives no answer; whoever runs the query tells.
public final class TableSample {
    private static final int RUNS = 512;
    private static final int RUN_ROWS = 8;
    private static final int TILE_ROWS = 2048;

    /// Tables of so many rows are read whole; of so many where texts are compared one by one.
    private static final int MOST_ROWS = 100_000;

    private static final int MOST_TEXTS = 16_384;

    private final Table table;
    private final int[] columns;
    private final TileProgram tiles;
    private final BatchInput input;
    private final boolean isWhole;
    private final int tileRows;
    private final Mask all;

    private TableSample(Table table, int[] columns, Program program, List<Literal> slotValues) {
        this.table = table;
        this.columns = columns;
        this.isWhole = isWhole(table, columns)
                && (keepsNoValues(program) || table.stats().rowCount() <= MOST_TEXTS);
        this.tileRows = isWhole ? TILE_ROWS : RUN_ROWS;
        this.all = new Mask(tileRows);
        this.tiles = new TileProgram(program, slotValues, tileRows);
        this.input = new BatchInput(program.inputs(), tileRows);
    }

    /// @param rows looked at
    /// @param kept those of them that the program selects
    /// @param isWhole whether these are all rows of the table
    public record Share(long rows, long kept, boolean isWhole) {}

    /// How many rows the program keeps; null where nothing can be said.
    ///
    /// @param columns of the table that are the program's inputs
    public static Share share(Table table, int[] columns, Program program, List<Literal> slotValues) {
        long[] counts = new long[2];
        boolean[] whole = new boolean[1];
        boolean isRead = read(table, columns, program, slotValues, (rows, sample) -> {
            counts[0] += rows;
            counts[1] += sample.tiles.selection().count();
            whole[0] = sample.isWhole;
        });
        return isRead ? new Share(counts[0], counts[1], whole[0]) : null;
    }

    /// @param rows looked at
    /// @param distinct different rows of the program's outputs, NULL being a value
    /// @param once those of them that came once
    /// @param isWhole whether these are all rows of the table
    public record Distinct(long rows, long distinct, long once, boolean isWhole) {}

    /// How many different rows the program's outputs are; null where nothing can be said.
    public static Distinct distinct(Table table, int[] columns, Program program, List<Literal> slotValues) {
        Map<List<Object>, Integer> found = new HashMap<>();
        long[] counts = new long[1];
        boolean[] whole = new boolean[1];
        boolean isRead = read(table, columns, program, slotValues, (_, sample) -> {
            int[] rows = sample.tiles.selection().indexes();
            int count = sample.tiles.selection().count();
            counts[0] += count;
            whole[0] = sample.isWhole;
            for (int index = 0; index < count; index++) {
                found.merge(sample.outputs(rows[index]), 1, Integer::sum);
            }
        });
        long once = found.values().stream().filter(times -> times == 1).count();
        return isRead ? new Distinct(counts[0], found.size(), once, whole[0]) : null;
    }

    private List<Object> outputs(int row) {
        int count = tiles.program().outputs().size();
        List<Object> values = new ArrayList<>(count);
        for (int output = 0; output < count; output++) {
            Vector vector = tiles.output(output);
            values.add(vector.value(row));
        }
        return values;
    }

    private static boolean keepsNoValues(Program program) {
        return program.outputs().isEmpty();
    }

    private static boolean isWhole(Table table, int[] columns) {
        boolean hasTexts = false;
        for (int column : columns) {
            hasTexts |= table.schema().type(column).byteWidth() < 0 && table.dictionary(column) == null;
        }
        return table.stats().rowCount() <= (hasTexts ? MOST_TEXTS : MOST_ROWS);
    }

    private interface Reader {
        /// @param rows that the tile had before the program
        void read(int rows, TableSample sample);
    }

    private static boolean read(Table table, int[] columns, Program program, List<Literal> slotValues, Reader reader) {
        try {
            return table.isOpen()
                    && table.fault() == null
                    && new TableSample(table, columns, program, slotValues).read(reader);
        } catch (QueryException _) {
            return false;
        } catch (InternalError error) {
            if (table.faultOf(error) == null) {
                throw error;
            }
            return false;
        }
    }

    private boolean read(Reader reader) {
        long total = table.stats().rowCount();
        double distance = (double) total / RUNS;
        double next = 0; // row of the table that comes next
        long batchFirst = 0;
        for (int batch = 0; batch < table.batchCount(); batch++) {
            int rows = table.batchRows(batch);
            long batchEnd = batchFirst + rows;
            if ((long) next < batchEnd) {
                if (table.readBytes(batch, columns) > 0) {
                    return false;
                }
                try (Batch read = table.read(batch, columns)) {
                    while ((long) next < batchEnd) {
                        int first = (int) ((long) next - batchFirst);
                        int count = Math.min(tileRows, rows - first);
                        all.setAll(count);
                        input.moveTo(read, first, count);
                        tiles.run(input, all);
                        reader.read(count, this);
                        next = isWhole ? batchFirst + first + count : next + distance;
                    }
                }
            }
            batchFirst = batchEnd;
        }
        return true;
    }
}
