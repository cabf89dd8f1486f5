package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.ScalarFunctionOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/// Analyses TABLESAMPLE: each row is in the sample by chance, one independently of another. SYSTEM, which takes whole
/// pages of a table in PostgreSQL, does as BERNOULLI does, since the rows of files lie in none.
///
/// - Source: PostgreSQL's transformRangeTableSample in `parse_clause.c`, `nodeSamplescan.c` and `bernoulli.c`.
final class TableSamples {
    private static final Set<String> METHODS = Set.of("bernoulli", "system");
    private static final double PERCENT = 100;

    private final Analysis analysis;
    private final RexMaker maker;
    private final Scope scope;

    /// @param scope of the query in whose FROM the sample stands
    TableSamples(Analysis analysis, Scope scope) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.scope = scope;
    }

    /// @param whole the table
    ///
    /// - Errors: 42704 for another method, 2202H for what is no percentage, 0A000 for one that is no constant,
    ///   and for REPEATABLE: the rows of a sample would have to be PostgreSQL's.
    FromItem of(SqlCall sample, FromItem whole) {
        if (whole.entries().size() != 1 || !(whole.entries().getFirst().row() instanceof Scope.Whole.OfTable)) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    Positions.start(sample.operand(0)),
                    "TABLESAMPLE clause can only be applied to tables and materialized views");
        }
        SqlIdentifier method = sample.operand(1);
        String name = method.names.getLast();
        int at = Positions.start(method);
        if (!METHODS.contains(name)) {
            throw analysis.error(
                    SqlState.UNDEFINED_OBJECT,
                    at,
                    "tablesample method " + String.join(".", method.names) + " does not exist");
        }
        SqlNodeList arguments = sample.operand(2);
        if (arguments.size() != 1) {
            throw analysis.error(
                    SqlState.INVALID_TABLESAMPLE_ARGUMENT,
                    at,
                    "tablesample method " + name + " requires 1 argument, not " + arguments.size());
        }
        Double percentage = number(arguments.get(0), "TABLESAMPLE");
        Double seed = sample.operand(3) == null ? Double.valueOf(0) : number(sample.operand(3), "REPEATABLE");
        if (percentage == null) {
            throw new QueryException(SqlState.INVALID_TABLESAMPLE_ARGUMENT, "TABLESAMPLE parameter cannot be null");
        }
        if (seed == null) {
            throw new QueryException(
                    SqlState.INVALID_TABLESAMPLE_REPEAT, "TABLESAMPLE REPEATABLE parameter cannot be null");
        }
        if (!(percentage >= 0 && percentage <= PERCENT)) {
            throw new QueryException(
                    SqlState.INVALID_TABLESAMPLE_ARGUMENT, "sample percentage must be between 0 and 100");
        }
        if (percentage == PERCENT) {
            return whole;
        }
        boolean isEmpty = percentage == 0;
        if (!isEmpty && sample.operand(3) != null) {
            throw analysis.unsupported(Positions.start(sample.operand(3)), "REPEATABLE");
        }
        RelNode rel = isEmpty
                ? LogicalValues.createEmpty(
                        analysis.context().cluster(), whole.rel().getRowType())
                : LogicalFilter.create(whole.rel(), isChosen(percentage / PERCENT));
        return new FromItem(rel, whole.entries(), whole.visible());
    }

    private RexNode isChosen(double share) {
        ScalarFunctionOperator operator = ScalarFunctionOperator.random(new ScalarFunction(
                "tablesample",
                List.of(PgType.INT4),
                PgType.BOOL,
                true,
                (_, _) -> ThreadLocalRandom.current().nextDouble() < share));
        return maker.volatileCall(operator, maker.bool(), List.of());
    }

    /// A constant; null for NULL.
    private Double number(SqlNode node, String what) {
        Scope arguments = new Scope(scope.parent(), scope.link(), scope.withQueries());
        Select select = new Select(0, null);
        select.enter(Select.Clause.FUNCTION);
        RelNode oneRow = LogicalValues.createOneRow(analysis.context().cluster());
        arguments.setFrom(new FromItem(oneRow, List.of(), List.of()));
        arguments.setSelect(select);
        Expr expr = new ExpressionAnalyzer(analysis, arguments).analyze(node);
        if (!expr.type().convertsTo(SqlType.FLOAT8, SqlType.Context.ASSIGNMENT)) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    expr.at(),
                    "argument of " + what + " must be type "
                            + (what.equals("REPEATABLE") ? "double precision" : "real") + ", not type "
                            + expr.type().displayName());
        }
        RexNode value = analysis.conversions().implicit(expr, SqlType.FLOAT8).rex();
        while (value instanceof RexCall call && call.getKind() == SqlKind.CAST) {
            value = call.getOperands().getFirst();
        }
        if (!(value instanceof RexLiteral literal)) {
            throw analysis.unsupported(expr.at(), what + " of a number that is no constant");
        }
        if (literal.isNull()) {
            return null;
        }
        return switch (literal.getValue()) {
            case BigDecimal number -> number.doubleValue();
            case Double number -> number;
            default -> Double.valueOf(literal.getValueAs(String.class));
        };
    }
}
