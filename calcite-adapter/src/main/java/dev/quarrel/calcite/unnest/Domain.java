package dev.quarrel.calcite.unnest;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.rel.NumberedRows;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalIntersect;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalMinus;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// The domain of a correlated query: a relation with a row for each distinct combination of the values that the
/// query reads from its outer rows, or for each outer row. The query becomes one that answers for every row of
/// the relation at once, and says which row each answer is for.
///
/// - Source: Neumann and Kemper, "Unnesting Arbitrary Queries" (BTW 2015).
final class Domain {
    private final RelNode rel;
    /// Which column of the row around a column is; -1 for its number.
    private final List<Integer> columns;
    /// So many first columns tell the relation's rows apart.
    private final int keyCount;

    private final References references;
    private final Function<Aggregate, RelNode> setsApart;
    private final RexBuilder rexBuilder;
    private final Map<Object, RelNode> numbered = new HashMap<>();

    private Domain(
            RelNode rel,
            List<Integer> columns,
            int keyCount,
            References references,
            Function<Aggregate, RelNode> setsApart) {
        this.rel = rel;
        this.columns = List.copyOf(columns);
        this.keyCount = keyCount;
        this.references = references;
        this.setsApart = setsApart;
        this.rexBuilder = rel.getCluster().getRexBuilder();
    }

    /// Each combination of values once. The rows are made a second time for it, so they must be the same each time, and
    /// values that are equal must be the same.
    static Domain ofValues(
            RelNode rows, ImmutableBitSet read, References references, Function<Aggregate, RelNode> setsApart) {
        RelNode narrow = projected(rows, read.asList());
        RelNode distinct =
                LogicalAggregate.create(narrow, List.of(), ImmutableBitSet.range(read.cardinality()), null, List.of());
        return new Domain(distinct, read.asList(), read.cardinality(), references, setsApart);
    }

    /// Each row on its own.
    static Domain ofRows(
            NumberedRows rows, ImmutableBitSet read, References references, Function<Aggregate, RelNode> setsApart) {
        List<Integer> all = new ArrayList<>();
        all.add(rows.getRowType().getFieldCount() - 1);
        all.addAll(read.asList());
        List<Integer> columns = new ArrayList<>(all);
        columns.set(0, -1);
        return new Domain(projected(rows, all), columns, 1, references, setsApart);
    }

    /// Thrown for a query that cannot be answered for many rows at once.
    static final class NotAtOnce extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotAtOnce(String what) {
            super(what, null, false, false);
        }
    }

    private static RelNode projected(RelNode rel, List<Integer> columns) {
        List<RexNode> kept = new ArrayList<>();
        columns.forEach(column -> kept.add(rel.getCluster().getRexBuilder().makeInputRef(rel, column)));
        return LogicalProject.create(rel, List.of(), kept, (List<String>) null, Set.of());
    }

    private static int width(RelNode rel) {
        return rel.getRowType().getFieldCount();
    }

    private int width() {
        return columns.size();
    }

    /// A row around is that of a row of the pushed query: `around` holds the row's columns, its number last if it has
    /// one.
    ///
    /// @param first the domain's first column in a row of both
    RexNode isFor(RelNode around, int first) {
        List<RexNode> same = new ArrayList<>();
        for (int key = 0; key < keyCount; key++) {
            int column = columns.get(key) < 0 ? width(around) - 1 : columns.get(key);
            same.add(equal(rexBuilder.makeInputRef(around, column), first + key));
        }
        return RexUtil.composeConjunction(rexBuilder, same);
    }

    /// Two columns of the domain are the same value, or both NULL.
    private RexNode equal(RexNode left, int right) {
        boolean mayBeNull = left.getType().isNullable();
        return rexBuilder.makeCall(
                mayBeNull ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM : SqlStdOperatorTable.EQUALS,
                left,
                new RexInputRef(right, left.getType()));
    }

    private RexNode sameKeys(int left, int right) {
        List<RexNode> same = new ArrayList<>();
        for (int key = 0; key < keyCount; key++) {
            same.add(equal(new RexInputRef(left + key, typeOf(key)), right + key));
        }
        return RexUtil.composeConjunction(rexBuilder, same);
    }

    private RelDataType typeOf(int column) {
        return rel.getRowType().getFieldList().get(column).getType();
    }

    /// The query for every row of the domain: its columns, then the domain's.
    ///
    /// - Errors: [NotAtOnce]
    RelNode push(RelNode query) {
        if (!references.in(query)) {
            return LogicalJoin.create(query, rel, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
        }
        return switch (query) {
            case Filter filter -> {
                RelNode input = push(filter.getInput());
                yield LogicalFilter.create(input, over(filter.getCondition(), width(filter.getInput())));
            }
            case Project project -> project(project);
            case Join join -> join(join);
            case Aggregate aggregate -> aggregate(aggregate);
            case Sort sort -> sort(sort);
            case SetOp set -> setOperation(set);
            case NumberedRows rows -> numbered(rows);
            case QuarrelFunctions functions -> functions(functions);
            default -> throw new NotAtOnce(query.getRelTypeName());
        };
    }

    /// An expression with the domain's columns for those of the row around.
    ///
    /// @param first the domain's first column
    private RexNode over(RexNode node, int first) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
                if (!references.isTo(access)) {
                    return access;
                }
                int column = columns.indexOf(references.column(access));
                return new RexInputRef(first + column, typeOf(column));
            }
        });
    }

    private void addColumns(List<RexNode> list, int first) {
        for (int column = 0; column < width(); column++) {
            list.add(new RexInputRef(first + column, typeOf(column)));
        }
    }

    private RelNode project(Project project) {
        RelNode input = push(project.getInput());
        int first = width(project.getInput());
        List<RexNode> expressions = new ArrayList<>();
        for (RexNode expression : project.getProjects()) {
            expressions.add(partitioned(over(expression, first), first));
        }
        addColumns(expressions, first);
        return LogicalProject.create(input, List.of(), expressions, (List<String>) null, Set.of());
    }

    /// A window of the query is one of a row around.
    private RexNode partitioned(RexNode node, int first) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitOver(RexOver over) {
                RexOver visited = (RexOver) super.visitOver(over);
                RexWindow window = visited.getWindow();
                List<RexNode> keys = new ArrayList<>(window.partitionKeys);
                for (int key = 0; key < keyCount; key++) {
                    keys.add(new RexInputRef(first + key, typeOf(key)));
                }
                return rexBuilder.makeOver(
                        visited.getType(),
                        visited.getAggOperator(),
                        visited.getOperands(),
                        keys,
                        window.orderKeys,
                        window.getLowerBound(),
                        window.getUpperBound(),
                        window.getExclude(),
                        window.isRows(),
                        true,
                        false,
                        visited.isDistinct(),
                        visited.ignoreNulls());
            }
        });
    }

    private RelNode join(Join join) {
        return switch (join.getJoinType()) {
            case INNER ->
                references.in(join.getLeft()) || !references.in(join.getRight()) ? leftJoin(join) : rightOfInner(join);
            case LEFT, SEMI, ANTI, LEFT_MARK -> leftJoin(join);
            case RIGHT -> push(turned(join));
            case FULL -> fullJoin(join);
            default -> throw new NotAtOnce(join.getJoinType() + " JOIN");
        };
    }

    private RelNode rightOfInner(Join join) {
        RelNode right = push(join.getRight());
        int first = width(join);
        return LogicalJoin.create(
                join.getLeft(), right, List.of(), over(join.getCondition(), first), Set.of(), JoinRelType.INNER);
    }

    /// The left side's rows say for which rows around they are; a right side that differs between those is matched by
    /// them.
    private RelNode leftJoin(Join join) {
        int leftWidth = width(join.getLeft());
        RelNode left = push(join.getLeft());
        boolean isFree = !references.in(join.getRight());
        RelNode right = isFree ? join.getRight() : push(join.getRight());
        RexNode condition = over(RexUtil.shift(join.getCondition(), leftWidth, width()), leftWidth);
        if (!isFree) {
            RexNode same = sameKeys(leftWidth, leftWidth + width() + width(join.getRight()));
            condition = RexUtil.composeConjunction(rexBuilder, List.of(same, condition));
        }
        RelNode joined = LogicalJoin.create(left, right, List.of(), condition, Set.of(), join.getJoinType());
        List<Integer> order = new ArrayList<>();
        IntStream.range(0, leftWidth).forEach(order::add);
        IntStream.range(leftWidth, width(join)).forEach(column -> order.add(column + width()));
        IntStream.range(leftWidth, leftWidth + width()).forEach(order::add);
        return projected(joined, order);
    }

    private RelNode fullJoin(Join join) {
        int leftWidth = width(join.getLeft());
        int rightWidth = width(join.getRight());
        int second = leftWidth + width();
        RexNode condition = RexUtil.composeConjunction(
                rexBuilder,
                List.of(
                        sameKeys(leftWidth, second + rightWidth),
                        over(RexUtil.shift(join.getCondition(), leftWidth, width()), leftWidth)));
        RelNode joined = LogicalJoin.create(
                push(join.getLeft()), push(join.getRight()), List.of(), condition, Set.of(), JoinRelType.FULL);
        List<RexNode> all = new ArrayList<>();
        IntStream.range(0, leftWidth).forEach(column -> all.add(rexBuilder.makeInputRef(joined, column)));
        IntStream.range(second, second + rightWidth)
                .forEach(column -> all.add(rexBuilder.makeInputRef(joined, column)));
        for (int column = 0; column < width(); column++) {
            RexNode one = rexBuilder.makeInputRef(joined, leftWidth + column);
            RexNode other = rexBuilder.makeInputRef(joined, second + rightWidth + column);
            RexNode either = rexBuilder.makeCall(one.getType(), SqlStdOperatorTable.COALESCE, List.of(one, other));
            // Each row is for some row around, whose columns are NULL only if they were.
            all.add(typeOf(column).isNullable() ? either : rexBuilder.makeAbstractCast(typeOf(column), either, false));
        }
        return LogicalProject.create(joined, List.of(), all, (List<String>) null, Set.of());
    }

    /// A RIGHT JOIN as a LEFT JOIN.
    static RelNode turned(Join join) {
        int left = width(join.getLeft());
        int right = width(join.getRight());
        RexNode condition = join.getCondition().accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int index = input.getIndex();
                return new RexInputRef(index < left ? index + right : index - left, input.getType());
            }
        });
        RelNode other =
                LogicalJoin.create(join.getRight(), join.getLeft(), List.of(), condition, Set.of(), JoinRelType.LEFT);
        List<Integer> order = new ArrayList<>();
        IntStream.range(right, right + left).forEach(order::add);
        IntStream.range(0, right).forEach(order::add);
        return projected(other, order);
    }

    private RelNode aggregate(Aggregate aggregate) {
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
            RelNode apart = setsApart.apply(aggregate);
            if (apart instanceof Aggregate) {
                throw new NotAtOnce("grouping sets");
            }
            return push(apart);
        }
        int groups = aggregate.getGroupCount();
        if (groups == 0 && aggregate.getAggCallList().stream().anyMatch(Keyed::isOwnOfNone)) {
            throw new NotAtOnce("an application's aggregate");
        }
        RelNode input = push(aggregate.getInput());
        int first = width(aggregate.getInput());
        int calls = aggregate.getAggCallList().size();
        ImmutableBitSet keys = aggregate.getGroupSet().union(ImmutableBitSet.range(first, first + width()));
        List<AggregateCall> made = aggregate.getAggCallList().stream()
                .map(call -> AggregateCall.create(
                        call.getParserPosition(),
                        call.getAggregation(),
                        call.isDistinct(),
                        call.isApproximate(),
                        call.ignoreNulls(),
                        call.rexList,
                        call.getArgList(),
                        call.filterArg,
                        call.distinctKeys,
                        call.getCollation(),
                        keys.isEmpty(),
                        input,
                        null,
                        null))
                .toList();
        RelNode grouped = LogicalAggregate.create(input, List.of(), keys, null, made);
        if (groups > 0) {
            List<Integer> order = new ArrayList<>();
            IntStream.range(0, groups).forEach(order::add);
            IntStream.range(groups + width(), groups + width() + calls).forEach(order::add);
            IntStream.range(groups, groups + width()).forEach(order::add);
            return projected(grouped, order);
        }
        // Without keys there is a row for no rows as well.
        RelNode all = LogicalJoin.create(rel, grouped, List.of(), sameKeys(0, width()), Set.of(), JoinRelType.LEFT);
        List<RexNode> results = new ArrayList<>();
        for (int call = 0; call < calls; call++) {
            results.add(Keyed.result(aggregate, call, rexBuilder.makeInputRef(all, 2 * width() + call), rexBuilder));
        }
        addColumns(results, 0);
        return LogicalProject.create(all, List.of(), results, (List<String>) null, Set.of());
    }

    /// The domain's columns come with the rows that the functions are called for.
    private RelNode functions(QuarrelFunctions functions) {
        if (functions.isOuter()) {
            throw new NotAtOnce("functions in an outer join");
        }
        RelNode input = push(functions.getInput());
        int own = width(functions.getInput());
        var rowType = rexBuilder.getTypeFactory().builder();
        rowType.addAll(input.getRowType().getFieldList());
        rowType.addAll(functions.getRowType().getFieldList().subList(functions.kept(), width(functions)));
        RelNode made =
                functions.over(input, width(input), 0, false, rowType.uniquify().build());
        List<Integer> order = new ArrayList<>();
        IntStream.range(0, functions.kept()).forEach(order::add);
        IntStream.range(width(input), width(made)).forEach(order::add);
        IntStream.range(own, width(input)).forEach(order::add);
        return projected(made, order);
    }

    /// All copies stay one.
    private RelNode numbered(NumberedRows rows) {
        RelNode pushed = numbered.get(rows.identity());
        if (pushed == null) {
            int own = width(rows.getInput());
            List<Integer> order = new ArrayList<>();
            IntStream.range(0, own).forEach(order::add);
            order.add(own + width());
            IntStream.range(own, own + width()).forEach(order::add);
            pushed = projected(NumberedRows.of(push(rows.getInput())), order);
            numbered.put(rows.identity(), pushed);
        }
        return pushed;
    }

    /// LIMIT counts the rows of each row around.
    private RelNode sort(Sort sort) {
        RelNode input = push(sort.getInput());
        RelCollation collation = sort.getCollation();
        if (sort.fetch == null && sort.offset == null) {
            return LogicalSort.create(input, collation, null, null);
        }
        int first = width(sort.getInput());
        long skipped = sort.offset == null ? 0 : count(sort.offset);
        ImmutableList.Builder<RexFieldCollation> order = ImmutableList.builder();
        for (RelFieldCollation field : collation.getFieldCollations()) {
            EnumSet<SqlKind> flags = EnumSet.noneOf(SqlKind.class);
            if (field.getDirection().isDescending()) {
                flags.add(SqlKind.DESCENDING);
            }
            boolean nullsFirst = field.nullDirection == RelFieldCollation.NullDirection.FIRST
                    || field.nullDirection == RelFieldCollation.NullDirection.UNSPECIFIED
                            && field.getDirection().isDescending();
            flags.add(nullsFirst ? SqlKind.NULLS_FIRST : SqlKind.NULLS_LAST);
            order.add(new RexFieldCollation(rexBuilder.makeInputRef(input, field.getFieldIndex()), flags));
        }
        List<RexNode> keys = new ArrayList<>();
        for (int key = 0; key < keyCount; key++) {
            keys.add(rexBuilder.makeInputRef(input, first + key));
        }
        RelDataType bigint = rexBuilder.getTypeFactory().createSqlType(SqlTypeName.BIGINT);
        List<RexNode> columnsAndPlace = new ArrayList<>();
        for (int column = 0; column < width(input); column++) {
            columnsAndPlace.add(rexBuilder.makeInputRef(input, column));
        }
        columnsAndPlace.add(rexBuilder.makeOver(
                bigint,
                SqlStdOperatorTable.ROW_NUMBER,
                List.of(),
                keys,
                order.build(),
                RexWindowBounds.UNBOUNDED_PRECEDING,
                RexWindowBounds.CURRENT_ROW,
                RexWindowExclusion.EXCLUDE_NO_OTHER,
                true,
                true,
                false,
                false,
                false));
        RelNode placed = LogicalProject.create(input, List.of(), columnsAndPlace, (List<String>) null, Set.of());
        RexNode place = rexBuilder.makeInputRef(placed, width(input));
        List<RexNode> conditions = new ArrayList<>();
        if (skipped > 0) {
            conditions.add(rexBuilder.makeCall(
                    SqlStdOperatorTable.GREATER_THAN,
                    place,
                    rexBuilder.makeExactLiteral(BigDecimal.valueOf(skipped), bigint)));
        }
        if (sort.fetch != null) {
            BigDecimal last = BigDecimal.valueOf(skipped).add(BigDecimal.valueOf(count(sort.fetch)));
            if (last.unscaledValue().bitLength() <= 63) {
                conditions.add(rexBuilder.makeCall(
                        SqlStdOperatorTable.LESS_THAN_OR_EQUAL, place, rexBuilder.makeExactLiteral(last, bigint)));
            }
        }
        RelNode kept = LogicalFilter.create(placed, RexUtil.composeConjunction(rexBuilder, conditions));
        RelNode narrow =
                projected(kept, IntStream.range(0, width(input)).boxed().toList());
        return collation.getFieldCollations().isEmpty() ? narrow : LogicalSort.create(narrow, collation, null, null);
    }

    private static long count(RexNode node) {
        if (node instanceof RexLiteral literal && !literal.isNull()) {
            return literal.getValueAs(BigDecimal.class).longValueExact();
        }
        throw new NotAtOnce("LIMIT of a parameter");
    }

    private RelNode setOperation(SetOp set) {
        List<RelNode> inputs = set.getInputs().stream().map(this::push).toList();
        return switch (set) {
            case Union _ -> LogicalUnion.create(inputs, set.all);
            case Intersect _ -> LogicalIntersect.create(inputs, set.all);
            case Minus _ -> LogicalMinus.create(inputs, set.all);
            default -> throw new NotAtOnce(set.getRelTypeName());
        };
    }
}
