package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.CollationMetadata;
import dev.quarrel.core.arrow.OtherTypeMetadata;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Writes columns into JSON: `{name, type, nullable, pgType, pg}`.
final class FieldJson {
    private FieldJson() {}

    static ObjectNode write(Field field, ObjectNode node) {
        node.put("name", field.name())
                .put("type", field.type().toString())
                .put("nullable", field.nullable())
                .put("pgType", field.pgType());
        Map<String, String> metadata = CollationMetadata.write(field.collation());
        if (field.other() != null) {
            metadata.putAll(OtherTypeMetadata.write(field.other()));
        }
        if (!metadata.isEmpty()) {
            metadata.forEach(node.putObject("pg")::put);
        }
        return node;
    }

    /// - Errors: [IllegalArgumentException] for a type that is none, or a column without a name.
    static Field read(JsonNode node) {
        if (!node.path("name").isTextual()) {
            throw new IllegalArgumentException("a column has no name");
        }
        Map<String, String> metadata = texts(node.path("pg"));
        metadata.put("pg.type", node.path("pgType").textValue());
        return OtherTypeMetadata.field(
                node.path("name").textValue(),
                DataType.parse(node.path("type").asText("")),
                node.path("nullable").asBoolean(true),
                metadata);
    }

    /// The members of an object that are texts.
    static Map<String, String> texts(JsonNode node) {
        Map<String, String> texts = new HashMap<>();
        node.properties().forEach(entry -> {
            if (entry.getValue().isTextual()) {
                texts.put(entry.getKey(), entry.getValue().textValue());
            }
        });
        return texts;
    }

    /// Writes columns' defaults: `[{column, expression, counter: {…}}]`.
    static void writeDefaults(List<ColumnDefault> defaults, ArrayNode nodes) {
        for (ColumnDefault each : defaults) {
            ObjectNode node = nodes.addObject().put("column", each.column()).put("expression", each.expression());
            Counter counter = each.counter();
            if (counter != null) {
                node.putObject("counter")
                        .put("kind", counter.kind().text())
                        .put("sequence", counter.sequence())
                        .put("id", counter.id())
                        .put("start", counter.start())
                        .put("increment", counter.increment())
                        .put("next", counter.next())
                        .put("writer", counter.writer());
            }
        }
    }

    /// Counters of kinds that are known: later versions may have more.
    static List<ColumnDefault> readDefaults(JsonNode nodes) {
        List<ColumnDefault> defaults = new ArrayList<>();
        for (JsonNode node : nodes) {
            String column = node.path("column").asText("");
            String expression = node.path("expression").asText("NULL");
            JsonNode counter = node.path("counter");
            if (!counter.isObject()) {
                defaults.add(new ColumnDefault(column, expression));
                continue;
            }
            for (Counter.Kind kind : Counter.Kind.values()) {
                if (kind.text().equals(counter.path("kind").asText(""))) {
                    defaults.add(new ColumnDefault(
                            column,
                            expression,
                            new Counter(
                                    kind,
                                    counter.path("sequence").asText(""),
                                    counter.path("id").asLong(),
                                    counter.path("start").asLong(1),
                                    counter.path("increment").asLong(1),
                                    counter.path("next").asLong(1),
                                    counter.path("writer").asLong())));
                }
            }
        }
        return defaults;
    }
}
