package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.arrow.FileStamp;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which files make up which tables of a dataset, as its folder says at one moment. Opens no Arrow file.
///
/// @param tables ordered by schema, then name
/// @param watched what the listing depends on: manifest, folders and files, as they were when they were looked at
/// @param takenNanos when they were looked at, since 1970
/// @param manifest null where there is none
/// @param collation the default one
/// @param named what the tables over files elsewhere depend on
/// @param names the views, and what is said of relations
record DatasetListing(
        List<TableFiles> tables,
        Map<Path, FileStamp> watched,
        long takenNanos,
        Manifest manifest,
        Collation collation,
        FileWatch named,
        NamedTables names) {
    // Runs that may come while it is read.
    private static final int MAX_READS = 10;

    /// One table's files, or why there is no telling.
    ///
    /// @param fields the columns by the manifest; null without one
    /// @param uniqueKeys by the manifest
    /// @param fault null, or why the table cannot be read
    /// @param named what named it over files that lie elsewhere; null for others
    /// @param keyFields the columns that the keys of its files' paths are, where it declares none
    /// @param defaults by the manifest
    record TableFiles(
            String schemaName,
            String name,
            List<Field> fields,
            List<UniqueKey> uniqueKeys,
            List<ListedFile> files,
            QueryException fault,
            NamedTable named,
            List<Field> keyFields,
            List<ColumnDefault> defaults) {
        TableFiles(
                String schemaName,
                String name,
                List<Field> fields,
                List<UniqueKey> uniqueKeys,
                List<ListedFile> files,
                QueryException fault) {
            this(schemaName, name, fields, uniqueKeys, files, fault, null, List.of(), List.of());
        }

        /// The files of a named table as they are now.
        static TableFiles of(NamedTable named, Path base, FileWatch watch) {
            List<ListedFile> files = List.of();
            List<Field> keys = List.of();
            QueryException fault = null;
            try {
                FileSource source = FileSource.of(named.options(), base);
                files = source.list(watch);
                keys = named.isDeclared() ? keys : source.keyFields(files);
                if (files.isEmpty() && !named.isDeclared()) {
                    fault = new QueryException(
                            SqlState.UNDEFINED_FILE,
                            "table \"" + named.name() + "\" has no files: there are none of " + named.options());
                }
            } catch (QueryException e) {
                fault = e;
            }
            return new TableFiles(
                    named.schemaName(), named.name(), null, List.of(), files, fault, named, keys, List.of());
        }

        TableFiles withFault(QueryException newFault) {
            return new TableFiles(
                    schemaName, name, fields, uniqueKeys, List.of(), newFault, named, keyFields, defaults);
        }
    }

    /// @param entry what the manifest says of it, or null
    /// @param keys the texts of the columns that are no part of the file, but of its folder's name; null for NULL
    record ListedFile(Path path, Manifest.FileEntry entry, Map<String, String> keys) {
        ListedFile(Path path) {
            this(path, null, Map.of());
        }

        /// Whether a run of our own made it, so that nobody changes it.
        boolean isOfRun() {
            return entry != null && DatasetFiles.isOfRun(path);
        }

        /// Those of its rows that are no part of the table.
        DeletedRows deleted() {
            return entry == null ? DeletedRows.NONE : entry.deleted();
        }
    }

    static DatasetListing of(Path root) {
        return of(root, List.of());
    }

    /// Lists ROOT by its manifest, or by its folders if it has none, and the tables that are named in it.
    ///
    /// - Errors: `QueryException` 58P01 when there is no such folder, 0A000 for one of Parquet files that were
    ///   exported, 58030 or XX001 for a broken manifest.
    ///
    /// @param root null for no dataset
    /// @param more tables that are named beside those
    static DatasetListing of(Path root, List<NamedTable> more) {
        if (root != null) {
            requireFolder(root);
        }
        DatasetListing listing = read(root, more);
        for (int tries = 0; tries < MAX_READS && listing.isReplaced(); tries++) {
            listing = read(root, more);
        }
        return listing;
    }

    /// Manifest and names are two files: what is listed is of one moment where the first has not changed meanwhile.
    private static DatasetListing read(Path root, List<NamedTable> more) {
        Map<Path, FileStamp> watched = new HashMap<>();
        long takenNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        // Stamps are taken before the content is read: a change in between shows as one too many, never too few.
        List<NamedTable> named = new ArrayList<>(more);
        List<TableFiles> tables = List.of();
        Manifest manifest = null;
        NamedTables names = NamedTables.NONE;
        if (root != null) {
            for (String file : List.of(Manifest.FILE_NAME, NamedTables.FILE_NAME)) {
                watched.put(root.resolve(file), FileStamp.of(root.resolve(file)));
            }
            manifest = Manifest.read(root);
            if (manifest == null) {
                ParquetRuns.requireNone(root);
                Folders folders = new Folders(root, watched);
                folders.scanSchema(DatasetCatalog.DEFAULT_SCHEMA, root, true);
                tables = folders.tables();
            } else {
                tables = listed(manifest, file -> root.resolve(file.path()));
            }
            names = NamedTables.read(root);
            named.addAll(names.tables());
        }
        FileWatch watch = new FileWatch();
        return new DatasetListing(
                with(tables, named, root, watch),
                watched,
                takenNanos,
                manifest,
                manifest == null ? Collation.DEFAULT : manifest.collation(),
                watch,
                names);
    }

    private static List<TableFiles> with(List<TableFiles> own, List<NamedTable> named, Path root, FileWatch watch) {
        if (named.isEmpty()) {
            return own;
        }
        Map<List<String>, TableFiles> all = new TreeMap<>(
                Comparator.<List<String>, String>comparing(List::getFirst).thenComparing(List::getLast));
        own.forEach(table -> all.put(List.of(table.schemaName(), table.name()), table));
        Path base = root == null ? Path.of("").toAbsolutePath() : root;
        for (NamedTable table : named) {
            all.merge(
                    List.of(table.schemaName(), table.name()),
                    TableFiles.of(table, base, watch),
                    (before, after) -> before.withFault(new QueryException(
                            SqlState.DUPLICATE_TABLE,
                            "table \"" + after.name() + "\" is " + (before.named() == null ? "in" : "named twice for")
                                    + " the dataset \"" + base + "\", and is named over "
                                    + after.named().options())));
        }
        return List.copyOf(all.values());
    }

    /// Lists the tables as a run left them, which nothing changes any more.
    ///
    /// - Errors: `QueryException` 58P01 when there is no such folder, 42704 when the run is not kept.
    static DatasetListing of(Path root, int run) {
        requireFolder(root);
        KeptRuns runs = new KeptRuns(root);
        Manifest manifest = runs.of(run);
        return new DatasetListing(
                listed(manifest, runs::place),
                new HashMap<>(),
                0,
                manifest,
                manifest.collation(),
                new FileWatch(),
                NamedTables.NONE);
    }

    private static void requireFolder(Path root) {
        if (!Files.isDirectory(root)) {
            throw new QueryException(SqlState.UNDEFINED_FILE, "there is no folder \"" + root + "\"");
        }
    }

    /// As what changes make another one of. Of a folder without a manifest all tables are others than it lists.
    DatasetState state() {
        Manifest listed = manifest == null ? Manifest.EMPTY : manifest;
        DatasetState own = DatasetState.of(listed, names, Set.of());
        return DatasetState.of(
                listed,
                names,
                tables.stream()
                        .filter(table -> !own.isThere(table.schemaName(), table.name()))
                        .map(table -> List.of(table.schemaName(), table.name()))
                        .collect(Collectors.toSet()));
    }

    /// The files of a table of the manifest's.
    static TableFiles files(Manifest.TableEntry table, Function<Manifest.FileEntry, Path> places) {
        List<ListedFile> files = table.files().stream()
                .map(file -> new ListedFile(places.apply(file), file, file.keys()))
                .toList();
        return new TableFiles(
                table.schemaName(),
                table.name(),
                table.fields(),
                table.uniqueKeys(),
                files,
                null,
                null,
                List.of(),
                table.defaults());
    }

    /// Whether a new listing would be the same.
    boolean isCurrent() {
        for (Map.Entry<Path, FileStamp> entry : watched.entrySet()) {
            FileStamp stamp = entry.getValue();
            boolean isSettled = stamp.modifiedNanos() <= takenNanos - FileStamp.TIME_STEP_NANOS;
            if (!isSettled && !isJustReplaced(entry.getKey(), stamp)
                    || !FileStamp.of(entry.getKey()).equals(stamp)) {
                return false;
            }
        }
        return named.isCurrent();
    }

    /// Whether a file was replaced a moment ago that is never written to: another one in its place shows as such at
    /// once, by its key or its size. What comes after that moment looks once more.
    private static boolean isJustReplaced(Path file, FileStamp stamp) {
        return (file.endsWith(Manifest.FILE_NAME) || file.endsWith(NamedTables.FILE_NAME))
                && stamp.fileKey() != null
                && stamp.unsettledNanos() > 0;
    }

    /// Whether another manifest stands where this one was read: files that are not where it says have moved.
    boolean isReplaced() {
        return watched.entrySet().stream()
                .anyMatch(entry -> entry.getKey().endsWith(Manifest.FILE_NAME)
                        && !FileStamp.of(entry.getKey()).equals(entry.getValue()));
    }

    private static List<TableFiles> listed(Manifest manifest, Function<Manifest.FileEntry, Path> places) {
        List<TableFiles> tables = new ArrayList<>();
        for (Manifest.TableEntry table : manifest.tables()) {
            tables.add(files(table, places));
        }
        tables.sort(Comparator.comparing(TableFiles::schemaName).thenComparing(TableFiles::name));
        return tables;
    }

    /// The rule for a ROOT without manifest: `NAME.arrow` is a table; so is a folder that holds `.arrow` files or
    /// `key=value` folders; any other folder directly under ROOT is a schema.
    private static final class Folders {
        private static final int MAX_KEYS = 32;

        private record Claim(Path path, TableFiles table) {}

        private final Path root;
        private final Map<Path, FileStamp> watched;
        private final Map<List<String>, List<Claim>> claims = new HashMap<>();

        Folders(Path root, Map<Path, FileStamp> watched) {
            this.root = root;
            this.watched = watched;
        }

        void scanSchema(String schemaName, Path folder, boolean schemasAllowed) {
            for (Path entry : entries(folder)) {
                String fileName = entry.getFileName().toString();
                if (Files.isDirectory(entry)) {
                    scanFolder(schemaName, entry, schemasAllowed);
                } else if (fileName.endsWith(FileName.ARROW_SUFFIX)) {
                    String name = fileName.substring(0, fileName.length() - FileName.ARROW_SUFFIX.length());
                    claim(schemaName, FileName.decode(name), entry, List.of(listed(entry)), null);
                }
            }
        }

        /// A folder that cannot be listed is a table, to say why.
        private void scanFolder(String schemaName, Path folder, boolean schemasAllowed) {
            String name = FileName.decode(folder.getFileName().toString());
            try {
                scanFolder(schemaName, name, folder, schemasAllowed);
            } catch (QueryException e) {
                claim(schemaName, name, folder, List.of(), e);
            }
        }

        private void scanFolder(String schemaName, String name, Path folder, boolean schemasAllowed) {
            List<Path> entries = entries(folder);
            List<ListedFile> files = entries.stream()
                    .filter(entry -> entry.toString().endsWith(FileName.ARROW_SUFFIX) && !Files.isDirectory(entry))
                    .map(this::listed)
                    .toList();
            if (entries.stream().anyMatch(Folders::isPartition)) {
                List<ListedFile> parts = new ArrayList<>();
                addParts(folder, 0, Map.of(), parts);
                claim(schemaName, name, folder, parts, keysDiffer(parts));
            } else if (!files.isEmpty()) {
                claim(schemaName, name, folder, files, null);
            } else if (schemasAllowed) {
                scanSchema(name, folder, false);
            }
        }

        private static boolean isPartition(Path entry) {
            return PartitionFolder.is(entry.getFileName().toString()) && Files.isDirectory(entry);
        }

        private void addParts(Path folder, int depth, Map<String, String> keys, List<ListedFile> parts) {
            for (Path entry : entries(folder)) {
                String name = entry.getFileName().toString();
                if (isPartition(entry)) {
                    if (depth >= MAX_KEYS) { // a link to a folder above it, perhaps, where the keys are the same ones
                        throw new FileFault(entry)
                                .unsupported("it is more than " + MAX_KEYS + " key=value folders deep");
                    }
                    Map<String, String> more = new LinkedHashMap<>(keys);
                    more.put(PartitionFolder.key(name), PartitionFolder.value(name));
                    addParts(entry, depth + 1, more, parts);
                } else if (name.endsWith(FileName.ARROW_SUFFIX) && !Files.isDirectory(entry)) {
                    watched.put(entry, FileStamp.of(entry));
                    parts.add(new ListedFile(entry, null, keys));
                }
            }
        }

        /// What is wrong where two files have different keys; otherwise null.
        private static QueryException keysDiffer(List<ListedFile> parts) {
            for (ListedFile part : parts) {
                ListedFile first = parts.getFirst();
                if (!part.keys().keySet().equals(first.keys().keySet())) {
                    return new QueryException(
                            SqlState.DATATYPE_MISMATCH,
                            "file \"" + first.path() + "\" lies in folders of the keys "
                                    + first.keys().keySet() + ", file \"" + part.path() + "\" of "
                                    + part.keys().keySet());
                }
            }
            return null;
        }

        private ListedFile listed(Path path) {
            watched.put(path, FileStamp.of(path));
            return new ListedFile(path);
        }

        private List<Path> entries(Path folder) {
            watched.put(folder, FileStamp.of(folder));
            try (Stream<Path> entries = Files.list(folder)) {
                return entries.filter(
                                entry -> !FileName.isHidden(entry.getFileName().toString()))
                        .sorted()
                        .toList();
            } catch (IOException | UncheckedIOException e) {
                String reason =
                        e instanceof AccessDeniedException ? "permission denied" : String.valueOf(e.getMessage());
                throw new FileFault(folder).unreadable("the folder cannot be listed: " + reason, e);
            }
        }

        private void claim(String schemaName, String name, Path path, List<ListedFile> files, QueryException fault) {
            claims.computeIfAbsent(List.of(schemaName, name), _ -> new ArrayList<>())
                    .add(new Claim(path, new TableFiles(schemaName, name, null, List.of(), files, fault)));
        }

        List<TableFiles> tables() {
            Map<String, Map<String, TableFiles>> ordered = new TreeMap<>();
            claims.forEach((key, claimants) -> ordered.computeIfAbsent(key.getFirst(), _ -> new TreeMap<>())
                    .put(
                            key.getLast(),
                            claimants.size() == 1 ? claimants.getFirst().table() : contested(claimants)));
            return ordered.values().stream()
                    .flatMap(schema -> schema.values().stream())
                    .toList();
        }

        private TableFiles contested(List<Claim> claimants) {
            TableFiles first = claimants.getFirst().table();
            return new TableFiles(
                    first.schemaName(),
                    first.name(),
                    null,
                    List.of(),
                    List.of(),
                    new QueryException(
                            SqlState.DUPLICATE_TABLE,
                            "both \"" + root.relativize(claimants.get(0).path()) + "\" and \""
                                    + root.relativize(claimants.get(1).path()) + "\" in \"" + root
                                    + "\" are table \"" + first.name() + "\""));
        }
    }
}
