package dev.quarrel.calcite.sql;

import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.util.ImmutableBitSet;

/// GROUP BY: its keys over FROM's row, and the sets of them.
///
/// @param keys distinct expressions
/// @param sets of indexes into `keys`; one set of all keys for a plain GROUP BY
record Grouping(List<RexNode> keys, List<ImmutableBitSet> sets) {
    /// More sets than this are refused, as in PostgreSQL.
    private static final int MAX_SETS = 4_096;

    /// One group of everything: aggregates without GROUP BY.
    static Grouping ofAll() {
        return new Grouping(List.of(), List.of(ImmutableBitSet.of()));
    }

    boolean isSimple() {
        return sets.size() == 1 && sets.get(0).cardinality() == keys.size();
    }

    /// null for a query without GROUP BY.
    ///
    /// @param names of the select list's items
    /// @param values of the select list's items
    static Grouping of(
            Analysis analysis,
            ExpressionAnalyzer expressions,
            Select select,
            SqlNodeList groupBy,
            List<String> names,
            List<RexNode> values) {
        if (groupBy == null) {
            return null;
        }
        Reader reader = new Reader(analysis, expressions, names, values);
        SqlNodeList items = groupBy;
        boolean distinct = groupBy.size() == 1 && groupBy.get(0).getKind() == SqlKind.GROUP_BY_DISTINCT;
        if (distinct) {
            items = new SqlNodeList(((SqlCall) groupBy.get(0)).getOperandList(), groupBy.getParserPosition());
        }
        int uses = select.columnUses().size();
        List<ImmutableBitSet> sets = List.of(ImmutableBitSet.of());
        for (SqlNode item : items) {
            sets = product(analysis, sets, reader.sets(item), item);
        }
        select.columnUses().subList(uses, select.columnUses().size()).clear();
        if (distinct || sets.size() == 1) {
            sets = List.copyOf(new LinkedHashSet<>(sets));
        }
        return new Grouping(List.copyOf(reader.keys), sets);
    }

    private static List<ImmutableBitSet> product(
            Analysis analysis, List<ImmutableBitSet> left, List<ImmutableBitSet> right, SqlNode at) {
        if ((long) left.size() * right.size() > MAX_SETS) {
            throw analysis.error(
                    SqlState.STATEMENT_TOO_COMPLEX,
                    Conversions.start(at),
                    "too many grouping sets present (maximum " + MAX_SETS + ")");
        }
        List<ImmutableBitSet> sets = new ArrayList<>();
        for (ImmutableBitSet first : left) {
            for (ImmutableBitSet second : right) {
                sets.add(first.union(second));
            }
        }
        return sets;
    }

    private static final class Reader {
        private final Analysis analysis;
        private final ExpressionAnalyzer expressions;
        private final List<String> names;
        private final List<RexNode> values;
        private final List<RexNode> keys = new ArrayList<>();

        Reader(Analysis analysis, ExpressionAnalyzer expressions, List<String> names, List<RexNode> values) {
            this.analysis = analysis;
            this.expressions = expressions;
            this.names = names;
            this.values = values;
        }

        List<ImmutableBitSet> sets(SqlNode item) {
            return switch (item.getKind()) {
                case ROLLUP -> {
                    List<ImmutableBitSet> parts = parts((SqlCall) item);
                    List<ImmutableBitSet> sets = new ArrayList<>();
                    for (int count = parts.size(); count >= 0; count--) {
                        sets.add(ImmutableBitSet.union(parts.subList(0, count)));
                    }
                    yield sets;
                }
                case CUBE -> {
                    List<ImmutableBitSet> parts = parts((SqlCall) item);
                    if (parts.size() > 12) {
                        throw analysis.error(
                                SqlState.STATEMENT_TOO_COMPLEX,
                                Conversions.start(item),
                                "CUBE is limited to 12 elements");
                    }
                    List<ImmutableBitSet> sets = new ArrayList<>();
                    for (int mask = (1 << parts.size()) - 1; mask >= 0; mask--) {
                        ImmutableBitSet set = ImmutableBitSet.of();
                        for (int index = 0; index < parts.size(); index++) {
                            if ((mask >> (parts.size() - 1 - index) & 1) != 0) {
                                set = set.union(parts.get(index));
                            }
                        }
                        sets.add(set);
                    }
                    yield sets;
                }
                case GROUPING_SETS -> {
                    List<ImmutableBitSet> sets = new ArrayList<>();
                    for (SqlNode each : ((SqlCall) item).getOperandList()) {
                        sets.addAll(sets(each));
                    }
                    yield sets;
                }
                default -> List.of(part(item));
            };
        }

        private List<ImmutableBitSet> parts(SqlCall call) {
            List<ImmutableBitSet> parts = new ArrayList<>();
            for (SqlNode each : call.getOperandList()) {
                parts.add(part(each));
            }
            return parts;
        }

        /// One key, several in parentheses, or none.
        private ImmutableBitSet part(SqlNode item) {
            List<SqlNode> nodes = item instanceof SqlNodeList list
                    ? list.getList()
                    : item.getKind() == SqlKind.ROW ? ((SqlCall) item).getOperandList() : List.of(item);
            ImmutableBitSet set = ImmutableBitSet.of();
            for (SqlNode node : nodes) {
                RexNode key = key(node);
                int index = keys.indexOf(key);
                if (index < 0) {
                    index = keys.size();
                    keys.add(key);
                }
                set = set.set(index);
            }
            return set;
        }

        /// A column of FROM, else a name or a number of the select list, else an expression.
        private RexNode key(SqlNode node) {
            int at = Conversions.start(node);
            Integer ordinal = QueryAnalyzer.ordinal(analysis, node, values.size(), "GROUP BY");
            if (ordinal != null) {
                return checked(values.get(ordinal), at);
            }
            if (node instanceof SqlIdentifier identifier && identifier.isSimple()) {
                Expr.Value column = new Columns(analysis).unqualified(identifier.getSimple(), expressions.scope(), at);
                if (column != null) {
                    return column.rex();
                }
                RexNode labelled = null;
                for (int index = 0; index < values.size(); index++) {
                    if (names.get(index).equals(identifier.getSimple())) {
                        if (labelled != null && !labelled.equals(values.get(index))) {
                            throw analysis.error(
                                    SqlState.AMBIGUOUS_COLUMN,
                                    at,
                                    "GROUP BY \"" + identifier.getSimple() + "\" is ambiguous");
                        }
                        labelled = values.get(index);
                    }
                }
                if (labelled != null) {
                    return checked(labelled, at);
                }
            }
            return analysis.conversions().resolved(expressions.analyze(node)).rex();
        }

        private RexNode checked(RexNode key, int at) {
            if (RelOptUtil.InputFinder.bits(key).length()
                    > expressions.scope().select().fieldCount()) {
                throw analysis.error(SqlState.GROUPING_ERROR, at, "aggregate functions are not allowed in GROUP BY");
            }
            return key;
        }
    }
}
