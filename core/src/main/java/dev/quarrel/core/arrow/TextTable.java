package dev.quarrel.core.arrow;

import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.TextHash;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Utf8Column;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A table of distinct texts, numbered in order of arrival. It refers to the columns that they came from.
public final class TextTable {
    private int[] slots; // number + 1, or 0
    private Utf8Column[] columns;
    private int[] rows;
    private int[] hashes;
    private long[] firstWords;
    private int size;

    public TextTable(int expected) {
        int capacity = Integer.highestOneBit(Math.clamp(expected, 16, 1 << 28) * 2 - 1) * 2;
        this.slots = new int[capacity];
        this.columns = new Utf8Column[capacity / 2];
        this.rows = new int[capacity / 2];
        this.hashes = new int[capacity / 2];
        this.firstWords = new long[capacity / 2];
    }

    public int size() {
        return size;
    }

    String text(int number) {
        return ColumnSummarizer.string(columns[number], rows[number]);
    }

    /// Adds every entry of `values`; new ones also to `target`, if there is one. Answers their numbers.
    public int[] addAll(Utf8Column values, ColumnWriter target) {
        int[] numbers = new int[values.rowCount()];
        for (int row = 0; row < numbers.length; row++) {
            int before = size;
            numbers[row] = number(values, row);
            if (size > before && target != null) {
                MemorySegment text = values.bytes(row);
                target.appendUtf8(text, 0, Math.toIntExact(text.byteSize()));
            }
        }
        return numbers;
    }

    /// The number of the text in `row`, which may be new.
    int number(Utf8Column values, int row) {
        long start = values.offset(row);
        long end = values.offset(row + 1);
        MemorySegment data = values.data();
        long first = TextHash.word(data, start, end);
        int hash = (int) TextHash.of(data, start, end, first);
        int mask = slots.length - 1;
        for (int slot = hash & mask; ; slot = (slot + 1) & mask) {
            int number = slots[slot] - 1;
            if (number < 0) {
                return insert(slot, hash, first, values, row);
            }
            if (hashes[number] == hash && firstWords[number] == first && isEqual(number, data, start, end)) {
                return number;
            }
        }
    }

    private boolean isEqual(int number, MemorySegment data, long start, long end) {
        Utf8Column column = columns[number];
        long otherStart = column.offset(rows[number]);
        return column.offset(rows[number] + 1) - otherStart == end - start
                && TextHash.sameRest(column.data(), otherStart, data, start, end - start);
    }

    private int insert(int slot, int hash, long first, Utf8Column values, int row) {
        slots[slot] = size + 1;
        columns[size] = values;
        rows[size] = row;
        hashes[size] = hash;
        firstWords[size] = first;
        size++;
        if (size == columns.length) {
            grow();
        }
        return size - 1;
    }

    private void grow() {
        int capacity = Math.multiplyExact(slots.length, 2);
        columns = Arrays.copyOf(columns, capacity / 2);
        rows = Arrays.copyOf(rows, capacity / 2);
        hashes = Arrays.copyOf(hashes, capacity / 2);
        firstWords = Arrays.copyOf(firstWords, capacity / 2);
        slots = new int[capacity];
        for (int number = 0; number < size; number++) {
            int slot = hashes[number] & (capacity - 1);
            while (slots[slot] != 0) {
                slot = (slot + 1) & (capacity - 1);
            }
            slots[slot] = number + 1;
        }
    }
}
