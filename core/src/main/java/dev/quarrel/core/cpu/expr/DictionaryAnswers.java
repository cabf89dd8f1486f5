package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/// The answers of a condition on one text column, computed once per entry of a dictionary. One thread uses it.
public final class DictionaryAnswers {
    private static final int TILE_ROWS = 1024;
    private static final Schema SCHEMA = new Schema(List.of(new Field("entry", DataType.UTF8, true)));

    private final Program condition;
    private final List<Literal> slotValues;
    private final Map<Dictionary, long[]> answers = new IdentityHashMap<>();
    private Boolean acceptsNull;

    /// @param condition of one input, which cannot fail
    public DictionaryAnswers(Program condition, List<Literal> slotValues) {
        this.condition = condition;
        this.slotValues = slotValues;
    }

    /// A bit an entry, by the dictionary's own code; the bits after the last entry, one at least, are 0.
    public long[] accepted(Dictionary dictionary) {
        return answers.computeIfAbsent(dictionary, this::test);
    }

    /// Whether a NULL satisfies the condition.
    public boolean acceptsNull() {
        if (acceptsNull == null) {
            ColumnWriter writer =
                    new ColumnWriter(DataType.UTF8, bytes -> MemorySegment.ofArray(new byte[(int) bytes]), 1);
            writer.appendNull();
            acceptsNull = select(List.of(writer.finish()), 1)[0] != 0;
        }
        return acceptsNull;
    }

    private long[] test(Dictionary dictionary) {
        return select(List.of(dictionary.values()), dictionary.values().rowCount());
    }

    private long[] select(List<Column> column, int rowCount) {
        long[] bits = new long[Bits.words(rowCount + 1)];
        TileProgram program = new TileProgram(condition, slotValues, TILE_ROWS);
        BatchInput input = new BatchInput(List.of(DataType.UTF8), TILE_ROWS);
        Mask all = new Mask(TILE_ROWS);
        Batch batch = Batch.view(SCHEMA, column, rowCount);
        for (int first = 0; first < rowCount; first += TILE_ROWS) {
            int count = Math.min(TILE_ROWS, rowCount - first);
            all.setAll(count);
            input.moveTo(batch, first, count);
            program.run(input, all);
            Mask selected = program.selection();
            System.arraycopy(selected.bits(), 0, bits, first >>> 6, selected.wordCount());
        }
        return bits;
    }
}
