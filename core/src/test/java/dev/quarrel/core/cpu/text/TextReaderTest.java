package dev.quarrel.core.cpu.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.DataType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextReaderTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());

    /// One after the other, with gaps and steps back, of two dictionaries in turns.
    @Test
    void entriesAreRead() {
        Random random = new Random(SEED);
        List<List<Object>> texts = new ArrayList<>();
        List<Utf8Column> entries = new ArrayList<>();
        for (int dictionary = 0; dictionary < 2; dictionary++) {
            List<Object> made = new ArrayList<>();
            for (int code = 0; code < 2000; code++) {
                made.add("x".repeat(random.nextInt(50) == 0 ? random.nextInt(9000) : random.nextInt(30)) + code);
            }
            texts.add(made);
            entries.add((Utf8Column) TestRows.column(DataType.UTF8, made));
        }
        TextReader reader = new TextReader();
        for (int round = 0; round < 200; round++) {
            int dictionary = random.nextInt(2);
            int code = random.nextInt(2000);
            for (int step = 0; step < 300; step++) {
                code = random.nextInt(20) == 0 ? random.nextInt(2000) : (code + 1) % 2000;
                reader.readEntry(entries.get(dictionary), code);
                assertThat(reader.string())
                        .as("seed %d", SEED)
                        .isEqualTo(texts.get(dictionary).get(code));
            }
        }
    }

    /// An argument that is a constant in one tile, and codes of a dictionary in the next one.
    @Test
    void entriesFollowConstants() {
        Utf8Column entries = (Utf8Column) TestRows.column(DataType.UTF8, List.of("other", "same"));
        Mask rows = new Mask(4);
        rows.setAll(4);
        TextReader reader = new TextReader();
        byte[] known = "same".getBytes(StandardCharsets.UTF_8);
        reader.bind((TextVector) Vector.constant(new Literal(DataType.UTF8, "same"), 4), rows);
        assertThat(reader.isSame(known)).isTrue();
        assertThat(reader.isSame(known)).isTrue();
        for (int round = 0; round < 2; round++) {
            reader.readEntry(entries, 1);
            assertThat(reader.isSame(known)).isTrue();
            reader.readEntry(entries, 0);
            assertThat(reader.isSame(known)).isFalse();
        }
    }
}
