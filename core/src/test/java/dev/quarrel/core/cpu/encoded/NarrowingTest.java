package dev.quarrel.core.cpu.encoded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class NarrowingTest {
    private static final int ROUNDS = 4000;
    private static final DataType[] TYPES = {
        DataType.INT16, DataType.INT32, DataType.INT64, new DataType.Decimal(18, 2), new DataType.Decimal(30, 2)
    };

    /// Values at the bounds, next to them and far beyond, with NULLs above anything, of every width.
    @Test
    void whatIsWithinBoundsIsCopiedAndNothingElse() {
        long seed = Long.getLong("quarrel.seed", 20261129);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            try (Arena arena = Arena.ofConfined()) {
                check(random, arena, "seed " + seed + ", round " + round);
            }
        }
    }

    private static void check(SplittableRandom random, Arena arena, String where) {
        int width = random.nextInt(1, 5);
        long room = (1L << Byte.SIZE * width) - 1;
        DataType type = TYPES[random.nextInt(TYPES.length)];
        long span = random.nextBoolean() ? room : random.nextLong(room + 1);
        long reach = type.byteWidth() >= Long.BYTES ? 1L << random.nextInt(33, 63) : 1L << 8 * type.byteWidth() - 1;
        long least = random.nextLong(-reach, Math.max(-reach + 1, reach - span));
        long greatest = least + span;
        long base = greatest - (room >> 1); // what is stored is within -room/2 … room/2
        base = Math.min(base, least + (room + 1 >> 1));
        int rows = random.nextInt(1, 300);
        int first = random.nextInt(rows);
        int count = rows - first;
        double strayShare = random.nextInt(3) == 0 ? 0.01 : 0;
        double nullShare = random.nextInt(2) == 0 ? 0.2 : 0;
        int bytes = type.byteWidth();
        MemorySegment values = arena.allocate((long) rows * bytes, 16);
        MemorySegment valid = arena.allocate(rows / 8 + 1, 8);
        long[] expected = new long[rows];
        boolean fits = true;
        for (int row = 0; row < rows; row++) {
            long value = least
                    + (span == 0 ? 0 : random.nextInt(4) == 0 ? span * random.nextInt(2) : random.nextLong(span + 1));
            boolean isNull = random.nextDouble() < nullShare;
            boolean isWide = false;
            if (isNull || random.nextDouble() < strayShare) {
                value = switch (random.nextInt(4)) {
                    case 0 -> least - 1;
                    case 1 -> greatest + 1;
                    case 2 -> 0;
                    default -> random.nextLong();
                };
                isWide = bytes == 16 && random.nextInt(3) == 0;
            }
            value = stored(values, bytes, row, value, isWide);
            expected[row] = value;
            if (!isNull) {
                valid.set(ValueLayout.JAVA_BYTE, row / 8, (byte)
                        (valid.get(ValueLayout.JAVA_BYTE, row / 8) | 1 << row % 8));
                fits &= row < first || !isWide && value >= least && value <= greatest;
            }
        }
        Validity validity = nullShare == 0 ? Validity.allPresent() : Validity.of(valid, rows, -1);
        FixedColumn column = new FixedColumn(type, rows, values, validity);
        Narrowing narrowing = new Narrowing(width, base, least, greatest);
        int[] numbers = narrowing.numbers(column, first, count);
        assertThat(numbers != null).as(where).isEqualTo(fits);
        for (int row = 0; fits && row < count; row++) {
            if (validity.isPresent(first + row)) {
                assertThat(base + numbers[row]).as(where).isEqualTo(expected[first + row]);
            }
        }
        if (width != 3) {
            MemorySegment to = arena.allocate((long) rows * width, 8);
            assertThat(narrowing.run(column, first, count, to)).as(where).isEqualTo(fits);
            for (int row = first; fits && row < rows; row++) {
                if (validity.isPresent(row)) {
                    assertThat(base + read(to, width, row)).as(where).isEqualTo(expected[row]);
                }
            }
        }
    }

    /// @return what the type has of it
    private static long stored(MemorySegment to, int bytes, int row, long value, boolean isWide) {
        switch (bytes) {
            case 2 -> to.setAtIndex(ValueLayout.JAVA_SHORT, row, (short) value);
            case 4 -> to.setAtIndex(ValueLayout.JAVA_INT, row, (int) value);
            case 8 -> to.setAtIndex(ValueLayout.JAVA_LONG, row, value);
            default -> {
                to.setAtIndex(ValueLayout.JAVA_LONG, 2L * row, value);
                to.setAtIndex(ValueLayout.JAVA_LONG, 2L * row + 1, isWide ? ~(value >> 63) : value >> 63);
            }
        }
        return bytes == 2 ? (short) value : bytes == 4 ? (int) value : value;
    }

    private static long read(MemorySegment from, int width, int row) {
        return switch (width) {
            case 1 -> from.get(ValueLayout.JAVA_BYTE, row);
            case 2 -> from.getAtIndex(ValueLayout.JAVA_SHORT, row);
            default -> from.getAtIndex(ValueLayout.JAVA_INT, row);
        };
    }
}
