package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.Network;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/// Addresses as codes of their texts, so that each becomes a text once a batch.
final class AddressColumn implements PacketColumn {
    /// What the addresses are.
    enum Kind {
        MAC,
        IPV4,
        IPV6
    }

    private static final int MAC_BYTES = 6;
    private static final int FIRST_SLOTS = 1 << 10;
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private final Kind kind;
    private final int[] codes = new int[PacketColumns.MAX_ROWS];
    private final long[] present = new long[PacketColumns.MAX_ROWS / Long.SIZE];
    private final long[] highs = new long[PacketColumns.MAX_ROWS]; // by code
    private final long[] lows = new long[PacketColumns.MAX_ROWS];
    private int size;
    private int setCount;
    private int[] slots = new int[FIRST_SLOTS]; // code + 1; 0 for none

    AddressColumn(Kind kind) {
        this.kind = kind;
    }

    /// The address that stands at `at`.
    void set(int row, byte[] bytes, int at) {
        switch (kind) {
            case MAC -> set(row, 0, CaptureBytes.uint32(bytes, at) << 16 | CaptureBytes.uint16(bytes, at + 4));
            case IPV4 -> set(row, 0, CaptureBytes.uint32(bytes, at));
            case IPV6 -> set(row, CaptureBytes.int64(bytes, at), CaptureBytes.int64(bytes, at + Long.BYTES));
        }
    }

    private void set(int row, long high, long low) {
        codes[row] = code(high, low);
        present[row >>> 6] |= 1L << row;
        setCount++;
    }

    private static int slot(long high, long low, int mask) {
        long hash = (high * 0x9E3779B97F4A7C15L ^ low) * 0xD6E8FEB86659FD93L;
        return (int) (hash >>> 32) & mask;
    }

    private int code(long high, long low) {
        int mask = slots.length - 1;
        int slot = slot(high, low, mask);
        while (slots[slot] != 0) {
            int code = slots[slot] - 1;
            if (lows[code] == low && highs[code] == high) {
                return code;
            }
            slot = slot + 1 & mask;
        }
        highs[size] = high;
        lows[size] = low;
        slots[slot] = ++size;
        if (size * 2 > slots.length) {
            grow();
        }
        return size - 1;
    }

    private void grow() {
        slots = new int[slots.length * 2];
        int mask = slots.length - 1;
        for (int code = 0; code < size; code++) {
            int slot = slot(highs[code], lows[code], mask);
            while (slots[slot] != 0) {
                slot = slot + 1 & mask;
            }
            slots[slot] = code + 1;
        }
    }

    @Override
    public Column finish(DataType type, Allocator memory, byte[] buffer, int rows) {
        ColumnWriter texts = new ColumnWriter(type, memory, size);
        for (int code = 0; code < size; code++) {
            texts.appendUtf8(text(highs[code], lows[code]));
        }
        MemorySegment codeBytes = memory.allocateUnset((long) rows * Integer.BYTES);
        MemorySegment.copy(codes, 0, codeBytes, ValueLayout.JAVA_INT_UNALIGNED, 0, rows);
        Validity validity = Validity.allPresent();
        if (setCount < rows) {
            MemorySegment bits = memory.allocateUnset((long) present.length * Long.BYTES);
            MemorySegment.copy(present, 0, bits, ValueLayout.JAVA_LONG_UNALIGNED, 0, present.length);
            validity = Validity.of(bits, rows, rows - setCount);
        }
        Column column = new DictionaryColumn(
                rows, codeBytes, Integer.BYTES, new Dictionary((Utf8Column) texts.finish()), validity);
        Arrays.fill(codes, 0, rows, 0);
        Arrays.fill(present, 0);
        Arrays.fill(slots, 0);
        size = 0;
        setCount = 0;
        return column;
    }

    private String text(long high, long low) {
        return switch (kind) {
            case MAC ->
                COLONS.formatHex(
                        ByteBuffer.allocate(Long.BYTES).putLong(low).array(), Long.BYTES - MAC_BYTES, Long.BYTES);
            case IPV4 -> new Network(ByteBuffer.allocate(4).putInt((int) low).array(), 32).host();
            case IPV6 ->
                new Network(ByteBuffer.allocate(16).putLong(high).putLong(low).array(), 128).host();
        };
    }
}
