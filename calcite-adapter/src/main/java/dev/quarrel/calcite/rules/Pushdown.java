package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import dev.quarrel.calcite.rel.AsofJoin;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// Pushes conditions down towards the tables, and orders inner joins.
///
/// A condition that can fail is never moved before one written earlier, nor below a join: the rows it sees may only
/// become fewer. So whatever PostgreSQL answers is answered; and an error that PostgreSQL raises for a row that another
/// condition removes may stay out.
public final class Pushdown {
    /// A condition that would grow by more nodes stays above a projection: past several it would grow without bound.
    private static final int MAX_GROWTH = 10_000;

    private final RexBuilder rexBuilder;
    private final QuarrelMetadata metadata;
    private List<RelDataType> lastTypes;
    private Failing lastFailing;

    private Pushdown(RexBuilder rexBuilder, QuarrelMetadata metadata) {
        this.rexBuilder = rexBuilder;
        this.metadata = metadata;
    }

    public static RelNode apply(RelNode root) {
        return new Pushdown(root.getCluster().getRexBuilder(), QuarrelMetadata.of(root)).push(root, List.of());
    }

    RexBuilder rexBuilder() {
        return rexBuilder;
    }

    QuarrelMetadata metadata() {
        return metadata;
    }

    /// `rel` with the conditions applied, in their order, somewhere in or above it.
    RelNode push(RelNode rel, List<RexNode> conditions) {
        PlanningLimits.tick();
        return switch (rel) {
            case Filter filter
            when filter.getVariablesSet().isEmpty() -> {
                List<RexNode> all =
                        new ArrayList<>(disjunctions(filter.getInput()).conjuncts(filter.getCondition()));
                all.addAll(conditions);
                yield push(filter.getInput(), all);
            }
            case Project project when project.getVariablesSet().isEmpty() -> pushPastProject(project, conditions);
            case Join join -> pushIntoJoin(join, conditions);
            case Aggregate aggregate -> pushPastAggregate(aggregate, conditions);
            case Sort sort
            when sort.fetch == null && sort.offset == null ->
                sort.copy(sort.getTraitSet(), List.of(push(sort.getInput(), conditions)));
            case Union union ->
                union.copy(
                        union.getTraitSet(),
                        union.getInputs().stream()
                                .map(input -> push(input, conditions))
                                .toList());
            case QuarrelFunctions functions -> pushIntoFunctions(functions, conditions);
            case AsofJoin join -> pushIntoNearest(join, conditions);
            default -> filtered(pushBelow(rel), conditions);
        };
    }

    /// What a row of the input says alone is asked before the functions are called for it.
    private RelNode pushIntoFunctions(QuarrelFunctions functions, List<RexNode> conditions) {
        List<RexNode> below = new ArrayList<>();
        List<RexNode> above = new ArrayList<>();
        Failing failing = Failing.over(functions.getRowType(), rexBuilder);
        for (RexNode condition : conditions) {
            boolean isBelow = RelOptUtil.InputFinder.bits(condition).length() <= functions.kept()
                    && RexUtil.isDeterministic(condition)
                    && !failing.canFail(condition);
            (isBelow ? below : above).add(condition);
        }
        RelNode input = push(functions.getInput(), below);
        return filtered(functions.copy(functions.getTraitSet(), List.of(input)), above);
    }

    /// What the left side says alone is asked before; what it says of keys, of the right side too, whose other rows
    /// match nothing. Nothing else goes to the right side: without the nearest row another would be it.
    private RelNode pushIntoNearest(AsofJoin join, List<RexNode> conditions) {
        int leftCount = join.getLeft().getRowType().getFieldCount();
        List<Integer> leftKeys = join.match().leftKeys();
        List<RexNode> below = new ArrayList<>();
        List<RexNode> right = new ArrayList<>();
        List<RexNode> above = new ArrayList<>();
        for (RexNode condition : conditions) {
            ImmutableBitSet read = RelOptUtil.InputFinder.bits(condition);
            boolean isBelow =
                    read.length() <= leftCount && RexUtil.isDeterministic(condition) && !canFail(join, condition);
            (isBelow ? below : above).add(condition);
            if (!isBelow || read.isEmpty() || !leftKeys.containsAll(read.asList())) {
                continue;
            }
            boolean areAlike = read.asList().stream().allMatch(column -> {
                RelDataType one =
                        join.getLeft().getRowType().getFieldList().get(column).getType();
                RelDataType other = join.getRight()
                        .getRowType()
                        .getFieldList()
                        .get(join.match().rightKeys().get(leftKeys.indexOf(column)))
                        .getType();
                return rexBuilder
                        .getTypeFactory()
                        .createTypeWithNullability(one, other.isNullable())
                        .equals(other);
            });
            if (areAlike) {
                right.add(condition.accept(new RexShuttle() {
                    @Override
                    public RexNode visitInputRef(RexInputRef input) {
                        return rexBuilder.makeInputRef(
                                join.getRight(), join.match().rightKeys().get(leftKeys.indexOf(input.getIndex())));
                    }
                }));
            }
        }
        RelNode newLeft = withTypes(push(join.getLeft(), below), join.getLeft().getRowType(), rexBuilder);
        RelNode newRight =
                withTypes(push(join.getRight(), right), join.getRight().getRowType(), rexBuilder);
        return filtered(join.copy(join.getTraitSet(), List.of(newLeft, newRight)), above);
    }

    private RelNode pushBelow(RelNode rel) {
        List<RelNode> inputs =
                rel.getInputs().stream().map(input -> push(input, List.of())).toList();
        return inputs.isEmpty() ? rel : rel.copy(rel.getTraitSet(), inputs);
    }

    RelNode filtered(RelNode rel, List<RexNode> conditions) {
        List<RexNode> ordered = ordered(conditions, each -> canFail(rel, each));
        // Conditions that moved past projections may have an OR in an OR, or a cast to the same type that may be
        // NULL: a filter has neither.
        RexNode composed = RexUtil.flatten(rexBuilder, RexUtil.composeConjunction(rexBuilder, ordered));
        RexNode condition = RexUtil.removeNullabilityCast(rexBuilder.getTypeFactory(), composed);
        if (condition.isAlwaysFalse()) {
            return LogicalValues.createEmpty(rel.getCluster(), rel.getRowType());
        }
        return condition.isAlwaysTrue() ? rel : LogicalFilter.create(rel, condition);
    }

    /// The conditions of one place: where one of them can fail, in the order that decides which rows it sees.
    private static List<RexNode> ordered(List<RexNode> conditions, Predicate<RexNode> canFail) {
        List<RexNode> ordered = EvaluationOrder.of(conditions);
        return ordered.equals(conditions) || conditions.stream().noneMatch(canFail) ? conditions : ordered;
    }

    /// ORs over the rows of `rel`.
    Disjunctions disjunctions(RelNode rel) {
        return new Disjunctions(rexBuilder, node -> canFail(rel, node));
    }

    /// ORs over the columns of both sides of a join, whichever of them it keeps.
    Disjunctions disjunctionsOfSides(Join join) {
        RelDataType both = rexBuilder
                .getTypeFactory()
                .builder()
                .addAll(join.getLeft().getRowType().getFieldList())
                .addAll(join.getRight().getRowType().getFieldList())
                .build();
        return new Disjunctions(
                rexBuilder, node -> Failing.over(both, rexBuilder).canFail(node));
    }

    /// ORs over columns of some types.
    Disjunctions disjunctionsOver(List<RelDataType> types) {
        return new Disjunctions(rexBuilder, node -> canFailOver(types, node));
    }

    boolean canFailOver(List<RelDataType> types, RexNode node) {
        if (types != lastTypes) {
            lastTypes = types;
            RelDataTypeFactory.Builder row = rexBuilder.getTypeFactory().builder();
            for (int column = 0; column < types.size(); column++) {
                row.add("c" + column, types.get(column));
            }
            lastFailing = Failing.over(row.build(), rexBuilder);
        }
        return lastFailing.canFail(node);
    }

    /// Over the columns of both sides of a join, whichever of them it keeps.
    boolean canFailOverSides(Join join, RexNode node) {
        List<RelDataType> types = new ArrayList<>();
        join.getLeft().getRowType().getFieldList().forEach(field -> types.add(field.getType()));
        join.getRight().getRowType().getFieldList().forEach(field -> types.add(field.getType()));
        return canFailOver(types, node);
    }

    RelDataType nullableBoolean() {
        RelDataTypeFactory types = rexBuilder.getTypeFactory();
        return types.createTypeWithNullability(types.createSqlType(SqlTypeName.BOOLEAN), true);
    }

    boolean canFail(RelNode rel, RexNode node) {
        return Failing.over(rel.getRowType(), rexBuilder).canFail(node);
    }

    private RelNode pushPastProject(Project project, List<RexNode> conditions) {
        if (project.containsOver()) {
            return filtered(pushBelow(project), conditions);
        }
        List<RexNode> below = new ArrayList<>();
        List<RexNode> above = new ArrayList<>();
        for (RexNode condition : conditions) {
            if (growth(condition, project) > MAX_GROWTH) {
                above.add(condition);
                continue;
            }
            RexNode moved = condition.accept(new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    RexNode column = project.getProjects().get(input.getIndex());
                    return column.getType().equals(input.getType())
                            ? column
                            : rexBuilder.makeAbstractCast(input.getType(), column, false);
                }
            });
            boolean isFree = above.isEmpty() || !canFail(project.getInput(), moved);
            if (RexUtil.isDeterministic(moved) && isFree) {
                below.add(readsNothing(moved) && !readsNothing(condition) ? Folding.folded(moved, rexBuilder) : moved);
            } else {
                above.add(condition);
            }
        }
        return filtered(project.copy(project.getTraitSet(), List.of(push(project.getInput(), below))), above);
    }

    private static boolean readsNothing(RexNode condition) {
        return RelOptUtil.InputFinder.bits(condition).isEmpty();
    }

    /// By how many nodes a condition grows when the columns it reads become what a projection computes.
    private static long growth(RexNode condition, Project project) {
        long[] growth = {0};
        condition.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitInputRef(RexInputRef input) {
                growth[0] += project.getProjects().get(input.getIndex()).nodeCount() - 1L;
                return null;
            }
        });
        return growth[0];
    }

    private RelNode pushPastAggregate(Aggregate aggregate, List<RexNode> conditions) {
        List<RexNode> below = new ArrayList<>();
        List<RexNode> above = new ArrayList<>();
        boolean hasKeys = aggregate.getGroupCount() > 0 && aggregate.getGroupType() == Aggregate.Group.SIMPLE;
        for (RexNode condition : conditions) {
            boolean onKeys = hasKeys && RelOptUtil.InputFinder.bits(condition).length() <= aggregate.getGroupCount();
            if (onKeys && !canFail(aggregate, condition)) {
                below.add(condition.accept(new RexShuttle() {
                    @Override
                    public RexNode visitInputRef(RexInputRef input) {
                        int column = aggregate.getGroupSet().nth(input.getIndex());
                        return rexBuilder.makeInputRef(aggregate.getInput(), column);
                    }
                }));
            } else {
                above.add(condition);
            }
        }
        RelNode input = withTypes(
                push(aggregate.getInput(), below), aggregate.getInput().getRowType(), rexBuilder);
        return filtered(aggregate.copy(aggregate.getTraitSet(), List.of(input)), above);
    }

    /// `rel` with the types it had: conditions that went below may say that a column is never NULL.
    static RelNode withTypes(RelNode rel, RelDataType rowType, RexBuilder rexBuilder) {
        if (RelOptUtil.areRowTypesEqual(rel.getRowType(), rowType, false)) {
            return rel;
        }
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : rowType.getFieldList()) {
            RexNode column = rexBuilder.makeInputRef(rel, field.getIndex());
            columns.add(
                    column.getType().equals(field.getType())
                            ? column
                            : rexBuilder.makeAbstractCast(field.getType(), column, false));
        }
        return LogicalProject.create(rel, List.of(), columns, rowType.getFieldNames(), Set.of());
    }

    private RelNode pushIntoJoin(Join join, List<RexNode> conditions) {
        if (!join.getVariablesSet().isEmpty()) {
            return filtered(pushBelow(join), conditions);
        }
        if (JoinOrder.takes(this, join)) {
            return JoinOrder.of(this, join, conditions);
        }
        return switch (join.getJoinType()) {
            case INNER -> JoinOrder.of(this, join, conditions);
            case RIGHT -> push(swapped(join, rexBuilder), conditions);
            case FULL -> {
                Join reduced = withType(join, reduced(join, conditions));
                yield reduced.getJoinType() == JoinRelType.FULL
                        ? filtered(pushBelow(withOrderedCondition(join)), conditions)
                        : pushIntoJoin(reduced, conditions);
            }
            case LEFT ->
                reduced(join, conditions) == JoinRelType.INNER
                        ? JoinOrder.of(this, withType(join, JoinRelType.INNER), conditions)
                        : pushIntoOneSided(join, conditions);
            case SEMI, ANTI, LEFT_MARK -> pushIntoOneSided(join, conditions);
            default -> filtered(pushBelow(join), conditions);
        };
    }

    private Join withOrderedCondition(Join join) {
        List<RexNode> conditions = RelOptUtil.conjunctions(join.getCondition());
        List<RexNode> ordered = ordered(conditions, each -> canFailOverSides(join, each));
        return ordered.equals(conditions)
                ? join
                : join.copy(
                        join.getTraitSet(),
                        RexUtil.composeConjunction(rexBuilder, ordered),
                        join.getLeft(),
                        join.getRight(),
                        join.getJoinType(),
                        false);
    }

    private static Join withType(Join join, JoinRelType type) {
        return join.copy(join.getTraitSet(), join.getCondition(), join.getLeft(), join.getRight(), type, false);
    }

    /// The join with its sides exchanged, and its columns put back in order.
    static RelNode swapped(Join join, RexBuilder rexBuilder) {
        int left = join.getLeft().getRowType().getFieldCount();
        int right = join.getRight().getRowType().getFieldCount();
        RexNode condition = join.getCondition().accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int index = input.getIndex();
                return new RexInputRef(index < left ? index + right : index - left, input.getType());
            }
        });
        RelNode other = LogicalJoin.create(
                join.getRight(),
                join.getLeft(),
                List.of(),
                condition,
                join.getVariablesSet(),
                join.getJoinType().swap());
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : join.getRowType().getFieldList()) {
            int index = field.getIndex();
            columns.add(rexBuilder.makeInputRef(other, index < left ? index + right : index - left));
        }
        return LogicalProject.create(
                other, List.of(), columns, join.getRowType().getFieldNames(), Set.of());
    }

    /// The type of an outer join without the rows with NULLs for a side that no condition is true of.
    static JoinRelType reduced(Join join, List<RexNode> conditions) {
        int left = join.getLeft().getRowType().getFieldCount();
        ImmutableBitSet lefts = ImmutableBitSet.range(left);
        ImmutableBitSet rights =
                ImmutableBitSet.range(left, left + join.getRight().getRowType().getFieldCount());
        JoinRelType type = join.getJoinType();
        if (type.generatesNullsOnRight() && conditions.stream().anyMatch(each -> Strong.isNotTrue(each, rights))) {
            type = type.cancelNullsOnRight();
        }
        if (type.generatesNullsOnLeft() && conditions.stream().anyMatch(each -> Strong.isNotTrue(each, lefts))) {
            type = type.cancelNullsOnLeft();
        }
        return type;
    }

    /// LEFT, SEMI and ANTI: the left side's rows are not multiplied by what the right side has.
    private RelNode pushIntoOneSided(Join join, List<RexNode> conditions) {
        int left = join.getLeft().getRowType().getFieldCount();
        List<RexNode> toLeft = new ArrayList<>();
        List<RexNode> above = new ArrayList<>();
        for (RexNode condition : conditions) {
            boolean onLeft = RelOptUtil.InputFinder.bits(condition).length() <= left;
            boolean isFree = join.getJoinType() == JoinRelType.LEFT && above.isEmpty();
            if (onLeft && (isFree || !canFail(join, condition))) {
                toLeft.add(condition);
            } else {
                above.add(condition);
            }
        }
        List<RexNode> toRight = new ArrayList<>();
        List<RexNode> on = new ArrayList<>();
        splitOn(join, toLeft, toRight, on);
        RelNode joined = join.copy(
                join.getTraitSet(),
                RexUtil.composeConjunction(rexBuilder, ordered(on, each -> canFailOverSides(join, each))),
                push(join.getLeft(), toLeft),
                push(join.getRight(), toRight),
                join.getJoinType(),
                false);
        return filtered(joined, above);
    }

    /// What a join's condition says of the left side alone, of the right side alone, and of both.
    void splitOn(Join join, List<RexNode> toLeft, List<RexNode> toRight, List<RexNode> on) {
        int left = join.getLeft().getRowType().getFieldCount();
        for (RexNode condition : disjunctionsOfSides(join).conjuncts(join.getCondition())) {
            ImmutableBitSet bits = RelOptUtil.InputFinder.bits(condition);
            RexNode shifted = bits.isEmpty() || bits.nth(0) < left ? null : RexUtil.shift(condition, -left);
            // A mark is NULL where a condition is; a row that is left out makes none.
            boolean isExact = join.getJoinType() != JoinRelType.LEFT_MARK
                    || !condition.getType().isNullable();
            if (shifted != null && isExact && !canFail(join.getRight(), shifted)) {
                toRight.add(shifted);
            } else if (join.getJoinType() == JoinRelType.SEMI
                    && !bits.isEmpty()
                    && bits.length() <= left
                    && !canFail(join.getLeft(), condition)) {
                toLeft.add(condition);
            } else {
                on.add(condition);
            }
        }
    }
}
