package dev.quarrel.cli.imports;

import dev.quarrel.core.csv.CsvColumns;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// CSV files whose first rows say what columns they have. A later value that is none of its column's type makes the
/// column wider, and the files are read again.
public final class SniffedCsv implements ImportFormat {
    private static final int SNIFFED_ROWS = 10_000;
    private static final int LEAST_SNIFFED_ROWS = 100;
    private static final int MAX_NAMED = 10;
    private static final int MAX_LESSONS = 3;
    private static final int MAX_SHOWN = 40;

    private final Map<Path, List<String>> names = new HashMap<>();
    private final Map<String, Field> fields = new HashMap<>();
    private final Set<String> fixed = new HashSet<>();
    private final List<Path> files;
    private final CsvSource.Reading reading;
    private int lessons;
    private String learned; // null before

    private SniffedCsv(List<Path> files, CsvSource.Reading reading) {
        this.files = List.copyOf(files);
        this.reading = reading;
    }

    /// - Errors: `QueryException` 22P04 for what is no CSV.
    ///
    /// @param known columns of the table, whose types hold where none are said
    /// @param reading whose header is that of the files where it is not looked for
    /// @param notes hears what somebody may want to read otherwise
    public static ImportFormat of(
            List<Path> files, List<Field> known, CsvSource.Reading reading, boolean findsHeader, Consumer<String> notes)
            throws IOException {
        int rows = Math.max(LEAST_SNIFFED_ROWS, SNIFFED_ROWS / files.size());
        CsvColumns.Found found = look(files, reading, findsHeader, rows);
        if (found.fields().isEmpty()) {
            throw new QueryException(SqlState.BAD_COPY_FILE_FORMAT, "file \"" + files.getFirst() + "\" has no columns");
        }
        SniffedCsv sniffed = new SniffedCsv(files, reading.withHeader(found.hasHeader()));
        for (int file = 0; file < files.size(); file++) {
            sniffed.names.put(files.get(file), found.names().get(file));
        }
        found.fields().forEach(field -> sniffed.fields.put(field.name(), field));
        for (Field field : known) {
            if (sniffed.fields.replace(field.name(), field) != null) {
                sniffed.fixed.add(field.name());
            }
        }
        if (findsHeader && !found.hasHeader()) {
            notes.accept("the first row has values and no names of columns, which are column1, …; --header reads it as"
                    + " names");
        }
        found.odd().forEach((value, of) -> {
            List<String> texts =
                    of.stream().filter(name -> !sniffed.fixed.contains(name)).toList();
            if (!texts.isEmpty() && isShort(value)) {
                notes.accept("only \"" + value + "\" makes texts of "
                        + String.join(", ", texts.subList(0, Math.min(texts.size(), MAX_NAMED)))
                        + (texts.size() > MAX_NAMED ? " and " + (texts.size() - MAX_NAMED) + " others" : "")
                        + "; --null '" + value + "' reads it as NULL");
            }
        });
        return sniffed;
    }

    private static CsvColumns.Found look(List<Path> files, CsvSource.Reading reading, boolean findsHeader, int rows)
            throws IOException {
        CsvColumns columns = new CsvColumns(reading.format(), findsHeader);
        for (Path file : files) {
            try (InputStream in = reading.open(file)) {
                columns.add(file.toString(), in, rows);
            }
        }
        return columns.found();
    }

    /// Whether a value can stand in a line for people, and in an option.
    private static boolean isShort(String value) {
        return !value.isBlank()
                && value.length() <= MAX_SHOWN
                && value.chars().noneMatch(each -> each == '\'' || Character.isISOControl(each));
    }

    @Override
    public ImportSource open(Path file) throws IOException {
        Schema schema = new Schema(names.get(file).stream().map(fields::get).toList());
        Set<String> found = new HashSet<>(fields.keySet());
        found.removeAll(fixed);
        return new CsvSource(file, schema, reading, CsvFile.Rules.ofFound(found), misfit -> learn(file, misfit));
    }

    /// The first times one column becomes wider; then all rows are looked at, so that the files are not read once a
    /// column.
    private void learn(Path file, CsvFile.Misfit misfit) throws IOException {
        Field before = fields.get(misfit.column());
        Field wider = fixed.contains(misfit.column()) ? null : CsvColumns.wider(before, misfit.text());
        if (wider == null) {
            return;
        }
        if (++lessons > MAX_LESSONS) {
            learned = "more columns have later values that are none of their type: the types are those of all rows;"
                    + " reading from the beginning";
            for (Field field : look(files, reading, false, Integer.MAX_VALUE).fields()) {
                if (!fixed.contains(field.name())) {
                    fields.put(field.name(), field);
                }
            }
            return;
        }
        fields.put(wider.name(), wider);
        boolean mayBeNull = wider.pgType().equals("text") && !misfit.isQuoted() && isShort(misfit.text());
        learned =
                "column " + wider.name() + " is " + wider.pgType() + ", not " + before.pgType() + ": " + file + " has "
                        + (isShort(misfit.text()) ? "\"" + misfit.text() + "\"" : "another value")
                        + (mayBeNull ? ", which --null '" + misfit.text() + "' reads as NULL" : "")
                        + "; reading from the beginning";
    }

    @Override
    public String learned() {
        String said = learned;
        learned = null;
        return said;
    }
}
