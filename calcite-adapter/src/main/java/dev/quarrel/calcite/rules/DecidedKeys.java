package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.type.PostgresRelType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;

/// Groups by the keys alone that decide the others: customers by their number, and not by name, address and telephone
/// as well. All rows of a group have the same value of the others, so that any of them will do.
///
/// Groups of one row each are no groups.
final class DecidedKeys {
    private final RexBuilder rexBuilder;

    private DecidedKeys(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    static RelNode apply(RelNode root) {
        return new DecidedKeys(root.getCluster().getRexBuilder()).visit(root);
    }

    private RelNode visit(RelNode rel) {
        List<RelNode> inputs = rel.getInputs().stream().map(this::visit).toList();
        RelNode here = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
        return here instanceof Aggregate aggregate
                        && aggregate.getGroupType() == Aggregate.Group.SIMPLE
                        && aggregate.getGroupCount() > 0
                ? fewer(aggregate)
                : here;
    }

    private RelNode fewer(Aggregate aggregate) {
        List<RexNode> ofOneRow = ofOneRow(aggregate);
        if (ofOneRow != null && Uniqueness.isUnique(aggregate.getInput(), aggregate.getGroupSet())) {
            return LogicalProject.create(
                    aggregate.getInput(),
                    List.of(),
                    ofOneRow,
                    aggregate.getRowType().getFieldNames(),
                    Set.of());
        }
        ImmutableBitSet decided = decided(aggregate);
        return isWorthIt(aggregate, decided) ? picked(aggregate, decided) : aggregate;
    }

    /// The results for groups of one row each; null where a call has another one than its argument.
    private List<RexNode> ofOneRow(Aggregate aggregate) {
        List<RexNode> results = new ArrayList<>();
        RelNode input = aggregate.getInput();
        aggregate.getGroupSet().forEachInt(key -> results.add(rexBuilder.makeInputRef(input, key)));
        for (AggregateCall call : aggregate.getAggCallList()) {
            RexNode result = ofOneRow(call, input);
            if (result == null) {
                return null;
            }
            results.add(asType(result, call.getType()));
        }
        return results;
    }

    private RexNode ofOneRow(AggregateCall call, RelNode input) {
        if (call.filterArg >= 0 || call.getArgList().size() > 1) {
            return null;
        }
        RexNode argument = call.getArgList().isEmpty()
                ? null
                : rexBuilder.makeInputRef(input, call.getArgList().getFirst());
        boolean isOrdered = call.getAggregation() instanceof AggregateFunction;
        return switch (call.getAggregation().getKind()) {
            case COUNT ->
                argument == null || !argument.getType().isNullable()
                        ? rexBuilder.makeExactLiteral(BigDecimal.ONE, call.getType())
                        : null;
            case SUM, MIN, MAX, SINGLE_VALUE -> !isOrdered && isSame(argument, call.getType()) ? argument : null;
            case SUM0 ->
                !isOrdered
                                && isSame(argument, call.getType())
                                && !argument.getType().isNullable()
                        ? argument
                        : null;
            default -> null;
        };
    }

    private boolean isSame(RexNode argument, RelDataType type) {
        return argument != null
                && SqlTypeUtil.equalSansNullability(rexBuilder.getTypeFactory(), argument.getType(), type);
    }

    /// The keys that others decide, as many as there are; texts first.
    private static ImmutableBitSet decided(Aggregate aggregate) {
        if (aggregate.getGroupCount() < 2) {
            return ImmutableBitSet.of();
        }
        Dependencies dependencies = Dependencies.of(aggregate.getInput());
        // Constants stay: a key of one value costs nothing, and every device has it.
        ImmutableBitSet constants = dependencies.decidedBy(ImmutableBitSet.of());
        ImmutableBitSet kept = aggregate.getGroupSet();
        List<Integer> keys = new ArrayList<>(kept.asList().reversed());
        keys.sort(Comparator.comparing(key -> isInteger(type(aggregate, key)) ? 1 : 0));
        for (int key : keys) {
            ImmutableBitSet others = kept.clear(key);
            if (!others.isEmpty()
                    && !constants.get(key)
                    && dependencies.decidedBy(others).get(key)) {
                kept = others;
            }
        }
        return aggregate.getGroupSet().except(kept);
    }

    /// One key more of a few bytes costs no more than to keep its value.
    private static boolean isWorthIt(Aggregate aggregate, ImmutableBitSet decided) {
        return decided.cardinality() > 1
                || decided.asList().stream().anyMatch(key -> SqlTypeUtil.isCharacter(type(aggregate, key)));
    }

    private static RelDataType type(Aggregate aggregate, int key) {
        return aggregate.getInput().getRowType().getFieldList().get(key).getType();
    }

    private static boolean isInteger(RelDataType type) {
        return SqlTypeUtil.isExactNumeric(type) && !SqlTypeUtil.isDecimal(type);
    }

    private RelNode picked(Aggregate aggregate, ImmutableBitSet decided) {
        RelNode input = aggregate.getInput();
        ImmutableBitSet kept = aggregate.getGroupSet().except(decided);
        List<AggregateCall> calls = new ArrayList<>(aggregate.getAggCallList());
        for (int key : decided) {
            calls.add(GroupingRules.newCall(picking(type(aggregate, key)), List.of(key), -1, false, input));
        }
        RelNode grouped = LogicalAggregate.create(input, List.of(), kept, null, calls);
        List<RelDataTypeField> fields = aggregate.getRowType().getFieldList();
        int firstPicked = kept.cardinality() + aggregate.getAggCallList().size();
        List<RexNode> results = new ArrayList<>();
        for (int key : aggregate.getGroupSet()) {
            int place = decided.get(key) ? firstPicked + decided.indexOf(key) : kept.indexOf(key);
            results.add(asType(
                    rexBuilder.makeInputRef(grouped, place),
                    fields.get(results.size()).getType()));
        }
        for (int call = 0; call < aggregate.getAggCallList().size(); call++) {
            results.add(asType(
                    rexBuilder.makeInputRef(grouped, kept.cardinality() + call),
                    fields.get(results.size()).getType()));
        }
        return LogicalProject.create(
                grouped, List.of(), results, aggregate.getRowType().getFieldNames(), Set.of());
    }

    /// The least of equal values is any of them, and loops that are compiled know it.
    private static SqlAggFunction picking(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case SMALLINT, INTEGER, BIGINT, DATE -> SqlStdOperatorTable.MIN;
            case DECIMAL -> type instanceof PostgresRelType ? AggregateFunction.ANY_VALUE : SqlStdOperatorTable.MIN;
            default -> AggregateFunction.ANY_VALUE;
        };
    }

    private RexNode asType(RexNode node, RelDataType type) {
        return node.getType().equals(type) ? node : rexBuilder.makeAbstractCast(type, node, false);
    }
}
