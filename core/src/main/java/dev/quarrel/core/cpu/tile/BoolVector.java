package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.type.DataType;

/// A vector of Booleans, one bit per row.
public final class BoolVector extends Vector {
    private final long[] bits;

    public BoolVector(int tileRows) {
        super(DataType.BOOL, tileRows);
        this.bits = new long[capacity() / 64];
    }

    /// A bit a row; 1 = true. Under a NULL, undefined.
    public long[] bits() {
        return bits;
    }

    public boolean get(int row) {
        return Bits.get(bits, row);
    }

    @Override
    void gatherValues(Vector source, int[] rows, int count) {
        long[] from = ((BoolVector) source).bits;
        for (int base = 0; base < count; base += 64) {
            long word = 0;
            int end = Math.min(64, count - base);
            for (int bit = 0; bit < end; bit++) {
                int row = Math.max(0, rows[base + bit]);
                word |= (from[row >>> 6] >>> row & 1) << bit;
            }
            bits[base >>> 6] = word;
        }
    }

    @Override
    public void copyValues(Vector source, Mask rows) {
        long[] from = ((BoolVector) source).bits;
        long[] selected = rows.bits();
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            bits[word] = bits[word] & ~selected[word] | from[word] & selected[word];
        }
    }

    @Override
    public void gatherSelected(Vector source, int[] codes, Mask rows) {
        long[] from = ((BoolVector) source).bits;
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            long rest = rows.bits()[word] & (validity() == null ? -1L : validity()[word]);
            int base = word << 6;
            long gathered = 0;
            if (rest == -1L) {
                for (int bit = 0; bit < 64; bit++) {
                    int code = codes[base + bit];
                    gathered |= (from[code >>> 6] >>> code & 1) << bit;
                }
            } else {
                for (; rest != 0; rest &= rest - 1) {
                    int bit = Long.numberOfTrailingZeros(rest);
                    int code = codes[base + bit];
                    gathered |= (from[code >>> 6] >>> code & 1) << bit;
                }
            }
            bits[word] = gathered;
        }
    }

    @Override
    void fill(Object value) {
        Bits.fill(bits, (Boolean) value);
    }

    @Override
    Object presentValue(int row) {
        return get(row);
    }
}
