package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.JsonForm;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Turns values of any type into json or jsonb: each by the text that the session shows, in the form of its type.
///
/// - Source: PostgreSQL's `jsonfuncs.c` (json_categorize_type).
final class JsonValues {
    /// The least oid of a type that PostgreSQL does not bring along: such a one may have a cast of its own to json.
    private static final int FIRST_OF_USERS = 16_384;

    /// What is to become JSON.
    sealed interface Input {
        SqlType type();

        record One(Expr expr) implements Input {
            @Override
            public SqlType type() {
                return expr.type();
            }
        }

        /// Lists with structs or maps, which are read as JSON.
        record Lists(Expr.Value json) implements Input {
            @Override
            public SqlType type() {
                return SqlType.JSON;
            }
        }

        /// The columns of a row.
        ///
        /// @param present whether there is one; null where there always is
        record Row(List<String> names, List<Input> items, RexNode present) implements Input {
            @Override
            public SqlType type() {
                return SqlType.RECORD;
            }
        }
    }

    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;

    JsonValues(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    /// Analyses an argument, which may be a row: one that is written out, that of an alias of FROM, or a composite
    /// column, whose fields are columns of their own.
    Input input(SqlNode node) {
        Input parts = ofParts(node);
        if (parts != null) {
            return parts;
        }
        Expr expr = expressions.analyze(node);
        if (expr instanceof Expr.Row row && row.isWhole() && node instanceof SqlIdentifier name) {
            SqlIdentifier alias = name.isStar() ? name.skipLast(1) : name;
            return row(row, index -> column(alias, row, index));
        }
        Expr.Row composite = analysis.recordFields().row(expr);
        return composite == null ? input(expr) : composite(node, composite);
    }

    /// What a table's column has in parts: a composite, or lists with such; null for any other value.
    private Input ofParts(SqlNode node) {
        Expr.Value document = expressions.composites().document(node);
        if (document != null) {
            return new Input.Lists(inStyle(document, conversions.resolved(expressions.analyze(node))));
        }
        Expr.Row composite = expressions.composites().row(node);
        return composite == null ? null : composite(node, composite);
    }

    /// The JSON of a value whose text no session may show in a way of its own: that is checked of casts to text.
    private Expr.Value inStyle(Expr.Value document, Expr.Value own) {
        OtherType other = SqlTypes.other(own.rex().getType());
        if (other == null || !other.isStyled()) {
            return document;
        }
        RexNode text = maker.cast(maker.rel(SqlType.TEXT), own.rex());
        RexNode isThere = maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), text);
        RelDataType type = maker.nullable(document.rex().getType(), true);
        return new Expr.Value(
                maker.cases(type, isThere, document.rex(), maker.nullOf(type)), document.type(), document.at());
    }

    /// A column of a FROM item's row.
    private Input column(SqlIdentifier alias, Expr.Row row, int index) {
        SqlNode column = alias.plus(row.name(index), alias.getParserPosition());
        boolean isNamed = Collections.frequency(row.names(), row.name(index)) == 1;
        Input parts = isNamed ? ofParts(column) : null;
        return parts == null ? input(row.items().get(index)) : parts;
    }

    private Input composite(SqlNode node, Expr.Row row) {
        List<Input> items = row.typeNames().stream()
                .map(name -> input(SqlStdOperatorTable.DOT.createCall(
                        node.getParserPosition(), node, new SqlIdentifier(name, node.getParserPosition()))))
                .toList();
        RexNode whole = conversions.output(conversions.resolved(expressions.analyze(node)));
        RexNode present = whole.getType().isNullable()
                ? maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), whole)
                : null;
        return new Input.Row(row.typeNames(), items, present);
    }

    private Input input(Expr expr) {
        return expr instanceof Expr.Row row
                ? row(row, index -> input(row.items().get(index)))
                : new Input.One(expr);
    }

    private Input row(Expr.Row row, IntFunction<Input> item) {
        if (row.mayBeMissing()) {
            throw analysis.unsupported(row.at(), "a whole row that an outer join may leave out");
        }
        List<String> names = new ArrayList<>();
        List<Input> items = new ArrayList<>();
        for (int index = 0; index < row.items().size(); index++) {
            names.add(row.typeName(index));
            items.add(item.apply(index));
        }
        return new Input.Row(names, items, null);
    }

    /// The value as JSON.
    ///
    /// - Errors: 0A000 for a type of whose values Quarrel knows the texts alone, where they may stand otherwise.
    ///
    /// @param type json or jsonb
    RexNode json(Input input, SqlType type) {
        return switch (input) {
            case Input.Row row -> row(row, type, false);
            case Input.Lists(Expr.Value lists) -> json(lists, type);
            case Input.One(Expr expr) -> json(conversions.resolved(expr), type);
        };
    }

    private RexNode json(Expr.Value value, SqlType type) {
        if (isDocument(value.type())) {
            return conversions.convert(value, type, -1).rex();
        }
        requireKnown(value);
        RexNode text = conversions.output(value);
        JsonForm form = form(value);
        if (value.type().isArray()) {
            return called("array_to_" + name(type) + ":" + form.id(), text);
        }
        return form == JsonForm.BARE
                ? maker.cast(maker.rel(type), text)
                : called("to_" + name(type) + ":" + form.id(), text);
    }

    private static boolean isDocument(SqlType type) {
        return type == SqlType.JSON || type == SqlType.JSONB;
    }

    private static String name(SqlType type) {
        return type.pgType().typeName();
    }

    /// The form of the value, or of an array's elements.
    static JsonForm form(Expr.Value value) {
        JsonForm form = JsonForm.of(value.type().pgType());
        boolean isFinite = SqlTypes.dataType(value.rex().getType()) instanceof DataType.Decimal;
        return form == JsonForm.NUMBER && isFinite ? JsonForm.BARE : form;
    }

    /// An enum's text is a string, and so is inet's; a composite is an object, and an extension may say how to cast.
    private void requireKnown(Expr.Value value) {
        OtherType other =
                value.type() == SqlType.OTHER ? SqlTypes.other(value.rex().getType()) : null;
        boolean isKnown = value.type() != SqlType.OTHER
                || other != null
                        && !other.isRow()
                        && !other.name().endsWith("]")
                        && (other.oid() < FIRST_OF_USERS || other.isEnum());
        if (!isKnown) {
            throw analysis.unsupported(value.at(), "JSON of type " + (other == null ? "unknown" : other.name()));
        }
    }

    /// A row as an object.
    ///
    /// @param onLines whether each member is on a line of its own, which a jsonb's is not
    RexNode row(Input.Row row, SqlType type, boolean onLines) {
        List<RexNode> members = new ArrayList<>();
        for (int index = 0; index < row.items().size(); index++) {
            members.add(maker.string(row.names().get(index), maker.rel(SqlType.TEXT)));
            members.add(json(row.items().get(index), type));
        }
        RexNode object = variadic("row_to_" + name(type) + (onLines ? ":pretty" : ""), members);
        RelDataType ofObject = maker.nullable(maker.rel(type), true);
        return row.present() == null
                ? object
                : maker.cases(ofObject, row.present(), object, maker.nullOf(maker.rel(type)));
    }

    /// The value as a member's key.
    ///
    /// - Errors: 22023, when it is computed, for an array, a row or a document.
    RexNode key(Input input) {
        if (input instanceof Input.Row row) {
            return called("json_key:document", maker.cast(maker.rel(SqlType.TEXT), row(row, SqlType.JSON, false)));
        }
        Expr.Value value = input instanceof Input.Lists(Expr.Value lists)
                ? lists
                : conversions.resolved(((Input.One) input).expr());
        requireKnown(value);
        RexNode text = conversions.output(value);
        if (isDocument(value.type()) || value.type().isArray()) {
            return called("json_key:document", text);
        }
        return switch (form(value)) {
            case BOOL, TIMESTAMP, TIMESTAMPTZ ->
                called("json_key:" + form(value).id(), text);
            case BARE, NUMBER, TEXT, JSON -> text;
        };
    }

    /// A call of one of the kernels that make documents.
    RexNode called(String kernel, RexNode... arguments) {
        return CatalogFunction.call(maker, FunctionCatalog.internal(kernel), List.of(arguments));
    }

    /// As [#variadic], of a function that statements may name where there is no rule.
    RexNode built(String function, String rule, List<RexNode> arguments) {
        if (!rule.isEmpty()) {
            return variadic(function + rule, arguments);
        }
        FunctionRow row = FunctionCatalog.named(function).stream()
                .filter(each -> each.isVariadic() == !arguments.isEmpty())
                .findFirst()
                .orElseThrow();
        return FunctionTable.called(row, arguments.size()).build().apply(maker, arguments);
    }

    RexNode variadic(String kernel, List<RexNode> arguments) {
        return FunctionTable.called(FunctionCatalog.internal(kernel), arguments.size())
                .build()
                .apply(maker, arguments);
    }
}
