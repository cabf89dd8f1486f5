package dev.quarrel.calcite.sql;

import static dev.quarrel.calcite.sql.SqlType.BOOL;
import static dev.quarrel.calcite.sql.SqlType.BYTEA;
import static dev.quarrel.calcite.sql.SqlType.DATE;
import static dev.quarrel.calcite.sql.SqlType.FLOAT4;
import static dev.quarrel.calcite.sql.SqlType.FLOAT8;
import static dev.quarrel.calcite.sql.SqlType.INT2;
import static dev.quarrel.calcite.sql.SqlType.INT4;
import static dev.quarrel.calcite.sql.SqlType.INT8;
import static dev.quarrel.calcite.sql.SqlType.INTERVAL;
import static dev.quarrel.calcite.sql.SqlType.NUMERIC;
import static dev.quarrel.calcite.sql.SqlType.TEXT;
import static dev.quarrel.calcite.sql.SqlType.TIME;
import static dev.quarrel.calcite.sql.SqlType.TIMESTAMP;
import static dev.quarrel.calcite.sql.SqlType.TIMESTAMPTZ;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.sql.Signature.Build;
import dev.quarrel.core.device.Sketch;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;

/// The functions that may be called: PostgreSQL's own as far as we answer as it does, and those added by name.
///
/// - Source: PostgreSQL 15's `pg_proc.dat`.
public final class FunctionTable {
    private static final Map<String, List<Signature>> BUILT_IN = new HashMap<>();

    /// Functions of PostgreSQL's that we lack: calling one is 0A000, not "does not exist".
    private static final Set<String> UNSUPPORTED = Set.of(
            "acos",
            "array_append",
            "array_cat",
            "array_length",
            "array_lower",
            "array_ndims",
            "array_position",
            "array_prepend",
            "array_remove",
            "array_to_json",
            "array_to_string",
            "array_upper",
            "ascii",
            "asin",
            "atan",
            "atan2",
            "cardinality",
            "cbrt",
            "chr",
            "clock_timestamp",
            "concat_ws",
            "convert",
            "cos",
            "cot",
            "degrees",
            "div",
            "erf",
            "exp",
            "factorial",
            "format",
            "gcd",
            "generate_series",
            "generate_subscripts",
            "initcap",
            "json_agg",
            "json_build_object",
            "json_object_agg",
            "jsonb_agg",
            "lcm",
            "ln",
            "log",
            "log10",
            "lpad",
            "make_timestamptz",
            "num_nonnulls",
            "num_nulls",
            "pi",
            "pg_sleep",
            "power",
            "pow",
            "quote_ident",
            "quote_literal",
            "radians",
            "random",
            "regexp_match",
            "regexp_matches",
            "regexp_replace",
            "regexp_split_to_array",
            "regexp_split_to_table",
            "repeat",
            "row_to_json",
            "rpad",
            "setseed",
            "uuid_extract_timestamp",
            "uuid_extract_version",
            "uuidv7",
            "sin",
            "split_part",
            "sqrt",
            "starts_with",
            "statement_timestamp",
            "string_to_array",
            "tan",
            "timeofday",
            "to_char",
            "to_date",
            "to_hex",
            "to_json",
            "to_jsonb",
            "to_number",
            "to_timestamp",
            "translate",
            "unnest",
            "width_bucket",
            "xmlagg",
            "current_time");

    /// What make_interval() takes.
    private static final List<SqlType> INTERVAL_FIELDS = List.of(INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8);

    private final Map<String, List<Signature>> added = new HashMap<>();

    /// @param functions overloads are further functions of one name; one that has a built-in function's name
    /// and argument types stands in for it
    public FunctionTable(List<ScalarFunction> functions) {
        for (ScalarFunction function : functions) {
            ScalarFunctionOperator operator = new ScalarFunctionOperator(function);
            SqlType result = SqlType.of(function.result());
            Build build = (maker, arguments) ->
                    maker.builder().makeCall(maker.nullable(maker.rel(result), true), operator, arguments);
            added.computeIfAbsent(function.name(), _ -> new ArrayList<>())
                    .add(new Signature(
                            function.name(),
                            function.arguments().stream().map(SqlType::of).toList(),
                            result,
                            build));
        }
    }

    /// All overloads of a name, in lower case.
    List<Signature> named(String name) {
        List<Signature> ours = added.getOrDefault(name, List.of());
        List<Signature> builtIn = BUILT_IN.getOrDefault(name, List.of());
        if (ours.isEmpty()) {
            return builtIn;
        }
        List<Signature> all = new ArrayList<>(ours);
        for (Signature signature : builtIn) {
            if (ours.stream().noneMatch(each -> each.arguments().equals(signature.arguments()))) {
                all.add(signature);
            }
        }
        return all;
    }

    static boolean isUnsupported(String name) {
        return UNSUPPORTED.contains(name);
    }

    /// An aggregate function for one type of argument; null stands for `*` and for `count` of anything.
    record Aggregate(SqlAggFunction function, SqlType argument, SqlType result) {}

    /// Registers of a sketch, as a power of two, where a call does not say.
    static final int SKETCH_REGISTER_BITS = 12;

    private static final Map<String, SqlAggFunction> AGGREGATES = aggregates();

    private static Map<String, SqlAggFunction> aggregates() {
        Map<String, SqlAggFunction> functions = new HashMap<>(Map.of(
                "count", SqlStdOperatorTable.COUNT,
                "sum", SqlStdOperatorTable.SUM,
                "avg", SqlStdOperatorTable.AVG,
                "min", SqlStdOperatorTable.MIN,
                "max", SqlStdOperatorTable.MAX,
                "bool_and", SqlLibraryOperators.BOOL_AND,
                "every", SqlLibraryOperators.BOOL_AND,
                "bool_or", SqlLibraryOperators.BOOL_OR));
        for (AggregateFunction function : AggregateFunction.ALL) {
            functions.put(function.getName(), function);
        }
        functions.put("variance", functions.get("var_samp"));
        functions.put("stddev", functions.get("stddev_samp"));
        return Map.copyOf(functions);
    }

    private static final Map<String, SqlAggFunction> WINDOW_ONLY = Map.ofEntries(
            Map.entry("row_number", SqlStdOperatorTable.ROW_NUMBER),
            Map.entry("rank", SqlStdOperatorTable.RANK),
            Map.entry("dense_rank", SqlStdOperatorTable.DENSE_RANK),
            Map.entry("percent_rank", SqlStdOperatorTable.PERCENT_RANK),
            Map.entry("cume_dist", SqlStdOperatorTable.CUME_DIST),
            Map.entry("ntile", SqlStdOperatorTable.NTILE),
            Map.entry("lag", SqlStdOperatorTable.LAG),
            Map.entry("lead", SqlStdOperatorTable.LEAD),
            Map.entry("first_value", SqlStdOperatorTable.FIRST_VALUE),
            Map.entry("last_value", SqlStdOperatorTable.LAST_VALUE),
            Map.entry("nth_value", SqlStdOperatorTable.NTH_VALUE));

    /// Whether a window function has a value in every row.
    static boolean isNeverNull(String name) {
        return switch (name) {
            case "count", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist" -> true;
            default -> false;
        };
    }

    static SqlAggFunction aggregate(String name) {
        return AGGREGATES.get(name);
    }

    static SqlAggFunction windowOnly(String name) {
        return WINDOW_ONLY.get(name);
    }

    /// The overloads of an aggregate but count, as signatures without `build`.
    static List<Signature> aggregateSignatures(String name) {
        List<Signature> signatures = new ArrayList<>();
        switch (name) {
            case "sum" -> {
                addAggregate(signatures, name, INT2, INT8);
                addAggregate(signatures, name, INT4, INT8);
                addAggregate(signatures, name, INT8, NUMERIC);
                addAggregate(signatures, name, FLOAT4, FLOAT4);
                addAggregate(signatures, name, FLOAT8, FLOAT8);
                addAggregate(signatures, name, NUMERIC, NUMERIC);
                addAggregate(signatures, name, INTERVAL, INTERVAL);
            }
            case "avg" -> {
                addAggregate(signatures, name, INTERVAL, INTERVAL);
                addAggregate(signatures, name, INT2, NUMERIC);
                addAggregate(signatures, name, INT4, NUMERIC);
                addAggregate(signatures, name, INT8, NUMERIC);
                addAggregate(signatures, name, NUMERIC, NUMERIC);
                addAggregate(signatures, name, FLOAT4, FLOAT8);
                addAggregate(signatures, name, FLOAT8, FLOAT8);
            }
            case "min", "max" -> {
                for (SqlType type : List.of(
                        INT2,
                        INT4,
                        INT8,
                        FLOAT4,
                        FLOAT8,
                        NUMERIC,
                        TEXT,
                        SqlType.BPCHAR,
                        SqlType.OID,
                        DATE,
                        TIMESTAMP,
                        TIMESTAMPTZ,
                        TIME,
                        INTERVAL,
                        BYTEA)) {
                    addAggregate(signatures, name, type, type);
                }
            }
            default -> {
                if (aggregate(name) instanceof AggregateFunction function) {
                    addAggregates(signatures, name, function.kind());
                } else {
                    addAggregate(signatures, name, BOOL, BOOL);
                }
            }
        }
        return signatures;
    }

    private static void addSketches(List<Signature> signatures, String name, SqlType result) {
        for (SqlType type : List.of(
                BOOL,
                INT2,
                INT4,
                INT8,
                FLOAT4,
                FLOAT8,
                NUMERIC,
                TEXT,
                SqlType.OID,
                DATE,
                TIMESTAMP,
                TIMESTAMPTZ,
                TIME,
                INTERVAL)) {
            addAggregate(signatures, name, type, result);
            addAggregates(signatures, name, List.of(type, INT4), result);
        }
    }

    private static void addAggregates(List<Signature> signatures, String name, AggregateKind kind) {
        switch (kind) {
            case BIT_AND, BIT_OR, BIT_XOR -> {
                for (SqlType type : List.of(INT2, INT4, INT8)) {
                    addAggregate(signatures, name, type, type);
                }
            }
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> {
                for (SqlType type : List.of(INT2, INT4, INT8, NUMERIC)) {
                    addAggregate(signatures, name, type, NUMERIC);
                }
                addAggregate(signatures, name, FLOAT4, FLOAT8);
                addAggregate(signatures, name, FLOAT8, FLOAT8);
            }
            case HLL_COUNT -> addSketches(signatures, name, INT8);
            case HLL_SKETCH -> addSketches(signatures, name, TEXT);
            case HLL_MERGE -> addAggregate(signatures, name, TEXT, TEXT);
            case HLL_MERGE_COUNT -> addAggregate(signatures, name, TEXT, INT8);
            case STRING_AGG -> {
                addAggregates(signatures, name, List.of(TEXT, TEXT), TEXT);
                addAggregates(signatures, name, List.of(BYTEA, BYTEA), BYTEA);
            }
            // The first is the fraction.
            case PERCENTILE_CONT -> addAggregates(signatures, name, List.of(FLOAT8, FLOAT8), FLOAT8);
            case PERCENTILE_DISC, PERCENTILES_CONT, PERCENTILES_DISC, MODE, ARRAY_AGG -> {}
            default ->
                addAggregates(
                        signatures, name, List.of(FLOAT8, FLOAT8), kind == AggregateKind.REGR_COUNT ? INT8 : FLOAT8);
        }
    }

    private static void addAggregate(List<Signature> signatures, String name, SqlType argument, SqlType result) {
        addAggregates(signatures, name, List.of(argument), result);
    }

    private static void addAggregates(
            List<Signature> signatures, String name, List<SqlType> arguments, SqlType result) {
        signatures.add(new Signature(name, arguments, result, (_, _) -> {
            throw new IllegalStateException(name + " is an aggregate");
        }));
    }

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
        spans();
        overlays();
        overlaps();
    }

    private static void add(String name, List<SqlType> arguments, SqlType result, Build build) {
        BUILT_IN.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Signature(name, arguments, result, build));
    }

    private static void add(String name, List<SqlType> arguments, SqlType result, SqlOperator operator) {
        add(name, arguments, result, (maker, values) -> maker.call(operator, maker.rel(result), values));
    }

    private static void text() {
        for (String name : List.of("length", "char_length", "character_length")) {
            add(name, List.of(TEXT), INT4, SqlStdOperatorTable.CHAR_LENGTH);
        }
        add("upper", List.of(TEXT), TEXT, SqlStdOperatorTable.UPPER);
        add("lower", List.of(TEXT), TEXT, SqlStdOperatorTable.LOWER);
        for (String name : List.of("substring", "substr")) {
            add(name, List.of(TEXT, INT4, INT4), TEXT, SqlStdOperatorTable.SUBSTRING);
            add(name, List.of(TEXT, INT4), TEXT, SqlStdOperatorTable.SUBSTRING);
            add(name, List.of(TEXT, TEXT), TEXT, refused("substring by a pattern"));
            add(name, List.of(TEXT, TEXT, TEXT), TEXT, refused("substring by a pattern"));
        }
        trim("btrim", SqlTrimFunction.Flag.BOTH);
        trim("ltrim", SqlTrimFunction.Flag.LEADING);
        trim("rtrim", SqlTrimFunction.Flag.TRAILING);
        opcode("reverse", Opcode.REVERSE, TEXT, TEXT);
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
        add("length", List.of(BYTEA), INT4, length);
        add("length", List.of(BYTEA, SqlType.NAME), INT4, refused("length of bytes in an encoding"));
        add("octet_length", List.of(BYTEA), INT4, length);
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
        opcode("bit_count", Opcode.BIT_COUNT, INT8, BYTEA);
        for (String name : List.of("substring", "substr")) {
            opcode(name, Opcode.SUBSTRING_BINARY, BYTEA, BYTEA, INT4, INT4);
            opcode(name, Opcode.SUBSTRING_FROM_BINARY, BYTEA, BYTEA, INT4);
        }
        opcode("position", Opcode.POSITION_BINARY, INT4, BYTEA, BYTEA);
        opcode("btrim", Opcode.BTRIM_BINARY, BYTEA, BYTEA, BYTEA);
        opcode("ltrim", Opcode.LTRIM_BINARY, BYTEA, BYTEA, BYTEA);
        opcode("rtrim", Opcode.RTRIM_BINARY, BYTEA, BYTEA, BYTEA);
        opcode("reverse", Opcode.REVERSE_BINARY, BYTEA, BYTEA);
        opcode("get_byte", Opcode.GET_BYTE, INT4, BYTEA, INT4);
        opcode("set_byte", Opcode.SET_BYTE, BYTEA, BYTEA, INT4, INT4);
        opcode("get_bit", Opcode.GET_BIT, INT4, BYTEA, INT8);
        opcode("set_bit", Opcode.SET_BIT, BYTEA, BYTEA, INT8, INT4);
        opcode("encode", Opcode.ENCODE, TEXT, BYTEA, TEXT);
        opcode("decode", Opcode.DECODE, BYTEA, TEXT, TEXT);
        OpcodeFunction md5 = opcode("md5", Opcode.MD5, TEXT, BYTEA);
        add(
                "md5",
                List.of(TEXT),
                TEXT,
                (maker, values) -> maker.call(md5, maker.rel(TEXT), bytes(maker, ofText, values)));
        opcode("sha224", Opcode.SHA224, BYTEA, BYTEA);
        opcode("sha256", Opcode.SHA256, BYTEA, BYTEA);
        opcode("sha384", Opcode.SHA384, BYTEA, BYTEA);
        opcode("sha512", Opcode.SHA512, BYTEA, BYTEA);
        opcode("crc32", Opcode.CRC32, INT8, BYTEA);
        opcode("crc32c", Opcode.CRC32C, INT8, BYTEA);
        add(
                "convert_to",
                List.of(TEXT, TEXT),
                BYTEA,
                (maker, values) -> maker.call(ofText, maker.rel(BYTEA), inUtf8("convert_to", values)));
        OpcodeFunction toText = new OpcodeFunction(Opcode.BYTES_UTF8, List.of(BYTEA), TEXT);
        add(
                "convert_from",
                List.of(BYTEA, TEXT),
                TEXT,
                (maker, values) -> maker.call(toText, maker.rel(TEXT), inUtf8("convert_from", values)));
    }

    private static final ScalarFunctionOperator RANDOM_UUID = new ScalarFunctionOperator(new ScalarFunction(
            "gen_random_uuid", List.of(PgType.INT4), PgType.UUID, true, (_, _) -> java.util.UUID.randomUUID()));

    private static void overlays() {
        for (SqlType type : List.of(TEXT, BYTEA)) {
            add("overlay", List.of(type, type, INT4, INT4), type, (maker, values) -> overlay(maker, type, values));
            add("overlay", List.of(type, type, INT4), type, (maker, values) -> overlay(maker, type, values));
        }
        for (String name : List.of("gen_random_uuid", "uuidv4")) {
            add(
                    name,
                    List.of(),
                    SqlType.UUID,
                    (maker, _) -> maker.volatileCall(RANDOM_UUID, maker.nullable(maker.rel(SqlType.UUID), true)));
        }
    }

    /// What is in front of the place, the new part, and what is behind as many characters as that has, or as are
    /// given.
    private static RexNode overlay(RexMaker maker, SqlType type, List<RexNode> values) {
        RexNode text = values.get(0);
        RexNode part = values.get(1);
        RexNode from = values.get(2);
        RexNode length = values.size() > 3 ? values.get(3) : built("length", List.of(type), maker, part);
        RexNode before = maker.call(SqlStdOperatorTable.MINUS, maker.rel(INT4), from, maker.integer(1, INT4));
        RexNode behind = maker.call(SqlStdOperatorTable.PLUS, maker.rel(INT4), from, length);
        RexNode head = built("substring", List.of(type, INT4, INT4), maker, text, maker.integer(1, INT4), before);
        RexNode tail = built("substring", List.of(type, INT4), maker, text, behind);
        Build join = Operators.binary("||").stream()
                .filter(each -> each.arguments().equals(List.of(type, type)))
                .findFirst()
                .map(Signature::build)
                .orElse((m, both) -> m.call(SqlStdOperatorTable.CONCAT, m.rel(TEXT), both));
        return join.apply(maker, List.of(join.apply(maker, List.of(head, part)), tail));
    }

    private static RexNode built(String name, List<SqlType> types, RexMaker maker, RexNode... values) {
        return BUILT_IN.get(name).stream()
                .filter(each -> each.arguments().equals(types))
                .findFirst()
                .orElseThrow()
                .build()
                .apply(maker, List.of(values));
    }

    /// What PostgreSQL has and we lack, of a name of which we have others.
    private static Build refused(String what) {
        return (_, _) -> {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + what);
        };
    }

    private static OpcodeFunction opcode(String name, Opcode opcode, SqlType result, SqlType... arguments) {
        OpcodeFunction function = new OpcodeFunction(opcode, List.of(arguments), result);
        add(name, List.of(arguments), result, function);
        return function;
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
        for (String name : List.of("ceil", "ceiling")) {
            add(name, List.of(NUMERIC), NUMERIC, whole(SqlStdOperatorTable.CEIL));
            add(name, List.of(FLOAT8), FLOAT8, SqlStdOperatorTable.CEIL);
        }
        add("floor", List.of(NUMERIC), NUMERIC, whole(SqlStdOperatorTable.FLOOR));
        add("floor", List.of(FLOAT8), FLOAT8, SqlStdOperatorTable.FLOOR);
        add("sign", List.of(NUMERIC), NUMERIC, (maker, values) -> sign(maker, values.get(0), NUMERIC));
        add("sign", List.of(FLOAT8), FLOAT8, (maker, values) -> sign(maker, values.get(0), FLOAT8));
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

    /// NaN is its own sign; zero of a float keeps no sign.
    private static RexNode sign(RexMaker maker, RexNode value, SqlType type) {
        RexNode zero = number(maker, 0, type);
        RexNode same = type == NUMERIC ? maker.cast(SqlTypes.numeric(maker.factory()), value) : value;
        return maker.builder()
                .makeCall(
                        maker.nullable(
                                type == NUMERIC ? SqlTypes.numeric(maker.factory()) : maker.rel(type),
                                value.getType().isNullable()),
                        SqlStdOperatorTable.CASE,
                        List.of(
                                maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), same, zero),
                                zero,
                                maker.call(SqlStdOperatorTable.LESS_THAN, maker.bool(), same, zero),
                                number(maker, -1, type),
                                isNaN(maker, same, type),
                                same,
                                maker.call(SqlStdOperatorTable.GREATER_THAN, maker.bool(), same, zero),
                                number(maker, 1, type),
                                same));
    }

    private static RexNode isNaN(RexMaker maker, RexNode value, SqlType type) {
        return type == NUMERIC
                ? maker.literal(false)
                : maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), value, maker.float8(Double.NaN));
    }

    private static RexNode number(RexMaker maker, long value, SqlType type) {
        return type == NUMERIC
                ? maker.decimal(BigDecimal.valueOf(value), SqlTypes.numeric(maker.factory()))
                : maker.float8(value);
    }

    private static void addOpcode(String name, Opcode op, List<SqlType> arguments, SqlType result) {
        add(name, arguments, result, Operators.opcode(op, arguments, result));
    }

    private static void spans() {
        addOpcode("justify_days", Opcode.JUSTIFY_DAYS, List.of(INTERVAL), INTERVAL);
        addOpcode("justify_hours", Opcode.JUSTIFY_HOURS, List.of(INTERVAL), INTERVAL);
        addOpcode("justify_interval", Opcode.JUSTIFY_INTERVAL, List.of(INTERVAL), INTERVAL);
        for (SqlType type : List.of(TIMESTAMP, TIMESTAMPTZ)) {
            addOpcode("age", Opcode.AGE_TIMESTAMP, List.of(type, type), INTERVAL);
            add(
                    "age",
                    List.of(type),
                    INTERVAL,
                    (maker, values) -> maker.call(
                            new OpcodeFunction(Opcode.AGE_TIMESTAMP, List.of(type, type), INTERVAL),
                            maker.rel(INTERVAL),
                            maker.cast(maker.rel(type), maker.call(SqlStdOperatorTable.CURRENT_DATE, maker.rel(DATE))),
                            values.get(0)));
            addOpcode("date_bin", Opcode.BIN_TIMESTAMP, List.of(INTERVAL, type, type), type);
            addOpcode("isfinite", Opcode.IS_FINITE_TIMESTAMP, List.of(type), BOOL);
        }
        addOpcode("isfinite", Opcode.IS_FINITE_DATE, List.of(DATE), BOOL);
        addOpcode("isfinite", Opcode.IS_FINITE_INTERVAL, List.of(INTERVAL), BOOL);
        addOpcode("to_timestamp", Opcode.EPOCH_TIMESTAMP, List.of(FLOAT8), TIMESTAMPTZ);
        addOpcode("make_date", Opcode.MAKE_DATE, List.of(INT4, INT4, INT4), DATE);
        addOpcode("make_time", Opcode.MAKE_TIME, List.of(INT4, INT4, FLOAT8), TIME);
        addOpcode("make_timestamp", Opcode.MAKE_TIMESTAMP, List.of(INT4, INT4, INT4, INT4, INT4, FLOAT8), TIMESTAMP);
        for (int count = 0; count <= INTERVAL_FIELDS.size(); count++) {
            add("make_interval", INTERVAL_FIELDS.subList(0, count), INTERVAL, FunctionTable::makeInterval);
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
        add("current_date", List.of(), DATE, SqlStdOperatorTable.CURRENT_DATE);
        for (String name : List.of("now", "current_timestamp", "transaction_timestamp")) {
            add(name, List.of(), TIMESTAMPTZ, PostgresFunctions.NOW);
        }
        add(
                "localtimestamp",
                List.of(),
                TIMESTAMP,
                (maker, _) ->
                        maker.cast(maker.rel(TIMESTAMP), maker.call(PostgresFunctions.NOW, maker.rel(TIMESTAMPTZ))));
        add(
                "localtime",
                List.of(),
                TIME,
                (maker, _) -> maker.cast(maker.rel(TIME), maker.call(PostgresFunctions.NOW, maker.rel(TIMESTAMPTZ))));
        Build rounded = Operators.opcode(Opcode.ROUND_TIMESTAMP, List.of(TIMESTAMPTZ, INT4), TIMESTAMPTZ);
        for (String name : List.of("current_timestamp", "localtimestamp", "localtime")) {
            SqlType type = name.equals("current_timestamp") ? TIMESTAMPTZ : name.equals("localtime") ? TIME : TIMESTAMP;
            add(
                    name,
                    List.of(INT4),
                    type,
                    (maker, values) -> maker.cast(
                            maker.rel(type),
                            rounded.apply(
                                    maker,
                                    List.of(
                                            maker.call(PostgresFunctions.NOW, maker.rel(TIMESTAMPTZ)),
                                            values.getFirst()))));
        }
        add("date", List.of(TIMESTAMP), DATE, (maker, values) -> maker.cast(maker.rel(DATE), values.get(0)));
        add("date", List.of(TIMESTAMPTZ), DATE, (maker, values) -> maker.cast(maker.rel(DATE), values.get(0)));
    }
}
