package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Aggregates;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;

/// Refuses expressions to which Calcite's own validator gave a type different from PostgreSQL's, since their
/// results would differ.
///
/// For statements that come through Calcite's JDBC driver; those of a `SqlSession` have PostgreSQL's types anyway.
public final class RexChecker {
    private static final String HINT =
            "Connect with typeSystem=dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE, or use the engine's own sessions.";

    private RexChecker() {}

    /// - Errors: 0A000 naming the operator.
    public static void require(RelNode root) {
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                rel.accept(new Check());
                if (rel instanceof Aggregate aggregate) {
                    aggregate.getAggCallList().forEach(call -> require(call, aggregate.getInput()));
                }
                return super.visit(rel);
            }
        });
    }

    private static void require(AggregateCall call, RelNode input) {
        DataType ours = Aggregates.resultType(call, input.getRowType());
        if (ours != null && !ours.equals(SqlTypes.dataType(call.getType()))) {
            throw differs(call.getAggregation().getName() + " giving " + call.getType());
        }
    }

    private static QueryException differs(String what) {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + what + ", which PostgreSQL types otherwise")
                .withHint(HINT);
    }

    private static final class Check extends RexShuttle {
        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
            require(query.rel);
            return super.visitSubQuery(query);
        }

        @Override
        public RexNode visitCall(RexCall call) {
            boolean isRight =
                    switch (call.getKind()) {
                        case PLUS, MINUS, TIMES, DIVIDE, MOD -> isArithmeticRight(call);
                        case CASE, CAST -> !isCutOrFilled(call);
                        default -> true;
                    };
            if (!isRight) {
                throw differs(call.getOperator().getName() + " giving " + call.getType());
            }
            return super.visitCall(call);
        }

        private static boolean isArithmeticRight(RexCall call) {
            List<RexNode> operands = call.getOperands();
            if (operands.size() != 2) {
                return true;
            }
            DataType left = SqlTypes.dataType(operands.get(0).getType());
            DataType right = SqlTypes.dataType(operands.get(1).getType());
            DataType result = SqlTypes.dataType(call.getType());
            if (left instanceof DataType.Decimal || right instanceof DataType.Decimal) {
                return isDecimalRight(call, left, right, result);
            }
            boolean isInteger = width(left) > 0 && width(right) > 0;
            return !isInteger || width(result) == Math.max(width(left), width(right));
        }

        private static boolean isDecimalRight(RexCall call, DataType left, DataType right, DataType result) {
            if (!(result instanceof DataType.Decimal(int _, int scale))) {
                return true;
            }
            int one = scale(left);
            int other = scale(right);
            return switch (call.getKind()) {
                case TIMES -> scale == one + other;
                case DIVIDE -> false;
                default -> scale == Math.max(one, other);
            };
        }

        private static int scale(DataType type) {
            return type instanceof DataType.Decimal(int _, int scale) ? scale : 0;
        }

        private static int width(DataType type) {
            return switch (type) {
                case DataType.Int16 _ -> 2;
                case DataType.Int32 _ -> 4;
                case DataType.Int64 _ -> 8;
                default -> 0;
            };
        }

        /// Calcite makes texts of different lengths one CHAR(n), filled up with blanks.
        private static boolean isCutOrFilled(RexCall call) {
            RelDataType type = call.getType();
            return SqlTypes.pgType(type) == PgType.BPCHAR
                    && call.getOperands().stream()
                            .filter(operand -> SqlTypes.dataType(operand.getType()) instanceof DataType.Utf8)
                            .anyMatch(operand -> operand.getType().getPrecision() != type.getPrecision());
        }
    }
}
