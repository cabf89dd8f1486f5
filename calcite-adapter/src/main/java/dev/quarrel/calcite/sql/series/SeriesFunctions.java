package dev.quarrel.calcite.sql.series;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;

/// The functions of QuestDB, and TimescaleDB's `time_bucket`, that are expressions in PostgreSQL's own syntax. None of
/// their names is one of PostgreSQL's; a function of the application of that name goes before.
public final class SeriesFunctions {
    private static final Map<String, SeriesFunction> BY_NAME = Stream.of(
                    List.of(SeriesFunction.of("time_bucket", 2, 3, TimeBucketCall::written)),
                    TimeFunctions.ALL,
                    SeriesAggregates.ALL)
            .flatMap(List::stream)
            .collect(Collectors.toUnmodifiableMap(SeriesFunction::name, Function.identity()));

    private SeriesFunctions() {}

    /// A call of one of them.
    ///
    /// @param over the window behind OVER, or null
    /// @param filter the condition in FILTER, or null
    public record Call(SqlCall call, SqlNode over, SqlNode filter) {
        public String name() {
            return call.getOperator().getName();
        }

        /// The expression; null for arguments that the function does not take.
        ///
        /// - Errors: 0A000, 22023 and others for a unit or zone that is none.
        public SqlNode written(SeriesCall.Source source) {
            return BY_NAME.get(name()).form().written(new SeriesCall(this, source));
        }
    }

    static Set<String> names() {
        return BY_NAME.keySet();
    }

    /// Whether a name, in small letters, is that of a function that is made of aggregates.
    public static boolean isAggregate(String name) {
        SeriesFunction function = BY_NAME.get(name);
        return function != null && function.isAggregate();
    }

    /// The call that a node is, with the clauses around it; null for any other node.
    public static Call find(SqlCall node) {
        SqlNode over = null;
        SqlNode filter = null;
        SqlNode inner = node;
        if (inner.getKind() == SqlKind.OVER) {
            over = ((SqlCall) inner).operand(1);
            inner = ((SqlCall) inner).operand(0);
        }
        if (inner.getKind() == SqlKind.FILTER) {
            filter = ((SqlCall) inner).operand(1);
            inner = ((SqlCall) inner).operand(0);
        }
        if (!(inner instanceof SqlBasicCall call)
                || !(call.getOperator() instanceof SqlUnresolvedFunction operator)
                || !operator.getSqlIdentifier().isSimple()) {
            return null;
        }
        SeriesFunction function = BY_NAME.get(operator.getName());
        boolean isCall = function != null
                && call.operandCount() >= function.least()
                && call.operandCount() <= function.most()
                && call.getFunctionQuantifier() == null
                && call.getOperandList().stream().allMatch(SeriesFunctions::isValue);
        return isCall && (function.isAggregate() || over == null && filter == null)
                ? new Call(call, over, filter)
                : null;
    }

    private static boolean isValue(SqlNode argument) {
        return argument.getKind() != SqlKind.ARGUMENT_ASSIGNMENT
                && !(argument instanceof SqlIdentifier name && name.isStar());
    }
}
