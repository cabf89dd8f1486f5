package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.core.table.CatalogSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.calcite.schema.Schema;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

/// One schema of a dataset, for Calcite; the root schema contains the others.
final class DatasetSchema extends AbstractSchema {
    private final EngineConvention convention;
    private final Engine engine;
    private final String name;

    DatasetSchema(Engine engine, String name) {
        this(new EngineConvention(engine), name);
    }

    private DatasetSchema(EngineConvention convention, String name) {
        this.convention = convention;
        this.engine = convention.engine();
        this.name = name;
        QuarrelProgram.install();
    }

    @Override
    protected Map<String, Table> getTableMap() {
        Map<String, Table> tables = new LinkedHashMap<>();
        try (CatalogSnapshot snapshot = engine.catalog().snapshot()) {
            snapshot.tables(name).stream()
                    .filter(table -> table.view() == null) // an application's own planner expands its own
                    .forEach(table -> tables.put(table.name(), new QuarrelTable(table, engine, convention)));
        }
        return tables;
    }

    @Override
    protected Map<String, Schema> getSubSchemaMap() {
        Map<String, Schema> schemas = new LinkedHashMap<>();
        if (name.equals("public")) {
            try (CatalogSnapshot snapshot = engine.catalog().snapshot()) {
                snapshot.schemaNames().stream()
                        .filter(other -> !other.equals(name))
                        .forEach(other -> schemas.put(other, new DatasetSchema(convention, other)));
            }
        }
        return schemas;
    }
}
