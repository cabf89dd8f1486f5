package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.CollationMetadata;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StatsJson;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/// The manifest of a dataset, `ROOT/_manifest.json`: its runs and tables. Where there is one, the dataset
/// consists of exactly the files that it lists.
///
/// ```
/// {format, runs: [{id, source, snapshot, snapshotId, lsn, systemIdentifier, serverVersion, time, collation}],
///  tables: [{schema, name, fields: [{name, type, nullable, pgType, pg}],
///            uniqueKeys: [{name, kind, columns: [name], nullsDistinct, enforced}],
///            defaults: [{column, expression,
///                        counter: {kind, sequence, id, start, increment, next, writer}}],
///            watermark: {column, value, snapshot, relations: [number], settings: {name: value}},
///            files: [{path, run, rows, bytes, sha256, keys: {name: value}, deleted: {rows, gaps}, sortedBy,
///                     batches: [{rows, columns: [{nulls, min, max, ndv}]}]}]}]}
/// ```
///
/// `path` is relative to ROOT. `columns` follow the table's `fields`; a shorter list means that the file lacks the last
/// ones. Bounds are PostgreSQL text. `format` is 2 where a file has deleted rows ([DeletedRows]), so that nobody reads
/// them who does not know of them; else 1.
///
/// @param runs in the order in which they were committed
public record Manifest(List<Run> runs, List<TableEntry> tables) {
    public static final String FILE_NAME = "_manifest.json";
    static final Manifest EMPTY = new Manifest(List.of(), List.of());
    private static final int FORMAT = 1;
    private static final int FORMAT_WITH_DELETED = 2;
    private static final long MAX_BYTES = 1L << 30;
    private static final ObjectMapper JSON = new ObjectMapper();

    /// The origin of a run's rows. Every member may be null.
    ///
    /// @param source what they were read from, without passwords
    /// @param snapshot PostgreSQL's snapshot, as `pg_current_snapshot()` prints it
    /// @param snapshotId the name under which other transactions could join it, from `pg_export_snapshot()`
    /// @param lsn PostgreSQL's position in its log
    /// @param systemIdentifier what tells the PostgreSQL cluster from others, and is the same for its standbys
    /// @param serverVersion PostgreSQL's version, as it prints it
    /// @param collation the database's default
    public record Origin(
            String source,
            String snapshot,
            String snapshotId,
            String lsn,
            String systemIdentifier,
            String serverVersion,
            Collation collation) {
        public Origin(
                String source,
                String snapshot,
                String snapshotId,
                String lsn,
                String systemIdentifier,
                String serverVersion) {
            this(source, snapshot, snapshotId, lsn, systemIdentifier, serverVersion, null);
        }

        /// Of no snapshot of a PostgreSQL.
        public static Origin of(String source) {
            return new Origin(source, null, null, null, null, null);
        }

        /// Says it, but for the collation.
        void writeTo(ObjectNode node) {
            node.put("source", source)
                    .put("snapshot", snapshot)
                    .put("snapshotId", snapshotId)
                    .put("lsn", lsn)
                    .put("systemIdentifier", systemIdentifier)
                    .put("serverVersion", serverVersion);
        }
    }

    /// One export, or one call of a generator.
    public record Run(int id, Origin origin, Instant time) {}

    /// @param uniqueKeys that hold in all files together
    /// @param files in the order of their rows
    /// @param watermark up to where its source was read; null where the next run has to read all of it
    /// @param defaults of columns that have one
    public record TableEntry(
            String schemaName,
            String name,
            List<Field> fields,
            List<UniqueKey> uniqueKeys,
            List<FileEntry> files,
            Watermark watermark,
            List<ColumnDefault> defaults) {
        public TableEntry(
                String schemaName,
                String name,
                List<Field> fields,
                List<UniqueKey> uniqueKeys,
                List<FileEntry> files,
                Watermark watermark) {
            this(schemaName, name, fields, uniqueKeys, files, watermark, List.of());
        }

        public TableEntry(String schemaName, String name, List<Field> fields, List<FileEntry> files) {
            this(schemaName, name, fields, List.of(), files);
        }

        public TableEntry(
                String schemaName, String name, List<Field> fields, List<UniqueKey> uniqueKeys, List<FileEntry> files) {
            this(schemaName, name, fields, uniqueKeys, files, null);
        }

        /// The same with other deleted rows of some files.
        ///
        /// @param deleted by the files' paths: all that there are of a file
        public TableEntry withDeleted(Map<String, DeletedRows> deleted) {
            return withFiles(files.stream()
                    .map(file -> file.withDeleted(deleted.getOrDefault(file.path(), file.deleted())))
                    .toList());
        }

        /// The same of other files.
        TableEntry withFiles(List<FileEntry> newFiles) {
            return new TableEntry(schemaName, name, fields, uniqueKeys, newFiles, watermark, defaults);
        }

        /// The same of no source that is read on.
        TableEntry withoutWatermark() {
            return new TableEntry(schemaName, name, fields, uniqueKeys, files, null, defaults);
        }

        /// The same of other defaults.
        TableEntry withDefaults(List<ColumnDefault> newDefaults) {
            return new TableEntry(schemaName, name, fields, uniqueKeys, files, watermark, newDefaults);
        }

        /// The same of other keys.
        TableEntry withKeys(List<UniqueKey> newKeys) {
            return new TableEntry(schemaName, name, fields, newKeys, files, watermark, defaults);
        }

        /// The same of other columns.
        TableEntry withFields(List<Field> newFields) {
            return new TableEntry(schemaName, name, newFields, uniqueKeys, files, watermark, defaults);
        }

        /// The keys that every change is held to.
        public List<UniqueKey> enforcedKeys() {
            return uniqueKeys.stream().filter(UniqueKey::enforced).toList();
        }

        /// The same once rows have come of which nobody has said what is unique, and of no source that is read on.
        TableEntry withOtherRows(List<Field> newFields, List<FileEntry> newFiles) {
            return new TableEntry(schemaName, name, newFields, enforcedKeys(), newFiles, null, defaults);
        }

        public TableEntry {
            fields = List.copyOf(fields);
            uniqueKeys = List.copyOf(uniqueKeys);
            files = List.copyOf(files);
            defaults = List.copyOf(defaults);
        }
    }

    /// @param path relative to ROOT, with `/`
    /// @param run the run that wrote it
    /// @param keys the texts of the columns that are no part of the file, but of its folder's name; null for NULL
    /// @param stats columns in the order of the table's fields; null where there are none
    /// @param deleted those of the file's rows that are no part of the table any more
    public record FileEntry(
            String path,
            int run,
            long rows,
            long bytes,
            String sha256,
            Map<String, String> keys,
            FileStats stats,
            DeletedRows deleted) {
        public FileEntry {
            keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
        }

        public FileEntry(
                String path, int run, long rows, long bytes, String sha256, Map<String, String> keys, FileStats stats) {
            this(path, run, rows, bytes, sha256, keys, stats, DeletedRows.NONE);
        }

        /// The rows that are part of the table.
        public long liveRows() {
            return rows - deleted.count();
        }

        /// The same file at another place.
        FileEntry at(String newPath, int newRun) {
            return new FileEntry(newPath, newRun, rows, bytes, sha256, keys, stats, deleted);
        }

        /// The same of one more column that has one value in all rows.
        FileEntry withKey(String column, String value) {
            Map<String, String> all = new LinkedHashMap<>(keys);
            all.put(column, value);
            return new FileEntry(path, run, rows, bytes, sha256, all, stats, deleted);
        }

        FileEntry withDeleted(DeletedRows newDeleted) {
            return new FileEntry(path, run, rows, bytes, sha256, keys, stats, newDeleted);
        }
    }

    /// The default collation of the database that the last run read, so far as runs say it.
    public Collation collation() {
        return runs.stream()
                .map(run -> run.origin().collation())
                .filter(Objects::nonNull)
                .reduce(Collation.DEFAULT, (_, later) -> later);
    }

    public Manifest {
        runs = List.copyOf(runs);
        tables = List.copyOf(tables);
    }

    /// The manifest of a dataset, or null if it has none.
    ///
    /// - Errors: `QueryException` 58030 or XX001 naming the file and the place in it.
    public static Manifest read(Path root) {
        return read(root, FILE_NAME);
    }

    static Manifest read(Path root, String fileName) {
        Path path = root.resolve(fileName);
        FileFault fault = new FileFault(path);
        try {
            if (!Files.exists(path)) {
                return null;
            }
            if (Files.size(path) > MAX_BYTES) {
                throw fault.corrupt("it is larger than 1 GiB");
            }
            return new Reader(fault).manifest(JSON.readTree(Files.readAllBytes(path)));
        } catch (JsonProcessingException e) {
            throw fault.corrupt("it is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw fault.unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    /// Replaces a dataset's manifest at once: a reader finds the old one or the new one, whatever happens meanwhile.
    ///
    /// - Errors: `QueryException` 58030 naming the file; the old manifest stays.
    void write(Path root) {
        write(root, FILE_NAME);
    }

    void write(Path root, String fileName) {
        Durable.replace(root.resolve(fileName), json().toPrettyString().getBytes(StandardCharsets.UTF_8));
    }

    private ObjectNode json() {
        boolean hasDeleted = tables.stream()
                .anyMatch(table ->
                        table.files().stream().anyMatch(file -> !file.deleted().isEmpty()));
        ObjectNode node = JSON.createObjectNode().put("format", hasDeleted ? FORMAT_WITH_DELETED : FORMAT);
        ArrayNode runNodes = node.putArray("runs");
        for (Run run : runs) {
            Origin origin = run.origin();
            ObjectNode runNode = runNodes.addObject().put("id", run.id());
            origin.writeTo(runNode);
            runNode.put("time", run.time().toString());
            if (origin.collation() != null) {
                CollationMetadata.write(origin.collation()).forEach(runNode.putObject("collation")::put);
            }
        }
        ArrayNode tableNodes = node.putArray("tables");
        for (TableEntry table : tables) {
            ObjectNode tableNode =
                    tableNodes.addObject().put("schema", table.schemaName()).put("name", table.name());
            ArrayNode fieldNodes = tableNode.putArray("fields");
            for (Field field : table.fields()) {
                FieldJson.write(field, fieldNodes.addObject());
            }
            if (!table.uniqueKeys().isEmpty()) {
                write(table.uniqueKeys(), tableNode.putArray("uniqueKeys"));
            }
            if (!table.defaults().isEmpty()) {
                FieldJson.writeDefaults(table.defaults(), tableNode.putArray("defaults"));
            }
            if (table.watermark() != null) {
                write(table.watermark(), tableNode.putObject("watermark"));
            }
            ArrayNode fileNodes = tableNode.putArray("files");
            Schema schema = new Schema(table.fields());
            for (FileEntry file : table.files()) {
                ObjectNode fileNode = fileNodes
                        .addObject()
                        .put("path", file.path())
                        .put("run", file.run())
                        .put("rows", file.rows())
                        .put("bytes", file.bytes())
                        .put("sha256", file.sha256());
                if (!file.keys().isEmpty()) {
                    file.keys().forEach(fileNode.putObject("keys")::put);
                }
                if (!file.deleted().isEmpty()) {
                    fileNode.putObject("deleted")
                            .put("rows", file.deleted().count())
                            .put("gaps", file.deleted().gaps());
                }
                if (file.stats() != null) {
                    StatsJson.write(file.stats(), schema, fileNode);
                }
            }
        }
        return node;
    }

    private static void write(Watermark watermark, ObjectNode node) {
        node.put("column", watermark.column()).put("value", watermark.value()).put("snapshot", watermark.snapshot());
        watermark.relations().forEach(node.putArray("relations")::add);
        ObjectNode settings = node.putObject("settings");
        new TreeMap<>(watermark.settings()).forEach(settings::put);
    }

    private static void write(List<UniqueKey> keys, ArrayNode nodes) {
        for (UniqueKey key : keys) {
            ObjectNode node = nodes.addObject()
                    .put("name", key.name())
                    .put("kind", key.kind().text());
            key.columns().forEach(node.putArray("columns")::add);
            node.put("nullsDistinct", key.nullsDistinct());
            if (key.enforced()) {
                node.put("enforced", true);
            }
        }
    }

    /// Reads with the place in mind, so that an error can name it.
    private record Reader(FileFault fault) {
        Manifest manifest(JsonNode node) {
            int format = node.path("format").asInt(-1);
            if (!node.isObject() || format != FORMAT && format != FORMAT_WITH_DELETED) {
                throw fault.corrupt(
                        "its format is " + node.path("format") + ", not " + FORMAT + " or " + FORMAT_WITH_DELETED);
            }
            List<Run> runs = new ArrayList<>();
            for (JsonNode run : array(node, "runs", "the manifest")) {
                runs.add(run(run));
            }
            List<TableEntry> tables = new ArrayList<>();
            Set<List<String>> names = new HashSet<>();
            Set<String> paths = new HashSet<>();
            for (JsonNode tableNode : array(node, "tables", "the manifest")) {
                TableEntry table = table(tableNode);
                if (!names.add(List.of(table.schemaName(), table.name()))) {
                    throw fault.corrupt("it lists table " + table.schemaName() + "." + table.name() + " twice");
                }
                for (FileEntry file : table.files()) {
                    if (!paths.add(file.path())) {
                        throw fault.corrupt("it lists file " + file.path() + " twice");
                    }
                }
                tables.add(table);
            }
            return new Manifest(runs, tables);
        }

        private Run run(JsonNode node) {
            String time = text(node, "time", "a run");
            try {
                return new Run(
                        (int) number(node, "id", "a run"),
                        new Origin(
                                node.path("source").textValue(),
                                node.path("snapshot").textValue(),
                                node.path("snapshotId").textValue(),
                                node.path("lsn").textValue(),
                                node.path("systemIdentifier").textValue(),
                                node.path("serverVersion").textValue(),
                                CollationMetadata.read(FieldJson.texts(node.path("collation")))),
                        Instant.parse(time));
            } catch (DateTimeParseException e) {
                throw fault.corrupt("a run has time " + time);
            }
        }

        private TableEntry table(JsonNode node) {
            String name = text(node, "name", "a table");
            String place = "table " + name;
            List<Field> fields = new ArrayList<>();
            Set<String> fieldNames = new HashSet<>();
            for (JsonNode field : array(node, "fields", place)) {
                fields.add(field(field, place));
                if (!fieldNames.add(fields.getLast().name())) {
                    throw fault.corrupt(
                            place + " has two columns named " + fields.getLast().name());
                }
            }
            List<FileEntry> files = new ArrayList<>();
            for (JsonNode file : array(node, "files", place)) {
                files.add(file(file, fields, place));
            }
            return new TableEntry(
                    text(node, "schema", place),
                    name,
                    fields,
                    uniqueKeys(node, fieldNames, place),
                    files,
                    watermark(node.path("watermark"), place),
                    defaults(node, fieldNames, place));
        }

        private List<ColumnDefault> defaults(JsonNode node, Set<String> fieldNames, String place) {
            List<ColumnDefault> defaults = FieldJson.readDefaults(node.path("defaults"));
            for (ColumnDefault each : defaults) {
                if (!fieldNames.contains(each.column())) {
                    throw fault.corrupt(place + " has a default of column " + each.column() + ", which is none");
                }
            }
            return defaults;
        }

        private Watermark watermark(JsonNode node, String place) {
            if (!node.isObject()) {
                return null;
            }
            List<Long> relations = new ArrayList<>();
            array(node, "relations", "the watermark of " + place).forEach(each -> relations.add(each.asLong()));
            Map<String, String> settings = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> setting : node.path("settings").properties()) {
                settings.put(setting.getKey(), setting.getValue().asText());
            }
            return new Watermark(
                    text(node, "column", "the watermark of " + place),
                    text(node, "value", "the watermark of " + place),
                    text(node, "snapshot", "the watermark of " + place),
                    relations,
                    settings);
        }

        private DeletedRows deleted(JsonNode node, long rowCount, String place) {
            if (!node.isObject()) {
                return DeletedRows.NONE;
            }
            DeletedRows deleted = new DeletedRows(number(node, "rows", place), text(node, "gaps", place));
            try {
                deleted.rows(rowCount);
            } catch (IllegalArgumentException e) {
                throw fault.corrupt(place + " has a file whose deleted rows are wrong: " + e.getMessage());
            }
            return deleted;
        }

        /// Those of kinds that are known: later versions may have more.
        private List<UniqueKey> uniqueKeys(JsonNode node, Set<String> fieldNames, String place) {
            List<UniqueKey> keys = new ArrayList<>();
            for (JsonNode keyNode : node.path("uniqueKeys")) {
                String name = text(keyNode, "name", place);
                String kind = text(keyNode, "kind", place);
                List<String> columns = new ArrayList<>();
                for (JsonNode column : array(keyNode, "columns", "a key of " + place)) {
                    columns.add(column.asText());
                }
                if (columns.isEmpty()
                        || !fieldNames.containsAll(columns)
                        || new HashSet<>(columns).size() < columns.size()) {
                    throw fault.corrupt(place + " has a key " + name + " of columns " + columns);
                }
                for (UniqueKey.Kind known : UniqueKey.Kind.values()) {
                    if (known.text().equals(kind)) {
                        boolean nullsDistinct = keyNode.path("nullsDistinct").asBoolean(true);
                        boolean isEnforced = keyNode.path("enforced").asBoolean(false);
                        keys.add(new UniqueKey(name, known, columns, nullsDistinct, isEnforced));
                    }
                }
            }
            return keys;
        }

        private Field field(JsonNode node, String place) {
            String type = text(node, "type", place);
            text(node, "name", place);
            try {
                return FieldJson.read(node);
            } catch (IllegalArgumentException e) {
                throw fault.corrupt(place + " has a column of type " + type);
            }
        }

        private FileEntry file(JsonNode node, List<Field> fields, String place) {
            String path = text(node, "path", place);
            if (!staysInside(path)) {
                throw fault.corrupt(place + " has a file that is hidden or outside the dataset: " + path);
            }
            JsonNode batches = node.path("batches");
            int[] batchRows = new int[batches.size()];
            int columnCount = fields.size();
            for (int batch = 0; batch < batchRows.length; batch++) {
                batchRows[batch] = batches.path(batch).path("rows").asInt(-1);
                columnCount = Math.min(
                        columnCount, batches.path(batch).path("columns").size());
            }
            FileStats stats = batches.isArray()
                    ? StatsJson.read(node, new Schema(fields.subList(0, columnCount)), batchRows)
                    : null;
            long rows = number(node, "rows", place);
            return new FileEntry(
                    path,
                    (int) number(node, "run", place),
                    rows,
                    number(node, "bytes", place),
                    text(node, "sha256", place),
                    keys(node, fields, place),
                    stats,
                    deleted(node.path("deleted"), rows, place));
        }

        private Map<String, String> keys(JsonNode node, List<Field> fields, String place) {
            Map<String, String> keys = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> key : node.path("keys").properties()) {
                if (fields.stream().noneMatch(field -> field.name().equals(key.getKey()))) {
                    throw fault.corrupt(place + " has no column for the key " + key.getKey());
                }
                keys.put(key.getKey(), key.getValue().textValue());
            }
            return keys;
        }

        private static boolean staysInside(String path) {
            if (path.isEmpty() || path.indexOf('\\') >= 0 || path.indexOf('\0') >= 0 || path.indexOf(':') >= 0) {
                return false;
            }
            for (String step : path.split("/", -1)) {
                if (step.isEmpty() || FileName.isHidden(step)) {
                    return false;
                }
            }
            return true;
        }

        private JsonNode array(JsonNode node, String member, String place) {
            if (!node.path(member).isArray()) {
                throw fault.corrupt(place + " has no list \"" + member + "\"");
            }
            return node.path(member);
        }

        private String text(JsonNode node, String member, String place) {
            if (!node.path(member).isTextual()) {
                throw fault.corrupt(place + " has no text \"" + member + "\"");
            }
            return node.path(member).textValue();
        }

        private long number(JsonNode node, String member, String place) {
            if (!node.path(member).isIntegralNumber() || node.path(member).asLong() < 0) {
                throw fault.corrupt(place + " has no number \"" + member + "\"");
            }
            return node.path(member).asLong();
        }
    }
}
