package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.JsonTable;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.Locale;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlTrimFunction;

/// The names that PostgreSQL gives to result columns.
///
/// - Source: PostgreSQL's FigureColname in `parse_target.c`.
final class ColumnNames {
    static final String NONE = "?column?";

    private ColumnNames() {}

    static String of(SqlNode node) {
        Name name = name(node);
        return name == null ? NONE : name.text();
    }

    /// @param strong whether a cast around it leaves the name as it is
    private record Name(String text, boolean strong) {}

    private static Name name(SqlNode node) {
        return switch (node) {
            case SqlIdentifier identifier -> new Name(identifier.names.get(identifier.names.size() - 1), true);
            case SqlCase choice -> {
                Name otherwise = choice.getElseOperand() == null ? null : name(choice.getElseOperand());
                yield otherwise != null && otherwise.strong() ? otherwise : new Name("case", false);
            }
            case SqlSelect select -> query(select);
            case SqlOrderBy order -> name(order.query);
            case SqlWith with -> name(with.body);
            case JsonTable _ -> new Name(JsonTable.NAME, true);
            case JsonExpression json -> new Name(json.kind().word(), true);
            case SqlCall call -> call(call);
            default -> null;
        };
    }

    private static Name query(SqlSelect select) {
        if (select.getSelectList().size() != 1) {
            return null;
        }
        SqlNode item = select.getSelectList().get(0);
        if (item.getKind() == SqlKind.AS) {
            return new Name(((SqlIdentifier) ((SqlCall) item).operand(1)).getSimple(), true);
        }
        Name name = name(item);
        return new Name(name == null ? NONE : name.text(), true);
    }

    private static Name call(SqlCall call) {
        if (call.getOperator() == PostgresOperators.TYPED_LITERAL) {
            return new Name(typeName(call.operand(0)), false);
        }
        if (call.getOperator() == PostgresOperators.AT_TIME_ZONE) {
            return new Name("timezone", true);
        }
        if (call.getOperator() == PostgresOperators.COLLATE) {
            return name(call.operand(0));
        }
        return switch (call.getKind()) {
            case CAST -> {
                Name inner = name(call.operand(0));
                yield inner != null && inner.strong() ? inner : new Name(typeName(call.operand(1)), false);
            }
            case OVER, FILTER, WITHIN_GROUP, ITEM -> name(call.operand(0));
            case EXISTS -> new Name("exists", true);
            case UNION, INTERSECT, EXCEPT -> name(call.operand(0));
            case VALUES -> new Name("column1", true);
            case ROW -> new Name("row", true);
            case DOT -> name(call.operand(1));
            case OVERLAPS -> new Name("overlaps", true);
            case ARRAY_VALUE_CONSTRUCTOR, ARRAY_QUERY_CONSTRUCTOR -> new Name("array", true);
            case TRIM ->
                new Name(
                        switch (((SqlLiteral) call.operand(0)).getValueAs(SqlTrimFunction.Flag.class)) {
                            case BOTH -> "btrim";
                            case LEADING -> "ltrim";
                            case TRAILING -> "rtrim";
                        },
                        true);
            case EXTRACT, POSITION -> new Name(call.getOperator().getName().toLowerCase(Locale.ROOT), true);
            default -> {
                if (call instanceof SqlBasicCall && call.getOperator() instanceof SqlUnresolvedFunction function) {
                    SqlIdentifier identifier = function.getSqlIdentifier();
                    yield new Name(identifier.names.get(identifier.names.size() - 1), true);
                }
                String operator = call.getOperator().getName();
                if (operator.equals(PostgresOperators.IS_NORMALIZED)) {
                    yield new Name("is_normalized", true);
                }
                yield operator.equals("SUBSTRING") || operator.equals("OVERLAY")
                        ? new Name(operator.toLowerCase(Locale.ROOT), true)
                        : null;
            }
        };
    }

    /// The name in `pg_type` that a written type means.
    private static String typeName(SqlDataTypeSpec spec) {
        PostgresTypeName written = (PostgresTypeName) spec.getTypeNameSpec();
        String name = written.name();
        if (name.equals("timestamp") && Boolean.TRUE.equals(written.withTimeZone())) {
            return "timestamptz";
        }
        if (name.equals("time") && Boolean.TRUE.equals(written.withTimeZone())) {
            return "timetz";
        }
        if (written.isQuoted()) {
            return name;
        }
        SqlType type = name.equals("float") ? SqlType.FLOAT8 : SqlType.byName(name);
        return type == null || type.pgType() == null ? name : type.pgType().typeName();
    }
}
