package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.sql.convert.Collations;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.function.Polymorphic;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.CollationRows;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;

/// Analyses function calls: finds the function that a name and its arguments select, or passes the call to the
/// class that handles it.
///
/// - Source: PostgreSQL's `parse_func.c`, and `gram.y` for calls with a syntax of their own.
final class FunctionCalls {
    /// Functions whose second argument is a regular expression.
    private static final Set<String> PATTERN_FUNCTIONS = Set.of(
            "regexp_like",
            "regexp_count",
            "regexp_substr",
            "regexp_instr",
            "regexp_replace",
            "regexp_match",
            "regexp_matches",
            "regexp_split_to_array",
            "regexp_split_to_table",
            "substring");

    /// Functions of bytes that PostgreSQL has of bit strings too.
    private static final Set<String> BIT_FUNCTIONS = Set.of("get_bit", "set_bit", "bit_count");

    /// Of Unicode's normalization.
    private static final Set<String> FORMS = Set.of("nfc", "nfd", "nfkc", "nfkd");

    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final ArrayCalls arrays;
    private final Conditionals conditionals;
    private final DateTimeCalls times;
    private final AggregateCalls aggregates;
    private final WindowFunctionCalls windows;
    private final NamedArguments namedArguments;
    private final VariadicCalls variadics;
    private final EnumCalls enums;
    private final JsonCalls documents;

    FunctionCalls(
            Analysis analysis,
            Scope scope,
            ExpressionAnalyzer expressions,
            ArrayCalls arrays,
            Conditionals conditionals) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.arrays = arrays;
        this.conditionals = conditionals;
        this.times = new DateTimeCalls(analysis, expressions);
        AggregateArguments arguments = new AggregateArguments(analysis, expressions);
        this.aggregates = new AggregateCalls(analysis, scope, expressions, arguments);
        this.windows = new WindowFunctionCalls(analysis, scope, expressions, aggregates, arguments);
        this.namedArguments = new NamedArguments(analysis, expressions, this);
        this.variadics = new VariadicCalls(analysis, expressions, this);
        this.enums = new EnumCalls(analysis, expressions, this);
        this.documents = new JsonCalls(analysis, scope, expressions);
    }

    Expr call(SqlCall call) {
        int at = Positions.start(call);
        return switch (call.getKind()) {
            case EXTRACT -> times.extract(call, at);
            case OVERLAPS -> times.overlaps(call, at);
            case TRIM -> trim(call, at);
            case POSITION -> function("position", swapped(call), at, "pg_catalog.position");
            case OVER -> windows.call(call, at);
            case FILTER, WITHIN_GROUP -> aggregates.qualified(call, at);
            default -> {
                if (call.getOperator() instanceof SqlUnresolvedFunction function) {
                    yield named(call, function);
                }
                if (call.getOperator() == PostgresOperators.AT_TIME_ZONE) {
                    yield times.atTimeZone(call, at);
                }
                if (call.getOperator() == PostgresOperators.SHOWN_AT_TIME_ZONE) {
                    yield times.shownAtTimeZone(call, at);
                }
                String name = call.getOperator().getName();
                if (name.equals("SUBSTRING") || name.equals("OVERLAY")) {
                    String lower = name.toLowerCase(Locale.ROOT);
                    yield function(lower, expressions.analyzeAll(call.getOperandList()), at, "pg_catalog." + lower);
                }
                throw analysis.unsupported(at, name);
            }
        };
    }

    /// POSITION(a IN b) is position(b, a).
    private List<Expr> swapped(SqlCall call) {
        Expr wanted = expressions.analyze(call.operand(0));
        Expr text = expressions.analyze(call.operand(1));
        return List.of(text, wanted);
    }

    /// How long the lists of structs in a column are; null for any other call.
    private Expr length(String name, SqlCall call, int at) {
        boolean isLength = name.equals("array_length") || name.equals("array_upper");
        boolean isAsked = name.equals("cardinality") ? call.operandCount() == 1 : isLength && call.operandCount() == 2;
        Expr.Value held = isAsked ? expressions.composites().cardinality(call.operand(0)) : null;
        Expr.Value count = isAsked && held == null ? arrays.cardinality(call.operand(0), expressions) : held;
        if (count == null || !isLength) {
            return count == null ? null : count.at(at);
        }
        Expr dimension = expressions.analyze(call.operand(1));
        return dimension.type() == SqlType.UNKNOWN
                        || dimension.type().convertsTo(SqlType.INT4, SqlType.Context.IMPLICIT)
                ? arrays.length(count, dimension, at)
                : null;
    }

    private Expr named(SqlCall call, SqlUnresolvedFunction function) {
        SqlIdentifier identifier = function.getSqlIdentifier();
        int at = Positions.start(identifier);
        List<String> names = identifier.names;
        String name = names.get(names.size() - 1);
        String written = String.join(".", names);
        String schema = names.size() > 1 ? names.get(names.size() - 2) : "pg_catalog";
        if (ArrayCalls.ExpandedArrays.isNamed(names) && call.operandCount() == 1) {
            return new ArrayCalls.ExpandedArrays(analysis, this).call(expressions.analyze(call.operand(0)), at);
        }
        if (!schema.equals("pg_catalog")
                && !(schema.equals("public") && analysis.functions().isAdded(name))) {
            List<SqlType> types = types(expressions.analyzeAll(call.getOperandList()));
            throw analysis.context().root().getSubSchema(names.get(names.size() - 2), true) == null
                    ? analysis.error(
                            SqlState.INVALID_SCHEMA_NAME,
                            at,
                            "schema \"" + names.get(names.size() - 2) + "\" does not exist")
                    : noFunction(written, types, false, at);
        }
        if (JsonCalls.isFor(name, call)) {
            return documents.call(name, call, at);
        }
        Optional<JsonAggregate> ofDocuments = JsonAggregate.named(name);
        if (ofDocuments.isPresent()) {
            return aggregates.documents(ofDocuments.get(), WrittenCall.plain(call), call, at);
        }
        if (VariadicCalls.in(call)) {
            if (names.size() == 1 && !identifier.isComponentQuoted(0) && NamedArguments.OF_GRAMMAR.contains(name)) {
                throw Positions.syntaxError(analysis.text(), Positions.start(call.operand(call.operandCount() - 1)));
            }
            return variadics.call(name, call, at, written);
        }
        if (NamedArguments.in(call)) {
            boolean isQuoted = names.size() > 1 || identifier.isComponentQuoted(0);
            return namedArguments.call(name, call, isQuoted, at, written);
        }
        Expr length = call.operandCount() == 0 ? null : length(name, call, at);
        if (length != null) {
            return length;
        }
        if (names.size() == 1 && !identifier.isComponentQuoted(0)) {
            Expr special = special(name, call, at);
            if (special != null) {
                return special;
            }
        }
        if (AggregateTable.windowOnly(name) != null) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE, at, "window function " + name + " requires an OVER clause");
        }
        SqlAggFunction aggregate = analysis.functions().aggregate(name);
        if (aggregate != null) {
            return aggregates.call(name, aggregate, WrittenCall.plain(call), call, at);
        }
        if (call.getFunctionQuantifier() != null && FunctionTable.reasonDeclined(name) == null) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE,
                    at,
                    "DISTINCT specified, but " + name + " is not an aggregate function");
        }
        if (WrittenCall.isStar(call)) {
            throw FunctionTable.reasonDeclined(name) != null
                    ? declined(name, name, at)
                    : analysis.error(SqlState.UNDEFINED_FUNCTION, at, "function " + written + "() does not exist");
        }
        return function(name, expressions.analyzeAll(call.getOperandList()), at, written);
    }

    /// An aggregate of SQL/JSON's syntax.
    Expr documents(JsonAggregate aggregate, JsonExpression json, int at) {
        WrittenCall written = new WrittenCall(json.asCall(), json.order(), false, json.filter());
        return json.over() == null
                ? aggregates.documents(aggregate, written, json, at)
                : windows.documents(aggregate, written, json.over(), at);
    }

    /// What PostgreSQL's grammar or analyzer treats apart from functions; null for anything else.
    private Expr special(String name, SqlCall call, int at) {
        return switch (name) {
            case "coalesce" -> conditionals.coalesce(call, at);
            case "nullif" -> conditionals.nullIf(call, at);
            case "greatest" -> conditionals.extreme("GREATEST", call, at);
            case "least" -> conditionals.extreme("LEAST", call, at);
            case "grouping" -> aggregates.grouping(call, at);
            case "concat" -> analysis.functions().named(name).isEmpty() ? concat(call, at) : null;
            case "current_catalog" ->
                call.operandCount() == 0
                        ? new Expr.Value(
                                maker.string(analysis.context().database(), maker.rel(SqlType.NAME)), SqlType.NAME, at)
                        : null;
            case "enum_first", "enum_last", "enum_range" -> enums.call(name, call, at);
            case "unnest" -> unnest(call, at);
            case "union_tag" ->
                call.operandCount() == 1 ? expressions.composites().tag(call.operand(0)) : null;
            case "quote_literal", "quote_nullable" -> quoted(name, call, at);
            case "normalize" -> normalize(call, at);
            case "pg_typeof" -> typeOf(call, at);
            case "date_part" -> times.datePart(call, at);
            case "date_trunc" -> times.dateTrunc(call, at);
            case "row" -> expressions.row(call, at);
            default -> null;
        };
    }

    private Expr unnest(SqlCall call, int at) {
        boolean isOfStructs = call.operandCount() == 1
                && (expressions.composites().cardinality(call.operand(0)) != null
                        || arrays.cardinality(call.operand(0), expressions) != null);
        if (!isOfStructs) {
            return enums.unnest(call, at);
        }
        expressions.calls().requireRowsAllowed(at);
        return arrays.elements((Expr.Value) expressions.analyze(call.operand(0)), at);
    }

    static List<SqlType> types(List<Expr> exprs) {
        return exprs.stream().map(Expr::type).toList();
    }

    /// @param written the name as it stands in the statement, for messages
    Expr function(String name, List<Expr> arguments, int at, String written) {
        List<SqlType> types = types(arguments);
        Expr multirange = multirange(name, arguments, at);
        if (multirange != null) {
            return multirange;
        }
        Map<Signature, FunctionRow> rows = FunctionTable.rowFunctions(name, types);
        if (!rows.isEmpty()) {
            return rows(rows, arguments, at, written);
        }
        if (BIT_FUNCTIONS.contains(name) && !types.isEmpty() && types.getFirst() == SqlType.UNKNOWN) {
            // A literal would be a bit string, which we lack.
            throw analysis.unsupported(at, "function " + description(written, types));
        }
        if (types.equals(List.of(SqlType.UNKNOWN))) {
            // PostgreSQL takes a type's name before a literal for the literal of that type.
            Expr cast = castByName(name, arguments.getFirst(), at);
            if (cast != null) {
                return cast;
            }
        }
        Overloads.Choice choice = Overloads.function(analysis.functions().named(name, types.size()), types);
        Signature signature = FunctionTable.giving(conversions.numericType(), choice.signature());
        Expr ofArrays = signature == null ? arrays.call(name, arguments, at) : null;
        if (ofArrays != null) {
            return ofArrays;
        }
        if (signature == null && !choice.ambiguous()) {
            FunctionRow variadic = analysis.functions().variadic(name, arguments.size());
            if (variadic != null) {
                return variadic(variadic, arguments, at, written);
            }
            Expr gathered = variadics.gathered(name, arguments, at);
            if (gathered != null) {
                return gathered;
            }
        }
        if (signature == null) {
            Expr cast = arguments.size() == 1 ? castByName(name, arguments.get(0), at) : null;
            if (cast != null) {
                return cast;
            }
            throw FunctionTable.reasonDeclined(name) != null
                    ? declined(name, description(written, types), at)
                    : noFunction(written, types, choice.ambiguous() || isAmbiguous(name, types), at);
        }
        List<RexNode> converted = new ArrayList<>();
        for (int index = 0; index < arguments.size(); index++) {
            converted.add(conversions
                    .implicit(arguments.get(index), signature.arguments().get(index))
                    .rex());
        }
        RexNode rex = byCollation(name, arguments, converted);
        Expr.Value value =
                new Expr.Value(rex == null ? signature.build().apply(maker, converted) : rex, signature.result(), at);
        return analysis.collations().collated(value, arguments);
    }

    /// What stands for a function that goes by its collation, where that is not "C": else null. The pattern among a
    /// function's arguments gets what it needs of the collation.
    private RexNode byCollation(String name, List<Expr> arguments, List<RexNode> converted) {
        Collations collations = analysis.collations();
        collations.requireDeterministic(
                arguments, arguments.isEmpty() ? -1 : arguments.getFirst().at());
        FunctionRow row =
                switch (name) {
                    case "upper" -> CollationRows.UPPER;
                    case "lower" -> CollationRows.LOWER;
                    case "initcap" -> CollationRows.TITLE;
                    case "casefold" -> CollationRows.FOLD;
                    default -> null;
                };
        if (row != null) {
            return collations.cased(row, converted.getFirst(), arguments, name + "() function");
        }
        if (PATTERN_FUNCTIONS.contains(name)
                && converted.size() > 1
                && converted.get(1).getType().getSqlTypeName() == SqlTypeName.VARCHAR) {
            if (name.equals("substring") && converted.size() > 2) {
                collations.requireAscii(arguments, arguments.getFirst().at(), "SIMILAR");
            }
            converted.set(
                    1,
                    collations.pattern(
                            arguments.subList(0, 2),
                            converted.get(1),
                            arguments.getFirst().at()));
        }
        return null;
    }

    private static boolean isAmbiguous(String name, List<SqlType> types) {
        return Polymorphic.choose(FunctionCatalog.named(name), types).isAmbiguous();
    }

    /// `int4multirange(a, b, …)`; null for another call.
    private Expr multirange(String name, List<Expr> arguments, int at) {
        SqlType multi = SqlType.byName(name);
        SqlType element = multi == null ? null : multi.rangeOf();
        if (element == null || multi.pgType() != element.pgType().multirange() || arguments.size() < 2) {
            return null;
        }
        SqlType range = SqlType.of(element.pgType().range());
        if (arguments.stream().anyMatch(each -> each.type() != range && each.type() != SqlType.UNKNOWN)) {
            return null;
        }
        Expr.Value array = conversions.arrays().value(new Expr.Array(arguments, range, at));
        RexNode made = FunctionTable.internal(maker, "multirange_of_array", List.of(range.array()), array.rex());
        return new Expr.Value(made, multi, at);
    }

    /// A call of a function that gives rows: whoever holds the expression makes rows of it.
    private Expr rows(Map<Signature, FunctionRow> functions, List<Expr> arguments, int at, String written) {
        List<SqlType> types = types(arguments);
        Overloads.Choice choice = Overloads.function(List.copyOf(functions.keySet()), types);
        Signature signature = choice.signature();
        if (signature == null) {
            throw noFunction(written, types, choice.ambiguous(), at);
        }
        requireRowsAllowed(at);
        scope.select().rowCalls().add(at);
        List<RexNode> converted = new ArrayList<>();
        for (int index = 0; index < arguments.size(); index++) {
            SqlType type = signature.arguments().get(index);
            converted.add(maker.cast(
                    maker.rel(type),
                    conversions.implicit(arguments.get(index), type).rex()));
        }
        RowsOperator operator = new RowsOperator(functions.get(signature));
        RelDataType type = maker.nullable(maker.rel(signature.result()), true);
        byCollation(written.substring(written.lastIndexOf('.') + 1), arguments, converted);
        Expr.Value value = new Expr.Value(maker.builder().makeCall(type, operator, converted), signature.result(), at);
        return analysis.collations().collated(value, arguments);
    }

    /// - Errors: 0A000 where a value must be one.
    void requireRowsAllowed(int at) {
        Select select = scope.select();
        String refusal = null;
        if (select != null && select.isInsideAggregate()) {
            refusal = "aggregate function calls cannot contain set-returning function calls";
        } else if (select != null && (select.isInsideWindow() || select.isInWindowDefinition())) {
            refusal = "window function calls cannot contain set-returning function calls";
        } else if (!scope.clause().allowsRows()) {
            refusal = "set-returning functions are not allowed in "
                    + scope.clause().text();
        }
        if (refusal != null) {
            throw analysis.error(SqlState.FEATURE_NOT_SUPPORTED, at, refusal);
        }
    }

    /// Values that a function takes as their texts; those that it names go where an implicit conversion takes them.
    private Expr variadic(FunctionRow row, List<Expr> arguments, int at, String written) {
        int named = row.arguments().size();
        Signature signature = FunctionTable.called(row, arguments.size());
        List<RexNode> texts = new ArrayList<>();
        for (int index = 0; index < arguments.size(); index++) {
            Expr argument = arguments.get(index);
            if (index < named && !argument.type().convertsTo(SqlType.TEXT, SqlType.Context.IMPLICIT)) {
                throw noFunction(written, types(arguments), false, at);
            }
            texts.add(
                    index < named
                            ? conversions.implicit(argument, SqlType.TEXT).rex()
                            : conversions.output(conversions.resolved(argument)));
        }
        Expr.Value value = new Expr.Value(signature.build().apply(maker, texts), signature.result(), at);
        return analysis.collations().collated(value, arguments);
    }

    /// `int4(x)`: a type's name called like a function is a cast.
    private Expr castByName(String name, Expr argument, int at) {
        SqlType named = SqlType.byName(name);
        SqlType type = named == SqlType.NUMERIC && argument.type() != SqlType.WIDE_NUMERIC
                ? conversions.numericType()
                : named == SqlType.NUMERIC ? SqlType.WIDE_NUMERIC : named;
        boolean castable = named != null
                && named.pgType() != null
                && named.pgType().typeName().equals(name)
                && (argument.type() == SqlType.UNKNOWN
                        || argument.type().pgType() != null
                                && argument.type().convertsTo(type, SqlType.Context.EXPLICIT));
        return castable ? conversions.convert(argument, type, -1).at(at) : null;
    }

    /// A function of PostgreSQL's that is not there.
    QueryException declined(String name, String described, int at) {
        return analysis.unsupported(at, "function " + described).withDetail(FunctionTable.reasonDeclined(name));
    }

    QueryException noFunction(String name, List<SqlType> types, boolean ambiguous, int at) {
        return noFunction(analysis, name, types, ambiguous, at);
    }

    static QueryException noFunction(Analysis analysis, String name, List<SqlType> types, boolean ambiguous, int at) {
        boolean isHere = FunctionCatalog.named(name).stream()
                .anyMatch(row -> row.isPolymorphic() && !(row.kind() instanceof FunctionRow.Kind.Rows));
        boolean isKnown = FunctionCatalog.reasonDeclined(name.substring(name.lastIndexOf('.') + 1)) != null;
        if (isKnown
                && types.stream()
                        .anyMatch(
                                type -> type.isArray() && !isHere || type == SqlType.OTHER || type == SqlType.RECORD)) {
            return analysis.unsupported(at, "function " + description(name, types));
        }
        return noFunction(analysis, description(name, types), ambiguous, at);
    }

    /// @param described the call with the types of its arguments
    QueryException noFunction(String described, boolean ambiguous, int at) {
        return noFunction(analysis, described, ambiguous, at);
    }

    private static QueryException noFunction(Analysis analysis, String described, boolean ambiguous, int at) {
        return ambiguous
                ? analysis.error(SqlState.AMBIGUOUS_FUNCTION, at, "function " + described + " is not unique")
                        .withHint(
                                "Could not choose a best candidate function. You might need to add explicit type casts.")
                : analysis.error(SqlState.UNDEFINED_FUNCTION, at, "function " + described + " does not exist")
                        .withHint(
                                "No function matches the given name and argument types. You might need to add explicit type"
                                        + " casts.");
    }

    static String description(String name, List<SqlType> types) {
        return types.stream().map(SqlType::displayName).collect(Collectors.joining(", ", name + "(", ")"));
    }

    /// Joins the texts of all that is not NULL.
    private Expr concat(SqlCall call, int at) {
        RexNode joined = null;
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        for (Expr expr : exprs) {
            RexNode text = conversions.output(conversions.resolved(expr));
            if (text.getType().isNullable()) {
                RexNode isPresent = maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), text);
                text = maker.cases(maker.rel(SqlType.TEXT), isPresent, text, maker.string("", maker.rel(SqlType.TEXT)));
            }
            joined = joined == null
                    ? text
                    : maker.call(SqlStdOperatorTable.CONCAT, maker.rel(SqlType.TEXT), joined, text);
        }
        if (joined == null) {
            throw noFunction("concat", List.of(), false, at);
        }
        return analysis.collations().collated(new Expr.Value(joined, SqlType.TEXT, at), exprs);
    }

    /// `normalize(x, NFD)`: the form is a word.
    private Expr normalize(SqlCall call, int at) {
        boolean isPlain = call.operandCount() == 1;
        boolean isFormed = call.operandCount() == 2
                && call.operand(1) instanceof SqlIdentifier word
                && word.isSimple()
                && !word.isComponentQuoted(0)
                && FORMS.contains(word.getSimple());
        if (!isPlain && !isFormed) {
            return null;
        }
        String form =
                isPlain ? "NFC" : ((SqlIdentifier) call.operand(1)).getSimple().toUpperCase(Locale.ROOT);
        Expr written = new Expr.Value(maker.string(form, maker.rel(SqlType.TEXT)), SqlType.TEXT, at);
        return function(
                "normalize", List.of(expressions.analyze(call.operand(0)), written), at, "pg_catalog.normalize");
    }

    /// Of any value its text; null where it is one, or nothing says what it is.
    private Expr quoted(String name, SqlCall call, int at) {
        if (call.operandCount() != 1) {
            return null;
        }
        Expr value = expressions.analyze(call.operand(0));
        Expr text = value.type() == SqlType.UNKNOWN || value.type() == SqlType.OTHER || value.type() == SqlType.RECORD
                ? value
                : new Expr.Value(conversions.text(value), SqlType.TEXT, value.at());
        return function(name, List.of(text), at, name);
    }

    private Expr typeOf(SqlCall call, int at) {
        if (call.operandCount() != 1) {
            throw noFunction("pg_typeof", types(expressions.analyzeAll(call.getOperandList())), false, at);
        }
        Expr expr = expressions.analyze(call.operand(0));
        return new Expr.Value(maker.string(OtherTypes.displayName(expr), maker.rel(SqlType.TEXT)), SqlType.TEXT, at);
    }

    private Expr trim(SqlCall call, int at) {
        String name =
                switch (((SqlLiteral) call.operand(0)).getValueAs(SqlTrimFunction.Flag.class)) {
                    case BOTH -> "btrim";
                    case LEADING -> "ltrim";
                    case TRAILING -> "rtrim";
                };
        List<Expr> arguments = new ArrayList<>();
        arguments.add(expressions.analyze(call.operand(2)));
        SqlNode characters = call.operand(1);
        // Calcite writes a blank where nothing is written, at the place of the whole call.
        if (characters != null && !characters.getParserPosition().equals(call.getParserPosition())) {
            arguments.add(expressions.analyze(call.operand(1)));
        }
        return function(name, arguments, at, "pg_catalog." + name);
    }
}
