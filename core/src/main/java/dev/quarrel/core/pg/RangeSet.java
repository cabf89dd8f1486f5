package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// Values as ranges that neither meet nor overlap, in their order: what a multirange is, and a range, which is one of
/// them or none.
///
/// - Source: PostgreSQL's `multirangetypes.c`.
public record RangeSet(RangeValues values, List<Range> ranges) {
    public RangeSet {
        ranges = List.copyOf(ranges);
    }

    /// The values of a range, or null for none.
    public static RangeSet of(RangeValues values, Range range) {
        return new RangeSet(values, range == null ? List.of() : List.of(range));
    }

    /// The values of all these ranges.
    static RangeSet ofAll(RangeValues values, List<Range> all) {
        List<Range> sorted = new ArrayList<>(all);
        Comparator<Range> byLower = Range::compareLower;
        sorted.sort(byLower.thenComparing(Range::compareUpper));
        List<Range> joined = new ArrayList<>();
        for (Range each : sorted) {
            Range last = joined.isEmpty() ? null : joined.getLast();
            if (last == null || last.isBefore(each) && !last.touches(each)) {
                joined.add(each);
            } else {
                joined.set(joined.size() - 1, Range.joined(last, each));
            }
        }
        return new RangeSet(values, joined);
    }

    /// Reads the text of a range, or of a multirange, as it is held.
    public static RangeSet of(String text, RangeValues values) {
        return text.startsWith("{")
                ? parse(text, values, PgParse.Moment.utc())
                : of(values, Range.parse(text, values, PgParse.Moment.utc()));
    }

    /// Reads a multirange as a user writes it.
    ///
    /// - Errors: 22P02, and those of the bounds.
    static RangeSet parse(String text, RangeValues values, PgParse.Moment moment) {
        List<Range> ranges = new ArrayList<>();
        int at = blanks(text, 0);
        if (at >= text.length() || text.charAt(at) != '{') {
            throw malformed(text, "Missing left brace.");
        }
        at = blanks(text, at + 1);
        boolean isFirst = true;
        while (at >= text.length() || text.charAt(at) != '}' || !isFirst) {
            if (at < text.length() && (text.charAt(at) == '[' || text.charAt(at) == '(')) {
                int end = end(text, at);
                Range range = Range.parse(text.substring(at, end), values, moment);
                if (range != null) {
                    ranges.add(range);
                }
                at = end;
            } else if (text.regionMatches(true, at, "empty", 0, 5)) {
                at += 5;
            } else {
                throw malformed(text, at >= text.length() ? "Unexpected end of input." : "Expected range start.");
            }
            isFirst = false;
            at = blanks(text, at);
            if (at < text.length() && text.charAt(at) == '}') {
                break;
            }
            if (at >= text.length() || text.charAt(at) != ',') {
                throw malformed(
                        text,
                        at >= text.length() ? "Unexpected end of input." : "Expected comma or end of multirange.");
            }
            at = blanks(text, at + 1);
        }
        if (blanks(text, at + 1) < text.length()) {
            throw malformed(text, "Junk after closing right brace.");
        }
        return ofAll(values, ranges);
    }

    private static int blanks(String text, int from) {
        int at = from;
        while (at < text.length() && PgParse.isSpace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /// Behind the bracket that closes a range.
    private static int end(String text, int from) {
        boolean inQuotes = false;
        for (int at = from; at < text.length(); at++) {
            char each = text.charAt(at);
            if (each == '\\') {
                at++;
            } else if (each == '"') {
                inQuotes = !inQuotes;
            } else if (!inQuotes && (each == ']' || each == ')')) {
                return at + 1;
            }
        }
        throw malformed(text, "Unexpected end of input.");
    }

    private static QueryException malformed(String text, String detail) {
        return new QueryException(
                        SqlState.INVALID_TEXT_REPRESENTATION, "malformed multirange literal: \"" + text + "\"")
                .withDetail(detail);
    }

    /// The text of a multirange.
    public String text() {
        return text(ZoneOffset.UTC);
    }

    String text(ZoneId zone) {
        StringBuilder text = new StringBuilder("{");
        for (Range each : ranges) {
            text.append(text.length() == 1 ? "" : ",").append(each.text(zone));
        }
        return text.append('}').toString();
    }

    /// The text of a range: of the one that is there, or of none.
    public String rangeText() {
        return rangeText(ZoneOffset.UTC);
    }

    String rangeText(ZoneId zone) {
        return ranges.isEmpty() ? "empty" : ranges.getFirst().text(zone);
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    public Range first() {
        return ranges.getFirst();
    }

    public Range last() {
        return ranges.getLast();
    }

    public boolean contains(RangeSet other) {
        return other.ranges.stream().allMatch(wanted -> ranges.stream().anyMatch(each -> each.contains(wanted)));
    }

    public boolean contains(Object value) {
        return ranges.stream().anyMatch(each -> each.contains(value));
    }

    public boolean overlaps(RangeSet other) {
        return !intersect(other).isEmpty();
    }

    public boolean isBefore(RangeSet other) {
        return !isEmpty() && !other.isEmpty() && last().isBefore(other.first());
    }

    /// Whether it goes no further than the other.
    public boolean isOverLeft(RangeSet other) {
        return !isEmpty() && !other.isEmpty() && Range.compareUpper(last(), other.last()) <= 0;
    }

    /// Whether it begins no earlier than the other.
    public boolean isOverRight(RangeSet other) {
        return !isEmpty() && !other.isEmpty() && Range.compareLower(first(), other.first()) >= 0;
    }

    public boolean isAdjacent(RangeSet other) {
        return !isEmpty()
                && !other.isEmpty()
                && (last().touches(other.first()) || other.last().touches(first()));
    }

    public RangeSet union(RangeSet other) {
        List<Range> all = new ArrayList<>(ranges);
        all.addAll(other.ranges);
        return ofAll(values, all);
    }

    /// The union of two ranges; of equal bounds, the second one's text is kept.
    public RangeSet unionOfRanges(RangeSet other) {
        RangeSet all = union(other);
        return isEmpty() || other.isEmpty() || all.ranges.size() > 1 ? all : merged(other);
    }

    /// From the lower of two ranges' bounds to the upper one.
    public RangeSet merged(RangeSet other) {
        return isEmpty() || other.isEmpty() ? union(other) : of(values, Range.joined(first(), other.first()));
    }

    public RangeSet intersect(RangeSet other) {
        List<Range> common = new ArrayList<>();
        for (Range one : ranges) {
            for (Range two : other.ranges) {
                Range both = one.intersect(two);
                if (both != null) {
                    common.add(both);
                }
            }
        }
        return new RangeSet(values, common);
    }

    public RangeSet minus(RangeSet other) {
        List<Range> left = new ArrayList<>();
        for (Range each : ranges) {
            Range rest = each;
            for (Range cut : other.ranges) {
                if (rest == null || rest.intersect(cut) == null) {
                    continue;
                }
                if (Range.compareLower(rest, cut) < 0) {
                    left.add(new Range(values, rest.lower(), rest.hasLower(), cut.lower(), !cut.hasLower()));
                }
                rest = Range.compareUpper(rest, cut) > 0
                        ? new Range(values, cut.upper(), !cut.hasUpper(), rest.upper(), rest.hasUpper())
                        : null;
            }
            if (rest != null) {
                left.add(rest);
            }
        }
        return new RangeSet(values, left);
    }

    /// The smallest range that has all values in it; null of none.
    public RangeSet merged() {
        return isEmpty() ? this : of(values, Range.between(first(), last()));
    }

    /// - Errors: 22000 where it is more than one range.
    ///
    /// @param what was made of ranges
    public RangeSet oneRange(String what) {
        if (ranges.size() > 1) {
            throw new QueryException(SqlState.DATA_EXCEPTION, "result of range " + what + " would not be contiguous");
        }
        return this;
    }

    /// The bounds that brackets say: `[)`, `[]`, `()` or `(]`.
    ///
    /// - Errors: 42601 for other brackets, 22000 for NULL.
    public static RangeSet of(RangeValues values, Object lower, Object upper, String brackets) {
        if (brackets == null) {
            throw new QueryException(SqlState.DATA_EXCEPTION, "range constructor flags argument must not be null");
        }
        if (!List.of("[)", "[]", "()", "(]").contains(brackets.toLowerCase(Locale.ROOT))) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "invalid range bound flags")
                    .withHint("Valid values are \"[]\", \"[)\", \"(]\", and \"()\".");
        }
        return of(values, Range.of(values, lower, brackets.startsWith("["), upper, brackets.endsWith("]")));
    }
}
