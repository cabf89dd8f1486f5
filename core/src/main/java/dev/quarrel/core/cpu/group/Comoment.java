package dev.quarrel.core.cpu.group;

import dev.quarrel.core.cpu.number.RowErrors;
import java.util.Arrays;

/// The comoments of groups, Σ(x − x̄)(y − ȳ): Σxy − Σx · Σy / n, exact until it is rounded once to float64. Of x with
/// itself they are sums of squared deviations.
///
/// Sums within their windows are multiplied and subtracted in words, which takes a tenth of the time that BigIntegers
/// take; others are BigIntegers.
///
/// - Memory: one thread uses it, while others may use theirs of the same sums.
final class Comoment {
    /// Of n · Σxy and Σx · Σy at their lower exponent, of their difference, and its sign.
    private static final int WORDS = 8;

    private static final int WINDOW_WORDS = 3;

    /// n · Σxy has less than 191 + 31 bits, and Σx · Σy 382: at these shifts their difference fits.
    private static final int MAX_MULTIPLE_SHIFT = 256;

    private static final int MAX_PRODUCT_SHIFT = 64;

    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final FloatSum products;
    private final FloatSum ones;
    private final FloatSum others;
    private final long[] one = new long[WINDOW_WORDS + 1];
    private final long[] other = new long[WINDOW_WORDS];
    private final long[] multiple = new long[WORDS];
    private final long[] product = new long[WORDS];

    Comoment(FloatSum products, FloatSum ones, FloatSum others) {
        this.products = products;
        this.ones = ones;
        this.others = others;
        products.settle();
        ones.settle();
        others.settle();
    }

    /// - Nulls: NaN where a value is not finite.
    /// - Errors: 22003 beyond float64's range.
    double of(int group, long rows) {
        if (!ones.isFinite(group) || !others.isFinite(group)) {
            return Double.NaN;
        }
        if (!products.isFinite(group)) {
            throw RowErrors.floatOverflow();
        }
        double comoment = isInWords(group, rows) ? inWords(group, (int) rows) : inBigIntegers(group, rows);
        // Squares whose last bits are below float64's range can leave less than nothing.
        return ones == others ? Math.max(0.0, comoment) : comoment;
    }

    boolean isInWords(int group, long rows) {
        int shift = products.exponent(group) - ones.exponent(group) - others.exponent(group);
        return rows <= Integer.MAX_VALUE
                && shift <= MAX_MULTIPLE_SHIFT
                && shift >= -MAX_PRODUCT_SHIFT
                && products.isWindow(group)
                && ones.isWindow(group)
                && others.isWindow(group);
    }

    double inBigIntegers(int group, long rows) {
        BinaryNumber count = BinaryNumber.of(rows);
        return products.exact(group)
                .times(count)
                .minus(ones.exact(group).times(others.exact(group)))
                .dividedBy(count);
    }

    double inWords(int group, int rows) {
        int productExponent = ones.exponent(group) + others.exponent(group);
        int exponent = Math.min(products.exponent(group), productExponent);
        boolean isNegative = products.magnitude(group, one);
        multiply(rows, products.exponent(group) - exponent);
        boolean isNegativeProduct = ones.magnitude(group, one) ^ others.magnitude(group, other);
        multiply(productExponent - exponent);
        isNegative ^= addProduct(isNegative == isNegativeProduct);
        return quotient(exponent, rows, isNegative);
    }

    /// Makes `multiple` of n and `one`.
    private void multiply(int rows, int shift) {
        Arrays.fill(multiple, 0);
        shiftOne(shift & 63);
        addMultiple(rows, multiple, shift >>> 6);
    }

    /// Makes `product` of `one` and `other`.
    private void multiply(int shift) {
        Arrays.fill(product, 0);
        shiftOne(shift & 63);
        for (int word = 0; word < WINDOW_WORDS; word++) {
            if (other[word] != 0) {
                addMultiple(other[word], product, word + (shift >>> 6));
            }
        }
    }

    private void shiftOne(int shift) {
        long spill = 0;
        if (shift != 0) {
            for (int word = 0; word < WINDOW_WORDS; word++) {
                long bits = one[word];
                one[word] = bits << shift | spill;
                spill = bits >>> 64 - shift;
            }
        }
        one[WINDOW_WORDS] = spill;
    }

    /// Adds `factor · one` from a word on behind which there is nothing yet.
    private void addMultiple(long factor, long[] to, int from) {
        long carry = 0;
        for (int word = 0; word <= WINDOW_WORDS; word++) {
            long low = one[word] * factor + carry;
            long high = Math.unsignedMultiplyHigh(one[word], factor) + (Long.compareUnsigned(low, carry) < 0 ? 1 : 0);
            long sum = to[from + word] + low;
            carry = high + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
            to[from + word] = sum;
        }
        if (carry != 0) {
            to[from + WINDOW_WORDS + 1] = carry;
        }
    }

    /// Adds `product` to `multiple`, or subtracts it, and leaves there how large the sum is.
    ///
    /// @return whether it is negative
    private boolean addProduct(boolean isSubtracted) {
        long sign = isSubtracted ? -1 : 0;
        long carry = isSubtracted ? 1 : 0;
        for (int word = 0; word < WORDS; word++) {
            long addend = product[word] ^ sign;
            long sum = multiple[word] + addend;
            long next = Long.compareUnsigned(sum, addend) < 0 ? 1 : 0;
            multiple[word] = sum + carry;
            carry = next | (sum + carry == 0 ? carry : 0);
        }
        if (multiple[WORDS - 1] >= 0) {
            return false;
        }
        carry = 1;
        for (int word = 0; word < WORDS; word++) {
            multiple[word] = ~multiple[word] + carry;
            carry = multiple[word] == 0 ? carry : 0;
        }
        return true;
    }

    /// `multiple · 2^exponent / n` or its negative, rounded once.
    private double quotient(int exponent, int rows, boolean isNegative) {
        int top = WORDS - 1;
        while (top > 0 && multiple[top] == 0) {
            top--;
        }
        if (multiple[top] == 0) {
            return 0;
        }
        // 96 bits of the dividend give 65 at least of the quotient. What is left of both says whether more follows.
        int shift = Long.numberOfLeadingZeros(multiple[top]);
        long high = multiple[top];
        long low = top > 0 ? multiple[top - 1] : 0;
        long rest = top > 1 ? multiple[top - 2] : 0;
        if (shift != 0) {
            high = high << shift | low >>> 64 - shift;
            low = low << shift | rest >>> 64 - shift;
            rest <<= shift;
        }
        for (int word = 0; word < top - 2; word++) {
            rest |= multiple[word];
        }
        long upper = Long.divideUnsigned(high, rows);
        long remainder = high - upper * rows << 32 | low >>> 32;
        long lower = remainder / rows;
        rest |= low & LOW_HALF | remainder - lower * rows;
        double rounded = FloatSum.round(
                upper << 33 | lower << 1 | (rest == 0 ? 0 : 1),
                upper >>> 31,
                0,
                exponent + 64 * (top - 1) - shift + 31,
                53,
                -1074,
                1023);
        return isNegative ? -rounded : rounded;
    }
}
