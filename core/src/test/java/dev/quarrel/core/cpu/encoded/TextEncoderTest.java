package dev.quarrel.core.cpu.encoded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.rows.SharedTexts;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Codes of text columns say the text again, whatever its length and wherever its bytes end.
class TextEncoderTest {
    private static final Allocator MEMORY = Allocator.of(Arena.ofAuto());
    private final Random random = new Random(Long.getLong("quarrel.seed", 20261121L));

    private Utf8Column column(int rows, int distinct, int longest, double nulls) {
        List<String> texts = new ArrayList<>();
        for (int index = 0; index < distinct; index++) {
            int length = random.nextInt(longest + 1);
            // Few letters, so that texts share beginnings and ends, and zeros, which masks also make.
            texts.add(random.ints(length, 0, 3)
                    .collect(StringBuilder::new, (text, letter) -> text.append("\0aé".charAt(letter)), (_, _) -> {})
                    .toString());
        }
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, MEMORY, rows);
        for (int row = 0; row < rows; row++) {
            if (random.nextDouble() < nulls) {
                writer.appendNull();
            } else {
                writer.appendUtf8(texts.get(random.nextInt(distinct)));
            }
        }
        return large((Utf8Column) writer.finish());
    }

    /// Half of the time with offsets of 64 bits; always with no byte after the last text.
    private Utf8Column large(Utf8Column column) {
        int rows = column.rowCount();
        MemorySegment data = Arena.ofAuto().allocate(column.offset(rows));
        MemorySegment.copy(column.data(), 0, data, 0, data.byteSize());
        if (random.nextBoolean()) {
            return new Utf8Column(rows, column.offsets(), false, data, column.validity());
        }
        MemorySegment offsets = Arena.ofAuto().allocate((rows + 1) * 8L, 8);
        for (int row = 0; row <= rows; row++) {
            offsets.setAtIndex(ValueLayout.JAVA_LONG, row, column.offset(row));
        }
        return new Utf8Column(rows, offsets, true, data, column.validity());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 0",
        "1, 1, 40",
        "100, 3, 7",
        "1000, 20, 8",
        "1024, 50, 9",
        "1025, 50, 16",
        "5000, 800, 17",
        "5000, 2000, 40"
    })
    void codesSayTheText(int rows, int distinct, int longest) {
        for (double nulls : new double[] {0, 0.05, 0.5, 1}) {
            Utf8Column column = column(rows, distinct, longest, nulls);
            SharedTexts texts = new SharedTexts(SharedTexts.MAX_CODES, MEMORY);
            // Two workers, tile by tile.
            List<TextEncoder> workers = List.of(new TextEncoder(texts), new TextEncoder(texts));
            MemorySegment codes = Arena.ofAuto().allocate(rows * 2L, 2);
            for (int first = 0, tile = 0; first < rows; first += TextEncoder.TILE_ROWS, tile++) {
                int count = Math.min(TextEncoder.TILE_ROWS, rows - first);
                assertThat(workers.get(tile % 2).encode(column, first, count, codes))
                        .isTrue();
            }
            Dictionary dictionary = texts.toDictionary();
            for (int row = 0; row < rows; row++) {
                int code = codes.getAtIndex(ValueLayout.JAVA_SHORT, row) & 0xFFFF;
                if (column.validity().isPresent(row)) {
                    assertThat(text(dictionary.values(), code)).isEqualTo(text(column, row));
                } else {
                    assertThat(code).isZero();
                }
            }
        }
    }

    private static String text(Utf8Column column, int row) {
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"100, 99", "3, 2"})
    void tooManyTextsAreRefused(int distinct, int most) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, MEMORY, distinct);
        for (int row = 0; row < distinct; row++) {
            writer.appendUtf8("text " + row);
        }
        Utf8Column column = (Utf8Column) writer.finish();
        MemorySegment codes = Arena.ofAuto().allocate(distinct * 2L, 2);
        SharedTexts few = new SharedTexts(most, MEMORY);
        assertThat(new TextEncoder(few).encode(column, 0, distinct, codes)).isFalse();
        SharedTexts enough = new SharedTexts(distinct, MEMORY);
        assertThat(new TextEncoder(enough).encode(column, 0, distinct, codes)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"-1", "5", "1000000000"})
    void offsetsThatLeadAstrayAreRefused(int wrong) {
        MemorySegment offsets = Arena.ofAuto().allocate(16, 4);
        int[] starts = {0, wrong, 4, 4};
        MemorySegment.copy(starts, 0, offsets, ValueLayout.JAVA_INT, 0, 4);
        Utf8Column column = new Utf8Column(3, offsets, false, Arena.ofAuto().allocate(4), Validity.allPresent());
        SharedTexts texts = new SharedTexts(10, MEMORY);
        assertThat(new TextEncoder(texts).encode(column, 0, 3, Arena.ofAuto().allocate(6, 2)))
                .isFalse();
    }
}
