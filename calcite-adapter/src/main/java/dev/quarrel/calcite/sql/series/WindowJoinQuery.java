package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.JoinWindow;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresSelect;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.parse.SeriesJoin;
import dev.quarrel.calcite.rel.Prevailing;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.Litmus;

/// Writes a SELECT with WINDOW JOIN as one without: the aggregates of each joined table are those of a sub-query behind
/// LATERAL over the rows of the window.
///
/// ```sql
/// SELECT t.sym, avg(p.price) FROM t WINDOW JOIN p ON (sym) RANGE BETWEEN 1 minute PRECEDING AND CURRENT ROW
/// SELECT t.sym, w.a FROM t LEFT JOIN LATERAL (SELECT avg(p.price) FROM p WHERE t.sym = p.sym AND p.ts …) w(a) ON true
/// ```
///
/// Where the left side is one table, its rows are numbered, and those of the sub-query are found by their number: they
/// are grouped by one integer, and no two left rows have the same.
public final class WindowJoinQuery {
    /// A table in FROM.
    public record Item(String alias, List<String> columns) {
        public Item {
            columns = List.copyOf(columns);
        }
    }

    /// A side of a join.
    ///
    /// @param time its designated timestamp, a column of the first item that has one of that name
    /// @param isOneTable whether no join is in it
    public record Side(List<Item> items, String time, boolean isOneTable) {
        public Side {
            items = List.copyOf(items);
        }
    }

    /// What is known beside the text.
    ///
    /// @param sideOf analyses a node of FROM
    /// @param isAggregate whether a name is that of an aggregate function
    /// @param nameOf the name of an item of the select list without an alias
    /// @param text of the statement
    public record Source(
            Function<SqlNode, Side> sideOf,
            Predicate<String> isAggregate,
            Function<SqlNode, String> nameOf,
            String text) {}

    /// The query, and its ORDER BY.
    public record Written(SqlNode query, SqlNodeList order) {}

    /// One WINDOW JOIN.
    private static final class Window {
        private final SeriesJoin join;
        private final Side right;
        private final List<SqlNode> aggregates = new ArrayList<>();

        Window(SeriesJoin join, Side right) {
            this.join = join;
            this.right = right;
        }

        String alias() {
            return right.items.isEmpty() ? "" : right.items.getFirst().alias;
        }
    }

    private static final String ROWS = "window join's rows";
    private static final String NUMBER = "window join's row";
    private static final String OUTER_NUMBER = "window join's outer row";

    private final SqlSelect select;
    private final Source source;
    private final SeriesTree tree;
    private final List<Window> windows = new ArrayList<>();
    private final SqlNode from;
    private final Side left;
    private final boolean isNumbered;

    private WindowJoinQuery(SqlSelect select, Source source) {
        this.select = select;
        this.source = source;
        this.tree = new SeriesTree(select.getFrom().getParserPosition());
        SqlNode rest = select.getFrom();
        while (rest instanceof SeriesJoin join && join.form().isWindow()) {
            requireTaken(join);
            windows.addFirst(new Window(join, source.sideOf.apply(join.getRight())));
            rest = join.getLeft();
        }
        this.from = rest;
        this.left = source.sideOf.apply(rest);
        this.isNumbered = left.items.size() == 1
                && !left.items.getFirst().alias.isEmpty()
                && readsKnownColumns(left.items.getFirst());
    }

    /// Whether no column is read of the left table but those that its star has, nor its whole row.
    private boolean readsKnownColumns(Item item) {
        boolean[] isKnown = {true};
        SqlShuttle reader = new SqlShuttle() {
            @Override
            public SqlNode visit(SqlIdentifier name) {
                int last = name.names.size() - 1;
                isKnown[0] &= name.isStar()
                        || (last == 0
                                ? !name.getSimple().equals(item.alias) || item.columns.contains(item.alias)
                                : !name.names.get(last - 1).equals(item.alias)
                                        || item.columns.contains(name.names.get(last)));
                return name;
            }
        };
        select.getSelectList().accept(reader);
        if (select.getWhere() != null) {
            select.getWhere().accept(reader);
        }
        for (Window window : windows) {
            if (window.join.getCondition() != null) {
                window.join.getCondition().accept(reader);
            }
        }
        return isKnown[0];
    }

    /// Whether its FROM is a WINDOW JOIN.
    public static boolean is(SqlSelect select) {
        return select.getFrom() instanceof SeriesJoin join && join.form().isWindow();
    }

    /// Whether no join is in it.
    public static boolean isOneTable(RelNode rel) {
        return !(rel instanceof Join)
                && !(rel instanceof Correlate)
                && rel.getInputs().stream().allMatch(WindowJoinQuery::isOneTable);
    }

    /// - Errors: 0A000 for what stands beside WINDOW JOIN and is not built, 42712 for two tables of one name, 22023 for
    ///   a window that ends before it begins.
    public static Written written(SqlSelect select, SqlNodeList order, Source source) {
        return new WindowJoinQuery(select, source).write(order);
    }

    private void requireTaken(SeriesJoin join) {
        SeriesJoin.Form form = join.form();
        if (form.window() == null) {
            throw error(SqlState.SYNTAX_ERROR, join, "WINDOW JOIN needs RANGE BETWEEN")
                    .withHint("Write RANGE BETWEEN 10 seconds PRECEDING AND 10 seconds FOLLOWING behind ON.");
        }
        if (form.isLeft() || form.isInner() || form.isUsing()) {
            throw unsupported(join, "WINDOW JOIN with LEFT, INNER or USING")
                    .withHint("It keeps all rows of the left side. Write ON (columns) for USING.");
        }
        JoinWindow window = form.window();
        if (window.low() != null && window.high() != null && micros(window.low(), join) > micros(window.high(), join)) {
            throw error(SqlState.INVALID_PARAMETER_VALUE, join, "the window ends before it begins");
        }
    }

    private Written write(SqlNodeList order) {
        SeriesClauses series = PostgresSelect.series(select);
        if (select.getGroup() != null || select.getHaving() != null || series.latest != null) {
            throw unsupported(select.getFrom(), "WINDOW JOIN with GROUP BY, HAVING or LATEST ON")
                    .withHint("Write the query with WINDOW JOIN as a sub-query.");
        }
        Results results = new Results();
        List<SqlNode> items = new ArrayList<>();
        for (SqlNode item : select.getSelectList()) {
            if (isNumbered && item instanceof SqlIdentifier name && name.isStar() && name.names.size() > 1) {
                items.addAll(columns(name));
            } else {
                items.add(item(item, results));
            }
        }
        List<SqlNode> distinctOn = PostgresSelect.distinctOn(select).stream()
                .map(each -> each.accept(results))
                .toList();
        SqlNodeList newOrder = order.isEmpty() ? order : (SqlNodeList) order.accept(results);
        SqlNode joined = isNumbered ? numberedAgain() : from;
        List<Item> before = new ArrayList<>(left.items);
        for (int place = 0; place < windows.size(); place++) {
            Window window = windows.get(place);
            if (before.stream().anyMatch(item -> item.alias.equals(window.alias()))) {
                throw error(
                        SqlState.DUPLICATE_ALIAS,
                        window.join,
                        "table name \"" + window.alias() + "\" specified more than once");
            }
            before.addAll(window.right.items);
            if (!window.aggregates.isEmpty()) {
                joined = tree.join(
                        joined,
                        JoinType.LEFT,
                        tree.as(SqlStdOperatorTable.LATERAL.createCall(tree.pos(), subQuery(window)), name(place)),
                        SqlLiteral.createBoolean(true, tree.pos()));
            }
        }
        SqlNodeList keywords =
                select.isDistinct() ? SqlNodeList.of(SqlSelectKeyword.DISTINCT.symbol(tree.pos())) : SqlNodeList.EMPTY;
        SqlNode query = new PostgresSelect(
                select.getParserPosition(),
                keywords,
                distinctOn,
                new SqlNodeList(items, select.getSelectList().getParserPosition()),
                joined,
                isNumbered ? null : select.getWhere(),
                null,
                null,
                select.getWindowList(),
                null,
                null,
                null,
                null,
                SqlNodeList.EMPTY);
        if (!isNumbered) {
            return new Written(query, newOrder);
        }
        SqlNode number = tree.as(tree.overOrder(tree.call("row_number"), List.of()), tree.name(NUMBER));
        SqlNode rows = tree.select(List.of(star(), number), from, select.getWhere(), List.of(), false);
        return new Written(tree.with(tree.name(ROWS), rows, query), newOrder);
    }

    private SqlNode star() {
        return SqlIdentifier.star(tree.pos());
    }

    /// The left rows with their number, which has a name there that the sub-queries have not.
    private SqlNode numberedAgain() {
        SqlNode again = tree.as(tree.name(NUMBER), tree.name(OUTER_NUMBER));
        return tree.as(
                tree.select(List.of(star(), again), tree.name(ROWS), null, List.of(), false),
                tree.name(left.items.getFirst().alias));
    }

    /// `t.*` without the number.
    private List<SqlNode> columns(SqlIdentifier star) {
        Item item = left.items.getFirst();
        if (!star.names.get(star.names.size() - 2).equals(item.alias)) {
            return List.of(star);
        }
        List<SqlNode> columns = new ArrayList<>();
        for (String column : item.columns) {
            columns.add(new SqlIdentifier(List.of(item.alias, column), star.getParserPosition()));
        }
        return columns;
    }

    /// An item of the select list; it keeps its name.
    private SqlNode item(SqlNode item, Results results) {
        if (item instanceof SqlIdentifier name && name.isStar() && name.names.size() == 1) {
            throw unsupported(item, "SELECT * with WINDOW JOIN")
                    .withHint("Write the left table's name before the star: t.*");
        }
        SqlNode changed = item.accept(results);
        return changed == item || item.getKind() == SqlKind.AS
                ? changed
                : tree.as(changed, new SqlIdentifier(source.nameOf.apply(item), item.getParserPosition()));
    }

    private SqlNode subQuery(Window window) {
        List<SqlNode> items = new ArrayList<>();
        for (int place = 0; place < window.aggregates.size(); place++) {
            items.add(tree.as(window.aggregates.get(place), tree.name(column(place))));
        }
        SqlNode where = window.join.getCondition();
        for (SqlIdentifier name : window.join.form().names()) {
            SqlNode key = new SqlIdentifier(
                    List.of(ownerOf(left, name.getSimple()), name.getSimple()), name.getParserPosition());
            SqlNode other = new SqlIdentifier(List.of(window.alias(), name.getSimple()), name.getParserPosition());
            where = tree.and(where, tree.equal(key, other));
        }
        where = tree.and(where, within(window));
        SqlNode right = window.join.getRight();
        if (isNumbered) {
            String alias = left.items.getFirst().alias;
            // The right table comes first: its designated timestamp is that of first() and last().
            right = tree.join(right, JoinType.CROSS, tree.as(tree.name(ROWS), tree.name(alias)), null);
            where = tree.and(where, tree.equal(tree.name(alias, NUMBER), tree.name(OUTER_NUMBER)));
        }
        return tree.select(items, right, where, List.of(), false);
    }

    private SqlNode within(Window window) {
        JoinWindow range = window.join.form().window();
        SqlNode time = tree.name(window.alias(), window.right.time);
        SqlNode own = tree.name(ownerOf(left, left.time), left.time);
        SqlNode within = null;
        if (range.low() != null) {
            SqlNode begin = moved(own, range.low(), window.join);
            if (range.prevailing() && !window.right.isOneTable) {
                throw unsupported(window.join, "INCLUDE PREVAILING with a sub-query that joins")
                        .withHint("Write EXCLUDE PREVAILING, or take the table alone.");
            }
            within = range.prevailing()
                    ? Prevailing.OPERATOR.createCall(
                            tree.pos(), time, begin, isNumbered ? tree.name(left.items.getFirst().alias, NUMBER) : own)
                    : tree.notLess(time, begin);
        }
        if (range.high() != null) {
            within = tree.and(within, tree.notGreater(time, moved(own, range.high(), window.join)));
        }
        return within == null ? tree.isNotNull(time) : within;
    }

    private SqlNode moved(SqlNode time, JoinWindow.Edge edge, SeriesJoin join) {
        if (edge.count() == 0) {
            return time;
        }
        SqlNode step = tree.literal("interval", Math.abs(micros(edge, join)) + " microseconds");
        return edge.isBefore() ? tree.minus(time, step) : tree.plus(time, step);
    }

    /// Behind the left row's time; negative for before.
    private long micros(JoinWindow.Edge edge, SeriesJoin join) {
        long unit =
                switch (edge.unit()) {
                    case "microsecond" -> 1;
                    case "millisecond" -> 1_000;
                    case "second" -> 1_000_000;
                    case "minute" -> 60_000_000;
                    case "hour" -> 3_600_000_000L;
                    case "day" -> 86_400_000_000L;
                    default -> throw unsupported(join, "a window in " + edge.unit() + "s");
                };
        if (edge.count() > Long.MAX_VALUE / unit) {
            throw error(SqlState.DATETIME_FIELD_OVERFLOW, join, "the window is too long");
        }
        return edge.isBefore() ? -edge.count() * unit : edge.count() * unit;
    }

    private String ownerOf(Side side, String column) {
        for (Item item : side.items) {
            if (item.columns.contains(column)) {
                return item.alias;
            }
        }
        throw error(
                SqlState.UNDEFINED_COLUMN,
                from,
                "column \"" + column + "\" specified in ON clause does not exist in left table");
    }

    private SqlIdentifier name(int window) {
        return tree.name("window join " + (window + 1));
    }

    private static String column(int place) {
        return "aggregate " + (place + 1);
    }

    private QueryException unsupported(SqlNode at, String what) {
        return error(SqlState.FEATURE_NOT_SUPPORTED, at, what + " is not supported");
    }

    private QueryException error(SqlState state, SqlNode at, String message) {
        return new QueryException(state, message).withPosition(Positions.of(source.text, Positions.start(at)));
    }

    /// Puts the sub-queries' columns in the place of aggregates.
    private final class Results extends SqlShuttle {
        @Override
        public SqlNode visit(SqlCall node) {
            if (node.isA(SqlKind.QUERY)) {
                return node;
            }
            return isAggregate(node) ? result(node) : super.visit(node);
        }

        private SqlNode result(SqlCall node) {
            int owner = ownerOf(node);
            List<SqlNode> known = windows.get(owner).aggregates;
            SqlNode written = counted(node);
            int place = 0;
            while (place < known.size() && !known.get(place).equalsDeep(written, Litmus.IGNORE)) {
                place++;
            }
            if (place == known.size()) {
                known.add(written);
            }
            SqlParserPos pos = node.getParserPosition();
            return new SqlIdentifier(List.of(name(owner).getSimple(), column(place)), pos);
        }

        /// QuestDB's `count()`.
        private SqlNode counted(SqlCall node) {
            boolean isCount = node.getOperator().getName().equalsIgnoreCase("count") && node.operandCount() == 0;
            return isCount
                    ? node.getOperator()
                            .createCall(node.getParserPosition(), SqlIdentifier.star(node.getParserPosition()))
                    : node;
        }
    }

    private boolean isAggregate(SqlCall node) {
        return AggregateCalls.isAggregate(node, source.isAggregate);
    }

    /// The window whose table an aggregate is of.
    private int ownerOf(SqlCall aggregate) {
        if (windows.size() == 1) {
            return 0;
        }
        List<Integer> owners = new ArrayList<>();
        aggregate.accept(new SqlShuttle() {
            @Override
            public SqlNode visit(SqlIdentifier name) {
                for (int window = 0; window < windows.size(); window++) {
                    Window each = windows.get(window);
                    boolean isOf = name.names.size() > 1
                            ? name.names.get(name.names.size() - 2).equals(each.alias())
                            : each.right.items.stream().anyMatch(item -> item.columns.contains(name.names.getFirst()));
                    if (isOf && !owners.contains(window)) {
                        owners.add(window);
                    }
                }
                return name;
            }
        });
        if (owners.size() != 1) {
            throw unsupported(aggregate, "an aggregate that names no table, or several, beside several WINDOW JOINs")
                    .withHint("Write the table's name before its column: count(p.price)");
        }
        return owners.getFirst();
    }
}
