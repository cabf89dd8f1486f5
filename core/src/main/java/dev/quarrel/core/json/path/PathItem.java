package dev.quarrel.core.json.path;

import java.util.List;

/// A step of a SQL/JSON path, or an operation upon paths, with the step that follows.
///
/// @param value a STRING's, KEY's or VARIABLE's text, a NUMBER, a BOOL; for ANY its [Levels]; for LIKE_REGEX its
///     [LikePattern]; else null
/// @param left the only operand of what has one; null for none
/// @param right may be null
/// @param ranges the subscripts of SUBSCRIPTS
/// @param next the step that is taken from each value found; null for none
public record PathItem(Kind kind, Object value, PathItem left, PathItem right, List<Range> ranges, PathItem next) {
    /// The last level there is.
    public static final int LAST = Integer.MAX_VALUE;

    /// A subscript, `from to to`; `to` may be null.
    public record Range(PathItem from, PathItem to) {}

    /// The levels of `.**{first to last}`.
    public record Levels(int first, int last) {}

    public enum Kind {
        NULL("null"),
        STRING("string"),
        NUMBER("number"),
        BOOL("bool"),
        VARIABLE("variable"),
        ROOT("$"),
        CURRENT("@"),
        LAST("last"),
        OR("||", 0),
        AND("&&", 1),
        NOT("!"),
        IS_UNKNOWN("is unknown"),
        EXISTS("exists"),
        EQUAL("==", 2),
        NOT_EQUAL("!=", 2),
        LESS("<", 2),
        GREATER(">", 2),
        LESS_OR_EQUAL("<=", 2),
        GREATER_OR_EQUAL(">=", 2),
        STARTS_WITH("starts with", 2),
        LIKE_REGEX("like_regex"),
        ADD("+", 3),
        SUBTRACT("-", 3),
        MULTIPLY("*", 4),
        DIVIDE("/", 4),
        MODULO("%", 4),
        PLUS("+", 5),
        MINUS("-", 5),
        KEY("key"),
        ANY_KEY("*"),
        ANY_ELEMENT("[*]"),
        SUBSCRIPTS("subscripts"),
        ANY("**"),
        FILTER("?"),
        TYPE("type"),
        SIZE("size"),
        ABS("abs"),
        FLOOR("floor"),
        CEILING("ceiling"),
        DOUBLE("double"),
        BIGINT("bigint"),
        INTEGER("integer"),
        NUMBER_METHOD("number"),
        DECIMAL("decimal"),
        BOOLEAN("boolean"),
        STRING_METHOD("string"),
        KEYVALUE("keyvalue"),
        DATE("date"),
        DATETIME("datetime"),
        TIME("time"),
        TIME_TZ("time_tz"),
        TIMESTAMP("timestamp"),
        TIMESTAMP_TZ("timestamp_tz");

        private static final int HIGHEST = 6;

        private final String text;
        private final int priority;

        Kind(String text) {
            this(text, HIGHEST);
        }

        Kind(String text, int priority) {
            this.text = text;
            this.priority = priority;
        }

        public String text() {
            return text;
        }

        /// Operators bind the tighter the higher it is.
        int priority() {
            return priority;
        }

        boolean isBinary() {
            return priority < PLUS.priority;
        }

        public boolean isPredicate() {
            return compareTo(OR) >= 0 && compareTo(LIKE_REGEX) <= 0;
        }

        boolean isComparison() {
            return compareTo(EQUAL) >= 0 && compareTo(GREATER_OR_EQUAL) <= 0;
        }

        boolean isMethod() {
            return compareTo(TYPE) >= 0;
        }
    }

    static PathItem of(Kind kind) {
        return of(kind, null);
    }

    static PathItem of(Kind kind, Object value) {
        return new PathItem(kind, value, null, null, List.of(), null);
    }

    static PathItem of(Kind kind, PathItem left, PathItem right) {
        return new PathItem(kind, null, left, right, List.of(), null);
    }

    PathItem withoutNext() {
        return new PathItem(kind, value, left, right, ranges, null);
    }

    /// With a step behind the last one.
    PathItem append(PathItem step) {
        return new PathItem(kind, value, left, right, ranges, next == null ? step : next.append(step));
    }
}
