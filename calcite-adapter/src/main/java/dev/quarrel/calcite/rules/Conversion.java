package dev.quarrel.calcite.rules;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.lower.Aggregates;
import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import dev.quarrel.calcite.rel.AsofJoin;
import dev.quarrel.calcite.rel.HostRel;
import dev.quarrel.calcite.rel.LastRows;
import dev.quarrel.calcite.rel.NumberedRows;
import dev.quarrel.calcite.rel.QuarrelAppend;
import dev.quarrel.calcite.rel.QuarrelCorrelate;
import dev.quarrel.calcite.rel.QuarrelFilter;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelGroupingSets;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.rel.QuarrelLast;
import dev.quarrel.calcite.rel.QuarrelLimit;
import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.QuarrelRel;
import dev.quarrel.calcite.rel.QuarrelRowNumber;
import dev.quarrel.calcite.rel.QuarrelShared;
import dev.quarrel.calcite.rel.QuarrelSort;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.rel.QuarrelUnion;
import dev.quarrel.calcite.rel.QuarrelValues;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// Replaces every logical node by a physical one: either a node that becomes part of a pipeline, or one that the
/// host runs.
///
/// - Errors: 0A000 that names what neither can do.
public final class Conversion {
    /// Keys of a join on a device, at most.
    private static final int MAX_KEYS = 31;
    /// Rows of one key on average, from which on it pays to group them before a join asks whether there is one.
    private static final double ROWS_A_KEY = 4;

    private final RelOptCluster cluster;
    private final RexBuilder rexBuilder;
    private final RelTraitSet traits;
    private final QuarrelMetadata metadata;
    private final Map<Object, RelNode> shared = new IdentityHashMap<>();

    private Conversion(RelOptCluster cluster) {
        this.cluster = cluster;
        this.rexBuilder = cluster.getRexBuilder();
        this.metadata = QuarrelMetadata.of(cluster);
        this.traits = cluster.traitSetOf(QuarrelRel.CONVENTION);
    }

    public static RelNode of(RelNode root) {
        return new Conversion(root.getCluster()).convert(root);
    }

    private static QueryException unsupported(String reason) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + reason);
    }

    private RelNode convert(RelNode rel) {
        return switch (rel) {
            case QuarrelTableScan scan -> scan;
            case TableScan scan -> {
                QuarrelTable table = scan.getTable().unwrap(QuarrelTable.class);
                if (table == null) {
                    throw unsupported(
                            "table " + String.join(".", scan.getTable().getQualifiedName()) + " is no dataset");
                }
                yield new QuarrelTableScan(cluster, traits, scan.getTable(), table.source());
            }
            case Filter filter when joinBelow(filter) != null -> inner(joinBelow(filter), conditionsAbove(filter));
            case Filter filter -> filter(convert(filter.getInput()), filter.getCondition());
            case Project project -> project(project);
            case Join join -> join(join);
            case Aggregate aggregate -> aggregate(aggregate);
            case QuarrelGroupingSets sets -> groupingSets(sets);
            case Sort sort -> sort(sort);
            case Values values -> values(values);
            case SetOp set -> setOperation(set);
            case Correlate correlate -> correlate(correlate);
            case QuarrelFunctions functions -> {
                requireHeld(functions.getRowType());
                yield functions.copy(traits, List.of(convert(functions.getInput())));
            }
            case AsofJoin join -> nearest(join);
            case LastRows last -> new QuarrelLast(cluster, traits, convert(last.getInput()), last.count());
            case NumberedRows rows -> numbered(rows);
            case SharedRows rows -> shared(rows.query());
            case QuarrelRecursion recursion -> recursion(recursion);
            case QuarrelWorkingTable table ->
                new QuarrelWorkingTable(cluster, traits, table.getRowType(), table.identity());
            default ->
                throw unsupported(rel.getRelTypeName().toLowerCase(Locale.ROOT).replace("logical", ""));
        };
    }

    private RelNode filter(RelNode rows, RexNode condition) {
        if (condition.isAlwaysTrue()) {
            return rows;
        }
        List<RexNode> conjuncts = RelOptUtil.conjunctions(condition);
        RelNode input = FirstRows.asked(rows, conjuncts);
        if (obstacle(input, conjuncts) == null) {
            return new QuarrelFilter(cluster, traits, input, condition);
        }
        // What comes before the first function call is applied first: it sees fewer rows then.
        int first = 0;
        while (obstacle(input, conjuncts.subList(0, first + 1)) == null) {
            first++;
        }
        RelNode before = filter(input, RexUtil.composeConjunction(rexBuilder, conjuncts.subList(0, first)));
        HostCalls calls = HostCalls.extract(before, conjuncts.subList(first, first + 1));
        requireRunnable(calls.input(), calls.expressions());
        RelNode filtered = new QuarrelFilter(
                cluster, traits, calls.input(), calls.expressions().getFirst());
        List<RexNode> columns = references(filtered, input.getRowType().getFieldCount());
        RelNode narrowed = new QuarrelProject(cluster, traits, filtered, columns, input.getRowType());
        return filter(narrowed, RexUtil.composeConjunction(rexBuilder, conjuncts.subList(first + 1, conjuncts.size())));
    }

    private String obstacle(RelNode input, List<RexNode> expressions) {
        return obstacle(input.getRowType(), expressions);
    }

    private String obstacle(RelDataType rowType, List<RexNode> expressions) {
        Failing failing = Failing.over(rowType, rexBuilder);
        for (RexNode expression : expressions) {
            String obstacle = failing.obstacle(expression);
            if (obstacle != null) {
                return obstacle;
            }
        }
        return null;
    }

    private void requireRunnable(RelNode input, List<RexNode> expressions) {
        String obstacle = obstacle(input, expressions);
        if (obstacle != null) {
            throw unsupported(obstacle);
        }
    }

    private List<RexNode> references(RelNode rel, int count) {
        List<RexNode> references = new ArrayList<>();
        for (int column = 0; column < count; column++) {
            references.add(rexBuilder.makeInputRef(rel, column));
        }
        return references;
    }

    private RelNode project(Project project) {
        RelNode input = convert(project.getInput());
        return project(input, project.getProjects(), project.getRowType());
    }

    private RelNode project(RelNode input, List<RexNode> expressions, RelDataType rowType) {
        if (obstacle(input, expressions) == null) {
            return new QuarrelProject(cluster, traits, input, expressions, rowType);
        }
        Windows windows = Windows.extract(this, input, expressions);
        HostCalls calls = HostCalls.extract(windows.input(), windows.expressions());
        requireRunnable(calls.input(), calls.expressions());
        return new QuarrelProject(cluster, traits, calls.input(), calls.expressions(), rowType);
    }

    RelNode projectRows(RelNode input, List<RexNode> expressions) {
        RelDataType rowType = RexUtil.createStructType(
                cluster.getTypeFactory(),
                expressions,
                null,
                org.apache.calcite.sql.validate.SqlValidatorUtil.F_SUGGESTER);
        return project(input, expressions, rowType);
    }

    RelOptCluster cluster() {
        return cluster;
    }

    RelTraitSet traits() {
        return traits;
    }

    /// The inner join of whose rows a filter, or filters one above the other, ask the conditions that are no keys; or
    /// null.
    private static Join joinBelow(RelNode rel) {
        return switch (rel) {
            case Filter filter -> joinBelow(filter.getInput());
            case Join join when InnerJoins.isInner(join) -> join;
            default -> null;
        };
    }

    private static List<RexNode> conditionsAbove(RelNode rel) {
        if (!(rel instanceof Filter filter)) {
            return List.of();
        }
        List<RexNode> conditions = new ArrayList<>(conditionsAbove(filter.getInput()));
        conditions.addAll(RelOptUtil.conjunctions(filter.getCondition()));
        return conditions;
    }

    /// @param above conditions on the joined rows
    private RelNode inner(Join join, List<RexNode> above) {
        RelNode left = convert(join.getLeft());
        RelNode right = convert(join.getRight());
        JoinKeys keys = JoinKeys.of(left, right, join.getCondition(), rexBuilder);
        List<RexNode> conditions = new ArrayList<>(keys.residual());
        conditions.addAll(above);
        RangedSides ranges = RangedSides.of(join, left, right, new JoinKeys(keys.pairs(), conditions), metadata);
        RelNode joined = ranges.isTurned()
                ? turned(left, right, new JoinKeys(keys.pairs(), List.of()), JoinKind.INNER, ranges.range())
                : equiJoin(left, right, keys.pairs(), List.of(), JoinKind.INNER, ranges.range());
        List<RexNode> residual = ranges.rest(conditions);
        if (ranges.range() != null
                && ranges.range().prevailing()
                && reads(ranges.isTurned() ? right : left, left, right, residual)) {
            throw unsupported("INCLUDE PREVAILING with a condition that is asked behind it");
        }
        return residual.isEmpty() ? joined : filter(joined, RexUtil.composeConjunction(rexBuilder, residual));
    }

    /// Whether conditions over two sides read columns of another side than one.
    private static boolean reads(RelNode allowed, RelNode left, RelNode right, List<RexNode> conditions) {
        int leftCount = left.getRowType().getFieldCount();
        ImmutableBitSet columns = allowed == left
                ? ImmutableBitSet.range(leftCount)
                : ImmutableBitSet.range(
                        leftCount, leftCount + right.getRowType().getFieldCount());
        return conditions.stream().anyMatch(node -> !columns.contains(RelOptUtil.InputFinder.bits(node)));
    }

    private RelNode join(Join join) {
        if (InnerJoins.isInner(join)) {
            return inner(join, List.of());
        }
        RelNode left = convert(join.getLeft());
        RelNode right = convert(join.getRight());
        if (join.getJoinType() == JoinRelType.RIGHT || !join.getVariablesSet().isEmpty()) {
            throw unsupported(join.getJoinType() + " JOIN that stayed");
        }
        if (join.getJoinType() == JoinRelType.LEFT_MARK) {
            return mark(left, right, join);
        }
        JoinKeys keys = JoinKeys.of(left, right, join.getCondition(), rexBuilder);
        RangedSides ranges = RangedSides.of(join, left, right, keys, metadata);
        JoinKeys rest = new JoinKeys(keys.pairs(), ranges.rest(keys.residual()));
        // What no program computes is computed by the host, over the pairs.
        if (obstacle(pairType(left, right), rest.residual()) != null) {
            return join.getJoinType() == JoinRelType.FULL
                    ? full(left, right, join)
                    : oneSided(left, right, keys, join.getJoinType());
        }
        boolean isTurned = ranges.isTurned();
        JoinKind kind =
                switch (join.getJoinType()) {
                    case LEFT -> isTurned ? JoinKind.RIGHT : JoinKind.LEFT;
                    case FULL -> JoinKind.FULL;
                    case SEMI -> isTurned ? JoinKind.RIGHT_SEMI : JoinKind.SEMI;
                    case ANTI -> isTurned ? JoinKind.RIGHT_ANTI : JoinKind.ANTI;
                    default -> throw unsupported(join.getJoinType() + " JOIN");
                };
        return isTurned
                ? turned(left, right, rest, kind, ranges.range())
                : equiJoin(left, right, rest.pairs(), rest.residual(), kind, ranges.range());
    }

    /// Without keys all rows have one in common.
    private RelNode nearest(AsofJoin join) {
        AsofJoin.Match match = join.match();
        RelNode left = convert(join.getLeft());
        RelNode right = convert(join.getRight());
        int leftCount = left.getRowType().getFieldCount();
        int rightCount = right.getRowType().getFieldCount();
        List<Integer> leftKeys = match.leftKeys();
        List<Integer> rightKeys = match.rightKeys();
        for (int key = 0; key < leftKeys.size(); key++) {
            RelDataType one =
                    left.getRowType().getFieldList().get(leftKeys.get(key)).getType();
            RelDataType other =
                    right.getRowType().getFieldList().get(rightKeys.get(key)).getType();
            if (PipelineEmitter.joinKeyType(one, other) == null) {
                throw unsupported("an ASOF join by keys of types " + one + " and " + other);
            }
        }
        boolean isLoop = leftKeys.isEmpty();
        RelNode wideLeft = isLoop ? withOne(left) : left;
        RelNode wideRight = isLoop ? withOne(right) : right;
        int wideCount = wideLeft.getRowType().getFieldCount();
        RexNode residual = null;
        if (match.bound() >= 0) {
            boolean isBefore = match.relation() == Relation.GE || match.relation() == Relation.GT;
            RelDataType pair = pairType(wideLeft, wideRight);
            residual = rexBuilder.makeCall(
                    isBefore ? SqlStdOperatorTable.GREATER_THAN_OR_EQUAL : SqlStdOperatorTable.LESS_THAN_OR_EQUAL,
                    RexInputRef.of(wideCount + match.right(), pair),
                    RexInputRef.of(match.bound(), pair));
        }
        RelNode joined = new QuarrelJoin(
                cluster,
                traits,
                wideLeft,
                wideRight,
                match.keepsLeft() ? JoinKind.LEFT : JoinKind.INNER,
                isLoop ? List.of(leftCount) : leftKeys,
                isLoop ? List.of(rightCount) : rightKeys,
                residual,
                new QuarrelJoin.Nearest(match.left(), match.right(), match.relation()),
                null);
        if (!isLoop) {
            return joined;
        }
        List<RexNode> kept = new ArrayList<>();
        addReferences(kept, joined, 0, leftCount);
        addReferences(kept, joined, wideCount, rightCount);
        return projectRows(joined, kept);
    }

    private RelNode withOne(RelNode rel) {
        List<RexNode> columns = references(rel, rel.getRowType().getFieldCount());
        columns.add(rexBuilder.makeExactLiteral(
                java.math.BigDecimal.ONE, cluster.getTypeFactory().createSqlType(SqlTypeName.INTEGER)));
        return projectRows(rel, columns);
    }

    private RelNode mark(RelNode left, RelNode right, Join join) {
        JoinKeys.Mark keys = JoinKeys.ofMark(left, right, join.getCondition());
        String obstacle = obstacle(pairType(left, right), keys.residual());
        if (obstacle != null) {
            throw unsupported(obstacle);
        }
        JoinRange range = keys.isIn() ? null : RangedSides.ofMark(join, left, right, keys, metadata);
        return equiJoin(
                left,
                right,
                keys.pairs(),
                range == null ? keys.residual() : range.rest(keys.residual()),
                keys.isIn() ? JoinKind.MARK_IN : JoinKind.MARK,
                range);
    }

    /// The join with the larger right side streaming and the left one built; columns stay in order.
    ///
    /// @param range of the turned join; null for none
    private RelNode turned(RelNode left, RelNode right, JoinKeys keys, JoinKind kind, JoinRange range) {
        int leftCount = left.getRowType().getFieldCount();
        int rightCount = right.getRowType().getFieldCount();
        JoinKeys turned = keys.turned(leftCount, rightCount);
        RelNode joined = equiJoin(right, left, turned.pairs(), turned.residual(), kind, range);
        if (!kind.hasCarried()) {
            return joined;
        }
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < leftCount + rightCount; column++) {
            columns.add(rexBuilder.makeInputRef(joined, column < leftCount ? column + rightCount : column - leftCount));
        }
        return projectRows(joined, columns);
    }

    private RelDataType pairType(RelNode left, RelNode right) {
        return cluster.getTypeFactory()
                .builder()
                .addAll(left.getRowType().getFieldList())
                .addAll(right.getRowType().getFieldList())
                .uniquify()
                .build();
    }

    private RelNode equiJoin(
            RelNode left, RelNode right, List<JoinKeys.Pair> pairs, List<RexNode> residual, JoinKind kind) {
        return equiJoin(left, right, pairs, residual, kind, null);
    }

    /// A join on the device; the sides get columns for keys that are no columns, which are dropped above.
    ///
    /// @param range null for a join with all rows with equal keys
    private RelNode equiJoin(
            RelNode left,
            RelNode right,
            List<JoinKeys.Pair> pairs,
            List<RexNode> residual,
            JoinKind kind,
            JoinRange range) {
        int leftCount = left.getRowType().getFieldCount();
        int rightCount = right.getRowType().getFieldCount();
        List<RexNode> leftColumns = references(left, leftCount);
        List<RexNode> rightColumns = references(right, rightCount);
        List<Integer> leftKeys =
                pairs.stream().map(pair -> columnOf(leftColumns, pair.left())).toList();
        List<Integer> rightKeys =
                pairs.stream().map(pair -> columnOf(rightColumns, pair.right())).toList();
        QuarrelJoin.Range between = range == null
                ? null
                : new QuarrelJoin.Range(
                        columnOf(rightColumns, inType(range.column(), range.type())),
                        range.lower(),
                        range.upper(),
                        range.type(),
                        range.prevailing());
        RelNode wideLeft = leftColumns.size() == leftCount ? left : projectRows(left, leftColumns);
        RelNode wideRight = rightColumns.size() == rightCount ? right : projectRows(right, rightColumns);
        List<RexNode> moved = residual.stream()
                .map(node -> JoinKeys.shiftFrom(node, leftCount, leftColumns.size() - leftCount))
                .toList();
        RelNode joined = new QuarrelJoin(
                cluster,
                traits,
                wideLeft,
                wideRight,
                kind,
                leftKeys,
                rightKeys,
                moved.isEmpty() ? null : RexUtil.composeConjunction(rexBuilder, moved),
                null,
                between);
        if (wideLeft == left && wideRight == right) {
            return joined;
        }
        List<RexNode> kept = new ArrayList<>();
        int first = 0;
        if (kind.hasCarried()) {
            addReferences(kept, joined, 0, leftCount);
            first = leftColumns.size();
        }
        if (kind.hasPayload()) {
            addReferences(kept, joined, first, rightCount);
        }
        if (kind.hasMark()) {
            addReferences(kept, joined, first, 1);
        }
        return projectRows(joined, kept);
    }

    private RexNode inType(RexNode node, DataType type) {
        if (PipelineEmitter.typeOf(node).equals(type)) {
            return node;
        }
        RelDataType wanted = SqlTypes.relType(cluster.getTypeFactory(), type);
        return rexBuilder.makeAbstractCast(
                cluster.getTypeFactory()
                        .createTypeWithNullability(wanted, node.getType().isNullable()),
                node,
                false);
    }

    private void addReferences(List<RexNode> references, RelNode rel, int first, int count) {
        for (int column = first; column < first + count; column++) {
            references.add(rexBuilder.makeInputRef(rel, column));
        }
    }

    private static int columnOf(List<RexNode> columns, RexNode expression) {
        int known = columns.indexOf(expression);
        if (known >= 0) {
            return known;
        }
        columns.add(expression);
        return columns.size() - 1;
    }

    /// LEFT, SEMI, ANTI with a condition that no program computes: the pairs that meet it are joined first, and
    /// the left rows are told apart by whether they are among them.
    private RelNode oneSided(RelNode left, RelNode right, JoinKeys keys, JoinRelType type) {
        RelNode numbered = new QuarrelRowNumber(cluster, traits, left);
        int leftCount = left.getRowType().getFieldCount();
        RelNode pairs = pairs(numbered, right, keys, leftCount);
        return switch (type) {
            case SEMI, ANTI -> projectRows(byNumber(numbered, pairs, leftCount, type), references(left, leftCount));
            default -> union(List.of(matched(pairs, leftCount, -1), unmatchedLeft(numbered, pairs, right, leftCount)));
        };
    }

    /// Rows of numbered left side and right side that meet the condition.
    private RelNode pairs(RelNode numberedLeft, RelNode right, JoinKeys keys, int leftCount) {
        RelNode joined = equiJoin(numberedLeft, right, keys.pairs(), List.of(), JoinKind.INNER);
        List<RexNode> residual = keys.residual().stream()
                .map(node -> JoinKeys.shiftFrom(node, leftCount, 1))
                .toList();
        return filter(joined, RexUtil.composeConjunction(rexBuilder, residual));
    }

    private RelNode byNumber(RelNode numbered, RelNode pairs, int numberInPairs, JoinRelType type) {
        RelNode numbers = projectRows(pairs, List.of(rexBuilder.makeInputRef(pairs, numberInPairs)));
        int number = numbered.getRowType().getFieldCount() - 1;
        return new QuarrelJoin(
                cluster,
                traits,
                numbered,
                numbers,
                type == JoinRelType.SEMI ? JoinKind.SEMI : JoinKind.ANTI,
                List.of(number),
                List.of(0),
                null);
    }

    /// The pairs without the numbers.
    private RelNode matched(RelNode pairs, int leftNumber, int rightNumber) {
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < pairs.getRowType().getFieldCount(); column++) {
            if (column != leftNumber && column != rightNumber) {
                columns.add(rexBuilder.makeInputRef(pairs, column));
            }
        }
        return projectRows(pairs, columns);
    }

    private RelNode unmatchedLeft(RelNode numbered, RelNode pairs, RelNode right, int leftCount) {
        RelNode rest = byNumber(numbered, pairs, leftCount, JoinRelType.ANTI);
        List<RexNode> columns = references(rest, leftCount);
        right.getRowType().getFieldList().forEach(field -> columns.add(rexBuilder.makeNullLiteral(field.getType())));
        return projectRows(rest, columns);
    }

    private RelNode full(RelNode left, RelNode right, Join join) {
        RelNode numberedLeft = new QuarrelRowNumber(cluster, traits, left);
        RelNode numberedRight = new QuarrelRowNumber(cluster, traits, right);
        int leftCount = left.getRowType().getFieldCount();
        int rightCount = right.getRowType().getFieldCount();
        JoinKeys keys = JoinKeys.of(left, right, join.getCondition(), rexBuilder);
        RelNode pairs = pairs(numberedLeft, numberedRight, keys, leftCount);
        int rightNumber = leftCount + 1 + rightCount;
        RelNode restRight = byNumber(numberedRight, pairs, rightNumber, JoinRelType.ANTI);
        List<RexNode> columns = new ArrayList<>();
        left.getRowType().getFieldList().forEach(field -> columns.add(rexBuilder.makeNullLiteral(field.getType())));
        columns.addAll(references(restRight, rightCount));
        return union(List.of(
                matched(pairs, leftCount, rightNumber),
                unmatchedLeft(numberedLeft, pairs, right, leftCount),
                projectRows(restRight, columns)));
    }

    private RelNode aggregate(Aggregate aggregate) {
        RelNode input = convert(aggregate.getInput());
        for (AggregateCall call : aggregate.getAggCallList()) {
            String obstacle = Aggregates.obstacle(call, input.getRowType());
            if (obstacle != null) {
                throw unsupported(obstacle);
            }
        }
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
            throw unsupported("several grouping sets");
        }
        requireHeld(input.getRowType());
        return grouped(input, aggregate.getGroupSet(), aggregate.getAggCallList());
    }

    private RelNode groupingSets(QuarrelGroupingSets sets) {
        RelNode input = convert(sets.getInput());
        for (AggregateCall call : sets.calls()) {
            String obstacle = Aggregates.obstacle(call, input.getRowType());
            if (obstacle != null) {
                throw unsupported(obstacle);
            }
        }
        requireHeld(input.getRowType());
        requireEquality(input, sets.keys().asList());
        return sets.copy(traits, List.of(input));
    }

    private RelNode grouped(RelNode input, ImmutableBitSet keys, List<AggregateCall> calls) {
        requireEquality(
                input,
                keys.asList().stream()
                        .filter(key -> !DocumentKeys.isDocument(
                                input.getRowType().getFieldList().get(key).getType()))
                        .toList());
        return DocumentKeys.group(this, rexBuilder, input, keys, calls);
    }

    /// An aggregate of one column, of all its rows.
    static AggregateCall aggregateOf(SqlAggFunction function, int column, RelDataType type) {
        return AggregateCall.create(
                SqlParserPos.ZERO,
                function,
                false,
                false,
                false,
                List.of(),
                List.of(column),
                -1,
                null,
                RelCollations.EMPTY,
                type,
                null);
    }

    private static void requireHeld(RelDataType rowType) {
        for (RelDataTypeField field : rowType.getFieldList()) {
            if (PipelineEmitter.joinKeyType(field.getType(), field.getType()) == null) {
                throw unsupported("a column of type " + field.getType());
            }
        }
    }

    /// - Errors: 0A000 for a key that is an array whose text does not say whether it equals another.
    static void requireEquality(RelNode input, List<Integer> keys) {
        for (int key : keys) {
            RelDataType type = input.getRowType().getFieldList().get(key).getType();
            if (SqlTypes.isKeyed(type) && !SqlTypes.isEqualAsText(type)) {
                throw unsupported(
                        "comparing values of type " + SqlTypes.pgType(type).formatName() + " by their texts");
            }
            if (DocumentKeys.isDocument(type)) {
                throw unsupported("comparing jsonb here");
            }
        }
    }

    /// - Errors: 0A000 for a key that is an array.
    void requireComparable(RelNode input, List<Integer> keys) {
        for (int key : keys) {
            if (SqlTypes.isKeyed(input.getRowType().getFieldList().get(key).getType())) {
                throw unsupported("comparing values by their texts");
            }
        }
    }

    private RelNode sort(Sort sort) {
        RelNode input = convert(sort.getInput());
        requireHeld(input.getRowType());
        requireCount(sort.offset, SqlState.INVALID_ROW_COUNT_IN_OFFSET_CLAUSE, "OFFSET");
        requireCount(sort.fetch, SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE, "LIMIT");
        RelNode lazy = sort.getCollation().getFieldCollations().isEmpty() ? Lazily.first(input, atMost(sort)) : null;
        if (lazy != null) {
            return new QuarrelLimit(cluster, traits, lazy, bounds(sort));
        }
        int count = input.getRowType().getFieldCount();
        List<RexNode> columns = new ArrayList<>(columns(input, count));
        List<RelFieldCollation> keys = new ArrayList<>();
        for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
            RexNode column = columns.get(key.getFieldIndex());
            if (Operators.hasOrderKey(column.getType())) {
                keys.add(key.withFieldIndex(columns.size()));
                columns.add(Operators.orderKey(new RexMaker(rexBuilder), column));
            } else {
                keys.add(key);
            }
        }
        if (columns.size() == count) {
            return new QuarrelSort(cluster, traits, input, sort.getCollation(), sort.offset, sort.fetch);
        }
        RelNode sorted = new QuarrelSort(
                cluster, traits, projectRows(input, columns), RelCollations.of(keys), sort.offset, sort.fetch);
        return projectRows(sorted, columns(sorted, count));
    }

    /// - Errors: 2201W, 2201X for a negative number; 0A000 for one that is known neither now nor when the sort begins.
    private static void requireCount(RexNode count, SqlState state, String clause) {
        switch (count) {
            case null -> {}
            case RexLiteral literal -> {
                if (!literal.isNull() && literal.getValueAs(BigDecimal.class).signum() < 0) {
                    throw new QueryException(state, clause + " must not be negative");
                }
            }
            case RexDynamicParam _ -> {}
            case RexFieldAccess _ -> {}
            default -> throw unsupported("LIMIT or OFFSET that is no constant");
        }
    }

    /// The first columns of an input.
    private List<RexNode> columns(RelNode input, int count) {
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < count; column++) {
            columns.add(rexBuilder.makeInputRef(input, column));
        }
        return columns;
    }

    private RexLiteral atMost(Sort sort) {
        boolean isKnown = sort.fetch instanceof RexLiteral fetch
                && !fetch.isNull()
                && (sort.offset == null || sort.offset instanceof RexLiteral offset && !offset.isNull());
        if (!isKnown) {
            return null;
        }
        BigDecimal rows = ((RexLiteral) sort.fetch).getValueAs(BigDecimal.class);
        if (sort.offset != null) {
            rows = rows.add(((RexLiteral) sort.offset).getValueAs(BigDecimal.class));
        }
        return rows.signum() < 0 || rows.toBigInteger().bitLength() > 62
                ? null
                : rexBuilder.makeExactLiteral(
                        rows, cluster.getTypeFactory().createSqlType(org.apache.calcite.sql.type.SqlTypeName.BIGINT));
    }

    private RelNode bounds(Sort sort) {
        RelDataType bigint = cluster.getTypeFactory()
                .createTypeWithNullability(
                        cluster.getTypeFactory().createSqlType(org.apache.calcite.sql.type.SqlTypeName.BIGINT), true);
        List<RexNode> bounds = new ArrayList<>();
        for (RexNode bound : new RexNode[] {sort.offset, sort.fetch}) {
            bounds.add(
                    bound == null
                            ? rexBuilder.makeNullLiteral(bigint)
                            : rexBuilder.makeAbstractCast(bigint, bound, false));
        }
        return projectRows(convert(LogicalValues.createOneRow(cluster)), bounds);
    }

    private RelNode values(Values values) {
        requireHeld(values.getRowType());
        ImmutableList<ImmutableList<RexLiteral>> tuples = values.getTuples();
        return new QuarrelValues(cluster, traits, values.getRowType(), tuples);
    }

    private RelNode setOperation(SetOp set) {
        List<RelNode> inputs = new ArrayList<>();
        for (RelNode input : set.getInputs()) {
            inputs.add(asRowType(convert(input), set.getRowType()));
        }
        return switch (set) {
            case Union union -> union.all ? union(inputs) : distinct(union(inputs));
            case Intersect _, Minus _ -> compared(set, inputs);
            default -> throw unsupported(set.getRelTypeName());
        };
    }

    private RelNode union(List<RelNode> inputs) {
        RelDataType rowType = inputs.getFirst().getRowType();
        List<RelNode> same =
                inputs.stream().map(input -> asRowType(input, rowType)).toList();
        // Rows that the host makes all the same are handed on as they come, and need not be held for a pipeline.
        return same.stream().allMatch(HostRel.class::isInstance)
                ? new QuarrelAppend(cluster, traits, same)
                : new QuarrelUnion(cluster, traits, same);
    }

    private RelNode distinct(RelNode input) {
        ImmutableBitSet all = ImmutableBitSet.range(input.getRowType().getFieldCount());
        return grouped(input, all, List.of());
    }

    /// Columns held in the types of `rowType`.
    private RelNode asRowType(RelNode input, RelDataType rowType) {
        List<DataType> have = PipelineEmitter.types(input.getRowType());
        List<DataType> want = PipelineEmitter.types(rowType);
        if (have.equals(want)) {
            return input;
        }
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : rowType.getFieldList()) {
            RexNode column = rexBuilder.makeInputRef(input, field.getIndex());
            columns.add(
                    have.get(field.getIndex()).equals(want.get(field.getIndex()))
                            ? column
                            : rexBuilder.makeAbstractCast(field.getType(), column, false));
        }
        return projectRows(input, columns);
    }

    /// INTERSECT and EXCEPT.
    private RelNode compared(SetOp set, List<RelNode> inputs) {
        int width = set.getRowType().getFieldCount();
        RelNode result = set.all ? copiesApart(inputs.getFirst()) : inputs.getFirst();
        for (RelNode other : inputs.subList(1, inputs.size())) {
            result = compared(result, set.all ? copiesApart(other) : other, set.all, set instanceof Minus);
        }
        return set.all ? projectRows(result, references(result, width)) : result;
    }

    /// The distinct rows of one input that the other has too, or has not: NULLs are equal here.
    ///
    /// @param isDistinct whether the second has no row twice
    private RelNode compared(RelNode first, RelNode second, boolean isDistinct, boolean minus) {
        RelDataType pair = pairType(first, second);
        int width = first.getRowType().getFieldCount();
        List<RexNode> equal = IntStream.range(0, width)
                .mapToObj(column -> rexBuilder.makeCall(
                        SqlStdOperatorTable.IS_NOT_DISTINCT_FROM,
                        RexInputRef.of(column, pair),
                        RexInputRef.of(width + column, pair)))
                .toList();
        JoinKeys keys = JoinKeys.of(first, second, RexUtil.composeConjunction(rexBuilder, equal), rexBuilder);
        boolean anyDocument =
                first.getRowType().getFieldList().stream().anyMatch(field -> DocumentKeys.isDocument(field.getType()));
        if (width == 0
                || anyDocument
                || !keys.residual().isEmpty()
                || keys.pairs().size() > MAX_KEYS) {
            return counted(first, second, minus);
        }
        // Rows that come many times are told apart once.
        RelNode other = isDistinct || !isRepeated(second) ? second : distinct(second);
        RelNode kept = metadata.rows(first) < metadata.rows(other)
                ? turned(first, other, keys, minus ? JoinKind.RIGHT_ANTI : JoinKind.RIGHT_SEMI, null)
                : equiJoin(first, other, keys.pairs(), List.of(), minus ? JoinKind.ANTI : JoinKind.SEMI);
        return distinct(kept); // of what is equal, as -0 and 0 are, one form
    }

    private boolean isRepeated(RelNode input) {
        ImmutableBitSet all = ImmutableBitSet.range(input.getRowType().getFieldCount());
        Double distinct = metadata.getDistinctRowCount(input, all, null);
        return distinct != null && distinct * ROWS_A_KEY < metadata.rows(input);
    }

    /// ALL counts copies: the n-th copy of a row is a row that has n too.
    private RelNode copiesApart(RelNode input) {
        List<RexNode> columns = references(input, input.getRowType().getFieldCount());
        RexNode copy = rexBuilder.makeOver(
                cluster.getTypeFactory().createSqlType(SqlTypeName.BIGINT),
                SqlStdOperatorTable.ROW_NUMBER,
                List.of(),
                List.copyOf(columns),
                ImmutableList.of(),
                RexWindowBounds.UNBOUNDED_PRECEDING,
                RexWindowBounds.CURRENT_ROW,
                RexWindowExclusion.EXCLUDE_NO_OTHER,
                true,
                true,
                false,
                false,
                false);
        columns.add(copy);
        return projectRows(input, columns);
    }

    /// The same by grouping: for each distinct row, from which inputs it comes.
    private RelNode counted(RelNode first, RelNode second, boolean minus) {
        int width = first.getRowType().getFieldCount();
        RelNode all = union(List.of(marked(first, true), marked(second, false)));
        List<RexNode> columns = references(all, width);
        RelDataType whole = cluster.getTypeFactory().createSqlType(SqlTypeName.INTEGER);
        RexNode isFirst = rexBuilder.makeInputRef(all, width);
        RexNode one = rexBuilder.makeExactLiteral(BigDecimal.ONE, whole);
        RexNode zero = rexBuilder.makeExactLiteral(BigDecimal.ZERO, whole);
        columns.add(rexBuilder.makeCall(whole, SqlStdOperatorTable.CASE, List.of(isFirst, one, zero)));
        columns.add(rexBuilder.makeCall(whole, SqlStdOperatorTable.CASE, List.of(isFirst, zero, one)));
        RelNode flags = projectRows(all, columns);
        List<AggregateCall> calls = new ArrayList<>();
        for (int column = width; column < width + 2; column++) {
            calls.add(aggregateOf(SqlStdOperatorTable.MAX, column, whole));
        }
        ImmutableBitSet keys = ImmutableBitSet.range(width);
        RelNode groups = grouped(flags, keys, calls);
        RexNode inFirst = rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, rexBuilder.makeInputRef(groups, width), one);
        RexNode inSecond = rexBuilder.makeCall(
                SqlStdOperatorTable.EQUALS, rexBuilder.makeInputRef(groups, width + 1), minus ? zero : one);
        RelNode kept = filter(groups, RexUtil.composeConjunction(rexBuilder, List.of(inFirst, inSecond)));
        return projectRows(kept, references(kept, width));
    }

    private RelNode marked(RelNode input, boolean isFirst) {
        List<RexNode> columns = references(input, input.getRowType().getFieldCount());
        columns.add(rexBuilder.makeLiteral(isFirst));
        return projectRows(input, columns);
    }

    /// One node for all that read it.
    private RelNode shared(SharedQuery query) {
        RelNode made = shared.get(query);
        if (made == null) {
            RelNode input = convert(query.rel());
            requireHeld(input.getRowType());
            made = new QuarrelShared(cluster, traits, asRowType(input, query.rowType()), query);
            shared.put(query, made);
        }
        return made;
    }

    /// One node for all copies: their rows are made once.
    private RelNode numbered(NumberedRows rows) {
        RelNode made = shared.get(rows.identity());
        if (made == null) {
            made = new QuarrelRowNumber(cluster, traits, convert(rows.getInput()));
            shared.put(rows.identity(), made);
        }
        return made;
    }

    /// One node for all that read it.
    private RelNode recursion(QuarrelRecursion recursion) {
        RelNode made = shared.get(recursion.identity());
        if (made == null) {
            requireHeld(recursion.getRowType());
            if (recursion.isDistinct()) {
                requireEquality(
                        recursion,
                        ImmutableBitSet.range(recursion.getRowType().getFieldCount())
                                .asList());
            }
            made = new QuarrelRecursion(
                    cluster,
                    traits,
                    asRowType(convert(recursion.getLeft()), recursion.getRowType()),
                    asRowType(convert(recursion.getRight()), recursion.getRowType()),
                    recursion.getRowType(),
                    recursion.identity(),
                    recursion.isDistinct());
            shared.put(recursion.identity(), made);
        }
        return made;
    }

    private RelNode correlate(Correlate correlate) {
        if (correlate.getJoinType() != JoinRelType.INNER && correlate.getJoinType() != JoinRelType.LEFT) {
            throw unsupported(correlate.getJoinType() + " of a correlated sub-query");
        }
        return new QuarrelCorrelate(
                cluster,
                traits,
                convert(correlate.getLeft()),
                convert(correlate.getRight()),
                correlate.getCorrelationId(),
                correlate.getRequiredColumns(),
                correlate.getJoinType());
    }
}
