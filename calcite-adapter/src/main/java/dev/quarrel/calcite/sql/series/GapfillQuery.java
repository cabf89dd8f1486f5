package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.PostgresSelect;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.Litmus;

/// Writes a grouped SELECT with TimescaleDB's `time_bucket_gapfill` in PostgreSQL's own syntax.
///
/// The groups, with HAVING, become a query of their own, whose columns are the bucket, the other keys and the
/// aggregates. They are joined to all buckets from start to finish for each of the other keys ([FilledGroups]); the
/// select list and ORDER BY are asked of that, with the keys and aggregates replaced by its columns. An aggregate of a
/// bucket without rows is NULL; `locf` is that of the group before, `interpolate` between that and the next one. Groups
/// outside of start and finish stay as they are.
///
/// - Source: TimescaleDB's documentation of `time_bucket_gapfill`, `locf` and `interpolate`.
public final class GapfillQuery {
    /// The function's name.
    public static final String NAME = "time_bucket_gapfill";

    private static final String OWNERS = "k$";

    private final SqlSelect select;
    private final SqlNodeList order;
    private final Source source;
    private final GapfillCall call;
    private final SeriesTree tree;
    private final GapfillSteps steps;
    private final List<SqlNode> keys = new ArrayList<>();
    private final List<Column> keyColumns = new ArrayList<>(); // null for a key that is no column
    private final List<String> keyNames;
    private final String owners;
    private final List<SqlNode> values = new ArrayList<>();
    private final TreeSet<Integer> present = new TreeSet<>();
    private boolean looksBack;
    private boolean looksAhead;

    /// A column of FROM.
    ///
    /// @param item the alias of the FROM item; empty where it has none
    public record Column(String item, String name, int index) {}

    /// What the analyser knows of the query's names.
    public interface Source {
        boolean isAggregate(String function);

        /// The name of an item that has no alias.
        String nameOf(SqlNode item);

        /// The column of FROM that a name is; null for any other name.
        Column columnOf(SqlIdentifier name);

        SqlType typeOf(SqlNode expression);

        /// An error where a node stands.
        QueryException error(SqlState state, SqlNode at, String message);
    }

    /// The same query, and what it is ordered by.
    public record Written(SqlNode query, SqlNodeList order) {}

    /// Whether a function is one of those that this writes.
    public static boolean isFunction(SqlCall call) {
        return GapfillCall.is(call) || GapfillCall.isFill(call);
    }

    /// Whether it is such a SELECT.
    public static boolean is(SqlSelect select) {
        return select.getGroup() != null && GapfillCall.in(select.getSelectList());
    }

    /// - Errors: 22023 where start or finish are neither given nor in WHERE, 0A000 for what is not built.
    ///
    /// @param order the items of ORDER BY
    public GapfillQuery(SqlSelect select, SqlNodeList order, Source source) {
        this.select = select;
        this.order = order;
        this.source = source;
        this.call = GapfillCall.of(select.getSelectList(), source);
        this.tree = new SeriesTree(call.written().getParserPosition());
        SqlType type = source.typeOf(call.time());
        if (!GapfillSteps.takes(type)) {
            throw unsupported("time_bucket_gapfill of " + type.pgType().typeName());
        }
        this.steps = new GapfillSteps(tree, type, call.width(), call.zone(), call.origin());
        if (steps.of(call.time()) == null) {
            throw unsupported(
                    "time_bucket_gapfill with months that are neither one, three nor twelve, or with an origin");
        }
        requirePlain();
        readKeys();
        this.owners = owners();
        this.keyNames = IntStream.range(0, keys.size()).mapToObj(this::keyName).toList();
    }

    private QueryException unsupported(String what) {
        return source.error(SqlState.FEATURE_NOT_SUPPORTED, call.written(), what + " is not supported");
    }

    private void requirePlain() {
        if (PostgresSelect.series(select).latest != null) {
            throw unsupported("time_bucket_gapfill with LATEST ON")
                    .withHint("Write the LATEST ON query as a sub-query.");
        }
        for (SqlNode item : select.getSelectList()) {
            if (item instanceof SqlIdentifier name && name.isStar()) {
                throw unsupported("SELECT * with time_bucket_gapfill");
            }
        }
        for (SqlNode key : select.getGroup()) {
            switch (key.getKind()) {
                case ROLLUP, CUBE, GROUPING_SETS, GROUP_BY_DISTINCT ->
                    throw unsupported("time_bucket_gapfill with several grouping sets");
                default -> {}
            }
        }
    }

    // ---- keys

    private void readKeys() {
        boolean isGrouped = false;
        for (SqlNode written : select.getGroup()) {
            SqlNode key = key(written);
            if (GapfillCall.is(key)) {
                requireSame(key);
                isGrouped = true;
            } else if (GapfillCall.in(key)) {
                throw unsupported("an expression around time_bucket_gapfill in GROUP BY");
            } else {
                keys.add(key);
                keyColumns.add(key instanceof SqlIdentifier name ? source.columnOf(name) : null);
            }
        }
        if (!isGrouped) {
            throw source.error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    call.written(),
                    "no top level time_bucket_gapfill in group by clause");
        }
    }

    /// An item of GROUP BY, which may be the number or the name of one of the select list.
    private SqlNode key(SqlNode written) {
        SqlNodeList items = select.getSelectList();
        if (written instanceof SqlNumericLiteral number && number.isInteger()) {
            int place = number.intValue(false);
            return place >= 1 && place <= items.size() ? value(items.get(place - 1)) : written;
        }
        if (written instanceof SqlIdentifier name && name.isSimple() && source.columnOf(name) == null) {
            for (SqlNode item : items) {
                if (name(item).equals(name.getSimple())) {
                    return value(item);
                }
            }
        }
        return written;
    }

    private static SqlNode value(SqlNode item) {
        return item.getKind() == SqlKind.AS ? ((SqlCall) item).operand(0) : item;
    }

    private String name(SqlNode item) {
        return item.getKind() == SqlKind.AS
                ? ((SqlIdentifier) ((SqlCall) item).operand(1)).getSimple()
                : source.nameOf(item);
    }

    private void requireSame(SqlNode other) {
        if (!call.written().equalsDeep(other, Litmus.IGNORE)) {
            throw source.error(SqlState.FEATURE_NOT_SUPPORTED, other, "multiple time_bucket_gapfill calls not allowed");
        }
    }

    /// The name of the side with the keys: that of the FROM item that all key columns are of, so that sub-queries find
    /// them.
    private String owners() {
        List<Column> columns =
                keyColumns.stream().filter(java.util.Objects::nonNull).toList();
        List<String> items = columns.stream().map(Column::item).distinct().toList();
        long names = columns.stream().map(Column::name).distinct().count();
        return items.size() == 1 && !items.getFirst().isEmpty() && names == columns.size() ? items.getFirst() : OWNERS;
    }

    private String keyName(int place) {
        Column column = keyColumns.get(place);
        return column == null || owners.equals(OWNERS) ? FilledGroups.key(place) : column.name();
    }

    // ---- the query without gaps filled

    /// The same query without filling: where it has an error, so has this one.
    public SqlSelect plain() {
        return with(select.getSelectList(), select.getHaving(), new Plain());
    }

    public SqlNodeList plainOrder() {
        return list(order, new Plain());
    }

    private final class Plain extends SqlShuttle {
        @Override
        public SqlNode visit(SqlCall node) {
            if (node.isA(SqlKind.QUERY)) {
                return node;
            }
            if (GapfillCall.is(node)) {
                requireSame(node);
                return steps.shown(steps.of(steps.local(call.time())));
            }
            return GapfillCall.isFill(node) ? GapfillCall.argument(node, source).accept(this) : super.visit(node);
        }
    }

    private PostgresSelect with(SqlNodeList items, SqlNode having, SqlShuttle change) {
        List<SqlNode> named = new ArrayList<>();
        for (SqlNode item : items) {
            named.add(tree.as(value(item).accept(change), tree.name(name(item))));
        }
        return new PostgresSelect(
                select.getParserPosition(),
                (SqlNodeList) select.getOperandList().getFirst(),
                list(PostgresSelect.distinctOn(select), change),
                new SqlNodeList(named, items.getParserPosition()),
                select.getFrom(),
                select.getWhere(),
                list(select.getGroup(), change),
                having == null ? null : having.accept(change),
                list(select.getWindowList(), change),
                select.getQualify(),
                select.getOrderList(),
                null,
                null,
                select.getHints());
    }

    private static SqlNodeList list(List<SqlNode> nodes, SqlShuttle change) {
        List<SqlNode> changed = new ArrayList<>();
        for (SqlNode node : nodes) {
            changed.add(node.accept(change));
        }
        return nodes instanceof SqlNodeList list
                ? new SqlNodeList(changed, list.getParserPosition())
                : SqlNodeList.of(org.apache.calcite.sql.parser.SqlParserPos.ZERO, changed);
    }

    // ---- the query

    /// The query that fills.
    public Written written() {
        GapfillRange range = GapfillRange.of(select, call, steps, source);
        SqlNode local = steps.of(steps.local(call.time()));
        boolean isWhole = !range.isInferred();
        FilledGroups groups = new FilledGroups(tree, null, keys.size(), isWhole ? owners : FilledGroups.SERIES, owners);
        Above above = new Above(groups, range);
        List<SqlNode> items = new ArrayList<>();
        for (SqlNode item : select.getSelectList()) {
            items.add(tree.as(value(item).accept(above), tree.name(name(item))));
        }
        SqlNodeList orders = new SqlNodeList(order.getParserPosition());
        for (SqlNode item : order) {
            orders.add(isOutput(item) ? item : item.accept(above));
        }
        List<SqlNode> distinct = PostgresSelect.distinctOn(select).stream()
                .map(item -> isOutput(item) ? item : item.accept(above))
                .toList();
        SqlNodeList windows = list(select.getWindowList(), above);
        SqlNode from = isWhole ? all(groups, range) : inRange(groups, range, owners);
        from = looksBack ? groups.withPrevious(from) : groups.withOwn(from);
        for (int place : present) {
            from = groups.withPresent(from, place);
        }
        from = looksAhead ? groups.withNext(from) : from;
        SqlNode body = new PostgresSelect(
                select.getParserPosition(),
                (SqlNodeList) select.getOperandList().getFirst(),
                distinct,
                new SqlNodeList(items, select.getSelectList().getParserPosition()),
                from,
                null,
                null,
                null,
                windows,
                select.getQualify(),
                SqlNodeList.EMPTY,
                null,
                null,
                select.getHints());
        return new Written(groups.of(grouped(local)).with(body), orders);
    }

    /// Whether ORDER BY's item is one of the select list, by its number or its name.
    private boolean isOutput(SqlNode item) {
        SqlNode node = item;
        while (node instanceof SqlCall around
                && (around.getKind() == SqlKind.DESCENDING
                        || around.getKind() == SqlKind.NULLS_FIRST
                        || around.getKind() == SqlKind.NULLS_LAST)) {
            node = around.operand(0);
        }
        return node instanceof SqlLiteral
                || node instanceof SqlIdentifier name
                        && name.isSimple()
                        && select.getSelectList().stream()
                                .anyMatch(each -> name(each).equals(name.getSimple()));
    }

    private SqlNode grouped(SqlNode bucket) {
        List<SqlNode> items = new ArrayList<>();
        List<SqlNode> places = new ArrayList<>();
        items.add(tree.as(bucket, tree.name(FilledGroups.BUCKET)));
        places.add(tree.number(1));
        for (int place = 0; place < keys.size(); place++) {
            items.add(tree.as(keys.get(place), tree.name(FilledGroups.key(place))));
            places.add(tree.number(items.size()));
        }
        for (int place = 0; place < values.size(); place++) {
            items.add(tree.as(values.get(place), tree.name(FilledGroups.value(place))));
        }
        SqlNode having = select.getHaving();
        // A column for times in TimescaleDB is NOT NULL.
        SqlNode where = tree.and(select.getWhere(), tree.isNotNull(call.time()));
        return new PostgresSelect(
                select.getParserPosition(),
                SqlNodeList.EMPTY,
                List.of(),
                new SqlNodeList(items, tree.pos()),
                select.getFrom(),
                where,
                new SqlNodeList(places, tree.pos()),
                having == null ? null : having.accept(new Plain()),
                SqlNodeList.EMPTY,
                null,
                SqlNodeList.EMPTY,
                null,
                null,
                SqlNodeList.EMPTY);
    }

    /// The buckets from start to finish, for each of the other keys.
    private SqlNode inRange(FilledGroups groups, GapfillRange range, String alias) {
        SqlNode series = groups.series(range.first(), range.last(), steps.step());
        SqlNode bucket = tree.name(FilledGroups.SERIES, FilledGroups.BUCKET);
        SqlNode table = tree.as(
                tree.select(List.of(bucket), series, steps.isShown(bucket), List.of(), false),
                tree.name(FilledGroups.SERIES));
        return keys.isEmpty()
                ? tree.join(table, JoinType.CROSS, numberOfAll(alias), null)
                : tree.join(table, JoinType.CROSS, groups.owners(keyNames, alias), null);
    }

    /// Without other keys all buckets are there, even where no row is.
    private SqlNode numberOfAll(String alias) {
        SqlNode number = tree.as(tree.number(1), tree.name(FilledGroups.NUMBER));
        return tree.as(tree.select(List.of(number), null, null, List.of(), false), tree.name(alias));
    }

    /// These, and the buckets that have groups outside of them.
    private SqlNode all(FilledGroups groups, GapfillRange range) {
        List<SqlNode> within = new ArrayList<>();
        List<SqlNode> outside = new ArrayList<>();
        within.add(tree.name(FilledGroups.SERIES, FilledGroups.BUCKET));
        outside.add(tree.name(FilledGroups.BUCKET));
        for (int place = 0; place < keys.size(); place++) {
            within.add(tree.name(OWNERS, keyNames.get(place)));
            outside.add(tree.as(tree.name(FilledGroups.key(place)), tree.name(keyNames.get(place))));
        }
        within.add(tree.name(OWNERS, FilledGroups.NUMBER));
        outside.add(tree.name(FilledGroups.NUMBER));
        SqlNode bucket = tree.name(FilledGroups.BUCKET);
        SqlNode isOutside = tree.or(tree.less(bucket, range.first()), tree.less(range.last(), bucket));
        return tree.as(
                tree.unionAll(
                        tree.select(within, inRange(groups, range, OWNERS), null, List.of(), false),
                        tree.select(outside, groups.groups(), isOutside, List.of(), false)),
                tree.name(owners));
    }

    /// Expressions over groups as expressions over what these are joined to.
    private final class Above extends SqlShuttle {
        private final FilledGroups groups;
        private final GapfillRange range;

        Above(FilledGroups groups, GapfillRange range) {
            this.groups = groups;
            this.range = range;
        }

        @Override
        public SqlNode visit(SqlIdentifier name) {
            Column column = name.isStar() ? null : source.columnOf(name);
            for (int place = 0; column != null && place < keys.size(); place++) {
                Column key = keyColumns.get(place);
                if (key != null && key.index() == column.index()) {
                    return tree.name(owners, keyNames.get(place));
                }
            }
            return name;
        }

        @Override
        public SqlNode visit(SqlCall node) {
            if (node.isA(SqlKind.QUERY)) {
                return node;
            }
            if (node instanceof JsonExpression) {
                throw source.error(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        node,
                        "SQL/JSON's syntax beside time_bucket_gapfill is not supported");
            }
            if (GapfillCall.is(node)) {
                return steps.shown(groups.bucket());
            }
            if (GapfillCall.isFill(node)) {
                return filled(node);
            }
            for (int place = 0; place < keys.size(); place++) {
                if (keys.get(place).equalsDeep(node, Litmus.IGNORE)) {
                    return tree.name(owners, keyNames.get(place));
                }
            }
            if (isAggregate(node)) {
                return groups.own(valueOf(node));
            }
            return node.getKind() == SqlKind.OVER ? over(node) : super.visit(node);
        }

        /// A window function, which may have an aggregate's name, over the filled rows.
        private SqlNode over(SqlCall node) {
            SqlCall function = node.operand(0);
            SqlNode changed = arguments(function);
            SqlNode window = node.operand(1);
            boolean isNamed = window instanceof SqlIdentifier;
            return node.getOperator()
                    .createCall(node.getParserPosition(), changed, isNamed ? window : window.accept(this));
        }

        private SqlNode arguments(SqlCall function) {
            List<SqlNode> operands = new ArrayList<>();
            for (SqlNode operand : function.getOperandList()) {
                boolean isInner = operand instanceof SqlCall && AggregateCalls.isClause(function) && operands.isEmpty();
                operands.add(operand == null ? null : isInner ? arguments((SqlCall) operand) : operand.accept(this));
            }
            return function.getOperator()
                    .createCall(function.getFunctionQuantifier(), function.getParserPosition(), operands);
        }

        private SqlNode filled(SqlCall node) {
            GapfillCall.Fill fill = GapfillCall.fill(node, source);
            int place = valueOf(fill.value());
            if (!fill.isCarried()) {
                looksBack = true;
                looksAhead = true;
                SqlType type = source.typeOf(fill.value());
                GapfillSample prev = fill.prev() == null ? null : fill.prev().accept(this);
                GapfillSample next = fill.next() == null ? null : fill.next().accept(this);
                return new Interpolation(tree, groups, steps, place, type, range.first(), prev, next).value();
            }
            SqlNode value;
            SqlNode bucket;
            if (fill.isOfPresent()) {
                present.add(place);
                value = groups.presentValue(place);
                bucket = groups.presentBucket(place);
            } else {
                looksBack = true;
                value = groups.previousValue(place);
                bucket = groups.previousBucket();
            }
            if (fill.before() == null) {
                return value;
            }
            SqlNode begun = tree.or(tree.isNull(bucket), tree.less(bucket, range.first()));
            SqlNode isWithin = tree.notLess(groups.bucket(), range.first());
            return tree.choice(
                    tree.and(isWithin, begun),
                    tree.call("coalesce", value, fill.before().accept(this)),
                    value);
        }

        private int valueOf(SqlNode node) {
            values.add(node);
            return values.size() - 1;
        }
    }

    private boolean isAggregate(SqlCall node) {
        return AggregateCalls.isAggregate(node, source::isAggregate);
    }
}
