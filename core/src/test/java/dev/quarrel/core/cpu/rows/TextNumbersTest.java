package dev.quarrel.core.cpu.rows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextNumbersTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    private static byte[] text(Random random, int longest) {
        byte[] text = new byte[random.nextInt(longest + 1)];
        for (int at = 0; at < text.length; at++) {
            text[at] = (byte) (random.nextInt(4) == 0 ? 0 : 'a' + random.nextInt(3));
        }
        return text;
    }

    /// Length, then words, the last padded with zeros: the contract of all devices.
    @Test
    void hashesAreThoseOfTheContract() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 2_000; trial++) {
            byte[] text = text(random, 40);
            long expected = KeyHash.of(text.length);
            for (int from = 0; from < text.length; from += 8) {
                long word = 0;
                for (int at = from; at < Math.min(text.length, from + 8); at++) {
                    word |= (text[at] & 0xFFL) << 8 * (at - from);
                }
                expected = KeyHash.combine(expected, word);
            }
            int before = random.nextInt(5);
            int behind = random.nextInt(10);
            byte[] around = new byte[before + text.length + behind];
            Arrays.fill(around, (byte) 0x55);
            System.arraycopy(text, 0, around, before, text.length);
            assertThat(KeyHash.ofBytes(around, before, text.length)).isEqualTo(expected);
            assertThat(KeyHash.ofBytes(MemorySegment.ofArray(around), before, text.length))
                    .isEqualTo(expected);
        }
    }

    /// Tiles of texts that lie together, far apart, or are too long to take together; NULLs among them.
    @Test
    void codesAreNumbersOfDistinctTexts() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (int longest : new int[] {0, 1, 7, 8, 9, 40, 3_000}) {
            for (int gap : new int[] {0, 500}) {
                check(random, longest, gap);
            }
        }
    }

    private static void check(Random random, int longest, int gap) {
        MemoryBudget budget = new MemoryBudget(1L << 30);
        Map<String, Integer> known = new HashMap<>();
        try (Reservation reservation = new Reservation(budget)) {
            TextNumbers codes = new TextNumbers(DataType.UTF8, reservation);
            for (int rowCount : new int[] {0, 1, 31, 64, 300, 1024}) {
                List<byte[]> texts = new ArrayList<>();
                for (int row = 0; row < rowCount; row++) {
                    texts.add(random.nextInt(7) == 0 ? null : text(random, longest));
                }
                TextVector vector = vector(texts, gap);
                int[] rows = new int[rowCount];
                for (int row = 0; row < rowCount; row++) {
                    rows[row] = row;
                }
                long[] out = new long[rowCount];
                boolean isMissing = codes.codes(vector, rows, rowCount, out, false);
                boolean anyMissing = false;
                for (int row = 0; row < rowCount; row++) {
                    long expected = texts.get(row) == null ? 0 : known.getOrDefault(key(texts.get(row)), -1);
                    assertThat(out[row]).isEqualTo(expected);
                    anyMissing |= expected < 0;
                }
                assertThat(isMissing).isEqualTo(anyMissing);
                assertThat(codes.codes(vector, rows, rowCount, out, true)).isFalse();
                for (int row = 0; row < rowCount; row++) {
                    long expected = 0;
                    if (texts.get(row) != null) {
                        known.putIfAbsent(key(texts.get(row)), known.size());
                        expected = known.get(key(texts.get(row)));
                    }
                    assertThat(out[row])
                            .as("row %d of texts up to %d", row, longest)
                            .isEqualTo(expected);
                }
                assertThat(codes.size()).isEqualTo(known.size());
            }
        }
    }

    private static String key(byte[] text) {
        return Arrays.toString(text);
    }

    private static TextVector vector(List<byte[]> texts, int gap) {
        TextVector vector = new TextVector(DataType.UTF8, Math.max(1, texts.size()));
        int bytes = 3;
        for (byte[] text : texts) {
            bytes += (text == null ? 0 : text.length) + gap;
        }
        MemorySegment base = MemorySegment.ofArray(new byte[bytes]);
        vector.useReferences(base);
        Bits.fill(vector.writableValidity(), true);
        int at = 3;
        for (int row = 0; row < texts.size(); row++) {
            if (texts.get(row) == null) {
                Bits.set(vector.writableValidity(), row, false);
                vector.offsets()[row] = Long.MAX_VALUE / 2; // under a NULL may stand anything
                continue;
            }
            MemorySegment.copy(texts.get(row), 0, base, ValueLayout.JAVA_BYTE, at, texts.get(row).length);
            vector.offsets()[row] = at;
            vector.lengths()[row] = texts.get(row).length;
            at += texts.get(row).length + gap;
        }
        return vector;
    }
}
