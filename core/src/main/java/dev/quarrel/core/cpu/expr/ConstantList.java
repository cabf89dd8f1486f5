package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.Arrays;

/// IN over a list, which is an array's text: a hash table that is made once, as long as the list stays the same.
abstract sealed class ConstantList implements RowFunction {
    /// The golden ratio's bits spread neighbours over the table.
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private byte[] bytes;
    private int start;
    private int length;

    @Override
    public void compute(Arguments in, Vector out, int row) {
        TextReader list = in.text(1);
        boolean isKnown = list.isConstant() && list.bytes == bytes && list.start == start && list.length == length;
        if (!isKnown) {
            ArrayElements elements = new ArrayElements();
            elements.open(list);
            read(elements, list.length);
            bytes = list.bytes;
            start = list.start;
            length = list.length;
        }
        Bits.set(((BoolVector) out).bits(), row, contains(in));
    }

    /// Makes the table.
    ///
    /// @param byteCount bytes of the list, each element of which has two or more with its comma or brace
    abstract void read(ArrayElements elements, int byteCount);

    abstract boolean contains(Arguments in);

    private static int place(long hash, int mask) {
        return (int) (hash * SPREAD >>> 32) & mask;
    }

    /// A power of two, twice as many as elements at least.
    private static int capacity(int byteCount) {
        return Math.max(16, Integer.highestOneBit(Math.max(byteCount, 1)) << 1);
    }

    static final class OfInt64 extends ConstantList {
        /// 0 is an empty place; whether it is in the list, `hasZero` says.
        private long[] table;

        private boolean hasZero;

        @Override
        void read(ArrayElements elements, int byteCount) {
            table = new long[capacity(byteCount)];
            hasZero = false;
            while (elements.next()) {
                if (elements.isNull || !isInteger(elements)) {
                    continue;
                }
                long value = value(elements);
                if (value == 0) {
                    hasZero = true;
                } else {
                    add(value);
                }
            }
        }

        private void add(long value) {
            int mask = table.length - 1;
            int at = place(value, mask);
            while (table[at] != 0 && table[at] != value) {
                at = at + 1 & mask;
            }
            table[at] = value;
        }

        /// Whether an element is an integer as it is shown: no other text is equal to one.
        private static boolean isInteger(ArrayElements element) {
            int at = element.start;
            int end = at + element.length;
            boolean isNegative = at < end && element.bytes[at] == '-';
            at += isNegative ? 1 : 0;
            int digits = end - at;
            if (digits < 1 || digits > 19 || element.bytes[at] == '0' && (isNegative || digits > 1)) {
                return false;
            }
            for (; at < end; at++) {
                if (element.bytes[at] < '0' || element.bytes[at] > '9') {
                    return false;
                }
            }
            return true;
        }

        private static long value(ArrayElements element) {
            int at = element.start;
            int end = at + element.length;
            boolean isNegative = element.bytes[at] == '-';
            long value = 0;
            for (at += isNegative ? 1 : 0; at < end; at++) {
                value = value * 10 - (element.bytes[at] - '0');
            }
            return isNegative ? value : -value;
        }

        @Override
        boolean contains(Arguments in) {
            long value = in.int64(0);
            if (value == 0) {
                return hasZero;
            }
            int mask = table.length - 1;
            int at = place(value, mask);
            while (table[at] != 0) {
                if (table[at] == value) {
                    return true;
                }
                at = at + 1 & mask;
            }
            return false;
        }
    }

    static final class OfText extends ConstantList {
        /// An element's number and 1; 0 is an empty place.
        private int[] table;

        private int[] ends = new int[16];
        private byte[] texts = new byte[0];

        @Override
        void read(ArrayElements elements, int byteCount) {
            table = new int[capacity(byteCount)];
            texts = new byte[byteCount];
            int count = 0;
            int end = 0;
            while (elements.next()) {
                if (elements.isNull) {
                    continue;
                }
                int place = find(elements.bytes, elements.start, elements.length);
                if (table[place] != 0) {
                    continue;
                }
                System.arraycopy(elements.bytes, elements.start, texts, end, elements.length);
                end += elements.length;
                if (count == ends.length) {
                    ends = Arrays.copyOf(ends, count * 2);
                }
                ends[count++] = end;
                table[place] = count;
            }
        }

        /// The place of a text, or the empty one where it would be.
        private int find(byte[] bytes, int start, int length) {
            int mask = table.length - 1;
            long hash = length;
            for (int at = start; at < start + length; at++) {
                hash = hash * 31 + bytes[at];
            }
            int place = place(hash, mask);
            while (table[place] != 0) {
                int number = table[place] - 1;
                int from = number == 0 ? 0 : ends[number - 1];
                if (Arrays.equals(texts, from, ends[number], bytes, start, start + length)) {
                    return place;
                }
                place = place + 1 & mask;
            }
            return place;
        }

        @Override
        boolean contains(Arguments in) {
            TextReader text = in.text(0);
            return table[find(text.bytes, text.start, text.length)] != 0;
        }
    }
}
