package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.function.Supplier;

/// Adds a query's rows to a table, as one run: all of them or none.
final class RowsInto {
    private final Relations relations;
    private final Cancellation cancellation;

    RowsInto(Relations relations, Cancellation cancellation) {
        this.relations = relations;
        this.cancellation = cancellation;
    }

    /// INSERT.
    ///
    /// @param valueCount of each row
    /// @param rows starts the query
    String insert(Statement.Insert insert, int valueCount, Supplier<QueryExecution> rows) {
        Relations.Taker taker =
                relations.taker(insert.name(), insert.columns(), "insert into").first(valueCount);
        taker.requireFlat();
        try (StagedTable staged = StagedTable.begin(relations.dataset().root())) {
            long count;
            try (QueryExecution execution = rows.get()) {
                count = new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation)
                        .write(execution.cursor(), _ -> taker.columns(), null);
            }
            if (count > 0) {
                CopyInto.requireOthers(taker);
                CopyInto.append(staged, taker, "SQL", cancellation);
            }
            return "INSERT 0 " + count;
        } catch (QueryException wrong) {
            throw wrong.state() == SqlState.NOT_NULL_VIOLATION ? CopyInto.ofRelation(wrong, taker) : wrong;
        }
    }
}
