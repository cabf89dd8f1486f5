package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.cpu.simd.RangeKernels;
import dev.quarrel.core.cpu.tile.Mask;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// The codes of a dictionary that satisfy a condition, as few ranges: then whole vectors of codes are compared with
/// their bounds instead of looking up one by one.
///
/// One thread uses it.
final class CodeRanges {
    /// With more of them a look-up a row is as quick.
    private static final int MAX_RANGES = 4;

    private final List<Bounds> ranges;
    private final boolean isOutside;
    private long[] outside = new long[0];

    /// Codes as the signed integers that their bytes are; no range holds both a negative one and another.
    private record Bounds(int low, int high) {}

    private CodeRanges(List<Bounds> ranges, boolean isOutside) {
        this.ranges = ranges;
        this.isOutside = isOutside;
    }

    /// The ranges of accepted codes, or of the others where those are fewer; null where there are too many.
    ///
    /// @param accepted a bit a code
    /// @param entries of the dictionary, more than every code that a row has; those past what codes of this width
    ///     can say are no row's
    static CodeRanges of(long[] accepted, int entries, int codeBytes) {
        int size = codeBytes == 4 ? entries : Math.min(entries, 1 << (8 * codeBytes));
        List<Bounds> inside = ranges(accepted, size, codeBytes, true);
        List<Bounds> others = inside != null && inside.size() <= 1 ? null : ranges(accepted, size, codeBytes, false);
        if (others == null || inside != null && inside.size() <= others.size()) {
            return inside == null ? null : new CodeRanges(inside, false);
        }
        return new CodeRanges(others, true);
    }

    private static List<Bounds> ranges(long[] accepted, int size, int codeBytes, boolean isAccepted) {
        int firstNegative = codeBytes == 4 ? Integer.MAX_VALUE : 1 << (8 * codeBytes - 1);
        int wrap = codeBytes == 4 ? 0 : 1 << (8 * codeBytes);
        List<Bounds> ranges = new ArrayList<>();
        for (int code = 0; code < size; ) {
            if (isAccepted(accepted, code) != isAccepted) {
                code++;
                continue;
            }
            int low = code;
            while (code < size && isAccepted(accepted, code) == isAccepted && (code != firstNegative || code == low)) {
                code++;
            }
            if (ranges.size() == MAX_RANGES) {
                return null;
            }
            int shift = low >= firstNegative ? wrap : 0;
            ranges.add(new Bounds(low - shift, code - 1 - shift));
        }
        return ranges;
    }

    private static boolean isAccepted(long[] accepted, int code) {
        return (accepted[code >>> 6] >>> code & 1) != 0;
    }

    int count() {
        return ranges.size();
    }

    /// Keeps the rows of `mask` whose code is accepted; all of them are present.
    void narrow(DictionaryColumn codes, int first, Mask mask) {
        long[] bits = mask.bits();
        if (ranges.size() == 1) {
            test(codes, first, mask.rowCount(), ranges.getFirst(), isOutside ? -1L : 0, bits);
        } else {
            int words = mask.wordCount();
            if (outside.length < words) {
                outside = new long[words];
            }
            System.arraycopy(bits, 0, outside, 0, words);
            for (Bounds range : ranges) {
                test(codes, first, mask.rowCount(), range, -1L, outside);
            }
            for (int word = 0; word < words; word++) {
                bits[word] = isOutside ? outside[word] : bits[word] & ~outside[word];
            }
        }
        mask.recount();
    }

    private static void test(DictionaryColumn codes, int first, int rows, Bounds range, long flip, long[] bits) {
        RangeKernels kernels = RangeKernels.current();
        MemorySegment values = codes.codes();
        switch (codes.codeBytes()) {
            case 1 -> kernels.int8(values, first, rows, range.low(), range.high(), flip, bits);
            case 2 -> kernels.int16(values, first * 2L, rows, range.low(), range.high(), flip, bits);
            default -> kernels.int32(values, first * 4L, rows, range.low(), range.high(), flip, bits);
        }
    }
}
