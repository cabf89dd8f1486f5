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
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.util.SqlShuttle;

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
///
/// Beside GROUP BY or HAVING the sub-query's values are those of each left row, which the groups' aggregates take
/// together: `avg(max(p.price) - t.price)`. Other joins stay around the WINDOW JOIN as they are written.
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

    private static final String ROWS = "window join's rows";
    private static final String NUMBER = "window join's row";
    private static final String OUTER_NUMBER = "window join's outer row";
    private static final String SIDE = "window join's side ";

    private final SqlSelect select;
    private final Source source;
    private final SeriesTree tree;
    private final SeriesJoin last;
    private final List<WindowAggregates.Window> windows = new ArrayList<>();
    private final List<SqlNode> sides = new ArrayList<>();
    private final SqlNode from;
    private final Side left;
    private final boolean isGrouped;
    private final boolean isNumbered;

    private WindowJoinQuery(SqlSelect select, SqlNodeList order, Source source) {
        this.select = select;
        this.source = source;
        this.tree = new SeriesTree(select.getFrom().getParserPosition());
        this.last = last(select.getFrom());
        this.isGrouped = select.getGroup() != null || select.getHaving() != null;
        SqlNode rest = last;
        while (rest instanceof SeriesJoin join && join.form().isWindow()) {
            requireTaken(join);
            windows.addFirst(new WindowAggregates.Window(join, source.sideOf.apply(join.getRight())));
            rest = join.getLeft();
        }
        this.from = rest;
        if (last(replaced(select.getFrom(), from)) != null) {
            throw unsupported(last, "WINDOW JOIN beside another one with a left side of its own")
                    .withHint("Write one of them as a sub-query.");
        }
        this.left = source.sideOf.apply(rest);
        this.isNumbered = left.items.size() == 1
                && !left.items.getFirst().alias.isEmpty()
                && readsKnownColumns(left.items.getFirst(), order);
    }

    /// The last of the WINDOW JOINs that follow each other in a FROM clause; null where it has none.
    private static SeriesJoin last(SqlNode from) {
        if (!(from instanceof SqlJoin join)) {
            return null;
        }
        if (join instanceof SeriesJoin series && series.form().isWindow()) {
            return series;
        }
        SeriesJoin found = last(join.getLeft());
        return found == null ? last(join.getRight()) : found;
    }

    /// Whether no column is read of the left table but those that its star has, nor its whole row.
    private boolean readsKnownColumns(Item item, SqlNodeList order) {
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
        order.accept(reader);
        for (SqlNode part : new SqlNode[] {select.getWhere(), select.getGroup(), select.getHaving()}) {
            if (part != null) {
                part.accept(reader);
            }
        }
        readConditions(select.getFrom(), reader);
        return isKnown[0];
    }

    private static void readConditions(SqlNode node, SqlShuttle reader) {
        if (node instanceof SqlJoin join) {
            readConditions(join.getLeft(), reader);
            readConditions(join.getRight(), reader);
            if (join.getCondition() != null) {
                join.getCondition().accept(reader);
            }
        } else if (node.getKind() == SqlKind.AS) {
            readConditions(((SqlCall) node).operand(0), reader);
        } else if (node.getKind() == SqlKind.LATERAL || node.getKind() == SqlKind.COLLECTION_TABLE) {
            node.accept(reader); // it sees the left table
        }
    }

    /// Whether a WINDOW JOIN is in its FROM.
    public static boolean is(SqlSelect select) {
        return last(select.getFrom()) != null;
    }

    /// Whether no join is in it.
    public static boolean isOneTable(RelNode rel) {
        return !(rel instanceof Join)
                && !(rel instanceof Correlate)
                && rel.getInputs().stream().allMatch(WindowJoinQuery::isOneTable);
    }

    /// - Errors: 0A000 for what stands beside WINDOW JOIN and is not built, 42712 for two tables of one name, 22023 for
    ///   a window that ends before it begins, 42803 for a value of each left row that groups do not have.
    public static Written written(SqlSelect select, SqlNodeList order, Source source) {
        return new WindowJoinQuery(select, order, source).write(order);
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
        if (series.latest != null) {
            throw unsupported(select.getFrom(), "WINDOW JOIN with LATEST ON")
                    .withHint("Write the query with WINDOW JOIN as a sub-query.");
        }
        WindowAggregates results = new WindowAggregates(windows, source, isGrouped ? keys() : null);
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
        SqlNodeList group = select.getGroup() == null
                ? null
                : (SqlNodeList) select.getGroup().accept(results);
        SqlNode having = select.getHaving() == null ? null : select.getHaving().accept(results);
        Conditions where = conditions();
        SqlNodeList keywords =
                select.isDistinct() ? SqlNodeList.of(SqlSelectKeyword.DISTINCT.symbol(tree.pos())) : SqlNodeList.EMPTY;
        SqlNode query = new PostgresSelect(
                select.getParserPosition(),
                keywords,
                distinctOn,
                new SqlNodeList(items, select.getSelectList().getParserPosition()),
                replaced(select.getFrom(), joined()),
                where.ofRows,
                group,
                having,
                select.getWindowList(),
                null,
                null,
                null,
                null,
                SqlNodeList.EMPTY);
        List<SqlNode> with = new ArrayList<>(sides);
        if (isNumbered) {
            SqlNode number = tree.as(tree.overOrder(tree.call("row_number"), List.of()), tree.name(NUMBER));
            SqlNode rows = tree.select(List.of(star(), number), from, where.ofLeft, List.of(), false);
            with.add(tree.madeOnce(tree.name(ROWS), rows));
        }
        return new Written(with.isEmpty() ? query : tree.with(with, query), newOrder);
    }

    /// The left rows with the values of their windows.
    private SqlNode joined() {
        SqlNode joined = isNumbered ? numberedAgain() : from;
        List<Item> before = new ArrayList<>(left.items);
        for (int place = 0; place < windows.size(); place++) {
            WindowAggregates.Window window = windows.get(place);
            if (before.stream().anyMatch(item -> item.alias.equals(window.alias()))) {
                throw error(
                        SqlState.DUPLICATE_ALIAS,
                        window.join(),
                        "table name \"" + window.alias() + "\" specified more than once");
            }
            before.addAll(window.right().items);
            if (!window.aggregates().isEmpty()) {
                joined = tree.join(
                        joined,
                        JoinType.LEFT,
                        tree.as(
                                SqlStdOperatorTable.LATERAL.createCall(tree.pos(), subQuery(window, place)),
                                tree.name(WindowAggregates.name(place))),
                        SqlLiteral.createBoolean(true, tree.pos()));
            }
        }
        return joined;
    }

    /// FROM with the join in the place of the WINDOW JOINs.
    private SqlNode replaced(SqlNode node, SqlNode joined) {
        if (node == last) {
            return joined;
        }
        return node instanceof SqlJoin join
                ? SeriesJoin.with(join, replaced(join.getLeft(), joined), replaced(join.getRight(), joined))
                : node;
    }

    /// What GROUP BY has, with the items that its numbers and names mean.
    private List<SqlNode> keys() {
        List<SqlNode> keys = new ArrayList<>();
        SqlNodeList items = select.getSelectList();
        for (SqlNode key : select.getGroup() == null ? SqlNodeList.EMPTY : select.getGroup()) {
            keys.add(key);
            if (key instanceof SqlNumericLiteral number && number.isInteger()) {
                long place = number.longValue(true);
                keys.addAll(place > 0 && place <= items.size() ? List.of(items.get((int) place - 1)) : List.of());
            }
            if (key instanceof SqlIdentifier name && name.isSimple()) {
                items.stream()
                        .filter(item -> item.getKind() == SqlKind.AS)
                        .filter(item -> ((SqlIdentifier) ((SqlCall) item).operand(1))
                                .getSimple()
                                .equals(name.getSimple()))
                        .forEach(keys::add);
            }
        }
        return keys;
    }

    /// What WHERE says.
    ///
    /// @param ofLeft of the left rows, before they are numbered; null for nothing
    /// @param ofRows of the rows of FROM; null for nothing
    private record Conditions(SqlNode ofLeft, SqlNode ofRows) {}

    /// With other joins around, what names the left table alone is asked before, where none of them adds rows without
    /// a left one.
    private Conditions conditions() {
        SqlNode where = select.getWhere();
        if (!isNumbered || where == null) {
            return new Conditions(null, where);
        }
        if (last == select.getFrom()) {
            return new Conditions(where, null);
        }
        SqlNode ofLeft = null;
        SqlNode ofRows = null;
        boolean isAlways = isAlwaysThere(select.getFrom());
        for (SqlNode each : conjuncts(where)) {
            if (isAlways && readsLeftAlone(each)) {
                ofLeft = tree.and(ofLeft, each);
            } else {
                ofRows = tree.and(ofRows, each);
            }
        }
        return new Conditions(ofLeft, ofRows);
    }

    private boolean isAlwaysThere(SqlNode node) {
        if (node == last || !(node instanceof SqlJoin join)) {
            return node == last;
        }
        return switch (join.getJoinType()) {
            case INNER, CROSS, COMMA -> isAlwaysThere(join.getLeft()) || isAlwaysThere(join.getRight());
            case LEFT -> isAlwaysThere(join.getLeft());
            default -> false;
        };
    }

    private static List<SqlNode> conjuncts(SqlNode node) {
        return node.getKind() == SqlKind.AND
                ? ((SqlCall) node)
                        .getOperandList().stream()
                                .flatMap(each -> conjuncts(each).stream())
                                .toList()
                : List.of(node);
    }

    private boolean readsLeftAlone(SqlNode condition) {
        String alias = left.items.getFirst().alias;
        boolean[] isAlone = {true};
        condition.accept(new SqlShuttle() {
            @Override
            public SqlNode visit(SqlIdentifier name) {
                isAlone[0] &= name.names.size() == 2 && name.names.getFirst().equals(alias);
                return name;
            }

            @Override
            public SqlNode visit(SqlCall call) {
                isAlone[0] &= !call.isA(SqlKind.QUERY);
                return isAlone[0] ? super.visit(call) : call;
            }
        });
        return isAlone[0];
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
    private SqlNode item(SqlNode item, WindowAggregates results) {
        if (item instanceof SqlIdentifier name && name.isStar() && name.names.size() == 1) {
            throw unsupported(item, "SELECT * with WINDOW JOIN")
                    .withHint("Write the left table's name before the star: t.*");
        }
        SqlNode changed = item.accept(results);
        return changed == item || item.getKind() == SqlKind.AS
                ? changed
                : tree.as(changed, new SqlIdentifier(source.nameOf.apply(item), item.getParserPosition()));
    }

    private SqlNode subQuery(WindowAggregates.Window window, int place) {
        List<SqlNode> items = new ArrayList<>();
        for (int each = 0; each < window.aggregates().size(); each++) {
            items.add(tree.as(window.aggregates().get(each), tree.name(WindowAggregates.column(each))));
        }
        SqlNode where = window.join().getCondition();
        for (SqlIdentifier name : window.join().form().names()) {
            SqlNode key = new SqlIdentifier(
                    List.of(ownerOf(left, name.getSimple()), name.getSimple()), name.getParserPosition());
            SqlNode other = new SqlIdentifier(List.of(window.alias(), name.getSimple()), name.getParserPosition());
            where = tree.and(where, tree.equal(key, other));
        }
        where = tree.and(where, within(window));
        SqlNode right = rows(window, place);
        if (isNumbered) {
            String alias = left.items.getFirst().alias;
            // The right table comes first: its designated timestamp is that of first() and last().
            right = tree.join(right, JoinType.CROSS, tree.as(tree.name(ROWS), tree.name(alias)), null);
            where = tree.and(where, tree.equal(tree.name(alias, NUMBER), tree.name(OUTER_NUMBER)));
        }
        return tree.select(items, right, where, List.of(), false);
    }

    /// The right side. Rows that joins make are made before: the last one before a time is known of the rows of one
    /// node alone.
    private SqlNode rows(WindowAggregates.Window window, int place) {
        SqlNode right = window.join().getRight();
        JoinWindow range = window.join().form().window();
        if (!range.prevailing() || range.low() == null || window.right().isOneTable) {
            return right;
        }
        if (window.right().items.size() != 1 || window.alias().isEmpty()) {
            throw unsupported(window.join(), "INCLUDE PREVAILING with a join in parentheses")
                    .withHint("Write a sub-query with a name for it, or EXCLUDE PREVAILING.");
        }
        SqlIdentifier name = tree.name(SIDE + (place + 1));
        sides.add(tree.madeOnce(name, tree.select(List.of(star()), right, null, List.of(), false)));
        // Behind that alias stands the designated timestamp.
        return window.alias().equals("timestamp")
                ? tree.as(name, tree.name(window.alias()), tree.name(window.right().time))
                : tree.as(name, tree.name(window.alias()));
    }

    private SqlNode within(WindowAggregates.Window window) {
        JoinWindow range = window.join().form().window();
        SqlNode time = tree.name(window.alias(), window.right().time);
        SqlNode own = tree.name(ownerOf(left, left.time), left.time);
        SqlNode within = null;
        if (range.low() != null) {
            SqlNode begin = moved(own, range.low(), window.join());
            within = range.prevailing()
                    ? Prevailing.OPERATOR.createCall(
                            tree.pos(), time, begin, isNumbered ? tree.name(left.items.getFirst().alias, NUMBER) : own)
                    : tree.notLess(time, begin);
        }
        if (range.high() != null) {
            within = tree.and(within, tree.notGreater(time, moved(own, range.high(), window.join())));
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

    private QueryException unsupported(SqlNode at, String what) {
        return error(SqlState.FEATURE_NOT_SUPPORTED, at, what + " is not supported");
    }

    private QueryException error(SqlState state, SqlNode at, String message) {
        return new QueryException(state, message).withPosition(Positions.of(source.text, Positions.start(at)));
    }
}
