package dev.quarrel.calcite;

import dev.quarrel.core.table.Table;

/// A system table whose rows are those of the moment, or of the session that asks. A plan is made for the rows that the
/// table itself has, which are as many as are likely, and never none; each run reads rows that are made for it.
public interface SessionTable extends Table {
    /// The rows for one run, of the same schema.
    Table rows(SqlSession session);
}
