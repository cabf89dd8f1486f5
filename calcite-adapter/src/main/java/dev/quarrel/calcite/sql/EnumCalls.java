package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.OtherType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;

/// Analyses the functions of enums, whose answers hang on the type alone, or on constants.
///
/// - Source: PostgreSQL's `enum.c`.
final class EnumCalls {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final FunctionCalls calls;
    private final RexMaker maker;

    EnumCalls(Analysis analysis, ExpressionAnalyzer expressions, FunctionCalls calls) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.calls = calls;
        this.maker = analysis.maker();
    }

    /// `enum_first(x)`, `enum_last(x)`, `enum_range(x)` and `enum_range(x, y)`, whose x tell the type.
    ///
    /// - Errors: 42883 for what is no enum.
    Expr call(String name, SqlCall call, int at) {
        List<Expr> arguments = expressions.analyzeAll(call.getOperandList());
        boolean isRange = name.equals("enum_range") && arguments.size() == 2;
        List<SqlType> types = FunctionCalls.types(arguments);
        if (arguments.size() != 1 && !isRange) {
            throw calls.noFunction(FunctionCalls.description(name, types), false, at);
        }
        OtherType type = arguments.stream()
                .map(OtherTypes::enumOf)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (type == null) {
            throw calls.noFunction(FunctionCalls.description(name, types), false, at);
        }
        List<String> labels = type.labels();
        return switch (name) {
            case "enum_first" -> label(labels.getFirst(), type, at);
            case "enum_last" -> label(labels.getLast(), type, at);
            default -> {
                int first = isRange ? bound(arguments.getFirst(), type, 0) : 0;
                int last = isRange ? bound(arguments.getLast(), type, labels.size() - 1) : labels.size() - 1;
                List<Expr> range = new ArrayList<>();
                for (int place = first; place <= last; place++) {
                    range.add(label(labels.get(place), type, at));
                }
                yield new Expr.Array(range, SqlType.OTHER, at);
            }
        };
    }

    private Expr.Value label(String text, OtherType type, int at) {
        return new Expr.Value(maker.string(text, SqlTypes.relType(maker.factory(), type)), SqlType.OTHER, at);
    }

    /// The place of a range's end.
    ///
    /// - Errors: 42883 for one of another type, 0A000 for what is no constant.
    private int bound(Expr end, OtherType type, int open) {
        Expr.Value value = analysis.commonTypes()
                .unified(List.of(end, label(type.labels().getFirst(), type, end.at())), SqlType.OTHER, "enum_range")
                .getFirst();
        if (!(value.rex() instanceof RexLiteral literal)) {
            throw analysis.unsupported(end.at(), "enum_range of values that are no constants");
        }
        return literal.isNull() ? open : type.labels().indexOf(literal.getValueAs(String.class));
    }

    /// Whether an expression may be an enum's array, by its looks: analysing it twice may count an aggregate twice.
    private static boolean isOfEnums(SqlNode node) {
        if (node.getKind() == SqlKind.CAST
                && ((SqlCall) node).operand(1) instanceof SqlDataTypeSpec type
                && type.getTypeNameSpec() instanceof PostgresTypeName name) {
            return SqlType.byName(name.name()) == null;
        }
        return node instanceof SqlCall call
                && call.getOperator() instanceof SqlUnresolvedFunction function
                && function.getSqlIdentifier().names.getLast().equals("enum_range");
    }

    /// `unnest(array)` of an enum's values that are written out; null for any other call.
    Expr unnest(SqlCall call, int at) {
        if (call.operandCount() != 1
                || !isOfEnums(call.operand(0))
                || !(expressions.open(call.operand(0)) instanceof Expr.Array array)) {
            return null;
        }
        OtherType type = array.items().stream()
                .map(OtherTypes::enumOf)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (type == null) {
            return null;
        }
        List<Expr> texts = new ArrayList<>();
        for (Expr item : array.items()) {
            texts.add(new Expr.Value(analysis.conversions().text(item), SqlType.TEXT, item.at()));
        }
        Expr.Value rows = (Expr.Value) calls.function(
                "unnest",
                List.of(analysis.conversions().arrays().value(new Expr.Array(texts, SqlType.TEXT, at))),
                at,
                "unnest");
        RexCall called = (RexCall) rows.rex();
        RelDataType rel = maker.nullable(SqlTypes.relType(maker.factory(), type), true);
        RowsOperator operator = (RowsOperator) called.getOperator();
        return new Expr.Value(maker.builder().makeCall(rel, operator, called.getOperands()), SqlType.OTHER, at);
    }
}
