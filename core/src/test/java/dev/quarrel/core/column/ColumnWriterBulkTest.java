package dev.quarrel.core.column;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Many values at once, values that are taken back, and texts as codes: beside the same values one by one.
final class ColumnWriterBulkTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int[] COUNTS = {0, 1, 7, 31, 64, 65, 128, 256};

    private final Random random = new Random(SEED);

    private static List<Object> values(Column column) {
        List<Object> values = new ArrayList<>();
        for (int row = 0; row < column.rowCount(); row++) {
            if (!column.validity().isPresent(row)) {
                values.add(null);
                continue;
            }
            values.add(
                    switch (column) {
                        case FixedColumn fixed ->
                            switch (fixed.type().byteWidth()) {
                                case 2 -> (long) fixed.values().get(ValueLayout.JAVA_SHORT_UNALIGNED, row * 2L);
                                case 4 -> (long) fixed.values().get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L);
                                default -> fixed.values().get(ValueLayout.JAVA_LONG_UNALIGNED, row * 8L);
                            };
                        case Utf8Column text -> string(text, row);
                        case DictionaryColumn coded -> string(coded.dictionary().values(), coded.code(row));
                        case BoolColumn _ -> throw new AssertionError();
                    });
        }
        return values;
    }

    private static String string(Utf8Column column, int row) {
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Test
    void numbersInBulkAreThoseOneByOne() {
        for (DataType type : List.of(DataType.INT16, DataType.INT32, DataType.INT64)) {
            try (Arena arena = Arena.ofConfined()) {
                ColumnWriter writer = new ColumnWriter(type, Allocator.of(arena), 1);
                List<Object> expected = new ArrayList<>();
                for (int round = 0; round < 40; round++) {
                    int count = COUNTS[random.nextInt(COUNTS.length)];
                    long[] present = random.nextInt(3) == 0 ? new long[4] : null;
                    long[] numbers = new long[256];
                    short[] shorts = new short[256];
                    int[] ints = new int[256];
                    for (int row = 0; row < count; row++) {
                        boolean isPresent = present == null || random.nextBoolean();
                        if (present != null && isPresent) {
                            present[row >>> 6] |= 1L << row;
                        }
                        numbers[row] = isPresent ? random.nextInt(1 << 16) - (1 << 15) : 0;
                        shorts[row] = (short) numbers[row];
                        ints[row] = (int) numbers[row];
                        expected.add(isPresent ? numbers[row] : null);
                    }
                    switch (type.byteWidth()) {
                        case 2 -> writer.appendInt16s(shorts, present, count);
                        case 4 -> writer.appendInt32s(ints, present, count);
                        default -> writer.appendInt64s(numbers, present, count);
                    }
                    if (random.nextInt(8) == 0) {
                        writer.appendNull();
                        expected.add(null);
                    }
                    if (random.nextInt(8) == 0) {
                        int stay = random.nextInt(expected.size() + 1);
                        writer.truncate(stay);
                        expected.subList(stay, expected.size()).clear();
                    }
                    writer.foresee(random.nextInt(20_000), 2);
                }
                assertThat(writer.rowCount()).isEqualTo(expected.size());
                assertThat(values(writer.finish()))
                        .as("%s, seed %s", type, SEED)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void textsInBulkAndAsCodesAreThoseOneByOne() {
        for (boolean isCoded : new boolean[] {false, true}) {
            try (Arena arena = Arena.ofConfined()) {
                Allocator memory = Allocator.of(arena);
                ColumnWriter writer = isCoded
                        ? ColumnWriter.coded(DataType.UTF8, memory, 1)
                        : new ColumnWriter(DataType.UTF8, memory, 1);
                List<Object> expected = new ArrayList<>();
                for (int round = 0; round < 60; round++) {
                    int count = COUNTS[random.nextInt(COUNTS.length)];
                    long[] present = random.nextInt(3) == 0 ? new long[4] : null;
                    StringBuilder all = new StringBuilder();
                    int[] starts = new int[256];
                    int[] lengths = new int[256];
                    for (int row = 0; row < count; row++) {
                        boolean isPresent = present == null || random.nextBoolean();
                        if (present != null && isPresent) {
                            present[row >>> 6] |= 1L << row;
                        }
                        // Some 60 texts of 0 to 40 bytes, that differ in their last byte, or in their length only.
                        String text = isPresent
                                ? "x".repeat(random.nextInt(40)) + (random.nextBoolean() ? "" : random.nextInt(3))
                                : "";
                        starts[row] = all.length();
                        lengths[row] = text.length();
                        all.append(text);
                        expected.add(isPresent ? text : null);
                    }
                    writer.appendTexts(
                            all.toString().getBytes(StandardCharsets.US_ASCII), starts, lengths, present, count);
                    switch (random.nextInt(4)) {
                        case 0 -> {
                            writer.appendUtf8("ä" + round);
                            expected.add("ä" + round);
                        }
                        case 1 -> {
                            writer.appendNull();
                            expected.add(null);
                        }
                        case 2 -> {
                            int stay = expected.size() - random.nextInt(expected.size() / 2 + 1);
                            writer.truncate(stay);
                            expected.subList(stay, expected.size()).clear();
                        }
                        default -> writer.foresee(random.nextInt(20_000), 1 + random.nextDouble());
                    }
                }
                assertThat(values(writer.finish())).as("seed %s", SEED).isEqualTo(expected);
                // The next column begins anew, with codes that stay what they were.
                writer.appendUtf8("x");
                assertThat(values(writer.finish())).containsExactly("x");
            }
        }
    }
}
