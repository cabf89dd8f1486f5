package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.FieldOperator;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.function.RecordRows;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;

/// Refuses operations on values of types that the engine stores only as text, where the text does not determine
/// the result: inet values sort differently from their texts, and two different texts may be the same jsonb.
///
/// Allowed is handing values on (CASE, IS NULL, casts to text, first_value, count, …), and, for types whose values are
/// equal if their texts are, `=`, GROUP BY, DISTINCT and joins.
public final class OtherTypeCheck {
    private OtherTypeCheck() {}

    /// - Errors: 0A000 naming the type.
    public static void require(RelNode root) {
        require(root, true);
    }

    /// As [#require], and refuses casts, too: Calcite's own validator puts some where PostgreSQL does not.
    public static void requireWithoutCasts(RelNode root) {
        require(root, false);
    }

    private static void require(RelNode root, boolean withCasts) {
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                check(rel);
                rel.accept(new Check(withCasts));
                return super.visit(rel);
            }
        });
    }

    private static void check(RelNode rel) {
        switch (rel) {
            case Aggregate aggregate -> {
                List<RelDataTypeField> input = aggregate.getInput().getRowType().getFieldList();
                aggregate
                        .getGroupSet()
                        .forEach(key -> requireGroups(input.get(key).getType(), "GROUP BY"));
                for (AggregateCall call : aggregate.getAggCallList()) {
                    for (int argument : call.getArgList()) {
                        RelDataType type = input.get(argument).getType();
                        boolean isElement = isArrayOf(call.getAggregation()) && isDocument(type);
                        if (!isElement && !isHandedOn(call.getAggregation())) {
                            requireNone(type, call.getAggregation().getName().toLowerCase(java.util.Locale.ROOT));
                        } else if (call.isDistinct()) {
                            requireGroups(type, "DISTINCT");
                        }
                    }
                    call.getCollation()
                            .getKeys()
                            .forEach(key -> requireNone(input.get(key).getType(), "ORDER BY"));
                }
            }
            case Sort sort ->
                sort.getCollation().getKeys().stream()
                        .map(key -> sort.getRowType().getFieldList().get(key).getType())
                        .filter(type -> !DocumentKeys.isDocument(type))
                        .forEach(type -> requireNone(type, "ORDER BY"));
            case SetOp set
            when !set.all ->
                set.getRowType()
                        .getFieldList()
                        .forEach(field -> requireGroups(field.getType(), "comparing the rows of both sides"));
            case SetOp set
            when set.kind != SqlKind.UNION ->
                set.getRowType()
                        .getFieldList()
                        .forEach(field -> requireGroups(field.getType(), "comparing the rows of both sides"));
            default -> {}
        }
    }

    private static boolean isHandedOn(SqlAggFunction function) {
        if (function instanceof AggregateFunction ours && ours.kind() == AggregateKind.ANY_VALUE) {
            return true;
        }
        return switch (function.getKind()) {
            case COUNT, SINGLE_VALUE, ANY_VALUE, FIRST_VALUE, LAST_VALUE, NTH_VALUE, LAG, LEAD -> true;
            default -> false;
        };
    }

    private static boolean isArrayOf(SqlAggFunction function) {
        return function instanceof AggregateFunction ours && ours.kind() == AggregateKind.ARRAY_AGG;
    }

    private static boolean isOther(RelDataType type) {
        PgType pgType = SqlTypes.pgType(type);
        return pgType == PgType.OTHER || pgType.isDocument();
    }

    private static boolean isDocument(RelDataType type) {
        return SqlTypes.pgType(type).isDocument();
    }

    private static void requireNone(RelDataType type, String what) {
        if (isOther(type)) {
            throw unsupported(type, what);
        }
    }

    /// A jsonb groups by bytes that are made of it.
    private static void requireGroups(RelDataType type, String what) {
        if (!DocumentKeys.isDocument(type)) {
            requireEquality(type, what);
        }
    }

    private static void requireEquality(RelDataType type, String what) {
        if (isOther(type)
                && (SqlTypes.other(type) == null || !SqlTypes.other(type).isEqualAsText())) {
            throw unsupported(type, what);
        }
    }

    private static QueryException unsupported(RelDataType type, String what) {
        OtherType other = SqlTypes.other(type);
        String name = isDocument(type) ? SqlTypes.pgType(type).formatName() : other == null ? "unknown" : other.name();
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + what + " of type " + name);
    }

    private static final class Check extends RexShuttle {
        private final boolean withCasts;

        Check(boolean withCasts) {
            this.withCasts = withCasts;
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
            query.getOperands().forEach(operand -> requireNone(operand.getType(), "comparing with a sub-query's rows"));
            OtherTypeCheck.require(query.rel, withCasts);
            return super.visitSubQuery(query);
        }

        @Override
        public RexNode visitOver(RexOver over) {
            for (RexNode key : over.getWindow().partitionKeys) {
                requireGroups(key.getType(), "PARTITION BY");
            }
            for (RexFieldCollation key : over.getWindow().orderKeys) {
                if (!Operators.hasOrderKey(key.left.getType())) {
                    requireNone(key.left.getType(), "ORDER BY");
                }
            }
            for (RexNode operand : over.getOperands()) {
                if (!isHandedOn(over.getAggOperator())) {
                    requireNone(operand.getType(), over.getAggOperator().getName());
                } else if (over.isDistinct()) {
                    requireEquality(operand.getType(), "DISTINCT");
                }
            }
            return super.visitOver(over);
        }

        @Override
        public RexNode visitCall(RexCall call) {
            for (RexNode operand : call.getOperands()) {
                if (isOther(operand.getType())) {
                    requireHandedOn(call, operand.getType());
                }
            }
            return super.visitCall(call);
        }

        /// Functions of documents take documents, and their texts are texts.
        private static boolean isAllowed(RexCall call) {
            return switch (call.getKind()) {
                case IS_NULL, IS_NOT_NULL -> true;
                case CAST -> isDocument(call.getType()) || SqlTypes.dataType(call.getType()) instanceof DataType.Utf8;
                default -> call.getOperator() instanceof CatalogFunction || call.getOperator() instanceof RowsOperator;
            };
        }

        /// Whether it is an element or a slice of an array of composites.
        private static boolean isElement(RexCall call) {
            return call.getOperator() instanceof CatalogFunction function
                    && (function.row().equals(ArrayOperation.get(PgType.TEXT, 1))
                            || function.row().equals(ArrayOperation.slice(PgType.TEXT, 1)));
        }

        private void requireHandedOn(RexCall call, RelDataType type) {
            boolean isKey = call.getOperator() instanceof CatalogFunction function
                    && (SqlTypes.isKeyedRow(type) || function.row().equals(RecordRows.FIELD));
            if (isKey || isDocument(type) && isAllowed(call)) {
                return;
            }
            boolean isOfText = call.getOperator() instanceof RowsOperator rows
                    && rows.row().result() == PgType.TEXT;
            if (call.getOperator() instanceof FieldOperator || isOfText || isElement(call)) {
                return;
            }
            switch (call.getKind()) {
                case CASE, COALESCE -> {}
                case IS_NULL, IS_NOT_NULL -> {
                    // A row of NULLs is NULL, too.
                    if (SqlTypes.other(type) == null || SqlTypes.other(type).isRow()) {
                        throw unsupported(type, call.getOperator().getName());
                    }
                }
                case CAST -> {
                    boolean isText = SqlTypes.dataType(call.getType()) instanceof DataType.Utf8
                            && !isOther(call.getType())
                            && !SqlTypes.isArray(call.getType())
                            && SqlTypes.other(type) != null
                            && SqlTypes.other(type).isCastAsHeld();
                    boolean isSame =
                            SqlTypes.other(type) != null && SqlTypes.other(type).isSame(SqlTypes.other(call.getType()));
                    if (!isSame && !(isText && withCasts)) {
                        throw unsupported(type, "a cast");
                    }
                }
                case EQUALS, NOT_EQUALS, IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM, SEARCH -> {
                    requireEquality(type, "comparing values");
                    OtherType one = SqlTypes.other(type);
                    for (RexNode operand : call.getOperands()) {
                        OtherType two = SqlTypes.other(operand.getType());
                        if (call.getKind() != SqlKind.SEARCH && !one.equals(two)) {
                            throw unsupported(type, "comparing values");
                        }
                    }
                }
                default -> throw unsupported(type, call.getOperator().getName());
            }
        }
    }
}
