package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.LocalAggregate;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/// Translates Calcite's aggregate functions to the engine's own.
public final class Aggregates {
    private Aggregates() {}

    /// Why no device computes the aggregate, or null.
    ///
    /// @param input the row type that its arguments are columns of
    public static String obstacle(AggregateCall call, RelDataType input) {
        if (call.getAggregation().getKind() == SqlKind.LITERAL_AGG) {
            return null;
        }
        String name = call.getAggregation().getName().toLowerCase(Locale.ROOT);
        AggregateKind kind = kindOrNull(call);
        if (kind == null) {
            return "aggregate " + name + " has no accumulator";
        }
        if (call.isDistinct() && !kind.ignoresRepeats()) {
            return name + "(DISTINCT …) has no accumulator";
        }
        if (!call.getCollation().getFieldCollations().isEmpty() || call.distinctKeys != null) {
            return name + " with ORDER BY has no accumulator";
        }
        DataType argument = kind == AggregateKind.COUNT_STAR
                ? null
                : RowTypes.orNull(
                        input.getFieldList().get(call.getArgList().getFirst()).getType());
        List<DataType> further = argument == null ? List.of() : furtherTypes(call, kind, argument);
        for (int index = 0; index < further.size(); index++) {
            int column = call.getArgList().get(1 + index);
            DataType type = RowTypes.orNull(input.getFieldList().get(column).getType());
            if (type == null || !kind.takesInPlace(further.get(index), type)) {
                return "aggregate " + name + " does not take " + type;
            }
        }
        if (kind != AggregateKind.COUNT_STAR && argument == null || resultType(call, kind, argument) == null) {
            return "aggregate " + name + " does not take " + argument;
        }
        DataType result = RowTypes.orNull(call.getType());
        return result == null || !CastLowering.isAllowed(resultType(call, kind, argument), result)
                ? "aggregate " + name + " of " + argument + " does not give " + call.getType()
                : null;
    }

    /// The type that the aggregate has here, or null if it has none.
    public static DataType resultType(AggregateCall call, RelDataType input) {
        AggregateKind kind = kindOrNull(call);
        if (kind == null || kind == AggregateKind.COUNT_STAR) {
            return kind == null ? null : DataType.INT64;
        }
        DataType argument = RowTypes.orNull(
                input.getFieldList().get(call.getArgList().getFirst()).getType());
        return argument == null ? null : resultType(call, kind, argument);
    }

    /// The code of an application that the aggregate calls, or null.
    static LocalAggregate local(AggregateCall call) {
        return call.getAggregation() instanceof AggregateFunction function ? function.local() : null;
    }

    private static DataType resultType(AggregateCall call, AggregateKind kind, DataType argument) {
        return of(call, kind).resultType(argument);
    }

    private static List<DataType> furtherTypes(AggregateCall call, AggregateKind kind, DataType argument) {
        return of(call, kind).furtherTypes(argument);
    }

    /// The call without its columns: it has the types.
    private static dev.quarrel.core.ir.AggregateCall of(AggregateCall call, AggregateKind kind) {
        return new dev.quarrel.core.ir.AggregateCall(kind, List.of(), -1, List.of(), local(call));
    }

    static AggregateKind kind(AggregateCall call) {
        AggregateKind kind = kindOrNull(call);
        if (kind == null) {
            throw new Unlowerable("aggregate " + call.getAggregation().getName() + " has no accumulator");
        }
        return kind;
    }

    private static AggregateKind kindOrNull(AggregateCall call) {
        int arguments = call.getArgList().size();
        if (call.getAggregation().getKind() == SqlKind.COUNT) {
            return switch (arguments) {
                case 0 -> AggregateKind.COUNT_STAR;
                case 1 -> AggregateKind.COUNT;
                default -> null;
            };
        }
        if (call.getAggregation() instanceof AggregateFunction function) {
            return arguments == function.argumentCount() + function.order().size() ? function.kind() : null;
        }
        if (arguments != 1) {
            return null;
        }
        return switch (call.getAggregation().getKind()) {
            case SUM, SUM0 -> AggregateKind.SUM;
            case AVG -> AggregateKind.AVG;
            // Calcite writes the least of truths so; false is less than true.
            case MIN -> isTruth(call) ? AggregateKind.BOOL_AND : AggregateKind.MIN;
            case MAX -> isTruth(call) ? AggregateKind.BOOL_OR : AggregateKind.MAX;
            case SINGLE_VALUE -> AggregateKind.SINGLE_VALUE;
            default ->
                switch (call.getAggregation().getName().toLowerCase(Locale.ROOT)) {
                    case "bool_and", "every" -> AggregateKind.BOOL_AND;
                    case "bool_or", "some" -> AggregateKind.BOOL_OR;
                    default -> null;
                };
        };
    }

    private static boolean isTruth(AggregateCall call) {
        return call.getType().getSqlTypeName() == SqlTypeName.BOOLEAN;
    }

    static boolean isSumOrZero(AggregateCall call) {
        return call.getAggregation().getKind() == SqlKind.SUM0;
    }

    static RexNode orZero(RexBuilder rexBuilder, RexNode sum) {
        RexNode zero = rexBuilder.makeExactLiteral(BigDecimal.ZERO, sum.getType());
        return rexBuilder.makeCall(sum.getType(), SqlStdOperatorTable.COALESCE, List.of(sum, zero));
    }
}
