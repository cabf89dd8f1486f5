package dev.quarrel.calcite.parse;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.util.Litmus;

/// A type name as written: `numeric(15, 2)`, `timestamp(3) with time zone`, `pg_catalog.text[]`.
public final class PostgresTypeName extends SqlTypeNameSpec {
    private final List<SqlNode> modifiers;
    private final Boolean withTimeZone;
    private final int dimensions;

    /// @param withTimeZone null where neither WITH nor WITHOUT TIME ZONE is written
    /// @param dimensions of an array; 0 for a scalar
    public PostgresTypeName(
            SqlIdentifier name, List<SqlNode> modifiers, Boolean withTimeZone, int dimensions, SqlParserPos pos) {
        super(name, pos);
        this.modifiers = List.copyOf(modifiers);
        this.withTimeZone = withTimeZone;
        this.dimensions = dimensions;
    }

    /// The name without its schema: lower case unless it was quoted; several words are joined by one blank.
    public String name() {
        SqlIdentifier name = getTypeName();
        return name.names.get(name.names.size() - 1);
    }

    /// Whether the name stands in quotes: `"char"` is another type than `char`.
    public boolean isQuoted() {
        SqlIdentifier name = getTypeName();
        return name.isComponentQuoted(name.names.size() - 1);
    }

    /// The schema that is written before the name, or null.
    public String schema() {
        SqlIdentifier name = getTypeName();
        return name.names.size() > 1 ? name.names.get(name.names.size() - 2) : null;
    }

    public List<SqlNode> modifiers() {
        return modifiers;
    }

    public Boolean withTimeZone() {
        return withTimeZone;
    }

    public int dimensions() {
        return dimensions;
    }

    @Override
    public RelDataType deriveType(SqlValidator validator) {
        throw new UnsupportedOperationException("the analyzer resolves type names: " + this);
    }

    @Override
    public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
        writer.literal(toString());
    }

    @Override
    public boolean equalsDeep(SqlTypeNameSpec spec, Litmus litmus) {
        return spec instanceof PostgresTypeName other && toString().equals(other.toString())
                ? litmus.succeed()
                : litmus.fail("{} != {}", this, spec);
    }

    @Override
    public String toString() {
        return getTypeName().toString()
                + (modifiers.isEmpty()
                        ? ""
                        : modifiers.stream().map(SqlNode::toString).collect(Collectors.joining(",", "(", ")")))
                + (withTimeZone == null ? "" : withTimeZone ? " with time zone" : " without time zone")
                + "[]".repeat(dimensions);
    }
}
