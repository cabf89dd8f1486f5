package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.OpcodeFunction;
import dev.quarrel.calcite.sql.function.PostgresFunctions;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.TimeRows;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.type.DataType;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.type.SqlTypeName;

/// Makes the session's time zone a part of the expressions that depend on it.
///
/// Functions that say so in their row get the zone as a last argument. Casts and operators of timestamps with time zone
/// are opcodes that know UTC alone: in another zone they become such functions.
public final class ZoneBinding extends RexShuttle {
    private final RexMaker maker;
    private final ZoneId zone;

    private ZoneBinding(RexMaker maker, ZoneId zone) {
        this.maker = maker;
        this.zone = zone;
    }

    /// @param zone `ZoneOffset.UTC` for all that are UTC
    public static RelNode apply(RelNode root, ZoneId zone) {
        ZoneBinding binding = new ZoneBinding(new RexMaker(root.getCluster().getRexBuilder()), zone);
        return binding.apply(root);
    }

    private RelNode apply(RelNode root) {
        return root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                RelNode bound = super.visit(rel).accept(ZoneBinding.this);
                return bound instanceof QuarrelFunctions functions ? rows(functions) : bound;
            }
        });
    }

    /// Functions that give rows find the zone in a further column of their arguments.
    private RelNode rows(QuarrelFunctions functions) {
        if (functions.calls().stream().noneMatch(ZoneBinding::isZoned)) {
            return functions;
        }
        RelNode input = functions.getInput();
        int count = input.getRowType().getFieldCount();
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < count; column++) {
            columns.add(maker.builder().makeInputRef(input, column));
        }
        columns.add(zoneName());
        List<QuarrelFunctions.Call> calls = new ArrayList<>();
        for (QuarrelFunctions.Call call : functions.calls()) {
            List<Integer> arguments = new ArrayList<>(call.arguments());
            if (isZoned(call)) {
                arguments.add(count);
            }
            calls.add(new QuarrelFunctions.Call(call.function(), arguments));
        }
        return functions.calling(
                LogicalProject.create(input, List.of(), columns, (List<String>) null, Set.of()), calls);
    }

    private static boolean isZoned(QuarrelFunctions.Call call) {
        return call.function() != null && call.function().isZoned();
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery query) {
        RexSubQuery inner = (RexSubQuery) super.visitSubQuery(query);
        RelNode rel = apply(inner.rel);
        return rel == inner.rel ? inner : inner.clone(rel);
    }

    @Override
    public RexNode visitCall(RexCall written) {
        RexCall call = (RexCall) super.visitCall(written);
        FunctionRow row =
                switch (call.getOperator()) {
                    case CatalogFunction function -> function.row();
                    default -> null;
                };
        if (row != null && row.isZoned() && !(row.kind() instanceof FunctionRow.Kind.Instruction)) {
            List<RexNode> operands = new ArrayList<>(call.getOperands());
            operands.add(zoneName());
            return maker.builder().makeCall(call.getType(), call.getOperator(), operands);
        }
        RexNode bound = zone.normalized().equals(ZoneOffset.UTC) ? null : elsewhere(call, row);
        return bound == null || bound.getType().equals(call.getType())
                ? bound == null ? call : bound
                : maker.builder().makeAbstractCast(call.getType(), bound, false);
    }

    private RexNode zoneName() {
        return maker.string(zone.getId(), maker.rel(SqlType.TEXT));
    }

    /// What a call of an opcode becomes outside UTC; null if it stays.
    private RexNode elsewhere(RexCall call, FunctionRow row) {
        List<RexNode> operands = call.getOperands();
        Opcode opcode =
                switch (call.getOperator()) {
                    case OpcodeFunction function -> function.opcode();
                    case CatalogFunction _ ->
                        row.kind() instanceof FunctionRow.Kind.Instruction(Opcode known) ? known : null;
                    default -> null;
                };
        if (opcode != null) {
            return isZoned(operands.getFirst()) ? ofOpcode(opcode, operands) : null;
        }
        return switch (call.getKind()) {
            case CAST -> cast(call, operands.getFirst());
            case EXTRACT ->
                isZoned(operands.get(1)) && unit(operands.getFirst()) != TimeUnitRange.EPOCH
                        ? maker.call(
                                call.getOperator(),
                                call.getType(),
                                operands.getFirst(),
                                bound(TimeRows.TO_LOCAL, operands.get(1)))
                        : null;
            default ->
                switch (call.getOperator().getName()) {
                    case "DATE_TRUNC" ->
                        isZoned(operands.get(1))
                                ? bound(TimeRows.DATE_TRUNC, unitName(operands.getFirst()), operands.get(1))
                                : null;
                    case "CURRENT_DATE" ->
                        cast(call, maker.call(PostgresFunctions.NOW, maker.rel(SqlType.TIMESTAMPTZ)));
                    default -> null;
                };
        };
    }

    private RexNode ofOpcode(Opcode opcode, List<RexNode> operands) {
        return switch (opcode) {
            case ADD_TIMESTAMP_INTERVAL -> bound(TimeRows.DATE_ADD, operands.get(0), operands.get(1));
            case SUB_TIMESTAMP_INTERVAL -> bound(TimeRows.DATE_SUBTRACT, operands.get(0), operands.get(1));
            case AGE_TIMESTAMP -> bound(TimeRows.AGE, operands.get(0), operands.get(1));
            default -> null;
        };
    }

    /// The call of a row, with the zone.
    private RexNode bound(FunctionRow row, RexNode... arguments) {
        List<RexNode> operands = new ArrayList<>(List.of(arguments));
        operands.add(zoneName());
        return CatalogFunction.build(row).apply(maker, operands);
    }

    private static TimeUnitRange unit(RexNode flag) {
        return flag instanceof RexLiteral literal && literal.getValue() instanceof TimeUnitRange unit ? unit : null;
    }

    private RexNode unitName(RexNode flag) {
        return maker.string(String.valueOf(unit(flag)).toLowerCase(Locale.ROOT), maker.rel(SqlType.TEXT));
    }

    private RexNode cast(RexCall call, RexNode value) {
        if (isZoned(value) == isZoned(call)) {
            return null;
        }
        if (isZoned(value)) {
            boolean isText = SqlTypes.dataType(call.getType()) instanceof DataType.Utf8;
            return maker.cast(call.getType(), bound(isText ? TimeRows.TO_TEXT : TimeRows.TO_LOCAL, value));
        }
        return SqlTypes.dataType(value.getType()) instanceof DataType.Utf8
                ? bound(TimeRows.OF_TEXT, value)
                : bound(TimeRows.TO_INSTANT, maker.cast(maker.rel(SqlType.TIMESTAMP), value));
    }

    private static boolean isZoned(RexNode node) {
        return node.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
    }
}
