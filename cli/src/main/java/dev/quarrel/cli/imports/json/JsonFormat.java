package dev.quarrel.cli.imports.json;

import dev.quarrel.cli.imports.FileBytes;
import dev.quarrel.cli.imports.ImportFormat;
import dev.quarrel.cli.imports.ImportSource;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Executor;

/// JSON files, compressed by gzip or not, whose first rows say what columns they have ([JsonGuess]). Where a later row
/// has others, all rows are looked at, and the files are read again.
public final class JsonFormat implements ImportFormat {
    private static final int SNIFFED_ROWS = 10_000;
    private static final int LEAST_SNIFFED_ROWS = 100;

    private final List<Path> files;
    private final Executor threads;
    private final int threadCount;
    private final Map<String, Field> known = new HashMap<>();
    private final Map<String, NestedType> nested;
    private final JsonGuess rows = new JsonGuess();
    private final Map<Path, Set<String>> names = new HashMap<>();
    private boolean hasSeenAll;
    private String learned; // null before

    private JsonFormat(List<Path> files, Map<String, NestedType> nested, Executor threads, int threadCount) {
        this.files = List.copyOf(files);
        this.nested = Map.copyOf(nested);
        this.threads = threads;
        this.threadCount = threadCount;
    }

    /// - Errors: `QueryException` as of [JsonObjects] and [JsonBlock]; 22P04 where there is no row.
    ///
    /// @param known columns of the table that gets the rows, whose types hold where they are no lists or structs
    /// @param nested the types of those that are, which hold for what the files leave open
    /// @param threads parse the rows
    /// @param threadCount how many these are
    public static ImportFormat of(
            List<Path> files, List<Field> known, Map<String, NestedType> nested, Executor threads, int threadCount)
            throws IOException {
        JsonFormat format = new JsonFormat(files, nested, threads, threadCount);
        known.forEach(field -> format.known.put(field.name(), field));
        format.look(Math.max(LEAST_SNIFFED_ROWS, SNIFFED_ROWS / files.size()));
        if (format.rows.members() == null || format.rows.members().isEmpty()) {
            throw new QueryException(
                    SqlState.BAD_COPY_FILE_FORMAT,
                    "file \"" + files.getFirst() + "\" has no " + (format.rows.members() == null ? "rows" : "columns"));
        }
        return format;
    }

    private void look(int maxRows) throws IOException {
        for (Path file : files) {
            FileBytes.requireRegular(file, "write it to a file");
            Set<String> ofFile = names.computeIfAbsent(file, _ -> new LinkedHashSet<>());
            try (JsonObjects scanner = scanner(file)) {
                int left = maxRows;
                for (JsonBlock block = scanner.next(left); block != null; block = scanner.next(left)) {
                    for (int row = 0; row < block.rows().count(); row++) {
                        block.begin(row);
                        try {
                            rows.addRow(block, ofFile);
                        } catch (QueryException wrong) {
                            throw block.located(wrong, row);
                        }
                    }
                    if (block.rows().fault() != null) {
                        throw block.rows().fault();
                    }
                    left -= block.rows().count();
                    scanner.giveBack(block);
                }
            }
        }
    }

    private static JsonObjects scanner(Path file) throws IOException {
        return new JsonObjects(file.toString(), FileBytes.of(file));
    }

    /// A column of a file.
    ///
    /// @param type what it has, as [JsonGuess#type]; of leaves the field says it
    /// @param isKnown whether the table has it, whose type it is
    record Column(Field field, NestedType type, boolean isKnown) {}

    @Override
    public ImportSource open(Path file) throws IOException {
        SequencedMap<String, Column> columns = new LinkedHashMap<>();
        Set<String> ofFile = names.get(file);
        rows.members().forEach((name, guess) -> {
            if (ofFile.contains(name)) {
                columns.put(name, column(name, guess.type(nested.get(name))));
            }
        });
        return new JsonSource(scanner(file), columns, threads, threadCount, line -> learn(file, line));
    }

    private Column column(String name, NestedType type) {
        Field field = known.get(name);
        PgType ofTable = field == null ? null : PgType.Declared.of(field).type();
        if (ofTable == PgType.JSON || ofTable == PgType.JSONB) {
            return new Column(field, JsonGuess.JSON, true);
        }
        if (!(type instanceof NestedType.Leaf leaf)) {
            return new Column(type.field(name, true), type, false);
        }
        return field != null
                ? new Column(field, type, true)
                : new Column(new Field(name, leaf.dataType(), true, typeName(leaf)), type, false);
    }

    private static String typeName(NestedType.Leaf leaf) {
        return leaf.type() == PgType.NUMERIC
                ? PgType.Declared.of(leaf.dataType()).text()
                : leaf.type().formatName();
    }

    private void learn(Path file, long line) throws IOException {
        if (hasSeenAll) {
            return;
        }
        hasSeenAll = true;
        look(Integer.MAX_VALUE);
        learned = file + ", line " + line + " has what the rows before have not: columns and types are those of"
                + " all rows; reading from the beginning";
    }

    @Override
    public String learned() {
        String said = learned;
        learned = null;
        return said;
    }
}
