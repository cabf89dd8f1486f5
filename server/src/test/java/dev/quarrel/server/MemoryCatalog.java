package dev.quarrel.server;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A catalog of tables made by hand.
public final class MemoryCatalog implements Catalog {
    private final Arena arena = Arena.ofShared();
    private final Map<String, Map<String, Table>> schemas = new TreeMap<>(Map.of("public", new TreeMap<>()));

    /// @param columns `name type`, or `name type not null`
    /// @param rows values as PostgreSQL's text, null for NULL
    public MemoryCatalog with(String schemaName, String name, List<String> columns, String[]... rows) {
        List<Field> fields = new ArrayList<>();
        List<ColumnWriter> writers = new ArrayList<>();
        List<PgType.Declared> types = new ArrayList<>();
        for (String column : columns) {
            int blank = column.indexOf(' ');
            boolean notNull = column.endsWith(" not null");
            PgType.Declared type =
                    PgType.parse(column.substring(blank + 1, column.length() - (notNull ? " not null".length() : 0)));
            types.add(type);
            fields.add(new Field(column.substring(0, blank), type.dataType(), !notNull, type.text()));
            writers.add(new ColumnWriter(type.dataType(), Allocator.of(arena)));
        }
        for (String[] row : rows) {
            for (int index = 0; index < row.length; index++) {
                Literal value = row[index] == null
                        ? Literal.ofNull(types.get(index).dataType())
                        : PgParse.literal(row[index], types.get(index));
                Values.append(value, writers.get(index));
            }
        }
        Schema schema = new Schema(fields);
        List<Batch> batches = rows.length == 0
                ? List.of()
                : List.of(Batch.view(schema, ColumnWriter.finishAll(writers), rows.length));
        schemas.computeIfAbsent(schemaName, _ -> new TreeMap<>())
                .put(name, new MemoryTable(schemaName, name, schema, batches));
        return this;
    }

    @Override
    public CatalogSnapshot snapshot() {
        return new FixedSnapshot(schemas.values().stream()
                .flatMap(tables -> tables.values().stream())
                .toList());
    }

    @Override
    public void close() {
        arena.close();
    }
}
