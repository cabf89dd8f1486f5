package dev.quarrel.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonOrderTest {
    private static final List<String> SCALARS = List.of(
            "null",
            "true",
            "false",
            "0",
            "-0.0",
            "1",
            "1.0",
            "1.00",
            "-1",
            "10",
            "9",
            "1e3",
            "-1e3",
            "-999",
            "0.001",
            "-0.001",
            "123456789012345678901234567890",
            "\"\"",
            "\"a\"",
            "\"aa\"",
            "\"b\"",
            "\"é\"",
            "\"\\u0001\"");

    private static final List<String> KEYS = List.of("\"\"", "\"a\"", "\"b\"", "\"aa\"");

    @Test
    void bytesCompareAsTheValuesDo() {
        Random random = new Random(7);
        List<JsonValue> values = new ArrayList<>();
        for (int count = 0; count < 300; count++) {
            values.add(JsonValue.read(random(random, 3)));
        }
        for (JsonValue one : values) {
            for (JsonValue other : values) {
                int expected = Integer.signum(JsonValue.compare(one, other));
                int actual = Integer.signum(Arrays.compareUnsigned(JsonOrder.key(one), JsonOrder.key(other)));
                assertThat(actual).as(one.text() + " and " + other.text()).isEqualTo(expected);
            }
        }
    }

    private static String random(Random random, int depth) {
        int count = random.nextInt(4);
        return switch (depth == 0 ? 0 : random.nextInt(3)) {
            case 0 -> SCALARS.get(random.nextInt(SCALARS.size()));
            case 1 -> {
                List<String> items = new ArrayList<>();
                for (int index = 0; index < count; index++) {
                    items.add(random(random, depth - 1));
                }
                yield items.toString();
            }
            default -> {
                List<String> items = new ArrayList<>();
                for (int index = 0; index < count; index++) {
                    items.add(KEYS.get(random.nextInt(KEYS.size())) + ":" + random(random, depth - 1));
                }
                yield "{" + String.join(",", items) + "}";
            }
        };
    }
}
