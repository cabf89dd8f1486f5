package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;

/// Casts between the number types, and between Int32 and Bool.
///
/// Widening casts are dense loops; those that can fail look at each selected, present row.
final class NumberCasts {
    private static final double INT64_BOUND = 0x1p63;
    /// Digits that a float keeps on its way to numeric, as PostgreSQL has it.
    private static final MathContext FLOAT32_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
    private static final MathContext FLOAT64_DIGITS = new MathContext(15, RoundingMode.HALF_EVEN);
    private static final long EXACT_DOUBLE = 1L << 53;
    private static final long EXACT_FLOAT = 1L << 24;
    private static final double[] POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };
    private static final int EXACT_FLOAT_POWER = 10;

    private NumberCasts() {}

    /// @param scratch for decimals
    static void cast(Vector from, Vector to, Mask rows, WideNumber scratch) {
        to.copyValidity(from, rows.wordCount());
        switch (to) {
            case IntVector ints -> toInts(from, ints, rows, scratch);
            case LongVector longs -> toLongs(from, longs, rows, scratch);
            case FloatVector floats -> toFloats(from, floats, rows);
            case DoubleVector doubles -> toDoubles(from, doubles, rows);
            case DecimalVector decimals -> toDecimals(from, decimals, rows, scratch);
            case BoolVector bools -> toBools((IntVector) from, bools, rows);
            case TextVector _ -> throw new IllegalArgumentException("numbers do not become text here");
        }
    }

    private static void toBools(IntVector from, BoolVector to, Mask rows) {
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit++) {
                bits |= (from.values()[(word << 6) + bit] != 0 ? 1L : 0L) << bit;
            }
            to.bits()[word] = bits;
        }
    }

    private static void toInts(Vector from, IntVector to, Mask rows, WideNumber scratch) {
        boolean small = to.type() instanceof DataType.Int16;
        int[] out = to.values();
        if (from instanceof BoolVector bools) {
            for (int row = 0; row < rows.rowCount(); row++) {
                out[row] = bools.get(row) ? 1 : 0;
            }
            return;
        }
        if (from instanceof IntVector ints && (!small || ints.type() instanceof DataType.Int16)) {
            System.arraycopy(ints.values(), 0, out, 0, rows.rowCount());
            return;
        }
        String type = small ? "smallint" : "integer";
        long bound = small ? Short.MAX_VALUE : Integer.MAX_VALUE;
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (to.isPresent(row)) {
                long value = integer(from, row, type, scratch);
                if (value > bound || value < -bound - 1) {
                    throw RowErrors.outOfRange(type);
                }
                out[row] = (int) value;
            }
        }
    }

    private static void toLongs(Vector from, LongVector to, Mask rows, WideNumber scratch) {
        long[] out = to.values();
        if (from instanceof IntVector ints) {
            int[] values = ints.values();
            int count = rows.rowCount();
            for (int row = 0; row < count; row++) {
                out[row] = values[row];
            }
            return;
        }
        if (from instanceof LongVector longs) {
            System.arraycopy(longs.values(), 0, out, 0, rows.rowCount());
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (to.isPresent(row)) {
                out[row] = integer(from, row, "bigint", scratch);
            }
        }
    }

    /// One value as an integer: floats half to even, decimals half away from zero.
    private static long integer(Vector from, int row, String type, WideNumber scratch) {
        return switch (from) {
            case IntVector ints -> ints.values()[row];
            case LongVector longs -> longs.values()[row];
            case FloatVector floats -> integer(floats.values()[row], type);
            case DoubleVector doubles -> integer(doubles.values()[row], type);
            case DecimalVector decimals -> {
                int scale = decimals.scale(row);
                if (SpecialNumeric.is(scale)) {
                    throw RowErrors.noNumber(SpecialNumeric.of(decimals.low()[row]), type);
                }
                scratch.set(decimals.high()[row], decimals.low()[row]);
                scratch.round(scale);
                if (scratch.high() != scratch.low() >> 63) {
                    throw RowErrors.outOfRange(type);
                }
                yield scratch.low();
            }
            case BoolVector _, TextVector _ -> throw new IllegalArgumentException(from.type() + " is no number");
        };
    }

    private static long integer(double value, String type) {
        double rounded = Math.rint(value);
        if (!(rounded >= -INT64_BOUND && rounded < INT64_BOUND)) {
            throw RowErrors.outOfRange(type);
        }
        return (long) rounded;
    }

    private static void toFloats(Vector from, FloatVector to, Mask rows) {
        float[] out = to.values();
        int count = rows.rowCount();
        switch (from) {
            case IntVector ints -> {
                for (int row = 0; row < count; row++) {
                    out[row] = ints.values()[row];
                }
            }
            case LongVector longs -> {
                for (int row = 0; row < count; row++) {
                    out[row] = longs.values()[row];
                }
            }
            case FloatVector floats -> System.arraycopy(floats.values(), 0, out, 0, count);
            case DoubleVector doubles -> {
                int[] indexes = rows.indexes();
                for (int index = 0; index < rows.count(); index++) {
                    int row = indexes[index];
                    if (to.isPresent(row)) {
                        out[row] = narrowed(doubles.values()[row]);
                    }
                }
            }
            case DecimalVector decimals -> {
                int[] indexes = rows.indexes();
                for (int index = 0; index < rows.count(); index++) {
                    int row = indexes[index];
                    if (to.isPresent(row)) {
                        out[row] = toFloat(decimals.high()[row], decimals.low()[row], decimals.scale(row));
                    }
                }
            }
            case BoolVector _, TextVector _ -> throw new IllegalArgumentException(from.type() + " is no number");
        }
    }

    private static float narrowed(double value) {
        float result = (float) value;
        if (Float.isInfinite(result) && !Double.isInfinite(value)) {
            throw RowErrors.floatOverflow();
        }
        if (result == 0 && value != 0) {
            throw RowErrors.floatUnderflow();
        }
        return result;
    }

    private static void toDoubles(Vector from, DoubleVector to, Mask rows) {
        double[] out = to.values();
        int count = rows.rowCount();
        switch (from) {
            case IntVector ints -> {
                for (int row = 0; row < count; row++) {
                    out[row] = ints.values()[row];
                }
            }
            case LongVector longs -> {
                for (int row = 0; row < count; row++) {
                    out[row] = longs.values()[row];
                }
            }
            case FloatVector floats -> {
                for (int row = 0; row < count; row++) {
                    out[row] = floats.values()[row];
                }
            }
            case DoubleVector doubles -> System.arraycopy(doubles.values(), 0, out, 0, count);
            case DecimalVector decimals -> {
                int[] indexes = rows.indexes();
                for (int index = 0; index < rows.count(); index++) {
                    int row = indexes[index];
                    if (to.isPresent(row)) {
                        out[row] = toDouble(decimals.high()[row], decimals.low()[row], decimals.scale(row));
                    }
                }
            }
            case BoolVector _, TextVector _ -> throw new IllegalArgumentException(from.type() + " is no number");
        }
    }

    /// The float64 nearest to `unscaled * 10^-scale`.
    ///
    /// - Errors: 22003 where only 0 is near.
    public static double toDouble(long high, long low, int scale) {
        if (SpecialNumeric.is(scale)) {
            return SpecialNumeric.of(low).toDouble();
        }
        if (high == low >> 63 && low >= -EXACT_DOUBLE && low <= EXACT_DOUBLE && scale < POWERS.length) {
            // Both are exact, so the quotient is rounded once.
            return low / POWERS[scale];
        }
        BigDecimal value = new BigDecimal(Int128.toBigInteger(high, low), scale);
        double result = value.doubleValue();
        if (result == 0 && value.signum() != 0) {
            throw outOfFloatRange(value, "double precision");
        }
        return result;
    }

    private static float toFloat(long high, long low, int scale) {
        if (SpecialNumeric.is(scale)) {
            return (float) SpecialNumeric.of(low).toDouble();
        }
        if (high == low >> 63 && low >= -EXACT_FLOAT && low <= EXACT_FLOAT && scale <= EXACT_FLOAT_POWER) {
            return (float) low / (float) POWERS[scale];
        }
        BigDecimal value = new BigDecimal(Int128.toBigInteger(high, low), scale);
        float result = value.floatValue();
        if (result == 0 && value.signum() != 0 || Float.isInfinite(result)) {
            throw outOfFloatRange(value, "real");
        }
        return result;
    }

    private static QueryException outOfFloatRange(BigDecimal value, String type) {
        return new QueryException(
                SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                "\"" + value.toPlainString() + "\" is out of range for type " + type);
    }

    private static void toDecimals(Vector from, DecimalVector to, Mask rows, WideNumber scratch) {
        if (to.scale() != null && from instanceof DecimalVector decimals) {
            copyWithScale(decimals, to, rows);
            return;
        }
        if (to.scale() != null && (from instanceof IntVector || from instanceof LongVector)) {
            integersToNumeric(from, to, rows);
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!to.isPresent(row)) {
                continue;
            }
            switch (from) {
                case IntVector ints -> integerToDecimal(ints.values()[row], to, row, scratch);
                case LongVector longs -> integerToDecimal(longs.values()[row], to, row, scratch);
                case FloatVector floats -> floatToDecimal(floats.values()[row], FLOAT32_DIGITS, to, row, scratch);
                case DoubleVector doubles -> floatToDecimal(doubles.values()[row], FLOAT64_DIGITS, to, row, scratch);
                case DecimalVector decimals -> {
                    int scale = decimals.scale(row);
                    if (SpecialNumeric.is(scale)) {
                        storeSpecial(SpecialNumeric.of(decimals.low()[row]), to, row);
                        continue;
                    }
                    scratch.set(decimals.high()[row], decimals.low()[row]);
                    storeRescaled(scale, to, row, scratch);
                }
                case BoolVector _, TextVector _ -> throw new IllegalArgumentException(from.type() + " is no number");
            }
        }
        to.setNarrow(to.type() instanceof DataType.Decimal(int precision, int _) && precision <= 18);
    }

    private static void copyWithScale(DecimalVector from, DecimalVector to, Mask rows) {
        int count = rows.rowCount();
        System.arraycopy(from.high(), 0, to.high(), 0, count);
        System.arraycopy(from.low(), 0, to.low(), 0, count);
        if (from.scale() != null) {
            System.arraycopy(from.scale(), 0, to.scale(), 0, count);
        } else {
            Arrays.fill(to.scale(), 0, count, from.scale(0));
        }
        to.setNarrow(from.isNarrow());
    }

    private static void integersToNumeric(Vector from, DecimalVector to, Mask rows) {
        int count = rows.rowCount();
        for (int row = 0; row < count; row++) {
            long value = from instanceof IntVector ints ? ints.values()[row] : ((LongVector) from).values()[row];
            to.low()[row] = value;
            to.high()[row] = value >> 63;
            to.scale()[row] = 0;
        }
        to.setNarrow(true);
    }

    private static void integerToDecimal(long value, DecimalVector to, int row, WideNumber scratch) {
        scratch.set(value >> 63, value);
        storeRescaled(0, to, row, scratch);
    }

    private static void floatToDecimal(
            double value, MathContext digits, DecimalVector to, int row, WideNumber scratch) {
        SpecialNumeric special = SpecialNumeric.of(value);
        if (special != null) {
            storeSpecial(special, to, row);
            return;
        }
        BigDecimal rounded = new BigDecimal(value).round(digits).stripTrailingZeros();
        storeParsed(rounded, to, row, scratch);
    }

    /// - Errors: 22003 for an infinity in a Decimal, 0A000 for NaN.
    private static void storeSpecial(SpecialNumeric value, DecimalVector to, int row) {
        if (to.type() instanceof DataType.Decimal(int precision, int scale)) {
            throw value.unfit(precision, scale);
        }
        to.set(row, value);
    }

    /// Stores a number of any scale: as it is for a Numeric, rounded for a Decimal.
    ///
    /// @param parsed what [dev.quarrel.core.pg.PgParse#numeric] gives
    static void storeParsed(Object parsed, DecimalVector to, int row, WideNumber scratch) {
        if (parsed instanceof SpecialNumeric special) {
            storeSpecial(special, to, row);
            return;
        }
        BigDecimal number = (BigDecimal) parsed;
        BigDecimal value = number.scale() < 0 ? expanded(number) : number;
        if (to.type() instanceof DataType.Decimal(int precision, int scale)) {
            BigDecimal fitted = value.setScale(scale, RoundingMode.HALF_UP);
            if (fitted.precision() > precision && fitted.signum() != 0) {
                throw RowErrors.fieldOverflow(precision, scale);
            }
            value = fitted;
        }
        if (!scratch.set(value.unscaledValue()) || !scratch.fits(Int128.MAX_DIGITS)) {
            throw RowErrors.beyondPrecision();
        }
        to.high()[row] = scratch.high();
        to.low()[row] = scratch.low();
        if (to.scale() != null) {
            to.scale()[row] = value.scale();
        }
    }

    private static BigDecimal expanded(BigDecimal number) {
        if ((long) number.precision() - number.scale() > Int128.MAX_DIGITS && number.signum() != 0) {
            throw RowErrors.beyondPrecision();
        }
        return number.setScale(0);
    }

    /// Stores the value in `scratch`, of scale `from`, in a Decimal, half away from zero; as it is in a Numeric.
    private static void storeRescaled(int from, DecimalVector to, int row, WideNumber scratch) {
        if (to.type() instanceof DataType.Decimal(int precision, int scale)) {
            boolean fits = true;
            if (scale < from) {
                scratch.round(from - scale);
            } else {
                fits = scratch.scaleUp(scale - from);
            }
            if (!fits || !scratch.fits(precision)) {
                throw RowErrors.fieldOverflow(precision, scale);
            }
        } else {
            to.scale()[row] = from;
        }
        to.high()[row] = scratch.high();
        to.low()[row] = scratch.low();
    }
}
