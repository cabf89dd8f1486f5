package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Lock;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresSelect;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.parse.TailedQuery;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.series.GapfillQuery;
import dev.quarrel.calcite.sql.series.SampleBy;
import dev.quarrel.calcite.sql.series.SeriesFunctions;
import dev.quarrel.calcite.sql.series.WindowJoinQuery;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalIntersect;
import org.apache.calcite.rel.logical.LogicalMinus;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Turns a query's syntax tree into relational expressions.
///
/// - Source: PostgreSQL's `analyze.c` and `parse_clause.c`.
final class QueryAnalyzer {
    private final Analysis analysis;
    private final RexMaker maker;

    QueryAnalyzer(Analysis analysis) {
        this.analysis = analysis;
        this.maker = analysis.maker();
    }

    /// The clauses that surround a query: ORDER BY, LIMIT, OFFSET, and row locks.
    ///
    /// @param tiesAt where WITH TIES stands in the text; -1 for nowhere
    /// @param wanted types for columns that are still unknown, or null: those become text
    /// @param keepUnknown whether unknown columns stay unknown, for a branch of UNION
    /// @param fetchAt where LIMIT or FETCH stands in the text; -1 for nowhere
    /// @param to the second number of `LIMIT from, to`, or null
    record Outer(
            SqlNodeList orderBy,
            SqlNode offset,
            SqlNode fetch,
            int tiesAt,
            List<Lock> locks,
            List<SqlType> wanted,
            boolean keepUnknown,
            SqlNode to,
            int fetchAt) {
        static final Outer NONE = new Outer(SqlNodeList.EMPTY, null, null, -1, List.of(), null, false, null, -1);

        static Outer branch(List<SqlType> wanted) {
            return new Outer(SqlNodeList.EMPTY, null, null, -1, List.of(), wanted, wanted == null, null, -1);
        }

        /// What stands behind a query that stands in an outer one.
        Outer of(SqlOrderBy query) {
            TailedQuery tail = query instanceof TailedQuery ours ? ours : null;
            return new Outer(
                    query.orderList,
                    query.offset,
                    query.fetch,
                    tail == null ? -1 : tail.tiesAt(),
                    tail == null ? List.of() : tail.locks(),
                    wanted,
                    keepUnknown,
                    tail == null ? null : tail.to(),
                    tail == null ? -1 : tail.fetchAt());
        }

        /// The same in another order.
        Outer orderedBy(SqlNode key) {
            return orderedBy(SqlNodeList.of(key));
        }

        Outer orderedBy(SqlNodeList keys) {
            return new Outer(keys, offset, fetch, tiesAt, locks, wanted, keepUnknown, to, fetchAt);
        }

        boolean isNone() {
            return orderBy.isEmpty() && offset == null && fetch == null && locks.isEmpty();
        }
    }

    /// @param scope an empty scope made for the query
    Rows query(SqlNode node, Scope scope) {
        return query(node, scope, Outer.NONE);
    }

    private Rows query(SqlNode node, Scope scope, Outer outer) {
        Rows rows = unbounded(node, scope, outer);
        analysis.bounded(rows.rel());
        return rows;
    }

    private Rows unbounded(SqlNode node, Scope scope, Outer outer) {
        return switch (node) {
            case SqlOrderBy order -> {
                SqlNode around = order.query instanceof SqlWith with ? with.body : order.query;
                if (around instanceof SqlOrderBy inner && order instanceof TailedQuery tail) {
                    requireOnce(inner, tail);
                }
                yield ordered(order, scope, outer);
            }
            case SqlWith with -> {
                if (with.body instanceof SqlWith
                        || with.body instanceof SqlOrderBy order && order.query instanceof SqlWith) {
                    throw repeated("WITH", Positions.start(with));
                }
                yield query(with.body, new WithClause(analysis, this).analyze(with, scope), outer);
            }
            case SqlSelect select when PostgresSelect.series(select).sample != null -> sampled(select, scope, outer);
            case SqlSelect select
            when GapfillQuery.is(select)
                    && analysis.functions().named(GapfillQuery.NAME).isEmpty() -> gapfilled(select, scope, outer);
            case SqlSelect select when WindowJoinQuery.is(select) -> windowJoined(select, scope, outer);
            case SqlSelect select -> new SelectAnalyzer(analysis, select, scope, outer).analyze();
            case SqlCall call ->
                switch (call.getKind()) {
                    case UNION, INTERSECT, EXCEPT -> {
                        Locks.refuse(outer.locks(), "is not allowed with UNION/INTERSECT/EXCEPT");
                        yield limited(setOperation(call, scope), scope, outer);
                    }
                    case VALUES -> {
                        Locks.refuse(outer.locks(), "cannot be applied to VALUES");
                        yield limited(values(call, scope, outer), scope, outer);
                    }
                    case EXPLICIT_TABLE -> query(explicitTable(call), scope, outer);
                    default -> throw analysis.unsupported(Positions.start(node), "this query");
                };
            default -> throw analysis.unsupported(Positions.start(node), "this query");
        };
    }

    /// SAMPLE BY, as a query without it. Its rows come in the order of time unless the statement says another.
    private Rows sampled(SqlSelect select, Scope scope, Outer outer) {
        SeriesClauses series = PostgresSelect.series(select);
        int at = series.sample.pos.getColumnNum() - 1;
        if (series.latest != null) {
            throw analysis.unsupported(at, "SAMPLE BY with LATEST ON (of which one may be a sub-query)");
        }
        if (select.getFrom() == null) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "SAMPLE BY needs a FROM clause");
        }
        Scope probe = new Scope(scope.parent(), scope.link(), scope.withQueries());
        Scope.FromItem from = new FromClause(analysis, probe, Set.of()).analyze(select.getFrom());
        Scope.Visible column = NearestJoin.designatedColumn(analysis, from);
        String item = from.entries().isEmpty() ? "" : from.entries().getFirst().alias();
        SqlParserPos pos = series.sample.pos;
        SqlIdentifier name = item.isEmpty()
                ? new SqlIdentifier(column.name(), pos)
                : new SqlIdentifier(List.of(item, column.name()), pos);
        SampleBy.Source source = new SampleBy.Source(
                name, column.type(), function -> Names.isAggregate(analysis, function), ColumnNames::of);
        SampleBy.Written written = SampleBy.written(select, series.sample, source, analysis.text());
        return query(written.query(), scope, outer.orderBy().isEmpty() ? outer.orderedBy(written.order()) : outer);
    }

    /// WINDOW JOIN, as a query with LATERAL.
    private Rows windowJoined(SqlSelect select, Scope scope, Outer outer) {
        Locks.refuse(outer.locks(), "is not allowed with WINDOW JOIN");
        WindowJoinQuery.Source source = new WindowJoinQuery.Source(
                node -> windowSide(node, scope),
                function -> Names.isAggregate(analysis, function),
                ColumnNames::of,
                analysis.text());
        WindowJoinQuery.Written written = WindowJoinQuery.written(select, outer.orderBy(), source);
        return query(written.query(), scope, outer.orderedBy(written.order()));
    }

    private WindowJoinQuery.Side windowSide(SqlNode node, Scope scope) {
        Scope probe = new Scope(scope.parent(), scope.link(), scope.withQueries());
        Scope.FromItem item = new FromClause(analysis, probe, Set.of()).analyze(node);
        Scope.Visible time = NearestJoin.designatedColumn(analysis, item);
        List<WindowJoinQuery.Item> items = item.entries().stream()
                .map(entry -> new WindowJoinQuery.Item(
                        entry.alias(),
                        entry.columns().stream().map(Scope.Visible::name).toList()))
                .toList();
        return new WindowJoinQuery.Side(items, time.name(), WindowJoinQuery.isOneTable(item.rel()));
    }

    /// `time_bucket_gapfill`, as a query without it.
    private Rows gapfilled(SqlSelect select, Scope scope, Outer outer) {
        Locks.refuse(outer.locks(), "is not allowed with GROUP BY clause");
        Scope names = new Scope(scope.parent(), scope.link(), scope.withQueries());
        names.setFrom(new FromClause(analysis, names, Set.of()).analyze(select.getFrom()));
        names.setSelect(new Select(names.from().rel().getRowType().getFieldCount(), select.getWindowList()));
        GapfillQuery gapfill = new GapfillQuery(select, outer.orderBy(), new Names(analysis, names));
        Scope probe = new Scope(scope.parent(), scope.link(), scope.withQueries());
        new SelectAnalyzer(analysis, gapfill.plain(), probe, Outer.NONE.orderedBy(gapfill.plainOrder())).analyze();
        GapfillQuery.Written written = gapfill.written();
        return query(written.query(), scope, outer.orderedBy(written.order()));
    }

    private Rows ordered(SqlOrderBy order, Scope scope, Outer outer) {
        Outer inner = outer.of(order);
        if (outer.isNone()) {
            return query(order.query, scope, inner);
        }
        return limited(query(order.query, scope, inner), scope, outer);
    }

    /// - Errors: 42601 where a query in parentheses has a clause that stands behind them again.
    private void requireOnce(SqlOrderBy inner, TailedQuery tail) {
        if (!inner.orderList.isEmpty() && !tail.orderList.isEmpty()) {
            throw repeated("ORDER BY", Positions.start(SortItem.expression(tail.orderList.get(0))));
        }
        if (inner.offset != null && tail.offset != null) {
            throw repeated("OFFSET", tail.offsetAt());
        }
        if (inner.fetch != null && tail.fetch != null) {
            throw repeated("LIMIT", tail.fetchAt());
        }
    }

    private QueryException repeated(String clause, int at) {
        return analysis.error(SqlState.SYNTAX_ERROR, at, "multiple " + clause + " clauses not allowed");
    }

    /// TABLE t is SELECT * FROM t.
    private static SqlSelect explicitTable(SqlCall call) {
        SqlParserPos pos = call.getParserPosition();
        return new SqlSelect(
                pos,
                SqlNodeList.EMPTY,
                SqlNodeList.of(SqlIdentifier.star(pos)),
                call.operand(0),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /// Gives the first columns other names.
    ///
    /// @param names may be null
    Rows renamed(Rows rows, SqlNodeList names, String table) {
        if (names == null || names.isEmpty()) {
            return rows;
        }
        if (names.size() > rows.columns().size()) {
            throw new QueryException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "table \"" + table + "\" has " + rows.columns().size() + " columns available but " + names.size()
                            + " columns specified");
        }
        List<Column> columns = new ArrayList<>(rows.columns());
        for (int index = 0; index < names.size(); index++) {
            Column column = columns.get(index);
            String name = ((SqlIdentifier) names.get(index)).getSimple();
            columns.set(index, column.named(name));
        }
        return new Rows(rows.rel(), columns);
    }

    // UNION, INTERSECT, EXCEPT

    private Rows setOperation(SqlCall call, Scope scope) {
        Branches branches = branches(call, scope, branch(call.operand(0), scope, null), 0);
        List<RelNode> inputs = List.of(branches.left(), branches.right());
        boolean all = ((org.apache.calcite.sql.SqlSetOperator) call.getOperator()).isAll();
        RelNode rel =
                switch (call.getKind()) {
                    case UNION -> LogicalUnion.create(inputs, all);
                    case INTERSECT -> LogicalIntersect.create(inputs, all);
                    default -> LogicalMinus.create(inputs, all);
                };
        return new Rows(rel, branches.columns());
    }

    /// The two sides of a set operation, in the types of its columns.
    record Branches(RelNode left, RelNode right, List<Column> columns) {}

    /// @param first the first side; its unknown columns are not decided yet
    /// @param more columns that the second side has behind those of the first, which stay behind them
    Branches branches(SqlCall call, Scope scope, Rows first, int more) {
        String name = call.getKind().name();
        SqlNode leftNode = call.operand(0);
        SqlNode rightNode = call.operand(1);
        Rows left = first;
        Rows right = branch(rightNode, scope, null);
        if (left.columns().size() + more != right.columns().size()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    firstItem(rightNode),
                    "each " + name + " query must have the same number of columns");
        }
        List<SqlType> types = new ArrayList<>();
        for (int index = 0; index < left.columns().size(); index++) {
            Expr leftColumn = column(left, index, itemAt(leftNode, index));
            Expr rightColumn = column(right, index, itemAt(rightNode, index));
            types.add(analysis.commonTypes().of(List.of(leftColumn, rightColumn), name));
        }
        if (hasUnknown(left)) {
            left = branch(leftNode, scope, types);
        }
        if (hasUnknown(right)) {
            right = branch(rightNode, scope, types);
        }
        List<RexNode> leftValues = new ArrayList<>();
        List<RexNode> rightValues = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            SqlType type = types.get(index);
            List<Expr.Value> both = analysis.commonTypes()
                    .unified(
                            List.of(
                                    column(left, index, itemAt(leftNode, index)),
                                    column(right, index, itemAt(rightNode, index))),
                            type,
                            name);
            leftValues.add(both.get(0).rex());
            rightValues.add(both.get(1).rex());
            Expr.Value merged = both.get(0).with(analysis.collations().of(both));
            boolean isAll = ((org.apache.calcite.sql.SqlSetOperator) call.getOperator()).isAll();
            if (call.getKind() != SqlKind.UNION || !isAll) {
                analysis.collations().requireKeys(List.of(merged));
            }
            columns.add(Column.of(left.columns().get(index).name(), merged));
        }
        for (int index = types.size(); index < right.columns().size(); index++) {
            rightValues.add(maker.builder().makeInputRef(right.rel(), index));
        }
        return new Branches(projected(left, leftValues), projected(right, rightValues), columns);
    }

    Rows branch(SqlNode node, Scope scope, List<SqlType> wanted) {
        return query(node, new Scope(scope.parent(), scope.link(), scope.withQueries()), Outer.branch(wanted));
    }

    private static boolean hasUnknown(Rows rows) {
        return rows.columns().stream().anyMatch(each -> each.type() == SqlType.UNKNOWN);
    }

    /// A column of a branch; one that is unknown is taken as a literal that may become any type.
    private Expr column(Rows rows, int index, int at) {
        Column column = rows.columns().get(index);
        return column.type() == SqlType.UNKNOWN
                ? new Expr.Null(at)
                : column.value(maker.builder().makeInputRef(rows.rel(), index), at);
    }

    private RelNode projected(Rows rows, List<RexNode> values) {
        boolean same = true;
        if (values.isEmpty()) {
            return rows.rel(); // its one field is no column
        }
        for (int index = 0; index < values.size(); index++) {
            same &= values.get(index).equals(maker.builder().makeInputRef(rows.rel(), index));
        }
        return same && values.size() == rows.rel().getRowType().getFieldCount()
                ? rows.rel()
                : LogicalProject.create(
                        rows.rel(), List.of(), values, rows.rel().getRowType().getFieldNames(), Set.of());
    }

    private static int firstItem(SqlNode query) {
        return itemAt(query, 0);
    }

    static int itemAt(SqlNode query, int index) {
        return switch (query) {
            case SqlSelect select ->
                select.getSelectList().isEmpty()
                        ? -1
                        : Positions.start(select.getSelectList()
                                .get(index < select.getSelectList().size() ? index : 0));
            case SqlOrderBy order -> itemAt(order.query, index);
            case SqlWith with -> itemAt(with.body, index);
            case SqlCall call
            when call.getKind() == SqlKind.VALUES -> {
                SqlCall row = call.operand(0);
                yield index < row.operandCount() ? Positions.start(row.operand(index)) : Positions.start(row);
            }
            case SqlCall call
            when call.operandCount() > 0 && call.isA(SqlKind.SET_QUERY) -> itemAt(call.operand(0), index);
            default -> Positions.start(query);
        };
    }

    // VALUES

    private Rows values(SqlCall call, Scope scope, Outer outer) {
        Select select = new Select(0, null);
        select.enter(Select.Clause.VALUES);
        scope.setSelect(select);
        RelNode oneRow = LogicalValues.createOneRow(analysis.context().cluster());
        scope.setFrom(new Scope.FromItem(oneRow, List.of(), List.of()));
        ExpressionAnalyzer expressions = new ExpressionAnalyzer(analysis, scope);
        List<List<Expr>> rows = new ArrayList<>();
        for (SqlNode row : call.getOperandList()) {
            rows.add(expressions.analyzeAll(((SqlCall) row).getOperandList()));
        }
        int width = rows.get(0).size();
        analysis.checkColumnCount(width);
        for (int index = 0; index < rows.size(); index++) {
            if (rows.get(index).size() != width) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        Positions.start(((SqlCall) call.operand(index)).operand(0)),
                        "VALUES lists must all be the same length");
            }
        }
        List<List<Expr.Value>> columnValues = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (int index = 0; index < width; index++) {
            int place = index;
            List<Expr> column = rows.stream().map(each -> each.get(place)).toList();
            boolean areAssigned = areAssigned(column, outer, index);
            SqlType type = areAssigned ? outer.wanted().get(index) : type(column, outer, index);
            List<Expr.Value> values = areAssigned
                    ? analysis.commonTypes().assigned(column, type)
                    : analysis.commonTypes().unified(column, type, "VALUES");
            columnValues.add(values);
            columns.add(new Column(
                    "column" + (index + 1),
                    type,
                    values.get(0).typmod(),
                    analysis.collations().of(values)));
        }
        return new Rows(rel(rows.size(), columnValues, columns, oneRow, select), columns);
    }

    /// Whether values of several types are each assigned to what an INSERT wants, instead of becoming one type first.
    private static boolean areAssigned(List<Expr> column, Outer outer, int index) {
        return outer.wanted() != null
                && column.stream().map(Expr::type).distinct().count() > 1
                && column.stream()
                        .allMatch(
                                each -> each.type().convertsTo(outer.wanted().get(index), SqlType.Context.ASSIGNMENT));
    }

    private SqlType type(List<Expr> column, Outer outer, int index) {
        boolean unknown = column.stream().allMatch(each -> each.type() == SqlType.UNKNOWN);
        if (unknown && outer.wanted() != null) {
            return outer.wanted().get(index);
        }
        return unknown && outer.keepUnknown()
                ? SqlType.UNKNOWN
                : analysis.commonTypes().of(column, "VALUES");
    }

    private RelNode rel(
            int rowCount, List<List<Expr.Value>> columnValues, List<Column> columns, RelNode oneRow, Select select) {
        List<String> names = columns.stream().map(Column::name).toList();
        boolean literals = columnValues.stream()
                .allMatch(column -> column.stream().allMatch(each -> each.rex() instanceof RexLiteral));
        if (!literals) {
            Set<org.apache.calcite.rel.core.CorrelationId> correlations = select.takeCorrelations();
            List<RelNode> projects = new ArrayList<>();
            for (int row = 0; row < rowCount; row++) {
                int place = row;
                List<RexNode> values = columnValues.stream()
                        .map(column -> column.get(place).rex())
                        .toList();
                projects.add(LogicalProject.create(oneRow, List.of(), values, names, correlations));
            }
            return projects.size() == 1 ? projects.get(0) : LogicalUnion.create(projects, true);
        }
        var rowType = maker.factory().builder();
        for (int index = 0; index < columns.size(); index++) {
            List<Expr.Value> column = columnValues.get(index);
            boolean nullable =
                    column.stream().anyMatch(each -> each.rex().getType().isNullable());
            RelDataType type = column.stream()
                    .map(each -> each.rex().getType())
                    .filter(each -> !each.isNullable())
                    .findFirst()
                    .orElse(column.get(0).rex().getType());
            rowType.add(names.get(index), maker.nullable(type, nullable));
        }
        com.google.common.collect.ImmutableList.Builder<com.google.common.collect.ImmutableList<RexLiteral>> tuples =
                com.google.common.collect.ImmutableList.builder();
        for (int row = 0; row < rowCount; row++) {
            int place = row;
            tuples.add(columnValues.stream()
                    .map(column -> (RexLiteral) column.get(place).rex())
                    .collect(com.google.common.collect.ImmutableList.toImmutableList()));
        }
        return LogicalValues.create(analysis.context().cluster(), rowType.build(), tuples.build());
    }

    // ORDER BY, LIMIT, OFFSET over a result of which only the columns are known

    private Rows limited(Rows rows, Scope scope, Outer outer) {
        if (outer.isNone()) {
            return rows;
        }
        List<RelFieldCollation> collations = new ArrayList<>();
        OrderKeys keys = new OrderKeys(analysis, rows.rel(), rows.columns());
        for (SqlNode item : outer.orderBy()) {
            SortItem sort = SortItem.of(analysis, item);
            collations.add(sort.collation(keys.of(resultColumn(sort.node(), rows), Positions.start(sort.node()))));
        }
        RelNode sorted = new RowCounts(analysis, scope, outer).of(keys.rel(), collations);
        return new Rows(keys.without(sorted), rows.columns());
    }

    private int resultColumn(SqlNode node, Rows rows) {
        int at = Positions.start(node);
        Integer ordinal = ordinal(analysis, node, rows.columns().size(), "ORDER BY");
        if (ordinal != null) {
            return ordinal;
        }
        if (node instanceof SqlIdentifier identifier && identifier.isSimple()) {
            int found = -1;
            for (int index = 0; index < rows.columns().size(); index++) {
                if (rows.columns().get(index).name().equals(identifier.getSimple())) {
                    if (found >= 0) {
                        throw analysis.error(
                                SqlState.AMBIGUOUS_COLUMN,
                                at,
                                "ORDER BY \"" + identifier.getSimple() + "\" is ambiguous");
                    }
                    found = index;
                }
            }
            if (found >= 0) {
                return found;
            }
            throw analysis.error(
                    SqlState.UNDEFINED_COLUMN, at, "column \"" + identifier.getSimple() + "\" does not exist");
        }
        throw analysis.error(SqlState.FEATURE_NOT_SUPPORTED, at, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
                .withDetail("Only result column names can be used, not expressions or functions.")
                .withHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.");
    }

    /// The 0-based column that a number in ORDER BY or GROUP BY means; null for what is no number.
    ///
    /// - Errors: 42P10 outside the select list, 42601 for other constants.
    static Integer ordinal(Analysis analysis, SqlNode node, int columnCount, String clause) {
        int at = Positions.start(node);
        if (node instanceof SqlNumericLiteral literal && literal.isInteger()) {
            BigDecimal number = literal.bigDecimalValue();
            if (number.signum() <= 0 || number.compareTo(BigDecimal.valueOf(columnCount)) > 0) {
                throw analysis.error(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        at,
                        clause + " position " + number + " is not in select list");
            }
            return number.intValueExact() - 1;
        }
        if (node instanceof SqlLiteral) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "non-integer constant in " + clause);
        }
        return null;
    }

    /// What the names of a SELECT are, for what is written as another query.
    ///
    /// @param scope with the query's FROM
    private record Names(Analysis analysis, Scope scope) implements GapfillQuery.Source {
        static boolean isAggregate(Analysis analysis, String function) {
            return analysis.functions().aggregate(function) != null
                    || JsonAggregate.named(function).isPresent()
                    || SeriesFunctions.isAggregate(function)
                            && analysis.functions().named(function).isEmpty();
        }

        @Override
        public boolean isAggregate(String function) {
            return isAggregate(analysis, function);
        }

        @Override
        public String nameOf(SqlNode item) {
            return ColumnNames.of(item);
        }

        @Override
        public GapfillQuery.Column columnOf(SqlIdentifier name) {
            String column = name.names.getLast();
            if (name.isSimple()) {
                List<Scope.Visible> found = scope.from().visible().stream()
                        .filter(each -> each.name().equals(column))
                        .toList();
                return found.size() == 1 ? column(found.getFirst()) : null;
            }
            String item = name.names.get(name.names.size() - 2);
            return scope.from().entries().stream()
                    .filter(entry -> entry.alias().equals(item))
                    .flatMap(entry -> entry.columns().stream())
                    .filter(each -> each.name().equals(column))
                    .findFirst()
                    .map(this::column)
                    .orElse(null);
        }

        private GapfillQuery.Column column(Scope.Visible column) {
            int index = column.firstIndex();
            String item = scope.from().entries().stream()
                    .filter(entry -> entry.columns().stream().anyMatch(each -> each.firstIndex() == index))
                    .map(Scope.Entry::alias)
                    .findFirst()
                    .orElse("");
            return new GapfillQuery.Column(item, column.name(), index);
        }

        @Override
        public SqlType typeOf(SqlNode expression) {
            return new ExpressionAnalyzer(analysis, scope).analyze(expression).type();
        }

        @Override
        public QueryException error(SqlState state, SqlNode at, String message) {
            return analysis.error(state, Positions.start(at), message);
        }
    }
}
