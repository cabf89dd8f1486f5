package dev.quarrel.export;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Rows as text, one string a row, from Arrow files and from PostgreSQL: to be compared.
final class Rows {
    private Rows() {}

    /// All rows of a dataset's table, sorted.
    static List<String> ofTable(Path root, String schema, String table) {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return texts(snapshot.table(schema, table));
        }
    }

    /// All rows of one file, sorted.
    static List<String> ofFile(Path file) {
        try (ArrowTable table = ArrowTable.of("public", "t", List.of(ArrowFile.open(file)))) {
            return texts(table);
        }
    }

    private static List<String> texts(Table table) {
        if (table.fault() != null) {
            throw table.fault();
        }
        int[] columns = IntStream.range(0, table.shownSchema().size()).toArray();
        List<String> rows = new ArrayList<>();
        TextBuffer text = new TextBuffer();
        for (int index = 0; index < table.batchCount(); index++) {
            try (Batch batch = table.read(index, columns)) {
                for (int row = 0; row < batch.rowCount(); row++) {
                    text.clear();
                    for (int column : columns) {
                        text.append(column == 0 ? "" : "|");
                        if (batch.column(column).validity().isPresent(row)) {
                            PgText.append(batch.column(column), row, text);
                        } else {
                            text.append("∅");
                        }
                    }
                    rows.add(text.toString());
                }
            }
        }
        rows.sort(null);
        return rows;
    }

    /// All rows of a table in PostgreSQL, as the types' output functions print them, sorted in the same way.
    static List<String> ofPostgres(String relation, List<String> columns) throws SQLException {
        // %s of format() calls the output function; a cast to text would cut the blanks of char(n).
        String row = columns.stream()
                .map(column -> "CASE WHEN " + column + " IS NULL THEN '∅' ELSE format('%s', " + column + ") END")
                .collect(Collectors.joining(" || '|' || "));
        try (Connection connection = TestPostgres.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'UTC'");
            try (ResultSet result = statement.executeQuery("SELECT " + row + " FROM " + relation)) {
                List<String> rows = new ArrayList<>();
                while (result.next()) {
                    rows.add(result.getString(1));
                }
                rows.sort(null);
                return rows;
            }
        }
    }
}
