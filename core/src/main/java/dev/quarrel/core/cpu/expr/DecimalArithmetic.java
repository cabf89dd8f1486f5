package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.NumericMath;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Arithmetic;

/// Arithmetic of Decimal and Numeric. Decimals that fit 64 bits are computed in dense loops on the lower words.
final class DecimalArithmetic {
    private DecimalArithmetic() {}

    static void binary(
            Arithmetic operation,
            DecimalVector a,
            DecimalVector b,
            DecimalVector result,
            Mask rows,
            WideNumber scratch) {
        result.intersectValidity(a, b, rows.wordCount());
        if (result.scale() != null) {
            numerics(operation, a, b, result, rows, scratch);
        } else if (!a.isNarrow() || !b.isNarrow() || rows.isSparse() || !narrow(operation, a, b, result, rows)) {
            decimals(operation, a, b, result, rows, scratch);
        }
    }

    /// - Returns: false if a row left 64 bits; then nothing is known of the result.
    private static boolean narrow(
            Arithmetic operation, DecimalVector a, DecimalVector b, DecimalVector result, Mask rows) {
        int count = rows.rowCount();
        boolean done =
                switch (operation) {
                    case ADD -> add(a.low(), b.low(), result.high(), result.low(), count);
                    case SUB -> subtract(a.low(), b.low(), result.high(), result.low(), count);
                    case MUL -> {
                        result.setNarrow(multiply(a.low(), b.low(), result.high(), result.low(), count));
                        yield true;
                    }
                    default -> false;
                };
        if (done && operation != Arithmetic.MUL) {
            result.setNarrow(true);
        }
        return done;
    }

    private static boolean add(long[] x, long[] y, long[] high, long[] low, int count) {
        long overflow = 0;
        for (int row = 0; row < count; row++) {
            long sum = x[row] + y[row];
            overflow |= (x[row] ^ sum) & (y[row] ^ sum);
            low[row] = sum;
            high[row] = sum >> 63;
        }
        return overflow >= 0;
    }

    private static boolean subtract(long[] x, long[] y, long[] high, long[] low, int count) {
        long overflow = 0;
        for (int row = 0; row < count; row++) {
            long difference = x[row] - y[row];
            overflow |= (x[row] ^ y[row]) & (x[row] ^ difference);
            low[row] = difference;
            high[row] = difference >> 63;
        }
        return overflow >= 0;
    }

    /// 64 bits times 64 bits fit 128, and 2^126 has 38 digits: nothing can overflow.
    ///
    /// - Returns: whether every product fits 64 bits.
    private static boolean multiply(long[] x, long[] y, long[] high, long[] low, int count) {
        long wide = 0;
        for (int row = 0; row < count; row++) {
            long upper = Math.multiplyHigh(x[row], y[row]);
            long lower = x[row] * y[row];
            high[row] = upper;
            low[row] = lower;
            wide |= upper ^ lower >> 63;
        }
        return wide == 0;
    }

    private static void decimals(
            Arithmetic operation,
            DecimalVector a,
            DecimalVector b,
            DecimalVector result,
            Mask rows,
            WideNumber scratch) {
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!result.isPresent(row)) {
                continue;
            }
            long highB = b.high()[row];
            long lowB = b.low()[row];
            scratch.set(a.high()[row], a.low()[row]);
            boolean fits;
            switch (operation) {
                case ADD -> fits = scratch.add(highB, lowB);
                case SUB -> fits = scratch.add(~highB + (lowB == 0 ? 1 : 0), -lowB);
                case MUL -> fits = scratch.multiply(highB, lowB);
                case MOD -> {
                    if ((highB | lowB) == 0) {
                        throw RowErrors.divisionByZero();
                    }
                    scratch.remainder(highB, lowB);
                    fits = true;
                }
                case DIV -> throw new IllegalArgumentException("decimals are divided as numerics");
                default -> throw new IllegalArgumentException(operation.name());
            }
            if (!fits || !scratch.fits(Int128.MAX_DIGITS)) {
                throw RowErrors.beyondPrecision();
            }
            result.high()[row] = scratch.high();
            result.low()[row] = scratch.low();
        }
        result.setNarrow(false);
    }

    private static void numerics(
            Arithmetic operation,
            DecimalVector a,
            DecimalVector b,
            DecimalVector result,
            Mask rows,
            WideNumber scratch) {
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!result.isPresent(row)) {
                continue;
            }
            long highA = a.high()[row];
            long lowA = a.low()[row];
            int scaleA = a.scale()[row];
            long highB = b.high()[row];
            long lowB = b.low()[row];
            int scaleB = b.scale()[row];
            int scale =
                    switch (operation) {
                        case ADD -> NumericMath.add(highA, lowA, scaleA, highB, lowB, scaleB, scratch);
                        case SUB ->
                            NumericMath.add(highA, lowA, scaleA, ~highB + (lowB == 0 ? 1 : 0), -lowB, scaleB, scratch);
                        case MUL -> NumericMath.multiply(highA, lowA, scaleA, highB, lowB, scaleB, scratch);
                        case DIV -> NumericMath.divide(highA, lowA, scaleA, highB, lowB, scaleB, scratch);
                        case MOD -> NumericMath.remainder(highA, lowA, scaleA, highB, lowB, scaleB, scratch);
                        case NEG, ABS -> throw new IllegalArgumentException(operation.name());
                    };
            store(result, row, scale, scratch);
        }
        result.setNarrow(false);
    }

    private static void store(DecimalVector result, int row, int scale, WideNumber value) {
        result.high()[row] = value.high();
        result.low()[row] = value.low();
        result.scale()[row] = scale;
    }

    /// @param absolute |x| instead of -x
    static void negate(boolean absolute, DecimalVector a, DecimalVector result, Mask rows) {
        result.copyValidity(a, rows.wordCount());
        long[] high = a.high();
        long[] low = a.low();
        int count = rows.rowCount();
        for (int row = 0; row < count; row++) {
            // All ones where the sign changes.
            long turn = absolute ? high[row] >> 63 : -1L;
            long lower = (low[row] ^ turn) - turn;
            result.low()[row] = lower;
            result.high()[row] = (high[row] ^ turn) + (lower == 0 ? turn & 1 : 0);
        }
        if (result.scale() != null) {
            System.arraycopy(a.scale(), 0, result.scale(), 0, count);
        }
        // -2^63 turns into a value that needs a bit more.
        result.setNarrow(false);
    }

    /// round(x, n), or trunc(x, n).
    static void round(
            boolean truncate, DecimalVector a, IntVector digits, DecimalVector result, Mask rows, WideNumber scratch) {
        result.intersectValidity(a, digits, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                long high = a.high()[row];
                long low = a.low()[row];
                int scale = a.scale()[row];
                int places = digits.values()[row];
                int newScale = truncate
                        ? NumericMath.truncate(high, low, scale, places, scratch)
                        : NumericMath.round(high, low, scale, places, scratch);
                store(result, row, newScale, scratch);
            }
        }
        result.setNarrow(false);
    }

    /// floor(x), or ceil(x).
    static void floor(boolean up, DecimalVector a, DecimalVector result, Mask rows, WideNumber scratch) {
        result.copyValidity(a, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                int scale = NumericMath.floor(up, a.high()[row], a.low()[row], a.scale()[row], scratch);
                store(result, row, scale, scratch);
            }
        }
        result.setNarrow(false);
    }
}
