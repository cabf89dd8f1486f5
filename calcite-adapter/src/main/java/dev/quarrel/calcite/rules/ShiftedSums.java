package dev.quarrel.calcite.rules;

import dev.quarrel.core.table.ColumnStats;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// `sum(x + 1), sum(x + 2)`, … are `sum(x) + 1 * count(x)`, `sum(x) + 2 * count(x)`, …: one sum and one count for all
/// of them. Only where the statistics of the column prove that no `x + k` is out of its type's range, which would be
/// an error.
final class ShiftedSums {
    /// The sum and the count take the place of so many sums at least.
    private static final int MIN_SUMS = 3;

    private final Aggregate aggregate;
    private final Project project;
    private final RexBuilder rexBuilder;
    private final List<RexNode> columns = new ArrayList<>();
    private final List<AggregateCall> calls = new ArrayList<>();

    private ShiftedSums(Aggregate aggregate, Project project) {
        this.aggregate = aggregate;
        this.project = project;
        this.rexBuilder = aggregate.getCluster().getRexBuilder();
    }

    static RelNode apply(Aggregate aggregate) {
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE
                || !(Rewrite.input(aggregate, 0) instanceof Project project)
                || project.containsOver()
                || !project.getVariablesSet().isEmpty()
                || aggregate.getAggCallList().stream().anyMatch(ShiftedSums::isOrdered)) {
            return null;
        }
        Map<RexNode, Integer> found = new HashMap<>();
        for (AggregateCall call : aggregate.getAggCallList()) {
            Shifted shifted = shifted(call, project);
            if (shifted != null) {
                found.merge(shifted.value(), 1, Integer::sum);
            }
        }
        found.values().removeIf(count -> count < MIN_SUMS);
        return found.isEmpty() ? null : new ShiftedSums(aggregate, project).rewritten(found.keySet());
    }

    private static boolean isOrdered(AggregateCall call) {
        return call.distinctKeys != null
                || !call.getCollation().getFieldCollations().isEmpty();
    }

    /// A sum of `value + constant`.
    private record Shifted(RexNode value, BigDecimal constant) {}

    private static Shifted shifted(AggregateCall call, Project project) {
        if (call.getAggregation().getKind() != SqlKind.SUM
                || call.isDistinct()
                || call.filterArg >= 0
                || call.getType().getSqlTypeName() != SqlTypeName.BIGINT) {
            return null;
        }
        if (!(project.getProjects().get(call.getArgList().getFirst()) instanceof RexCall sum)
                || range(sum.getType()) == null
                || sum.getOperands().size() != 2) {
            return null;
        }
        RexNode one = sum.getOperands().get(0);
        RexNode other = sum.getOperands().get(1);
        BigDecimal constant =
                switch (sum.getKind()) {
                    case PLUS -> constant(one) == null ? constant(other) : constant(one);
                    case MINUS ->
                        constant(other) == null ? null : constant(other).negate();
                    default -> null;
                };
        RexNode value = sum.getKind() == SqlKind.PLUS && constant(one) != null ? other : one;
        return constant != null && isSafe(value, constant, range(sum.getType()), project)
                ? new Shifted(value, constant)
                : null;
    }

    private static BigDecimal constant(RexNode node) {
        return node instanceof RexLiteral literal && !literal.isNull() && range(literal.getType()) != null
                ? literal.getValueAs(BigDecimal.class)
                : null;
    }

    /// The greatest value of the type; null for others than integers of at most 32 bits.
    private static BigDecimal range(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case SMALLINT -> BigDecimal.valueOf(Short.MAX_VALUE);
            case INTEGER -> BigDecimal.valueOf(Integer.MAX_VALUE);
            default -> null;
        };
    }

    private static boolean isSafe(RexNode value, BigDecimal added, BigDecimal greatest, Project project) {
        RexNode column = value;
        while (column instanceof RexCall cast && cast.getKind() == SqlKind.CAST && range(cast.getType()) != null) {
            column = cast.getOperands().getFirst();
        }
        if (!(column instanceof RexInputRef input) || range(column.getType()) == null) {
            return false;
        }
        TableColumn origin = TableColumn.of(project.getInput(), input.getIndex());
        ColumnStats stats = origin == null
                ? ColumnStats.UNKNOWN
                : origin.table().stats().columns().get(origin.column());
        return stats.min() instanceof Long least
                && stats.max() instanceof Long most
                && BigDecimal.valueOf(most).add(added).compareTo(greatest) <= 0
                && BigDecimal.valueOf(least).add(added).compareTo(greatest.negate()) >= 0;
    }

    private RelNode rewritten(Set<RexNode> values) {
        int keys = aggregate.getGroupCount();
        for (int key : aggregate.getGroupSet()) {
            columns.add(project.getProjects().get(key));
        }
        // The place among the calls of what each result is, or of its sum; the count is behind the sum.
        Map<RexNode, Integer> sums = new HashMap<>();
        List<Shifted> shifts = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (AggregateCall call : aggregate.getAggCallList()) {
            Shifted found = shifted(call, project);
            Shifted shifted = found != null && values.contains(found.value()) ? found : null;
            shifts.add(shifted);
            if (shifted == null) {
                places.add(calls.size());
                List<Integer> arguments = call.getArgList().stream()
                        .map(argument -> column(project.getProjects().get(argument)))
                        .toList();
                int filter =
                        call.filterArg < 0 ? -1 : column(project.getProjects().get(call.filterArg));
                calls.add(call.withArgList(arguments).withFilter(filter));
            } else {
                places.add(sums.computeIfAbsent(shifted.value(), value -> sumAndCount(value, call)));
            }
        }
        RelNode input = LogicalProject.create(project.getInput(), List.of(), columns, (List<String>) null, Set.of());
        RelNode grouped = LogicalAggregate.create(input, List.of(), ImmutableBitSet.range(keys), null, calls);
        List<RexNode> results = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            results.add(rexBuilder.makeInputRef(grouped, key));
        }
        for (int index = 0; index < shifts.size(); index++) {
            RexNode sum = rexBuilder.makeInputRef(grouped, keys + places.get(index));
            RexNode result = shifts.get(index) == null
                    ? sum
                    : shiftedBy(
                            shifts.get(index).constant(),
                            sum,
                            rexBuilder.makeInputRef(grouped, keys + places.get(index) + 1));
            RelDataType type =
                    aggregate.getRowType().getFieldList().get(keys + index).getType();
            results.add(result.getType().equals(type) ? result : rexBuilder.makeAbstractCast(type, result, false));
        }
        return LogicalProject.create(
                grouped, List.of(), results, aggregate.getRowType().getFieldNames(), Set.of());
    }

    /// NULL where no value was there, as the sum is.
    private RexNode shiftedBy(BigDecimal constant, RexNode sum, RexNode count) {
        RexNode literal = rexBuilder.makeExactLiteral(constant, bigint());
        RexNode added = rexBuilder.makeCall(count.getType(), SqlStdOperatorTable.MULTIPLY, List.of(literal, count));
        return rexBuilder.makeCall(sum.getType(), SqlStdOperatorTable.PLUS, List.of(sum, added));
    }

    private RelDataType bigint() {
        return rexBuilder.getTypeFactory().createSqlType(SqlTypeName.BIGINT);
    }

    /// The place among the calls of the sum, behind which is the count.
    private int sumAndCount(RexNode value, AggregateCall call) {
        List<Integer> column = List.of(column(value));
        calls.add(call.withArgList(column).withName(null));
        calls.add(AggregateCall.create(
                SqlParserPos.ZERO,
                SqlStdOperatorTable.COUNT,
                false,
                false,
                false,
                List.of(),
                column,
                -1,
                null,
                RelCollations.EMPTY,
                bigint(),
                null));
        return calls.size() - 2;
    }

    /// The place of an expression among the columns that are grouped.
    private int column(RexNode expression) {
        int known = columns.indexOf(expression);
        if (known >= 0) {
            return known;
        }
        columns.add(expression);
        return columns.size() - 1;
    }
}
