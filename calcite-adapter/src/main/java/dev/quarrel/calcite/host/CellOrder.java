package dev.quarrel.calcite.host;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/// PostgreSQL's order of present canonical values of one type: text by UTF-8 bytes, NaN greatest, -0 equal to
/// 0, numbers
/// by value.
final class CellOrder implements Comparator<Object> {
    static final CellOrder INSTANCE = new CellOrder();

    private CellOrder() {}

    @Override
    public int compare(Object left, Object right) {
        return switch (left) {
            case Long number -> number.compareTo((Long) right);
            case Boolean truth -> truth.compareTo((Boolean) right);
            case String text ->
                Arrays.compareUnsigned(
                        text.getBytes(StandardCharsets.UTF_8), ((String) right).getBytes(StandardCharsets.UTF_8));
            case BigDecimal number -> number.compareTo((BigDecimal) right);
            case Double number -> Double.compare(number + 0.0, (Double) right + 0.0);
            case Float number -> Float.compare(number + 0.0f, (Float) right + 0.0f);
            default -> throw new IllegalArgumentException(left.getClass() + " is no canonical value");
        };
    }

    /// Whether two values are not distinct: equal, or both NULL.
    static boolean isSame(Object left, Object right) {
        return left == null || right == null ? left == right : INSTANCE.compare(left, right) == 0;
    }
}
