package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// Generated objects of generated shapes, imported and made JSON again: the members are those that Jackson reads.
class RandomJsonImportTest extends ImportFixture {
    private static final long SEED = Long.getLong("quarrel.seed", 20261130L);
    private static final int SHAPES = Integer.getInteger("quarrel.trials", 12);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String[] NAMES = {
        "a", "b", "name", "long_name_of_a_member", "é", "x y", "A", "q\"q", "back\\slash"
    };
    private static final String[] TEXTS = {
        "",
        "plain",
        "quote \" and \\ and /",
        "\t\n\r\b\f",
        "ü",
        "日本語",
        "😀",
        "{\"a\": [1]}",
        "x".repeat(300),
        "null",
        "\u001f"
    };

    /// What stands in one place: a struct where it has members, a list where it has elements.
    private record Shape(char kind, List<String> names, List<Shape> parts) {}

    private final Random random = new Random(SEED);

    private Shape shape(int depth) {
        int kind = random.nextInt(depth == 0 ? 2 : depth > 3 ? 4 : 7);
        if (depth == 0 || kind >= 5) {
            List<String> names = new ArrayList<>(List.of(NAMES));
            Collections.shuffle(names, random);
            List<Shape> parts = new ArrayList<>();
            int count = 1 + random.nextInt(NAMES.length);
            for (int part = 0; part < count; part++) {
                parts.add(shape(depth + 1));
            }
            return new Shape('{', names.subList(0, count), parts);
        }
        return kind == 4
                ? new Shape('[', List.of(), List.of(shape(depth + 1)))
                : new Shape("ifbt".charAt(kind), List.of(), List.of());
    }

    /// A value as it is written, and what it is to come to.
    private JsonNode write(Shape shape, boolean isWhole, StringBuilder out) {
        if (!isWhole && random.nextInt(6) == 0) {
            out.append("null");
            return NODES.nullNode();
        }
        return present(shape, isWhole, out);
    }

    private JsonNode present(Shape shape, boolean isWhole, StringBuilder out) {
        switch (shape.kind()) {
            case 'i' -> {
                long value = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(200) - 100;
                out.append(value);
                return NODES.numberNode(value);
            }
            case 'f' -> {
                double value = random.nextInt(3) == 0 ? random.nextGaussian() * 1e9 : random.nextInt(1000) / 8.0;
                out.append(value);
                return NODES.numberNode(value);
            }
            case 'b' -> {
                boolean value = random.nextBoolean();
                out.append(value);
                return NODES.booleanNode(value);
            }
            case 't' -> {
                String value = TEXTS[random.nextInt(TEXTS.length)];
                quote(value, out);
                return NODES.textNode(value);
            }
            case '[' -> {
                ArrayNode elements = NODES.arrayNode();
                out.append('[');
                for (int count = isWhole ? 1 : random.nextInt(4); count > 0; count--) {
                    elements.add(write(shape.parts().getFirst(), isWhole, out));
                    out.append(count > 1 ? ", " : " ");
                }
                out.append(']');
                return elements;
            }
            default -> {
                ObjectNode members = NODES.objectNode();
                shape.names().forEach(members::putNull);
                List<Integer> places = new ArrayList<>();
                for (int place = 0; place < shape.names().size(); place++) {
                    for (int times = isWhole ? 1 : random.nextInt(8) * 2 / 7; times > 0; times--) {
                        places.add(place);
                    }
                }
                if (random.nextBoolean()) {
                    Collections.shuffle(places, random);
                }
                out.append('{');
                for (int index = 0; index < places.size(); index++) {
                    String name = shape.names().get(places.get(index));
                    out.append(index > 0 ? random.nextBoolean() ? "," : " ,\t" : "");
                    quote(name, out);
                    out.append(random.nextBoolean() ? ":" : " : ");
                    members.set(name, write(shape.parts().get(places.get(index)), isWhole, out));
                }
                out.append('}');
                return members;
            }
        }
    }

    /// With more escapes than are needed.
    private void quote(String text, StringBuilder out) {
        out.append('"');
        text.codePoints().forEach(each -> {
            boolean mustBe = each < ' ' || each == '"' || each == '\\';
            if (mustBe || random.nextInt(20) == 0) {
                for (char unit : Character.toChars(each)) {
                    out.append(String.format("\\u%04x", (int) unit));
                }
            } else {
                out.appendCodePoint(each);
            }
        });
        out.append('"');
    }

    @Test
    void membersAreThoseOfTheFile() throws IOException {
        System.out.println("seed " + SEED);
        for (int trial = 0; trial < SHAPES; trial++) {
            Shape shape = shape(0);
            StringBuilder lines = new StringBuilder();
            List<JsonNode> expected = new ArrayList<>();
            int rows = 1 + random.nextInt(300);
            boolean isArray = random.nextBoolean();
            for (int row = 0; row < rows; row++) {
                lines.append(isArray ? row == 0 ? "[" : "," : "");
                expected.add(present(shape, row == 0, lines)); // the first has all, so that all types are known
                lines.append("\n".repeat(1 + random.nextInt(2)));
            }
            lines.append(isArray ? "]" : "");
            CommandRun outcome = run(file("r" + trial + ".json", lines.toString()), "--name", "r");
            assertThat(outcome.exitCode())
                    .as("seed %d, trial %d: %s", SEED, trial, outcome.err())
                    .isZero();
            List<String> found = sql("select encode(convert_to(to_json(r)::text, 'UTF8'), 'hex') from r")
                    .lines()
                    .skip(1)
                    .toList();
            assertThat(found).hasSize(rows);
            for (int row = 0; row < rows; row++) {
                byte[] bytes = HexFormat.of().parseHex(found.get(row));
                assertThat(text(MAPPER.readTree(bytes)))
                        .as("seed %d, trial %d, row %d", SEED, trial, row)
                        .isEqualTo(text(expected.get(row)));
            }
        }
    }

    /// Numbers by their values, members by their names.
    private static String text(JsonNode node) {
        if (node.isNumber()) {
            BigDecimal value = node.isIntegralNumber() ? node.decimalValue() : new BigDecimal(node.doubleValue());
            return value.stripTrailingZeros().toPlainString();
        }
        if (node.isArray()) {
            return StreamSupport.stream(node.spliterator(), false)
                    .map(RandomJsonImportTest::text)
                    .toList()
                    .toString();
        }
        if (node.isObject()) {
            Map<String, String> members = new TreeMap<>();
            node.properties().forEach(member -> members.put(member.getKey(), text(member.getValue())));
            return members.toString();
        }
        return node.toString();
    }
}
