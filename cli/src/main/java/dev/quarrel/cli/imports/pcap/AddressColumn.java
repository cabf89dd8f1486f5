package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.arrow.dataset.TableLoad;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;

/// Addresses, which become texts; where they are so few that a table has codes of them, codes of texts.
final class AddressColumn {
    private final AddressText kind;
    private final long[] highs; // of IPv6 alone, else null
    private final long[] lows;
    private final Presence present;

    AddressColumn(AddressText kind, int rows) {
        this.kind = kind;
        this.highs = kind == AddressText.IPV6 ? new long[rows] : null;
        this.lows = new long[rows];
        this.present = new Presence(rows);
    }

    /// An address of up to eight bytes.
    void set(int row, long address) {
        lows[row] = address;
        present.add(row);
    }

    /// One of sixteen.
    void set(int row, long high, long low) {
        highs[row] = high;
        set(row, low);
    }

    private long high(int row) {
        return highs == null ? 0 : highs[row];
    }

    Column finish(OffHeap memory) {
        int rows = lows.length;
        AddressCodes codes = new AddressCodes(rows / TableLoad.MIN_REPEATS);
        int[] coded = new int[rows];
        return isCoded(codes, coded)
                ? new DictionaryColumn(
                        rows,
                        memory.of(coded),
                        Integer.BYTES,
                        new Dictionary(texts(codes, memory)),
                        present.validity(memory))
                : plain(memory);
    }

    /// Gives each address its code.
    ///
    /// @return false as soon as there are too many
    private boolean isCoded(AddressCodes codes, int[] coded) {
        for (int row = 0; row < coded.length; row++) {
            int code = present.has(row) ? codes.code(high(row), lows[row]) : 0;
            if (code < 0) {
                return false;
            }
            coded[row] = code;
        }
        return true;
    }

    private Utf8Column texts(AddressCodes codes, OffHeap memory) {
        byte[] bytes = new byte[codes.size() * kind.maxBytes];
        int[] offsets = new int[codes.size() + 1];
        for (int code = 0; code < codes.size(); code++) {
            offsets[code + 1] = kind.put(codes.high(code), codes.low(code), bytes, offsets[code]);
        }
        return column(bytes, offsets, Validity.allPresent(), memory);
    }

    private Utf8Column plain(OffHeap memory) {
        byte[] bytes = new byte[Math.multiplyExact(present.count(), kind.maxBytes)];
        int[] offsets = new int[lows.length + 1];
        for (int row = 0; row < lows.length; row++) {
            offsets[row + 1] = present.has(row) ? kind.put(high(row), lows[row], bytes, offsets[row]) : offsets[row];
        }
        return column(bytes, offsets, present.validity(memory), memory);
    }

    private static Utf8Column column(byte[] bytes, int[] offsets, Validity validity, OffHeap memory) {
        int rows = offsets.length - 1;
        return new Utf8Column(rows, memory.of(offsets), false, memory.of(bytes, offsets[rows]), validity);
    }
}
