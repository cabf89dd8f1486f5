package dev.quarrel.cuda.column;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Bits of batches that lie behind each other, at any bit of a byte.
class PlacedBitsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    @Test
    void bitsAreShiftedToTheirPlaces() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 300; trial++) {
            BitSet expected = new BitSet();
            byte[] placed = new byte[300];
            PlacedBits bits = new PlacedBits();
            int start = 0;
            try (Arena arena = Arena.ofConfined()) {
                while (start < 1500) {
                    int rows = random.nextInt(1, random.nextBoolean() ? 12 : 400);
                    MemorySegment bytes;
                    long at = start / 8;
                    if (random.nextInt(3) == 0) {
                        expected.set(start, start + rows);
                        bytes = bits.placeOnes(start, rows, arena);
                        Arrays.fill(placed, (start + 7) / 8, (start + rows + 7) / 8, (byte) -1);
                    } else {
                        MemorySegment of = arena.allocate((rows + 7) / 8);
                        for (long place = 0; place < of.byteSize(); place++) {
                            of.set(ValueLayout.JAVA_BYTE, place, (byte) random.nextInt());
                        }
                        for (int row = 0; row < rows; row++) {
                            expected.set(start + row, (of.get(ValueLayout.JAVA_BYTE, row / 8) >> row % 8 & 1) != 0);
                        }
                        bytes = bits.place(of, start, rows, arena);
                    }
                    if (bytes != null) {
                        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, placed, (int) at, (int) bytes.byteSize());
                    }
                    start += rows;
                }
            }
            BitSet actual = BitSet.valueOf(placed);
            actual.clear(start, placed.length * 8);
            assertThat(actual).as("trial %d, seed %d", trial, SEED).isEqualTo(expected);
        }
    }
}
