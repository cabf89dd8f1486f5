package dev.quarrel.core.arrow.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TextSummarizerTest {
    private static final int[] COUNTS = {1, 2, 31, 63, 64, 65, 127, 1023, 1024, 1025, 2500};

    @Test
    void boundsAndOrderAreThoseOfTheBytes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<byte[]> texts = texts(random);
            String what = "seed " + seed + ", round " + round;
            Column column = column(texts, random.nextBoolean(), random.nextInt(5));
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment outside = arena.allocate(column.bytes.length + 1L);
                MemorySegment.copy(MemorySegment.ofArray(column.bytes), 0, outside, 0, column.bytes.length);
                Utf8Column heap = column.of(MemorySegment.ofArray(column.bytes));
                TextSummarizer found = new TextSummarizer(heap, texts.contains(null));
                TextSummarizer same = new TextSummarizer(column.of(outside), texts.contains(null));
                check(what, texts, found);
                check(what, texts, same);
                assertThat(same.distinctCount(texts.size())).as(what).isEqualTo(found.distinctCount(texts.size()));
            }
        }
    }

    private static void check(String what, List<byte[]> texts, TextSummarizer found) {
        List<byte[]> present = texts.stream().filter(Objects::nonNull).toList();
        byte[] least = present.stream().min(Arrays::compareUnsigned).orElse(null);
        byte[] most = present.stream().max(Arrays::compareUnsigned).orElse(null);
        assertThat(found.minRow() < 0 ? null : texts.get(found.minRow()))
                .as(what)
                .isEqualTo(least);
        assertThat(found.maxRow() < 0 ? null : texts.get(found.maxRow()))
                .as(what)
                .isEqualTo(most);
        boolean ascends = present.size() == texts.size();
        for (int row = 1; ascends && row < texts.size(); row++) {
            ascends = Arrays.compareUnsigned(texts.get(row - 1), texts.get(row)) <= 0;
        }
        assertThat(found.ascends()).as(what).isEqualTo(ascends);
        Set<String> distinct = new HashSet<>();
        present.forEach(text -> distinct.add(Arrays.toString(text)));
        assertThat((double) found.distinctCount(present.size()))
                .as(what)
                .isBetween(distinct.size() * 0.9 - 1, distinct.size() * 1.1 + 1);
    }

    /// Of few bytes, so that many begin alike or are equal; sorted every other time, with NULLs every third.
    private static List<byte[]> texts(Random random) {
        int count = COUNTS[random.nextInt(COUNTS.length)];
        int longest = 1 + random.nextInt(40);
        List<byte[]> texts = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            byte[] text = new byte[random.nextInt(longest + 1)];
            for (int index = 0; index < text.length; index++) {
                text[index] = (byte) (index < longest - 3 ? 0 : random.nextInt(3) - 1);
            }
            texts.add(text);
        }
        if (random.nextBoolean()) {
            texts.sort(Arrays::compareUnsigned);
        }
        if (random.nextInt(3) == 0) {
            texts.replaceAll(text -> random.nextInt(4) == 0 ? null : text);
        }
        return texts;
    }

    private record Column(int rows, byte[] bytes, MemorySegment offsets, boolean isWide, Validity validity) {
        /// The column of the same bytes elsewhere, of which it has a part.
        Utf8Column of(MemorySegment data) {
            return new Utf8Column(DataType.BINARY, rows, offsets, isWide, data.asSlice(1, bytes.length - 1), validity);
        }
    }

    /// @param skipped bytes before the first text
    private static Column column(List<byte[]> texts, boolean isWide, int skipped) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[1 + skipped]);
        long[] offsets = new long[texts.size() + 1];
        long[] words = new long[texts.size() / Long.SIZE + 1];
        int nulls = 0;
        for (int row = 0; row < texts.size(); row++) {
            offsets[row] = bytes.size() - 1;
            if (texts.get(row) == null) {
                nulls++;
            } else {
                words[row >>> 6] |= 1L << row;
                bytes.writeBytes(texts.get(row));
            }
        }
        offsets[texts.size()] = bytes.size() - 1;
        MemorySegment stored = MemorySegment.ofArray(new long[offsets.length]);
        for (int row = 0; row < offsets.length; row++) {
            if (isWide) {
                stored.set(LittleEndian.INT64, row * 8L, offsets[row]);
            } else {
                stored.set(LittleEndian.INT32, row * 4L, (int) offsets[row]);
            }
        }
        Validity validity = Validity.of(MemorySegment.ofArray(words), texts.size(), nulls);
        return new Column(texts.size(), bytes.toByteArray(), stored, isWide, validity);
    }
}
