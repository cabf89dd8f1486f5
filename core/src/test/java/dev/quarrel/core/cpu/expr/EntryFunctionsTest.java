package dev.quarrel.core.cpu.expr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Functions over a dictionary are computed once an entry, and so are functions of their results.
class EntryFunctionsTest {
    private static final int TILE_ROWS = 256;
    private static final int TILES = 8;
    private static final int ENTRIES = 40;
    private static final Schema SCHEMA = new Schema(List.of(new Field("text", DataType.UTF8, true)));

    private int calls;

    /// `upper(text)`, a function of ours of that, and the length of what that gives.
    private Program program(boolean isStrict) {
        ProgramBuilder builder = new ProgramBuilder(List.of(DataType.UTF8));
        int text = builder.load(0, ProgramBuilder.ALL_ROWS);
        int upper = builder.value(Opcode.UPPER, DataType.UTF8, ProgramBuilder.ALL_ROWS, 0, text);
        Callee twice =
                new Callee("twice", "twice", List.of(DataType.UTF8), DataType.UTF8, isStrict, Set.of(), arguments -> {
                    calls++;
                    return arguments[0] == null ? "none" : (String) arguments[0] + arguments[0];
                });
        int doubled = builder.call(twice, ProgramBuilder.ALL_ROWS, List.of(upper));
        int length = builder.value(Opcode.LENGTH, DataType.INT32, ProgramBuilder.ALL_ROWS, 0, doubled);
        return builder.build(ProgramBuilder.ALL_ROWS, List.of(doubled, length), List.of());
    }

    private static Batch batch(List<String> texts, Arena arena) {
        ColumnWriter writer = ColumnWriter.coded(DataType.UTF8, Allocator.of(arena), texts.size());
        for (String text : texts) {
            if (text == null) {
                writer.appendNull();
            } else {
                writer.appendUtf8(text);
            }
        }
        List<Column> columns = ColumnWriter.finishAll(List.of(writer));
        return Batch.view(SCHEMA, columns, texts.size());
    }

    private static List<String> texts(Random random, String prefix, boolean hasNulls) {
        List<String> texts = new ArrayList<>();
        for (int row = 0; row < TILE_ROWS * TILES; row++) {
            texts.add(hasNulls && random.nextInt(5) == 0 ? null : prefix + random.nextInt(ENTRIES));
        }
        return texts;
    }

    /// Runs over all tiles, and looks at each row that is wanted.
    private static void run(
            TileProgram program, Batch batch, List<String> texts, Random random, int wantedIn, boolean isStrict) {
        BatchInput input = new BatchInput(List.of(DataType.UTF8), TILE_ROWS);
        Mask rows = new Mask(TILE_ROWS);
        for (int tile = 0; tile < TILES; tile++) {
            input.moveTo(batch, tile * TILE_ROWS, TILE_ROWS);
            rows.reset(TILE_ROWS);
            for (int word = 0; word < rows.wordCount(); word++) {
                rows.bits()[word] = 0;
            }
            for (int row = 0; row < TILE_ROWS; row++) {
                if (random.nextInt(wantedIn) == 0) {
                    rows.bits()[row >>> 6] |= 1L << row;
                }
            }
            rows.recount();
            program.run(input, rows);
            Vector doubled = program.output(0);
            Vector length = program.output(1);
            for (int index = 0; index < rows.count(); index++) {
                int row = rows.indexes()[index];
                String text = texts.get(tile * TILE_ROWS + row);
                String expected = text != null ? text.toUpperCase(Locale.ROOT).repeat(2) : isStrict ? null : "none";
                assertThat(doubled.value(row)).isEqualTo(expected);
                assertThat(length.value(row)).isEqualTo(expected == null ? null : (Object) (long) expected.length());
            }
        }
    }

    @Test
    void functionsOfResultsAreComputedOnceAnEntry() {
        Random random = new Random(7);
        try (Arena arena = Arena.ofConfined()) {
            TileProgram program = new TileProgram(program(true), List.of(), TILE_ROWS);
            for (String prefix : List.of("a", "b", "long text of ")) {
                List<String> texts = texts(random, prefix, true);
                calls = 0;
                run(program, batch(texts, arena), texts, random, 1, true);
                assertThat(calls).isBetween(1, ENTRIES);
            }
        }
    }

    @Test
    void rowsAreRightWhicheverAreWanted() {
        Random random = new Random(11);
        try (Arena arena = Arena.ofConfined()) {
            for (boolean isStrict : new boolean[] {true, false}) {
                TileProgram program = new TileProgram(program(isStrict), List.of(), TILE_ROWS);
                for (int wantedIn : new int[] {1, 2, 20}) {
                    for (boolean hasNulls : new boolean[] {false, true}) {
                        List<String> texts = texts(random, "t" + wantedIn, hasNulls);
                        run(program, batch(texts, arena), texts, random, wantedIn, isStrict);
                    }
                }
            }
        }
    }
}
