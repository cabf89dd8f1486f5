package dev.quarrel.core.pg;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/// Floats in a number of significant digits, as C's `%g` writes them and PostgreSQL shows them where
/// `extra_float_digits` is below 1.
///
/// - Source: PostgreSQL's `float.c` (float8out_internal), and the C standard's fprintf.
final class RoundedDecimal {
    private RoundedDecimal() {}

    /// @param digits 1 or more
    static void append(double value, int digits, TextBuffer out) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            ShortestDecimal.append(value, out);
            return;
        }
        BigDecimal rounded = new BigDecimal(Math.abs(value)).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        String significant = rounded.unscaledValue().toString().replaceFirst("0+$", "");
        if (value < 0) {
            out.append('-');
        }
        if (exponent < -4 || exponent >= digits) {
            out.appendAscii(significant.substring(0, 1));
            if (significant.length() > 1) {
                out.appendAscii("." + significant.substring(1));
            }
            out.appendAscii(exponent < 0 ? "e-" : "e+");
            out.appendAscii((Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent));
        } else if (exponent < 0) {
            out.appendAscii("0." + "0".repeat(-exponent - 1) + significant);
        } else {
            int whole = Math.min(significant.length(), exponent + 1);
            out.appendAscii(significant.substring(0, whole) + "0".repeat(exponent + 1 - whole));
            if (significant.length() > whole) {
                out.appendAscii("." + significant.substring(whole));
            }
        }
    }
}
