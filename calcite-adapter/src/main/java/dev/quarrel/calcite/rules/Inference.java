package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// Adds the conditions that follow from others, through joins of every kind, groupings and UNION ALL: a constant that
/// one side of a join is compared with reaches what the other side compares with it. What no row can meet becomes no
/// rows; an outer join whose extra rows are left out above becomes an inner one, and one whose matches are left out
/// becomes an anti join.
///
/// One walk: down with the conditions that rows must meet to matter, and at each node also what is true of all rows
/// that come from below. It adds simple conditions alone ([Implications#isSimple]), which cannot fail.
final class Inference {
    /// Of so many conditions that are true of a node's rows the rest is forgotten.
    private static final int MAX_KNOWN = 64;

    private final RexBuilder rexBuilder;
    private final Map<RelNode, List<RexNode>> known = new IdentityHashMap<>();

    private Inference(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    static RelNode apply(RelNode root) {
        return new Inference(root.getCluster().getRexBuilder()).visit(root, List.of());
    }

    // What is true of all rows

    private List<RexNode> known(RelNode rel) {
        List<RexNode> conditions = known.get(rel);
        if (conditions == null) {
            List<RexNode> found = find(rel).stream().distinct().toList();
            conditions = found.size() <= MAX_KNOWN ? found : found.subList(0, MAX_KNOWN);
            known.put(rel, conditions);
        }
        return conditions;
    }

    private List<RexNode> find(RelNode rel) {
        return switch (rel) {
            case Filter filter -> {
                List<RexNode> all = new ArrayList<>(known(filter.getInput()));
                addSimple(filter.getCondition(), all);
                yield all;
            }
            case Project project -> throughProject(project);
            case Join join -> ofJoin(join);
            case Aggregate aggregate -> ofKeys(aggregate);
            case Sort sort -> known(sort.getInput());
            default -> List.of();
        };
    }

    private static void addSimple(RexNode condition, List<RexNode> list) {
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            if (Implications.isSimple(conjunct)) {
                list.add(conjunct);
            }
        }
    }

    private List<RexNode> throughProject(Project project) {
        List<RexNode> all = new ArrayList<>();
        int[] place = new int[project.getInput().getRowType().getFieldCount()];
        java.util.Arrays.fill(place, -1);
        for (int column = 0; column < project.getProjects().size(); column++) {
            RexNode expression = project.getProjects().get(column);
            if (expression instanceof RexInputRef input) {
                place[input.getIndex()] = column;
            } else if (expression instanceof RexLiteral literal && !literal.isNull()) {
                RexNode reference = rexBuilder.makeInputRef(project, column);
                RexNode equality = rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, reference, literal);
                addSimple(equality, all);
            }
        }
        for (RexNode condition : known(project.getInput())) {
            RexNode moved = moved(condition, place, project.getRowType());
            if (moved != null) {
                all.add(moved);
            }
        }
        return all;
    }

    /// A condition over other columns; null where one of its columns has no place there.
    private static RexNode moved(RexNode condition, int[] place, RelDataType rowType) {
        for (int column : RelOptUtil.InputFinder.bits(condition)) {
            if (column >= place.length || place[column] < 0) {
                return null;
            }
        }
        List<RelDataTypeField> fields = rowType.getFieldList();
        return condition.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int column = place[input.getIndex()];
                return new RexInputRef(column, fields.get(column).getType());
            }
        });
    }

    private List<RexNode> ofJoin(Join join) {
        List<RexNode> all = new ArrayList<>();
        int left = width(join.getLeft());
        switch (join.getJoinType()) {
            case INNER -> {
                all.addAll(known(join.getLeft()));
                known(join.getRight()).forEach(each -> all.add(RexUtil.shift(each, left)));
                addSimple(join.getCondition(), all);
            }
            case LEFT, ANTI, LEFT_MARK, SEMI -> all.addAll(known(join.getLeft()));
            case RIGHT -> known(join.getRight()).forEach(each -> all.add(RexUtil.shift(each, left)));
            default -> {}
        }
        return all;
    }

    private List<RexNode> ofKeys(Aggregate aggregate) {
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
            return List.of();
        }
        int[] place = new int[width(aggregate.getInput())];
        java.util.Arrays.fill(place, -1);
        for (int key = 0; key < aggregate.getGroupCount(); key++) {
            place[aggregate.getGroupSet().nth(key)] = key;
        }
        List<RexNode> all = new ArrayList<>();
        for (RexNode condition : known(aggregate.getInput())) {
            RexNode moved = moved(condition, place, aggregate.getRowType());
            if (moved != null) {
                all.add(moved);
            }
        }
        return all;
    }

    private static int width(RelNode rel) {
        return rel.getRowType().getFieldCount();
    }

    // Down with what rows must meet

    /// The node with further conditions below it.
    ///
    /// @param given over the node's columns; rows that do not meet them matter to nobody
    private RelNode visit(RelNode rel, List<RexNode> given) {
        PlanningLimits.tick();
        if (rel instanceof Values) {
            return rel;
        }
        List<RexNode> all = new ArrayList<>(known(rel));
        all.addAll(given);
        if (!all.isEmpty() && implications(rel.getRowType(), all).areContradictory()) {
            return empty(rel);
        }
        return switch (rel) {
            case Filter filter when filter.getVariablesSet().isEmpty() -> visitFilter(filter, given);
            case Project project when project.getVariablesSet().isEmpty() -> visitProject(project, given);
            case Join join when join.getVariablesSet().isEmpty() -> visitJoin(join, given);
            case Aggregate aggregate -> visitAggregate(aggregate, given);
            case Sort sort when sort.fetch == null && sort.offset == null -> withInputs(sort, given);
            case Union union -> withInputs(union, given);
            default -> withInputs(rel, List.of());
        };
    }

    private Implications implications(RelDataType rowType, List<RexNode> conditions) {
        return new Implications(rexBuilder, rowType, conditions);
    }

    private static RelNode empty(RelNode rel) {
        return LogicalValues.createEmpty(rel.getCluster(), rel.getRowType());
    }

    /// All inputs have the node's columns if anything is given.
    private RelNode withInputs(RelNode rel, List<RexNode> given) {
        List<RelNode> inputs = new ArrayList<>();
        for (RelNode input : rel.getInputs()) {
            inputs.add(visit(input, retyped(given, input.getRowType())));
        }
        return copied(rel, inputs);
    }

    private static RelNode copied(RelNode rel, List<RelNode> inputs) {
        for (int index = 0; index < inputs.size(); index++) {
            if (inputs.get(index) != rel.getInput(index)) {
                return rel.copy(rel.getTraitSet(), inputs);
            }
        }
        return rel;
    }

    private static List<RexNode> retyped(List<RexNode> conditions, RelDataType rowType) {
        int[] same = new int[rowType.getFieldCount()];
        java.util.Arrays.setAll(same, column -> column);
        return conditions.stream()
                .map(condition -> moved(condition, same, rowType))
                .toList();
    }

    private RelNode visitFilter(Filter filter, List<RexNode> given) {
        List<RexNode> own = new ArrayList<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(filter.getCondition())) {
            if (Implications.isNeverTrue(conjunct)) {
                return empty(filter);
            }
            RexNode simplified = Implications.simplified(conjunct, rexBuilder);
            if (!simplified.isAlwaysTrue() && !own.contains(simplified)) {
                own.add(simplified);
            }
        }
        List<RexNode> all = new ArrayList<>(known(filter.getInput()));
        all.addAll(given);
        own.stream().filter(Implications::isSimple).forEach(all::add);
        List<RexNode> derived = implications(filter.getRowType(), all).derived(ImmutableBitSet.range(width(filter)));
        own.addAll(derived);
        RelNode anti = antiJoin(filter.getInput(), own, given);
        if (anti != null) {
            return anti;
        }
        List<RexNode> below = new ArrayList<>(given);
        own.stream().filter(Implications::isSimple).forEach(below::add);
        RelNode input = visit(filter.getInput(), distinct(below));
        RexNode condition = RexUtil.composeConjunction(rexBuilder, own);
        if (condition.isAlwaysTrue()) {
            return input;
        }
        return input == filter.getInput() && condition.equals(filter.getCondition())
                ? filter
                : LogicalFilter.create(input, condition);
    }

    private static List<RexNode> distinct(List<RexNode> conditions) {
        return new ArrayList<>(new LinkedHashSet<>(conditions));
    }

    /// A LEFT JOIN, of whose rows those alone are kept that found no match; null where that is not what is asked.
    private RelNode antiJoin(RelNode input, List<RexNode> conditions, List<RexNode> given) {
        if (!(input instanceof Join join)
                || join.getJoinType() != JoinRelType.LEFT
                || !join.getVariablesSet().isEmpty()) {
            return null;
        }
        int left = width(join.getLeft());
        RexNode isUnmatched = conditions.stream()
                .filter(condition -> condition.getKind() == SqlKind.IS_NULL)
                .filter(condition -> ((RexCall) condition).getOperands().getFirst() instanceof RexInputRef column
                        && column.getIndex() >= left
                        && isPresentInMatches(join, column.getIndex()))
                .findFirst()
                .orElse(null);
        if (isUnmatched == null) {
            return null;
        }
        RelNode anti = LogicalJoin.create(
                join.getLeft(), join.getRight(), List.of(), join.getCondition(), Set.of(), JoinRelType.ANTI);
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : join.getRowType().getFieldList()) {
            columns.add(
                    field.getIndex() < left
                            ? rexBuilder.makeInputRef(anti, field.getIndex())
                            : rexBuilder.makeNullLiteral(field.getType()));
        }
        List<RexNode> rest =
                conditions.stream().filter(each -> each != isUnmatched).toList();
        RelNode rows = LogicalProject.create(
                anti, List.of(), columns, join.getRowType().getFieldNames(), Set.of());
        RexNode condition = RexUtil.composeConjunction(rexBuilder, rest);
        return visit(condition.isAlwaysTrue() ? rows : LogicalFilter.create(rows, condition), given);
    }

    private static boolean isPresentInMatches(Join join, int column) {
        int left = width(join.getLeft());
        boolean isNeverNull = !join.getRight()
                .getRowType()
                .getFieldList()
                .get(column - left)
                .getType()
                .isNullable();
        return isNeverNull || Strong.isNotTrue(join.getCondition(), ImmutableBitSet.of(column));
    }

    private RelNode visitProject(Project project, List<RexNode> given) {
        List<RexNode> below = new ArrayList<>();
        int[] place = new int[width(project)];
        for (int column = 0; column < place.length; column++) {
            place[column] = project.getProjects().get(column) instanceof RexInputRef input ? input.getIndex() : -1;
        }
        // A window sees all rows of the input.
        if (!project.containsOver()) {
            for (RexNode condition : given) {
                RexNode moved = moved(condition, place, project.getInput().getRowType());
                if (moved != null) {
                    below.add(moved);
                }
            }
        }
        return copied(project, List.of(visit(project.getInput(), below)));
    }

    private RelNode visitAggregate(Aggregate aggregate, List<RexNode> given) {
        List<RexNode> below = new ArrayList<>();
        if (aggregate.getGroupType() == Aggregate.Group.SIMPLE) {
            int[] place = new int[width(aggregate)];
            java.util.Arrays.fill(place, -1);
            for (int key = 0; key < aggregate.getGroupCount(); key++) {
                place[key] = aggregate.getGroupSet().nth(key);
            }
            for (RexNode condition : given) {
                RexNode moved = moved(condition, place, aggregate.getInput().getRowType());
                if (moved != null) {
                    below.add(moved);
                }
            }
        }
        RelNode input = visit(aggregate.getInput(), below);
        // An outer join that became an inner one has fewer columns that may be NULL.
        return copied(
                aggregate,
                List.of(Pushdown.withTypes(input, aggregate.getInput().getRowType(), rexBuilder)));
    }

    // Joins

    private RelNode visitJoin(Join written, List<RexNode> given) {
        JoinRelType type =
                written.getJoinType().isOuterJoin() ? Pushdown.reduced(written, given) : written.getJoinType();
        Join join = type == written.getJoinType()
                ? written
                : written.copy(
                        written.getTraitSet(),
                        written.getCondition(),
                        written.getLeft(),
                        written.getRight(),
                        type,
                        false);
        if (type == JoinRelType.RIGHT) {
            return visit(Pushdown.swapped(join, rexBuilder), given);
        }
        int left = width(join.getLeft());
        int right = width(join.getRight());
        if (type == JoinRelType.FULL || type == JoinRelType.LEFT_MARK) {
            return withInputs(join, List.of());
        }
        List<RexNode> on = RelOptUtil.conjunctions(join.getCondition());
        List<RexNode> ofLeft = given.stream()
                .filter(condition -> RelOptUtil.InputFinder.bits(condition).length() <= left)
                .toList();
        List<RexNode> ofRight = type != JoinRelType.INNER
                ? List.of()
                : given.stream()
                        .filter(condition -> isWithin(condition, left, left + right))
                        .toList();
        List<RexNode> all = new ArrayList<>(known(join.getLeft()));
        known(join.getRight()).forEach(each -> all.add(RexUtil.shift(each, left)));
        all.addAll(type == JoinRelType.INNER ? given : ofLeft);
        on.stream().filter(Implications::isSimple).forEach(all::add);
        Implications implications = implications(pairType(join), all);
        boolean isLeftFiltered = type == JoinRelType.INNER || type == JoinRelType.SEMI;
        if (implications.areContradictory() || on.stream().anyMatch(Implications::isNeverTrue)) {
            return isLeftFiltered
                    ? empty(join)
                    : copied(join, List.of(visit(join.getLeft(), ofLeft), empty(join.getRight())));
        }
        List<RexNode> addedLeft = isLeftFiltered ? implications.derived(ImmutableBitSet.range(left)) : List.of();
        List<RexNode> addedRight = implications.derived(ImmutableBitSet.range(left, left + right)).stream()
                .map(each -> RexUtil.shift(each, -left))
                .toList();
        List<RexNode> belowLeft = new ArrayList<>(ofLeft);
        List<RexNode> belowRight = new ArrayList<>();
        ofRight.forEach(each -> belowRight.add(RexUtil.shift(each, -left)));
        belowLeft.addAll(addedLeft);
        belowRight.addAll(addedRight);
        for (RexNode condition : on) {
            List<RexNode> present = new ArrayList<>(Implications.present(condition, rexBuilder));
            if (Implications.isSimple(condition)) {
                present.add(condition);
            }
            for (RexNode each : present) {
                if (isLeftFiltered && isWithin(each, 0, left)) {
                    belowLeft.add(each);
                } else if (isWithin(each, left, left + right)) {
                    belowRight.add(RexUtil.shift(each, -left));
                }
            }
        }
        RelNode newLeft = filtered(
                visit(
                        join.getLeft(),
                        retyped(distinct(belowLeft), join.getLeft().getRowType())),
                addedLeft);
        RelNode newRight = filtered(
                visit(
                        join.getRight(),
                        retyped(distinct(belowRight), join.getRight().getRowType())),
                addedRight);
        return copied(join, List.of(newLeft, newRight));
    }

    private static boolean isWithin(RexNode condition, int first, int end) {
        ImmutableBitSet bits = RelOptUtil.InputFinder.bits(condition);
        return !bits.isEmpty() && bits.nth(0) >= first && bits.length() <= end;
    }

    private RelDataType pairType(Join join) {
        return rexBuilder
                .getTypeFactory()
                .builder()
                .addAll(join.getLeft().getRowType().getFieldList())
                .addAll(join.getRight().getRowType().getFieldList())
                .build();
    }

    private RelNode filtered(RelNode rel, List<RexNode> conditions) {
        return conditions.isEmpty() || rel instanceof Values
                ? rel
                : LogicalFilter.create(
                        rel, RexUtil.composeConjunction(rexBuilder, retyped(conditions, rel.getRowType())));
    }
}
