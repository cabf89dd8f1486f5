package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionParameters;
import dev.quarrel.core.function.FunctionParameters.Parameter;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;

/// Analyses calls with `VARIADIC array`: the array's elements in place of values.
///
/// - Source: PostgreSQL's `parse_func.c`.
final class VariadicCalls {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final FunctionCalls calls;
    private final RexMaker maker;
    private final Conversions conversions;

    VariadicCalls(Analysis analysis, ExpressionAnalyzer expressions, FunctionCalls calls) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.calls = calls;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    static boolean in(SqlCall call) {
        return call.operandCount() > 0 && is(call.getOperandList().getLast());
    }

    private static boolean is(SqlNode operand) {
        return operand instanceof SqlBasicCall last
                && last.getOperator().getName().equals(PostgresOperators.VARIADIC);
    }

    /// What stands behind the word in an operand that begins with it; any other operand.
    static SqlNode value(SqlNode operand) {
        return is(operand) ? ((SqlCall) operand).operand(0) : operand;
    }

    /// - Errors: 42804 for what is no array; 42883 where no function takes the arguments.
    Expr call(String name, SqlCall call, int at, String written) {
        List<SqlNode> operands = call.getOperandList();
        List<Expr> arguments = new ArrayList<>(expressions.analyzeAll(operands.subList(0, operands.size() - 1)));
        Expr array = expressions.analyze(value(operands.getLast()));
        arguments.add(array);
        // concat has no row: it is written as an expression.
        boolean isConcat = name.equals("concat") && arguments.size() == 1;
        boolean isJoined = isConcat || name.equals("concat_ws") && arguments.size() == 2;
        FunctionRow row = FunctionCatalog.ofArray(name, arguments.size());
        boolean takesAny =
                name.equals("concat") || FunctionCatalog.named(name).stream().anyMatch(FunctionRow::isVariadic);
        if (!isJoined && row == null && takesAny) {
            throw calls.noFunction(FunctionCalls.description(written, FunctionCalls.types(arguments)), false, at);
        }
        if (!isJoined && row == null) {
            for (FunctionParameters function : FunctionParameters.named(name)) {
                Expr found = function.isVariadic() ? ofArray(function, arguments, at) : null;
                if (found != null) {
                    return found;
                }
            }
            // PostgreSQL forgets the word where a function takes no number of values.
            return calls.function(name, arguments, at, written);
        }
        if (!array.type().isArray() && array.type() != SqlType.ARRAY) {
            throw analysis.error(SqlState.DATATYPE_MISMATCH, array.at(), "VARIADIC argument must be an array");
        }
        Expr.Value elements = conversions.resolved(array);
        if (isJoined) {
            Expr separator = isConcat
                    ? new Expr.Value(maker.string("", maker.rel(SqlType.TEXT)), SqlType.TEXT, at)
                    : arguments.getFirst();
            return calls.function("array_to_string", List.of(elements, separator), at, name);
        }
        List<RexNode> values = new ArrayList<>();
        for (Expr argument : arguments.subList(0, arguments.size() - 1)) {
            if (!argument.type().convertsTo(SqlType.TEXT, SqlType.Context.IMPLICIT)) {
                throw calls.noFunction(written, FunctionCalls.types(arguments), false, at);
            }
            values.add(conversions.implicit(argument, SqlType.TEXT).rex());
        }
        values.add(conversions.output(elements));
        return new Expr.Value(CatalogFunction.call(maker, row, values), SqlType.of(row.result()), at);
    }

    /// A call of a function of an array of a given type, with values behind its other parameters in place of the
    /// array; null where there is no such function.
    Expr gathered(String name, List<Expr> arguments, int at) {
        for (FunctionParameters function : FunctionParameters.named(name)) {
            int plain = function.list().size() - 1;
            if (!function.isVariadic() || arguments.size() <= plain) {
                continue;
            }
            SqlType array = SqlType.of(function.list().getLast().type());
            List<Expr> values = new ArrayList<>();
            for (Expr value : arguments.subList(plain, arguments.size())) {
                if (!value.type().convertsTo(array.element(), SqlType.Context.IMPLICIT)) {
                    return null;
                }
                values.add(conversions.implicit(value, array.element()));
            }
            List<Expr> gathered = new ArrayList<>(arguments.subList(0, plain));
            gathered.add(conversions
                    .arrays()
                    .value(new Expr.Array(values, arguments.get(plain).at())));
            return ofArray(function, gathered, at);
        }
        return null;
    }

    /// A call of a function that takes an array of a given type; null where it does not take these arguments.
    private Expr ofArray(FunctionParameters function, List<Expr> arguments, int at) {
        List<PgType> types = function.list().stream().map(Parameter::type).toList();
        FunctionRow row = FunctionCatalog.find(function.function(), types).orElse(null);
        boolean isFitting = row != null && arguments.size() == types.size();
        List<RexNode> values = new ArrayList<>();
        for (int index = 0; isFitting && index < types.size(); index++) {
            SqlType type = SqlType.of(types.get(index));
            isFitting = arguments.get(index).type().convertsTo(type, SqlType.Context.IMPLICIT);
            if (isFitting) {
                values.add(conversions.implicit(arguments.get(index), type).rex());
            }
        }
        return isFitting
                ? new Expr.Value(CatalogFunction.call(maker, row, values), SqlType.of(row.result()), at)
                : null;
    }
}
