package dev.quarrel.core.csv;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// The columns of CSV files of which nobody says the types: what the values of their first rows are. Those of several
/// files are one column where they have one name, or, without headers, one place.
public final class CsvColumns {
    private final CsvFormat format;
    private final SequencedMap<String, TypeGuess> guesses = new LinkedHashMap<>();

    public CsvColumns(CsvFormat format) {
        this.format = format;
    }

    /// Looks at a file.
    ///
    /// - Errors: `QueryException` 22P04 for what is no CSV, 42701 for two columns of one name.
    ///
    /// @param name for messages
    /// @param maxRows how many are looked at
    /// @return the names of its columns, in their order
    public List<String> add(String name, InputStream in, int maxRows) throws IOException {
        CsvScanner scanner = new CsvScanner(name, in, format);
        CsvFields row = new CsvFields(format);
        List<String> names = new ArrayList<>();
        boolean isHeader = format.header();
        for (int rows = 0; rows < maxRows; ) {
            RowBlock block = scanner.next(maxRows - rows);
            if (block == null) {
                break;
            }
            if (block.fault() != null) {
                throw block.fault();
            }
            for (int index = 0; index < block.count(); index++, rows++) {
                row.cut(block.bytes(), block.start(index), block.end(index));
                if (isHeader) {
                    addNames(name, row, names);
                    isHeader = false;
                } else {
                    addValues(row, names);
                }
            }
        }
        return names;
    }

    private void addNames(String file, CsvFields row, List<String> names) {
        for (int column = 0; column < row.count(); column++) {
            names.add(row.text(column));
            guesses.computeIfAbsent(names.getLast(), _ -> new TypeGuess());
        }
        if (new HashSet<>(names).size() < names.size()) {
            throw new QueryException(SqlState.DUPLICATE_COLUMN, "file \"" + file + "\" has two columns of one name")
                    .withHint("name them: --columns");
        }
    }

    private void addValues(CsvFields row, List<String> names) {
        for (int column = 0; column < row.count(); column++) {
            if (column == names.size()) {
                names.add("column" + (column + 1));
            }
            TypeGuess guess = guesses.computeIfAbsent(names.get(column), _ -> new TypeGuess());
            if (!row.isNull(column)) {
                guess.add(row.text(column));
            }
        }
    }

    /// The columns of all files, in order of first appearance.
    public List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        guesses.forEach((name, guess) -> {
            PgType type = guess.type();
            fields.add(new Field(name, type.dataType(), true, type.formatName()));
        });
        return fields;
    }
}
