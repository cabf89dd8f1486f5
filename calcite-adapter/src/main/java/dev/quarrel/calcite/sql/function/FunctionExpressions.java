package dev.quarrel.calcite.sql.function;

import static dev.quarrel.calcite.sql.type.SqlType.BOOL;
import static dev.quarrel.calcite.sql.type.SqlType.BYTEA;
import static dev.quarrel.calcite.sql.type.SqlType.DATE;
import static dev.quarrel.calcite.sql.type.SqlType.FLOAT4;
import static dev.quarrel.calcite.sql.type.SqlType.FLOAT8;
import static dev.quarrel.calcite.sql.type.SqlType.INT2;
import static dev.quarrel.calcite.sql.type.SqlType.INT4;
import static dev.quarrel.calcite.sql.type.SqlType.INT8;
import static dev.quarrel.calcite.sql.type.SqlType.INTERVAL;
import static dev.quarrel.calcite.sql.type.SqlType.NUMERIC;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT;
import static dev.quarrel.calcite.sql.type.SqlType.TIME;
import static dev.quarrel.calcite.sql.type.SqlType.TIMESTAMP;
import static dev.quarrel.calcite.sql.type.SqlType.TIMESTAMPTZ;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.sql.function.Signature.Build;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.device.Sketch;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.TimeRows;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;

/// Builds the functions that the planner expands into expressions of other functions: it has a builder, found by
/// signature, for each row of [FunctionCatalog] that asks for one.
final class FunctionExpressions {
    /// What make_interval() takes.
    private static final List<SqlType> INTERVAL_FIELDS = List.of(INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8);

    private static final List<SqlType> TIMESTAMP_FIELDS = List.of(INT4, INT4, INT4, INT4, INT4, FLOAT8);

    private static final Map<String, Build> BUILDS = new HashMap<>();
    private static final List<Signature> KEYWORDS = new ArrayList<>();

    private static final ScalarFunctionOperator SKETCH_HISTOGRAM = new ScalarFunctionOperator(new ScalarFunction(
            "hll_sketch_histogram",
            List.of(PgType.TEXT),
            PgType.INT4_ARRAY,
            true,
            (_, arguments) -> Sketch.histogram((String) arguments[0])));

    static {
        text();
        bytes();
        numbers();
        times();
        moments();
        spans();
        RandomFunctions.builds().forEach(each -> add(each.name(), each.arguments(), each.result(), each.build()));
        overlaps();
        keywords();
    }

    private FunctionExpressions() {}

    /// The expression of a row.
    ///
    /// - Errors: [IllegalStateException] if nobody wrote one.
    static Build of(FunctionRow row) {
        Build build = BUILDS.get(row.signature());
        if (build == null && (row.name().endsWith("larger") || row.name().endsWith("smaller"))) {
            return (maker, values) -> extreme(maker, row, values);
        }
        if (build == null) {
            throw new IllegalStateException(row.signature() + " has no expression");
        }
        return build;
    }

    /// `current_date` and its like, with and without a precision.
    static List<Signature> words() {
        return KEYWORDS;
    }

    /// The larger of two values, or the smaller; NULL where either is.
    private static RexNode extreme(RexMaker maker, FunctionRow row, List<RexNode> arguments) {
        SqlType type = SqlType.of(row.result());
        // Numerics of different scales are made alike.
        List<RexNode> values = type == NUMERIC
                ? arguments.stream()
                        .map(each -> maker.cast(SqlTypes.numeric(maker.factory()), each))
                        .toList()
                : arguments;
        RelDataType rel = type == NUMERIC ? SqlTypes.numeric(maker.factory()) : maker.rel(type);
        List<SqlType> types = List.of(type, type);
        boolean isLarger = row.name().endsWith("larger");
        RexNode isFirst = Operators.exact(isLarger ? ">" : "<", types)
                .orElseThrow()
                .build()
                .apply(maker, values);
        RexNode isSecond = Operators.exact(isLarger ? "<=" : ">=", types)
                .orElseThrow()
                .build()
                .apply(maker, values);
        return maker.cases(
                maker.nullable(rel, true), isFirst, values.get(0), isSecond, values.get(1), maker.nullOf(rel));
    }

    private static void addKeyword(String name, SqlType result, Build build) {
        addKeyword(name, List.of(), result, build);
    }

    private static void addKeyword(String name, List<SqlType> arguments, SqlType result, Build build) {
        KEYWORDS.add(new Signature(name, arguments, result, build));
    }

    private static void add(String name, List<SqlType> arguments, SqlType result, Build build) {
        String signature =
                arguments.stream().map(SqlType::displayName).collect(Collectors.joining(", ", name + "(", ")"));
        if (BUILDS.put(signature, build) != null) {
            throw new IllegalStateException(signature + " has two expressions");
        }
    }

    private static void add(String name, List<SqlType> arguments, SqlType result, SqlOperator operator) {
        add(name, arguments, result, (maker, values) -> maker.call(operator, maker.rel(result), values));
    }

    private static void text() {
        for (String name : List.of("length", "char_length", "character_length", "textlen")) {
            add(name, List.of(TEXT), INT4, SqlStdOperatorTable.CHAR_LENGTH);
        }
        add("upper", List.of(TEXT), TEXT, SqlStdOperatorTable.UPPER);
        add("lower", List.of(TEXT), TEXT, SqlStdOperatorTable.LOWER);
        // Under collation "C" case is ASCII's here too.
        add("casefold", List.of(TEXT), TEXT, SqlStdOperatorTable.LOWER);
        add("textcat", List.of(TEXT, TEXT), TEXT, SqlStdOperatorTable.CONCAT);
        for (String name : List.of("substring", "substr")) {
            add(name, List.of(TEXT, INT4, INT4), TEXT, SqlStdOperatorTable.SUBSTRING);
            add(name, List.of(TEXT, INT4), TEXT, SqlStdOperatorTable.SUBSTRING);
        }
        trim("btrim", SqlTrimFunction.Flag.BOTH);
        trim("ltrim", SqlTrimFunction.Flag.LEADING);
        trim("rtrim", SqlTrimFunction.Flag.TRAILING);
        add("replace", List.of(TEXT, TEXT, TEXT), TEXT, SqlStdOperatorTable.REPLACE);
        // Calcite's POSITION has what is looked for first.
        add(
                "strpos",
                List.of(TEXT, TEXT),
                INT4,
                (maker, values) ->
                        maker.call(SqlStdOperatorTable.POSITION, maker.rel(INT4), values.get(1), values.get(0)));
        add(
                "position",
                List.of(TEXT, TEXT),
                INT4,
                (maker, values) ->
                        maker.call(SqlStdOperatorTable.POSITION, maker.rel(INT4), values.get(1), values.get(0)));
        add("left", List.of(TEXT, INT4), TEXT, PostgresFunctions.LEFT);
        add("right", List.of(TEXT, INT4), TEXT, PostgresFunctions.RIGHT);
        add("hll_sketch_histogram", List.of(TEXT), SqlType.INT4_ARRAY, SKETCH_HISTOGRAM);
    }

    private static void trim(String name, SqlTrimFunction.Flag flag) {
        add(
                name,
                List.of(TEXT),
                TEXT,
                (maker, values) -> trimmed(maker, flag, maker.string(" ", maker.rel(TEXT)), values.get(0)));
        add(name, List.of(TEXT, TEXT), TEXT, (maker, values) -> trimmed(maker, flag, values.get(1), values.get(0)));
    }

    private static RexNode trimmed(RexMaker maker, SqlTrimFunction.Flag flag, RexNode characters, RexNode text) {
        return maker.call(
                SqlStdOperatorTable.TRIM, maker.rel(TEXT), maker.builder().makeFlag(flag), characters, text);
    }

    private static void bytes() {
        OpcodeFunction ofText = new OpcodeFunction(Opcode.UTF8_BYTES, List.of(TEXT), BYTEA);
        OpcodeFunction length = new OpcodeFunction(Opcode.LENGTH_BINARY, List.of(BYTEA), INT4);
        add(
                "octet_length",
                List.of(TEXT),
                INT4,
                (maker, values) -> maker.call(length, maker.rel(INT4), bytes(maker, ofText, values)));
        add(
                "octet_length",
                List.of(SqlType.BPCHAR),
                INT4,
                (maker, values) -> maker.call(length, maker.rel(INT4), bytes(maker, ofText, values)));
        add(
                "bit_length",
                List.of(BYTEA),
                INT4,
                (maker, values) -> bits(maker, maker.call(length, maker.rel(INT4), values)));
        add(
                "bit_length",
                List.of(TEXT),
                INT4,
                (maker, values) -> bits(maker, maker.call(length, maker.rel(INT4), bytes(maker, ofText, values))));
        add(
                "md5",
                List.of(TEXT),
                TEXT,
                (maker, values) -> built("md5", List.of(BYTEA), maker, bytes(maker, ofText, values)));
        add(
                "convert_to",
                List.of(TEXT, SqlType.NAME),
                BYTEA,
                (maker, values) -> maker.call(ofText, maker.rel(BYTEA), inUtf8("convert_to", values)));
        OpcodeFunction toText = new OpcodeFunction(Opcode.BYTES_UTF8, List.of(BYTEA), TEXT);
        add(
                "convert_from",
                List.of(BYTEA, SqlType.NAME),
                TEXT,
                (maker, values) -> maker.call(toText, maker.rel(TEXT), inUtf8("convert_from", values)));
        add("length", List.of(BYTEA, SqlType.NAME), INT4, (maker, values) -> {
            RexNode text = maker.call(toText, maker.rel(TEXT), inUtf8("length", values));
            return maker.call(SqlStdOperatorTable.CHAR_LENGTH, maker.rel(INT4), text);
        });
        // From UTF8 to UTF8 the bytes stay, if they are text.
        add("convert", List.of(BYTEA, SqlType.NAME, SqlType.NAME), BYTEA, (maker, values) -> {
            inUtf8("convert", values.subList(1, 3));
            RexNode text = maker.call(toText, maker.rel(TEXT), inUtf8("convert", values));
            return maker.call(ofText, maker.rel(BYTEA), text);
        });
    }

    private static RexNode built(String name, List<SqlType> types, RexMaker maker, RexNode... values) {
        return FunctionTable.builtIn(name, types).build().apply(maker, List.of(values));
    }

    private static RexNode bytes(RexMaker maker, OpcodeFunction ofText, List<RexNode> values) {
        return maker.call(ofText, maker.rel(BYTEA), values);
    }

    private static RexNode bits(RexMaker maker, RexNode bytes) {
        return maker.call(SqlStdOperatorTable.MULTIPLY, maker.rel(INT4), bytes, maker.integer(8, INT4));
    }

    /// The argument without the name of its encoding, which must be the only one we know.
    private static List<RexNode> inUtf8(String name, List<RexNode> values) {
        String encoding = values.get(1) instanceof RexLiteral literal && !literal.isNull()
                ? literal.getValueAs(String.class)
                : "";
        if (!encoding.replaceAll("[^A-Za-z0-9]", "").equalsIgnoreCase("utf8")) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, name + " is supported for the encoding UTF8 alone");
        }
        return List.of(values.get(0));
    }

    private static void numbers() {
        for (SqlType type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC)) {
            add(
                    "abs",
                    List.of(type),
                    type,
                    (maker, values) ->
                            maker.call(SqlStdOperatorTable.ABS, values.get(0).getType(), values));
        }
        for (SqlType type : List.of(INT2, INT4, INT8)) {
            add("mod", List.of(type, type), type, SqlStdOperatorTable.MOD);
        }
        add(
                "mod",
                List.of(NUMERIC, NUMERIC),
                NUMERIC,
                (maker, values) -> Operators.decimal(maker, "%", SqlStdOperatorTable.MOD, values));
        Build round = (maker, values) -> digits(maker, PostgresFunctions.ROUND, values);
        Build trunc = (maker, values) -> digits(maker, PostgresFunctions.TRUNC, values);
        add("round", List.of(NUMERIC), NUMERIC, round);
        add("round", List.of(NUMERIC, INT4), NUMERIC, round);
        add("trunc", List.of(NUMERIC), NUMERIC, trunc);
        add("trunc", List.of(NUMERIC, INT4), NUMERIC, trunc);
        add("round", List.of(FLOAT8), FLOAT8, SqlStdOperatorTable.ROUND);
        add("dround", List.of(FLOAT8), FLOAT8, SqlStdOperatorTable.ROUND);
        increment("int4inc", INT4, maker -> maker.integer(1, INT4));
        increment("numeric_inc", NUMERIC, maker -> maker.decimal(BigDecimal.ONE));
        for (String name : List.of("ceil", "ceiling")) {
            add(name, List.of(NUMERIC), NUMERIC, whole(SqlStdOperatorTable.CEIL));
            add(name, List.of(FLOAT8), FLOAT8, SqlStdOperatorTable.CEIL);
        }
        add("floor", List.of(NUMERIC), NUMERIC, whole(SqlStdOperatorTable.FLOOR));
        add("floor", List.of(FLOAT8), FLOAT8, SqlStdOperatorTable.FLOOR);
    }

    private static void increment(String name, SqlType type, Function<RexMaker, RexNode> one) {
        Build plus = Operators.exact("+", List.of(type, type)).orElseThrow().build();
        add(name, List.of(type), type, (maker, values) -> plus.apply(maker, List.of(values.get(0), one.apply(maker))));
    }

    private static Build whole(SqlOperator operator) {
        return (maker, values) -> maker.call(
                operator,
                SqlTypes.numeric(maker.factory()),
                maker.cast(SqlTypes.numeric(maker.factory()), values.get(0)));
    }

    private static RexNode digits(RexMaker maker, SqlOperator operator, List<RexNode> values) {
        return maker.call(
                operator,
                SqlTypes.numeric(maker.factory()),
                maker.cast(SqlTypes.numeric(maker.factory()), values.get(0)),
                values.size() > 1 ? values.get(1) : maker.integer(0, INT4));
    }

    private static void spans() {
        for (SqlType type : List.of(TIMESTAMP, TIMESTAMPTZ)) {
            add(
                    "age",
                    List.of(type),
                    INTERVAL,
                    (maker, values) -> maker.call(
                            new OpcodeFunction(Opcode.AGE_TIMESTAMP, List.of(type, type), INTERVAL),
                            maker.rel(INTERVAL),
                            maker.cast(maker.rel(type), maker.call(SqlStdOperatorTable.CURRENT_DATE, maker.rel(DATE))),
                            values.get(0)));
        }
        for (int count = 0; count <= INTERVAL_FIELDS.size(); count++) {
            add("make_interval", INTERVAL_FIELDS.subList(0, count), INTERVAL, FunctionExpressions::makeInterval);
        }
    }

    /// The arguments that are not given are zero.
    private static RexNode makeInterval(RexMaker maker, List<RexNode> values) {
        List<RexNode> all = new ArrayList<>(values);
        while (all.size() < 6) {
            all.add(maker.integer(0, INT4));
        }
        if (all.size() < 7) {
            all.add(maker.float8(0));
        }
        return maker.call(
                new OpcodeFunction(Opcode.MAKE_INTERVAL, INTERVAL_FIELDS, INTERVAL), maker.rel(INTERVAL), all);
    }

    /// `(start, end, start, end)`, where an end may be an interval behind its start.
    private static void overlaps() {
        for (SqlType type : List.of(TIMESTAMPTZ, TIMESTAMP, TIME)) {
            for (SqlType one : List.of(type, INTERVAL)) {
                for (SqlType other : List.of(type, INTERVAL)) {
                    add(
                            "overlaps",
                            List.of(type, one, type, other),
                            BOOL,
                            (maker, values) -> overlaps(
                                    maker,
                                    type,
                                    List.of(
                                            values.get(0),
                                            end(maker, type, one, values.get(0), values.get(1)),
                                            values.get(2),
                                            end(maker, type, other, values.get(2), values.get(3)))));
                }
            }
        }
    }

    private static RexNode end(RexMaker maker, SqlType type, SqlType given, RexNode start, RexNode end) {
        if (given != INTERVAL) {
            return end;
        }
        Build plus = type == TIME
                ? Operators.opcode(Opcode.ADD_TIME_INTERVAL, List.of(TIME, INTERVAL), TIME)
                : Operators.moved(Opcode.ADD_TIMESTAMP_INTERVAL, type);
        return plus.apply(maker, List.of(start, end));
    }

    /// The lesser end of each period is its start; one that is NULL is taken for the later. Periods that start
    /// together overlap; of others, the one that starts first must end behind the other's start.
    ///
    /// - Source: PostgreSQL's `timestamp.c` (overlaps_timestamp).
    private static RexNode overlaps(RexMaker maker, SqlType type, List<RexNode> ends) {
        RexNode start = extreme(maker, type, SqlLibraryOperators.LEAST_PG, ends.get(0), ends.get(1));
        RexNode end = later(maker, type, ends.get(0), ends.get(1));
        RexNode otherStart = extreme(maker, type, SqlLibraryOperators.LEAST_PG, ends.get(2), ends.get(3));
        RexNode otherEnd = later(maker, type, ends.get(2), ends.get(3));
        RexNode unknown = maker.nullOf(maker.bool());
        RexNode bothEnd = maker.and(List.of(present(maker, end), present(maker, otherEnd)));
        return maker.builder()
                .makeCall(
                        maker.nullable(maker.bool(), true),
                        SqlStdOperatorTable.CASE,
                        List.of(
                                isLess(maker, otherStart, start),
                                maker.or(List.of(isLess(maker, start, otherEnd), isLess(maker, end, otherEnd))),
                                isLess(maker, start, otherStart),
                                maker.or(List.of(isLess(maker, otherStart, end), isLess(maker, otherEnd, end))),
                                maker.and(List.of(
                                        maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), start, otherStart),
                                        bothEnd)),
                                maker.literal(true),
                                unknown));
    }

    private static RexNode extreme(RexMaker maker, SqlType type, SqlOperator operator, RexNode one, RexNode other) {
        boolean isNullable = one.getType().isNullable() && other.getType().isNullable();
        return maker.builder().makeCall(maker.nullable(maker.rel(type), isNullable), operator, List.of(one, other));
    }

    /// NULL where either is.
    private static RexNode later(RexMaker maker, SqlType type, RexNode one, RexNode other) {
        RexNode both = maker.and(List.of(present(maker, one), present(maker, other)));
        return maker.builder()
                .makeCall(
                        maker.nullable(maker.rel(type), true),
                        SqlStdOperatorTable.CASE,
                        List.of(
                                both,
                                extreme(maker, type, SqlLibraryOperators.GREATEST_PG, one, other),
                                maker.nullOf(maker.rel(type))));
    }

    private static RexNode present(RexMaker maker, RexNode value) {
        return maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), value);
    }

    private static RexNode isLess(RexMaker maker, RexNode one, RexNode other) {
        return maker.call(SqlStdOperatorTable.LESS_THAN, maker.bool(), one, other);
    }

    private static void times() {
        for (String name : List.of("now", "transaction_timestamp")) {
            add(name, List.of(), TIMESTAMPTZ, PostgresFunctions.NOW);
        }
        add("date", List.of(TIMESTAMP), DATE, (maker, values) -> maker.cast(maker.rel(DATE), values.get(0)));
        add("date", List.of(TIMESTAMPTZ), DATE, (maker, values) -> maker.cast(maker.rel(DATE), values.get(0)));
    }

    /// What PostgreSQL's grammar has as words, not as functions.
    private static void keywords() {
        for (String name : List.of("current_user", "session_user", "user", "current_role")) {
            ScalarFunctionOperator user = new ScalarFunctionOperator(
                    new ScalarFunction(name, List.of(), PgType.NAME, true, (session, _) -> session.user()));
            addKeyword(
                    name,
                    SqlType.NAME,
                    (maker, _) ->
                            maker.builder().makeCall(maker.nullable(maker.rel(SqlType.NAME), true), user, List.of()));
        }
        addKeyword("unicode_version", TEXT, (maker, _) -> maker.string("16.0", maker.rel(TEXT)));
        addKeyword("current_date", DATE, (maker, _) -> maker.call(SqlStdOperatorTable.CURRENT_DATE, maker.rel(DATE)));
        addKeyword("current_timestamp", TIMESTAMPTZ, (maker, _) -> now(maker));
        addKeyword("localtimestamp", TIMESTAMP, (maker, _) -> maker.cast(maker.rel(TIMESTAMP), now(maker)));
        addKeyword("localtime", TIME, (maker, _) -> maker.cast(maker.rel(TIME), now(maker)));
        addKeyword("current_time", SqlType.TIMETZ, (maker, _) -> timeTz(maker, now(maker)));
        addKeyword(
                "current_time",
                List.of(INT4),
                SqlType.TIMETZ,
                (maker, values) -> FunctionTable.call(
                        maker,
                        "timetz",
                        List.of(SqlType.TIMETZ, INT4),
                        List.of(timeTz(maker, now(maker)), values.getFirst())));
        Build rounded = Operators.opcode(Opcode.ROUND_TIMESTAMP, List.of(TIMESTAMPTZ, INT4), TIMESTAMPTZ);
        for (String name : List.of("current_timestamp", "localtimestamp", "localtime")) {
            SqlType type = name.equals("current_timestamp") ? TIMESTAMPTZ : name.equals("localtime") ? TIME : TIMESTAMP;
            addKeyword(
                    name,
                    List.of(INT4),
                    type,
                    (maker, values) ->
                            maker.cast(maker.rel(type), rounded.apply(maker, List.of(now(maker), values.getFirst()))));
        }
    }

    private static RexNode timeTz(RexMaker maker, RexNode moment) {
        return FunctionTable.call(maker, "timetz", List.of(TIMESTAMPTZ), List.of(moment));
    }

    private static void moments() {
        add(
                "make_timestamptz",
                TIMESTAMP_FIELDS,
                TIMESTAMPTZ,
                (maker, values) ->
                        CatalogFunction.build(TimeRows.TO_INSTANT).apply(maker, List.of(made(maker, values))));
        List<SqlType> withZone = new ArrayList<>(TIMESTAMP_FIELDS);
        withZone.add(TEXT);
        add("make_timestamptz", withZone, TIMESTAMPTZ, (maker, values) -> {
            RexNode local = made(maker, values.subList(0, TIMESTAMP_FIELDS.size()));
            RexNode instant = CatalogFunction.build(TimeRows.AT_OFFSET).apply(maker, List.of(values.getLast(), local));
            RelDataType type = maker.nullable(maker.rel(TIMESTAMPTZ), true);
            // Without a zone it is NULL, whatever the fields are.
            return maker.cases(
                    type,
                    maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), values.getLast()),
                    maker.cast(type, instant),
                    maker.nullOf(maker.rel(TIMESTAMPTZ)));
        });
    }

    private static RexNode made(RexMaker maker, List<RexNode> fields) {
        return maker.call(
                new OpcodeFunction(Opcode.MAKE_TIMESTAMP, TIMESTAMP_FIELDS, TIMESTAMP), maker.rel(TIMESTAMP), fields);
    }

    private static RexNode now(RexMaker maker) {
        return maker.call(PostgresFunctions.NOW, maker.rel(TIMESTAMPTZ));
    }
}
