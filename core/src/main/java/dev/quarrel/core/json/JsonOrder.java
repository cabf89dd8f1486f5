package dev.quarrel.core.json;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// Writes jsonb as bytes that compare, without signs, as the values do: so rows are sorted and grouped by them.
///
/// - Source: the order is [JsonValue#compare]'s, PostgreSQL's `compareJsonbContainers`.
public final class JsonOrder {
    private static final int ZERO = 1;
    private static final int NEGATIVE = 0;
    private static final int POSITIVE = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private JsonOrder() {}

    public static byte[] key(JsonValue value) {
        JsonOrder order = new JsonOrder();
        // At the top an empty array is the least of all, and a scalar is less than any other array.
        order.out.write(
                switch (value) {
                    case JsonValue.Elements(List<JsonValue> items) -> items.isEmpty() ? 0 : 2;
                    case JsonValue.Members _ -> 3;
                    default -> 1;
                });
        order.append(value);
        return order.out.toByteArray();
    }

    private void append(JsonValue value) {
        switch (value) {
            case JsonValue.Null _ -> out.write(0);
            case JsonValue.Text(String text) -> {
                out.write(1);
                text(text);
            }
            case JsonValue.Moment moment -> append(new JsonValue.Text(moment.written()));
            case JsonValue.Number(BigDecimal number) -> {
                out.write(2);
                number(number);
            }
            case JsonValue.Bool(boolean bool) -> {
                out.write(3);
                out.write(bool ? 1 : 0);
            }
            case JsonValue.Elements(List<JsonValue> items) -> {
                out.write(4);
                int32(items.size());
                items.forEach(this::append);
            }
            case JsonValue.Members(SortedMap<String, JsonValue> items) -> {
                out.write(5);
                int32(items.size());
                for (Map.Entry<String, JsonValue> member : items.entrySet()) {
                    text(member.getKey());
                    append(member.getValue());
                }
            }
        }
    }

    /// No text has the byte 0, so it ends one.
    private void text(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        out.write(0);
    }

    /// The sign, the place of the first digit, the digits; of a negative number all but the sign turned over.
    private void number(BigDecimal number) {
        if (number.signum() == 0) {
            out.write(ZERO);
            return;
        }
        BigDecimal digits = number.abs().stripTrailingZeros();
        boolean isNegative = number.signum() < 0;
        out.write(isNegative ? NEGATIVE : POSITIVE);
        int flip = isNegative ? -1 : 0;
        int32((digits.precision() - digits.scale() ^ Integer.MIN_VALUE) ^ flip);
        for (byte digit : digits.unscaledValue().toString().getBytes(StandardCharsets.US_ASCII)) {
            out.write(digit ^ flip);
        }
        out.write(flip);
    }

    private void int32(int value) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.write(value >>> shift);
        }
    }
}
