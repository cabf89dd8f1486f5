package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Collations;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.PostgresTypeSystem;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;

/// Analyses the arguments of aggregate calls and converts them to the types of the signature that those types
/// select.
///
/// - Source: PostgreSQL's `parse_func.c` (ParseFuncOrColumn).
final class AggregateArguments {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;

    AggregateArguments(Analysis analysis, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    /// The converted arguments, and the type of the aggregate's result.
    ///
    /// @param result the NOT NULL RelDataType of what the aggregate, or its proxy, gives
    /// @param exprs the arguments before implicit conversions; none where they are the values
    /// @param proxy what computes the aggregate, where it is another one over other values
    record Converted(List<RexNode> values, SqlType type, RelDataType result, List<Expr> exprs, ProxyAggregate proxy) {
        Converted(List<RexNode> values, SqlType type, RelDataType result) {
            this(values, type, result, List.of(), ProxyAggregate.NONE);
        }

        Converted writtenAs(List<? extends Expr> newExprs) {
            return new Converted(values, type, result, List.copyOf(newExprs), proxy);
        }

        Converted withValues(List<RexNode> newValues) {
            return new Converted(newValues, type, result, exprs, proxy);
        }

        /// The same over keys, in place of the first value.
        ///
        /// @param collation null for the values themselves
        Converted orderedBy(Collation collation, Collations collations) {
            if (collation == null) {
                return this;
            }
            List<RexNode> keys = new ArrayList<>(values);
            keys.set(0, collations.key(values.getFirst(), collation));
            return new Converted(
                    keys,
                    type,
                    collations.keyType(),
                    exprs,
                    ProxyAggregate.ofKeys(key -> collations.text(key, result)));
        }

        /// The values before implicit conversions; null in place of one without a type of its own.
        List<RexNode> written() {
            return exprs.isEmpty()
                    ? values
                    : exprs.stream()
                            .map(expr -> expr instanceof Expr.Value value ? value.rex() : null)
                            .toList();
        }

        /// Which argument an expression is, as it is written: a conversion that changes no value makes another one.
        /// Negative for none.
        int indexOf(Expr.Value written) {
            int index = written().indexOf(written.rex());
            boolean isOther = index >= 0
                    && !exprs.isEmpty()
                    && exprs.get(index) instanceof Expr.Value value
                    && value.type() != written.type();
            return isOther ? -1 : index;
        }

        /// The result.
        ///
        /// @param reference to what the aggregate gives
        Expr.Value value(RexNode reference, int at, Collations collations) {
            return collations.collated(new Expr.Value(proxy.result(reference), type, at), exprs);
        }
    }

    Converted of(String name, WrittenCall written, int at) {
        if (written.within()) {
            List<SqlType> types = FunctionCalls.types(expressions.analyzeAll(written.inputs()));
            Map<Signature, AggregateFunction> added = analysis.functions().addedAggregates(name);
            List<Signature> known =
                    added.isEmpty() ? AggregateTable.aggregateSignatures(name) : List.copyOf(added.keySet());
            throw Overloads.function(known, types).signature() == null
                    ? expressions.calls().noFunction(name, types, false, at)
                    : analysis.error(
                            SqlState.WRONG_OBJECT_TYPE,
                            at,
                            name + " is not an ordered-set aggregate, so it cannot have WITHIN GROUP");
        }
        return of(name, written.call(), at);
    }

    Converted of(String name, SqlCall call, int at) {
        if (name.equals("count") && call.operandCount() <= 1) {
            return ofCount(call, at);
        }
        if (WrittenCall.isStar(call)) {
            throw expressions.calls().noFunction(name, List.of(), false, at);
        }
        if (name.equals("array_agg") && call.operandCount() == 1) {
            return ofArrays(expressions.analyze(call.operand(0)), at);
        }
        if (name.equals("any_value") && call.operandCount() == 1) {
            return ofAny(expressions.analyze(call.operand(0)));
        }
        boolean isByTime = AggregateTable.aggregate(name) instanceof AggregateFunction function
                && function.kind().isByTime()
                && analysis.functions().addedAggregates(name).isEmpty();
        if (isByTime && (call.operandCount() == 1 || call.operandCount() == 2)) {
            return ofTime(call, at);
        }
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        boolean isExtreme = name.equals("min") || name.equals("max");
        OtherType labels = isExtreme && exprs.size() == 1 ? OtherTypes.enumOf(exprs.getFirst()) : null;
        if (labels != null) {
            RexNode place = OtherTypes.place(maker, ((Expr.Value) exprs.getFirst()).rex());
            return new Converted(
                    List.of(place),
                    SqlType.OTHER,
                    maker.rel(SqlType.INT4),
                    List.of(),
                    ProxyAggregate.ofPlaces(labels, maker));
        }
        if (isExtreme
                && exprs.size() == 1
                && exprs.getFirst() instanceof Expr.Value value
                && SqlTypes.isKeyedRow(value.rex().getType())) {
            return ofRows(value);
        }
        List<SqlType> types = FunctionCalls.types(exprs);
        Map<Signature, AggregateFunction> added = analysis.functions().addedAggregates(name);
        List<Signature> known =
                added.isEmpty() ? AggregateTable.aggregateSignatures(name) : List.copyOf(added.keySet());
        Overloads.Choice choice = Overloads.function(known, types);
        Signature signature = choice.signature();
        if (signature == null) {
            throw expressions.calls().noFunction(name, types, choice.ambiguous(), at);
        }
        if (!added.isEmpty()) {
            return ofAdded(added.get(signature), signature, exprs);
        }
        RexNode value =
                conversions.implicit(exprs.get(0), signature.arguments().get(0)).rex();
        if (isExtreme
                && signature.result().isKeyed()
                && !signature.result().isEqualAsText()
                && signature.result() != SqlType.WIDE_NUMERIC) {
            throw analysis.unsupported(
                    at, name + " of type " + signature.result().displayName());
        }
        if (exprs.size() > 1) {
            RexNode other = conversions
                    .implicit(exprs.get(1), signature.arguments().get(1))
                    .rex();
            return new Converted(List.of(value, other), signature.result(), maker.rel(signature.result()))
                    .writtenAs(exprs);
        }
        Converted one = ofOne(name, value, signature.result()).writtenAs(exprs);
        Collation order = isExtreme ? analysis.collations().comparing(exprs, at) : null;
        if (order != null && one.type().isArray()) {
            throw analysis.collations().noOrderOfArrays(order, at);
        }
        return one.orderedBy(order, analysis.collations());
    }

    /// An aggregate of the application's.
    private Converted ofAdded(AggregateFunction function, Signature signature, List<Expr> exprs) {
        List<RexNode> values = new ArrayList<>();
        for (int index = 0; index < exprs.size(); index++) {
            values.add(conversions
                    .implicit(exprs.get(index), signature.arguments().get(index))
                    .rex());
        }
        return new Converted(
                values, signature.result(), maker.rel(signature.result()), exprs, ProxyAggregate.ofAdded(function));
    }

    private Converted ofCount(SqlCall call, int at) {
        if (call.operandCount() == 0) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE, at, "count(*) must be used to call a parameterless aggregate function");
        }
        List<RexNode> values = new ArrayList<>();
        if (!WrittenCall.isStar(call)) {
            Expr argument = expressions.analyze(call.operand(0));
            if (argument instanceof Expr.Row row) {
                RexNode presence =
                        row.mayBeMissing() && !WrittenCall.plain(call).isDistinct()
                                ? CountedRows.presence(call.operand(0), expressions.scope(), maker)
                                : null;
                if (row.mayBeMissing() && presence == null) {
                    throw analysis.unsupported(row.at(), "count of a row that an outer join may not have");
                }
                // A row that is there is never NULL, whatever is in it.
                values.add(presence == null ? maker.literal(true) : presence);
                if (WrittenCall.plain(call).isDistinct()) {
                    addItems(row, values);
                }
            } else {
                Expr.Value value = conversions.resolved(argument);
                return new Converted(List.of(value.rex()), SqlType.INT8, maker.rel(SqlType.INT8))
                        .writtenAs(List.of(value));
            }
        }
        return new Converted(values, SqlType.INT8, maker.rel(SqlType.INT8));
    }

    /// - Errors: 42883 for a literal without a type, which has no order.
    private void addItems(Expr.Row row, List<RexNode> values) {
        for (Expr item : row.items()) {
            if (item instanceof Expr.Row inner) {
                addItems(inner, values);
            } else if (item.type() == SqlType.UNKNOWN) {
                throw new QueryException(
                        SqlState.UNDEFINED_FUNCTION, "could not identify a comparison function for type unknown");
            } else {
                values.add(conversions.resolved(item).rex());
            }
        }
    }

    /// @param type that the signature says; its RelDataType may hang on the argument's
    private Converted ofOne(String name, RexNode value, SqlType type) {
        ProxyAggregate proxy = ProxyAggregate.of(name, SqlType.of(SqlTypes.pgType(value.getType())), type, maker);
        if (proxy != ProxyAggregate.NONE) {
            RexNode seen = proxy.argument(value);
            return new Converted(List.of(seen), type, proxy.type(seen), List.of(), proxy);
        }
        RelDataType argument = maker.nullable(value.getType(), false);
        if (AggregateTable.aggregate(name) instanceof AggregateFunction ours && ours.argumentCount() > 1) {
            RexNode registers = maker.integer(AggregateTable.SKETCH_REGISTER_BITS, SqlType.INT4);
            return new Converted(List.of(value, registers), type, maker.rel(type));
        }
        RelDataType result =
                switch (name) {
                    case "sum" -> PostgresTypeSystem.INSTANCE.deriveSumType(maker.factory(), argument);
                    case "avg" -> PostgresTypeSystem.INSTANCE.deriveAvgAggType(maker.factory(), argument);
                    default ->
                        AggregateTable.aggregate(name) instanceof AggregateFunction ours
                                ? ours.resultType(maker.factory(), argument)
                                : argument;
                };
        return new Converted(List.of(value), type, result);
    }

    /// - Errors: 42804 for what has no type of its own.
    private Converted ofAny(Expr written) {
        if (written.type() == SqlType.UNKNOWN) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "could not determine polymorphic type because input has type unknown");
        }
        Expr.Value value = conversions.resolved(written);
        return new Converted(
                        List.of(value.rex()),
                        value.type(),
                        maker.nullable(value.rex().getType(), false))
                .writtenAs(List.of(value));
    }

    /// `first(value, time)`; without a time it is FROM's designated timestamp.
    private Converted ofTime(SqlCall call, int at) {
        Converted value = ofAny(expressions.analyze(call.operand(0)));
        Expr.Value time;
        if (call.operandCount() == 2) {
            time = conversions.resolved(expressions.analyze(call.operand(1)));
        } else {
            Scope.FromItem from = expressions.scope().from();
            Scope.Visible column = NearestJoin.designatedColumn(analysis, from);
            time = column.value(maker.builder().makeInputRef(from.rel(), column.firstIndex()), at);
        }
        if (!AggregateKind.FIRST.takesInPlace(
                DataType.INT64, SqlTypes.dataType(time.rex().getType()))) {
            throw analysis.unsupported(
                    at,
                    "the first or last value by a time of type " + time.type().displayName());
        }
        return value.withValues(List.of(value.values().getFirst(), time.rex()));
    }

    /// The least or greatest of composites, which PostgreSQL has as a record, or of arrays of them.
    private Converted ofRows(Expr.Value value) {
        RelDataType own = maker.nullable(value.rex().getType(), false);
        analysis.collations().orderRows(own);
        OtherType rows = SqlTypes.other(own);
        OtherType record = OtherType.RECORD;
        ProxyAggregate proxy = ProxyAggregate.ofRows(
                rows.isRow()
                        ? SqlTypes.relType(
                                maker.factory(),
                                new OtherType(
                                        record.oid(), record.name(), List.of(), rows.isStyled(), true, rows.fields()))
                        : own,
                maker);
        RexNode seen = proxy.argument(value.rex());
        return new Converted(List.of(seen), SqlType.OTHER, proxy.type(seen), List.of(value), proxy);
    }

    private Converted ofArrays(Expr element, int at) {
        if (element.type() == SqlType.UNKNOWN) {
            throw expressions.calls().noFunction("array_agg", List.of(SqlType.UNKNOWN), true, at);
        }
        Expr.Value value = conversions.resolved(element);
        if (value.type() == SqlType.OTHER
                && SqlTypes.other(value.rex().getType()).isRow()) {
            ProxyAggregate proxy = ProxyAggregate.ofElements(
                    expressions.arrays().arrayType(value.rex().getType()), maker);
            RexNode text = proxy.argument(value.rex());
            return new Converted(List.of(text), SqlType.OTHER, maker.rel(SqlType.TEXT_ARRAY), List.of(value), proxy);
        }
        // Arrays have as many dimensions as they have, whatever their type.
        SqlType type = value.type().isArray() ? value.type() : value.type().array();
        if (type == null) {
            throw analysis.unsupported(at, "function " + FunctionCalls.description("array_agg", List.of(value.type())));
        }
        return new Converted(List.of(value.rex()), type, maker.rel(type)).writtenAs(List.of(value));
    }
}
