package dev.quarrel.core.cpu.function;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads sizes with units, such as `1.5 GB`.
///
/// - Source: PostgreSQL's `dbsize.c` (pg_size_bytes).
final class SizeText {
    private static final Pattern FORM = Pattern.compile(
            "[ \\t\\n\\x0B\\f\\r]*([-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][ \\t\\n\\x0B\\f\\r]*[-+]?[0-9]+)?)"
                    + "[ \\t\\n\\x0B\\f\\r]*(.*?)[ \\t\\n\\x0B\\f\\r]*",
            Pattern.DOTALL);
    /// An exponent beyond it is out of range whatever the unit is.
    private static final int MAX_EXPONENT = 1_000;

    /// So many digits have room in a long beside a factor of 2³⁰.
    private static final int MAX_PLAIN_DIGITS = 9;

    private SizeText() {}

    /// The size in bytes.
    ///
    /// - Errors: 22023 for what is no size, 22003 for one of more than 64 bits.
    static long bytes(String text) {
        long plain = plain(text);
        return plain >= 0 ? plain : general(text);
    }

    /// The size of a number of few digits, and a unit behind a blank at most; -1 for any other text.
    private static long plain(String text) {
        int at = 0;
        long number = 0;
        while (at < text.length() && at < MAX_PLAIN_DIGITS && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            number = number * 10 + text.charAt(at++) - '0';
        }
        if (at == 0) {
            return -1;
        }
        at += at < text.length() && text.charAt(at) == ' ' ? 1 : 0;
        return switch (text.substring(at)) {
            case "", "B", "bytes" -> number;
            case "kB" -> number << 10;
            case "MB" -> number << 20;
            case "GB" -> number << 30;
            default -> -1;
        };
    }

    private static long general(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw invalid(text);
        }
        String unit = form.group(2);
        int bits =
                switch (unit.toLowerCase(Locale.ROOT)) {
                    case "", "b", "bytes" -> 0;
                    case "kb" -> 10;
                    case "mb" -> 20;
                    case "gb" -> 30;
                    case "tb" -> 40;
                    case "pb" -> 50;
                    default ->
                        throw invalid(text)
                                .withDetail("Invalid size unit: \"" + unit + "\".")
                                .withHint(
                                        "Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".");
                };
        BigDecimal number;
        try {
            number = new BigDecimal(form.group(1).replaceAll("\\s", ""));
        } catch (NumberFormatException _) {
            throw outOfRange();
        }
        if (number.signum() != 0 && number.precision() - (long) number.scale() > MAX_EXPONENT) {
            throw outOfRange();
        }
        if (number.precision() - (long) number.scale() < -MAX_EXPONENT) {
            return 0;
        }
        BigInteger size = number.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(bits)))
                .setScale(0, RoundingMode.HALF_UP)
                .toBigInteger();
        if (size.bitLength() > 63) {
            throw outOfRange();
        }
        return size.longValue();
    }

    private static QueryException invalid(String text) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid size: \"" + text + "\"");
    }

    private static QueryException outOfRange() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range");
    }
}
