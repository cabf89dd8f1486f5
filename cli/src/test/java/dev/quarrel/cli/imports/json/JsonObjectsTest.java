package dev.quarrel.cli.imports.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.csv.RowBlock;
import dev.quarrel.core.type.QueryException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonObjectsTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String[] TEXTS = {"", "a", "\"", "\\", "{[\"", "]}", "\\\"", "ü\n", "x".repeat(70)};

    private static List<String> rows(String text, int blockBytes, int maxRows) throws IOException {
        List<String> rows = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (JsonObjects scanner = new JsonObjects("f.json", new ByteArrayInputStream(bytes), blockBytes)) {
            for (JsonBlock block = scanner.next(maxRows); block != null; block = scanner.next(maxRows)) {
                for (int row = 0; row < block.rows().count(); row++) {
                    block.begin(row);
                    try {
                        block.scanner().value(0);
                        block.scanner().requireEnd();
                    } catch (QueryException wrong) {
                        throw block.located(wrong, row);
                    }
                    RowBlock all = block.rows();
                    rows.add(MAPPER.readTree(all.bytes(), all.start(row), all.end(row) - all.start(row))
                            .toString());
                }
                if (block.rows().fault() != null) {
                    throw block.rows().fault();
                }
                scanner.giveBack(block);
            }
        }
        return rows;
    }

    private static ObjectNode object(Random random, int depth) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        for (int member = random.nextInt(4); member > 0; member--) {
            String name = TEXTS[random.nextInt(TEXTS.length)];
            switch (random.nextInt(depth > 3 ? 3 : 5)) {
                case 0 -> object.put(name, TEXTS[random.nextInt(TEXTS.length)]);
                case 1 -> object.put(name, random.nextInt());
                case 2 -> object.putNull(name);
                case 3 -> object.set(name, object(random, depth + 1));
                default -> {
                    ArrayNode array = object.putArray(name);
                    array.add(object(random, depth + 1));
                    array.add(TEXTS[random.nextInt(TEXTS.length)]);
                }
            }
        }
        return object;
    }

    @Test
    void objectsAreFoundWhereverBlocksEnd() throws IOException {
        long seed = 20261129;
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<String> rows = new ArrayList<>();
            StringBuilder lines = new StringBuilder();
            StringBuilder pretty = new StringBuilder("\uFEFF");
            for (int row = random.nextInt(9); row > 0; row--) {
                ObjectNode object = object(random, 0);
                rows.add(object.toString());
                lines.append(object).append(random.nextBoolean() ? "\n" : " \r\n");
                pretty.append(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(object));
            }
            int blockBytes = 1 + random.nextInt(100);
            int maxRows = 1 + random.nextInt(5);
            String array = "[" + String.join(",\n", rows) + "]\n";
            for (String text : List.of(lines.toString(), pretty.toString(), array)) {
                assertThat(rows(text, blockBytes, maxRows))
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(rows);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}/1|a row is no JSON object|f.json, line 2",
                "[1]|a row is no JSON object|f.json, line 1",
                "{}/[]|a row is no JSON object|f.json, line 2",
                "{},{}|a row is no JSON object|f.json, line 1",
                "[{}]/{}|there is something behind the array of rows|f.json, line 2",
                "{}/{\"a\": [1, {/|invalid input syntax for type json: the file ends within a row|f.json, line 2",
                "[{},/{}/|invalid input syntax for type json: the file ends within the array|f.json, line 3",
                "[,{}]|a row is no JSON object|f.json, line 1",
                "[{} {}]|a row is no JSON object|f.json, line 1",
                "[{},]|a row is no JSON object|f.json, line 1",
                "{}/{\"a\"/1}|invalid input syntax for type json|f.json, line 2",
                "{}/{\"a\": x}|invalid input syntax for type json|f.json, line 2",
                "{\"a\": 1]|invalid input syntax for type json|f.json, line 1",
            })
    void whatIsWrongIsToldWithItsPlace(String text, String message, String place) {
        assertThatThrownBy(() -> rows(text.replace('/', '\n'), 1 << 10, 100))
                .isInstanceOf(QueryException.class)
                .hasMessageStartingWith(message)
                .satisfies(
                        wrong -> assertThat(((QueryException) wrong).context()).startsWith(place));
    }
}
