package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.rel.OuterReferences;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Whole;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// A GROUP BY clause: its keys over FROM's row, and its grouping sets.
///
/// @param keys expressions over FROM's row; one may repeat where it is without columns, or where there are several sets
/// @param items of the select list that the keys are, -1 for an expression that is none; told of keys without columns,
/// and of all where there are several sets: items of one expression may be in different sets
/// @param sets of indexes into `keys`; one set of all keys for a plain GROUP BY
/// @param picked columns of FROM's row that the keys decide and nobody can group by, and the aggregates of the SELECT
/// that give the value of each
record Grouping(List<RexNode> keys, List<Integer> items, List<ImmutableBitSet> sets, Map<RexNode, Integer> picked) {
    /// More sets than this are refused, as in PostgreSQL.
    private static final int MAX_SETS = 4_096;

    /// One group of everything: aggregates without GROUP BY.
    static Grouping ofAll() {
        return new Grouping(List.of(), List.of(), List.of(ImmutableBitSet.of()), Map.of());
    }

    boolean isSimple() {
        return sets.size() == 1 && sets.get(0).cardinality() == keys.size();
    }

    /// Whether GROUP BY, as written, has sets that leave keys out.
    static boolean hasSets(SqlNodeList groupBy) {
        return groupBy != null
                && groupBy.stream().anyMatch(item -> switch (item.getKind()) {
                    case ROLLUP, CUBE, GROUPING_SETS -> true;
                    case GROUP_BY_DISTINCT ->
                        hasSets(new SqlNodeList(((SqlCall) item).getOperandList(), item.getParserPosition()));
                    default -> false;
                });
    }

    /// The same groups, with further keys in all sets, and values that are picked.
    Grouping with(List<RexNode> more, Map<RexNode, Integer> newPicked) {
        List<RexNode> allKeys = new ArrayList<>(keys);
        allKeys.addAll(more);
        List<Integer> allItems = new ArrayList<>(items);
        allItems.addAll(Collections.nCopies(more.size(), -1));
        ImmutableBitSet added = ImmutableBitSet.range(keys.size(), allKeys.size());
        return new Grouping(
                List.copyOf(allKeys),
                List.copyOf(allItems),
                sets.stream().map(set -> set.union(added)).toList(),
                Map.copyOf(newPicked));
    }

    /// The key that an expression over FROM's row is, or -1. One without columns is a constant wherever it stands, but
    /// for the item of the select list that is the key.
    int key(RexNode rex) {
        return isConstant(rex) ? -1 : keys.indexOf(rex);
    }

    /// Whether an expression is a constant that is a key. An integer's literal is one in any type that it was turned
    /// into.
    boolean isConstantKey(RexNode rex) {
        if (!isConstant(rex)) {
            return false;
        }
        return keys.contains(rex)
                || rex instanceof RexLiteral literal
                        && keys.stream().anyMatch(key -> key instanceof RexLiteral other && isOf(literal, other));
    }

    private static boolean isOf(RexLiteral literal, RexLiteral integer) {
        return integer.getType().getSqlTypeName() == SqlTypeName.INTEGER
                && integer.getValue() instanceof BigDecimal number
                && literal.getValue() instanceof BigDecimal same
                && number.compareTo(same) == 0
                && same.scale() <= 0
                && SqlTypeName.NUMERIC_TYPES.contains(literal.getType().getSqlTypeName());
    }

    /// Whether a constant key may be that of a group without rows: there PostgreSQL reads it, wherever it stands, from
    /// a row of NULLs.
    boolean hasConstantOfNoRow() {
        return !isSimple()
                && sets.contains(ImmutableBitSet.of())
                && keys.stream().anyMatch(Grouping::isConstant);
    }

    /// The key that an item of the select list is, or -1.
    int keyOfItem(int item) {
        return items.indexOf(item);
    }

    /// What PostgreSQL folds into a constant.
    private static boolean isConstant(RexNode rex) {
        boolean[] isConstant = {true};
        rex.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitInputRef(RexInputRef input) {
                isConstant[0] = false;
                return null;
            }

            @Override
            public Void visitCorrelVariable(RexCorrelVariable variable) {
                isConstant[0] = false;
                return null;
            }

            @Override
            public Void visitSubQuery(RexSubQuery query) {
                isConstant[0] = false;
                return null;
            }

            @Override
            public Void visitCall(RexCall call) {
                isConstant[0] &= call.getOperator().isDeterministic()
                        && !(call.getOperator() instanceof RowsOperator)
                        && !call.getOperator().isDynamicFunction()
                        && !call.getOperator().getName().equals("NOW");
                return super.visitCall(call);
            }
        });
        return isConstant[0];
    }

    /// null for a query without GROUP BY.
    ///
    /// @param names of the select list's items
    /// @param values of the select list's items, and behind them of what is only sorted by
    static Grouping of(
            Analysis analysis,
            ExpressionAnalyzer expressions,
            Select select,
            SqlNodeList groupBy,
            List<String> names,
            List<Expr.Value> values) {
        if (groupBy == null) {
            return null;
        }
        Reader reader = new Reader(analysis, expressions, names, values, hasSets(groupBy));
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
        return new Grouping(List.copyOf(reader.keys), List.copyOf(reader.items), sets, Map.of());
    }

    private static List<ImmutableBitSet> product(
            Analysis analysis, List<ImmutableBitSet> left, List<ImmutableBitSet> right, SqlNode at) {
        if ((long) left.size() * right.size() > MAX_SETS) {
            throw analysis.error(
                    SqlState.STATEMENT_TOO_COMPLEX,
                    Positions.start(at),
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
        private final List<Expr.Value> written;
        private final List<RexNode> values;
        private final boolean hasSets;
        private final List<RexNode> keys = new ArrayList<>();
        private final List<Integer> items = new ArrayList<>();

        Reader(
                Analysis analysis,
                ExpressionAnalyzer expressions,
                List<String> names,
                List<Expr.Value> written,
                boolean hasSets) {
            this.analysis = analysis;
            this.expressions = expressions;
            this.names = names;
            this.written = written;
            this.values = written.stream().map(Expr.Value::rex).toList();
            this.hasSets = hasSets;
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
                                Positions.start(item),
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
                Expr.Row row = row(node);
                for (Expr field : row == null ? List.<Expr>of() : row.items()) {
                    RexNode key = analysis.conversions().resolved(field).rex();
                    Comparisons.requireEquality(analysis, key, Positions.start(node));
                    set = set.set(index(new Key(key, -1)));
                }
                if (row == null) {
                    Key key = key(node);
                    Comparisons.requireEquality(analysis, key.rex(), Positions.start(node));
                    set = set.set(index(key));
                }
            }
            return set;
        }

        /// The row of a FROM item, of which all fields are keys; null for any other key.
        ///
        /// - Errors: 0A000 for one that an outer join may not have.
        private Expr.Row row(SqlNode node) {
            boolean isName = node instanceof SqlIdentifier identifier
                    && (identifier.isStar() && identifier.names.size() > 1
                            || identifier.isSimple()
                                    && new Columns(analysis)
                                                    .unqualified(
                                                            identifier.getSimple(),
                                                            expressions.scope(),
                                                            Positions.start(node))
                                            == null
                                    && Columns.entry(expressions.scope().from(), identifier.names) != null);
            // A label of the select list comes before the row, unless it is the row's.
            int label = isName && ((SqlIdentifier) node).isSimple()
                    ? names.indexOf(((SqlIdentifier) node).getSimple())
                    : -1;
            boolean isLabel = label >= 0 && SqlTypes.other(values.get(label).getType()) == null;
            if (!isName || isLabel || !(expressions.analyze(node) instanceof Expr.Row row)) {
                return null;
            }
            if (label >= 0
                    && !values.get(label)
                            .equals(analysis.conversions().resolved(row).rex())) {
                return null;
            }
            if (row.mayBeMissing()) {
                throw analysis.unsupported(row.at(), "GROUP BY of a row that an outer join may not have");
            }
            return row;
        }

        private int index(Key key) {
            boolean isOfItem = hasSets || isConstant(key.rex());
            int item = !isOfItem ? -1 : key.item() >= 0 ? key.item() : values.indexOf(key.rex());
            int index = item >= 0 ? items.indexOf(item) : keys.indexOf(key.rex());
            if (index < 0) {
                index = keys.size();
                keys.add(key.rex());
                items.add(item);
            }
            return index;
        }

        /// @param item of the select list that it is named by, or -1
        private record Key(RexNode rex, int item) {}

        /// A column of FROM, else a name or a number of the select list, else an expression.
        private Key key(SqlNode node) {
            int at = Positions.start(node);
            Integer ordinal = QueryAnalyzer.ordinal(analysis, node, names.size(), "GROUP BY");
            if (ordinal != null) {
                return new Key(checked(ordinal, at), ordinal);
            }
            if (node instanceof SqlIdentifier identifier && identifier.isSimple()) {
                Expr.Value column = new Columns(analysis).unqualified(identifier.getSimple(), expressions.scope(), at);
                if (column != null) {
                    analysis.collations().requireKeys(List.of(column));
                    return new Key(column.rex(), -1);
                }
                int labelled = -1;
                for (int index = 0; index < names.size(); index++) {
                    if (names.get(index).equals(identifier.getSimple())) {
                        if (labelled >= 0 && !values.get(labelled).equals(values.get(index))) {
                            throw analysis.error(
                                    SqlState.AMBIGUOUS_COLUMN,
                                    at,
                                    "GROUP BY \"" + identifier.getSimple() + "\" is ambiguous");
                        }
                        labelled = labelled < 0 ? index : labelled;
                    }
                }
                if (labelled >= 0) {
                    return new Key(checked(labelled, at), labelled);
                }
            }
            Expr.Value value = analysis.conversions().resolved(expressions.analyze(node));
            // PostgreSQL finds an item of the select list first, and points at that.
            int item = values.indexOf(value.rex());
            analysis.collations().requireKeys(List.of(item < 0 ? value : written.get(item)));
            return new Key(value.rex(), -1);
        }

        private RexNode checked(int item, int at) {
            analysis.collations().requireKeys(List.of(written.get(item)));
            RexNode key = values.get(item);
            if (RexOver.containsOver(key)) {
                throw analysis.error(
                        SqlState.WINDOWING_ERROR,
                        written.get(item).at(),
                        "window functions are not allowed in GROUP BY");
            }
            if (RelOptUtil.InputFinder.bits(key).length()
                    > expressions.scope().select().fieldCount()) {
                throw analysis.error(SqlState.GROUPING_ERROR, at, "aggregate functions are not allowed in GROUP BY");
            }
            return key;
        }
    }

    /// The columns that a grouped query may read although it does not group by them: those of a table that FROM names,
    /// all of whose primary key's columns are in every grouping set. A row that an outer join leaves out has NULL
    /// in all.
    ///
    /// They become further keys, which divide no group, or one value of each group where their type has no groups.
    ///
    /// - Source: PostgreSQL's check_functional_grouping in `pg_constraint.c`.
    static final class DecidedColumns {
        private final Grouping grouping;
        private final RexBuilder rexBuilder;
        private final RelNode input;
        private final Set<CorrelationId> correlations;
        private final ImmutableBitSet decided;
        private final Set<RexNode> read = new LinkedHashSet<>();

        private DecidedColumns(
                Grouping grouping,
                FromItem from,
                RelNode input,
                Set<CorrelationId> correlations,
                RexBuilder rexBuilder) {
            this.grouping = grouping;
            this.rexBuilder = rexBuilder;
            this.input = input;
            this.correlations = correlations;
            this.decided = decided(grouping, from);
        }

        /// The grouping, also by what expressions read of such columns.
        ///
        /// @param select takes aggregates for what cannot be a key
        /// @param input FROM's rows
        /// @param correlations names by which sub-queries refer to them
        /// @param expressions over FROM's row, of all that is made of groups
        static Grouping added(
                Grouping grouping,
                Select select,
                FromItem from,
                RelNode input,
                Set<CorrelationId> correlations,
                List<RexNode> expressions) {
            RexBuilder rexBuilder = input.getCluster().getRexBuilder();
            DecidedColumns columns = new DecidedColumns(grouping, from, input, correlations, rexBuilder);
            if (columns.decided.isEmpty()) {
                return grouping;
            }
            Finder finder = columns.new Finder();
            expressions.forEach(expression -> expression.accept(finder));
            List<RexNode> keys = new ArrayList<>();
            Map<RexNode, Integer> picked = new LinkedHashMap<>();
            for (RexNode column : columns.read) {
                PgType type = SqlTypes.pgType(column.getType());
                if (type == PgType.OTHER || type.isDocument()) {
                    Select.AggregateUse use =
                            new Select.AggregateUse(AggregateFunction.ANY_VALUE, false, List.of(column), null);
                    picked.put(column, select.add(use, -1));
                } else {
                    keys.add(column);
                }
            }
            return grouping.with(keys, picked);
        }

        private static ImmutableBitSet decided(Grouping grouping, FromItem from) {
            ImmutableBitSet grouped = ImmutableBitSet.of();
            for (int key = 0; key < grouping.keys().size(); key++) {
                int place = key;
                if (grouping.keys().get(key) instanceof RexInputRef column
                        && grouping.sets().stream().allMatch(set -> set.get(place))) {
                    grouped = grouped.set(column.getIndex());
                }
            }
            ImmutableBitSet decided = ImmutableBitSet.of();
            for (Entry entry : from.entries()) {
                decided = decided.union(fields(entry, grouped));
                if (entry.row() instanceof Whole.OfTable table
                        && !table.primaryKey().isEmpty()) {
                    List<Integer> fields = new ArrayList<>();
                    entry.columns().forEach(column -> fields.add(column.index()));
                    List<Integer> key = new ArrayList<>();
                    table.primaryKey()
                            .forEach(name -> key.add(fields.get(table.columns().indexOf(name))));
                    if (key.stream().allMatch(grouped::get)) {
                        decided = decided.union(ImmutableBitSet.of(fields));
                    }
                }
            }
            return decided;
        }

        /// The columns that are fields of composites among the groups' keys.
        private static ImmutableBitSet fields(Entry entry, ImmutableBitSet grouped) {
            Set<FieldPath> composites = new HashSet<>();
            for (int index = 0; index < entry.columns().size(); index++) {
                int column = entry.columns().get(index).index();
                if (entry.row() instanceof Whole.OfTable table && column >= 0 && grouped.get(column)) {
                    composites.add(new FieldPath(table.columns().get(index)));
                }
            }
            for (Scope.Visible hidden : entry.hidden()) {
                FieldPath path = FieldPath.parse(hidden.name());
                if (path != null && grouped.get(hidden.index())) {
                    composites.add(path);
                }
            }
            ImmutableBitSet fields = ImmutableBitSet.of();
            for (Scope.Visible hidden : entry.hidden()) {
                FieldPath path = FieldPath.parse(hidden.name());
                if (path != null && isWithin(path, composites)) {
                    fields = fields.set(hidden.index());
                }
            }
            return fields;
        }

        private static boolean isWithin(FieldPath path, Set<FieldPath> composites) {
            for (int depth = 0; depth < path.fields().size(); depth++) {
                if (composites.contains(
                        new FieldPath(path.column(), path.fields().subList(0, depth)))) {
                    return true;
                }
            }
            return false;
        }

        private final class Finder extends RexVisitorImpl<Void> {
            private final OuterReferences outer = new OuterReferences((access, id) -> {
                if (correlations.contains(id)) {
                    found(access.getField().getIndex());
                }
                return access;
            });

            Finder() {
                super(true);
            }

            private void found(int field) {
                RexNode column =
                        field < input.getRowType().getFieldCount() ? rexBuilder.makeInputRef(input, field) : null;
                if (column != null && decided.get(field) && grouping.key(column) < 0) {
                    read.add(column);
                }
            }

            @Override
            public Void visitInputRef(RexInputRef column) {
                found(column.getIndex());
                return null;
            }

            @Override
            public Void visitFieldAccess(RexFieldAccess access) {
                if (access.getReferenceExpr() instanceof RexCorrelVariable variable
                        && correlations.contains(variable.id)) {
                    found(access.getField().getIndex());
                }
                return super.visitFieldAccess(access);
            }

            @Override
            public Void visitSubQuery(RexSubQuery query) {
                outer.visit(query.rel);
                return super.visitSubQuery(query);
            }
        }
    }
}
