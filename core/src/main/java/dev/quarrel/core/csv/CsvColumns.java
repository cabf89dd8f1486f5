package dev.quarrel.core.csv;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.Utf8Text;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The columns of CSV files of which nobody says the names and types: what the first rows show. Those of several
/// files are one column where they have one name, or, without headers, one place.
///
/// - Source: for what else names columns so, DuckDB's documentation, "CSV Auto Detection".
public final class CsvColumns {
    private final CsvFormat format;
    private final boolean findsHeader;
    private final List<Sample> samples = new ArrayList<>();

    /// @param findsHeader whether the files show if their first rows have names; else the format says it
    public CsvColumns(CsvFormat format, boolean findsHeader) {
        this.format = format;
        this.findsHeader = findsHeader;
    }

    /// What files have.
    ///
    /// @param hasHeader whether their first rows have the columns' names
    /// @param names of the columns of each file, in the order in which they were looked at; none where there are no
    ///              rows
    /// @param fields the columns of all files, in order of first appearance
    /// @param odd values that alone make texts of the columns that are named with them
    public record Found(
            boolean hasHeader, List<List<String>> names, List<Field> fields, Map<String, List<String>> odd) {}

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final int ENOUGH_NUMBERS = 3;
    private static final int FIRST_YEAR = 1500;
    private static final int LAST_YEAR = 2200;

    private record Cell(String text, boolean isQuoted) {}

    /// The first rows of a file.
    private static final class Sample {
        private final String file;
        private final List<TypeGuess> guesses = new ArrayList<>();
        private List<Cell> first; // null where there is no row
        private long firstLine;
        private int leastFields = Integer.MAX_VALUE; // of the rows behind the first
        private int mostFields;

        Sample(String file) {
            this.file = file;
        }

        boolean isOneColumn() {
            return first.size() <= 1 && mostFields <= 1;
        }

        void add(List<Cell> row) {
            leastFields = Math.min(leastFields, row.size());
            mostFields = Math.max(mostFields, row.size());
            addValues(row);
        }

        void addValues(List<Cell> row) {
            for (int column = 0; column < row.size(); column++) {
                if (column == guesses.size()) {
                    guesses.add(new TypeGuess());
                }
                Cell cell = row.get(column);
                if (cell.text() == null) {
                    guesses.get(column).addNull();
                } else {
                    guesses.get(column).add(cell.text(), cell.isQuoted());
                }
            }
        }

        /// Whether the first row has names: it has where one of them is no value of its column, where all columns are
        /// texts, and where its numbers are years that count up, or 0, 1, 2 and so on.
        boolean looksNamed() {
            if (guesses.isEmpty()) {
                Sample alone = new Sample(file);
                alone.addValues(first);
                return alone.guesses.stream().anyMatch(guess -> guess.type() == PgType.TEXT);
            }
            List<String> numbers = new ArrayList<>();
            for (int column = 0; column < first.size(); column++) {
                Cell cell = first.get(column);
                if (column >= guesses.size() || !guesses.get(column).isValue(cell.text(), cell.isQuoted())) {
                    return true;
                }
                if (guesses.get(column).type() != PgType.TEXT && cell.text() != null) {
                    numbers.add(cell.text());
                }
            }
            return numbers.isEmpty() || numbers.size() >= ENOUGH_NUMBERS && countUp(numbers);
        }

        private static boolean countUp(List<String> numbers) {
            if (!numbers.stream().allMatch(each -> WHOLE_NUMBER.matcher(each).matches())) {
                return false;
            }
            long[] values = numbers.stream().mapToLong(Long::parseLong).toArray();
            long step = values[1] - values[0];
            for (int number = 2; number < values.length; number++) {
                if (values[number] - values[number - 1] != step) {
                    return false;
                }
            }
            boolean areYears = step > 0 && values[0] >= FIRST_YEAR && values[values.length - 1] <= LAST_YEAR;
            return areYears || values[0] == 0 && step == 1;
        }

        List<String> names(boolean hasHeader) {
            if (!hasHeader) {
                int count = Math.max(first.size(), mostFields);
                return unique(Collections.nCopies(count, null));
            }
            List<String> texts = new ArrayList<>();
            boolean hasOneMore = leastFields == mostFields && mostFields == first.size() + 1;
            boolean hasNoMore = hasOneMore && !guesses.getLast().isAny(); // what ends each row is a delimiter
            // R names the columns and not the rows, whose names stand before the values.
            if (hasOneMore && !hasNoMore) {
                texts.add(null);
            } else if (!hasOneMore && mostFields > first.size()) {
                throw new QueryException(
                                SqlState.BAD_COPY_FILE_FORMAT,
                                "wrong number of fields in header line: got " + first.size() + ", expected "
                                        + mostFields)
                        .withContext(file + ", line " + firstLine)
                        .withHint("--columns names them");
            }
            first.forEach(cell -> texts.add(cell.text()));
            if (hasNoMore) {
                texts.add(null);
            }
            return unique(texts);
        }

        /// A column without a name is called by its place; of two of one name the second gets a number.
        private static List<String> unique(List<String> texts) {
            Set<String> taken = new HashSet<>(texts);
            Set<String> names = new LinkedHashSet<>();
            for (int column = 0; column < texts.size(); column++) {
                String text = texts.get(column);
                boolean isNamed = text != null && !text.isBlank();
                String base = isNamed ? text : "column" + (column + 1);
                String name = base;
                for (int number = 1; names.contains(name) || !name.equals(text) && taken.contains(name); number++) {
                    name = base + "_" + number;
                }
                names.add(name);
            }
            return List.copyOf(names);
        }
    }

    /// Looks at a file.
    ///
    /// - Errors: `QueryException` 22P04 for what is no CSV, 22021 for names in another encoding.
    ///
    /// @param name for messages
    /// @param maxRows how many are looked at
    public void add(String name, InputStream in, int maxRows) throws IOException {
        CsvScanner scanner = new CsvScanner(name, in, format);
        CsvFields row = new CsvFields(format);
        Sample sample = new Sample(name);
        samples.add(sample);
        for (int rows = 0; rows < maxRows; ) {
            RowBlock block = scanner.next(maxRows - rows);
            if (block == null) {
                break;
            }
            if (block.fault() != null) {
                throw block.fault();
            }
            for (int index = 0; index < block.count(); index++, rows++) {
                if (block.isEmpty(index) && (sample.first == null || !sample.isOneColumn())) {
                    continue;
                }
                row.cut(block.bytes(), block.start(index), block.end(index));
                if (sample.first == null) {
                    requireTexts(name, block, index, row);
                    sample.first = cells(row);
                    sample.firstLine = block.line(index);
                } else {
                    sample.add(cells(row));
                }
            }
        }
    }

    /// Names must be texts, as values must.
    private static void requireTexts(String name, RowBlock block, int index, CsvFields row) {
        for (int column = 0; column < row.count(); column++) {
            try {
                Utf8Text.require(block.bytes(), row.start(column), row.length(column));
            } catch (QueryException wrong) {
                throw wrong.withContext(name + ", line " + block.line(index)).withHint("--encoding says another one");
            }
        }
    }

    private static List<Cell> cells(CsvFields row) {
        List<Cell> cells = new ArrayList<>(row.count());
        for (int column = 0; column < row.count(); column++) {
            cells.add(new Cell(row.isNull(column) ? null : row.text(column), row.isQuoted(column)));
        }
        return cells;
    }

    /// - Errors: 22P04 for a header of fewer names than there are columns, and where only some files have one.
    public Found found() {
        List<Sample> filled =
                samples.stream().filter(sample -> sample.first != null).toList();
        boolean hasHeader = findsHeader ? hasHeader(filled) : format.header();
        List<List<String>> names = new ArrayList<>();
        Map<String, TypeGuess> guesses = new LinkedHashMap<>();
        for (Sample sample : samples) {
            if (sample.first == null) {
                names.add(List.of());
                continue;
            }
            if (!hasHeader) {
                sample.addValues(sample.first);
            }
            names.add(sample.names(hasHeader));
            for (int column = 0; column < names.getLast().size(); column++) {
                TypeGuess guess = guesses.computeIfAbsent(names.getLast().get(column), _ -> new TypeGuess());
                if (column < sample.guesses.size()) {
                    guess.add(sample.guesses.get(column));
                }
            }
        }
        List<Field> fields = new ArrayList<>();
        Map<String, List<String>> odd = new LinkedHashMap<>();
        guesses.forEach((name, guess) -> {
            fields.add(field(name, guess.type()));
            if (guess.odd() != null) {
                odd.computeIfAbsent(guess.odd(), _ -> new ArrayList<>()).add(name);
            }
        });
        return new Found(hasHeader, names, fields, odd);
    }

    private static boolean hasHeader(List<Sample> filled) {
        Map<Boolean, List<Sample>> kinds = filled.stream().collect(Collectors.partitioningBy(Sample::looksNamed));
        if (!kinds.get(true).isEmpty() && !kinds.get(false).isEmpty()) {
            throw new QueryException(
                            SqlState.BAD_COPY_FILE_FORMAT,
                            "the first row of file \"" + kinds.get(true).getFirst().file
                                    + "\" has names of columns, and that of file \""
                                    + kinds.get(false).getFirst().file + "\" values")
                    .withHint("--header or --no-header says what all first rows have");
        }
        return kinds.get(false).isEmpty();
    }

    private static Field field(String name, PgType type) {
        return new Field(name, type.dataType(), true, type.formatName());
    }

    /// The column that takes a value too which is none of the type that was found; null where it takes all already.
    public static Field wider(Field field, String value) {
        PgType type = PgType.Declared.held(field).type();
        return type == PgType.TEXT ? null : field(field.name(), TypeGuess.wider(type, value));
    }
}
