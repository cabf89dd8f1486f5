package dev.quarrel.core.type;

import java.math.BigDecimal;

/// The values of numeric that are no numbers: NaN and the infinities.
///
/// In memory and files, where a numeric is an unscaled integer and a display scale, their scale is [#SCALE], which no
/// number has, and the integer is -1, 0 or 1: the sign. So NaN is the same under a minus and without its sign,
/// and an infinity turns over.
///
/// PostgreSQL's order: -Infinity, all numbers, Infinity, NaN; NaN is equal to NaN.
public enum SpecialNumeric {
    MINUS_INFINITY("-Infinity", -1),
    INFINITY("Infinity", 1),
    NAN("NaN", 0);

    /// The display scale that says that a value is none of the numbers; it is an int16's in files.
    public static final int SCALE = Short.MIN_VALUE;

    private static final int NAN_RANK = 2;

    private final String text;
    private final int sign;

    SpecialNumeric(String text, int sign) {
        this.text = text;
        this.sign = sign;
    }

    /// Whether a value of this display scale is none of the numbers. Of two values: `is(a | b)` is whether one is.
    public static boolean is(int scale) {
        return scale < 0;
    }

    /// The value that has [#SCALE] and this unscaled integer.
    public static SpecialNumeric of(long unscaled) {
        return unscaled == 0 ? NAN : ofSign(Long.signum(unscaled));
    }

    /// The infinity of a sign.
    ///
    /// @param sign not 0
    public static SpecialNumeric ofSign(int sign) {
        return sign < 0 ? MINUS_INFINITY : INFINITY;
    }

    /// What `unscaled * 10^-scale` is in canonical form, if it is no number; null otherwise.
    public static SpecialNumeric orNull(long unscaled, int scale) {
        return is(scale) ? of(unscaled) : null;
    }

    /// The value that a float is, or null for a number.
    public static SpecialNumeric of(double value) {
        return Double.isNaN(value) ? NAN : Double.isInfinite(value) ? ofSign(value < 0 ? -1 : 1) : null;
    }

    /// The unscaled integer, -1, 0 or 1; its upper word is [#high].
    public long low() {
        return sign;
    }

    public long high() {
        return sign >> 1;
    }

    public int sign() {
        return sign;
    }

    public double toDouble() {
        return this == NAN ? Double.NaN : sign * Double.POSITIVE_INFINITY;
    }

    /// Where it stands in the order: numbers are 0.
    private int rank() {
        return this == NAN ? NAN_RANK : sign;
    }

    /// The order of two values of numeric of which one at least is special.
    ///
    /// @param one a BigDecimal or SpecialNumeric, as the other
    public static int compare(Object one, Object other) {
        return one instanceof BigDecimal number && other instanceof BigDecimal second
                ? number.compareTo(second)
                : Integer.compare(rank(one), rank(other));
    }

    private static int rank(Object value) {
        return value instanceof SpecialNumeric special ? special.rank() : 0;
    }

    /// The order of two values in memory, of which one at least is special.
    public static int compare(long unscaledA, int scaleA, long unscaledB, int scaleB) {
        return Integer.compare(
                is(scaleA) ? of(unscaledA).rank() : 0,
                is(scaleB) ? of(unscaledB).rank() : 0);
    }

    /// Why it is no numeric of a declared scale.
    ///
    /// @return 22003 for an infinity, which PostgreSQL refuses as well; 0A000 for NaN
    public QueryException unfit(int precision, int scale) {
        return this == NAN
                ? new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "not supported: NaN of type numeric(" + precision + "," + scale + ")")
                        .withHint("Cast it to numeric without a precision.")
                : new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow")
                        .withDetail("A field with precision " + precision + ", scale " + scale
                                + " cannot hold an infinite value.");
    }

    /// PostgreSQL's text.
    @Override
    public String toString() {
        return text;
    }
}
