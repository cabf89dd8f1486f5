package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.SessionTable;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.table.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/// The rows that system tables have for one run: each is made once, when it is first asked for.
///
/// Threads share it: a plan's pipelines are started one after another, but may ask for a table at any time.
final class LiveRows implements UnaryOperator<Table> {
    private final SqlSession session;
    private final Map<String, Table> made = new HashMap<>();

    LiveRows(SqlSession session) {
        this.session = session;
    }

    @Override
    public synchronized Table apply(Table table) {
        return table instanceof SessionTable live
                ? made.computeIfAbsent(table.schemaName() + "." + table.name(), _ -> live.rows(session))
                : table;
    }
}
