package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.limits.BoundedRexBuilder;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.parse.StatementReader;
import dev.quarrel.calcite.rel.ColumnOrigins;
import dev.quarrel.calcite.sql.AnalyzedQuery.OutputColumn;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.type.CollationUse;
import dev.quarrel.calcite.sql.type.PostgresTypeFactory;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlNode;

/// The entry point from SQL text to relational expressions with PostgreSQL's semantics: it parses, then
/// analyses.
///
/// Calcite's validator and its conversion are not used: their types, coercions and messages are not
/// PostgreSQL's. Names, overloads, conversions and types follow PostgreSQL's analyzer, and what comes out is
/// Calcite's logical algebra over Calcite's own operators where those mean the same, else over
/// `PostgresFunctions` and `ScalarFunctionOperator`. Nothing is simplified or folded.
///
/// What a RexNode promises to whoever lowers it:
/// - PLUS, MINUS, MULTIPLY, DIVIDE, MOD: both operands and the result are of one integer or float type; or all
///   are `numeric` ([SqlTypes#isNumeric]); or, but for DIVIDE, both operands are DECIMAL, of any scales, and
///   the result's scale is PostgreSQL's. Also DATE ± INTEGER → DATE, and DATE − DATE → INTEGER.
/// - Comparisons: both sides are of one type, or both DECIMAL of any scales. CHAR on both sides: trailing
///   blanks do not count. The same holds for grouping, DISTINCT, joins and sorting by CHAR.
/// - CAST has PostgreSQL's meaning for the two types: CHAR to VARCHAR cuts trailing blanks; to VARCHAR(n) and
///   CHAR(n) cuts to n.
/// - AND, OR and CASE are not flattened into one another, and stand in the order written.
/// - NOT LIKE and its like are NOT over LIKE, ILIKE, POSIX_REGEX_…; IN is OR of comparisons, from 20 items on
///   SEARCH; BETWEEN is AND. LIKE's escape, if written, is a third operand; empty means none.
/// - EXTRACT's unit is a TimeUnitRange flag; over DATE it is INTEGER, over timestamps `numeric`.
/// - Sub-queries are RexSubQuerys; the node that holds them lists their correlation variables.
/// - NULLs sort last ascending and first descending unless written otherwise; every collation says so.
///
/// Threads may share it.
public final class SqlFrontend {
    private final FunctionTable functions;

    /// @param system functions that catalogs come with, which may stand in for built-in ones
    /// @param functions SQL functions beyond PostgreSQL's usual scalar ones
    /// @param aggregates the same of aggregates
    public SqlFrontend(List<ScalarFunction> system, List<ScalarFunction> functions, List<JavaAggregate> aggregates) {
        this.functions = new FunctionTable(system, functions, aggregates);
    }

    /// A cluster whose types are PostgreSQL's.
    public static RelOptCluster newCluster(RelOptPlanner planner) {
        return RelOptCluster.create(planner, new BoundedRexBuilder(new PostgresTypeFactory()));
    }

    /// Cuts a text into statements; see [StatementReader].
    public List<Statement> parse(String text) {
        return StatementReader.read(text);
    }

    /// The meaning of a query whose rows go into a table.
    ///
    /// - Errors: as [#analyze], and 42804 for what is not assigned to its column.
    ///
    /// @param columns that the rows go into, in their order
    /// @param areListed whether the statement names them: then each must get a value
    public AnalyzedQuery analyzeInsert(
            Statement.Query query, QueryContext context, List<Field> columns, boolean areListed) {
        List<InsertRows.Target> targets = columns.stream()
                .map(field -> new InsertRows.Target(field.name(), PgType.Declared.held(field)))
                .toList();
        return analyze(query, context, analysis -> new InsertRows(analysis).of(query.node(), targets, areListed));
    }

    /// Gives a query its meaning.
    ///
    /// - Errors: 42P01, 42703, 42883, 42702, 42803, 42804, 42P18, 22P02 and the like, 0A000 for what Quarrel
    ///   lacks, with PostgreSQL's message and the position in the text that was parsed.
    public AnalyzedQuery analyze(Statement.Query query, QueryContext context) {
        return analyze(
                query,
                context,
                analysis -> new QueryAnalyzer(analysis).query(query.node(), new Scope(null, null, null)));
    }

    private AnalyzedQuery analyze(Statement.Query query, QueryContext context, Function<Analysis, Rows> step) {
        Analysis analysis = new Analysis(query.text(), query.parameterCount(), context, functions);
        Rows rows;
        try {
            rows = step.apply(analysis);
        } catch (ArithmeticException e) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range", e);
        } catch (StackOverflowError e) {
            throw PlanningLimits.tooDeep();
        }
        RelNode asHeld = rows.rel();
        rows = named(rows, analysis);
        return new AnalyzedQuery(
                rows.rel(),
                outputs(rows, asHeld),
                analysis.parameters().decided(),
                new CollationUse(
                        analysis.collations().usesStandard(),
                        analysis.collations().inexact()),
                analysis.maker().origins(),
                List.copyOf(analysis.relations()));
    }

    /// Shows object identifiers by name, as PostgreSQL does, where the engine was given the functions for it.
    private static Rows named(Rows rows, Analysis analysis) {
        List<RexNode> values = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        boolean any = false;
        for (int index = 0; index < rows.columns().size(); index++) {
            Column column = rows.columns().get(index);
            RexNode value = analysis.maker().builder().makeInputRef(rows.rel(), index);
            boolean isArray = column.type().isArray();
            SqlType single = isArray ? column.type().element() : column.type();
            boolean shown = single.isObjectId()
                    && single != SqlType.OID
                    && !analysis.functions()
                            .named(column.type().pgType().typeName() + "out")
                            .isEmpty();
            if (shown) {
                Expr.Value number = new Expr.Value(value, column.type(), 0);
                SqlType textType = isArray ? SqlType.TEXT_ARRAY : SqlType.TEXT;
                Expr.Value text = analysis.conversions().convert(number, textType, -1);
                values.add(text.rex());
                columns.add(new Column(column.name(), textType, -1));
            } else {
                values.add(value);
                columns.add(column);
            }
            any |= shown;
        }
        return any
                ? new Rows(
                        LogicalProject.create(
                                rows.rel(),
                                List.of(),
                                values,
                                rows.rel().getRowType().getFieldNames(),
                                Set.of()),
                        columns)
                : rows;
    }

    /// @param asHeld the rows before object identifiers were shown by name
    private static List<OutputColumn> outputs(Rows rows, RelNode asHeld) {
        List<OutputColumn> outputs = new ArrayList<>();
        for (int index = 0; index < rows.columns().size(); index++) {
            Column column = rows.columns().get(index);
            RelDataType type = rows.rel().getRowType().getFieldList().get(index).getType();
            outputs.add(new OutputColumn(
                    column.name(),
                    column.type().pgType().known(),
                    column.typmod(),
                    SqlTypes.other(type),
                    ColumnOrigins.of(asHeld, index)));
        }
        return outputs;
    }

    /// The rows of an INSERT's query, in the types of the columns that they go into. What has no type takes the
    /// column's; texts of a bounded length are not cut: whoever writes them looks.
    ///
    /// - Errors: 42804 for a type that is not assigned to the column's, 42601 for too many values or too few.
    /// - Source: PostgreSQL's `transformInsertStmt` and `transformAssignedExpr`.
    private static final class InsertRows {
        private final Analysis analysis;

        InsertRows(Analysis analysis) {
            this.analysis = analysis;
        }

        /// A column that takes values.
        record Target(String name, PgType.Declared declared) {}

        /// @param areListed whether the statement names the columns: then each must get a value
        Rows of(SqlNode query, List<Target> targets, boolean areListed) {
            List<SqlType> wanted = new ArrayList<>();
            targets.forEach(target -> wanted.add(wanted(target)));
            int most = 1664; // more than there are columns are refused below
            while (wanted.size() < most) {
                wanted.add(SqlType.TEXT);
            }
            Rows rows = new QueryAnalyzer(analysis).branch(query, new Scope(null, null, null), wanted);
            int count = rows.columns().size();
            if (count > targets.size()) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        QueryAnalyzer.itemAt(query, targets.size()),
                        "INSERT has more expressions than target columns");
            }
            if (areListed && count < targets.size()) {
                throw new QueryException(SqlState.SYNTAX_ERROR, "INSERT has more target columns than expressions");
            }
            List<RexNode> values = new ArrayList<>();
            List<Column> columns = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                Column column = rows.columns().get(index);
                int at = QueryAnalyzer.itemAt(query, index);
                Expr.Value value = column.value(analysis.maker().builder().makeInputRef(rows.rel(), index), at);
                Expr.Value assigned = assigned(value, targets.get(index), at);
                values.add(assigned.rex());
                columns.add(Column.of(targets.get(index).name(), assigned));
            }
            List<String> names = columns.stream().map(Column::name).toList();
            return new Rows(LogicalProject.create(rows.rel(), List.of(), values, names, Set.of()), columns);
        }

        private static SqlType wanted(Target target) {
            SqlType type = SqlType.of(target.declared().type());
            return type == SqlType.OTHER ? SqlType.TEXT : type;
        }

        private Expr.Value assigned(Expr.Value value, Target target, int at) {
            PgType.Declared declared = target.declared();
            SqlType type = SqlType.of(declared.type());
            if (type == SqlType.OTHER) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "INSERT into a column of type " + declared.text() + " is not supported");
            }
            if (!value.type().convertsTo(type, SqlType.Context.ASSIGNMENT)) {
                throw analysis.error(
                                SqlState.DATATYPE_MISMATCH,
                                at,
                                "column \"" + target.name() + "\" is of type " + type.displayName()
                                        + " but expression is of type "
                                        + value.type().displayName())
                        .withHint("You will need to rewrite or cast the expression.");
            }
            boolean isBounded = declared.length() >= 0;
            return analysis.conversions().assigned(value, type, isBounded || type.isArray() ? -1 : declared.typmod());
        }
    }
}
