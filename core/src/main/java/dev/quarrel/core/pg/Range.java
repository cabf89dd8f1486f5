package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;

/// A range of values that is not empty: from a lower bound to an upper one.
///
/// - Source: PostgreSQL's `rangetypes.c`.
///
/// @param lower null where there is no bound; so is `upper`
public record Range(RangeValues values, Object lower, boolean hasLower, Object upper, boolean hasUpper) {
    /// The range of these bounds in its one form; null where no value is in it.
    ///
    /// - Errors: 22000 for a lower bound above the upper one, and those of the next value.
    static Range of(RangeValues values, Object lower, boolean hasLower, Object upper, boolean hasUpper) {
        if (lower != null && upper != null) {
            int order = values.compare(lower, upper);
            if (order > 0) {
                throw new QueryException(
                        SqlState.DATA_EXCEPTION, "range lower bound must be less than or equal to range upper bound");
            }
            if (order == 0 && !(hasLower && hasUpper)) {
                return null;
            }
        }
        Object from = lower;
        Object to = upper;
        boolean hasFrom = hasLower && lower != null;
        boolean hasTo = hasUpper && upper != null;
        if (values.isDiscrete()) {
            if (from != null && !hasFrom && !values.isInfiniteDate(from)) {
                from = values.next(from);
                hasFrom = true;
            }
            if (to != null && hasTo && !values.isInfiniteDate(to)) {
                to = values.next(to);
                hasTo = false;
            }
            if (from != null && to != null && values.compare(from, to) == 0 && !(hasFrom && hasTo)) {
                return null;
            }
        }
        return new Range(values, from, hasFrom, to, hasTo);
    }

    /// Reads what a user writes; null for an empty range.
    ///
    /// - Errors: 22P02, and those of the bounds.
    static Range parse(String text, RangeValues values, PgParse.Moment moment) {
        String trimmed = text.strip();
        if (trimmed.toLowerCase(Locale.ROOT).startsWith("empty")) {
            if (trimmed.length() > "empty".length()) {
                throw malformed(text, "Junk after \"empty\" key word.");
            }
            return null;
        }
        Reader in = new Reader(text, text.indexOf(trimmed));
        char open = in.next();
        if (open != '[' && open != '(') {
            throw malformed(text, "Missing left parenthesis or bracket.");
        }
        in.at++;
        String lower = in.bound();
        if (in.next() != ',') {
            throw malformed(text, "Missing comma after lower bound.");
        }
        in.at++;
        String upper = in.bound();
        char close = in.next();
        if (close != ']' && close != ')') {
            throw malformed(text, "Too many commas.");
        }
        if (!text.substring(in.at + 1).isBlank()) {
            throw malformed(text, "Junk after right parenthesis or bracket.");
        }
        Object from = lower == null ? null : values.read(lower, moment);
        Object to = upper == null ? null : values.read(upper, moment);
        return of(values, from, open == '[', to, close == ']');
    }

    private static QueryException malformed(String text, String detail) {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed range literal: \"" + text + "\"")
                .withDetail(detail);
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text, int at) {
            this.text = text;
            this.at = at;
        }

        char next() {
            return at < text.length() ? text.charAt(at) : 0;
        }

        private boolean isAtEnd() {
            return next() == ',' || next() == ')' || next() == ']';
        }

        /// Null where nothing is written.
        String bound() {
            if (isAtEnd()) {
                return null;
            }
            StringBuilder bound = new StringBuilder();
            boolean inQuotes = false;
            while (inQuotes || !isAtEnd()) {
                char each = take();
                if (each == '\\') {
                    bound.append(take());
                } else if (each != '"') {
                    bound.append(each);
                } else if (inQuotes && next() == '"') {
                    bound.append(take());
                } else {
                    inQuotes = !inQuotes;
                }
            }
            return bound.toString();
        }

        private char take() {
            if (at >= text.length()) {
                throw malformed(text, "Unexpected end of input.");
            }
            return text.charAt(at++);
        }
    }

    public String text() {
        return text(ZoneOffset.UTC);
    }

    String text(ZoneId zone) {
        return (hasLower ? "[" : "(") + bound(lower, zone) + "," + bound(upper, zone) + (hasUpper ? "]" : ")");
    }

    private String bound(Object value, ZoneId zone) {
        String text = value == null ? "" : values.text(value, zone);
        return text.indexOf(' ') >= 0 ? "\"" + text + "\"" : text;
    }

    /// The order of two lower bounds: none is below all.
    static int compareLower(Range left, Range right) {
        if (left.lower == null || right.lower == null) {
            return Boolean.compare(left.lower != null, right.lower != null);
        }
        int order = left.values.compare(left.lower, right.lower);
        return order != 0 ? order : Boolean.compare(right.hasLower, left.hasLower);
    }

    /// The order of two upper bounds: none is above all.
    static int compareUpper(Range left, Range right) {
        if (left.upper == null || right.upper == null) {
            return Boolean.compare(left.upper == null, right.upper == null);
        }
        int order = left.values.compare(left.upper, right.upper);
        return order != 0 ? order : Boolean.compare(left.hasUpper, right.hasUpper);
    }

    /// Whether all of it lies before the other's first value.
    boolean isBefore(Range other) {
        if (upper == null || other.lower == null) {
            return false;
        }
        int order = values.compare(upper, other.lower);
        return order < 0 || order == 0 && !(hasUpper && other.hasLower);
    }

    /// Whether no value lies between it and the other behind it, and none in both.
    boolean touches(Range other) {
        return upper != null
                && other.lower != null
                && values.compare(upper, other.lower) == 0
                && hasUpper != other.hasLower;
    }

    boolean contains(Range other) {
        return compareLower(this, other) <= 0 && compareUpper(this, other) >= 0;
    }

    boolean contains(Object value) {
        int low = lower == null ? -1 : values.compare(lower, value);
        int high = upper == null ? 1 : values.compare(upper, value);
        return (low < 0 || low == 0 && hasLower) && (high > 0 || high == 0 && hasUpper);
    }

    /// From the lower bound of one to the upper bound of the other.
    static Range between(Range from, Range to) {
        return new Range(from.values, from.lower, from.hasLower, to.upper, to.hasUpper);
    }

    /// From the lower of the lower bounds to the upper of the upper ones; of equal ones, which may be written
    /// differently, the second's.
    static Range joined(Range one, Range two) {
        return between(compareLower(one, two) < 0 ? one : two, compareUpper(one, two) > 0 ? one : two);
    }

    /// What both have; null for nothing.
    Range intersect(Range other) {
        if (isBefore(other) || other.isBefore(this)) {
            return null;
        }
        return between(compareLower(this, other) >= 0 ? this : other, compareUpper(this, other) <= 0 ? this : other);
    }

    void appendKey(TextBuffer out) {
        out.append((byte) 1);
        out.append((byte) (lower == null ? 0 : 1));
        if (lower != null) {
            values.appendKey(lower, out);
            out.append((byte) (hasLower ? 0 : 1));
        }
        out.append((byte) (upper == null ? 2 : 1));
        if (upper != null) {
            values.appendKey(upper, out);
            out.append((byte) (hasUpper ? 1 : 0));
        }
    }
}
