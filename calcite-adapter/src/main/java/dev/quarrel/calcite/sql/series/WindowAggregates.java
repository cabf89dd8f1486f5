package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.SeriesJoin;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.Litmus;

/// Takes the aggregates of WINDOW JOINs out of a SELECT's expressions, and puts the columns of their sub-queries in
/// their place.
///
/// Without GROUP BY and HAVING each aggregate is that of a window. With one of them an aggregate is a window's if it is
/// within another one, or reads the right side's columns and is around no other one; all else are the groups'.
final class WindowAggregates extends SqlShuttle {
    private final List<Window> windows;
    private final WindowJoinQuery.Source source;
    private final boolean isGrouped;
    private final Set<List<String>> keys = new HashSet<>();
    private boolean isInKeys;
    private int groupsAround;

    /// One WINDOW JOIN.
    ///
    /// @param aggregates of its rows, as they are found
    record Window(SeriesJoin join, WindowJoinQuery.Side right, List<SqlNode> aggregates) {
        Window(SeriesJoin join, WindowJoinQuery.Side right) {
            this(join, right, new ArrayList<>());
        }

        String alias() {
            return right.items().isEmpty() ? "" : right.items().getFirst().alias();
        }

        private boolean has(SqlIdentifier name) {
            if (name.names.size() > 1) {
                return name.names.get(name.names.size() - 2).equals(alias());
            }
            String only = name.names.getFirst();
            return !name.isStar() && only.equals(alias())
                    || right.items().stream().anyMatch(item -> item.columns().contains(only));
        }
    }

    /// @param keys of GROUP BY, none for HAVING alone; null without either
    WindowAggregates(List<Window> windows, WindowJoinQuery.Source source, List<SqlNode> keys) {
        this.windows = windows;
        this.source = source;
        this.isGrouped = keys != null;
        if (isGrouped) {
            isInKeys = true;
            keys.forEach(key -> key.accept(this));
            isInKeys = false;
        }
    }

    /// The name of a window's sub-query.
    static String name(int window) {
        return "window join " + (window + 1);
    }

    /// The name of an aggregate's column there.
    static String column(int place) {
        return "aggregate " + (place + 1);
    }

    @Override
    public SqlNode visit(SqlCall node) {
        if (node.isA(SqlKind.QUERY)) {
            return node;
        }
        if (node.getKind() == SqlKind.OVER) {
            return node.getOperator()
                    .createCall(
                            node.getParserPosition(),
                            withArguments(node.operand(0)),
                            node.operand(1).accept(this));
        }
        if (!isAggregate(node)) {
            return super.visit(node);
        }
        if (!isGrouped || groupsAround > 0 || isWindows(node)) {
            return result(node);
        }
        groupsAround++;
        SqlNode around = withArguments(node);
        groupsAround--;
        return around;
    }

    /// A function that stays what it is, while its arguments may be around aggregates.
    private SqlNode withArguments(SqlCall function) {
        return AggregateCalls.isClause(function)
                ? function.getOperator()
                        .createCall(
                                function.getParserPosition(),
                                withArguments(function.operand(0)),
                                function.operand(1).accept(this))
                : super.visit((SqlCall) counted(function));
    }

    private boolean isAggregate(SqlCall node) {
        return AggregateCalls.isAggregate(node, source.isAggregate());
    }

    /// Whether it reads the right side's columns, and is around no other aggregate.
    private boolean isWindows(SqlCall aggregate) {
        boolean[] isAround = {false};
        SqlShuttle look = new SqlShuttle() {
            @Override
            public SqlNode visit(SqlCall call) {
                isAround[0] |= isAggregate(call);
                return call.isA(SqlKind.QUERY) ? call : super.visit(call);
            }
        };
        SqlCall part = aggregate;
        while (AggregateCalls.isClause(part)) {
            part.operand(1).accept(look);
            part = part.operand(0);
        }
        for (SqlNode argument : part.getOperandList()) {
            if (argument != null) {
                argument.accept(look);
            }
        }
        return !isAround[0] && !owners(aggregate).isEmpty();
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
        List<String> column = List.of(name(owner), column(place));
        if (isInKeys) {
            keys.add(column);
        }
        if (isGrouped && groupsAround == 0 && !keys.contains(column)) {
            throw error(
                            SqlState.GROUPING_ERROR,
                            node,
                            "an aggregate of \"" + windows.get(owner).alias()
                                    + "\" is a value of each row before it, of which a group has several")
                    .withHint("Write an aggregate around it, such as avg(…), or put it into GROUP BY.");
        }
        return new SqlIdentifier(column, node.getParserPosition());
    }

    /// QuestDB's `count()`.
    private SqlNode counted(SqlCall node) {
        boolean isCount = node.getOperator().getName().equalsIgnoreCase("count") && node.operandCount() == 0;
        return isCount
                ? node.getOperator().createCall(node.getParserPosition(), SqlIdentifier.star(node.getParserPosition()))
                : node;
    }

    /// The window whose table an aggregate is of.
    private int ownerOf(SqlCall aggregate) {
        if (windows.size() == 1) {
            return 0;
        }
        Set<Integer> owners = owners(aggregate);
        if (owners.size() != 1) {
            throw error(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            aggregate,
                            "an aggregate that names no table, or several, beside several WINDOW JOINs is not supported")
                    .withHint("Write the table's name before its column: count(p.price)");
        }
        return owners.iterator().next();
    }

    private Set<Integer> owners(SqlCall aggregate) {
        Set<Integer> owners = new HashSet<>();
        aggregate.accept(new SqlShuttle() {
            @Override
            public SqlNode visit(SqlIdentifier name) {
                for (int window = 0; window < windows.size(); window++) {
                    if (windows.get(window).has(name)) {
                        owners.add(window);
                    }
                }
                return name;
            }
        });
        return owners;
    }

    private QueryException error(SqlState state, SqlNode at, String message) {
        return new QueryException(state, message).withPosition(Positions.of(source.text(), Positions.start(at)));
    }
}
