package dev.quarrel.core.cpu;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.encoded.Narrowing;
import dev.quarrel.core.cpu.encoded.TextEncoder;
import dev.quarrel.core.cpu.loop.ColumnCells;
import dev.quarrel.core.cpu.loop.ColumnScans;
import dev.quarrel.core.cpu.loop.StoredIntegers;
import dev.quarrel.core.cpu.rows.SharedTexts;
import dev.quarrel.core.cpu.simd.KernelWarmUp;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/// Runs the loops over column memory that flat pipelines are made of until the JIT has compiled them for good: over
/// both kinds of memory, for tiles of which many, few and all rows are left.
final class LoopWarmUp {
    private static final int ROWS = 2048;
    /// The JIT compiles for good what has run 600 times with 15,000 rounds of its loops, or ten times as often while
    /// much waits for it.
    private static final int ROUNDS = 6000;
    /// The greatest key of a set: some values, 0 to 255, lie past it.
    private static final int LAST = 239;

    private static final int BUSY_ROUNDS = 100;
    private static final long REST_MILLIS = 5;

    private final Mask mask = new Mask(ROWS);
    private final int[] ints = new int[ROWS];
    private final long[] longs = new long[ROWS];
    private final int[] bitmap = new int[8];
    private final int[] numbers = new int[256];
    private final long[] accepted = new long[5];
    private final MemorySegment textOffsets = Arena.ofAuto().allocate((TextEncoder.TILE_ROWS + 1) * 4L, 8);
    private final MemorySegment codes = Arena.ofAuto().allocate(TextEncoder.TILE_ROWS * 2L, 8);
    private final MemorySegment narrow = Arena.ofAuto().allocate(TextEncoder.TILE_ROWS * 4L, 8);
    private final Narrowing[] narrowings = {new Narrowing(1, 128), new Narrowing(2, 0), new Narrowing(4, 5)};
    private final TextEncoder encoder;
    private final List<MemorySegment> memories;
    private final Dictionary dictionary;

    private LoopWarmUp() {
        MemorySegment content = Arena.ofAuto().allocate(ROWS * 16L, 64);
        // Every value, of whatever width, is 0 to 255 in its lowest byte, and nothing above it in 64 bits.
        for (int row = 0; row < ROWS * 2; row++) {
            content.set(ValueLayout.JAVA_LONG, row * 8L, row * 31 & 0xFF);
        }
        memories = KernelWarmUp.memories(content);
        for (int row = 0; row <= TextEncoder.TILE_ROWS; row++) {
            textOffsets.setAtIndex(ValueLayout.JAVA_INT, row, row * 11);
        }
        Arrays.fill(bitmap, 0x1111_1111);
        bitmap[0] &= ~1;
        Arrays.fill(accepted, 0x5555_5555_5555_5555L);
        ColumnWriter entries =
                new ColumnWriter(DataType.UTF8, bytes -> Arena.ofAuto().allocate(bytes, 8));
        entries.appendUtf8("entry");
        dictionary = new Dictionary((Utf8Column) entries.finish());
        encoder = new TextEncoder(new SharedTexts(ROWS, bytes -> Arena.ofAuto().allocate(bytes, 8)));
    }

    static void run() throws InterruptedException {
        LoopWarmUp loops = new LoopWarmUp();
        for (int round = 0; round < ROUNDS; round++) {
            loops.round(round);
            KernelWarmUp.yieldToLoads();
            if (round % BUSY_ROUNDS == 0) {
                Thread.sleep(REST_MILLIS);
            }
        }
    }

    private void round(int round) {
        MemorySegment memory = memories.get(round % memories.size());
        for (int width : new int[] {1, 2, 4, 8}) {
            int base = width == 1 ? 128 : 0; // bytes have a sign
            StoredIntegers keys = new StoredIntegers(memory, width, base, Validity.allPresent());
            select(round);
            ColumnScans.members(keys, 0, bitmap, 0, LAST, (round & 4) != 0, mask);
            few(round);
            ColumnScans.members(keys, 0, bitmap, 0, LAST, (round & 4) != 0, mask);
            select(round);
            ColumnScans.numbers(keys, 0, numbers, 0, mask, ints);
            ColumnScans.isWithin(keys, 0, ROWS, 0, 255, longs);
            select(round);
            if (width < 8) {
                ColumnCells.ints(keys, (round & 8) != 0, 0, mask, ints);
            }
            ColumnCells.longs(keys, 0, mask, longs);
        }
        select(round);
        ColumnCells.longs(new StoredIntegers(memory, 16, 0, Validity.allPresent()), 0, mask, longs);
        for (int width : new int[] {1, 2, 4}) {
            select(round);
            ColumnScans.codes(
                    new DictionaryColumn(ROWS, memory, width, dictionary, Validity.allPresent()), 0, accepted, mask);
            select(round);
            ColumnCells.ints(new StoredIntegers(memory, width, 0, Validity.allPresent()), true, 0, mask, ints);
        }
        if (round % 4 == 0) {
            narrow(memories.get(round / 4 % memories.size()));
        }
        Utf8Column texts = new Utf8Column(TextEncoder.TILE_ROWS, textOffsets, false, memory, Validity.allPresent());
        encoder.encode(texts, 0, TextEncoder.TILE_ROWS, codes);
    }

    /// One row in 16: so few that the selected ones alone are looked at.
    private void few(int round) {
        mask.setAll(ROWS);
        long[] bits = mask.bits();
        Arrays.fill(bits, 0, mask.wordCount(), 0x0001_0001_0001_0001L << round % 16);
        mask.recount();
    }

    private void narrow(MemorySegment memory) {
        for (DataType type : new DataType[] {DataType.INT32, DataType.INT64, new DataType.Decimal(18, 2)}) {
            FixedColumn column = new FixedColumn(type, TextEncoder.TILE_ROWS / 2, memory, Validity.allPresent());
            for (Narrowing narrowing : narrowings) {
                narrowing.run(column, 0, column.rowCount(), narrow);
            }
        }
    }

    /// All rows, half of them, or one in 50.
    private void select(int round) {
        mask.setAll(ROWS);
        if (round % 3 == 0) {
            return;
        }
        long[] bits = mask.bits();
        for (int word = 0; word < mask.wordCount(); word++) {
            bits[word] = round % 3 == 1 ? 0xAAAA_0F0F_5555_3333L : word % 3 == 0 ? 0x8000_0000_0010_0000L : 0;
        }
        mask.recount();
    }
}
