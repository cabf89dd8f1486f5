package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Schema;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// The functional dependencies that hold in a node's rows: any two rows that are equal in some columns, NULL being
/// equal to NULL, are equal in others. They follow from tables' keys, equalities, constants, groupings and joins; never
/// from statistics.
///
/// Each value that a row may have below the node is a variable, so that what a column decides is not lost where the
/// columns between them are left out.
///
/// - Source: Paulley, "Exploiting Functional Dependence in Query Optimization" (2000).
final class Dependencies {
    /// Adds what follows from known variables.
    private interface Rule {
        void extend(BitSet known);
    }

    private final List<Rule> rules = new ArrayList<>();
    private int variableCount;
    private int[] columns;

    private Dependencies() {}

    static Dependencies of(RelNode rel) {
        Dependencies dependencies = new Dependencies();
        dependencies.columns = dependencies.variables(rel.stripped());
        return dependencies;
    }

    /// The columns in which rows are equal that are equal in some.
    ImmutableBitSet decidedBy(ImmutableBitSet some) {
        BitSet known = new BitSet();
        some.forEachInt(column -> known.set(columns[column]));
        for (int before = -1; before != known.cardinality(); ) {
            PlanningLimits.tick();
            before = known.cardinality();
            rules.forEach(rule -> rule.extend(known));
        }
        ImmutableBitSet.Builder decided = ImmutableBitSet.builder();
        for (int column = 0; column < columns.length; column++) {
            if (known.get(columns[column])) {
                decided.set(column);
            }
        }
        return decided.build();
    }

    private int[] fresh(int count) {
        int[] variables = new int[count];
        for (int index = 0; index < count; index++) {
            variables[index] = variableCount++;
        }
        return variables;
    }

    private void add(BitSet from, BitSet to) {
        rules.add(known -> {
            BitSet missing = (BitSet) from.clone();
            missing.andNot(known);
            if (missing.isEmpty()) {
                known.or(to);
            }
        });
    }

    private static BitSet set(int... variables) {
        BitSet set = new BitSet();
        for (int variable : variables) {
            set.set(variable);
        }
        return set;
    }

    private static BitSet set(int[] variables, ImmutableBitSet columns) {
        BitSet set = new BitSet();
        columns.forEachInt(column -> set.set(variables[column]));
        return set;
    }

    /// The variables of a node's columns.
    private int[] variables(RelNode rel) {
        return switch (rel) {
            case QuarrelTableScan scan -> ofTable(scan);
            case Filter filter -> {
                int[] variables = variables(filter.getInput().stripped());
                addEqualities(filter.getCondition(), variables);
                yield variables;
            }
            case Project project -> ofProject(project);
            case Join join -> ofJoin(join);
            case Sort sort -> {
                int[] variables = variables(sort.getInput().stripped());
                boolean isOneRow = sort.fetch instanceof RexLiteral fetch
                        && !fetch.isNull()
                        && fetch.getValueAs(BigDecimal.class).compareTo(BigDecimal.ONE) <= 0;
                if (isOneRow) {
                    add(set(), set(variables));
                }
                yield variables;
            }
            case Values values -> {
                int[] variables = fresh(values.getRowType().getFieldCount());
                if (values.getTuples().size() <= 1) {
                    add(set(), set(variables));
                }
                yield variables;
            }
            case Aggregate aggregate -> {
                int[] variables = fresh(aggregate.getRowType().getFieldCount());
                if (aggregate.getGroupType() == Aggregate.Group.SIMPLE) {
                    add(set(variables, ImmutableBitSet.range(aggregate.getGroupCount())), set(variables));
                }
                yield variables;
            }
            default -> fresh(rel.getRowType().getFieldCount());
        };
    }

    private int[] ofTable(QuarrelTableScan scan) {
        Schema schema = scan.source().schema();
        int[] variables = fresh(schema.size());
        for (UniqueKey key : scan.source().uniqueKeys()) {
            List<Integer> places = key.columns().stream().map(schema::indexOf).toList();
            boolean isOfAllRows = !key.nullsDistinct()
                    || places.stream().noneMatch(place -> schema.field(place).nullable());
            if (isOfAllRows) {
                add(set(variables, ImmutableBitSet.of(places)), set(variables));
            }
        }
        return variables;
    }

    private int[] ofProject(Project project) {
        RelNode input = project.getInput().stripped();
        int[] below = variables(input);
        int[] variables = new int[project.getProjects().size()];
        for (int column = 0; column < variables.length; column++) {
            RexNode node = project.getProjects().get(column);
            if (node instanceof RexInputRef reference) {
                variables[column] = below[reference.getIndex()];
                continue;
            }
            variables[column] = variableCount++;
            if (isFunction(node, input.getRowType())) {
                add(set(below, RelOptUtil.InputFinder.bits(node)), set(variables[column]));
            }
        }
        return variables;
    }

    /// Whether equal columns give equal values.
    private static boolean isFunction(RexNode node, RelDataType rowType) {
        boolean[] isOther = {false};
        node.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitOver(RexOver over) {
                isOther[0] = true;
                return null;
            }

            @Override
            public Void visitSubQuery(RexSubQuery query) {
                isOther[0] = true;
                return null;
            }
        });
        List<RelDataTypeField> fields = rowType.getFieldList();
        return !isOther[0]
                && RexUtil.isDeterministic(node)
                && RelOptUtil.InputFinder.bits(node).asList().stream()
                        .noneMatch(column ->
                                GroupingRules.mayDiffer(fields.get(column).getType()));
    }

    /// What a condition says of rows that meet it.
    private void addEqualities(RexNode condition, int[] variables) {
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            if (conjunct.getKind() != SqlKind.EQUALS || !(conjunct instanceof RexCall equality)) {
                continue;
            }
            RexNode one = equality.getOperands().get(0);
            RexNode two = equality.getOperands().get(1);
            if (one instanceof RexInputRef left && two instanceof RexInputRef right) {
                int first = variables[left.getIndex()];
                int second = variables[right.getIndex()];
                add(set(first), set(second));
                add(set(second), set(first));
            } else if (one instanceof RexInputRef left && two instanceof RexLiteral) {
                add(set(), set(variables[left.getIndex()]));
            } else if (two instanceof RexInputRef right && one instanceof RexLiteral) {
                add(set(), set(variables[right.getIndex()]));
            }
        }
    }

    private int[] ofJoin(Join join) {
        JoinRelType type = join.getJoinType();
        RelNode left = join.getLeft().stripped();
        RelNode right = join.getRight().stripped();
        int[] variables = fresh(join.getRowType().getFieldCount());
        int[] ofLeft = type.generatesNullsOnLeft() ? padded(left, variables, 0) : variables(left);
        System.arraycopy(ofLeft, 0, variables, 0, ofLeft.length);
        switch (type) {
            case SEMI, ANTI, LEFT_MARK -> {}
            case LEFT -> padRight(join, left, right, variables);
            case RIGHT, INNER -> {
                int[] ofRight = variables(right);
                System.arraycopy(ofRight, 0, variables, ofLeft.length, ofRight.length);
            }
            case FULL -> padded(right, variables, ofLeft.length);
            default -> {}
        }
        if (type == JoinRelType.INNER) {
            addEqualities(join.getCondition(), variables);
        }
        return variables;
    }

    /// A side of an outer join that may be missing: its columns are NULL together then. One that has no NULLs tells
    /// such a row from the others.
    private int[] padded(RelNode side, int[] variables, int first) {
        addPadded(Dependencies.of(side), side, variables, first);
        return java.util.Arrays.copyOfRange(
                variables, first, first + side.getRowType().getFieldCount());
    }

    private void addPadded(Dependencies inner, RelNode side, int[] variables, int first) {
        List<RelDataTypeField> fields = side.getRowType().getFieldList();
        rules.add(known -> {
            ImmutableBitSet.Builder some = ImmutableBitSet.builder();
            boolean tellsMissing = false;
            for (int column = 0; column < fields.size(); column++) {
                if (known.get(variables[first + column])) {
                    some.set(column);
                    tellsMissing |= !fields.get(column).getType().isNullable();
                }
            }
            if (tellsMissing) {
                inner.decidedBy(some.build()).forEachInt(column -> known.set(variables[first + column]));
            }
        });
    }

    /// Rows of the left side that are equal in all that the condition reads have the same partners: what these have in
    /// common by their keys, or NULL.
    private void padRight(Join join, RelNode left, RelNode right, int[] variables) {
        int width = left.getRowType().getFieldCount();
        Dependencies inner = Dependencies.of(right);
        addPadded(inner, right, variables, width);
        ImmutableBitSet.Builder keys = ImmutableBitSet.builder();
        boolean isSame = true;
        for (RexNode conjunct : RelOptUtil.conjunctions(join.getCondition())) {
            if (conjunct.getKind() == SqlKind.EQUALS
                    && ((RexCall) conjunct).getOperands().get(0) instanceof RexInputRef one
                    && ((RexCall) conjunct).getOperands().get(1) instanceof RexInputRef two
                    && one.getIndex() < width != two.getIndex() < width) {
                keys.set(Math.max(one.getIndex(), two.getIndex()) - width);
            } else {
                isSame &= isFunction(conjunct, join.getRowType());
            }
        }
        if (isSame) {
            ImmutableBitSet read =
                    RelOptUtil.InputFinder.bits(join.getCondition()).intersect(ImmutableBitSet.range(width));
            BitSet decided = new BitSet();
            inner.decidedBy(keys.build()).forEachInt(column -> decided.set(variables[width + column]));
            add(set(variables, read), decided);
        }
    }
}
