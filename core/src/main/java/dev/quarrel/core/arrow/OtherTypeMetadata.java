package dev.quarrel.core.arrow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The PostgreSQL type of a field as the field's metadata record it: `pg.type` and `pg.oid`, an enum's labels as
/// a JSON list in `pg.labels`, `pg.styled` where the texts depend on a session's settings, `pg.row` for a
/// composite, and `pg.fields`, a JSON list, for the fields of composites and of arrays of these.
public final class OtherTypeMetadata {
    private static final String OID = "pg.oid";
    private static final String LABELS = "pg.labels";
    private static final String STYLED = "pg.styled";
    private static final String ROW = "pg.row";
    private static final String FIELDS = "pg.fields";
    private static final int MAX_DEPTH = 32;
    private static final ObjectMapper JSON = new ObjectMapper();

    private OtherTypeMetadata() {}

    /// Without `pg.type`, which every field has.
    public static Map<String, String> write(OtherType other) {
        Map<String, String> metadata = own(other);
        if (!other.fields().isEmpty()) {
            metadata.put(FIELDS, fields(other.fields()).toString());
        }
        return metadata;
    }

    private static ArrayNode fields(List<Field> fields) {
        ArrayNode nodes = JSON.createArrayNode();
        for (Field field : fields) {
            ObjectNode node = nodes.addObject()
                    .put("name", field.name())
                    .put("type", field.type().toString())
                    .put("pgType", field.pgType());
            Map<String, String> metadata = CollationMetadata.write(field.collation());
            if (field.other() != null) {
                metadata.putAll(own(field.other()));
            }
            if (!metadata.isEmpty()) {
                metadata.forEach(node.putObject("pg")::put);
            }
            if (field.other() != null && !field.other().fields().isEmpty()) {
                node.set("fields", fields(field.other().fields()));
            }
        }
        return nodes;
    }

    /// All but its fields.
    private static Map<String, String> own(OtherType other) {
        Map<String, String> metadata = new TreeMap<>();
        metadata.put(OID, Integer.toUnsignedString(other.oid()));
        if (other.isEnum()) {
            try {
                metadata.put(LABELS, JSON.writeValueAsString(other.labels()));
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("a list of texts has no JSON", impossible);
            }
        }
        if (other.isStyled()) {
            metadata.put(STYLED, "true");
        }
        if (other.isRow()) {
            metadata.put(ROW, "true");
        }
        return metadata;
    }

    /// A field of such metadata, and of its collation's; what is not understood does not count.
    public static Field field(String name, DataType held, boolean nullable, Map<String, String> metadata) {
        return typed(name, held, nullable, metadata).withCollation(CollationMetadata.read(metadata));
    }

    private static Field typed(String name, DataType held, boolean nullable, Map<String, String> metadata) {
        String pgType = metadata.get("pg.type");
        String oid = metadata.get(OID);
        if (pgType == null || oid == null || !(held instanceof DataType.Utf8) || isHeldAsItself(pgType)) {
            return new Field(name, held, nullable, pgType);
        }
        try {
            OtherType other = new OtherType(
                    Integer.parseUnsignedInt(oid),
                    pgType,
                    labels(metadata.get(LABELS)),
                    "true".equals(metadata.get(STYLED)),
                    "true".equals(metadata.get(ROW)),
                    fields(metadata.get(FIELDS)));
            return new Field(name, nullable, other);
        } catch (NumberFormatException _) {
            return new Field(name, held, nullable, pgType);
        }
    }

    private static List<String> labels(String json) {
        if (json == null) {
            return List.of();
        }
        try {
            return List.of(JSON.readValue(json, String[].class));
        } catch (JsonProcessingException | NullPointerException _) {
            return List.of();
        }
    }

    private static List<Field> fields(String json) {
        if (json == null) {
            return List.of();
        }
        try {
            return fields(JSON.readTree(json), 0);
        } catch (JsonProcessingException | IllegalArgumentException _) {
            return List.of();
        }
    }

    private static List<Field> fields(JsonNode nodes, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("rows within rows without an end");
        }
        List<Field> fields = new ArrayList<>();
        for (JsonNode node : nodes) {
            Map<String, String> metadata = new HashMap<>();
            node.path("pg")
                    .properties()
                    .forEach(entry ->
                            metadata.put(entry.getKey(), entry.getValue().asText()));
            metadata.put("pg.type", node.path("pgType").textValue());
            Field field = field(
                    node.path("name").asText(""),
                    DataType.parse(node.path("type").asText("")),
                    true,
                    metadata);
            List<Field> own = fields(node.path("fields"), depth + 1);
            fields.add(
                    own.isEmpty() || field.other() == null
                            ? field
                            : new Field(field.name(), true, field.other().withFields(own)));
        }
        return fields;
    }

    /// Whether text is how Quarrel holds values of the type, as it may hold numerics.
    private static boolean isHeldAsItself(String pgType) {
        try {
            PgType.Declared declared = PgType.parse(pgType);
            return !declared.type().isOfCatalogs()
                    && (declared.dataType() instanceof DataType.Utf8 || declared.type() == PgType.NUMERIC);
        } catch (QueryException _) {
            return false;
        }
    }
}
