package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableSet;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.SeriesJoin;
import dev.quarrel.calcite.parse.TableFunction;
import dev.quarrel.calcite.rel.OuterReferences;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses the FROM clause: tables, sub-queries and joins.
///
/// - Source: PostgreSQL's transformFromClause in `parse_clause.c`.
final class FromClause {
    /// The alias of a sub-query that has none: no name in a statement is empty.
    private static final String UNNAMED = "";

    private final Analysis analysis;
    private final Scope scope;
    private final QueryAnalyzer queries;
    private final RexMaker maker;
    private final Set<String> counted;

    /// @param scope of the query that the clause belongs to
    /// @param counted the names of items of which the query counts rows
    FromClause(Analysis analysis, Scope scope, Set<String> counted) {
        this.analysis = analysis;
        this.scope = scope;
        this.counted = counted;
        this.queries = new QueryAnalyzer(analysis);
        this.maker = analysis.maker();
    }

    /// @param node null for a query without FROM, which has one row of no columns
    FromItem analyze(SqlNode node) {
        if (node == null) {
            return new FromItem(LogicalValues.createOneRow(analysis.context().cluster()), List.of(), List.of());
        }
        return item(outerJoinsFirst(node), null);
    }

    /// When the clause's rows happened, as an expression over them, where they come in the order of it unless the query
    /// says another; null for other rows. It is known once they are analysed.
    RexNode time(FromItem item) {
        return times.get(item.rel());
    }

    /// A comma binds less than JOIN, which the grammar reads as if they were alike: that matters to a join that keeps
    /// rows of its right side.
    private static SqlNode outerJoinsFirst(SqlNode node) {
        if (!(node instanceof SqlJoin join)) {
            return node;
        }
        if (join.getJoinType() == JoinType.RIGHT || join.getJoinType() == JoinType.FULL) {
            return commasLast(join);
        }
        SqlNode left = outerJoinsFirst(join.getLeft());
        return left == join.getLeft() ? join : SeriesJoin.with(join, left, join.getRight());
    }

    /// All joins of a list before its commas.
    private static SqlNode commasLast(SqlNode node) {
        if (!(node instanceof SqlJoin join)) {
            return node;
        }
        SqlNode left = commasLast(join.getLeft());
        boolean isMoved = join.getJoinType() != JoinType.COMMA
                && left instanceof SqlJoin list
                && list.getJoinType() == JoinType.COMMA;
        if (!isMoved) {
            return left == join.getLeft() ? join : SeriesJoin.with(join, left, join.getRight());
        }
        SqlJoin list = (SqlJoin) left;
        return SeriesJoin.with(list, list.getLeft(), SeriesJoin.with(join, list.getRight(), join.getRight()));
    }

    /// @param left what stands before in the same FROM, which LATERAL sees; null for nothing
    private FromItem item(SqlNode node, FromItem left) {
        return switch (node.getKind()) {
            case JOIN -> join((SqlJoin) node, left);
            case AS -> aliased((SqlCall) node, left);
            case IDENTIFIER -> table((SqlIdentifier) node, null, null);
            case TABLE_REF -> table(((SqlCall) node).operand(0), null, null);
            case COLLECTION_TABLE ->
                node instanceof TableFunction function ? functions(function, null, null, left) : special(node);
            case TABLESAMPLE -> {
                SqlCall sample = (SqlCall) node;
                yield new TableSamples(analysis, scope).of(sample, item(sample.operand(0), left));
            }
            case LATERAL, UNNEST, PIVOT, UNPIVOT, MATCH_RECOGNIZE, EXTEND, SNAPSHOT ->
                isQuery(node) ? subQuery(((SqlCall) node).operand(0), UNNAMED, null, left) : special(node);
            default -> {
                if (node.isA(SqlKind.QUERY)) {
                    yield subQuery(node, UNNAMED, null, null);
                }
                yield special(node);
            }
        };
    }

    private static boolean isQuery(SqlNode node) {
        return node.getKind() == SqlKind.LATERAL && ((SqlCall) node).operand(0).isA(SqlKind.QUERY);
    }

    private FromItem special(SqlNode node) {
        if (node instanceof SqlCall call && call.getOperator() == PostgresOperators.ONLY) {
            throw special(node, "ONLY")
                    .withHint("The files of a table have the rows of those that inherit from it, too.");
        }
        throw special(
                node,
                switch (node.getKind()) {
                    case COLLECTION_TABLE, UNNEST, LATERAL -> "a function in FROM";
                    default -> "this FROM item";
                });
    }

    private QueryException special(SqlNode node, String what) {
        return analysis.unsupported(Positions.start(node), what);
    }

    private FromItem aliased(SqlCall call, FromItem left) {
        SqlNode item = call.operand(0);
        SqlIdentifier alias = call.operand(1);
        List<SqlNode> names = call.getOperandList().subList(2, call.operandCount());
        if (names.size() == 1 && alias.getSimple().equals("timestamp")) {
            FromItem plain =
                    aliased((SqlCall) SqlStdOperatorTable.AS.createCall(call.getParserPosition(), item, alias), left);
            if (analysis.designate(plain, ((SqlIdentifier) names.getFirst()).getSimple())) {
                return plain;
            }
        }
        SqlNodeList columns = names.isEmpty() ? null : new SqlNodeList(names, alias.getParserPosition());
        if (item.getKind() == SqlKind.TABLE_REF) {
            item = ((SqlCall) item).operand(0);
        }
        if (item instanceof SqlIdentifier table) {
            return table(table, alias.getSimple(), columns);
        }
        if (item instanceof SqlJoin join) {
            return named(item(outerJoinsFirst(join), left), alias, columns);
        }
        boolean lateral = item.getKind() == SqlKind.LATERAL;
        SqlNode query = lateral ? ((SqlCall) item).operand(0) : item;
        if (query instanceof TableFunction function) {
            return functions(function, alias.getSimple(), columns, left);
        }
        if (!query.isA(SqlKind.QUERY)) {
            return special(item);
        }
        return subQuery(query, alias.getSimple(), columns, lateral ? left : null);
    }

    /// @param left what the sub-query sees, for LATERAL; null for nothing
    private FromItem subQuery(SqlNode query, String alias, SqlNodeList columns, FromItem left) {
        Scope inner = new Scope(scope.parent(), scope.link(), scope.withQueries());
        Scope.Link link = null;
        if (left != null) {
            link = new Scope.Link(analysis.context().cluster().createCorrel());
            inner = new Scope(scope.sibling(left), link, scope.withQueries());
        }
        Rows rows = queries.renamed(queries.query(query, inner), columns, alias);
        // Its columns may be arrays of the system catalog, which are held as texts.
        boolean isOfCatalog =
                inner.from() != null && inner.from().entries().stream().anyMatch(Entry::catalog);
        FromItem result = FromItem.of(rows.rel(), alias, null, null, isOfCatalog, rows.columns());
        if (link != null && link.isUsed()) {
            lateralLinks.put(result.rel(), link);
        }
        return result;
    }

    /// A join in parentheses with a name, behind which those of its parts are hidden.
    private FromItem named(FromItem join, SqlIdentifier alias, SqlNodeList names) {
        List<Visible> visible = new ArrayList<>(join.visible());
        if (names != null && names.size() > visible.size()) {
            throw new QueryException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "join expression \"" + alias.getSimple() + "\" has " + visible.size() + " columns available but "
                            + names.size() + " columns specified");
        }
        for (int index = 0; names != null && index < names.size(); index++) {
            visible.set(index, visible.get(index).named(((SqlIdentifier) names.get(index)).getSimple()));
        }
        Entry entry = new Entry(alias.getSimple(), null, null, false, visible);
        return new FromItem(join.rel(), List.of(entry), visible);
    }

    /// Functions see what stands before them in FROM, with LATERAL or without.
    private FromItem functions(TableFunction node, String alias, SqlNodeList columnNames, FromItem left) {
        FromItem relation = relation(node, alias, columnNames);
        if (relation != null) {
            return relation;
        }
        Scope.Link link = left == null
                ? null
                : new Scope.Link(analysis.context().cluster().createCorrel());
        Scope arguments = link == null
                ? new Scope(scope.parent(), scope.link(), scope.withQueries())
                : new Scope(scope.sibling(left), link, scope.withQueries());
        String named = alias == null && node.alias() != null ? node.alias().getSimple() : alias;
        TableFunctions functions = new TableFunctions(analysis, left == null || asked.contains(node));
        Rows made = functions.analyze(node, arguments, named);
        String shown = named == null ? ColumnNames.of(node.calls().getFirst()) : named;
        Rows rows = queries.renamed(made, columnNames, shown);
        boolean isRecord = node.calls().stream().anyMatch(JsonRecords::isFor);
        Scope.Whole structs = functions.row(node);
        Scope.Whole plain = rows.columns().size() == 1 && !isRecord ? new Scope.Whole.Single() : Scope.Whole.RECORD;
        FromItem result = FromItem.of(rows.rel(), shown, null, null, false, rows.columns())
                .withRow(structs == null ? plain : structs)
                .withHidden(structs == null ? List.of() : List.of(TableFunctions.ROW));
        if (link != null && link.isUsed()) {
            lateralLinks.put(result.rel(), link);
        }
        return result;
    }

    /// The rows of a function without arguments that a system relation of the same name, with `()` behind it, has;
    /// null for any other.
    private FromItem relation(TableFunction node, String alias, SqlNodeList columnNames) {
        if (node.isNumbered()
                || node.calls().size() != 1
                || !node.definitions().isEmpty()
                || !(node.calls().getFirst() instanceof SqlCall call)
                || !call.getOperandList().isEmpty()
                || !(call.getOperator() instanceof SqlFunction function)) {
            return null;
        }
        SqlIdentifier written = function.getSqlIdentifier();
        List<String> names = written == null ? List.of(function.getName()) : written.names;
        boolean isOfCatalog =
                names.size() == 1 || names.size() == 2 && names.getFirst().equals("pg_catalog");
        String name = names.getLast();
        if (!isOfCatalog || analysis.tableOrNull("pg_catalog", name + "()") == null) {
            return null;
        }
        SqlIdentifier table = new SqlIdentifier(List.of("pg_catalog", name + "()"), call.getParserPosition());
        return table(table, alias == null ? name : alias, columnNames);
    }

    /// Sub-queries that refer to what stands before them in FROM, with their link to it.
    private final java.util.Map<RelNode, Scope.Link> lateralLinks = new java.util.IdentityHashMap<>();

    /// What stands on the right of LEFT JOINs that have a condition.
    private final Set<SqlNode> asked = java.util.Collections.newSetFromMap(new java.util.IdentityHashMap<>());

    /// When the rows of SPLICE joins happened.
    private final java.util.Map<RelNode, RexNode> times = new java.util.IdentityHashMap<>();

    private FromItem table(SqlIdentifier name, String alias, SqlNodeList columnNames) {
        int at = Positions.start(name);
        String own = name.names.get(name.names.size() - 1);
        if (name.names.size() == 1) {
            Rows with = scope.withQueries() == null ? null : scope.withQueries().find(own);
            if (with != null) {
                if (with.rel() instanceof QuarrelWorkingTable) {
                    scope.referToItself();
                }
                String shown = alias == null ? own : alias;
                Rows rows = queries.renamed(with, columnNames, shown);
                FromItem item = FromItem.of(rows.rel(), shown, null, alias == null ? null : own, false, rows.columns());
                return with.rel() instanceof QuarrelWorkingTable ? RowPaths.withHidden(item, shown, rows) : item;
            }
        }
        Analysis.TableScan scan = analysis.table(name.names, at);
        String shown = alias == null ? own : alias;
        if (scan.view() != null) {
            return view(scan, own, alias, columnNames);
        }
        List<Column> all = columns(analysis, scan);
        List<Column> columns = all.subList(0, all.size() - scan.hiddenColumns());
        Rows rows = queries.renamed(new Rows(scan.rel(), columns), columnNames, shown);
        return FromItem.of(
                        rows.rel(),
                        shown,
                        alias == null ? scan.schema() : null,
                        alias == null ? null : own,
                        scan.schema().equals("pg_catalog") || scan.schema().equals("information_schema"),
                        rows.columns())
                .withRow(new Scope.Whole.OfTable(
                        scan.schema(), own, columns.stream().map(Column::name).toList(), scan.primaryKey()))
                .withHidden(all.subList(columns.size(), all.size()));
    }

    private FromItem view(Analysis.TableScan scan, String own, String alias, SqlNodeList columnNames) {
        Rows made = new Analysis.ViewRows(analysis).of(scan, own);
        String shown = alias == null ? own : alias;
        Rows rows = queries.renamed(made, columnNames, shown);
        List<String> names = made.columns().stream().map(Column::name).toList();
        return FromItem.of(
                        rows.rel(),
                        shown,
                        alias == null ? scan.schema() : null,
                        alias == null ? null : own,
                        false,
                        rows.columns())
                .withRow(new Scope.Whole.OfTable(scan.schema(), own, names, List.of()));
    }

    static List<Column> columns(Analysis analysis, Analysis.TableScan scan) {
        List<Column> columns = new ArrayList<>();
        for (RelDataTypeField field : scan.rowType().getFieldList()) {
            SqlType declared = SqlType.of(SqlTypes.pgType(field.getType()));
            columns.add(new Column(
                    field.getName(),
                    declared,
                    scan.typmod(field.getIndex()),
                    analysis.collations().ofColumn(declared, scan.collation(field.getIndex()))));
        }
        return columns;
    }

    private FromItem join(SqlJoin join, FromItem outerLeft) {
        PlanningLimits.tick();
        FromItem left = operand(join.getLeft(), outerLeft);
        Scope.Link outerLateral = lateralLinks.remove(left.rel());
        FromItem joined = join instanceof SeriesJoin series ? nearest(series, left) : joinedWith(join, left);
        analysis.designateAs(joined, left);
        if (outerLateral != null) {
            lateralLinks.put(joined.rel(), outerLateral);
        }
        return joined;
    }

    /// A side of a join.
    private FromItem operand(SqlNode node, FromItem left) {
        FromItem item = item(node, left);
        if (node instanceof SqlJoin) {
            return item;
        }
        FromItem marked = CountedRows.marked(item, counted, maker);
        Scope.Link lateral = marked == item ? null : lateralLinks.remove(item.rel());
        if (lateral != null) {
            lateralLinks.put(marked.rel(), lateral);
        }
        return marked;
    }

    /// The condition of a join.
    ///
    /// @param correlations names by which its sub-queries refer to the row of both sides
    /// @param merged columns that USING made one
    /// @param alias of these; null for none
    private record Condition(
            RexNode rex, Set<CorrelationId> correlations, List<Visible> merged, Set<String> hidden, String alias) {
        static Condition of(RexNode rex, Set<CorrelationId> correlations) {
            return new Condition(rex, correlations, List.of(), Set.of(), null);
        }
    }

    private static boolean isTrue(SqlNode condition) {
        return condition instanceof SqlLiteral literal && Boolean.TRUE.equals(literal.getValue());
    }

    private static SqlNode withoutAlias(SqlNode item) {
        SqlNode node = item.getKind() == SqlKind.AS ? ((SqlCall) item).operand(0) : item;
        return node.getKind() == SqlKind.LATERAL ? ((SqlCall) node).operand(0) : node;
    }

    private FromItem joinedWith(SqlJoin join, FromItem left) {
        if (join.getJoinType() == JoinType.LEFT && !isTrue(join.getCondition())) {
            asked.add(withoutAlias(join.getRight()));
        }
        FromItem right = operand(join.getRight(), left);
        checkNames(left, right);
        JoinRelType type =
                switch (join.getJoinType()) {
                    case COMMA, CROSS, INNER -> JoinRelType.INNER;
                    case LEFT -> JoinRelType.LEFT;
                    case RIGHT -> JoinRelType.RIGHT;
                    case FULL -> JoinRelType.FULL;
                    default -> throw analysis.unsupported(Positions.start(join), join.getJoinType() + " JOIN");
                };
        Scope.Link lateral = lateralLinks.remove(right.rel());
        if (lateral != null && type != JoinRelType.INNER && type != JoinRelType.LEFT) {
            throw analysis.error(
                            SqlState.INVALID_COLUMN_REFERENCE,
                            lateral.usedAt(),
                            "invalid reference to FROM-clause entry in LATERAL")
                    .withDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.");
        }
        FromItem shifted = right.shifted(left.rel().getRowType().getFieldCount());
        Condition condition = condition(join, left, right, shifted, type);
        RelNode rel = lateral == null
                ? LogicalJoin.create(
                        left.rel(), right.rel(), List.of(), condition.rex(), condition.correlations(), type)
                : correlate(left.rel(), right.rel(), condition, type, lateral.id());
        FromItem joined = combined(rel, left, shifted, condition.merged(), condition.hidden());
        if (condition.alias() == null) {
            return joined;
        }
        Entry merged = new Entry(condition.alias(), null, null, false, condition.merged());
        FromItem named = new FromItem(rel, List.of(merged), List.of());
        checkNames(joined, named);
        List<Entry> entries = new ArrayList<>(joined.entries());
        entries.add(merged);
        return new FromItem(rel, entries, joined.visible());
    }

    /// An ASOF, LT or SPLICE join.
    private FromItem nearest(SeriesJoin join, FromItem left) {
        FromItem right = operand(join.getRight(), left);
        checkNames(left, right);
        if (lateralLinks.remove(right.rel()) != null) {
            throw analysis.unsupported(Positions.start(join), "LATERAL in an ASOF join");
        }
        FromItem shifted = right.shifted(left.rel().getRowType().getFieldCount());
        SeriesJoin.Form form = join.form();
        Condition condition;
        if (form.isUsing()) {
            SqlJoin named = new SqlJoin(
                    join.getParserPosition(),
                    join.getLeft(),
                    join.isNaturalNode(),
                    join.getJoinTypeNode(),
                    join.getRight(),
                    JoinConditionType.USING.symbol(join.getParserPosition()),
                    new SqlNodeList(form.names(), join.getParserPosition()));
            condition = using(named, left, right, shifted, JoinRelType.LEFT);
        } else if (!form.names().isEmpty()) {
            condition = Condition.of(named(form.names(), left, right, shifted), Set.of());
        } else if (join.getCondition() == null) {
            condition = Condition.of(maker.literal(true), Set.of());
        } else {
            Select select = onSelect(left, right);
            condition = Condition.of(on(join, left, right, shifted, select), select.takeCorrelations());
            if (!condition.correlations().isEmpty()) {
                throw analysis.unsupported(Positions.start(join.getCondition()), "a sub-query in an ASOF join's ON");
            }
        }
        NearestJoin.Joined joined =
                new NearestJoin(analysis, scope, times.get(left.rel())).of(join, left, right, condition.rex());
        RelNode rel = joined.rel();
        if (joined.time() != null) {
            times.put(rel, joined.time());
        }
        return form.isUsing()
                ? combined(rel, left, shifted, condition.merged(), condition.hidden())
                : combined(rel, left, shifted, List.of(), Set.of());
    }

    private Condition condition(SqlJoin join, FromItem left, FromItem right, FromItem shifted, JoinRelType type) {
        if (join.isNatural() || join.getConditionType() == JoinConditionType.USING) {
            return using(join, left, right, shifted, type);
        }
        if (join.getConditionType() == JoinConditionType.NONE) {
            if (join.getJoinType() != JoinType.COMMA && join.getJoinType() != JoinType.CROSS) {
                throw Positions.syntaxError(
                        analysis.text(), join.getRight().getParserPosition().getEndColumnNum());
            }
            return Condition.of(maker.literal(true), Set.of());
        }
        Select select = onSelect(left, right);
        RexNode condition = on(join, left, right, shifted, select);
        return Condition.of(condition, select.takeCorrelations());
    }

    /// The right side for each row of the left one: INNER or LEFT.
    private RelNode correlate(RelNode left, RelNode right, Condition condition, JoinRelType type, CorrelationId id) {
        boolean isAlways = condition.rex().isAlwaysTrue();
        boolean isAskedFirst = type == JoinRelType.LEFT && !isAlways;
        RelNode asked = isAskedFirst
                ? LogicalFilter.create(
                        right, ofRight(condition, left, right, id), ImmutableSet.copyOf(condition.correlations()))
                : right;
        RelNode rel = LogicalCorrelate.create(
                left, asked, List.of(), id, org.apache.calcite.plan.RelOptUtil.correlationColumns(id, asked), type);
        return isAlways || isAskedFirst
                ? rel
                : LogicalFilter.create(rel, condition.rex(), ImmutableSet.copyOf(condition.correlations()));
    }

    /// A condition over both sides as one of the right side, which names the left one's row.
    private RexNode ofRight(Condition condition, RelNode left, RelNode right, CorrelationId id) {
        int width = left.getRowType().getFieldCount();
        RexNode row = maker.builder().makeCorrel(left.getRowType(), id);
        OuterReferences references = new OuterReferences((access, variable) -> {
            if (!condition.correlations().contains(variable)) {
                return access;
            }
            int column = access.getField().getIndex();
            return column < width
                    ? maker.builder().makeFieldAccess(row, column)
                    : maker.builder()
                            .makeFieldAccess(maker.builder().makeCorrel(right.getRowType(), variable), column - width);
        });
        return references.visit(condition.rex()).accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef column) {
                return column.getIndex() < width
                        ? maker.builder().makeFieldAccess(row, column.getIndex())
                        : new RexInputRef(column.getIndex() - width, column.getType());
            }
        });
    }

    private static Select onSelect(FromItem left, FromItem right) {
        Select select = new Select(
                left.rel().getRowType().getFieldCount()
                        + right.rel().getRowType().getFieldCount(),
                null);
        select.enter(Select.Clause.ON);
        return select;
    }

    /// ON sees the row before outer joining, in which nothing is null but what was.
    private RexNode on(SqlJoin join, FromItem left, FromItem right, FromItem shifted, Select select) {
        RelNode inner = LogicalJoin.create(
                left.rel(), right.rel(), List.of(), maker.literal(true), Set.<CorrelationId>of(), JoinRelType.INNER);
        Scope onScope = scope.sibling(combined(inner, left, shifted, List.of(), Set.of()));
        onScope.setSelect(select);
        return new ExpressionAnalyzer(analysis, onScope).condition(join.getCondition(), "JOIN/ON");
    }

    private static void checkNames(FromItem left, FromItem right) {
        for (Entry first : left.entries()) {
            for (Entry second : right.entries()) {
                boolean otherSchemas = first.schema() != null
                        && second.schema() != null
                        && !first.schema().equals(second.schema());
                if (first.alias().equals(second.alias())
                        && !otherSchemas
                        && !first.alias().equals(UNNAMED)) {
                    throw new QueryException(
                            SqlState.DUPLICATE_ALIAS, "table name \"" + first.alias() + "\" specified more than once");
                }
            }
        }
    }

    /// @param merged columns that USING made one, in front
    /// @param hidden names that `merged` stands for on both sides
    private static FromItem combined(
            RelNode rel, FromItem left, FromItem right, List<Visible> merged, Set<String> hidden) {
        List<Entry> entries = new ArrayList<>(left.entries());
        entries.addAll(right.entries());
        List<Visible> visible = new ArrayList<>(merged);
        for (Visible column : left.visible()) {
            if (!hidden.contains(column.name())) {
                visible.add(column);
            }
        }
        for (Visible column : right.visible()) {
            if (!hidden.contains(column.name())) {
                visible.add(column);
            }
        }
        return new FromItem(rel, entries, visible);
    }

    private Condition using(SqlJoin join, FromItem left, FromItem right, FromItem shifted, JoinRelType type) {
        List<SqlIdentifier> names = new ArrayList<>();
        String alias = null;
        if (join.isNatural()) {
            for (Visible column : left.visible()) {
                if (right.visible().stream().anyMatch(each -> each.name().equals(column.name()))) {
                    names.add(new SqlIdentifier(column.name(), join.getParserPosition()));
                }
            }
        } else {
            SqlNode list = join.getCondition();
            if (list.getKind() == SqlKind.AS) {
                alias = ((SqlIdentifier) ((SqlCall) list).operand(1)).getSimple();
                list = ((SqlCall) list).operand(0);
            }
            for (SqlNode name : (SqlNodeList) list) {
                names.add((SqlIdentifier) name);
            }
        }
        Sides sides = sides(left, right, shifted);
        List<RexNode> conditions = new ArrayList<>();
        List<Visible> merged = new ArrayList<>();
        Set<String> hidden = new java.util.HashSet<>();
        for (SqlIdentifier name : names) {
            int at = Positions.start(name);
            Visible first = only(left, name.getSimple(), "left");
            Visible second = only(shifted, name.getSimple(), "right");
            Expr.Value leftValue = sides.value(first, at);
            Expr.Value rightValue = sides.value(second, at);
            conditions.add(sides.equal(leftValue, rightValue, at));
            SqlType common = analysis.commonTypes().of(List.of(leftValue, rightValue), "JOIN/USING");
            merged.add(merged(first, second, common, type, analysis.collations().of(List.of(leftValue, rightValue))));
            hidden.add(name.getSimple());
        }
        RexNode condition = conditions.isEmpty() ? maker.literal(true) : maker.and(conditions);
        return new Condition(condition, Set.of(), merged, hidden, alias);
    }

    /// What conditions of a join see: the columns of both sides.
    private record Sides(FromItem both, Columns columns, ExpressionAnalyzer expressions) {
        Expr.Value value(Visible column, int at) {
            return column.value(columns.field(column, both, null), at);
        }

        RexNode equal(Expr.Value left, Expr.Value right, int at) {
            return expressions.operators().call("=", left, right, () -> at).rex();
        }
    }

    private Sides sides(FromItem left, FromItem right, FromItem shifted) {
        RelNode inner = LogicalJoin.create(
                left.rel(), right.rel(), List.of(), maker.literal(true), Set.<CorrelationId>of(), JoinRelType.INNER);
        FromItem both = combined(inner, left, shifted, List.of(), Set.of());
        return new Sides(both, new Columns(analysis), new ExpressionAnalyzer(analysis, scope.sibling(both)));
    }

    /// `ON (a, b)` of an ASOF join: columns of both sides are equal. On the left the first table that has the column is
    /// meant, the one that rows are looked up for, also where tables behind it, joined alike, have it.
    private RexNode named(List<SqlIdentifier> names, FromItem left, FromItem right, FromItem shifted) {
        Sides sides = sides(left, right, shifted);
        List<RexNode> conditions = new ArrayList<>();
        for (SqlIdentifier name : names) {
            int at = Positions.start(name);
            Visible first = firstNamed(left, name, "left");
            Visible second = firstNamed(shifted, name, "right");
            conditions.add(sides.equal(sides.value(first, at), sides.value(second, at), at));
        }
        return maker.and(conditions);
    }

    private Visible firstNamed(FromItem item, SqlIdentifier name, String side) {
        return item.visible().stream()
                .filter(column -> column.name().equals(name.getSimple()))
                .findFirst()
                .orElseThrow(() -> analysis.error(
                        SqlState.UNDEFINED_COLUMN,
                        Positions.start(name),
                        "column \"" + name.getSimple() + "\" specified in ON clause does not exist in " + side
                                + " table"));
    }

    /// One column of USING: the side that is always there, or whichever is there.
    private static Visible merged(Visible left, Visible right, SqlType common, JoinRelType type, Collating collating) {
        return switch (type) {
            case RIGHT -> as(common, right);
            case FULL -> Visible.merged(left.name(), List.of(left, right), common, collating.ofColumn());
            case INNER -> left.type() != common && right.type() == common ? right : as(common, left);
            default -> as(common, left);
        };
    }

    private static Visible as(SqlType type, Visible column) {
        return column.type() == type
                ? column
                : Visible.merged(column.name(), List.of(column), type, column.collating());
    }

    private static Visible only(FromItem item, String name, String side) {
        Visible found = null;
        for (Visible column : item.visible()) {
            if (column.name().equals(name)) {
                if (found != null) {
                    throw new QueryException(
                            SqlState.AMBIGUOUS_COLUMN,
                            "common column name \"" + name + "\" appears more than once in " + side + " table");
                }
                found = column;
            }
        }
        if (found == null) {
            throw new QueryException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \"" + name + "\" specified in USING clause does not exist in " + side + " table");
        }
        return found;
    }
}
