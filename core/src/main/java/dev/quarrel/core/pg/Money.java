package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Amounts of money as `lc_monetary` C writes them: `-$1,234.56` is that many cents below zero.
///
/// - Source: PostgreSQL's `cash.c`.
public final class Money {
    private Money() {}

    /// - Errors: 22P02 for what is none, 22003 beyond 64 bits of cents.
    public static long parse(String text) {
        Reader in = new Reader(text);
        in.blanks();
        in.symbol();
        in.blanks();
        boolean isNegative = in.take('-') || in.take('(');
        if (!isNegative) {
            in.take('+');
        }
        in.blanks();
        in.symbol();
        in.blanks();
        // Summed as a negative number, since that range is the larger one.
        long value = 0;
        int decimals = -1;
        try {
            for (; in.hasNext(); in.at++) {
                char next = in.next();
                if (isDigit(next) && decimals < 2) {
                    value = Math.subtractExact(Math.multiplyExact(value, 10L), next - '0');
                    decimals += decimals >= 0 ? 1 : 0;
                } else if (next == '.' && decimals < 0) {
                    decimals = 0;
                } else if (next != ',') {
                    break;
                }
            }
            if (in.hasNext() && isDigit(in.next()) && in.next() >= '5') {
                value = Math.subtractExact(value, 1L);
            }
            for (int digit = Math.max(decimals, 0); digit < 2; digit++) {
                value = Math.multiplyExact(value, 10L);
            }
            while (in.hasNext() && isDigit(in.next())) {
                in.at++;
            }
            while (in.hasNext()) {
                boolean isMinus = in.next() == '-';
                isNegative |= isMinus;
                if (!isMinus && in.next() != ')' && in.next() != '+' && in.next() != '$' && !in.isBlank()) {
                    throw PgParse.syntax("money", text);
                }
                in.at++;
            }
            return isNegative ? value : Math.negateExact(value);
        } catch (ArithmeticException _) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value \"" + text + "\" is out of range for type money");
        }
    }

    private static boolean isDigit(char next) {
        return next >= '0' && next <= '9';
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        boolean hasNext() {
            return at < text.length();
        }

        char next() {
            return text.charAt(at);
        }

        boolean isBlank() {
            return PgParse.isSpace(next());
        }

        void blanks() {
            while (hasNext() && isBlank()) {
                at++;
            }
        }

        boolean take(char wanted) {
            boolean isIt = hasNext() && next() == wanted;
            at += isIt ? 1 : 0;
            return isIt;
        }

        void symbol() {
            take('$');
        }
    }

    public static String text(long cents) {
        String digits = Long.toUnsignedString(Math.abs(cents));
        digits = "0".repeat(Math.max(0, 3 - digits.length())) + digits;
        StringBuilder text = new StringBuilder(cents < 0 ? "-$" : "$");
        int whole = digits.length() - 2;
        for (int at = 0; at < whole; at++) {
            text.append(at > 0 && (whole - at) % 3 == 0 ? "," : "").append(digits.charAt(at));
        }
        return text.append('.').append(digits, whole, digits.length()).toString();
    }

    /// The cents of a text that [#text] made.
    public static long cents(String text) {
        long value = 0;
        for (int at = 0; at < text.length(); at++) {
            if (isDigit(text.charAt(at))) {
                value = 10 * value - (text.charAt(at) - '0');
            }
        }
        return text.startsWith("-") ? value : -value;
    }
}
