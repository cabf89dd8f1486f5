package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.arrow.FileStamp;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Which files a named table has, as its options say:
///
/// | option | |
/// |---|---|
/// | `file` | one path |
/// | `files` | paths or patterns ([FilePattern]), with commas between them |
/// | `dir` | folders, with commas between them: all their files, also those below `key=value` folders |
/// | `suffix` | of those files' names |
/// | `pattern` | of those files' paths below the folder |
/// | `parallel_workers` | is taken, and means nothing |
///
/// Files whose names begin with `_` or `.`, and `*.tmp`, count only where `file` or `files` names them as such.
///
/// @param files named by themselves
/// @param places where others are looked for
record FileSource(List<Path> files, List<Place> places) {
    static final String FILES = "files";
    static final String FILE = "file";
    private static final String DIR = "dir";
    private static final String SUFFIX = "suffix";
    private static final String PATTERN = "pattern";
    private static final String WORKERS = "parallel_workers";

    /// The column of a file's whole path.
    static final String PATH = "$path";

    /// The column of its name.
    static final String NAME = "$file";

    private static final int MAX_FILES = 100_000;
    private static final int MAX_DEPTH = 32;

    /// @param pattern null for all files with the suffix, also below `key=value` folders
    record Place(Path folder, FilePattern pattern, String suffix) {}

    /// @param base what relative paths are below
    /// - Errors: `QueryException` HV00D, HV002, 22023, 42601.
    static FileSource of(Map<String, String> options, Path base) {
        List<Path> files = new ArrayList<>();
        List<Place> places = new ArrayList<>();
        for (String option : options.keySet()) {
            switch (option) {
                case FILE, FILES, DIR, SUFFIX, PATTERN, WORKERS -> {}
                default -> throw invalid(option, "file, files, dir, suffix, pattern, parallel_workers");
            }
        }
        long ways = Stream.of(FILE, FILES, DIR).filter(options::containsKey).count();
        if (ways != 1) {
            throw new QueryException(
                            ways == 0 ? SqlState.FDW_DYNAMIC_PARAMETER_VALUE_NEEDED : SqlState.SYNTAX_ERROR,
                            ways == 0 ? "no file is said" : "conflicting or redundant options")
                    .withHint("say one of the options file, files and dir");
        }
        boolean isOfFolders = options.containsKey(DIR);
        if (!isOfFolders && (options.containsKey(SUFFIX) || options.containsKey(PATTERN))) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "suffix and pattern are of the option dir alone");
        }
        if (options.containsKey(FILE)) {
            files.add(path(options.get(FILE), base));
        }
        for (String file : parts(options.get(FILES))) {
            if (FilePattern.isIn(file)) {
                places.add(place(file, base));
            } else {
                files.add(path(file, base));
            }
        }
        String suffix = options.getOrDefault(SUFFIX, "");
        FilePattern pattern = options.containsKey(PATTERN) ? new FilePattern(options.get(PATTERN)) : null;
        for (String folder : parts(options.get(DIR))) {
            places.add(new Place(path(folder, base), pattern, suffix));
        }
        return new FileSource(List.copyOf(files), List.copyOf(places));
    }

    static QueryException invalid(String option, String valid) {
        return new QueryException(SqlState.FDW_INVALID_OPTION_NAME, "invalid option \"" + option + "\"")
                .withHint("Valid options in this context are: " + valid);
    }

    private static List<String> parts(String list) {
        return list == null
                ? List.of()
                : Stream.of(list.split(","))
                        .map(String::strip)
                        .filter(part -> !part.isEmpty())
                        .toList();
    }

    private static Path path(String text, Path base) {
        try {
            return base.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "\"" + text + "\" is no path");
        }
    }

    /// Of a path with a pattern in it: the folder up to that, and the rest.
    static Place place(String text, Path base) {
        String[] steps = text.split("/", -1);
        int first = 0;
        while (!FilePattern.isIn(steps[first])) {
            first++;
        }
        String folder = String.join("/", List.of(steps).subList(0, first));
        String rest = String.join("/", List.of(steps).subList(first, steps.length));
        boolean isAbsolute = first > 0 && folder.isEmpty();
        return new Place(path(isAbsolute ? "/" : folder, base), new FilePattern(rest), "");
    }

    /// What lies below none of these is not read.
    Stream<Path> roots() {
        return Stream.concat(files.stream(), places.stream().map(Place::folder));
    }

    /// - Errors: `QueryException` 22023 for a virtual column of a key that no path has.
    void checkKeys(NamedTable table) {
        boolean isAny = places.stream().anyMatch(place -> place.pattern() == null);
        for (NamedTable.Column column : table.columns()) {
            NamedTable.Virtual virtual = column.virtual();
            if (virtual == null || virtual.kind() != NamedTable.Virtual.Kind.KEY) {
                continue;
            }
            String key = virtual.key();
            boolean isKnown = isAny
                    || key.equals(PATH)
                    || key.equals(NAME)
                    || places.stream()
                            .anyMatch(place -> place.pattern().keys().containsKey(key)
                                    || place.pattern().toString().contains(key + "="));
            if (!isKnown) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "column \"" + column.field().name() + "\" is of the key \"" + key
                                + "\", which the files' paths do not have");
            }
        }
    }

    /// The files there are, in the order of their paths.
    ///
    /// - Errors: `QueryException` 58030 for a folder that cannot be listed, 54000 for too many files.
    List<DatasetListing.ListedFile> list(FileWatch watch) {
        Map<Path, Map<String, String>> found = new TreeMap<>();
        for (Path file : files) {
            watch.addFile(file, FileStamp.of(file));
            found.put(file, keys(file, Map.of()));
        }
        for (Place place : places) {
            walk(place, place.folder(), List.of(), watch, found);
        }
        List<DatasetListing.ListedFile> listed = new ArrayList<>(found.size());
        found.forEach((path, keys) -> listed.add(new DatasetListing.ListedFile(path, null, keys)));
        return listed;
    }

    private static Map<String, String> keys(Path file, Map<String, String> more) {
        Map<String, String> keys = new LinkedHashMap<>(more);
        keys.put(PATH, file.toString());
        keys.put(NAME, file.getFileName().toString());
        return keys;
    }

    private static void walk(
            Place place, Path folder, List<String> names, FileWatch watch, Map<Path, Map<String, String>> found) {
        for (Path entry : entries(folder, watch)) {
            String name = entry.getFileName().toString();
            BasicFileAttributes attributes = attributes(entry);
            if (attributes == null) {
                continue; // gone meanwhile
            }
            if (attributes.isDirectory()) {
                List<String> below = new ArrayList<>(names);
                below.add(name);
                boolean holds = place.pattern() == null
                        ? PartitionFolder.is(name)
                        : place.pattern().mayHold(below);
                if (holds && below.size() > MAX_DEPTH) { // a link to a folder above it, perhaps
                    throw new FileFault(entry).unsupported("it is more than " + MAX_DEPTH + " folders deep");
                }
                if (holds) {
                    walk(place, entry, below, watch, found);
                }
                continue;
            }
            Map<String, String> keys = matched(place, names, name);
            if (keys != null) {
                watch.addFile(entry, FileStamp.of(attributes));
                found.put(entry, keys(entry, keys));
                if (found.size() > MAX_FILES) {
                    throw new QueryException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "folder \"" + place.folder() + "\" holds more than " + MAX_FILES + " files of the table");
                }
            }
        }
    }

    /// The keys of a file, or null for one that does not belong to the table.
    private static Map<String, String> matched(Place place, List<String> folders, String name) {
        Map<String, String> keys = PartitionFolder.keys(folders);
        if (!name.endsWith(place.suffix())) {
            return null;
        }
        if (place.pattern() != null) {
            String path = folders.isEmpty() ? name : String.join("/", folders) + "/" + name;
            Map<String, String> more = place.pattern().match(path);
            if (more == null) {
                return null;
            }
            keys.putAll(more);
        }
        return keys;
    }

    private static BasicFileAttributes attributes(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (IOException _) {
            return null;
        }
    }

    private static List<Path> entries(Path folder, FileWatch watch) {
        watch.addFolder(folder);
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(
                            entry -> !FileName.isHidden(entry.getFileName().toString()))
                    .toList();
        } catch (NoSuchFileException e) {
            throw new QueryException(SqlState.UNDEFINED_FILE, "there is no folder \"" + folder + "\"", e);
        } catch (IOException | UncheckedIOException e) {
            String reason = e instanceof AccessDeniedException ? "permission denied" : String.valueOf(e.getMessage());
            throw new FileFault(folder).unreadable("the folder cannot be listed: " + reason, e);
        }
    }

    /// The columns that the keys of paths are where nobody declares them: those of patterns, then those of folders.
    ///
    /// @param listed the table's files
    List<Field> keyFields(List<DatasetListing.ListedFile> listed) {
        SequencedMap<String, Field> fields = new LinkedHashMap<>();
        for (Place place : places) {
            if (place.pattern() != null) {
                place.pattern()
                        .keys()
                        .forEach((key, isNumber) -> fields.putIfAbsent(
                                key, new Field(key, isNumber ? DataType.INT64 : DataType.UTF8, true)));
            }
        }
        List<Map<String, String>> ofFolders = new ArrayList<>();
        for (DatasetListing.ListedFile file : listed) {
            Map<String, String> keys = new LinkedHashMap<>(file.keys());
            keys.keySet().removeAll(fields.keySet());
            keys.remove(PATH);
            keys.remove(NAME);
            ofFolders.add(keys);
        }
        for (Field field : PartitionFolder.fields(ofFolders)) {
            fields.put(field.name(), field);
        }
        return List.copyOf(fields.values());
    }
}
