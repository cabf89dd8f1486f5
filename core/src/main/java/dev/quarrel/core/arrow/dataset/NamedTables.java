package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// The tables over files that are named in a dataset: `ROOT/_tables.json`.
///
/// ```
/// {format, tables: [{schema, name, server, options: {name: value},
///                    columns: [{name, type, nullable, pgType, pg, options: {name: value}}]}]}
/// ```
///
/// Relative paths are below ROOT. A later version may write another format, which this one refuses.
record NamedTables(List<NamedTable> tables) {
    static final String FILE_NAME = "_tables.json";
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    NamedTables {
        tables = List.copyOf(tables);
    }

    /// Those of a dataset; none where the file is not there.
    ///
    /// - Errors: `QueryException` 58030 or XX001 naming the file.
    static NamedTables read(Path root) {
        Path path = root.resolve(FILE_NAME);
        FileFault fault = new FileFault(path);
        try {
            if (!Files.exists(path)) {
                return new NamedTables(List.of());
            }
            JsonNode node = JSON.readTree(Files.readAllBytes(path));
            if (!node.isObject() || node.path("format").asInt(-1) != FORMAT) {
                throw fault.corrupt("its format is " + node.path("format") + ", not " + FORMAT);
            }
            List<NamedTable> tables = new ArrayList<>();
            for (JsonNode table : node.path("tables")) {
                tables.add(table(table, fault));
            }
            return new NamedTables(tables);
        } catch (JsonProcessingException e) {
            throw fault.corrupt("it is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw fault.unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    private static NamedTable table(JsonNode node, FileFault fault) {
        String name = node.path("name").asText("");
        List<NamedTable.Column> columns = new ArrayList<>();
        try {
            for (JsonNode column : node.path("columns")) {
                columns.add(new NamedTable.Column(FieldJson.read(column), options(column)));
            }
            return new NamedTable(
                    node.path("schema").asText(DatasetCatalog.DEFAULT_SCHEMA),
                    name,
                    columns,
                    node.path("server").asText(NamedTable.SERVER),
                    options(node));
        } catch (IllegalArgumentException | QueryException e) {
            throw fault.corrupt("table \"" + name + "\": " + e.getMessage());
        }
    }

    private static SequencedMap<String, String> options(JsonNode node) {
        SequencedMap<String, String> options = new LinkedHashMap<>();
        node.path("options")
                .properties()
                .forEach(
                        option -> options.put(option.getKey(), option.getValue().asText()));
        return options;
    }

    /// Replaces the file at once: a reader finds the old one or the new one.
    ///
    /// - Errors: `QueryException` 58030 or 53100 naming the file; the old one stays.
    void write(Path root) {
        ObjectNode node = JSON.createObjectNode().put("format", FORMAT);
        ArrayNode tableNodes = node.putArray("tables");
        for (NamedTable table : tables) {
            ObjectNode tableNode = tableNodes
                    .addObject()
                    .put("schema", table.schemaName())
                    .put("name", table.name())
                    .put("server", table.server());
            table.options().forEach(tableNode.putObject("options")::put);
            ArrayNode columnNodes = tableNode.putArray("columns");
            for (NamedTable.Column column : table.columns()) {
                ObjectNode columnNode = FieldJson.write(column.field(), columnNodes.addObject());
                if (!column.options().isEmpty()) {
                    column.options().forEach(columnNode.putObject("options")::put);
                }
            }
        }
        Durable.replace(root.resolve(FILE_NAME), node.toPrettyString().getBytes(StandardCharsets.UTF_8));
    }

    NamedTable find(String schemaName, String name) {
        return tables.stream()
                .filter(table ->
                        table.schemaName().equals(schemaName) && table.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    NamedTables with(NamedTable table) {
        List<NamedTable> all = new ArrayList<>(without(table.schemaName(), table.name()).tables);
        all.add(table);
        return new NamedTables(all);
    }

    NamedTables without(String schemaName, String name) {
        return new NamedTables(tables.stream()
                .filter(table ->
                        !table.schemaName().equals(schemaName) || !table.name().equals(name))
                .toList());
    }
}
