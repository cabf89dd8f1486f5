package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import dev.quarrel.calcite.sql.type.SqlTypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// Aggregates through joins that make many more rows than any of their relations has: credits, reviews and awards of a
/// work, each with each, to be counted.
///
/// Relations are taken off one by one: one whose shared columns all are columns of one other relation tells that one,
/// for each value of these columns, how many rows it has and what the aggregates of its own columns are: a message.
/// Messages are joined instead of rows, and counts multiplied; no join is larger than the relations are. What forms a
/// cycle is joined as it was.
///
/// - Source: Yannakakis, "Algorithms for Acyclic Database Schemes" (1981); Graham's and Yu and Özsoyoğlu's reduction;
///   Khamis, Ngo and Rudra, "FAQ: Questions Asked Frequently" (2016).
final class JoinMessages {
    /// Fewer rows are joined as they are.
    private static final double MIN_ROWS = 20_000;

    /// So many times the rows of its larger side come out of some join, at least.
    private static final double MIN_GROWTH = 1.5;

    /// A message has such a part of the rows at most; what would have more is joined as it is.
    private static final double MAX_GROUPS = 0.5;

    private static final int MAX_RELATIONS = 40;

    private final RexBuilder rexBuilder;
    private final QuarrelMetadata expected;

    private JoinMessages(RelNode root) {
        this.rexBuilder = root.getCluster().getRexBuilder();
        this.expected = QuarrelMetadata.of(root);
    }

    static RelNode apply(RelNode root) {
        return new JoinMessages(root).visit(root);
    }

    private RelNode visit(RelNode rel) {
        PlanningLimits.tick();
        List<RelNode> inputs = rel.getInputs().stream().map(this::visit).toList();
        RelNode here = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
        return here instanceof Aggregate aggregate ? told(aggregate) : here;
    }

    private RelNode told(Aggregate aggregate) {
        boolean isPlain = aggregate.getGroupType() == Aggregate.Group.SIMPLE
                && aggregate.getAggCallList().stream()
                        .allMatch(call -> EagerAggregation.merging(call, aggregate.getInput()) != null);
        if (!isPlain || expected.rows(aggregate.getInput()) < MIN_ROWS) {
            return aggregate;
        }
        InnerJoins joins = InnerJoins.of(aggregate);
        if (joins == null || joins.relations.size() < 2 || joins.relations.size() > MAX_RELATIONS) {
            return aggregate;
        }
        if (joins.conditions.keySet().stream().noneMatch(this::isGrowing)) {
            return aggregate;
        }
        RelNode found = new Elimination(aggregate, joins).eliminated();
        return found == null ? aggregate : Pushdown.apply(found);
    }

    /// Whether a join is expected to have more rows than either of its sides: rows of one key meet each other.
    private boolean isGrowing(RelNode rel) {
        return rel instanceof Join join
                && expected.rows(join) >= MIN_ROWS
                && expected.rows(join) >= MIN_GROWTH * expected.rows(join.getLeft())
                && expected.rows(join) >= MIN_GROWTH * expected.rows(join.getRight());
    }

    /// What a call is of: one relation's columns.
    ///
    /// @param relation -1 for `count(*)`
    /// @param argument over the joins' columns; null for `count(*)`
    /// @param filter likewise; null for none
    private record Source(AggregateCall call, int relation, RexNode argument, RexNode filter) {}

    /// A relation with what it was told.
    private static final class Node {
        private RelNode rel;

        /// The joins' columns, by where they are.
        private final Map<Integer, Integer> columns = new HashMap<>();

        /// Columns that say how many rows a row stands for; the product of all counts.
        private final List<Integer> counts = new ArrayList<>();

        /// By call: what is known of it already.
        private final Map<Integer, Partial> partials = new HashMap<>();

        private Node(RelNode rel) {
            this.rel = rel;
        }
    }

    /// @param count the count of the rows that it is of: it does not count again; -1 for none
    private record Partial(int column, int count) {}

    private final class Elimination {
        private final Aggregate aggregate;
        private final InnerJoins joins;
        private final List<Source> sources = new ArrayList<>();
        private final List<RexNode> keys = new ArrayList<>();
        private final List<RexNode> conditions = new ArrayList<>();
        private final int[] classes; // by column of the joins: the least column that it is equal to
        private final Map<Integer, Node> nodes = new LinkedHashMap<>();
        private boolean hasMessage;

        Elimination(Aggregate aggregate, InnerJoins joins) {
            this.aggregate = aggregate;
            this.joins = joins;
            int width = joins.firstColumns.getLast()
                    + joins.relations.getLast().getRowType().getFieldCount();
            this.classes = new int[width];
            for (int column = 0; column < width; column++) {
                classes[column] = column;
            }
            for (List<RexNode> each : joins.conditions.values()) {
                for (RexNode condition : each) {
                    if (!unite(condition)) {
                        conditions.add(condition);
                    }
                }
            }
            aggregate.getGroupSet().forEach(key -> keys.add(joins.outputs.get(key)));
        }

        /// Makes one class of two columns of one type that are equal; whether the condition says that of any.
        private boolean unite(RexNode condition) {
            if (condition.getKind() != SqlKind.EQUALS
                    || !(condition instanceof RexCall call)
                    || !(call.getOperands().get(0) instanceof RexInputRef one)
                    || !(call.getOperands().get(1) instanceof RexInputRef other)
                    || one.getType().getSqlTypeName() != other.getType().getSqlTypeName()) {
                return false;
            }
            int from = Math.max(classes[one.getIndex()], classes[other.getIndex()]);
            int to = Math.min(classes[one.getIndex()], classes[other.getIndex()]);
            for (int column = 0; column < classes.length; column++) {
                classes[column] = classes[column] == from ? to : classes[column];
            }
            return true;
        }

        /// null where there is no message worth its while.
        RelNode eliminated() {
            for (AggregateCall call : aggregate.getAggCallList()) {
                RexNode argument = call.getArgList().isEmpty()
                        ? null
                        : joins.outputs.get(call.getArgList().getFirst());
                RexNode filter = call.filterArg < 0 ? null : joins.outputs.get(call.filterArg);
                long read = (argument == null ? 0 : joins.read(argument)) | (filter == null ? 0 : joins.read(filter));
                if (Long.bitCount(read) > 1 || read == 0 && (argument != null || filter != null)) {
                    return null;
                }
                sources.add(new Source(call, read == 0 ? -1 : Long.numberOfTrailingZeros(read), argument, filter));
            }
            for (int relation = 0; relation < joins.relations.size(); relation++) {
                Node node = new Node(joins.relations.get(relation));
                for (int column : joins.columns(relation)) {
                    node.columns.put(column, column - joins.firstColumns.get(relation));
                }
                nodes.put(relation, node);
            }
            if (!withOwnEqualities()) {
                return null;
            }
            int root = root();
            boolean goesOn = true;
            while (goesOn && nodes.size() > 1) {
                goesOn = false;
                for (int relation : List.copyOf(nodes.keySet())) {
                    int other = relation == root ? -1 : witness(relation);
                    if (other >= 0) {
                        tell(nodes.remove(relation), relation, nodes.get(other), other);
                        goesOn = true;
                        break;
                    }
                }
            }
            return hasMessage ? finished() : null;
        }

        /// Two columns of one relation that others make equal would need a condition of their own.
        private boolean withOwnEqualities() {
            for (int relation = 0; relation < joins.relations.size(); relation++) {
                Set<Integer> found = new LinkedHashSet<>();
                for (int column : joins.columns(relation)) {
                    if (isShared(classes[column]) && !found.add(classes[column])) {
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean isShared(int of) {
            int count = 0;
            for (int each : classes) {
                count += each == of ? 1 : 0;
            }
            return count > 1;
        }

        /// The relation that is never taken off: the one that most keys are of, or the largest.
        private int root() {
            int best = 0;
            double most = -1;
            for (int relation : nodes.keySet()) {
                long bit = 1L << relation;
                double keyed = keys.stream()
                        .filter(key -> (joins.read(key) & bit) != 0)
                        .count();
                double weight = keyed * 1e15 + expected.rows(joins.relations.get(relation));
                if (weight > most) {
                    best = relation;
                    most = weight;
                }
            }
            return best;
        }

        /// The classes that a node has a column of, by that column.
        private Map<Integer, Integer> classesOf(Node node) {
            Map<Integer, Integer> found = new LinkedHashMap<>();
            node.columns.keySet().stream().sorted().forEach(column -> found.putIfAbsent(classes[column], column));
            return found;
        }

        private Set<Integer> sharedWithOthers(int relation) {
            Set<Integer> shared = new LinkedHashSet<>();
            Map<Integer, Integer> own = classesOf(nodes.get(relation));
            nodes.forEach((other, node) -> {
                if (other != relation) {
                    classesOf(node).keySet().stream().filter(own::containsKey).forEach(shared::add);
                }
            });
            return shared;
        }

        /// The relation that has all columns that this one shares with any; -1 if none has.
        private int witness(int relation) {
            Set<Integer> shared = sharedWithOthers(relation);
            long asked = 0;
            for (RexNode condition : conditions) {
                long read = holding(condition);
                asked |= (read >> relation & 1) == 1 ? read : 0;
            }
            for (int other : nodes.keySet()) {
                boolean isWitness = other != relation
                        && (asked & ~(1L << relation | 1L << other)) == 0
                        && classesOf(nodes.get(other)).keySet().containsAll(shared)
                        && (!shared.isEmpty() || asked != 0);
                if (isWitness) {
                    return other;
                }
            }
            return -1;
        }

        /// The nodes that have columns of a condition now, a bit each.
        private long holding(RexNode condition) {
            long found = 0;
            for (int column : RelOptUtil.InputFinder.bits(condition)) {
                for (Map.Entry<Integer, Node> each : nodes.entrySet()) {
                    if (each.getValue().columns.containsKey(column)) {
                        found |= 1L << each.getKey();
                        break;
                    }
                }
            }
            return found;
        }

        private void tell(Node node, int relation, Node other, int to) {
            nodes.put(relation, node);
            Set<Integer> shared = sharedWithOthers(relation);
            long both = 1L << relation | 1L << to;
            List<RexNode> between = new ArrayList<>();
            for (RexNode condition : conditions) {
                long read = holding(condition);
                if ((read >> relation & 1) == 1 && (read & ~both) == 0) {
                    between.add(condition);
                }
            }
            nodes.remove(relation);
            conditions.removeAll(between);
            Map<Integer, Integer> own = classesOf(node);
            Set<Integer> kept = new LinkedHashSet<>();
            shared.forEach(each -> kept.add(own.get(each)));
            between.forEach(condition -> addColumns(condition, node, kept));
            keys.forEach(key -> addColumns(key, node, kept));
            Node message = message(node, kept);
            join(other, message == null ? node : message, shared, between);
        }

        private static void addColumns(RexNode expression, Node node, Set<Integer> columns) {
            for (int column : RelOptUtil.InputFinder.bits(expression)) {
                if (node.columns.containsKey(column)) {
                    columns.add(column);
                }
            }
        }

        /// What a node says of each value of some columns; null where these are nearly as many as its rows,
        /// or where equal ones may differ.
        private Node message(Node node, Set<Integer> kept) {
            List<RexNode> columns = new ArrayList<>();
            kept.forEach(column -> columns.add(ref(node, column)));
            if (columns.stream().anyMatch(column -> GroupingRules.mayDiffer(column.getType()))) {
                return null;
            }
            RelNode narrow = LogicalProject.create(node.rel, List.of(), columns, (List<String>) null, Set.of());
            double groups = expected.rows(
                    LogicalAggregate.create(narrow, List.of(), ImmutableBitSet.range(columns.size()), null, List.of()));
            if (groups > MAX_GROUPS * expected.rows(node.rel)) {
                return null;
            }
            hasMessage = true;
            Calls calls = new Calls(node, columns);
            List<Integer> told = new ArrayList<>();
            for (int index = 0; index < sources.size(); index++) {
                Source source = sources.get(index);
                boolean isHere = node.partials.containsKey(index)
                        || source.argument() != null && isOf(source.argument(), node)
                        || source.filter() != null && isOf(source.filter(), node);
                if (isHere) {
                    calls.add(index);
                    told.add(index);
                }
            }
            boolean isCounted = sources.stream().anyMatch(source -> counts(source.call()));
            if (isCounted) {
                calls.addCount();
            }
            RelNode grouped = calls.grouped(kept.size());
            Node message = new Node(grouped);
            int place = 0;
            for (int column : kept) {
                message.columns.put(column, place++);
            }
            int count = isCounted ? kept.size() + told.size() : -1;
            for (int index : told) {
                message.partials.put(index, new Partial(place++, count));
            }
            if (isCounted) {
                message.counts.add(count);
            }
            return message;
        }

        private boolean isOf(RexNode expression, Node node) {
            ImmutableBitSet read = RelOptUtil.InputFinder.bits(expression);
            return !read.isEmpty() && node.columns.containsKey(read.nth(0));
        }

        private void join(Node to, Node told, Set<Integer> shared, List<RexNode> between) {
            Map<Integer, Integer> own = classesOf(to);
            Map<Integer, Integer> others = classesOf(told);
            int width = to.rel.getRowType().getFieldCount();
            RelNode types = LogicalJoin.create(
                    to.rel, told.rel, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
            List<RexNode> on = new ArrayList<>();
            for (int each : shared) {
                on.add(rexBuilder.makeCall(
                        SqlStdOperatorTable.EQUALS,
                        rexBuilder.makeInputRef(types, to.columns.get(own.get(each))),
                        rexBuilder.makeInputRef(types, width + told.columns.get(others.get(each)))));
            }
            told.columns.forEach((column, place) -> to.columns.putIfAbsent(column, width + place));
            told.counts.forEach(count -> to.counts.add(width + count));
            told.partials.forEach((index, partial) -> to.partials.put(
                    index, new Partial(width + partial.column(), partial.count() < 0 ? -1 : width + partial.count())));
            between.forEach(condition -> on.add(moved(condition, to, types)));
            to.rel = LogicalJoin.create(
                    to.rel,
                    told.rel,
                    List.of(),
                    RexUtil.composeConjunction(rexBuilder, on),
                    Set.of(),
                    JoinRelType.INNER);
        }

        /// What is left is joined, and grouped as the statement says.
        private RelNode finished() {
            List<Node> left = List.copyOf(nodes.values());
            Node whole = left.getFirst();
            for (Node node : left.subList(1, left.size())) {
                Set<Integer> shared = new LinkedHashSet<>(classesOf(whole).keySet());
                shared.retainAll(classesOf(node).keySet());
                join(whole, node, shared, List.of());
            }
            if (!conditions.isEmpty()) {
                List<RexNode> late = conditions.stream()
                        .map(condition -> moved(condition, whole, whole.rel))
                        .toList();
                whole.rel = LogicalFilter.create(whole.rel, RexUtil.composeConjunction(rexBuilder, late));
            }
            List<RexNode> columns = new ArrayList<>();
            for (RexNode key : keys) {
                columns.add(moved(key, whole, whole.rel));
            }
            Calls calls = new Calls(whole, columns);
            for (int index = 0; index < sources.size(); index++) {
                calls.add(index);
            }
            return Pushdown.withTypes(calls.grouped(keys.size()), aggregate.getRowType(), rexBuilder);
        }

        /// The calls of a grouping of a node's rows.
        private final class Calls {
            private final Node node;
            private final List<RexNode> columns;
            private final List<Made> made = new ArrayList<>();

            private record Made(SqlAggFunction function, List<Integer> arguments, int filter, RelDataType type) {}

            Calls(Node node, List<RexNode> columns) {
                this.node = node;
                this.columns = new ArrayList<>(columns);
            }

            void addCount() {
                if (node.counts.isEmpty()) {
                    made.add(new Made(SqlStdOperatorTable.COUNT, List.of(), -1, null));
                } else {
                    made.add(new Made(SqlStdOperatorTable.SUM0, List.of(column(product(-1))), -1, bigint()));
                }
            }

            void add(int index) {
                Source source = sources.get(index);
                Partial partial = node.partials.get(index);
                SqlAggFunction merging = EagerAggregation.merging(source.call(), aggregate.getInput());
                if (partial != null) {
                    RexNode value = rexBuilder.makeInputRef(node.rel, partial.column());
                    add(source, merging, value, product(partial.count()), -1);
                    return;
                }
                int filter = source.filter() == null ? -1 : column(moved(source.filter(), node, node.rel));
                RexNode factor = product(-1);
                RexNode value = source.argument() == null ? null : moved(source.argument(), node, node.rel);
                if (source.call().getAggregation().getKind() != SqlKind.COUNT) {
                    add(source, source.call().getAggregation(), value, factor, filter);
                } else if (factor == null) {
                    List<Integer> arguments = value == null ? List.of() : List.of(column(value));
                    made.add(new Made(SqlStdOperatorTable.COUNT, arguments, filter, null));
                } else {
                    RexNode counted = value == null || !value.getType().isNullable()
                            ? factor
                            : rexBuilder.makeCall(
                                    SqlStdOperatorTable.CASE,
                                    rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, value),
                                    factor,
                                    rexBuilder.makeZeroLiteral(factor.getType()));
                    made.add(new Made(SqlStdOperatorTable.SUM0, List.of(column(counted)), filter, bigint()));
                }
            }

            private void add(Source source, SqlAggFunction function, RexNode value, RexNode factor, int filter) {
                boolean isCount = source.call().getAggregation().getKind() == SqlKind.COUNT;
                RexNode times = counts(source.call()) && factor != null ? times(value, factor, isCount) : value;
                made.add(new Made(function, List.of(column(times)), filter, isCount ? bigint() : null));
            }

            private int column(RexNode node) {
                columns.add(node);
                return columns.size() - 1;
            }

            /// How many rows a row stands for, those of one count left out; null for one.
            private RexNode product(int but) {
                RexNode product = null;
                for (int count : node.counts) {
                    if (count != but) {
                        RexNode one = rexBuilder.makeInputRef(node.rel, count);
                        product = product == null
                                ? one
                                : rexBuilder.makeCall(bigint(), SqlStdOperatorTable.MULTIPLY, List.of(product, one));
                    }
                }
                return product;
            }

            RelNode grouped(int keyCount) {
                RelNode rows = LogicalProject.create(node.rel, List.of(), columns, (List<String>) null, Set.of());
                boolean hasEmptyGroup = keyCount == 0;
                List<AggregateCall> calls = made.stream()
                        .map(each -> EagerAggregation.typed(
                                each.function(), each.arguments(), each.filter(), hasEmptyGroup, rows))
                        .toList();
                RelNode grouped =
                        LogicalAggregate.create(rows, List.of(), ImmutableBitSet.range(keyCount), null, calls);
                List<RexNode> results = new ArrayList<>();
                for (int column = 0; column < keyCount + made.size(); column++) {
                    RexNode result = rexBuilder.makeInputRef(grouped, column);
                    RelDataType type = column < keyCount
                            ? null
                            : made.get(column - keyCount).type();
                    results.add(type == null ? result : rexBuilder.makeAbstractCast(type, result, false));
                }
                return made.stream().allMatch(each -> each.type() == null)
                        ? grouped
                        : LogicalProject.create(grouped, List.of(), results, (List<String>) null, Set.of());
            }
        }

        private RexNode ref(Node node, int column) {
            return rexBuilder.makeInputRef(node.rel, node.columns.get(column));
        }

        /// An expression over the joins' columns as one over a node's.
        private RexNode moved(RexNode expression, Node node, RelNode rel) {
            return expression.accept(new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    Integer place = node.columns.get(input.getIndex());
                    for (int column = 0; place == null && column < classes.length; column++) {
                        place = classes[column] == classes[input.getIndex()] ? node.columns.get(column) : null;
                    }
                    return new RexInputRef(
                            place, rel.getRowType().getFieldList().get(place).getType());
                }
            });
        }
    }

    /// Whether rows count for a call.
    private static boolean counts(AggregateCall call) {
        return !GroupingRules.ignoresRepeats(call);
    }

    private RelDataType bigint() {
        return rexBuilder.getTypeFactory().createSqlType(SqlTypeName.BIGINT);
    }

    /// A partial result of so many rows: exact, whatever its size.
    private RexNode times(RexNode value, RexNode factor, boolean isCount) {
        if (isCount) {
            return rexBuilder.makeCall(bigint(), SqlStdOperatorTable.MULTIPLY, List.of(value, factor));
        }
        RelDataType numeric = rexBuilder
                .getTypeFactory()
                .createTypeWithNullability(
                        SqlTypes.numeric(rexBuilder.getTypeFactory()),
                        value.getType().isNullable());
        RelDataType number = SqlTypes.numeric(rexBuilder.getTypeFactory());
        return rexBuilder.makeCall(
                numeric,
                SqlStdOperatorTable.MULTIPLY,
                List.of(
                        rexBuilder.makeAbstractCast(numeric, value, false),
                        rexBuilder.makeAbstractCast(number, factor, false)));
    }
}
