package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonTable;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.parse.TableFunction;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.json.JsonOutcome;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses functions in FROM that make rows of several columns of a document: a function of one column below, and
/// expressions that make the columns of it.
///
/// - Source: PostgreSQL's `jsonfuncs.c` (each_worker, populate_recordset_worker, populate_record_field).
final class JsonRecords {
    private static final Set<String> EACH = Set.of("json_each", "jsonb_each", "json_each_text", "jsonb_each_text");
    private static final Set<String> RECORDS =
            Set.of("json_to_record", "jsonb_to_record", "json_to_recordset", "jsonb_to_recordset");

    private static final Set<String> POPULATED = Set.of(
            "json_populate_record", "jsonb_populate_record", "json_populate_recordset", "jsonb_populate_recordset");
    private static final String OPTIONS = "pg_options_to_table";
    private static final String VALID = "jsonb_populate_record_valid";

    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final JsonValues values;

    JsonRecords(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.values = new JsonValues(analysis, scope, expressions);
    }

    /// A column of the rows.
    ///
    /// @param value makes it of the column below
    record Output(Column column, UnaryOperator<RexNode> value) {}

    /// @param below the function, or value, of one column
    record Rows(Expr.Value below, List<Output> outputs) {}

    static boolean isFor(SqlNode node) {
        if (node instanceof JsonTable) {
            return true;
        }
        if (!(node instanceof SqlCall call) || !(call.getOperator() instanceof SqlUnresolvedFunction function)) {
            return false;
        }
        SqlIdentifier name = function.getSqlIdentifier();
        boolean isOurs = name.isSimple() || name.names.getFirst().equals("pg_catalog") && name.names.size() == 2;
        String last = name.names.getLast();
        return isOurs
                && (EACH.contains(last) || RECORDS.contains(last) || POPULATED.contains(last) || last.equals(OPTIONS));
    }

    /// Whether it is a function that fills a row's fields in.
    static boolean isPopulation(String name) {
        return POPULATED.contains(name) || name.equals(VALID);
    }

    /// @param select of the arguments, which counts functions that give rows
    Rows analyze(SqlCall call, TableFunction node, Select select) {
        if (call instanceof JsonTable table) {
            return new JsonTables(analysis, scope, expressions).analyze(table, select);
        }
        String name = ((SqlUnresolvedFunction) call.getOperator())
                .getSqlIdentifier()
                .names
                .getLast();
        int at = Positions.start(call);
        if (POPULATED.contains(name)) {
            return populatedRows(name, call, node, select, at);
        }
        boolean isOptions = name.equals(OPTIONS);
        SqlType type =
                isOptions ? SqlType.of(PgType.TEXT_ARRAY) : name.startsWith("jsonb") ? SqlType.JSONB : SqlType.JSON;
        List<Expr> arguments = expressions.analyzeAll(call.getOperandList());
        if (arguments.size() != 1 || !arguments.getFirst().type().convertsTo(type, SqlType.Context.IMPLICIT)) {
            throw analysis.error(
                    SqlState.UNDEFINED_FUNCTION,
                    at,
                    "function " + FunctionCalls.description(name, FunctionCalls.types(arguments)) + " does not exist");
        }
        boolean isEach = EACH.contains(name) || isOptions;
        if (isEach && !node.definitions().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    Positions.start(node.definitions().get(0)),
                    "a column definition list is redundant for a function with OUT parameters");
        }
        if (!isEach && node.definitions().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    "a column definition list is required for functions returning \"record\"");
        }
        if (!isEach && node.isRowsFrom()) {
            throw analysis.unsupported(at, "a column definition list in ROWS FROM");
        }
        RexNode document = conversions.implicit(arguments.getFirst(), type).rex();
        if (isOptions) {
            RexNode object = CatalogFunction.call(maker, FunctionCatalog.internal(OPTIONS), List.of(document));
            return new Rows(below("json_each", object, select, at), options());
        }
        List<Output> outputs = isEach ? members(name, type) : columns(node, type);
        return new Rows(below(name.replace("_each_text", "_each"), document, select, at), outputs);
    }

    /// What a function makes of the document: the document that a row is made of, or rows of such.
    private Expr.Value below(String function, RexNode document, Select select, int at) {
        FunctionRow row = FunctionCatalog.internal(function);
        SqlType result = SqlType.of(row.result());
        if (!(row.kind() instanceof FunctionRow.Kind.Rows)) {
            return new Expr.Value(CatalogFunction.call(maker, row, List.of(document)), result, at);
        }
        select.rowCalls().add(at);
        RexNode rows = maker.builder()
                .makeCall(maker.nullable(maker.rel(result), true), new RowsOperator(row), List.of(document));
        return new Expr.Value(rows, result, at);
    }

    /// The arguments of a function that fills a row's fields in.
    ///
    /// @param base null for NULL of type record, which says nothing of fields
    private record Population(SqlType type, Expr.Row base, RexNode document) {}

    private Population population(String name, SqlCall call, int at) {
        SqlType type = name.startsWith("jsonb") ? SqlType.JSONB : SqlType.JSON;
        if (call.operandCount() == 3 && !name.equals(VALID)) {
            throw analysis.unsupported(at, name + " of three arguments");
        }
        boolean isOfRecord = call.operandCount() == 2 && isNullRecord(call.operand(0));
        List<Expr> arguments = isOfRecord
                ? List.of(new Expr.Row(List.of(), at), expressions.analyze(call.operand(1)))
                : expressions.analyzeAll(call.getOperandList());
        boolean fits = arguments.size() == 2 && arguments.get(1).type().convertsTo(type, SqlType.Context.IMPLICIT);
        if (!fits) {
            throw expressions
                    .calls()
                    .noFunction(FunctionCalls.description(name, FunctionCalls.types(arguments)), false, at);
        }
        RexNode document = conversions.implicit(arguments.get(1), type).rex();
        if (isOfRecord) {
            return new Population(type, null, document);
        }
        Expr base = arguments.getFirst();
        if (base.type() == SqlType.UNKNOWN) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "could not determine polymorphic type because input has type unknown");
        }
        if (base.type() == SqlType.OTHER || base instanceof Expr.Row row && row.mayBeMissing() && !row.isNull()) {
            throw analysis.unsupported(base.at(), "a row value here");
        }
        if (!(base instanceof Expr.Row row)) {
            throw new QueryException(SqlState.DATATYPE_MISMATCH, "first argument of " + name + " must be a row type");
        }
        return new Population(type, row, document);
    }

    private boolean isNullRecord(SqlNode node) {
        boolean isCast = node.getKind() == SqlKind.CAST
                || node instanceof SqlCall call && call.getOperator() == SqlLibraryOperators.INFIX_CAST;
        return isCast
                && ((SqlCall) node).operand(1) instanceof SqlDataTypeSpec spec
                && spec.getTypeNameSpec() instanceof PostgresTypeName written
                && written.name().equals("record")
                && expressions.analyze(((SqlCall) node).operand(0)) instanceof Expr.Null;
    }

    /// Such a function in FROM.
    private Rows populatedRows(String name, SqlCall call, TableFunction node, Select select, int at) {
        Population population = population(name, call, at);
        boolean isNamed = population.base() != null && population.base().of() != OtherType.RECORD;
        if (isNamed && !node.definitions().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    Positions.start(node.definitions().get(0)),
                    "a column definition list is redundant for a function returning a named composite type");
        }
        if (!isNamed && node.definitions().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    "a column definition list is required for functions returning \"record\"");
        }
        if (!isNamed && (population.base() != null || node.isRowsFrom())) {
            throw analysis.unsupported(at, "a column definition list here");
        }
        List<Output> outputs = isNamed ? fields(population) : columns(node, population.type());
        if (isNamed && population.base().items().stream().anyMatch(item -> !isConstant(item))) {
            throw analysis.unsupported(at, "a row of columns that a function in FROM fills in");
        }
        return new Rows(below(name, population.document(), select, at), outputs);
    }

    private static boolean isConstant(Expr item) {
        return !(item instanceof Expr.Value value) || RexUtil.isConstant(value.rex());
    }

    /// Such a function in an expression: a row, or whether one can be made.
    Expr populated(String name, SqlCall call, int at) {
        Population population = population(name, call, at);
        if (population.base() == null) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "could not determine row type for result of " + name)
                    .withHint("Provide a non-null record argument, or call the function in the FROM clause using a"
                            + " column definition list.");
        }
        if (name.equals(VALID)) {
            return valid(population, at);
        }
        boolean isSet = name.endsWith("set");
        if (!isSet && RexLiteral.isNullLiteral(population.document())) {
            return population.base();
        }
        if (isSet) {
            expressions.calls().requireRowsAllowed(at);
        }
        RexNode below = below(name, population.document(), scope.select(), at).rex();
        List<Expr> items = new ArrayList<>();
        for (Output output : fields(population)) {
            items.add(output.column().value(output.value().apply(below), at));
        }
        boolean mayBeMissing = !isSet
                && population.base().isNull()
                && population.document().getType().isNullable();
        List<String> names = IntStream.range(0, items.size())
                .mapToObj(population.base()::name)
                .toList();
        return new Expr.Row(items, names, population.base().of(), mayBeMissing, at);
    }

    /// The fields: as the document has them, else as the row has.
    private List<Output> fields(Population population) {
        List<Output> outputs = new ArrayList<>();
        Expr.Row base = population.base();
        for (int index = 0; index < base.items().size(); index++) {
            String name = base.name(index);
            Expr.Value value = conversions.resolved(base.items().get(index));
            TypeNames.Target target = target(value);
            outputs.add(new Output(new Column(name, value.type(), value.typmod(), value.collating()), record -> {
                RexNode member = member(record, name, population.type(), target);
                if (RexLiteral.isNullLiteral(value.rex())) {
                    return member;
                }
                RexNode part =
                        field(population.type().pgType().typeName() + "_object_field", population.type(), record, name);
                RexNode isMissing = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), part);
                return maker.cases(maker.nullable(member.getType(), true), isMissing, value.rex(), member);
            }));
        }
        return outputs;
    }

    private TypeNames.Target target(Expr.Value value) {
        TypeNames.Target target = new TypeNames.Target(
                value.type(), value.typmod(), null, SqlTypes.other(value.rex().getType()));
        requireKnown(target, value.at());
        return target;
    }

    /// Whether each field's type can read the document's member.
    private Expr valid(Population population, int at) {
        List<RexNode> parts = new ArrayList<>();
        RexNode text = maker.cast(maker.rel(SqlType.TEXT), population.document());
        parts.add(isNotFalse(values.called("json_is_object", text)));
        for (int index = 0; index < population.base().items().size(); index++) {
            TypeNames.Target target =
                    target(conversions.resolved(population.base().items().get(index)));
            if (target.type() == SqlType.OTHER) {
                throw analysis.unsupported(at, VALID + " of an enum");
            }
            RexNode part = field(
                    "jsonb_object_field",
                    SqlType.JSONB,
                    population.document(),
                    population.base().name(index));
            parts.add(isNotFalse(
                    values.called("json_readable", maker.cast(maker.rel(SqlType.TEXT), part), outcome(target))));
        }
        RexNode isValid = maker.and(parts);
        if (!population.base().isNull()) {
            return Expr.Value.bool(isValid, at);
        }
        RexNode isMissing = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), population.document());
        return Expr.Value.bool(
                maker.cases(maker.nullable(maker.bool(), true), isMissing, maker.nullOf(maker.bool()), isValid), at);
    }

    private RexNode isNotFalse(RexNode condition) {
        return maker.not(maker.notNull(SqlStdOperatorTable.IS_FALSE, maker.bool(), condition));
    }

    private RexNode outcome(TypeNames.Target target) {
        JsonOutcome outcome = new JsonOutcome(
                target.type().pgType().typeName(),
                target.typmod(),
                JsonOutcome.NEVER,
                false,
                JsonOutcome.NULL,
                JsonOutcome.NULL,
                "");
        return maker.string(outcome.text(), maker.rel(SqlType.TEXT));
    }

    private List<Output> members(String name, SqlType type) {
        boolean isText = name.endsWith("_text");
        SqlType value = isText ? SqlType.TEXT : type;
        String kernel = isText ? "json_pair_text" : type.pgType().typeName() + "_pair_value";
        return List.of(
                new Output(new Column("key", SqlType.TEXT, -1), pair -> values.called("json_pair_key", pair)),
                new Output(new Column("value", value, -1), pair -> values.called(kernel, pair)));
    }

    /// The members of an object of options: their names and values.
    private List<Output> options() {
        List<Output> members = members("json_each_text", SqlType.JSON);
        return List.of(
                new Output(
                        members.getFirst().column().named("option_name"),
                        members.getFirst().value()),
                new Output(
                        members.getLast().column().named("option_value"),
                        members.getLast().value()));
    }

    private List<Output> columns(TableFunction node, SqlType type) {
        List<Output> outputs = new ArrayList<>();
        for (int index = 0; index < node.types().size(); index++) {
            SqlIdentifier name = (SqlIdentifier) node.definitions().get(index);
            PostgresTypeName written =
                    (PostgresTypeName) node.types().get(index).getTypeNameSpec();
            TypeNames.Target target = conversions.typeNames().target(written);
            requireKnown(target, Positions.start(node.types().get(index)));
            outputs.add(new Output(
                    new Column(name.getSimple(), target.type(), target.typmod()),
                    record -> member(record, name.getSimple(), type, target)));
        }
        return outputs;
    }

    /// - Errors: 0A000 for types that are not read of a text as a cast reads them.
    private void requireKnown(TypeNames.Target target, int at) {
        SqlType type = target.type();
        boolean isEnum = type == SqlType.OTHER
                && target.other() != null
                && target.other().isEnum();
        boolean isOfDocuments =
                type != null && type.isArray() && (type.element() == SqlType.JSON || type.element() == SqlType.JSONB);
        if (type == null
                || type.pgType() == null
                || type == SqlType.OTHER && !isEnum
                || type == SqlType.ARRAY
                || isOfDocuments
                || type.isArray() && target.typmod() >= 0) {
            throw analysis.unsupported(at, "a field of this type made of a document");
        }
    }

    /// The member of that name as a column's value: JSON's null and no member are NULL.
    private RexNode member(RexNode record, String name, SqlType type, TypeNames.Target target) {
        String prefix = type.pgType().typeName() + "_object_field";
        RexNode text = field(prefix + "_text", type, record, name);
        SqlType wanted = target.type();
        if (wanted == SqlType.JSON || wanted == SqlType.JSONB || wanted.isArray()) {
            RexNode part = field(prefix, type, record, name);
            RexNode value = wanted.isArray()
                    ? converted(values.called("json_array_text", maker.cast(maker.rel(SqlType.TEXT), part)), target)
                    : conversions
                            .convert(new Expr.Value(part, type, 0), wanted, -1)
                            .rex();
            RexNode isNull = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), text);
            return maker.cases(maker.nullable(value.getType(), true), isNull, maker.nullOf(value.getType()), value);
        }
        return converted(text, target);
    }

    private RexNode converted(RexNode text, TypeNames.Target target) {
        if (target.type() == SqlType.OTHER) {
            return ((Expr.Value) conversions.cast(new Expr.Value(text, SqlType.TEXT, 0), target, 0)).rex();
        }
        boolean isLimited = target.type().isString() && target.typmod() >= 0;
        RexNode read = isLimited ? values.called("json_limited", text, outcome(target)) : text;
        return conversions
                .convert(new Expr.Value(read, SqlType.TEXT, 0), target.type(), target.typmod())
                .rex();
    }

    private RexNode field(String function, SqlType type, RexNode record, String name) {
        FunctionRow row = FunctionCatalog.named(function).stream()
                .filter(each -> SqlType.of(each.arguments().getFirst()) == type)
                .findFirst()
                .orElseThrow();
        return CatalogFunction.call(maker, row, List.of(record, maker.string(name, maker.rel(SqlType.TEXT))));
    }
}
