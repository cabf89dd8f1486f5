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
        Relations.Taker taker = relations.taker(insert).first(valueCount);
        taker.requireFlat();
        StagedTable staged = relations.changes().stage(taker.place().schema());
        try (QueryExecution execution = rows.get()) {
            long count = new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation)
                    .write(execution.cursor(), _ -> taker.columns(), null);
            if (count > 0) {
                CopyInto.requireOthers(taker);
                relations.changes().append(taker.place().schema(), taker.place().name(), staged, "SQL");
            }
            return "INSERT 0 " + count;
        } catch (QueryException wrong) {
            throw wrong.state() == SqlState.NOT_NULL_VIOLATION ? CopyInto.ofRelation(wrong, taker) : wrong;
        }
    }
}
