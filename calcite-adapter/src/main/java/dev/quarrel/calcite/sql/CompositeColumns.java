package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.core.pg.FieldPath;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/// Fields of a table's composite columns, `(v).a`, `(t.v).a.b` and `(v).*`: each is a column of the table that only
/// its path leads to, so that nothing else of the composite is read.
final class CompositeColumns {
    private final Columns columns;
    private final Scope scope;

    CompositeColumns(Columns columns, Scope scope) {
        this.columns = columns;
        this.scope = scope;
    }

    /// A composite column, or a field of one.
    ///
    /// @param parts its fields, in their order
    private record Composite(Columns.Place place, FieldPath path, List<Part> parts) {}

    private record Part(FieldPath path, Visible column) {}

    /// The fields of a composite column; null for what is none.
    Expr.Row row(SqlNode value) {
        Composite composite = find(value);
        if (composite == null) {
            return null;
        }
        int at = Positions.start(value);
        List<Expr> items = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Part part : composite.parts()) {
            names.add(part.path().lastField());
            items.add(columns.reference(composite.place(), part.column(), at));
        }
        return new Expr.Row(items, names, names, columns.type(value, scope), false, false, at);
    }

    /// Null for a value that is no composite column, or has no fields that are known.
    private Composite find(SqlNode value) {
        if (value instanceof SqlIdentifier name && !name.isStar()) {
            Columns.Place place = columns.place(name, scope);
            FieldPath path = place == null ? null : new FieldPath(place.tableColumn());
            return path == null ? null : composite(place, path);
        }
        if (value instanceof SqlCall call
                && call.getKind() == SqlKind.DOT
                && call.operand(1) instanceof SqlIdentifier field
                && field.isSimple()) {
            Composite around = find(call.operand(0));
            return around == null
                    ? null
                    : composite(around.place(), around.path().child(field.getSimple()));
        }
        return null;
    }

    private static Composite composite(Columns.Place place, FieldPath path) {
        List<Part> parts = new ArrayList<>();
        for (Visible hidden : place.entry().hidden()) {
            FieldPath own = FieldPath.parse(hidden.name());
            if (own != null && own.isChildOf(path)) {
                parts.add(new Part(own, hidden));
            }
        }
        return parts.isEmpty() ? null : new Composite(place, path, parts);
    }
}
