package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.host.HostCells;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/// Runs statements in a session and writes down what comes back.
final class Answers {
    private Answers() {}

    /// A line a row, values between bars; an error is one line.
    static List<String> of(SqlSession session, String sql, Literal... parameters) {
        List<String> lines = new ArrayList<>();
        try {
            for (ParsedStatement statement : session.parse(sql)) {
                PreparedQuery query = session.prepare(statement, List.of());
                try (Execution execution = session.execute(query, List.of(parameters), new Cancellation())) {
                    read(execution, lines);
                }
            }
        } catch (QueryException error) {
            session.failTransaction();
            lines.add("ERROR " + error.state().code() + " " + error.getMessage());
        }
        session.endImplicitTransaction();
        return lines;
    }

    static void read(Execution execution, List<String> lines) {
        if (execution.cursor() == null) {
            lines.add(execution.commandTag(0));
            return;
        }
        for (Batch batch = execution.cursor().next();
                batch != null;
                batch = execution.cursor().next()) {
            try (Batch owned = batch) {
                for (int row = 0; row < owned.rowCount(); row++) {
                    lines.add(line(owned, row));
                }
            }
        }
    }

    private static String line(Batch batch, int row) {
        List<String> cells = new ArrayList<>();
        for (Column column : batch.columns()) {
            Object value = HostCells.read(column, row);
            cells.add(
                    value != null && column.type() instanceof DataType.Date
                            ? LocalDate.ofEpochDay((Long) value).toString()
                            : String.valueOf(value));
        }
        return String.join("|", cells);
    }
}
