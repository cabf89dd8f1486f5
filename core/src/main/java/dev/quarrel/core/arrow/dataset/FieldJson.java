package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.CollationMetadata;
import dev.quarrel.core.arrow.OtherTypeMetadata;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.HashMap;
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
}
