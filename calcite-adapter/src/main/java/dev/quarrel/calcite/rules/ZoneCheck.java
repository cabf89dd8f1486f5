package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.type.SqlTypeName;

/// Refuses expressions that depend on the session's time zone, since programs know only UTC. Comparing, sorting
/// and returning timestamps with time zone do not depend on it.
public final class ZoneCheck {
    private ZoneCheck() {}

    /// - Errors: 0A000.
    public static void require(RelNode root) {
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                rel.accept(new Check());
                if (rel instanceof QuarrelFunctions functions
                        && functions.calls().stream()
                                .anyMatch(call -> call.function() != null
                                        && call.function().isZoned())) {
                    throw refusal();
                }
                return super.visit(rel);
            }
        });
    }

    private static QueryException refusal() {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: an operation that depends on the time zone, where that is not UTC")
                .withHint("SET TIME ZONE 'UTC'");
    }

    private static final class Check extends RexShuttle {
        @Override
        public RexNode visitCall(RexCall call) {
            boolean takesZoned = call.getOperands().stream().anyMatch(Check::isZoned);
            boolean depends =
                    switch (call.getKind()) {
                        case CAST -> takesZoned != isZoned(call);
                        case EXTRACT -> takesZoned;
                        default ->
                            switch (call.getOperator()) {
                                case CatalogFunction function -> function.row().isZoned();
                                default -> isZonedName(call, takesZoned);
                            };
                    };
            if (depends) {
                throw refusal();
            }
            return super.visitCall(call);
        }

        private static boolean isZonedName(RexCall call, boolean takesZoned) {
            return switch (call.getOperator().getName()) {
                case "DATE_TRUNC", "add_timestamp_interval", "sub_timestamp_interval", "age_timestamp" -> takesZoned;
                case "CURRENT_DATE" -> true;
                default -> false;
            };
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
            require(query.rel);
            return super.visitSubQuery(query);
        }

        private static boolean isZoned(RexNode node) {
            return node.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
        }
    }
}
