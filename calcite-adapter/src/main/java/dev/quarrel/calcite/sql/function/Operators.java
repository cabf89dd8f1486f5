package dev.quarrel.calcite.sql.function;

import static dev.quarrel.calcite.sql.type.SqlType.BIT;
import static dev.quarrel.calcite.sql.type.SqlType.BOOL;
import static dev.quarrel.calcite.sql.type.SqlType.BPCHAR;
import static dev.quarrel.calcite.sql.type.SqlType.BYTEA;
import static dev.quarrel.calcite.sql.type.SqlType.CHAR;
import static dev.quarrel.calcite.sql.type.SqlType.CIDR;
import static dev.quarrel.calcite.sql.type.SqlType.DATE;
import static dev.quarrel.calcite.sql.type.SqlType.FLOAT4;
import static dev.quarrel.calcite.sql.type.SqlType.FLOAT8;
import static dev.quarrel.calcite.sql.type.SqlType.INET;
import static dev.quarrel.calcite.sql.type.SqlType.INT2;
import static dev.quarrel.calcite.sql.type.SqlType.INT4;
import static dev.quarrel.calcite.sql.type.SqlType.INT8;
import static dev.quarrel.calcite.sql.type.SqlType.INTERVAL;
import static dev.quarrel.calcite.sql.type.SqlType.JSON;
import static dev.quarrel.calcite.sql.type.SqlType.JSONB;
import static dev.quarrel.calcite.sql.type.SqlType.JSONPATH;
import static dev.quarrel.calcite.sql.type.SqlType.JSON_ARRAY;
import static dev.quarrel.calcite.sql.type.SqlType.MACADDR;
import static dev.quarrel.calcite.sql.type.SqlType.MACADDR8;
import static dev.quarrel.calcite.sql.type.SqlType.MONEY;
import static dev.quarrel.calcite.sql.type.SqlType.NAME;
import static dev.quarrel.calcite.sql.type.SqlType.NUMERIC;
import static dev.quarrel.calcite.sql.type.SqlType.OID;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT_ARRAY;
import static dev.quarrel.calcite.sql.type.SqlType.TIME;
import static dev.quarrel.calcite.sql.type.SqlType.TIMESTAMP;
import static dev.quarrel.calcite.sql.type.SqlType.TIMESTAMPTZ;
import static dev.quarrel.calcite.sql.type.SqlType.TIMETZ;
import static dev.quarrel.calcite.sql.type.SqlType.UUID;
import static dev.quarrel.calcite.sql.type.SqlType.VARBIT;
import static dev.quarrel.calcite.sql.type.SqlType.WIDE_NUMERIC;

import dev.quarrel.calcite.sql.function.Signature.Build;
import dev.quarrel.calcite.sql.type.PostgresRelType;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.RangeRows;
import dev.quarrel.core.function.RecordRows;
import dev.quarrel.core.function.ValueOperation;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// The table of PostgreSQL's operators, by symbol, for the types that Quarrel has.
///
/// - Source: PostgreSQL's `pg_operator.dat`.
public final class Operators {
    private static final Map<String, SqlOperator> COMPARISONS = Map.of(
            "=", SqlStdOperatorTable.EQUALS,
            "<>", SqlStdOperatorTable.NOT_EQUALS,
            "<", SqlStdOperatorTable.LESS_THAN,
            "<=", SqlStdOperatorTable.LESS_THAN_OR_EQUAL,
            ">", SqlStdOperatorTable.GREATER_THAN,
            ">=", SqlStdOperatorTable.GREATER_THAN_OR_EQUAL);
    private static final Map<String, List<Signature>> BINARY = new HashMap<>();
    private static final Map<String, List<Signature>> PREFIX = new HashMap<>();

    /// Operators of PostgreSQL's for which Quarrel has no row at all.
    public static final Set<String> UNSUPPORTED = Set.of("@@", "~=", "<->", "!!");

    private Operators() {}

    static {
        comparisons();
        bytewise();
        arithmetic();
        dates();
        bytes();
        intervals();
        patterns();
        keyed();
        arrays();
        functions();
        documents();
        bits();
        networks();
        money();
        ranges();
        timesWithZone();
    }

    /// Operators that are functions of the catalog.
    private static void functions() {
        for (SqlType type : List.of(INT2, INT4, INT8)) {
            String name = type.pgType().typeName();
            addFunction("&", name + "and", type, type);
            addFunction("|", name + "or", type, type);
            addFunction("#", name + "xor", type, type);
            addFunction("<<", name + "shl", type, INT4);
            addFunction(">>", name + "shr", type, INT4);
            addFunction("~", name + "not", type);
        }
        Map.of(
                        "+", "numeric_add",
                        "-", "numeric_sub",
                        "*", "numeric_mul",
                        "/", "numeric_div",
                        "%", "numeric_mod")
                .forEach((symbol, name) -> addFunction(symbol, name, WIDE_NUMERIC, WIDE_NUMERIC));
        Map.of("+", "numeric_uplus", "-", "numeric_uminus", "@", "numeric_abs")
                .forEach((symbol, name) -> addFunction(symbol, name, WIDE_NUMERIC));
        for (SqlType type : List.of(FLOAT8, NUMERIC, WIDE_NUMERIC)) {
            addFunction("^", "power", type, type);
        }
        addFunction("^@", "starts_with", TEXT, TEXT);
        addFunction("|/", "sqrt", FLOAT8);
        addFunction("||/", "cbrt", FLOAT8);
        for (SqlType type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC)) {
            addPrefix(
                    "@",
                    type,
                    (maker, arguments) ->
                            maker.call(SqlStdOperatorTable.ABS, arguments.get(0).getType(), arguments));
        }
    }

    private static void bits() {
        addFunction("&", "bitand", BIT, BIT);
        addFunction("|", "bitor", BIT, BIT);
        addFunction("#", "bitxor", BIT, BIT);
        addFunction("<<", "bitshiftleft", BIT, INT4);
        addFunction(">>", "bitshiftright", BIT, INT4);
        addFunction("~", "bitnot", BIT);
        addFunction("||", "bitcat", VARBIT, VARBIT);
    }

    private static void networks() {
        Map.of(
                        "<<", "network_sub",
                        "<<=", "network_subeq",
                        ">>", "network_sup",
                        ">>=", "network_supeq",
                        "&&", "network_overlap",
                        "&", "inetand",
                        "|", "inetor",
                        "-", "inetmi")
                .forEach((symbol, name) -> addFunction(symbol, name, INET, INET));
        addFunction("~", "inetnot", INET);
        addFunction("+", "inetpl", INET, INT8);
        addFunction("+", "int8pl_inet", INT8, INET);
        addFunction("-", "inetmi_int8", INET, INT8);
        for (SqlType type : List.of(MACADDR, MACADDR8)) {
            String name = type.pgType().typeName();
            addFunction("~", name + "_not", type);
            addFunction("&", name + "_and", type, type);
            addFunction("|", name + "_or", type, type);
        }
    }

    private static void money() {
        addFunction("+", "cash_pl", MONEY, MONEY);
        addFunction("-", "cash_mi", MONEY, MONEY);
        addFunction("/", "cash_div_cash", MONEY, MONEY);
        Map.of("int2", INT2, "int4", INT4, "int8", INT8, "flt4", FLOAT4, "flt8", FLOAT8)
                .forEach((name, type) -> {
                    addFunction("*", "cash_mul_" + name, MONEY, type);
                    addFunction("*", name + "_mul_cash", type, MONEY);
                    addFunction("/", "cash_div_" + name, MONEY, type);
                });
    }

    private static void timesWithZone() {
        addFunction("+", "timetz_pl_interval", TIMETZ, INTERVAL);
        addFunction("-", "timetz_mi_interval", TIMETZ, INTERVAL);
        addFunction("+", "timestamptz", DATE, TIMETZ);
        addSwapped(
                "+",
                INTERVAL,
                TIMETZ,
                TIMETZ,
                exact("+", List.of(TIMETZ, INTERVAL)).orElseThrow().build());
        addSwapped(
                "+",
                TIMETZ,
                DATE,
                TIMESTAMPTZ,
                exact("+", List.of(DATE, TIMETZ)).orElseThrow().build());
    }

    private static void ranges() {
        for (SqlType range : SqlType.values()) {
            SqlType element = range.rangeOf();
            if (element == null || range.pgType() != element.pgType().range()) {
                continue;
            }
            SqlType multi = SqlType.of(element.pgType().multirange());
            RangeRows.OPERATORS.forEach((symbol, operation) -> {
                for (SqlType left : List.of(range, multi)) {
                    for (SqlType right : List.of(range, multi)) {
                        addOf(symbol, RangeRows.name(operation, left == multi, right == multi), element, left, right);
                    }
                }
            });
            for (SqlType type : List.of(range, multi)) {
                String name = type == range ? "range" : "multirange";
                addOf("@>", name + "_contains_elem", element, type, element);
                addOf("<@", "elem_contained_by_" + name, element, element, type);
                addOf("+", name + "_union", element, type, type);
                addOf("-", name + "_minus", element, type, type);
                addOf("*", name + "_intersect", element, type, type);
            }
        }
    }

    private static void addOf(String symbol, String name, SqlType element, SqlType left, SqlType right) {
        FunctionRow row = FunctionCatalog.named(name).getFirst().of(element.pgType());
        add(symbol, left, right, SqlType.of(row.result()), CatalogFunction.build(row));
    }

    private static void documents() {
        for (SqlType type : List.of(JSON, JSONB)) {
            String name = type.pgType().typeName();
            addFunction("->", name + "_object_field", type, TEXT);
            addFunction("->", name + "_array_element", type, INT4);
            addFunction("->>", name + "_object_field_text", type, TEXT);
            addFunction("->>", name + "_array_element_text", type, INT4);
            addFunction("#>", name + "_extract_path", type, TEXT_ARRAY);
            addFunction("#>>", name + "_extract_path_text", type, TEXT_ARRAY);
        }
        addFunction("=", "jsonb_eq", JSONB, JSONB);
        addFunction("<>", "jsonb_ne", JSONB, JSONB);
        addFunction("<", "jsonb_lt", JSONB, JSONB);
        addFunction("<=", "jsonb_le", JSONB, JSONB);
        addFunction(">", "jsonb_gt", JSONB, JSONB);
        addFunction(">=", "jsonb_ge", JSONB, JSONB);
        addFunction("@>", "jsonb_contains", JSONB, JSONB);
        addFunction("<@", "jsonb_contained", JSONB, JSONB);
        addFunction("?", "jsonb_exists", JSONB, TEXT);
        addFunction("?|", "jsonb_exists_any", JSONB, TEXT_ARRAY);
        addFunction("?&", "jsonb_exists_all", JSONB, TEXT_ARRAY);
        addFunction("@?", "jsonb_path_exists_opr", JSONB, JSONPATH);
        addFunction("@@", "jsonb_path_match_opr", JSONB, JSONPATH);
        addFunction("||", "jsonb_concat", JSONB, JSONB);
        addFunction("-", "jsonb_delete", JSONB, TEXT);
        addFunction("-", "jsonb_delete", JSONB, INT4);
        addFunction("-", "jsonb_delete", JSONB, TEXT_ARRAY);
        addFunction("#-", "jsonb_delete_path", JSONB, TEXT_ARRAY);
    }

    /// @param types of the operands: one for an operator that stands before it
    private static void addFunction(String symbol, String name, SqlType... types) {
        List<SqlType> operands = List.of(types);
        FunctionRow row = FunctionCatalog.find(
                        name, operands.stream().map(SqlType::pgType).toList())
                .orElseThrow();
        (operands.size() == 1 ? PREFIX : BINARY)
                .computeIfAbsent(symbol, _ -> new ArrayList<>())
                .add(new Signature(symbol, operands, SqlType.of(row.result()), CatalogFunction.build(row)));
    }

    public static List<Signature> binary(String symbol) {
        return BINARY.getOrDefault(symbol, List.of());
    }

    /// The operator of operands of just these types: one for an operator that stands before it.
    public static Optional<Signature> exact(String symbol, List<SqlType> operands) {
        return (operands.size() == 1 ? prefix(symbol) : binary(symbol))
                .stream().filter(each -> each.arguments().equals(operands)).findFirst();
    }

    public static List<Signature> prefix(String symbol) {
        return PREFIX.getOrDefault(symbol, List.of());
    }

    private static void add(String symbol, SqlType left, SqlType right, SqlType result, Build build) {
        BINARY.computeIfAbsent(symbol, _ -> new ArrayList<>())
                .add(new Signature(symbol, List.of(left, right), result, build));
    }

    private static void addPrefix(String symbol, SqlType type, Build build) {
        PREFIX.computeIfAbsent(symbol, _ -> new ArrayList<>()).add(new Signature(symbol, List.of(type), type, build));
    }

    private static void comparisons() {
        List<SqlType> same = List.of(
                BOOL,
                INT2,
                INT4,
                INT8,
                FLOAT4,
                FLOAT8,
                NUMERIC,
                TEXT,
                BPCHAR,
                NAME,
                CHAR,
                OID,
                DATE,
                TIMESTAMP,
                TIMESTAMPTZ,
                TIME,
                INTERVAL,
                UUID,
                BYTEA);
        List<List<SqlType>> crossed = List.of(
                List.of(INT2, INT4),
                List.of(INT2, INT8),
                List.of(INT4, INT8),
                List.of(FLOAT4, FLOAT8),
                List.of(NAME, TEXT),
                List.of(DATE, TIMESTAMP),
                List.of(DATE, TIMESTAMPTZ),
                List.of(TIMESTAMP, TIMESTAMPTZ));
        COMPARISONS.forEach((symbol, operator) -> {
            for (SqlType type : same) {
                add(symbol, type, type, BOOL, (maker, arguments) -> compared(maker, operator, type, arguments));
            }
            for (List<SqlType> pair : crossed) {
                SqlType wider = pair.get(1);
                Build build = (maker, arguments) -> compared(maker, operator, wider, arguments);
                add(symbol, pair.get(0), wider, BOOL, build);
                add(symbol, wider, pair.get(0), BOOL, build);
            }
        });
    }

    /// Comparisons by bytes, whatever the collation: as all of ours are.
    private static void bytewise() {
        Map<String, SqlOperator> operators = Map.of(
                "~<~", SqlStdOperatorTable.LESS_THAN,
                "~<=~", SqlStdOperatorTable.LESS_THAN_OR_EQUAL,
                "~>~", SqlStdOperatorTable.GREATER_THAN,
                "~>=~", SqlStdOperatorTable.GREATER_THAN_OR_EQUAL);
        operators.forEach((symbol, operator) -> {
            for (SqlType type : List.of(TEXT, BPCHAR)) {
                add(symbol, type, type, BOOL, (maker, arguments) -> compared(maker, operator, type, arguments));
            }
        });
    }

    private static RexNode compared(RexMaker maker, SqlOperator operator, SqlType type, List<RexNode> arguments) {
        return maker.call(operator, maker.bool(), comparable(maker, type, arguments));
    }

    /// Operands of one kind; numeric ones stay DECIMAL of different scales if both are.
    static List<RexNode> comparable(RexMaker maker, SqlType type, List<RexNode> arguments) {
        if (type.isText() || type == BOOL) {
            return arguments;
        }
        if (type == NUMERIC) {
            return isStatic(arguments) ? arguments : numeric(maker, arguments);
        }
        return arguments.stream().map(each -> maker.cast(maker.rel(type), each)).toList();
    }

    private static boolean isStatic(List<RexNode> arguments) {
        return arguments.stream().noneMatch(each -> SqlTypes.isNumeric(each.getType()));
    }

    private static List<RexNode> numeric(RexMaker maker, List<RexNode> arguments) {
        return arguments.stream()
                .map(each -> maker.cast(SqlTypes.numeric(maker.factory()), each))
                .toList();
    }

    private static void arithmetic() {
        Map<String, SqlOperator> operators = Map.of(
                "+", SqlStdOperatorTable.PLUS,
                "-", SqlStdOperatorTable.MINUS,
                "*", SqlStdOperatorTable.MULTIPLY,
                "/", SqlStdOperatorTable.DIVIDE,
                "%", SqlStdOperatorTable.MOD);
        List<SqlType> integers = List.of(INT2, INT4, INT8);
        operators.forEach((symbol, operator) -> {
            for (SqlType left : integers) {
                for (SqlType right : integers) {
                    SqlType wider = left.compareTo(right) > 0 ? left : right;
                    boolean crossed = left != right;
                    if (!symbol.equals("%") || !crossed) {
                        add(symbol, left, right, wider, (maker, arguments) -> typed(maker, operator, wider, arguments));
                    }
                }
            }
            if (!symbol.equals("%")) {
                for (SqlType left : List.of(FLOAT4, FLOAT8)) {
                    for (SqlType right : List.of(FLOAT4, FLOAT8)) {
                        SqlType wider = left == FLOAT8 ? left : right;
                        add(symbol, left, right, wider, (maker, arguments) -> typed(maker, operator, wider, arguments));
                    }
                }
            }
            add(symbol, NUMERIC, NUMERIC, NUMERIC, (maker, arguments) -> decimal(maker, symbol, operator, arguments));
        });
        for (SqlType type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC)) {
            addPrefix(
                    "-",
                    type,
                    (maker, arguments) -> maker.call(
                            SqlStdOperatorTable.UNARY_MINUS, arguments.get(0).getType(), arguments));
            addPrefix("+", type, (_, arguments) -> arguments.get(0));
        }
    }

    private static RexNode typed(RexMaker maker, SqlOperator operator, SqlType type, List<RexNode> arguments) {
        RelDataType result = maker.rel(type);
        return maker.call(
                operator,
                result,
                arguments.stream().map(each -> maker.cast(result, each)).toList());
    }

    /// numeric arithmetic: the scale is known for + - * % of known scales, and is the values' own otherwise.
    static RexNode decimal(RexMaker maker, String symbol, SqlOperator operator, List<RexNode> arguments) {
        RelDataType left = arguments.get(0).getType();
        RelDataType right = arguments.get(1).getType();
        RelDataType result = null;
        if (isStatic(arguments)) {
            int scale = Math.max(left.getScale(), right.getScale());
            int whole = Math.max(left.getPrecision() - left.getScale(), right.getPrecision() - right.getScale());
            result = switch (symbol) {
                case "+", "-" -> maker.decimal(whole + scale + 1, scale);
                case "*" ->
                    maker.decimal(left.getPrecision() + right.getPrecision(), left.getScale() + right.getScale());
                case "%" -> maker.decimal(whole + scale, scale);
                default -> null;
            };
        }
        if (result == null || SqlTypes.isNumeric(result)) {
            return maker.call(operator, SqlTypes.numeric(maker.factory()), numeric(maker, arguments));
        }
        return maker.call(operator, result, arguments);
    }

    private static void dates() {
        Build plus = (maker, arguments) -> maker.call(SqlStdOperatorTable.PLUS, maker.rel(DATE), arguments);
        add("+", DATE, INT4, DATE, plus);
        add(
                "+",
                INT4,
                DATE,
                DATE,
                (maker, arguments) -> plus.apply(maker, List.of(arguments.get(1), arguments.get(0))));
        add(
                "-",
                DATE,
                INT4,
                DATE,
                (maker, arguments) -> maker.call(SqlStdOperatorTable.MINUS, maker.rel(DATE), arguments));
        add(
                "-",
                DATE,
                DATE,
                INT4,
                (maker, arguments) -> maker.call(SqlStdOperatorTable.MINUS, maker.rel(INT4), arguments));
    }

    private static void bytes() {
        OpcodeFunction concat = new OpcodeFunction(Opcode.CONCAT_BINARY, List.of(BYTEA, BYTEA), BYTEA);
        add("~~", BYTEA, BYTEA, BOOL, (maker, arguments) -> like(maker, arguments.get(0), arguments.get(1), null));
        add(
                "!~~",
                BYTEA,
                BYTEA,
                BOOL,
                (maker, arguments) -> maker.not(like(maker, arguments.get(0), arguments.get(1), null)));
        add("||", BYTEA, BYTEA, BYTEA, (maker, arguments) -> maker.call(concat, maker.rel(BYTEA), arguments));
    }

    private static final OpcodeFunction LIKE_BYTES =
            new OpcodeFunction(Opcode.LIKE_BINARY, List.of(BYTEA, BYTEA, BYTEA), BOOL);

    /// LIKE over bytes.
    ///
    /// @param escape null for the backslash
    public static RexNode like(RexMaker maker, RexNode value, RexNode pattern, RexNode escape) {
        RexNode backslash = maker.cast(maker.rel(BYTEA), maker.string("\\x5c", maker.rel(TEXT)));
        return maker.call(LIKE_BYTES, maker.bool(), value, pattern, escape == null ? backslash : escape);
    }

    /// Arrays, and other keyed values, compare by keys that order as they do, or by their texts where these are
    /// equal if the values are.
    private static void keyed() {
        for (SqlType type : SqlType.values()) {
            // Networks compare as addresses do, of which they are some.
            if (!type.isKeyed() || type == CIDR) {
                continue;
            }
            COMPARISONS.forEach((symbol, operator) -> {
                boolean byText = type.isEqualAsText() && (symbol.equals("=") || symbol.equals("<>"));
                add(symbol, type, type, BOOL, (maker, arguments) -> {
                    List<RexNode> compared = byText
                            ? arguments
                            : arguments.stream()
                                    .map(each -> orderKey(maker, each))
                                    .toList();
                    return maker.call(operator, maker.bool(), compared);
                });
            });
        }
    }

    private static void arrays() {
        for (SqlType type : SqlType.values()) {
            if (!type.isArray() || type == JSON_ARRAY) {
                continue;
            }
            PgType element = type.pgType().element();
            Map.of("@>", "arraycontains", "<@", "arraycontained", "&&", "arrayoverlap")
                    .forEach((symbol, name) -> {
                        FunctionRow row = FunctionCatalog.named(name).getFirst().of(element);
                        add(symbol, type, type, BOOL, CatalogFunction.build(row));
                    });
        }
    }

    /// Whether values are ordered by bytes that are made of them: [#orderKey].
    public static boolean hasOrderKey(RelDataType type) {
        return SqlTypes.isKeyed(type) || SqlTypes.pgType(type) == PgType.JSONB || SqlTypes.isKeyedRow(type);
    }

    /// What orders as the value does: bytes for an array, a jsonb or another keyed value, else the value.
    public static RexNode orderKey(RexMaker maker, RexNode value) {
        if (!hasOrderKey(value.getType())) {
            return value;
        }
        if (SqlTypes.isKeyedRow(value.getType())) {
            return ofRows(maker, value, RecordRows.KEY, RecordRows.ARRAY_KEY);
        }
        PgType type = SqlTypes.pgType(value.getType());
        FunctionRow row = type == PgType.JSONB
                ? FunctionCatalog.internal("jsonb_key")
                : type.isArray() ? ArrayOperation.key(type.element()) : ValueOperation.key(type);
        return CatalogFunction.call(maker, row, List.of(value));
    }

    private static RexNode ofRows(RexMaker maker, RexNode value, FunctionRow ofRow, FunctionRow ofArray) {
        String shape = ((PostgresRelType) value.getType()).shape().text();
        FunctionRow row = SqlTypes.other(value.getType()).isRow() ? ofRow : ofArray;
        return CatalogFunction.call(maker, row, List.of(value, maker.string(shape, maker.rel(SqlType.TEXT))));
    }

    /// Keyed values by a function that finds one of them: it sees bytes that order as they do.
    public static RexNode ranked(RexMaker maker, RexNode value) {
        if (SqlTypes.isKeyedRow(value.getType())) {
            return ofRows(maker, value, RecordRows.RANKED, RecordRows.ARRAY_RANKED);
        }
        return CatalogFunction.call(maker, ValueOperation.ranked(SqlTypes.pgType(value.getType())), List.of(value));
    }

    /// The row, or array of rows, in what [#ranked] gave.
    ///
    /// @param type NOT NULL
    public static RexNode unrankedRow(RexMaker maker, RexNode bytes, RelDataType type) {
        RexCall text = (RexCall) CatalogFunction.call(maker, RecordRows.UNRANKED, List.of(bytes));
        return maker.builder().makeCall(maker.nullable(type, true), text.getOperator(), text.getOperands());
    }

    /// The value in what [#ranked] gave.
    public static RexNode unranked(RexMaker maker, RexNode bytes, SqlType type) {
        return CatalogFunction.call(maker, ValueOperation.unranked(type.pgType()), List.of(bytes));
    }

    /// The operands are the opcode's arguments.
    public static Build opcode(Opcode op, List<SqlType> types, SqlType result) {
        OpcodeFunction function = new OpcodeFunction(op, types, result);
        return (maker, arguments) -> maker.call(function, maker.rel(result), arguments);
    }

    private static void addOpcode(String symbol, Opcode op, SqlType left, SqlType right, SqlType result) {
        add(symbol, left, right, result, opcode(op, List.of(left, right), result));
    }

    private static void addSwapped(String symbol, SqlType left, SqlType right, SqlType result, Build build) {
        add(symbol, left, right, result, (maker, arguments) -> build.apply(maker, arguments.reversed()));
    }

    private static void intervals() {
        for (SqlType type : List.of(DATE, TIMESTAMP, TIMESTAMPTZ)) {
            SqlType result = type == DATE ? TIMESTAMP : type;
            Build plus = moved(Opcode.ADD_TIMESTAMP_INTERVAL, result);
            add("+", type, INTERVAL, result, plus);
            addSwapped("+", INTERVAL, type, result, plus);
            add("-", type, INTERVAL, result, moved(Opcode.SUB_TIMESTAMP_INTERVAL, result));
        }
        addOpcode("-", Opcode.SUB_TIMESTAMP_TIMESTAMP, TIMESTAMP, TIMESTAMP, INTERVAL);
        addOpcode("-", Opcode.SUB_TIMESTAMP_TIMESTAMP, TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL);
        addBothWays("+", Opcode.ADD_TIME_INTERVAL, TIME, INTERVAL, TIME);
        addOpcode("-", Opcode.SUB_TIME_INTERVAL, TIME, INTERVAL, TIME);
        addOpcode("-", Opcode.SUB_TIME_TIME, TIME, TIME, INTERVAL);
        addBothWays("+", Opcode.ADD_DATE_TIME, DATE, TIME, TIMESTAMP);
        addOpcode("+", Opcode.ADD_INTERVAL, INTERVAL, INTERVAL, INTERVAL);
        addOpcode("-", Opcode.SUB_INTERVAL, INTERVAL, INTERVAL, INTERVAL);
        addPrefix("-", INTERVAL, opcode(Opcode.NEG_INTERVAL, List.of(INTERVAL), INTERVAL));
        addBothWays("*", Opcode.MUL_INTERVAL, INTERVAL, FLOAT8, INTERVAL);
        addOpcode("/", Opcode.DIV_INTERVAL, INTERVAL, FLOAT8, INTERVAL);
    }

    private static void addBothWays(String symbol, Opcode op, SqlType left, SqlType right, SqlType result) {
        addOpcode(symbol, op, left, right, result);
        addSwapped(symbol, right, left, result, opcode(op, List.of(left, right), result));
    }

    /// A date is moved as the timestamp of its midnight.
    static Build moved(Opcode op, SqlType type) {
        OpcodeFunction function = new OpcodeFunction(op, List.of(type, INTERVAL), type);
        return (maker, arguments) ->
                maker.call(function, maker.rel(type), maker.cast(maker.rel(type), arguments.get(0)), arguments.get(1));
    }

    private static void patterns() {
        patterns("~~", SqlStdOperatorTable.LIKE, false);
        patterns("!~~", SqlStdOperatorTable.LIKE, true);
        patterns("~~*", SqlLibraryOperators.ILIKE, false);
        patterns("!~~*", SqlLibraryOperators.ILIKE, true);
        patterns("~", SqlStdOperatorTable.POSIX_REGEX_CASE_SENSITIVE, false);
        patterns("!~", SqlStdOperatorTable.POSIX_REGEX_CASE_SENSITIVE, true);
        patterns("~*", SqlStdOperatorTable.POSIX_REGEX_CASE_INSENSITIVE, false);
        patterns("!~*", SqlStdOperatorTable.POSIX_REGEX_CASE_INSENSITIVE, true);
    }

    /// A char(n) value is matched with its blanks, so it is not converted to text, which would cut them.
    private static void patterns(String symbol, SqlOperator operator, boolean negated) {
        for (SqlType type : List.of(TEXT, BPCHAR, NAME)) {
            add(symbol, type, TEXT, BOOL, (maker, arguments) -> {
                RexNode matched = maker.call(operator, maker.bool(), arguments);
                return negated ? maker.not(matched) : matched;
            });
        }
    }
}
