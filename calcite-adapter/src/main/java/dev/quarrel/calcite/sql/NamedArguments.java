package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionParameters;
import dev.quarrel.core.function.FunctionParameters.Parameter;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/// Analyses calls that give arguments by name, `f(x, b => 2)` and `f(b := 2)`: puts them into the order of the
/// function's parameters, with the default values of those that are left out.
///
/// - Source: PostgreSQL's `parse_func.c` (ParseFuncOrColumn) and `namespace.c` (MatchNamedCall).
final class NamedArguments {
    /// What looks like a function and is none: its arguments have neither names nor VARIADIC.
    static final Set<String> OF_GRAMMAR =
            Set.of("coalesce", "nullif", "greatest", "least", "grouping", "row", "normalize");

    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final FunctionCalls calls;

    NamedArguments(Analysis analysis, ExpressionAnalyzer expressions, FunctionCalls calls) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.calls = calls;
    }

    static boolean in(SqlCall call) {
        return call.getOperandList().stream().anyMatch(NamedArguments::isNamed);
    }

    private static boolean isNamed(SqlNode operand) {
        return operand != null && operand.getKind() == SqlKind.ARGUMENT_ASSIGNMENT;
    }

    private static SqlIdentifier name(SqlNode operand) {
        return ((SqlCall) operand).operand(1);
    }

    /// @param written the function's name as it stands in the statement
    /// @param isQuoted whether it is in quotes, or stands behind a schema's: then no word of the grammar
    Expr call(String function, SqlCall call, boolean isQuoted, int at, String written) {
        List<SqlNode> operands = call.getOperandList();
        if (!isQuoted && OF_GRAMMAR.contains(function)) {
            SqlNode first = operands.stream()
                    .filter(NamedArguments::isNamed)
                    .findFirst()
                    .orElseThrow();
            throw Positions.syntaxError(analysis.text(), analysis.operatorAfter(name(first)));
        }
        List<Expr> arguments = new ArrayList<>();
        for (SqlNode operand : operands) {
            arguments.add(expressions.analyze(isNamed(operand) ? ((SqlCall) operand).operand(0) : operand));
        }
        List<String> names = names(operands);
        if (analysis.functions().aggregate(function) != null || AggregateTable.windowOnly(function) != null) {
            throw analysis.error(SqlState.FEATURE_NOT_SUPPORTED, at, "aggregates cannot use named arguments");
        }
        int positional = arguments.size() - names.size();
        Map<Signature, Match> matches = new LinkedHashMap<>();
        for (FunctionParameters parameters : FunctionParameters.named(function)) {
            Match match = Match.of(parameters, positional, names);
            if (match != null && match.isPolymorphic()) {
                return calls.function(function, ordered(match, arguments, at), at, written);
            }
            if (match != null) {
                matches.put(match.signature(function), match);
            }
        }
        List<SqlType> types = FunctionCalls.types(arguments);
        Overloads.Choice choice = Overloads.function(List.copyOf(matches.keySet()), types);
        if (choice.signature() == null) {
            String described = described(written, types, positional, names);
            if (matches.isEmpty() && FunctionTable.reasonDeclined(function) != null) {
                throw calls.declined(function, described, at);
            }
            throw calls.noFunction(described, choice.ambiguous(), at);
        }
        return calls.function(function, ordered(matches.get(choice.signature()), arguments, at), at, written);
    }

    /// The names that are given, of the last arguments.
    ///
    /// - Errors: 42601 for one that is given twice, and for an argument without a name behind one that has one.
    private List<String> names(List<SqlNode> operands) {
        List<String> names = new ArrayList<>();
        for (SqlNode operand : operands) {
            if (isNamed(operand)) {
                String name = name(operand).getSimple();
                if (names.contains(name)) {
                    throw analysis.error(
                            SqlState.SYNTAX_ERROR,
                            Positions.start(name(operand)),
                            "argument name \"" + name + "\" used more than once");
                }
                names.add(name);
            } else if (!names.isEmpty()) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        Positions.start(operand),
                        "positional argument cannot follow named argument");
            }
        }
        return names;
    }

    /// `f(integer, b => text)`
    private static String described(String written, List<SqlType> types, int positional, List<String> names) {
        List<String> arguments = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            String name = index < positional ? "" : names.get(index - positional) + " => ";
            arguments.add(name + types.get(index).displayName());
        }
        return written + "(" + String.join(", ", arguments) + ")";
    }

    /// The arguments in the order of the parameters, of their types unless these are polymorphic.
    private List<Expr> ordered(Match match, List<Expr> arguments, int at) {
        List<Expr> ordered = new ArrayList<>();
        for (int index = 0; index < match.places().size(); index++) {
            Parameter parameter = match.parameters().get(index);
            int place = match.places().get(index);
            Expr argument = place < 0 ? new Expr.Text(parameter.standIn(), at) : arguments.get(place);
            ordered.add(
                    parameter.type().isPolymorphic()
                            ? argument
                            : analysis.conversions().implicit(argument, SqlType.of(parameter.type())));
        }
        return ordered;
    }

    /// A function that takes the arguments, as far as their names say.
    ///
    /// @param places which argument each parameter takes; -1 for its default value
    private record Match(List<Parameter> parameters, List<Integer> places) {
        /// Null where the names do not match.
        static Match of(FunctionParameters function, int positional, List<String> names) {
            List<Parameter> parameters = function.list();
            if (parameters.size() < positional + names.size() || function.isVariadic()) {
                return null;
            }
            List<Integer> places = new ArrayList<>();
            Set<String> left = new HashSet<>(names);
            for (int index = 0; index < parameters.size(); index++) {
                Parameter parameter = parameters.get(index);
                int named = names.indexOf(parameter.name());
                if (index < positional) {
                    places.add(index);
                } else if (named >= 0) {
                    places.add(positional + named);
                    left.remove(parameter.name());
                } else if (parameter.standIn() != null) {
                    places.add(-1);
                } else {
                    return null;
                }
            }
            return left.isEmpty() ? new Match(parameters, places) : null;
        }

        boolean isPolymorphic() {
            return parameters.stream().anyMatch(each -> each.type().isPolymorphic());
        }

        /// The function as one of the arguments in the order in which the call has them.
        Signature signature(String function) {
            SqlType[] types =
                    new SqlType[(int) places.stream().filter(each -> each >= 0).count()];
            for (int index = 0; index < places.size(); index++) {
                if (places.get(index) >= 0) {
                    types[places.get(index)] = SqlType.of(parameters.get(index).type());
                }
            }
            return new Signature(function, List.of(types), SqlType.UNKNOWN, null);
        }
    }
}
