package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.stats.StatsText;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Predicate;

/// Files that somebody names by paths, folders and patterns ([FilePattern]), with what their paths say: the keys of
/// patterns, and the `key=value` folders on the way ([PartitionFolder]), as they were named or found.
///
/// @param files each once, in the order of the names; those of a folder or a pattern in that of their paths
/// @param keys the columns that the keys are: of `${key}` text, of `@{key}` bigint, else by their values
public record SourceFiles(List<SourceFile> files, List<Field> keys) {
    private static final String ALL = "**/*";

    /// @param keys the texts of the keys of its path; null for NULL
    public record SourceFile(Path path, Map<String, String> keys) {
        /// The values of those columns that are keys of its path, by name.
        ///
        /// - Errors: `QueryException` XX001 for a text that is none of a column's type.
        public Map<String, Object> values(List<Field> columns) {
            Map<String, Object> values = new HashMap<>();
            for (Field column : columns) {
                String text = keys.get(column.name());
                if (text != null) {
                    Object value = StatsText.parse(column.type(), text);
                    if (value == null) {
                        throw new QueryException(
                                SqlState.DATA_CORRUPTED,
                                "the path of file \"" + path + "\" has \"" + text + "\" as " + column.name()
                                        + ", which is no " + column.type());
                    }
                    values.put(column.name(), value);
                }
            }
            return values;
        }
    }

    /// - Errors: `QueryException` 58P01 for a name that nothing has, 58030 for a folder that cannot be listed, 54000
    ///   for too many files.
    ///
    /// @param isInFolder by its name, whether a file counts that a folder has; those below it do, too
    /// @param withFolders whether `key=value` folders are keys
    public static SourceFiles of(List<String> names, Predicate<String> isInFolder, boolean withFolders) {
        SequencedMap<Path, SourceFile> found = new LinkedHashMap<>();
        Map<String, Boolean> ofPatterns = new HashMap<>(); // whether a key is a number
        for (String name : names) {
            Path path = Path.of(name);
            boolean isFolder = Files.isDirectory(path);
            FileSource.Place place = isFolder
                    ? new FileSource.Place(path, new FilePattern(ALL), "")
                    : FilePattern.isIn(name) && !Files.exists(path) ? FileSource.place(name, Path.of("")) : null;
            if (place == null) {
                requireFile(path);
                found.putIfAbsent(path, file(path, withFolders, Map.of()));
                continue;
            }
            SequencedMap<String, Boolean> ofPattern = place.pattern().keys();
            ofPatterns.putAll(ofPattern);
            int before = found.size();
            for (DatasetListing.ListedFile file : new FileSource(List.of(), List.of(place)).list(new FileWatch())) {
                if (!isFolder || isInFolder.test(file.path().getFileName().toString())) {
                    Map<String, String> keys = new LinkedHashMap<>(file.keys());
                    keys.keySet().retainAll(ofPattern.keySet());
                    found.putIfAbsent(file.path(), file(file.path(), withFolders, keys));
                }
            }
            if (found.size() == before) {
                throw new QueryException(
                        SqlState.UNDEFINED_FILE,
                        isFolder ? "folder \"" + name + "\" has no such files" : "no file matches \"" + name + "\"");
            }
        }
        List<SourceFile> files = List.copyOf(found.values());
        return new SourceFiles(files, keyFields(files, ofPatterns));
    }

    private static void requireFile(Path path) {
        if (!Files.exists(path)) {
            throw new QueryException(SqlState.UNDEFINED_FILE, "there is no file \"" + path + "\"");
        }
    }

    private static SourceFile file(Path path, boolean withFolders, Map<String, String> ofPattern) {
        List<String> folders = new ArrayList<>();
        if (withFolders && path.getParent() != null) {
            path.getParent().forEach(folder -> folders.add(folder.toString()));
        }
        Map<String, String> keys = PartitionFolder.keys(folders);
        keys.putAll(ofPattern);
        return new SourceFile(path, keys);
    }

    private static List<Field> keyFields(List<SourceFile> files, Map<String, Boolean> ofPatterns) {
        List<Field> fields = new ArrayList<>();
        for (Field field :
                PartitionFolder.fields(files.stream().map(SourceFile::keys).toList())) {
            Boolean isNumber = ofPatterns.get(field.name());
            fields.add(
                    isNumber == null
                            ? field
                            : new Field(field.name(), isNumber ? DataType.INT64 : DataType.UTF8, field.nullable()));
        }
        return fields;
    }
}
