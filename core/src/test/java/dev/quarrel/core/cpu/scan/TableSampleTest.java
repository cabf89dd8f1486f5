package dev.quarrel.core.cpu.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.cpu.ForwardingTable;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The planner's samples: exact for small tables, near for large ones, silent where reading would cost.
class TableSampleTest {
    private static final Literal TEN = new Literal(DataType.INT32, 10L);

    /// Column 0 counts 0 … 99 again and again; every third row of column 1 is NULL.
    private static MemoryTable table(int rows, int batchRows) {
        List<List<Object>> values = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            values.add(TestRows.row((long) (row * 7919L % 100), row % 3 == 0 ? null : (Object) (long) (row % 5)));
        }
        return TestRows.table("t", List.of(DataType.INT32, DataType.INT32), values, batchRows);
    }

    /// `column 0 < 10`, with the column as the output where asked for.
    private static Program belowTen(boolean hasOutput) {
        ProgramBuilder builder = new ProgramBuilder(List.of(DataType.INT32));
        int column = builder.load(0, ProgramBuilder.ALL_ROWS);
        int ten = builder.value(Opcode.CONST, DataType.INT32, ProgramBuilder.ALL_ROWS, 0);
        int isBelow = builder.value(Opcode.LT_INT32, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, column, ten);
        int rows = builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, isBelow);
        return builder.build(rows, hasOutput ? List.of(column) : List.of(), List.of(new Slot.Constant(TEN)));
    }

    private static TableSample.Share share(Table table) {
        return TableSample.share(table, new int[] {0}, belowTen(false), List.of(TEN));
    }

    @Test
    void smallTablesAreReadWhole() {
        for (int rows : new int[] {0, 1, 100, 2047, 2048, 2049, 10_000}) {
            for (int batchRows : new int[] {1_000, 4_096}) {
                TableSample.Share share = share(table(rows, batchRows));
                long expected = 0;
                for (int row = 0; row < rows; row++) {
                    expected += row * 7919L % 100 < 10 ? 1 : 0;
                }
                assertThat(share.isWhole()).isEqualTo(rows > 0);
                assertThat(share.rows()).isEqualTo(rows);
                assertThat(share.kept()).as("of %d rows", rows).isEqualTo(expected);
            }
        }
    }

    @Test
    void ofLargeTablesTheSameRowsEachTime() {
        MemoryTable table = table(150_000, 40_000);
        TableSample.Share share = share(table);
        assertThat(share.isWhole()).isFalse();
        assertThat(share.rows()).isBetween(4_000L, 4_096L);
        assertThat((double) share.kept() / share.rows()).isBetween(0.07, 0.13);
        assertThat(share(table)).isEqualTo(share);
    }

    @Test
    void distinctRowsAreThoseThatTheProgramKeeps() {
        TableSample.Distinct found =
                TableSample.distinct(table(1_000, 300), new int[] {0}, belowTen(true), List.of(TEN));
        assertThat(found).isEqualTo(new TableSample.Distinct(100, 10, 0, true));
    }

    @Test
    void nothingIsDecompressedForIt() {
        Table packed = new ForwardingTable(table(100, 100)) {
            @Override
            public long readBytes(int batch, int[] columns) {
                return 1;
            }
        };
        assertThat(share(packed)).isNull();
    }
}
