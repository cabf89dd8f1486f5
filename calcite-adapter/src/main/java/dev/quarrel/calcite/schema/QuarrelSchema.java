package dev.quarrel.calcite.schema;

import dev.quarrel.core.table.CatalogSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

/// One schema of a catalog snapshot, as Calcite sees it.
public final class QuarrelSchema extends AbstractSchema {
    private final Map<String, Table> tables = new LinkedHashMap<>();

    public QuarrelSchema(CatalogSnapshot snapshot, String name) {
        snapshot.tables(name).forEach(table -> tables.put(table.name(), new QuarrelTable(table)));
    }

    @Override
    protected Map<String, Table> getTableMap() {
        return tables;
    }

    /// All schemas of a snapshot under one root; names are case-sensitive.
    public static CalciteSchema root(CatalogSnapshot snapshot) {
        CalciteSchema root = CalciteSchema.createRootSchema(false, false);
        for (String name : snapshot.schemaNames()) {
            root.add(name, new QuarrelSchema(snapshot, name));
        }
        return root;
    }
}
