package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.Util;

/// Writes a SELECT with SAMPLE BY in PostgreSQL's own syntax: GROUP BY the time's bucket, and by all items without an
/// aggregate.
///
/// With FILL the groups are numbered by their other keys, and joined to all buckets from the first to the last, for
/// each
/// of these keys: FILL(PREV) is the nearest group that is not later, an ASOF join; FILL(LINEAR) is between that and the
/// nearest that is not earlier.
public final class SampleBy {
    private static final String OWNERS = "k";

    private final SqlSelect select;
    private final SeriesClauses.Sample sample;
    private final Source source;
    private final String text;
    private final SeriesTree tree;
    private final TimeSteps step;
    private final SqlShuttle counted = new CountedRows();
    private final List<Item> items = new ArrayList<>();

    /// What FROM says of the rows' times.
    ///
    /// @param timestamp the designated timestamp, as the statement can name it
    /// @param isAggregate whether a name is that of an aggregate function
    /// @param nameOf the name of an item that has no alias
    public record Source(
            SqlIdentifier timestamp,
            SqlType type,
            Predicate<String> isAggregate,
            java.util.function.Function<SqlNode, String> nameOf) {}

    private enum Kind {
        TIME,
        KEY,
        VALUE
    }

    /// An item of the select list.
    ///
    /// @param place among those of its kind
    private record Item(Kind kind, SqlNode value, String name, int place) {}

    private enum Fill {
        NONE,
        NULL,
        PREV,
        LINEAR,
        CONSTANT
    }

    private SampleBy(SqlSelect select, SeriesClauses.Sample sample, Source source, String text) {
        this.select = select;
        this.sample = sample;
        this.source = source;
        this.text = text;
        this.tree = new SeriesTree(sample.pos);
        this.step = TimeSteps.of(sample.step, text);
    }

    /// The same query, and what its rows are ordered by where the statement says nothing else.
    ///
    /// @param order an expression of the query
    public record Written(SqlNode query, SqlNode order) {}

    /// @param text of the statement
    public static Written written(SqlSelect select, SeriesClauses.Sample sample, Source source, String text) {
        return new SampleBy(select, sample, source, text).write();
    }

    private Written write() {
        requirePlain();
        readItems();
        List<Fill> fills = fills();
        SqlNode time = source.timestamp;
        SqlNode where = where();
        TimeBuckets buckets = new TimeBuckets(tree, source.type, step, sample, origin(where));
        SqlNode bucket = buckets.of(buckets.local(time));
        return fills.stream().allMatch(fill -> fill == Fill.NONE)
                ? grouped(buckets.shown(bucket), where)
                : filled(buckets, bucket, where, fills);
    }

    // ---- what is asked for

    private void requirePlain() {
        if (select.getGroup() != null || select.getHaving() != null || select.isDistinct()) {
            throw unsupported("SAMPLE BY with GROUP BY, HAVING or DISTINCT")
                    .withHint("Write the SAMPLE BY query as a sub-query.");
        }
        if (sample.isFromFirst && (step.isMonths() || sample.from != null)) {
            throw unsupported(
                    step.isMonths()
                            ? "ALIGN TO FIRST OBSERVATION of months or years"
                            : "FROM with ALIGN TO FIRST OBSERVATION");
        }
        if ((sample.from != null || sample.to != null) && sample.zone != null) {
            throw unsupported("FROM and TO of SAMPLE BY with TIME ZONE");
        }
        if (sample.from != null && step.isMonths()) {
            throw unsupported("FROM of SAMPLE BY with months or years");
        }
    }

    private QueryException unsupported(String what) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, what + " is not supported")
                .withPosition(Positions.of(text, sample.pos.getColumnNum() - 1));
    }

    private void readItems() {
        int[] places = new int[Kind.values().length];
        for (SqlNode written : select.getSelectList()) {
            boolean isNamed = written.getKind() == SqlKind.AS;
            SqlNode value = (isNamed ? ((SqlCall) written).operand(0) : written).accept(counted);
            if (value instanceof SqlIdentifier identifier && identifier.isStar()) {
                throw unsupported("SELECT * with SAMPLE BY");
            }
            String name =
                    isNamed ? ((SqlIdentifier) ((SqlCall) written).operand(1)).getSimple() : source.nameOf.apply(value);
            Kind kind = isTimestamp(value) ? Kind.TIME : hasAggregate(value) ? Kind.VALUE : Kind.KEY;
            items.add(new Item(kind, value, name, places[kind.ordinal()]++));
        }
    }

    /// QuestDB's `count()` is PostgreSQL's `count(*)`.
    private static final class CountedRows extends SqlShuttle {
        @Override
        public SqlNode visit(SqlCall call) {
            boolean isCount = call.operandCount() == 0
                    && call.getOperator() instanceof SqlFunction
                    && call.getOperator().getName().equalsIgnoreCase("count");
            return isCount
                    ? call.getOperator()
                            .createCall(call.getParserPosition(), SqlIdentifier.star(call.getParserPosition()))
                    : super.visit(call);
        }
    }

    private boolean isTimestamp(SqlNode value) {
        return value instanceof SqlIdentifier name
                && name.names.getLast().equals(source.timestamp.names.getLast())
                && (name.isSimple()
                        || source.timestamp.isSimple()
                        || name.names.get(name.names.size() - 2).equals(source.timestamp.names.getFirst()));
    }

    private boolean hasAggregate(SqlNode node) {
        try {
            node.accept(new SqlBasicVisitor<Void>() {
                @Override
                public Void visit(SqlCall call) {
                    if (call.getKind() == SqlKind.OVER) {
                        throw unsupported("a window function in SAMPLE BY");
                    }
                    if (call.isA(SqlKind.QUERY)) {
                        return null;
                    }
                    if (source.isAggregate.test(call.getOperator().getName().toLowerCase(java.util.Locale.ROOT))) {
                        throw Util.FoundOne.NULL;
                    }
                    return super.visit(call);
                }
            });
            return false;
        } catch (Util.FoundOne _) {
            return true;
        }
    }

    private List<Item> of(Kind kind) {
        return items.stream().filter(item -> item.kind == kind).toList();
    }

    /// How each of the values is filled, in order: one way for all, or one each.
    private List<Fill> fills() {
        int count = of(Kind.VALUE).size();
        List<Fill> fills = sample.fill.stream().map(SampleBy::fill).toList();
        if (fills.contains(Fill.NONE) && fills.size() > 1) {
            throw unsupported("FILL(NONE) beside other values");
        }
        if (fills.size() > 1 && fills.size() != count) {
            throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "FILL has " + fills.size() + " values for " + count + " aggregates of the select list")
                    .withPosition(Positions.of(text, sample.pos.getColumnNum() - 1));
        }
        return fills.isEmpty() ? List.of(Fill.NONE) : fills;
    }

    private static Fill fill(SqlNode written) {
        if (written instanceof SqlIdentifier name && name.isSimple()) {
            switch (name.getSimple()) {
                case "none" -> {
                    return Fill.NONE;
                }
                case "prev" -> {
                    return Fill.PREV;
                }
                case "linear" -> {
                    return Fill.LINEAR;
                }
                default -> {}
            }
        }
        return written instanceof SqlLiteral literal && literal.getValue() == null ? Fill.NULL : Fill.CONSTANT;
    }

    /// WHERE, and the times from FROM to TO.
    private SqlNode where() {
        SqlNode time = source.timestamp;
        SqlNode where = select.getWhere();
        if (sample.from != null) {
            where = tree.and(where, tree.notLess(time, bound(sample.from)));
        }
        return sample.to == null ? where : tree.and(where, tree.less(time, bound(sample.to)));
    }

    /// FROM's or TO's time, in UTC.
    private SqlNode bound(SqlNode written) {
        SqlNode time = localBound(written);
        return source.type == SqlType.TIMESTAMPTZ ? tree.atTimeZone(time, tree.text("UTC")) : time;
    }

    private SqlNode localBound(SqlNode written) {
        return tree.cast(written, "timestamp");
    }

    private SqlNode origin(SqlNode where) {
        if (sample.from != null) {
            return localBound(sample.from);
        }
        if (!sample.isFromFirst) {
            return null;
        }
        TimeBuckets plain = new TimeBuckets(tree, source.type, step, sample, null);
        return tree.select(
                List.of(tree.call("min", plain.local(source.timestamp))), select.getFrom(), where, List.of(), false);
    }

    // ---- the query

    private Written grouped(SqlNode bucket, SqlNode where) {
        List<SqlNode> list = new ArrayList<>();
        List<SqlNode> keys = new ArrayList<>();
        boolean isShown = items.stream().anyMatch(item -> item.kind == Kind.TIME);
        for (Item item : items) {
            SqlNode value = item.kind == Kind.TIME ? bucket : item.value;
            list.add(tree.as(value, tree.name(item.name)));
            if (item.kind != Kind.VALUE) {
                keys.add(tree.number(list.size()));
            }
        }
        if (!isShown) {
            keys.add(bucket);
        }
        SqlNode query = tree.select(list, select.getFrom(), where, keys, false);
        int place = items.indexOf(items.stream()
                .filter(item -> item.kind == Kind.TIME)
                .findFirst()
                .orElse(null));
        return new Written(query, isShown ? tree.number(place + 1L) : bucket);
    }

    private Written filled(TimeBuckets buckets, SqlNode bucket, SqlNode where, List<Fill> fills) {
        List<Item> keys = of(Kind.KEY);
        List<Item> values = of(Kind.VALUE);
        List<SqlNode> grouped = new ArrayList<>();
        List<SqlNode> places = new ArrayList<>();
        grouped.add(tree.as(bucket, tree.name(FilledGroups.BUCKET)));
        places.add(tree.number(1));
        for (Item key : keys) {
            grouped.add(tree.as(key.value, tree.name(FilledGroups.key(key.place))));
            places.add(tree.number(grouped.size()));
        }
        for (Item value : values) {
            grouped.add(tree.as(value.value, tree.name(FilledGroups.value(value.place))));
        }
        SqlNode inner = tree.select(grouped, select.getFrom(), where, places, false);
        FilledGroups groups = new FilledGroups(tree, inner, keys.size(), FilledGroups.SERIES, OWNERS);
        return new Written(groups.with(joined(groups, buckets, where, fills)), groups.bucket());
    }

    /// All buckets for all keys, with what they are filled from.
    private SqlNode joined(FilledGroups groups, TimeBuckets buckets, SqlNode where, List<Fill> fills) {
        SqlNode first = sample.from == null ? tree.name("m", "min$") : localBound(sample.from);
        SqlNode last = sample.to == null
                ? tree.name("m", "max$")
                : tree.minus(localBound(sample.to), tree.literal("interval", "1 microsecond"));
        SqlNode all = groups.series(buckets.counted(first), buckets.counted(last), buckets.interval());
        SqlNode bounded = sample.from != null && sample.to != null
                ? all
                : tree.join(bounds(buckets, where), JoinType.CROSS, all, null);
        List<String> names =
                of(Kind.KEY).stream().map(key -> FilledGroups.key(key.place)).toList();
        SqlNode from = tree.join(series(buckets, bounded), JoinType.CROSS, groups.owners(names, OWNERS), null);
        boolean looksBack = fills.contains(Fill.PREV) || fills.contains(Fill.LINEAR);
        from = looksBack ? groups.withPrevious(from) : groups.withOwn(from);
        if (fills.contains(Fill.LINEAR)) {
            from = groups.withNext(from);
        }
        return outputs(groups, buckets, fills, from);
    }

    /// As a query of its own, for ASOF's left side is a table.
    private SqlNode series(TimeBuckets buckets, SqlNode function) {
        SqlNode bucket = buckets.begun(tree.name(FilledGroups.SERIES, FilledGroups.BUCKET));
        return tree.as(
                tree.select(
                        List.of(tree.as(bucket, tree.name(FilledGroups.BUCKET))),
                        function,
                        buckets.isShown(bucket),
                        List.of(),
                        false),
                tree.name(FilledGroups.SERIES));
    }

    /// The first and the last bucket: from the rows, which cost less to read once more than to group.
    private SqlNode bounds(TimeBuckets buckets, SqlNode where) {
        List<SqlNode> bounds = new ArrayList<>();
        for (String function : List.of("min", "max")) {
            SqlNode time = buckets.local(tree.call(function, source.timestamp));
            bounds.add(tree.as(buckets.of(time), tree.name(function + "$")));
        }
        return tree.as(tree.select(bounds, select.getFrom(), where, List.of(), false), tree.name("m"));
    }

    private SqlNode outputs(FilledGroups groups, TimeBuckets buckets, List<Fill> fills, SqlNode from) {
        List<SqlNode> outputs = new ArrayList<>();
        for (Item item : items) {
            SqlNode output =
                    switch (item.kind) {
                        case TIME -> buckets.shown(groups.bucket());
                        case KEY -> tree.name(OWNERS, FilledGroups.key(item.place));
                        case VALUE ->
                            output(
                                    groups,
                                    item.place,
                                    fills.get(fills.size() == 1 ? 0 : item.place),
                                    sample.fill.get(sample.fill.size() == 1 ? 0 : item.place));
                    };
            outputs.add(tree.as(output, tree.name(item.name)));
        }
        return tree.select(outputs, from, null, List.of(), false);
    }

    private SqlNode output(FilledGroups groups, int place, Fill fill, SqlNode written) {
        SqlNode there = groups.previousValue(place);
        return switch (fill) {
            case PREV -> there;
            case LINEAR -> tree.choice(groups.isThere(), tree.cast(there, "float8"), between(groups, place));
            case NULL, NONE -> groups.own(place);
            case CONSTANT -> tree.choice(groups.isThere(), there, written);
        };
    }

    /// The value on the line from the group before to the one after.
    private SqlNode between(FilledGroups groups, int place) {
        SqlNode before = tree.cast(groups.previousValue(place), "float8");
        SqlNode after = tree.cast(groups.nextValue(place), "float8");
        SqlNode passed = seconds(tree.minus(groups.bucket(), groups.previousBucket()));
        SqlNode whole = seconds(tree.minus(groups.nextBucket(), groups.previousBucket()));
        return tree.plus(before, tree.over(tree.times(tree.minus(after, before), passed), whole));
    }

    private SqlNode seconds(SqlNode interval) {
        return tree.extract("epoch", interval);
    }
}
