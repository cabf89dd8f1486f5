package dev.quarrel.calcite.schema;

import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/// A catalog snapshot with tables in addition to those of the datasets: the system tables, and the rows that
/// host nodes produced.
///
/// - Memory: closing it runs the action given; the snapshot below is shared.
public final class CatalogView implements CatalogSnapshot {
    private final CatalogSnapshot snapshot;
    private final Map<String, Map<String, Table>> added;
    private final Function<Table, Table> live;
    private final Runnable onClose;

    /// @param live the rows of the moment for a system table that has such, else the table itself
    public CatalogView(
            CatalogSnapshot snapshot,
            List<Table> system,
            List<Table> host,
            Function<Table, Table> live,
            Runnable onClose) {
        this.live = live;
        this.snapshot = snapshot;
        this.added = new HashMap<>();
        for (List<Table> tables : List.of(system, host)) {
            for (Table table : tables) {
                added.computeIfAbsent(table.schemaName(), _ -> new TreeMap<>()).put(table.name(), table);
            }
        }
        this.onClose = onClose;
    }

    @Override
    public long version() {
        return snapshot.version();
    }

    @Override
    public String comment(String schemaName, String tableName, String column) {
        return snapshot.comment(schemaName, tableName, column);
    }

    @Override
    public Collation defaultCollation() {
        return snapshot.defaultCollation();
    }

    @Override
    public List<String> schemaNames() {
        Set<String> names = new LinkedHashSet<>(snapshot.schemaNames());
        added.keySet().stream()
                .filter(name -> !name.equals(PipelineEmitter.HOST_SCHEMA))
                .sorted()
                .forEach(names::add);
        return List.copyOf(names);
    }

    @Override
    public Collection<Table> tables(String schemaName) {
        Map<String, Table> ours = added.get(schemaName);
        if (ours == null) {
            return snapshot.tables(schemaName);
        }
        Map<String, Table> all = new TreeMap<>();
        snapshot.tables(schemaName).forEach(table -> all.put(table.name(), table));
        all.putAll(ours);
        return List.copyOf(all.values());
    }

    @Override
    public Table table(String schemaName, String tableName) {
        Map<String, Table> ours = added.get(schemaName);
        Table table = ours == null ? null : ours.get(tableName);
        return table != null ? live.apply(table) : snapshot.table(schemaName, tableName);
    }

    @Override
    public void close() {
        onClose.run();
    }
}
