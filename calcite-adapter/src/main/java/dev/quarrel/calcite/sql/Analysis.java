package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.limits.PlanSize;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.parse.StatementReader;
import dev.quarrel.calcite.rel.EmptyRows;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.convert.Collations;
import dev.quarrel.calcite.sql.convert.CommonTypes;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.EnumTypes;
import dev.quarrel.calcite.sql.convert.ParameterTypes;
import dev.quarrel.calcite.sql.convert.RecordFields;
import dev.quarrel.calcite.sql.convert.StatementText;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.series.DesignatedTimestamp;
import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.ViewExpanders;
import org.apache.calcite.prepare.RelOptTableImpl;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlNode;

/// The state shared by all parts of one statement's analysis: the statement's text, the catalog and the
/// parameters.
final class Analysis {
    /// PostgreSQL's MaxTupleAttributeNumber.
    private static final int MAX_COLUMNS = 1664;

    private final StatementText statement;
    private final QueryContext context;
    private final FunctionTable functions;
    private final RexMaker maker;
    private final ParameterTypes parameters;
    private final Conversions conversions;
    private final CommonTypes commonTypes;
    private final Collations collations;
    private final EmptyRows emptyRows = new EmptyRows();
    private final PlanSize size = PlanSize.written();
    private Set<Scope> seen;
    private final Map<SqlNode, Integer> aggregateLevels = new IdentityHashMap<>();
    private final Map<RelNode, Scope.Visible> designated = new IdentityHashMap<>();
    private final Map<SqlNode, String> lockObstacles = new IdentityHashMap<>();

    private final Set<List<String>> relations = new LinkedHashSet<>();
    private final List<List<String>> views;

    Analysis(String text, int parameterCount, QueryContext context, FunctionTable functions) {
        this(text, parameterCount, context, functions, List.of());
    }

    /// @param views those whose texts this one stands in, each as schema and name
    Analysis(String text, int parameterCount, QueryContext context, FunctionTable functions, List<List<String>> views) {
        this.views = views;
        this.statement = new StatementText(text);
        this.context = context;
        this.functions = functions;
        this.maker = new RexMaker(context.cluster().getRexBuilder());
        this.parameters = new ParameterTypes(statement, parameterCount, context.declaredParameters());
        this.conversions = new Conversions(
                statement,
                maker,
                functions,
                parameters,
                context.objectIds(),
                new EnumTypes(context.root(), context.searchPath(), maker.factory()),
                context.moment(),
                context.wideNumerics());
        this.commonTypes = new CommonTypes(statement, maker, conversions);
        this.collations = new Collations(statement, maker, context.collation(), this::declaredCollation);
    }

    QueryContext context() {
        return context;
    }

    /// The relations that the statement names, each as schema and name.
    Set<List<String>> relations() {
        return relations;
    }

    /// See the constructor.
    List<List<String>> views() {
        return views;
    }

    FunctionTable functions() {
        return functions;
    }

    RexMaker maker() {
        return maker;
    }

    ParameterTypes parameters() {
        return parameters;
    }

    Conversions conversions() {
        return conversions;
    }

    RecordFields recordFields() {
        return new RecordFields(maker, conversions, collations);
    }

    CommonTypes commonTypes() {
        return commonTypes;
    }

    Collations collations() {
        return collations;
    }

    /// Notes that `timestamp(column)` stands behind a FROM item.
    ///
    /// @return whether the item has such a column, and it is a time
    boolean designate(Scope.FromItem item, String column) {
        for (Scope.Visible each : item.visible()) {
            if (each.name().equals(column) && DesignatedTimestamp.isTime(each.type())) {
                designated.put(item.rel(), each);
                return true;
            }
        }
        return false;
    }

    /// Notes that a join's designated timestamp is that of its left side, whose columns come first.
    void designateAs(Scope.FromItem join, Scope.FromItem left) {
        Scope.Visible column = designated(left);
        if (column != null) {
            designated.put(join.rel(), column);
        }
    }

    /// The column that `timestamp(…)` behind a FROM item names, or null.
    Scope.Visible designated(Scope.FromItem item) {
        return designated.get(item.rel());
    }

    /// The columns that a table's rows ascend in; none where that is unknown.
    List<Integer> sortedBy(String schemaName, String table) {
        CalciteSchema schema = context.root().getSubSchema(schemaName, true);
        CalciteSchema.TableEntry entry = schema == null ? null : schema.getTable(table, true);
        return entry != null && entry.getTable() instanceof DeclaredTable declared ? declared.sortedBy() : List.of();
    }

    /// The collation of that name that a column of a table in sight has, or null.
    private Collation declaredCollation(String name) {
        for (String schemaName : context.searchPath()) {
            CalciteSchema schema = context.root().getSubSchema(schemaName, true);
            for (String table : schema == null ? Set.<String>of() : schema.getTableNames()) {
                if (schema.getTable(table, true).getTable() instanceof DeclaredTable declared) {
                    Collation found = declared.collation(name);
                    if (found != null) {
                        return found;
                    }
                }
            }
        }
        return null;
    }

    EmptyRows emptyRows() {
        return emptyRows;
    }

    /// Why the rows of a SELECT that was analysed are not those of a table, in the words of FOR UPDATE's errors;
    /// null if they are.
    String lockObstacle(SqlNode select) {
        return lockObstacles.get(select);
    }

    void setLockObstacle(SqlNode select, String obstacle) {
        lockObstacles.put(select, obstacle);
    }

    /// - Errors: 54001 for rows that are too large a tree to be walked.
    RelNode bounded(RelNode rel) {
        return size.require(rel);
    }

    String text() {
        return statement.text();
    }

    QueryException error(SqlState state, int at, String message) {
        return statement.error(state, at, message);
    }

    QueryException unsupported(int at, String what) {
        return statement.unsupported(at, what);
    }

    /// The same error, pointing at `at` if it points nowhere yet.
    QueryException located(QueryException error, int at) {
        return statement.located(error, at);
    }

    /// How many queries out from where it is written an aggregate belongs; looked up once, however often the query that
    /// holds it is analysed.
    int aggregateLevel(SqlNode call, IntSupplier lookUp) {
        Integer known = aggregateLevels.get(call);
        if (known == null) {
            known = lookUp.getAsInt();
            aggregateLevels.put(call, known);
        }
        return known;
    }

    /// Runs a step in which an aggregate stands in the very query that it belongs to.
    <T> T atOwner(SqlNode call, Supplier<T> step) {
        Integer level = aggregateLevels.put(call, 0);
        try {
            return step.get();
        } finally {
            aggregateLevels.put(call, level);
        }
    }

    /// A column of a query was named.
    void seen(Scope level) {
        if (seen != null) {
            seen.add(level);
        }
    }

    /// The queries whose columns the step names.
    Set<Scope> seenBy(Runnable step) {
        Set<Scope> outer = seen;
        Set<Scope> own = Collections.newSetFromMap(new IdentityHashMap<>());
        seen = own;
        try {
            step.run();
        } finally {
            seen = outer;
        }
        if (outer != null) {
            outer.addAll(own);
        }
        return own;
    }

    /// Where the operator between the operands of an infix call stands.
    int operatorAfter(SqlNode left) {
        return statement.operatorAfter(left);
    }

    /// - Errors: 54011 for more columns than PostgreSQL's queries and their parts have.
    void checkColumnCount(int count) {
        if (count > MAX_COLUMNS) {
            throw new QueryException(
                    SqlState.TOO_MANY_COLUMNS, "target lists can have at most " + MAX_COLUMNS + " entries");
        }
    }

    /// Where the parenthesis before a node stands.
    int openingBefore(SqlNode node) {
        return statement.openingBefore(node);
    }

    /// A table of the catalog.
    ///
    /// @param declared null where the row type says all
    record TableScan(RelNode rel, RelDataType rowType, String schema, DeclaredTable declared) {
        /// `atttypmod` of a column.
        int typmod(int column) {
            return declared != null
                    ? declared.typmod(column)
                    : SqlTypes.typmod(rowType.getFieldList().get(column).getType());
        }

        /// How many of its last columns no `*` has.
        int hiddenColumns() {
            return declared == null ? 0 : declared.hiddenColumns();
        }

        /// The names of the primary key's columns; empty where there is none.
        List<String> primaryKey() {
            return declared == null ? List.of() : declared.primaryKey();
        }

        /// What CREATE VIEW said; null for what has rows of its own.
        ViewDefinition view() {
            return declared == null ? null : declared.view();
        }

        /// The collation that a column's file names, or null.
        Collation collation(int column) {
            return declared == null ? null : declared.collation(column);
        }
    }

    /// Looks up `[database.][schema.]name`: every table that a statement reads passes here.
    ///
    /// - Errors: 42P01, 0A000 for another database, 42501 for one that the session may not read.
    TableScan table(List<String> names, int at) {
        TableScan found = find(names, at);
        String name = names.getLast();
        relations.add(List.of(found.schema(), name));
        if (!context.privileges().maySelect(found.schema(), name)) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + name);
        }
        return found;
    }

    private TableScan find(List<String> names, int at) {
        String name = names.get(names.size() - 1);
        if (names.size() > 3) {
            throw error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    "improper qualified name (too many dotted names): " + String.join(".", names));
        }
        if (names.size() == 3 && !names.get(0).equals(context.database())) {
            throw error(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    at,
                    "cross-database references are not implemented: \"" + String.join(".", names) + "\"");
        }
        if (names.size() > 1) {
            TableScan scan = table(names.get(names.size() - 2), name);
            if (scan == null) {
                throw error(
                        SqlState.UNDEFINED_TABLE,
                        at,
                        "relation \"" + names.get(names.size() - 2) + "." + name + "\" does not exist");
            }
            return scan;
        }
        if (!context.searchPath().contains("pg_catalog")) {
            TableScan scan = table("pg_catalog", name);
            if (scan != null) {
                return scan;
            }
        }
        for (String schema : context.searchPath()) {
            TableScan scan = table(schema, name);
            if (scan != null) {
                return scan;
            }
        }
        throw error(SqlState.UNDEFINED_TABLE, at, "relation \"" + name + "\" does not exist");
    }

    /// As [#table(List, int)]; null where there is none.
    TableScan tableOrNull(String schemaName, String name) {
        List<String> schemas = schemaName == null ? context.searchPath() : List.of(schemaName);
        return schemas.stream()
                .map(each -> table(each, name))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private TableScan table(String schemaName, String name) {
        CalciteSchema schema = context.root().getSubSchema(schemaName, true);
        CalciteSchema.TableEntry entry = schema == null ? null : schema.getTable(name, true);
        if (entry == null) {
            return null;
        }
        RelDataType rowType = entry.getTable().getRowType(maker.factory());
        RelOptTable table = RelOptTableImpl.create(null, rowType, entry, null);
        Double rowCount = entry.getTable().getStatistic().getRowCount();
        RelNode rel = rowCount != null && rowCount == 0
                ? LogicalValues.createEmpty(context.cluster(), rowType)
                : table.toRel(ViewExpanders.simpleContext(context.cluster()));
        return new TableScan(
                rel, rowType, schemaName, entry.getTable() instanceof DeclaredTable declared ? declared : null);
    }

    /// The rows of views: those of their queries, whose names are looked up as when they were made, by the privileges
    /// of who reads them.
    static final class ViewRows {
        private final Analysis analysis;

        ViewRows(Analysis analysis) {
            this.analysis = analysis;
        }

        /// - Errors: those of the query, without a place; 42P17 for a view that reads itself, 55000 for one whose query
        /// has lost a column.
        ///
        /// @param scan the view's
        Rows of(Analysis.TableScan scan, String name) {
            ViewDefinition view = scan.view();
            List<List<String>> views = new ArrayList<>(analysis.views());
            if (views.contains(List.of(scan.schema(), name))) {
                throw new QueryException(
                        SqlState.INVALID_OBJECT_DEFINITION,
                        "infinite recursion detected in rules for relation \"" + name + "\"");
            }
            views.add(List.of(scan.schema(), name));
            try {
                Statement.Query query =
                        (Statement.Query) StatementReader.read(view.sql()).getFirst();
                QueryContext context = analysis.context();
                Analysis inner = new Analysis(
                        query.text(),
                        0,
                        new QueryContext(
                                context.cluster(),
                                context.root(),
                                view.searchPath(),
                                context.database(),
                                List.of(),
                                context.objectIds(),
                                context.moment(),
                                context.collation(),
                                context.privileges(),
                                context.wideNumerics()),
                        analysis.functions(),
                        views);
                Rows rows = new QueryAnalyzer(inner).query(query.node(), new Scope(null, null, null));
                analysis.collations().addUse(inner.collations());
                return named(rows, scan, name);
            } catch (QueryException wrong) {
                throw wrong.withoutPosition();
            }
        }

        /// The columns that the view had when it was made, wherever its query has them now: a `*` may have more.
        private Rows named(Rows rows, Analysis.TableScan scan, String name) {
            List<String> wanted = scan.view().queryColumns();
            List<String> given = rows.columns().stream().map(Column::name).toList();
            List<RelDataTypeField> fields = scan.rowType().getFieldList();
            boolean isSame = given.equals(wanted);
            boolean areDistinct = new HashSet<>(given).size() == given.size();
            if (!isSame && (!areDistinct || !given.containsAll(wanted))) {
                throw new QueryException(
                                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                                "the columns that view \"" + name + "\" reads have changed")
                        .withHint("Make it anew with CREATE OR REPLACE VIEW.");
            }
            List<Integer> places = new ArrayList<>();
            List<Column> columns = new ArrayList<>();
            for (int index = 0; index < wanted.size(); index++) {
                int place = isSame ? index : given.indexOf(wanted.get(index));
                places.add(place);
                columns.add(rows.columns().get(place).named(fields.get(index).getName()));
            }
            if (isSame) {
                return new Rows(rows.rel(), columns);
            }
            var builder = analysis.maker().builder();
            return new Rows(
                    LogicalProject.create(
                            rows.rel(),
                            List.of(),
                            places.stream()
                                    .map(place -> builder.makeInputRef(rows.rel(), place))
                                    .toList(),
                            columns.stream().map(Column::name).toList(),
                            Set.of()),
                    columns);
        }
    }
}
