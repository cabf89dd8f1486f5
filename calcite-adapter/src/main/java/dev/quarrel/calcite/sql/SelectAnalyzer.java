package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableSet;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresSelect;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.Select.Clause;
import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.util.ImmutableBitSet;

/// Analyses one SELECT, clause by clause.
///
/// - Source: PostgreSQL's transformSelectStmt in `analyze.c`.
final class SelectAnalyzer {
    private final Analysis analysis;
    private final RexMaker maker;
    private final Conversions conversions;
    private final SqlSelect node;
    private final Scope scope;
    private final QueryAnalyzer.Outer outer;
    private final List<SqlNode> distinctOn;
    private final List<Item> items = new ArrayList<>();
    private final List<Integer> sortFields = new ArrayList<>();
    private ImmutableBitSet distinctFields = ImmutableBitSet.of();
    private boolean hasWindows;
    private Select select;
    private ExpressionAnalyzer expressions;

    /// An item of the select list, or an expression that only ORDER BY uses.
    ///
    /// @param text the item as written, for comparing two of one name
    /// @param row the row of which the value is the text; null for any other value
    private record Item(String name, Expr.Value value, Expr.Row row) {
        Item(String name, Expr.Value value) {
            this(name, value, null);
        }
    }

    SelectAnalyzer(Analysis analysis, SqlSelect node, Scope scope, QueryAnalyzer.Outer outer) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.node = node;
        this.scope = scope;
        this.outer = outer;
        this.distinctOn = PostgresSelect.distinctOn(node);
    }

    private void checkWindowNames() {
        Set<String> names = new HashSet<>();
        for (SqlNode window : node.getWindowList()) {
            SqlIdentifier name = ((SqlWindow) window).getDeclName();
            if (name != null && !names.add(name.getSimple())) {
                throw analysis.error(
                        SqlState.WINDOWING_ERROR,
                        Positions.start(window),
                        "window \"" + name.getSimple() + "\" is already defined");
            }
        }
    }

    Rows analyze() {
        FromClause from = new FromClause(analysis, scope, CountedRows.of(node));
        scope.setFrom(from.analyze(node.getFrom()));
        analysis.bounded(scope.from().rel());
        select = new Select(
                scope.from().rel().getRowType().getFieldCount(),
                node.getWindowList(),
                Grouping.hasSets(node.getGroup()));
        scope.setSelect(select);
        expressions = new ExpressionAnalyzer(analysis, scope);
        if (node.getQualify() != null) {
            throw analysis.unsupported(Positions.start(node.getQualify()), "QUALIFY");
        }
        selectList();
        int columnCount = items.size();
        Set<CorrelationId> listCorrelations = select.takeCorrelations();
        RelNode rel = latest(where(scope.from().rel()));
        select.enter(Clause.HAVING);
        RexNode having = node.getHaving() == null ? null : expressions.condition(node.getHaving(), "HAVING");
        Set<CorrelationId> havingCorrelations = select.takeCorrelations();
        List<RelFieldCollation> collations = orderBy(columnCount);
        RexNode time = from.time(scope.from());
        if (time != null && outer.orderBy().isEmpty() && isOfRows(having)) {
            collations = inTime(time);
        }
        distinctFields = distinctFields(columnCount);
        requireWindows();
        listCorrelations.addAll(select.takeCorrelations());
        select.enter(Clause.GROUP_BY);
        Grouping grouping = Grouping.of(
                analysis,
                expressions,
                select,
                node.getGroup(),
                items.stream().map(Item::name).toList().subList(0, columnCount),
                items.stream().map(Item::value).toList());
        checkWindowNames();
        Set<CorrelationId> correlations = new LinkedHashSet<>(listCorrelations);
        correlations.addAll(havingCorrelations);
        correlations.addAll(select.takeCorrelations());
        analysis.checkColumnCount(items.size());
        if (scope.refersToItself() && !select.aggregates().isEmpty()) {
            throw analysis.error(
                    SqlState.INVALID_RECURSION,
                    select.firstAggregateAt(),
                    "aggregate functions are not allowed in a recursive query's recursive term");
        }
        List<RexNode> outputs = new ArrayList<>();
        if (grouping != null || !select.aggregates().isEmpty() || having != null) {
            List<RexNode> read = new ArrayList<>(
                    items.stream().map(item -> item.value().rex()).toList());
            if (having != null) {
                read.add(having);
            }
            read.addAll(select.directArguments());
            Grouping keys = grouping == null
                    ? Grouping.ofAll()
                    : Grouping.DecidedColumns.added(grouping, select, scope.from(), rel, correlations, read);
            Aggregation aggregation = new Aggregation(analysis, select, keys, rel, correlations);
            rel = aggregation.rel();
            if (having != null) {
                rel = LogicalFilter.create(rel, aggregation.above(having), ImmutableSet.copyOf(correlations));
            }
            for (int index = 0; index < items.size(); index++) {
                outputs.add(aggregation.item(index, items.get(index).value().rex()));
            }
        } else {
            for (Item item : items) {
                outputs.add(item.value().rex());
            }
        }
        hasWindows = outputs.stream().anyMatch(RexOver::containsOver);
        analysis.setLockObstacle(node, lockObstacle(having != null));
        Rows rows = finished(rel, outputs, columnCount, collations, correlations);
        Locks.check(analysis, outer.locks(), node, scope);
        return rows;
    }

    private String lockObstacle(boolean hasHaving) {
        if (node.isDistinct()) {
            return "DISTINCT clause";
        }
        if (node.getGroup() != null) {
            return "GROUP BY clause";
        }
        if (hasHaving) {
            return "HAVING clause";
        }
        return !select.aggregates().isEmpty() ? "aggregate functions" : hasWindows ? "window functions" : null;
    }

    private Rows finished(
            RelNode input,
            List<RexNode> outputs,
            int columnCount,
            List<RelFieldCollation> collations,
            Set<CorrelationId> correlations) {
        List<String> names = new ArrayList<>(items.stream().map(Item::name).toList());
        if (outputs.isEmpty()) {
            // Rows of no columns are counted by a field that is none.
            outputs.add(maker.literal(true));
            names.add("none");
        }
        RowsInSelect.Expanded expanded =
                RowsInSelect.of(maker, input, outputs, correlations, node.isDistinct(), distinctFields, collations);
        RelNode rel = LogicalProject.create(expanded.rel(), List.of(), expanded.expressions(), names, correlations);
        if (analysis.emptyRows().isEmpty(rel)) {
            rel = LogicalValues.createEmpty(analysis.context().cluster(), rel.getRowType());
        }
        if (!distinctOn.isEmpty()) {
            rel = expanded.isDistinct() ? rel : Places.first(maker, rel, distinctFields, collations);
        } else if (node.isDistinct()) {
            if (items.size() > columnCount) {
                Item extra = items.get(columnCount);
                throw analysis.error(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        extra.value().at(),
                        "for SELECT DISTINCT, ORDER BY expressions must appear in select list");
            }
            items.forEach(item -> Comparisons.requireEquality(
                    analysis, item.value().rex(), item.value().at()));
            rel = LogicalAggregate.create(rel, List.of(), ImmutableBitSet.range(columnCount), null, List.of());
        }
        List<Column> columns = new ArrayList<>();
        for (Item item : items.subList(0, columnCount)) {
            columns.add(Column.of(item.name(), item.value()));
        }
        rel = counted(rel, expanded.sorted() ? List.of() : collations, columns);
        if (items.size() > columnCount) {
            rel = Places.without(maker, rel, Math.max(1, columnCount));
        }
        return new Rows(rel, columns);
    }

    /// ORDER BY and LIMIT. What is distinct gets its keys here; other rows have theirs among their items.
    private RelNode counted(RelNode rel, List<RelFieldCollation> order, List<Column> columns) {
        RowCounts counts = new RowCounts(analysis, scope, outer);
        if (!node.isDistinct() || !distinctOn.isEmpty()) {
            return counts.of(rel, order);
        }
        analysis.collations().requireKeys(items.stream().map(Item::value).toList());
        OrderKeys keys = new OrderKeys(analysis, rel, columns);
        List<RelFieldCollation> byKeys = new ArrayList<>();
        for (RelFieldCollation each : order) {
            int field = each.getFieldIndex();
            byKeys.add(
                    each.withFieldIndex(keys.of(field, items.get(field).value().at())));
        }
        return keys.without(counts.of(keys.rel(), byKeys));
    }

    private void selectList() {
        for (SqlNode item : node.getSelectList()) {
            if (item instanceof SqlIdentifier identifier && identifier.isStar()) {
                star(identifier);
                continue;
            }
            if (item instanceof SqlCall call && call.getOperator() == PostgresOperators.FIELDS) {
                fields(call.operand(0));
                continue;
            }
            boolean labelled = item.getKind() == SqlKind.AS;
            SqlNode value = labelled ? ((SqlCall) item).operand(0) : item;
            String name = labelled ? ((SqlIdentifier) ((SqlCall) item).operand(1)).getSimple() : ColumnNames.of(value);
            Expr expr = expressions.analyze(value);
            items.add(new Item(name, decided(expr, items.size()), expr instanceof Expr.Row row ? row : null));
        }
    }

    /// `(row).*`
    ///
    /// - Errors: 42809 for what is no row.
    private void fields(SqlNode value) {
        Expr.Row composite = expressions.composites().row(value);
        Expr own = composite == null ? expressions.analyze(value) : composite;
        Expr.Row known = analysis.recordFields().row(own);
        Expr expr = known == null ? own : known;
        if (!(expr instanceof Expr.Row row)) {
            if (expr.type() == SqlType.OTHER) {
                throw analysis.unsupported(expr.at(), "the fields of a row value");
            }
            throw new QueryException(
                    SqlState.WRONG_OBJECT_TYPE, "type " + expr.type().displayName() + " is not composite");
        }
        analysis.checkColumnCount(items.size() + row.items().size());
        for (int index = 0; index < row.items().size(); index++) {
            Expr item = row.items().get(index);
            items.add(new Item(
                    row.name(index), conversions.resolved(item), item instanceof Expr.Row inner ? inner : null));
        }
    }

    /// The type of a column that is still unknown: what the UNION around wants, or text.
    private Expr.Value decided(Expr expr, int index) {
        if (expr.type() != SqlType.UNKNOWN || node.isDistinct()) {
            return conversions.resolved(expr);
        }
        if (outer.wanted() != null) {
            return conversions.implicit(expr, outer.wanted().get(index));
        }
        if (outer.keepUnknown() && outer.orderBy().isEmpty()) {
            RexNode placeholder = expr instanceof Expr.Text(String text, int _, Collating _)
                    ? maker.string(text, maker.rel(SqlType.UNKNOWN))
                    : maker.nullOf(maker.rel(SqlType.UNKNOWN));
            return new Expr.Value(placeholder, SqlType.UNKNOWN, expr.at());
        }
        return conversions.resolved(expr);
    }

    private void star(SqlIdentifier identifier) {
        int at = Positions.start(identifier);
        List<Visible> visible;
        if (identifier.names.size() == 1) {
            visible = scope.from().visible();
            if (node.getFrom() == null) {
                throw analysis.error(SqlState.SYNTAX_ERROR, at, "SELECT * with no tables specified is not valid");
            }
        } else {
            List<String> table = identifier.names.subList(0, identifier.names.size() - 1);
            Entry entry = Columns.entry(scope.from(), table);
            if (entry == null) {
                List<Columns.Named> outside = new Columns(analysis).all(identifier, scope);
                analysis.checkColumnCount(items.size() + outside.size());
                outside.forEach(column -> items.add(new Item(column.name(), column.value())));
                return;
            }
            visible = entry.columns();
        }
        analysis.checkColumnCount(items.size() + visible.size());
        Columns columns = new Columns(analysis);
        for (Visible column : visible) {
            RexNode rex = columns.field(column, scope.from(), null);
            select.addColumnUse(new Select.ColumnUse(column.firstIndex(), qualified(column), at, false));
            items.add(new Item(column.name(), column.value(rex, at)));
        }
    }

    private String qualified(Visible column) {
        for (Entry entry : scope.from().entries()) {
            if (entry.columns().stream().anyMatch(each -> each.index() == column.firstIndex())) {
                return entry.shownAlias() + "." + column.name();
            }
        }
        return column.name();
    }

    private RelNode where(RelNode rel) {
        if (node.getWhere() == null) {
            return rel;
        }
        select.enter(Clause.WHERE);
        int uses = select.columnUses().size();
        RexNode condition = expressions.condition(node.getWhere(), "WHERE");
        // WHERE comes before the grouping.
        select.columnUses().subList(uses, select.columnUses().size()).clear();
        return LogicalFilter.create(rel, condition, ImmutableSet.copyOf(select.takeCorrelations()));
    }

    /// LATEST ON: of each key's rows the last in time.
    private RelNode latest(RelNode rel) {
        SeriesClauses.Latest latest = PostgresSelect.series(node).latest;
        if (latest == null) {
            return rel;
        }
        ImmutableBitSet keys = ImmutableBitSet.of();
        for (SqlIdentifier key : latest.keys()) {
            keys = keys.set(column(key));
        }
        int time = latest.timestamp() == null
                ? NearestJoin.designatedColumn(analysis, scope.from()).firstIndex()
                : column(latest.timestamp());
        return Places.first(
                maker,
                rel,
                keys,
                List.of(new RelFieldCollation(
                        time, RelFieldCollation.Direction.DESCENDING, RelFieldCollation.NullDirection.LAST)));
    }

    private int column(SqlIdentifier name) {
        int uses = select.columnUses().size();
        Expr expr = expressions.analyze(name);
        select.columnUses().subList(uses, select.columnUses().size()).clear();
        if (expr instanceof Expr.Value value && value.rex() instanceof RexInputRef column) {
            Comparisons.requireOrder(analysis, column, Positions.start(name));
            return column.getIndex();
        }
        throw analysis.unsupported(Positions.start(name), "LATEST ON of what is no column of FROM");
    }

    private List<RelFieldCollation> orderBy(int columnCount) {
        select.enter(Clause.ORDER_BY);
        List<RelFieldCollation> collations = new ArrayList<>();
        Set<Integer> seen = new java.util.HashSet<>();
        for (SqlNode item : outer.orderBy()) {
            SortItem sort = SortItem.of(analysis, item);
            int written = sortField(sort.node(), columnCount, "ORDER BY");
            sortFields.add(written);
            Expr.Row row = items.get(written).row();
            if (row != null) {
                addFields(row, sort.descending(), collations);
                continue;
            }
            RexNode sorted = items.get(written).value().rex();
            Comparisons.requireOrder(analysis, sorted, Positions.start(sort.node()));
            int field = inOrder(written);
            // A later mention of one column cannot change the order.
            if (seen.add(field)) {
                collations.add(sort.collation(field));
            }
        }
        return collations;
    }

    /// Whether the result has a row for each row of FROM that WHERE leaves.
    private boolean isOfRows(RexNode having) {
        return !node.isDistinct()
                && distinctOn.isEmpty()
                && node.getGroup() == null
                && having == null
                && select.aggregates().isEmpty();
    }

    /// The order of a hidden column, the time at which a row happened.
    private List<RelFieldCollation> inTime(RexNode time) {
        SqlType type = SqlType.of(SqlTypes.pgType(time.getType()));
        items.add(new Item("sort" + items.size(), new Expr.Value(time, type, -1)));
        return List.of(new SortItem(null, false, false).collation(items.size() - 1));
    }

    /// Hidden columns of a row's fields, of which NULLs are the greatest.
    private void addFields(Expr.Row row, boolean descending, List<RelFieldCollation> collations) {
        if (node.isDistinct() || row.mayBeMissing()) {
            throw analysis.unsupported(
                    row.at(),
                    node.isDistinct()
                            ? "DISTINCT with an order by rows"
                            : "ORDER BY of a row that an outer join may not have");
        }
        for (Expr item : row.items()) {
            if (item instanceof Expr.Row inner) {
                addFields(inner, descending, collations);
                continue;
            }
            items.add(new Item("sort" + items.size(), conversions.resolved(item)));
            int field = inOrder(items.size() - 1);
            collations.add(new SortItem(null, descending, descending).collation(field));
        }
    }

    /// Where the column is an enum's, a hidden one of the places of its labels; where ICU orders it, of its keys.
    private int inOrder(int field) {
        Expr.Value value = items.get(field).value();
        analysis.collations().orderRows(value.rex().getType());
        Collation collation = analysis.collations().sorting(value);
        if (collation != null && (!node.isDistinct() || !distinctOn.isEmpty())) {
            RexNode key = analysis.collations().key(value.rex(), collation);
            items.add(new Item("sort" + items.size(), new Expr.Value(key, SqlType.BYTEA, value.at())));
            return items.size() - 1;
        }
        RexNode place = value.type() == SqlType.OTHER && (!node.isDistinct() || !distinctOn.isEmpty())
                ? OtherTypes.place(analysis.maker(), value.rex())
                : null;
        if (place == null) {
            return field;
        }
        items.add(new Item("sort" + items.size(), new Expr.Value(place, SqlType.INT4, value.at())));
        return items.size() - 1;
    }

    /// - Errors: 42P20 for two windows of one name, 42704 for one that begins with the name of a later one.
    private void requireWindows() {
        Set<String> names = new java.util.HashSet<>();
        for (SqlNode each : node.getWindowList()) {
            SqlWindow window = (SqlWindow) each;
            String name = window.getDeclName().getSimple();
            int at = Positions.start(window);
            if (names.contains(name)) {
                throw analysis.error(SqlState.WINDOWING_ERROR, at, "window \"" + name + "\" is already defined");
            }
            SqlIdentifier base = window.getRefName();
            if (base != null && !names.contains(base.getSimple())) {
                throw analysis.error(
                        SqlState.UNDEFINED_OBJECT, at, "window \"" + base.getSimple() + "\" does not exist");
            }
            names.add(name);
        }
    }

    /// The fields that DISTINCT ON lists.
    ///
    /// - Errors: 42P10 where ORDER BY does not begin with them.
    private ImmutableBitSet distinctFields(int columnCount) {
        ImmutableBitSet listed = ImmutableBitSet.of();
        List<Integer> fields = new ArrayList<>();
        for (SqlNode key : distinctOn) {
            int field = sortField(key, columnCount, "DISTINCT ON");
            fields.add(field);
            listed = listed.set(field);
        }
        ImmutableBitSet ordered = ImmutableBitSet.of();
        int wrong = -1;
        boolean isSkipped = false;
        for (int field : sortFields) {
            if (!listed.get(field)) {
                isSkipped = true;
            } else if (isSkipped && !ordered.get(field)) {
                wrong = field;
                break;
            }
            ordered = ordered.set(field);
        }
        for (int index = 0; wrong < 0 && isSkipped && index < fields.size(); index++) {
            wrong = ordered.get(fields.get(index)) ? -1 : fields.get(index);
        }
        if (wrong >= 0) {
            throw analysis.error(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    Positions.start(distinctOn.get(fields.indexOf(wrong))),
                    "SELECT DISTINCT ON expressions must match initial ORDER BY expressions");
        }
        return listed;
    }

    private int sortField(SqlNode key, int columnCount, String clauseName) {
        Integer ordinal = QueryAnalyzer.ordinal(analysis, key, columnCount, clauseName);
        if (ordinal != null) {
            return ordinal;
        }
        if (key instanceof SqlIdentifier identifier && identifier.isSimple()) {
            int found = -1;
            for (int index = 0; index < columnCount; index++) {
                if (items.get(index).name().equals(identifier.getSimple())) {
                    if (found >= 0
                            && !items.get(found)
                                    .value()
                                    .rex()
                                    .equals(items.get(index).value().rex())) {
                        throw analysis.error(
                                SqlState.AMBIGUOUS_COLUMN,
                                Positions.start(key),
                                clauseName + " \"" + identifier.getSimple() + "\" is ambiguous");
                    }
                    found = found < 0 ? index : found;
                }
            }
            if (found >= 0) {
                return found;
            }
        }
        Expr expr = expressions.analyze(key);
        Expr.Value value = conversions.resolved(expr);
        for (int index = 0; index < items.size(); index++) {
            Expr.Value known = items.get(index).value();
            if (known.rex().equals(value.rex()) && analysis.collations().areAlike(known, value)) {
                return index;
            }
        }
        items.add(new Item(
                "sort" + items.size(), value.at(Positions.start(key)), expr instanceof Expr.Row row ? row : null));
        return items.size() - 1;
    }
}
