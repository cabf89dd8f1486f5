package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.Select.AggregateUse;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses hypothetical-set aggregates: the rank that a row would have among those of the group, as counts of the
/// rows that come before it.
///
/// - Source: PostgreSQL's `orderedsetaggs.c` (hypothetical_rank_common), and unify_hypothetical_args in
///   `parse_func.c`.
final class HypotheticalRow {
    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final DirectArguments direct;
    private final RexMaker maker;
    private final Conversions conversions;

    HypotheticalRow(Analysis analysis, Scope scope, ExpressionAnalyzer expressions, DirectArguments direct) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.direct = direct;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    static boolean isFor(String name) {
        return switch (name) {
            case "rank", "dense_rank", "percent_rank", "cume_dist" -> true;
            default -> false;
        };
    }

    /// One key of the order, and what the hypothetical row has in its place.
    private record Key(Expr.Value value, Expr.Value wanted, SortItem item) {}

    /// @param condition of FILTER, or null
    Expr of(String name, WrittenCall written, RexNode condition, int at) {
        written.requireAll(analysis);
        List<Key> keys = keys(name, written, at);
        return switch (name) {
            case "rank" -> following(counted(List.of(), false, rows(condition, isBefore(keys, false)), at), at);
            case "dense_rank" -> following(distinct(keys, rows(condition, isBefore(keys, false)), at), at);
            case "percent_rank" -> share(condition, keys, at);
            case "cume_dist" -> {
                Expr upTo = following(counted(List.of(), false, rows(condition, isBefore(keys, true)), at), at);
                Expr all = following(counted(List.of(), false, condition, at), at);
                yield call("/", float8(upTo), float8(all));
            }
            default -> throw new IllegalArgumentException(name);
        };
    }

    private List<Key> keys(String name, WrittenCall written, int at) {
        List<Expr> wanted =
                written.isStar() ? List.of() : direct.analyze(written.call().getOperandList());
        List<SortItem> items = written.order().stream()
                .map(node -> SortItem.of(analysis, node))
                .toList();
        List<Expr> values =
                expressions.analyzeAll(items.stream().map(SortItem::node).toList());
        if (wanted.size() != values.size()) {
            List<Expr> all = new ArrayList<>(wanted);
            all.addAll(values);
            throw expressions.calls().noFunction(name, FunctionCalls.types(all), false, at);
        }
        List<Key> keys = new ArrayList<>();
        for (int index = 0; index < values.size(); index++) {
            List<Expr> both = List.of(values.get(index), wanted.get(index));
            SqlType type = analysis.commonTypes().of(both, "WITHIN GROUP");
            List<Expr.Value> unified = analysis.commonTypes().unified(both, type, "WITHIN GROUP");
            keys.add(new Key(unified.getFirst(), unified.getLast(), items.get(index)));
        }
        return keys;
    }

    /// Whether a row stands before the hypothetical one, or is its peer and that counts too; unknown for no.
    private RexNode isBefore(List<Key> keys, boolean withPeers) {
        Key last = keys.getLast();
        RexNode before = withPeers ? maker.or(List.of(isBefore(last), isPeer(last))) : isBefore(last);
        for (Key key : keys.reversed().subList(1, keys.size())) {
            before = maker.or(List.of(isBefore(key), maker.and(List.of(isPeer(key), before))));
        }
        return before;
    }

    private RexNode isBefore(Key key) {
        RexNode less = compared(key.item().descending() ? ">" : "<", key);
        boolean nullsFirst = key.item().nullsFirst();
        RexNode first = nullsFirst ? key.value().rex() : key.wanted().rex();
        RexNode second = nullsFirst ? key.wanted().rex() : key.value().rex();
        if (!first.getType().isNullable()) {
            return less;
        }
        RexNode isNull = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), first);
        RexNode isPresent = maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), second);
        return maker.or(List.of(less, second.getType().isNullable() ? maker.and(List.of(isNull, isPresent)) : isNull));
    }

    private RexNode isPeer(Key key) {
        RexNode same = compared("=", key);
        if (!key.value().rex().getType().isNullable()
                || !key.wanted().rex().getType().isNullable()) {
            return same;
        }
        RexNode isNull = maker.notNull(
                SqlStdOperatorTable.IS_NULL, maker.bool(), key.value().rex());
        RexNode wantsNull = maker.notNull(
                SqlStdOperatorTable.IS_NULL, maker.bool(), key.wanted().rex());
        return maker.or(List.of(same, maker.and(List.of(isNull, wantsNull))));
    }

    private RexNode compared(String symbol, Key key) {
        return expressions
                .operators()
                .call(
                        symbol,
                        key.value(),
                        key.wanted(),
                        () -> Positions.start(key.item().node()))
                .rex();
    }

    /// The rows of FILTER that a condition holds for; in others it is not computed.
    private RexNode rows(RexNode filter, RexNode condition) {
        RexNode holds = maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), condition);
        return filter == null ? holds : maker.cases(maker.bool(), filter, holds, maker.literal(false));
    }

    private Expr counted(List<RexNode> arguments, boolean distinct, RexNode filter, int at) {
        Select select = scope.select();
        int index = select.add(new AggregateUse(SqlStdOperatorTable.COUNT, distinct, arguments, filter), at);
        return new Expr.Value(maker.builder().makeInputRef(maker.rel(SqlType.INT8), index), SqlType.INT8, at);
    }

    /// The different rows that stand before; what is NULL in them does not leave them out.
    private Expr distinct(List<Key> keys, RexNode before, int at) {
        List<RexNode> arguments = new ArrayList<>();
        arguments.add(maker.literal(true));
        keys.forEach(key -> arguments.add(key.value().rex()));
        return counted(arguments, true, before, at);
    }

    private Expr share(RexNode condition, List<Key> keys, int at) {
        Expr before = counted(List.of(), false, rows(condition, isBefore(keys, false)), at);
        Expr all = counted(List.of(), false, condition, at);
        RexNode none = call("=", all, integer(0, at)).rex();
        RexNode share = call("/", float8(before), float8(all)).rex();
        return new Expr.Value(maker.cases(maker.rel(SqlType.FLOAT8), none, maker.float8(0), share), SqlType.FLOAT8, at);
    }

    private Expr following(Expr count, int at) {
        return call("+", count, integer(1, at));
    }

    private Expr integer(int value, int at) {
        return new Expr.Value(maker.integer(value, SqlType.INT8), SqlType.INT8, at);
    }

    private Expr float8(Expr count) {
        return conversions.implicit(count, SqlType.FLOAT8);
    }

    private Expr.Value call(String symbol, Expr left, Expr right) {
        return expressions.operators().call(symbol, left, right, left::at);
    }
}
