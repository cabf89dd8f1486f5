package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;

/// The enums that the columns of the catalog's tables have, by their names.
///
/// The tables are asked when a statement names a type that PostgreSQL does not have.
public final class EnumTypes {
    private final CalciteSchema root;
    private final List<String> searchPath;
    private final RelDataTypeFactory factory;
    private List<OtherType> types;

    /// @param searchPath the schemas in which a name without one is looked up
    public EnumTypes(CalciteSchema root, List<String> searchPath, RelDataTypeFactory factory) {
        this.root = root;
        this.searchPath = searchPath;
        this.factory = factory;
    }

    /// The enum of that name; null where no column has one.
    ///
    /// @param schema null for those of the search path; of a type that the files name without one, it is public
    public OtherType find(String schema, String name) {
        return types().stream()
                .filter(type -> type.isEnum() && type.simpleName().equals(name))
                .filter(type -> schema == null
                        ? type.schemaName() == null || searchPath.contains(type.schemaName())
                        : schema.equals(Objects.requireNonNullElse(type.schemaName(), "public")))
                .findFirst()
                .orElse(null);
    }

    boolean hasSchema(String name) {
        return root.getSubSchema(name, true) != null;
    }

    /// The type of an enum's arrays; null where no column has it.
    OtherType arrayOf(OtherType type) {
        return types().stream()
                .filter(each -> each.name().equals(type.name() + "[]"))
                .findFirst()
                .orElse(null);
    }

    private List<OtherType> types() {
        if (types == null) {
            types = new ArrayList<>();
            root.getSubSchemaMap().values().forEach(this::addAll);
        }
        return types;
    }

    private void addAll(CalciteSchema schema) {
        for (String name : schema.getTableNames()) {
            RelDataType row;
            try {
                row = schema.getTable(name, true).getTable().getRowType(factory);
            } catch (QueryException _) {
                continue; // A table that cannot be read has no types.
            }
            for (RelDataTypeField field : row.getFieldList()) {
                OtherType other = SqlTypes.other(field.getType());
                if (other != null && !types.contains(other)) {
                    types.add(other);
                }
            }
        }
    }
}
