package dev.quarrel.cli.imports.pcap;

import java.util.Arrays;

/// Numbers of the different addresses of a column, up to a bound: of few, so that the table stays in cache.
final class AddressCodes {
    private final int mostCodes;
    private int size;
    private long[] highs = new long[64]; // by code
    private long[] lows = new long[64];
    private int[] slots = new int[256]; // code + 1; 0 for none

    AddressCodes(int mostCodes) {
        this.mostCodes = mostCodes;
    }

    int size() {
        return size;
    }

    long high(int code) {
        return highs[code];
    }

    long low(int code) {
        return lows[code];
    }

    private static int slot(long high, long low, int mask) {
        long hash = (high * 0x9E3779B97F4A7C15L ^ low) * 0xD6E8FEB86659FD93L;
        return (int) (hash >>> 32) & mask;
    }

    /// @return -1 where there are too many
    int code(long high, long low) {
        int mask = slots.length - 1;
        int slot = slot(high, low, mask);
        while (slots[slot] != 0) {
            int code = slots[slot] - 1;
            if (lows[code] == low && highs[code] == high) {
                return code;
            }
            slot = slot + 1 & mask;
        }
        return size < mostCodes ? add(high, low, slot) : -1;
    }

    private int add(long high, long low, int slot) {
        if (size == lows.length) {
            highs = Arrays.copyOf(highs, 2 * size);
            lows = Arrays.copyOf(lows, 2 * size);
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
        slots = new int[slots.length * 4];
        int mask = slots.length - 1;
        for (int code = 0; code < size; code++) {
            int slot = slot(highs[code], lows[code], mask);
            while (slots[slot] != 0) {
                slot = slot + 1 & mask;
            }
            slots[slot] = code + 1;
        }
    }
}
