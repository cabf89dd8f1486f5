package dev.quarrel.calcite.schema;

import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.table.ElementFields;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.Field;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.impl.AbstractTable;

/// What is known of lists of structs that are in elements of others: there are no rows to scan by them, but their texts
/// have these fields.
public final class ElementShape extends AbstractTable implements DeclaredTable {
    private final ElementFields fields;

    ElementShape(ElementFields fields) {
        this.fields = fields;
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
        ElementFields elements = fields.lists().get(column);
        return elements == null ? null : new ElementShape(elements);
    }

    @Override
    public int hiddenColumns() {
        return 0;
    }
}
