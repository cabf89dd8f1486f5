package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.EnumSet;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;

/// Refuses what goes by a collation other than "C" in statements that Calcite's own front end has analysed, which knows
/// none: ordering texts of such columns, comparing them, and changing their case.
final class CollationCheck {
    private static final Set<SqlKind> BY_COLLATION = EnumSet.of(
            SqlKind.LESS_THAN,
            SqlKind.LESS_THAN_OR_EQUAL,
            SqlKind.GREATER_THAN,
            SqlKind.GREATER_THAN_OR_EQUAL,
            SqlKind.BETWEEN,
            SqlKind.SEARCH,
            SqlKind.LIKE,
            SqlKind.RLIKE,
            SqlKind.SIMILAR,
            SqlKind.POSIX_REGEX_CASE_SENSITIVE,
            SqlKind.POSIX_REGEX_CASE_INSENSITIVE,
            SqlKind.GREATEST,
            SqlKind.LEAST,
            SqlKind.OTHER_FUNCTION);

    private CollationCheck() {}

    /// - Errors: 0A000 naming the column's collation.
    static void require(RelNode root) {
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                check(rel);
                rel.accept(new RexShuttle() {
                    @Override
                    public RexNode visitCall(RexCall call) {
                        if (BY_COLLATION.contains(call.getKind())) {
                            call.getOperands().forEach(operand -> requireBytes(rel, operand));
                        }
                        return super.visitCall(call);
                    }

                    @Override
                    public RexNode visitOver(RexOver over) {
                        for (RexFieldCollation key : over.getWindow().orderKeys) {
                            requireBytes(rel, key.left);
                        }
                        if (isExtreme(over.getAggOperator().getKind())) {
                            over.getOperands().forEach(operand -> requireBytes(rel, operand));
                        }
                        return super.visitOver(over);
                    }

                    @Override
                    public RexNode visitSubQuery(RexSubQuery query) {
                        require(query.rel);
                        return super.visitSubQuery(query);
                    }
                });
                return super.visit(rel);
            }
        });
    }

    private static void check(RelNode rel) {
        switch (rel) {
            case Sort sort -> sort.getCollation().getKeys().forEach(key -> requireBytes(sort, key));
            case Aggregate aggregate -> {
                for (AggregateCall call : aggregate.getAggCallList()) {
                    if (isExtreme(call.getAggregation().getKind())) {
                        call.getArgList().forEach(argument -> requireBytes(aggregate.getInput(), argument));
                    }
                    call.getCollation().getKeys().forEach(key -> requireBytes(aggregate.getInput(), key));
                }
            }
            default -> {}
        }
    }

    private static boolean isExtreme(SqlKind kind) {
        return kind == SqlKind.MIN || kind == SqlKind.MAX;
    }

    /// @param rel the node whose expression it is
    private static void requireBytes(RelNode rel, RexNode node) {
        for (int field : RelOptUtil.InputFinder.bits(node)) {
            if (rel instanceof Join join) {
                int left = join.getLeft().getRowType().getFieldCount();
                requireBytes(field < left ? join.getLeft() : join.getRight(), field < left ? field : field - left);
            } else if (!rel.getInputs().isEmpty()) {
                requireBytes(rel.getInput(0), field);
            }
        }
    }

    private static void requireBytes(RelNode rel, int column) {
        Set<RelColumnOrigin> origins = rel.getCluster().getMetadataQuery().getColumnOrigins(rel, column);
        for (RelColumnOrigin origin : origins == null ? Set.<RelColumnOrigin>of() : origins) {
            QuarrelTable table = origin.getOriginTable().unwrap(QuarrelTable.class);
            Collation collation = table == null ? null : table.collation(origin.getOriginColumnOrdinal());
            if (collation != null && !(collation.isByBytes() && collation.isCaseOfAscii())) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: comparing or changing texts of collation \"" + collation.name()
                                + "\" in a statement of Calcite's own driver");
            }
        }
    }
}
