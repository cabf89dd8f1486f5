package dev.quarrel.core.regex;

import java.util.Arrays;

/// A set of characters, as ranges of code points: pairs of a first and a last one, ascending, with gaps between them.
record CharSet(int[] ranges) {
    /// Beyond Unicode: an expression may name characters that no text has.
    static final int MAX = 0x7FFF_FFFE;

    static final CharSet NONE = new CharSet(new int[0]);
    static final CharSet ALL = new CharSet(new int[] {0, MAX});
    static final CharSet NEWLINE = of('\n', '\n');
    static final CharSet DIGITS = of('0', '9');
    static final CharSet SPACES = of('\t', '\r').with(of(' ', ' '));
    static final CharSet LETTERS = of('A', 'Z').with(of('a', 'z'));
    static final CharSet WORD = DIGITS.with(LETTERS).with(of('_', '_'));

    static CharSet of(int first, int last) {
        return new CharSet(new int[] {first, last});
    }

    CharSet with(CharSet other) {
        int[][] pairs = new int[(ranges.length + other.ranges.length) / 2][];
        int count = 0;
        for (int[] each : new int[][] {ranges, other.ranges}) {
            for (int index = 0; index < each.length; index += 2) {
                pairs[count++] = new int[] {each[index], each[index + 1]};
            }
        }
        Arrays.sort(pairs, (one, two) -> Integer.compare(one[0], two[0]));
        int[] merged = new int[2 * count];
        int size = 0;
        for (int[] pair : pairs) {
            if (size > 0 && pair[0] <= merged[size - 1] + 1) {
                merged[size - 1] = Math.max(merged[size - 1], pair[1]);
            } else {
                merged[size++] = pair[0];
                merged[size++] = pair[1];
            }
        }
        return new CharSet(Arrays.copyOf(merged, size));
    }

    CharSet complement() {
        int[] gaps = new int[ranges.length + 2];
        int size = 0;
        int next = 0;
        for (int index = 0; index < ranges.length; index += 2) {
            if (ranges[index] > next) {
                gaps[size++] = next;
                gaps[size++] = ranges[index] - 1;
            }
            next = ranges[index + 1] + 1;
        }
        if (next <= MAX) {
            gaps[size++] = next;
            gaps[size++] = MAX;
        }
        return new CharSet(Arrays.copyOf(gaps, size));
    }

    CharSet without(CharSet other) {
        return complement().with(other).complement();
    }

    /// Case is ASCII's, as under collation "C".
    CharSet withOtherCase() {
        return with(shifted('a', 'z', 'A' - 'a')).with(shifted('A', 'Z', 'a' - 'A'));
    }

    /// What of `first` to `last` is here, moved.
    private CharSet shifted(int first, int last, int by) {
        CharSet moved = NONE;
        for (int index = 0; index < ranges.length; index += 2) {
            int from = Math.max(ranges[index], first);
            int to = Math.min(ranges[index + 1], last);
            if (from <= to) {
                moved = moved.with(of(from + by, to + by));
            }
        }
        return moved;
    }

    boolean contains(int character) {
        for (int index = 0; index < ranges.length && ranges[index] <= character; index += 2) {
            if (character <= ranges[index + 1]) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CharSet(int[] theirs) && Arrays.equals(ranges, theirs);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ranges);
    }

    @Override
    public String toString() {
        return Arrays.toString(ranges);
    }
}
