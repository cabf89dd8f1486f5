package dev.quarrel.core.json.search;

import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.PathItem.Kind;
import dev.quarrel.core.regex.Regex;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// What a predicate of a SQL/JSON path says of several values: in lax mode the first for which it holds decides, in
/// strict mode the first for which it cannot be told. Beside it the predicates themselves; null is unknown.
final class PathVerdict {
    private final boolean isLax;
    private boolean isUnknown;
    private boolean isTrue;

    PathVerdict(boolean isLax) {
        this.isLax = isLax;
    }

    /// Takes what it says of one value.
    ///
    /// @return whether the others do not matter
    boolean isSettledBy(Boolean truth) {
        isUnknown |= truth == null;
        isTrue |= Boolean.TRUE.equals(truth);
        return isLax ? isTrue : isUnknown;
    }

    Boolean truth() {
        boolean isOpen = isUnknown && !(isLax && isTrue);
        return isOpen ? null : (Boolean) isTrue;
    }

    static Boolean matches(Regex regex, JsonValue value) {
        if (!(value instanceof JsonValue.Text(String text))) {
            return null;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        regex.open(bytes, 0, bytes.length);
        return regex.isFound();
    }

    static Boolean startsWith(JsonValue whole, JsonValue initial) {
        return whole instanceof JsonValue.Text(String text) && initial instanceof JsonValue.Text(String start)
                ? text.startsWith(start)
                : null;
    }

    /// - Errors: 0A000 where it takes a time zone that may not be used.
    static Boolean compare(Kind kind, JsonValue one, JsonValue other, PathClock clock) {
        if (one.getClass() != other.getClass()) {
            return one instanceof JsonValue.Null || other instanceof JsonValue.Null
                    ? Boolean.valueOf(kind == Kind.NOT_EQUAL)
                    : null;
        }
        Integer order =
                switch (one) {
                    case JsonValue.Null _ -> 0;
                    case JsonValue.Bool(boolean value) -> Boolean.compare(value, ((JsonValue.Bool) other).value());
                    case JsonValue.Number(BigDecimal value) -> value.compareTo(((JsonValue.Number) other).value());
                    case JsonValue.Text(String value) ->
                        Arrays.compareUnsigned(
                                value.getBytes(StandardCharsets.UTF_8),
                                ((JsonValue.Text) other).value().getBytes(StandardCharsets.UTF_8));
                    case PathTime value -> value.compare((PathTime) other, clock);
                    default -> null;
                };
        if (order == null) {
            return null;
        }
        return switch (kind) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order < 0;
            case GREATER -> order > 0;
            case LESS_OR_EQUAL -> order <= 0;
            default -> order >= 0;
        };
    }
}
