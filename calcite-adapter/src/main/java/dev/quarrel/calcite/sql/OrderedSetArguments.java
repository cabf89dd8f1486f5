package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.AggregateArguments.Converted;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/// Analyses the arguments of ordered-set aggregates, whose input WITHIN GROUP sorts: percentile_cont,
/// percentile_disc and mode.
///
/// - Source: PostgreSQL's `parse_func.c` (ParseFuncOrColumn) and `orderedsetaggs.c`.
final class OrderedSetArguments {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final DirectArguments direct;
    private final RexMaker maker;
    private final Conversions conversions;

    OrderedSetArguments(Analysis analysis, ExpressionAnalyzer expressions, DirectArguments direct) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.direct = direct;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    /// The value that WITHIN GROUP orders, and behind it the direct argument.
    Converted of(String name, WrittenCall written, int at) {
        written.requireAll(analysis);
        List<Expr> exprs = new ArrayList<>(direct.analyze(written.call().getOperandList()));
        if (written.within()) {
            exprs.addAll(expressions.analyzeAll(written.keys()));
        }
        List<SqlType> types = FunctionCalls.types(exprs);
        boolean isMode = name.equals("mode");
        if (exprs.size() != (isMode ? 1 : 2)) {
            throw expressions.calls().noFunction(name, types, false, at);
        }
        // What is unknown is taken for what is known, and that may be neither a fraction nor several.
        if (name.equals("percentile_disc")
                && types.getFirst() == SqlType.UNKNOWN
                && !types.getLast().convertsTo(SqlType.FLOAT8, SqlType.Context.IMPLICIT)) {
            throw expressions.calls().noFunction(name, types, true, at);
        }
        if (!written.within() || written.order().size() != 1) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE, at, "WITHIN GROUP is required for ordered-set aggregate " + name);
        }
        Expr.Value value = name.equals("percentile_cont")
                ? continuous(name, exprs.getLast(), types, at)
                : conversions.resolved(exprs.getLast());
        if (isMode) {
            RelDataType type = maker.nullable(value.rex().getType(), false);
            return ordered(new Converted(List.of(value.rex()), value.type(), type), value);
        }
        return types.getFirst() == SqlType.ARRAY || types.getFirst().isArray()
                ? ofFractions(name, exprs, value, at)
                : ofFraction(name, exprs, value, at);
    }

    /// What percentile_cont can take a value between of: numbers and intervals.
    private Expr.Value continuous(String name, Expr value, List<SqlType> types, int at) {
        boolean isSpan =
                value.type() != SqlType.UNKNOWN && value.type().convertsTo(SqlType.INTERVAL, SqlType.Context.IMPLICIT);
        SqlType wanted = isSpan ? SqlType.INTERVAL : SqlType.FLOAT8;
        if (!value.type().convertsTo(wanted, SqlType.Context.IMPLICIT)) {
            throw expressions.calls().noFunction(name, types, false, at);
        }
        return conversions.implicit(value, wanted);
    }

    private Converted ofFraction(String name, List<Expr> exprs, Expr.Value value, int at) {
        Expr direct = exprs.getFirst();
        if (!direct.type().convertsTo(SqlType.FLOAT8, SqlType.Context.IMPLICIT)) {
            throw expressions.calls().noFunction(name, FunctionCalls.types(exprs), false, at);
        }
        RexNode fraction = conversions.implicit(direct, SqlType.FLOAT8).rex();
        RelDataType type = maker.nullable(value.rex().getType(), false);
        return ordered(new Converted(List.of(value.rex(), fraction), value.type(), type), value);
    }

    /// By the value's collation.
    private Converted ordered(Converted converted, Expr.Value value) {
        return converted
                .writtenAs(List.of(value))
                .orderedBy(analysis.collations().sorting(value), analysis.collations());
    }

    private Converted ofFractions(String name, List<Expr> exprs, Expr.Value value, int at) {
        SqlType array = value.type().array();
        if (array == null) {
            throw analysis.unsupported(at, "function " + FunctionCalls.description(name, FunctionCalls.types(exprs)));
        }
        if (analysis.collations().sorting(value) != null) {
            throw analysis.unsupported(at, "several fractions of texts that ICU orders");
        }
        List<RexNode> values = List.of(value.rex(), fractions(exprs.getFirst(), name));
        return new Converted(values, array, maker.rel(array));
    }

    /// The array of fractions as the text of a float8[].
    ///
    /// - Errors: 0A000 where it is neither written out in constants nor the same for all rows, as a parameter is.
    private RexNode fractions(Expr array, String name) {
        List<Expr> items = array instanceof Expr.Array(List<Expr> written, SqlType _, int _)
                ? written
                : array instanceof Expr.Value value ? conversions.arrays().items(value) : null;
        if (items != null) {
            int at = array.at();
            List<String> texts = new ArrayList<>();
            for (Expr item : items) {
                RexNode fraction = conversions.implicit(item, SqlType.FLOAT8).rex();
                if (!(fraction instanceof RexLiteral literal)) {
                    throw analysis.unsupported(at, "fractions of " + name + " that are no constants");
                }
                texts.add(
                        literal.isNull()
                                ? null
                                : PgText.text(new Literal(DataType.FLOAT64, literal.getValueAs(Double.class))));
            }
            return maker.string(ArrayText.format(texts), maker.rel(SqlType.FLOAT8_ARRAY));
        }
        if (array.type().convertsTo(SqlType.FLOAT8_ARRAY, SqlType.Context.IMPLICIT)) {
            RexNode fractions =
                    conversions.implicit(array, SqlType.FLOAT8_ARRAY).rex();
            if (RexUtil.isConstant(fractions)) {
                return fractions;
            }
        }
        throw analysis.unsupported(array.at(), "fractions of " + name + " that are not written out");
    }
}
