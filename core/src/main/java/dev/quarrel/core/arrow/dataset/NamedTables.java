package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

/// What is named in a dataset beside the tables of its manifest, and what is said of relations: `ROOT/_tables.json`.
///
/// ```
/// {format, tables: [{schema, name, server, options: {name: value},
///                    columns: [{name, type, nullable, pgType, pg, options: {name: value}}]}],
///  views: [{schema, name, sql, queryColumns: [name], searchPath: [schema], relations: [[schema, name]],
///           columns: [{name, type, nullable, pgType, pg}]}],
///  comments: [{schema, relation, column, text}], schemas: [name],
///  next: {run, time, tables, views, comments, schemas}}
/// ```
///
/// Relative paths are below ROOT. A later version may write another format, which this one refuses.
/// Where a run changes both the manifest and this file, `next` is what the file becomes: it counts as soon as the
/// manifest has that run, so that both change at once whatever happens in between.
///
/// @param schemas those that were made, whether they have relations or not
record NamedTables(
        List<NamedTable> tables, List<NamedView> views, List<RelationComment> comments, List<String> schemas) {
    static final NamedTables NONE = new NamedTables(List.of(), List.of(), List.of(), List.of());
    static final String FILE_NAME = "_tables.json";
    static final String LOCK_NAME = "_tables.lock"; // of who writes the file
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    NamedTables {
        tables = List.copyOf(tables);
        views = List.copyOf(views);
        comments = List.copyOf(comments);
        schemas = List.copyOf(schemas);
    }

    /// Those of a dataset; none where the file is not there.
    ///
    /// - Errors: `QueryException` 58030 or XX001 naming the file.
    static NamedTables read(Path root) {
        Path path = root.resolve(FILE_NAME);
        FileFault fault = new FileFault(path);
        try {
            if (!Files.exists(path)) {
                return NONE;
            }
            JsonNode node = JSON.readTree(Files.readAllBytes(path));
            if (!node.isObject() || node.path("format").asInt(-1) != FORMAT) {
                throw fault.corrupt("its format is " + node.path("format") + ", not " + FORMAT);
            }
            JsonNode next = node.path("next");
            return names(next.isObject() && hasRun(root, next) ? next : node, fault);
        } catch (JsonProcessingException e) {
            throw fault.corrupt("it is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw fault.unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    /// Whether the run is there that the names come with.
    private static boolean hasRun(Path root, JsonNode next) {
        Manifest manifest = Manifest.read(root);
        return manifest != null
                && manifest.runs().stream()
                        .anyMatch(run -> run.id() == next.path("run").asInt(-1)
                                && run.time()
                                        .toString()
                                        .equals(next.path("time").textValue()));
    }

    private static NamedTables names(JsonNode node, FileFault fault) {
        List<NamedTable> tables = new ArrayList<>();
        for (JsonNode table : node.path("tables")) {
            tables.add(table(table, fault));
        }
        List<NamedView> views = new ArrayList<>();
        for (JsonNode view : node.path("views")) {
            views.add(view(view, fault));
        }
        List<RelationComment> comments = new ArrayList<>();
        for (JsonNode comment : node.path("comments")) {
            comments.add(new RelationComment(
                    comment.path("schema").asText(DatasetCatalog.DEFAULT_SCHEMA),
                    comment.path("relation").asText(""),
                    comment.path("column").textValue(),
                    comment.path("text").asText("")));
        }
        return new NamedTables(tables, views, comments, texts(node.path("schemas")));
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

    private static NamedView view(JsonNode node, FileFault fault) {
        String name = node.path("name").asText("");
        try {
            List<Field> fields = new ArrayList<>();
            for (JsonNode column : node.path("columns")) {
                fields.add(FieldJson.read(column));
            }
            List<List<String>> relations = new ArrayList<>();
            node.path("relations").forEach(relation -> relations.add(texts(relation)));
            ViewDefinition view = new ViewDefinition(
                    node.path("sql").asText(""),
                    texts(node.path("queryColumns")),
                    texts(node.path("searchPath")),
                    relations);
            return new NamedView(node.path("schema").asText(DatasetCatalog.DEFAULT_SCHEMA), name, fields, view);
        } catch (IllegalArgumentException | QueryException e) {
            throw fault.corrupt("view \"" + name + "\": " + e.getMessage());
        }
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(text -> texts.add(text.asText("")));
        return texts;
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
        write(root, json(JSON.createObjectNode().put("format", FORMAT)));
    }

    private static void write(Path root, ObjectNode node) {
        Durable.replace(root.resolve(FILE_NAME), node.toPrettyString().getBytes(StandardCharsets.UTF_8));
    }

    /// Writes these beside those that are to follow once a run is in the manifest.
    void write(Path root, NamedTables next, int run, Instant time) {
        ObjectNode node = json(JSON.createObjectNode().put("format", FORMAT));
        next.json(node.putObject("next").put("run", run).put("time", time.toString()));
        write(root, node);
    }

    /// Ends what a run has left undone that wrote both its names and the manifest: nothing depends on its number then.
    static void settle(Path root) {
        Path path = root.resolve(FILE_NAME);
        try {
            if (Files.exists(path) && JSON.readTree(Files.readAllBytes(path)).has("next")) {
                try (FolderLock _ = FolderLock.await(root, LOCK_NAME, () -> {})) {
                    read(root).write(root);
                }
            }
        } catch (JsonProcessingException _) {
            // Whoever reads it says so.
        } catch (IOException e) {
            throw new FileFault(path).unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    private ObjectNode json(ObjectNode node) {
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
        ArrayNode viewNodes = views.isEmpty() ? null : node.putArray("views");
        for (NamedView view : views) {
            ObjectNode viewNode = viewNodes
                    .addObject()
                    .put("schema", view.schemaName())
                    .put("name", view.name())
                    .put("sql", view.view().sql());
            view.view().queryColumns().forEach(viewNode.putArray("queryColumns")::add);
            view.view().searchPath().forEach(viewNode.putArray("searchPath")::add);
            ArrayNode relationNodes = viewNode.putArray("relations");
            view.view().relations().forEach(relation -> relation.forEach(relationNodes.addArray()::add));
            ArrayNode columnNodes = viewNode.putArray("columns");
            view.fields().forEach(field -> FieldJson.write(field, columnNodes.addObject()));
        }
        ArrayNode commentNodes = comments.isEmpty() ? null : node.putArray("comments");
        for (RelationComment comment : comments) {
            commentNodes
                    .addObject()
                    .put("schema", comment.schemaName())
                    .put("relation", comment.relation())
                    .put("column", comment.column())
                    .put("text", comment.text());
        }
        if (!schemas.isEmpty()) {
            schemas.forEach(node.putArray("schemas")::add);
        }
        return node;
    }

    NamedTable find(String schemaName, String name) {
        return tables.stream()
                .filter(table ->
                        table.schemaName().equals(schemaName) && table.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /// Null where there is none.
    NamedView view(String schemaName, String name) {
        return views.stream()
                .filter(view ->
                        view.schemaName().equals(schemaName) && view.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    NamedTables with(NamedTable table) {
        List<NamedTable> all = new ArrayList<>(without(table.schemaName(), table.name()).tables);
        all.add(table);
        return new NamedTables(all, views, comments, schemas);
    }

    NamedTables without(String schemaName, String name) {
        return new NamedTables(
                tables.stream()
                        .filter(table -> !table.schemaName().equals(schemaName)
                                || !table.name().equals(name))
                        .toList(),
                views,
                comments,
                schemas);
    }

    /// In place of one of its name, of which what was said stays.
    NamedTables with(NamedView view) {
        List<NamedView> all = new ArrayList<>(views);
        all.removeIf(each ->
                each.schemaName().equals(view.schemaName()) && each.name().equals(view.name()));
        all.add(view);
        return new NamedTables(tables, all, comments, schemas);
    }

    /// @param dropped each as schema and name
    NamedTables withoutViews(Set<List<String>> dropped) {
        List<NamedView> left = new ArrayList<>(views);
        left.removeIf(view -> dropped.contains(List.of(view.schemaName(), view.name())));
        List<RelationComment> said = new ArrayList<>(comments);
        said.removeIf(comment -> dropped.contains(List.of(comment.schemaName(), comment.relation())));
        return new NamedTables(tables, left, said, schemas);
    }

    NamedTables withComments(List<RelationComment> newComments) {
        return new NamedTables(tables, views, newComments, schemas);
    }

    /// Without what was said of a relation.
    NamedTables withoutComments(String schemaName, String relation) {
        List<RelationComment> left = comments.stream()
                .filter(comment -> !comment.isOf(schemaName, relation))
                .toList();
        return left.size() == comments.size() ? this : withComments(left);
    }
}
