package dev.quarrel.core.type;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/// PostgreSQL's order of canonical values of one type.
public final class ValueOrder {
    private ValueOrder() {}

    public static int compare(Object left, Object right) {
        return switch (left) {
            case Long value -> value.compareTo((Long) right);
            case BigDecimal _, SpecialNumeric _ -> SpecialNumeric.compare(left, right);
            case Boolean value -> value.compareTo((Boolean) right);
            // Java's order of floats is PostgreSQL's, but for -0 = 0.
            case Double value -> Double.compare(value + 0.0, (Double) right + 0.0);
            case Float value -> Float.compare(value + 0.0f, (Float) right + 0.0f);
            case String value ->
                Arrays.compareUnsigned(
                        value.getBytes(StandardCharsets.UTF_8), ((String) right).getBytes(StandardCharsets.UTF_8));
            case UUID value -> UuidWords.compare(value, (UUID) right);
            case Bytes value -> value.compareTo((Bytes) right);
            default -> throw new IllegalArgumentException("no canonical value: " + left.getClass());
        };
    }

    public static Object least(Object left, Object right) {
        return compare(left, right) <= 0 ? left : right;
    }

    public static Object greatest(Object left, Object right) {
        return compare(left, right) >= 0 ? left : right;
    }
}
