package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.function.Supplier;

/// Deletes rows of a table, and changes some: those that stay are written anew, and those that became of others.
///
/// - Errors: PostgreSQL's of such statements; 40001 where somebody else has changed the table meanwhile; 0A000 for a
///   table whose columns hold structs, or that takes in events.
final class RowChanges {
    private final Relations relations;
    private final Cancellation cancellation;

    RowChanges(Relations relations, Cancellation cancellation) {
        this.relations = relations;
        this.cancellation = cancellation;
    }

    /// The table as its rows are read.
    ///
    /// @param files those that it has
    record Read(Relations.Taker taker, List<String> files, long rowCount) {}

    /// @param verb `delete from` or `update`
    /// @param seen the catalog that the statement's queries read
    Read read(List<String> name, String verb, CatalogSnapshot seen) {
        Relations.Taker taker = relations.taker(name, List.of(), verb);
        Table table = seen.table(taker.place().schema(), taker.place().name());
        if (!(table instanceof ArrowTable stored)) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot " + verb + " table \"" + taker.place().name() + "\", which takes in events");
        }
        if (!taker.structs().isEmpty()) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot " + verb + " table \"" + taker.place().name() + "\", which has columns of structs");
        }
        return new Read(taker, stored.paths(), stored.stats().rowCount());
    }

    /// DELETE.
    ///
    /// @param kept starts the query of the rows that stay; null where none does
    String delete(Read read, Supplier<QueryExecution> kept) {
        StagedTable staged = relations.changes().stage(read.taker().place().schema());
        long left = write(staged, read, kept, true);
        if (left < read.rowCount()) {
            replace(read, staged);
        }
        return "DELETE " + (read.rowCount() - left);
    }

    /// UPDATE.
    ///
    /// @param kept starts the query of the rows that stay as they are; null where none does
    /// @param changed starts that of what the others become
    String update(Statement.Update update, Read read, Supplier<QueryExecution> kept, Supplier<QueryExecution> changed) {
        StagedTable staged = relations.changes().stage(read.taker().place().schema());
        long made = write(staged, read, changed, false);
        if (made == 0) {
            return "UPDATE 0";
        }
        long left = kept == null ? 0 : write(staged, read, kept, false);
        if (left + made != read.rowCount()) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "UPDATE of a row more than once, or by a condition that is another each time, is not"
                                    + " supported")
                    .withDetail("Of " + read.rowCount() + " rows " + left + " stay as they are, and " + made
                            + " come of the others.");
        }
        replace(read, staged);
        return update.commandTag() + " " + made;
    }

    private void replace(Read read, StagedTable staged) {
        Relations.Place place = read.taker().place();
        relations.changes().replaceRows(place.schema(), place.name(), read.files(), staged);
    }

    /// @param rows null for none
    /// @param isWhole whether there must be a file, though there is no row
    private long write(StagedTable staged, Read read, Supplier<QueryExecution> rows, boolean isWhole) {
        if (rows == null) {
            return new RowWriting(staged, 1, true, cancellation)
                    .empty(read.taker().all());
        }
        try (QueryExecution execution = rows.get()) {
            return new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation)
                    .write(
                            execution.cursor(),
                            _ -> read.taker().all(),
                            isWhole ? read.taker().all() : null);
        } catch (QueryException wrong) {
            throw wrong.state() == SqlState.NOT_NULL_VIOLATION ? CopyInto.ofRelation(wrong, read.taker()) : wrong;
        }
    }
}
