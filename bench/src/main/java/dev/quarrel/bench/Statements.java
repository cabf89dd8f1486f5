package dev.quarrel.bench;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.run.ResultCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Runs SQL in a session of this process, and writes rows as text.
final class Statements {
    private Statements() {}

    /// Runs statements to their last row.
    static void execute(SqlSession session, String sql, Consumer<Batch> rows) {
        for (ParsedStatement statement : session.parse(sql)) {
            PreparedQuery query = session.prepare(statement, List.of());
            try (Execution execution = session.execute(query, List.of(), new Cancellation())) {
                ResultCursor cursor = execution.cursor(); // null where there are no rows to give: SET
                for (Batch next = cursor == null ? null : cursor.next(); next != null; next = cursor.next()) {
                    try (Batch batch = next) {
                        rows.accept(batch);
                    }
                }
            }
            session.endImplicitTransaction();
        }
    }

    /// A batch's rows, a cell a column; NULL is `\N`.
    static void rows(Batch batch, Consumer<List<String>> row) {
        TextBuffer cell = new TextBuffer();
        for (int number = 0; number < batch.rowCount(); number++) {
            List<String> cells = new ArrayList<>();
            for (Column column : batch.columns()) {
                cells.add(text(column, number, cell));
            }
            row.accept(cells);
        }
    }

    private static String text(Column column, int row, TextBuffer cell) {
        cell.clear();
        if (!column.validity().isPresent(row)) {
            return "\\N";
        }
        PgText.append(column, row, cell);
        return cell.toString();
    }
}
