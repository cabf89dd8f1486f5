package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSetOperator;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.util.SqlBasicVisitor;

/// The queries of one WITH RECURSIVE: which of them refer to themselves, whether they do so where they may, and in
/// which order they can be analysed.
///
/// - Source: PostgreSQL's `parse_cte.c`.
final class RecursiveQueries {
    private final Analysis analysis;
    private final List<SqlWithItem> items = new ArrayList<>();
    private final Set<String> recursive = new HashSet<>();

    /// The place of a reference, and the words for it in the error that refuses it.
    private enum Place {
        ALLOWED(""),
        FIRST_TERM("must not appear within its non-recursive term"),
        SUB_QUERY("must not appear within a subquery"),
        OUTER_JOIN("must not appear within an outer join"),
        INTERSECT("must not appear within INTERSECT"),
        EXCEPT("must not appear within EXCEPT");

        private final String refusal;

        Place(String refusal) {
            this.refusal = refusal;
        }
    }

    /// - Errors: 42P19 for a reference to itself where there may be none; 0A000 for queries that refer to each other.
    RecursiveQueries(Analysis analysis, SqlWith with) {
        this.analysis = analysis;
        with.withList.forEach(node -> items.add((SqlWithItem) node));
        sort();
        for (SqlWithItem item : items) {
            if (isRecursive(item)) {
                check(item);
            }
        }
    }

    /// All of them; none refers to a later one.
    List<SqlWithItem> inOrder() {
        return items;
    }

    boolean isRecursive(SqlWithItem item) {
        return recursive.contains(item.name.getSimple());
    }

    /// The UNION that a recursive query is, below its own WITH and its ORDER BY.
    static SqlNode bare(SqlNode query) {
        return switch (query) {
            case SqlOrderBy order -> bare(order.query);
            case SqlWith with -> bare(with.body);
            default -> query;
        };
    }

    private void sort() {
        Map<String, Set<String>> needed = new HashMap<>();
        for (SqlWithItem item : items) {
            String name = item.name.getSimple();
            Set<String> others = new HashSet<>();
            new References((table, _) -> {
                        if (table.getSimple().equals(name)) {
                            recursive.add(name);
                        } else if (items.stream()
                                .anyMatch(each -> each.name.getSimple().equals(table.getSimple()))) {
                            others.add(table.getSimple());
                        }
                    })
                    .query(item.query, Place.ALLOWED);
            needed.put(name, others);
        }
        for (int place = 0; place < items.size(); place++) {
            int next = place;
            while (next < items.size()
                    && !needed.get(items.get(next).name.getSimple()).isEmpty()) {
                next++;
            }
            if (next == items.size()) {
                throw analysis.error(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        Positions.start(items.get(place).name),
                        "mutual recursion between WITH items is not implemented");
            }
            Collections.swap(items, place, next);
            String done = items.get(place).name.getSimple();
            needed.values().forEach(names -> names.remove(done));
        }
    }

    private void check(SqlWithItem item) {
        String name = item.name.getSimple();
        SqlNode union = bare(item.query);
        if (union.getKind() != SqlKind.UNION) {
            throw analysis.error(
                    SqlState.INVALID_RECURSION,
                    Positions.start(item.name),
                    "recursive query \"" + name
                            + "\" does not have the form non-recursive-term UNION [ALL] recursive-term");
        }
        int[] count = {0};
        References references = new References((table, place) -> {
            if (!table.getSimple().equals(name)) {
                return;
            }
            if (place != Place.ALLOWED || ++count[0] > 1) {
                String refusal = place == Place.ALLOWED ? "must not appear more than once" : place.refusal;
                throw analysis.error(
                        SqlState.INVALID_RECURSION,
                        Positions.start(table),
                        "recursive reference to query \"" + name + "\" " + refusal);
            }
        });
        checkAround(item.query, references);
        references.query(((SqlCall) union).operand(0), Place.FIRST_TERM);
        references.query(((SqlCall) union).operand(1), Place.ALLOWED);
    }

    /// What stands around the UNION.
    private void checkAround(SqlNode query, References references) {
        switch (query) {
            case SqlWith with -> {
                with.withList.forEach(node -> references.query(((SqlWithItem) node).query, Place.SUB_QUERY));
                checkAround(with.body, references);
            }
            case SqlOrderBy order -> {
                checkAround(order.query, references);
                refuse(order.orderList.isEmpty() ? null : order.orderList.get(0), "ORDER BY");
                refuse(order.offset, "OFFSET");
                refuse(order.fetch, "LIMIT");
            }
            default -> {}
        }
    }

    private void refuse(SqlNode clause, String what) {
        if (clause != null) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    Positions.start(clause),
                    what + " in a recursive query is not implemented");
        }
    }

    /// Finds the tables that a query names, but for those that are queries of a WITH inside of it.
    private static final class References extends SqlBasicVisitor<Void> {
        private final BiConsumer<SqlIdentifier, Place> found;
        private final Deque<Set<String>> inner = new ArrayDeque<>();
        private Place here;

        References(BiConsumer<SqlIdentifier, Place> found) {
            this.found = found;
        }

        void query(SqlNode node, Place place) {
            PlanningLimits.tick();
            Place around = here;
            here = place;
            switch (node) {
                case SqlOrderBy order -> {
                    query(order.query, place);
                    expression(order.orderList);
                    expression(order.offset);
                    expression(order.fetch);
                }
                case SqlWith with -> with(with, place);
                case SqlSelect select -> {
                    expression(select.getSelectList());
                    from(select.getFrom(), place);
                    expression(select.getWhere());
                    expression(select.getGroup());
                    expression(select.getHaving());
                    expression(select.getWindowList());
                }
                case SqlCall call -> setOperation(call, place);
                default -> expression(node);
            }
            here = around;
        }

        private void setOperation(SqlCall call, Place place) {
            boolean isAll = call.getOperator() instanceof SqlSetOperator operator && operator.isAll();
            boolean isFree = place == Place.ALLOWED;
            switch (call.getKind()) {
                case UNION -> {
                    query(call.operand(0), place);
                    query(call.operand(1), place);
                }
                case INTERSECT -> {
                    Place both = isFree && isAll ? Place.INTERSECT : place;
                    query(call.operand(0), both);
                    query(call.operand(1), both);
                }
                case EXCEPT -> {
                    query(call.operand(0), isFree && isAll ? Place.EXCEPT : place);
                    query(call.operand(1), isFree ? Place.EXCEPT : place);
                }
                case EXPLICIT_TABLE -> from(call.operand(0), place);
                default -> call.getOperandList().forEach(this::expression);
            }
        }

        private void with(SqlWith with, Place place) {
            Set<String> names = new HashSet<>();
            inner.push(names);
            for (SqlNode node : with.withList) {
                SqlWithItem item = (SqlWithItem) node;
                if (item.recursive.booleanValue()) {
                    with.withList.forEach(each -> names.add(((SqlWithItem) each).name.getSimple()));
                }
                query(item.query, place);
                names.add(item.name.getSimple());
            }
            query(with.body, place);
            inner.pop();
        }

        private void from(SqlNode node, Place place) {
            switch (node) {
                case null -> {}
                case SqlIdentifier table -> {
                    if (table.isSimple() && inner.stream().noneMatch(names -> names.contains(table.getSimple()))) {
                        found.accept(table, place);
                    }
                }
                case SqlJoin join -> {
                    boolean keepsLeft = join.getJoinType() == JoinType.LEFT || join.getJoinType() == JoinType.FULL;
                    boolean keepsRight = join.getJoinType() == JoinType.RIGHT || join.getJoinType() == JoinType.FULL;
                    Place outer = place == Place.ALLOWED ? Place.OUTER_JOIN : place;
                    from(join.getLeft(), keepsRight ? outer : place);
                    from(join.getRight(), keepsLeft ? outer : place);
                    expression(join.getCondition());
                }
                case SqlNode query when query.isA(SqlKind.QUERY) -> query(query, place);
                case SqlCall call -> {
                    switch (call.getKind()) {
                        case AS, TABLE_REF, LATERAL, TABLESAMPLE -> from(call.operand(0), place);
                        default -> call.getOperandList().forEach(this::expression);
                    }
                }
                default -> expression(node);
            }
        }

        private void expression(SqlNode node) {
            if (node != null) {
                node.accept(this);
            }
        }

        /// Every query inside of an expression is on its own, wherever the expression stands.
        @Override
        public Void visit(SqlCall call) {
            if (call.isA(SqlKind.QUERY)) {
                query(call, Place.SUB_QUERY);
                return null;
            }
            return super.visit(call);
        }
    }
}
