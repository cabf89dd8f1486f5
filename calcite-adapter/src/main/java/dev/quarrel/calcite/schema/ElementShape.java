package dev.quarrel.calcite.schema;

import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.table.ElementFields;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.Field;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.impl.AbstractTable;

/// What is known of lists of structs: the fields of their elements, and of those of lists among these.
public final class ElementShape extends AbstractTable implements DeclaredTable {
    private final ElementFields fields;
    private final Table rows; // null where there are none to scan by these elements, but their texts alone

    private ElementShape(ElementFields fields, Table rows) {
        this.fields = fields;
        this.rows = rows;
    }

    /// Null where a table's column has no such lists.
    static ElementShape of(Table table, String column) {
        ElementFields fields = table.elementFields(column);
        return fields == null ? null : new ElementShape(fields, table.elements(column, false));
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory typeFactory) {
        RelDataTypeFactory.Builder row = typeFactory.builder();
        for (Field field : fields.fields()) {
            row.add(field.name(), SqlTypes.relType(typeFactory, field));
        }
        return row.build();
    }

    @Override
    public int typmod(int column) {
        return QuarrelTable.typmod(fields.fields().get(column));
    }

    @Override
    public Collation collation(int column) {
        return fields.fields().get(column).collation();
    }

    @Override
    public Collation collation(String name) {
        return null;
    }

    @Override
    public List<String> primaryKey() {
        return List.of();
    }

    @Override
    public DeclaredTable elements(String column) {
        if (rows != null) {
            return of(rows, column);
        }
        ElementFields elements = fields.lists().get(column);
        return elements == null ? null : new ElementShape(elements, null);
    }

    @Override
    public boolean isScanned() {
        return rows != null;
    }

    @Override
    public int hiddenColumns() {
        return 0;
    }
}
