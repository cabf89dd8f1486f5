package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mapping;
import org.apache.calcite.util.mapping.MappingType;
import org.apache.calcite.util.mapping.Mappings;

/// Makes no row twice for those who do not count: where only least and greatest values, distinct ones or groups are
/// asked for, or whether there is a row at all (EXISTS, IN), an inner join whose other side nobody reads is a semi
/// join, and an outer one is nothing.
///
/// The order of joins stays: a probe ends with the first partner where it went on to all of them.
final class Repeats {
    private final QuarrelMetadata expected;
    private final Evaluations evaluations;

    private Repeats(RelNode root) {
        this.expected = QuarrelMetadata.of(root);
        this.evaluations = new Evaluations(root.getCluster().getRexBuilder());
    }

    static RelNode apply(RelNode root) {
        return new Repeats(root).whole(root, false);
    }

    /// A node of which columns may be gone.
    ///
    /// @param places by column as it was: where it is, or -1
    private record Kept(RelNode rel, int[] places) {
        static Kept all(RelNode rel) {
            int[] places = new int[rel.getRowType().getFieldCount()];
            Arrays.setAll(places, column -> column);
            return new Kept(rel, places);
        }

        boolean isAll() {
            return Arrays.stream(places).noneMatch(place -> place < 0);
        }

        int place(int column) {
            if (places[column] < 0) {
                throw new IllegalStateException("column " + column + " is read, and is gone");
            }
            return places[column];
        }
    }

    /// With all of its columns.
    ///
    /// @param isFree whether nobody counts its rows
    private RelNode whole(RelNode rel, boolean isFree) {
        Kept kept = visit(rel, ImmutableBitSet.range(rel.getRowType().getFieldCount()), isFree);
        if (!kept.isAll()) {
            throw new IllegalStateException("a column that is read is gone");
        }
        return kept.rel;
    }

    /// @param used the columns that somebody reads
    private Kept visit(RelNode rel, ImmutableBitSet used, boolean isFree) {
        PlanningLimits.tick();
        return switch (rel) {
            case Aggregate aggregate -> Kept.all(grouped(aggregate));
            case Filter filter
            when filter.getVariablesSet().isEmpty() && isStable(filter.getCondition()) -> {
                Join semi = isFree ? withCondition(filter, used) : null;
                if (semi != null) {
                    yield joined(semi, used, true);
                }
                Kept input = visit(filter.getInput(), used.union(bits(filter.getCondition())), isFree);
                yield input.rel == filter.getInput()
                        ? new Kept(filter, input.places)
                        : new Kept(
                                filter.copy(filter.getTraitSet(), input.rel, moved(filter.getCondition(), input, null)),
                                input.places);
            }
            case Project project
            when project.getVariablesSet().isEmpty()
                    && !project.containsOver()
                    && project.getProjects().stream().allMatch(Repeats::isStable) -> projected(project, used, isFree);
            case Join join when join.getVariablesSet().isEmpty() -> joined(join, used, isFree);
            case SetOp set -> {
                boolean hasFree = isFree && set instanceof Union || !set.all;
                yield Kept.all(withInputs(set, hasFree));
            }
            default -> Kept.all(withInputs(rel, false));
        };
    }

    /// A filter over a join, as a condition of the join, where that becomes a semi join; else null.
    private Join withCondition(Filter filter, ImmutableBitSet used) {
        if (!(filter.getInput() instanceof Join join) || !join.getVariablesSet().isEmpty()) {
            return null;
        }
        RexNode both = RexUtil.composeConjunction(
                filter.getCluster().getRexBuilder(), List.of(join.getCondition(), filter.getCondition()));
        Join whole = join.copy(
                join.getTraitSet(), both, join.getLeft(), join.getRight(), join.getJoinType(), join.isSemiJoinDone());
        return side(whole, used) == Side.BOTH ? null : whole;
    }

    /// Which side's columns are read of an inner join that may be a semi join.
    private enum Side {
        LEFT,
        RIGHT,
        BOTH
    }

    private Side side(Join join, ImmutableBitSet used) {
        int left = join.getLeft().getRowType().getFieldCount();
        if (join.getJoinType() != JoinRelType.INNER || !evaluations.hasSilentCondition(join)) {
            return Side.BOTH;
        }
        if (used.length() <= left) {
            return Side.LEFT;
        }
        boolean isRight = used.nth(0) >= left && expected.rows(join) >= expected.rows(join.getRight());
        return isRight ? Side.RIGHT : Side.BOTH;
    }

    private RelNode withInputs(RelNode rel, boolean isFree) {
        List<RelNode> inputs =
                rel.getInputs().stream().map(input -> whole(input, isFree)).toList();
        return inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
    }

    private RelNode grouped(Aggregate aggregate) {
        ImmutableBitSet.Builder used = ImmutableBitSet.builder();
        used.addAll(aggregate.getGroupSet());
        boolean isFree = true;
        for (AggregateCall call : aggregate.getAggCallList()) {
            isFree &= call.isDistinct() || GroupingRules.ignoresRepeats(call);
            used.addAll(ImmutableBitSet.of(call.getArgList()));
            call.getCollation().getFieldCollations().stream()
                    .map(RelFieldCollation::getFieldIndex)
                    .forEach(used::set);
            if (call.filterArg >= 0) {
                used.set(call.filterArg);
            }
            if (call.distinctKeys != null) {
                used.addAll(call.distinctKeys);
            }
        }
        Kept input = visit(aggregate.getInput(), used.build(), isFree);
        if (input.rel == aggregate.getInput()) {
            return aggregate;
        }
        Mapping mapping = Mappings.create(
                MappingType.INVERSE_SURJECTION,
                input.places.length,
                input.rel.getRowType().getFieldCount());
        for (int column = 0; column < input.places.length; column++) {
            if (input.places[column] >= 0) {
                mapping.set(column, input.places[column]);
            }
        }
        return aggregate.copy(
                aggregate.getTraitSet(),
                input.rel,
                Mappings.apply(mapping, aggregate.getGroupSet()),
                aggregate.getGroupSets().stream()
                        .map(set -> Mappings.apply(mapping, set))
                        .toList(),
                aggregate.getAggCallList().stream()
                        .map(call -> call.transform(mapping))
                        .toList());
    }

    private Kept projected(Project project, ImmutableBitSet used, boolean isFree) {
        ImmutableBitSet.Builder read = ImmutableBitSet.builder();
        used.forEach(column -> read.addAll(bits(project.getProjects().get(column))));
        Kept input = visit(project.getInput(), read.build(), isFree);
        if (input.isAll()) {
            List<RelNode> inputs = List.of(input.rel);
            return Kept.all(inputs.equals(project.getInputs()) ? project : project.copy(project.getTraitSet(), inputs));
        }
        List<RexNode> columns = new ArrayList<>();
        List<String> names = new ArrayList<>();
        int[] places = new int[project.getProjects().size()];
        Arrays.fill(places, -1);
        for (int column : used) {
            places[column] = columns.size();
            columns.add(moved(project.getProjects().get(column), input, null));
            names.add(project.getRowType().getFieldNames().get(column));
        }
        if (columns.isEmpty()) {
            columns.add(project.getCluster().getRexBuilder().makeLiteral(true)); // rows without columns are rows, too
            names.add("there");
        }
        return new Kept(LogicalProject.create(input.rel, List.of(), columns, names, Set.of()), places);
    }

    private Kept joined(Join join, ImmutableBitSet used, boolean isFree) {
        int left = join.getLeft().getRowType().getFieldCount();
        int right = join.getRight().getRowType().getFieldCount();
        JoinRelType type = join.getJoinType();
        ImmutableBitSet on = bits(join.getCondition());
        ImmutableBitSet lefts = ImmutableBitSet.range(left);
        boolean hasRight = type.projectsRight();
        ImmutableBitSet leftUsed = used.intersect(lefts);
        ImmutableBitSet rightUsed =
                hasRight ? used.intersect(ImmutableBitSet.range(left, left + right)) : ImmutableBitSet.of();
        boolean isNothing = isFree
                && type == JoinRelType.LEFT
                && rightUsed.isEmpty()
                && evaluations.hasSilentCondition(join)
                && evaluations.isSilent(join.getRight());
        if (isNothing) {
            Kept kept = visit(join.getLeft(), leftUsed, true);
            return new Kept(kept.rel, places(kept, null, left + right, 0));
        }
        Side side = isFree ? side(join, used) : Side.BOTH;
        boolean isRightFree = isFree || !hasRight;
        Kept newLeft = visit(join.getLeft(), leftUsed.union(on.intersect(lefts)), isFree);
        Kept newRight = visit(
                join.getRight(),
                rightUsed
                        .union(on.intersect(ImmutableBitSet.range(left, left + right)))
                        .shift(-left),
                isRightFree);
        if (side != Side.BOTH) {
            boolean isTurned = side == Side.RIGHT;
            Kept first = isTurned ? newRight : newLeft;
            Kept second = isTurned ? newLeft : newRight;
            RexNode condition = isTurned
                    ? moved(turned(join.getCondition(), left, right), newRight, newLeft)
                    : moved(join.getCondition(), newLeft, newRight);
            RelNode semi = LogicalJoin.create(first.rel, second.rel, List.of(), condition, Set.of(), JoinRelType.SEMI);
            return new Kept(semi, places(first, null, left + right, isTurned ? left : 0));
        }
        if (newLeft.rel == join.getLeft() && newRight.rel == join.getRight()) {
            return Kept.all(join);
        }
        RelNode made = join.copy(
                join.getTraitSet(),
                moved(join.getCondition(), newLeft, newRight),
                newLeft.rel,
                newRight.rel,
                type,
                join.isSemiJoinDone());
        int width = join.getRowType().getFieldCount();
        int[] places = places(newLeft, hasRight ? newRight : null, width, 0);
        if (type == JoinRelType.LEFT_MARK) {
            places[width - 1] = made.getRowType().getFieldCount() - 1;
        }
        return new Kept(made, places);
    }

    /// @param right null where its columns are gone
    /// @param from the column that is the first one of `first`
    private static int[] places(Kept first, Kept right, int width, int from) {
        int[] places = new int[width];
        Arrays.fill(places, -1);
        System.arraycopy(first.places, 0, places, from, first.places.length);
        int offset = first.rel.getRowType().getFieldCount();
        for (int column = 0; right != null && column < right.places.length; column++) {
            int place = right.places[column];
            places[first.places.length + column] = place < 0 ? -1 : offset + place;
        }
        return places;
    }

    private static RexNode turned(RexNode condition, int left, int right) {
        return condition.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int index = input.getIndex();
                return new RexInputRef(index < left ? index + right : index - left, input.getType());
            }
        });
    }

    /// @param second the columns after those of `first`, or null
    private static RexNode moved(RexNode node, Kept first, Kept second) {
        int offset = first.rel.getRowType().getFieldCount();
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int column = input.getIndex();
                int width = first.places.length;
                int place = column < width ? first.place(column) : offset + second.place(column - width);
                RelDataType type = input.getType();
                return new RexInputRef(place, type);
            }
        });
    }

    /// Random values are made for each row: so many as there are.
    private static boolean isStable(RexNode node) {
        return RexUtil.isDeterministic(node);
    }

    private static ImmutableBitSet bits(RexNode node) {
        return RelOptUtil.InputFinder.bits(node);
    }
}
