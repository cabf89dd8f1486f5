package dev.quarrel.cuda.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.host.HostBackend;
import dev.quarrel.cuda.host.HostLibrary;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/// Where the texts of batches of any size come to lie, read as kernels read them.
class PlacedTextsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    /// Texts behind some bytes that are none of the column's, with narrow or wide offsets.
    private static Utf8Column column(List<String> texts, boolean isLarge, int before, Arena arena) {
        byte[] bytes = ("x".repeat(before) + String.join("", texts)).getBytes(StandardCharsets.UTF_8);
        MemorySegment offsets = arena.allocate((texts.size() + 1L) * (isLarge ? 8 : 4), 8);
        long offset = before;
        for (int row = 0; row <= texts.size(); row++) {
            if (isLarge) {
                offsets.setAtIndex(ValueLayout.JAVA_LONG, row, offset);
            } else {
                offsets.setAtIndex(ValueLayout.JAVA_INT, row, (int) offset);
            }
            offset += row < texts.size() ? texts.get(row).getBytes(StandardCharsets.UTF_8).length : 0;
        }
        MemorySegment data = arena.allocate(Math.max(1, bytes.length)).copyFrom(MemorySegment.ofArray(bytes));
        return new Utf8Column(texts.size(), offsets, isLarge, data.asSlice(0, bytes.length), Validity.allPresent());
    }

    private static String read(MemorySegment records, int row) {
        long record = row / 256 * (long) Physical.TEXT_RECORD;
        long ends = record + 16;
        int begin = records.get(ValueLayout.JAVA_INT, ends + row % 256 * 4L - 4);
        int end = records.get(ValueLayout.JAVA_INT, ends + row % 256 * 4L);
        MemorySegment tile = MemorySegment.ofAddress(records.get(ValueLayout.JAVA_LONG, record))
                .reinterpret(Integer.MAX_VALUE);
        return new String(tile.asSlice(begin, end - begin).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Test
    void batchesOfAnySize() {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        Random random = new Random(SEED);
        HostBackend backend = new HostBackend(HostLibrary.open(), 0);
        for (int round = 0; round < 50; round++) {
            List<String> all = new ArrayList<>();
            int rows = random.nextInt(1, 2000);
            int most = random.nextInt(1, round % 5 == 0 ? 600 : 20);
            for (int row = 0; row < rows; row++) {
                all.add("é".repeat(random.nextInt(most)) + row);
            }
            try (Arena arena = Arena.ofConfined();
                    ResidentColumns resident = new ResidentColumns(backend, 1 << 20, 1, 1);
                    CommandQueue queue = backend.newQueue();
                    DeviceMemory records = backend.allocate(Physical.TEXT.bytes(rows));
                    PlacedTexts texts = new PlacedTexts(resident, queue)) {
                for (int start = 0; start < rows; ) {
                    int end = Math.min(rows, start + random.nextInt(1, random.nextBoolean() ? 30 : 700));
                    Utf8Column batch = column(all.subList(start, end), random.nextBoolean(), random.nextInt(5), arena);
                    texts.add(batch, start, records, arena);
                    start = end;
                }
                MemorySegment made = arena.allocate(records.byteSize(), 16);
                queue.download(records, 0, made);
                for (int row = 0; row < rows; row++) {
                    assertThat(read(made, row)).as("row %d of %d", row, rows).isEqualTo(all.get(row));
                }
            }
            assertThat(backend.allocatedBytes()).isZero();
        }
    }

    @Test
    void offsetsThatDoNotAscend() {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        HostBackend backend = new HostBackend(HostLibrary.open(), 0);
        for (int[] offsets : new int[][] {{0, 3, 2, 4}, {0, 1, 2, 9}, {-1, 1, 2, 3}, {3, 3, 3, 2}}) {
            try (Arena arena = Arena.ofConfined();
                    ResidentColumns resident = new ResidentColumns(backend, 1 << 20, 1, 1);
                    CommandQueue queue = backend.newQueue();
                    DeviceMemory records = backend.allocate(Physical.TEXT.bytes(3));
                    PlacedTexts texts = new PlacedTexts(resident, queue)) {
                Utf8Column broken = new Utf8Column(
                        3,
                        arena.allocateFrom(ValueLayout.JAVA_INT, offsets),
                        false,
                        arena.allocate(5),
                        Validity.allPresent());
                assertThatThrownBy(() -> texts.add(broken, 0, records, arena)).isInstanceOf(NoKernel.class);
            }
            assertThat(backend.allocatedBytes()).isZero();
        }
    }
}
