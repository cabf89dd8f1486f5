package dev.quarrel.core.ir;

import static dev.quarrel.core.ir.Arithmetic.*;
import static dev.quarrel.core.ir.NullRule.*;
import static dev.quarrel.core.ir.Relation.*;
import static dev.quarrel.core.ir.TypeClass.*;
import static dev.quarrel.core.type.SqlState.*;

import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The operations that a program can hold, one row per opcode. The row is the contract for all devices.
///
/// - A row has the symbol, the errors that a row of data may raise, and the classes of the result and the arguments.
///   The result is NULL if any argument is, unless the row names another rule.
/// - Rows of the instruction's mask alone matter: elsewhere nothing is raised and the result is undefined.
/// - Arguments and result are registers of the classes given; `immediate` is a number in the instruction.
/// - Comparisons, a [Relation] of two values of one class, order as PostgreSQL does: floats with -0 = 0 and NaN
///   greatest and equal to itself, text by UTF-8 bytes, uuid and binary by bytes.
/// - [Arithmetic] of one class is described there.
/// - A row may fail with the states of `fails`; the message carries no row. CAST fails as [Casts] says.
public enum Opcode {
    /// The value of the program's input number `immediate`.
    LOAD("load", AS_SELECTED, ANY),
    /// The value of the plan's slot number `immediate`: the same in every row.
    CONST("const", AS_SELECTED, ANY),
    /// Argument 1 in the rows of the mask argument 0, argument 2 in the others. All three values have one type.
    SELECT("select", AS_SELECTED, ANY, MASK, ANY, ANY),
    /// The instruction's rows in which the argument is true.
    MASK_TRUE("mask_true", NEVER_NULL, MASK, BOOL),
    /// The instruction's rows in which the argument is false or NULL.
    MASK_NOT_TRUE("mask_not_true", NEVER_NULL, MASK, BOOL),
    /// The instruction's rows in which the argument is true or NULL.
    MASK_NOT_FALSE("mask_not_false", NEVER_NULL, MASK, BOOL),
    /// The instruction's rows in which the argument is not NULL.
    MASK_PRESENT("mask_present", NEVER_NULL, MASK, ANY),
    /// The instruction's rows that are not in the mask argument.
    MASK_MINUS("mask_minus", NEVER_NULL, MASK, MASK),
    /// Three-valued AND; argument 1 is read only where argument 0 is not false.
    AND("and", KLEENE, BOOL, BOOL, BOOL),
    /// Three-valued OR; argument 1 is read only where argument 0 is not true.
    OR("or", KLEENE, BOOL, BOOL, BOOL),
    /// Three-valued NOT.
    NOT("not", BOOL, BOOL),
    /// Whether the argument is NULL.
    IS_NULL("is_null", NEVER_NULL, BOOL, ANY),
    /// Whether the argument is not NULL.
    IS_NOT_NULL("is_not_null", NEVER_NULL, BOOL, ANY),
    /// Whether the argument is true.
    IS_TRUE("is_true", NEVER_NULL, BOOL, BOOL),
    /// Whether the argument is false.
    IS_FALSE("is_false", NEVER_NULL, BOOL, BOOL),
    EQ_BOOL(EQ, BOOL),
    EQ_INT16(EQ, INT16),
    EQ_INT32(EQ, INT32),
    EQ_INT64(EQ, INT64),
    EQ_FLOAT32(EQ, FLOAT32),
    EQ_FLOAT64(EQ, FLOAT64),
    EQ_DECIMAL(EQ, DECIMAL),
    EQ_NUMERIC(EQ, NUMERIC),
    EQ_DATE(EQ, DATE),
    EQ_TIMESTAMP(EQ, TIMESTAMP),
    EQ_TIME(EQ, TIME),
    EQ_INTERVAL(EQ, INTERVAL),
    EQ_UTF8(EQ, UTF8),
    EQ_UUID(EQ, UUID),
    EQ_BINARY(EQ, BINARY),
    NE_BOOL(NE, BOOL),
    NE_INT16(NE, INT16),
    NE_INT32(NE, INT32),
    NE_INT64(NE, INT64),
    NE_FLOAT32(NE, FLOAT32),
    NE_FLOAT64(NE, FLOAT64),
    NE_DECIMAL(NE, DECIMAL),
    NE_NUMERIC(NE, NUMERIC),
    NE_DATE(NE, DATE),
    NE_TIMESTAMP(NE, TIMESTAMP),
    NE_TIME(NE, TIME),
    NE_INTERVAL(NE, INTERVAL),
    NE_UTF8(NE, UTF8),
    NE_UUID(NE, UUID),
    NE_BINARY(NE, BINARY),
    LT_BOOL(LT, BOOL),
    LT_INT16(LT, INT16),
    LT_INT32(LT, INT32),
    LT_INT64(LT, INT64),
    LT_FLOAT32(LT, FLOAT32),
    LT_FLOAT64(LT, FLOAT64),
    LT_DECIMAL(LT, DECIMAL),
    LT_NUMERIC(LT, NUMERIC),
    LT_DATE(LT, DATE),
    LT_TIMESTAMP(LT, TIMESTAMP),
    LT_TIME(LT, TIME),
    LT_INTERVAL(LT, INTERVAL),
    LT_UTF8(LT, UTF8),
    LT_UUID(LT, UUID),
    LT_BINARY(LT, BINARY),
    LE_BOOL(LE, BOOL),
    LE_INT16(LE, INT16),
    LE_INT32(LE, INT32),
    LE_INT64(LE, INT64),
    LE_FLOAT32(LE, FLOAT32),
    LE_FLOAT64(LE, FLOAT64),
    LE_DECIMAL(LE, DECIMAL),
    LE_NUMERIC(LE, NUMERIC),
    LE_DATE(LE, DATE),
    LE_TIMESTAMP(LE, TIMESTAMP),
    LE_TIME(LE, TIME),
    LE_INTERVAL(LE, INTERVAL),
    LE_UTF8(LE, UTF8),
    LE_UUID(LE, UUID),
    LE_BINARY(LE, BINARY),
    GT_BOOL(GT, BOOL),
    GT_INT16(GT, INT16),
    GT_INT32(GT, INT32),
    GT_INT64(GT, INT64),
    GT_FLOAT32(GT, FLOAT32),
    GT_FLOAT64(GT, FLOAT64),
    GT_DECIMAL(GT, DECIMAL),
    GT_NUMERIC(GT, NUMERIC),
    GT_DATE(GT, DATE),
    GT_TIMESTAMP(GT, TIMESTAMP),
    GT_TIME(GT, TIME),
    GT_INTERVAL(GT, INTERVAL),
    GT_UTF8(GT, UTF8),
    GT_UUID(GT, UUID),
    GT_BINARY(GT, BINARY),
    GE_BOOL(GE, BOOL),
    GE_INT16(GE, INT16),
    GE_INT32(GE, INT32),
    GE_INT64(GE, INT64),
    GE_FLOAT32(GE, FLOAT32),
    GE_FLOAT64(GE, FLOAT64),
    GE_DECIMAL(GE, DECIMAL),
    GE_NUMERIC(GE, NUMERIC),
    GE_DATE(GE, DATE),
    GE_TIMESTAMP(GE, TIMESTAMP),
    GE_TIME(GE, TIME),
    GE_INTERVAL(GE, INTERVAL),
    GE_UTF8(GE, UTF8),
    GE_UUID(GE, UUID),
    GE_BINARY(GE, BINARY),
    ADD_INT16(ADD, INT16, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_INT16(SUB, INT16, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_INT16(MUL, INT16, NUMERIC_VALUE_OUT_OF_RANGE),
    DIV_INT16(DIV, INT16, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    MOD_INT16(MOD, INT16, DIVISION_BY_ZERO),
    NEG_INT16(NEG, INT16, NUMERIC_VALUE_OUT_OF_RANGE),
    ABS_INT16(ABS, INT16, NUMERIC_VALUE_OUT_OF_RANGE),
    ADD_INT32(ADD, INT32, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_INT32(SUB, INT32, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_INT32(MUL, INT32, NUMERIC_VALUE_OUT_OF_RANGE),
    DIV_INT32(DIV, INT32, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    MOD_INT32(MOD, INT32, DIVISION_BY_ZERO),
    NEG_INT32(NEG, INT32, NUMERIC_VALUE_OUT_OF_RANGE),
    ABS_INT32(ABS, INT32, NUMERIC_VALUE_OUT_OF_RANGE),
    ADD_INT64(ADD, INT64, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_INT64(SUB, INT64, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_INT64(MUL, INT64, NUMERIC_VALUE_OUT_OF_RANGE),
    DIV_INT64(DIV, INT64, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    MOD_INT64(MOD, INT64, DIVISION_BY_ZERO),
    NEG_INT64(NEG, INT64, NUMERIC_VALUE_OUT_OF_RANGE),
    ABS_INT64(ABS, INT64, NUMERIC_VALUE_OUT_OF_RANGE),
    ADD_FLOAT32(ADD, FLOAT32, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_FLOAT32(SUB, FLOAT32, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_FLOAT32(MUL, FLOAT32, NUMERIC_VALUE_OUT_OF_RANGE),
    DIV_FLOAT32(DIV, FLOAT32, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    NEG_FLOAT32(NEG, FLOAT32),
    ABS_FLOAT32(ABS, FLOAT32),
    ADD_FLOAT64(ADD, FLOAT64, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_FLOAT64(SUB, FLOAT64, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_FLOAT64(MUL, FLOAT64, NUMERIC_VALUE_OUT_OF_RANGE),
    DIV_FLOAT64(DIV, FLOAT64, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    NEG_FLOAT64(NEG, FLOAT64),
    ABS_FLOAT64(ABS, FLOAT64),
    ADD_DECIMAL(ADD, DECIMAL, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_DECIMAL(SUB, DECIMAL, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_DECIMAL(MUL, DECIMAL, NUMERIC_VALUE_OUT_OF_RANGE),
    MOD_DECIMAL(MOD, DECIMAL, DIVISION_BY_ZERO),
    NEG_DECIMAL(NEG, DECIMAL),
    ABS_DECIMAL(ABS, DECIMAL),
    ADD_NUMERIC(ADD, NUMERIC, NUMERIC_VALUE_OUT_OF_RANGE),
    SUB_NUMERIC(SUB, NUMERIC, NUMERIC_VALUE_OUT_OF_RANGE),
    MUL_NUMERIC(MUL, NUMERIC, NUMERIC_VALUE_OUT_OF_RANGE),
    DIV_NUMERIC(DIV, NUMERIC, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    MOD_NUMERIC(MOD, NUMERIC, DIVISION_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE),
    NEG_NUMERIC(NEG, NUMERIC),
    ABS_NUMERIC(ABS, NUMERIC),
    /// To argument 1's digits after the point (negative: before it), half away from zero.
    ROUND_NUMERIC("round", NUMERIC_VALUE_OUT_OF_RANGE, NUMERIC, NUMERIC, INT32),
    /// To argument 1's digits after the point, towards zero; zeros appended may not fit.
    TRUNC_NUMERIC("trunc", NUMERIC_VALUE_OUT_OF_RANGE, NUMERIC, NUMERIC, INT32),
    /// Scale 0.
    FLOOR_NUMERIC("floor", NUMERIC_VALUE_OUT_OF_RANGE, NUMERIC, NUMERIC),
    /// Scale 0.
    CEIL_NUMERIC("ceil", NUMERIC_VALUE_OUT_OF_RANGE, NUMERIC, NUMERIC),
    FLOOR_FLOAT64("floor", FLOAT64, FLOAT64),
    CEIL_FLOAT64("ceil", FLOAT64, FLOAT64),
    /// Half to even.
    ROUND_FLOAT64("round", FLOAT64, FLOAT64),
    /// From the argument's type to the result's, where [Casts] allows it, with PostgreSQL's rounding.
    CAST("cast", Casts.FAILS, ANY, ANY),
    /// Days.
    ADD_DATE_INT32("+", DATETIME_FIELD_OVERFLOW, DATE, DATE, INT32),
    /// Days.
    SUB_DATE_INT32("-", DATETIME_FIELD_OVERFLOW, DATE, DATE, INT32),
    /// Days between.
    SUB_DATE_DATE("-", DATETIME_FIELD_OVERFLOW, INT32, DATE, DATE),
    /// Months first, the day clipped to the month's last, then days and time; in UTC.
    ADD_TIMESTAMP_INTERVAL("+", DATETIME_FIELD_OVERFLOW, TIMESTAMP, TIMESTAMP, INTERVAL),
    /// As adding the interval's negation.
    SUB_TIMESTAMP_INTERVAL("-", DATETIME_FIELD_OVERFLOW, TIMESTAMP, TIMESTAMP, INTERVAL),
    /// Days of 24 hours, and time.
    SUB_TIMESTAMP_TIMESTAMP("-", DATETIME_FIELD_OVERFLOW, INTERVAL, TIMESTAMP, TIMESTAMP),
    /// The difference field by field: months, days, time.
    AGE_TIMESTAMP("age", DATETIME_FIELD_OVERFLOW, INTERVAL, TIMESTAMP, TIMESTAMP),
    /// The bins' length, the time, where bins begin.
    BIN_TIMESTAMP(
            "date_bin",
            Set.of(DATETIME_FIELD_OVERFLOW, FEATURE_NOT_SUPPORTED),
            TIMESTAMP,
            INTERVAL,
            TIMESTAMP,
            TIMESTAMP),
    /// Of seconds since 1970-01-01T00:00 UTC, infinities too.
    EPOCH_TIMESTAMP("to_timestamp", DATETIME_FIELD_OVERFLOW, TIMESTAMP, FLOAT64),
    /// Year, month, day, hour, minute; second.
    MAKE_TIMESTAMP("make_timestamp", DATETIME_FIELD_OVERFLOW, TIMESTAMP, INT32, INT32, INT32, INT32, INT32, FLOAT64),
    /// Year (negative: BC), month, day.
    MAKE_DATE("make_date", DATETIME_FIELD_OVERFLOW, DATE, INT32, INT32, INT32),
    /// Hour, minute; second.
    MAKE_TIME("make_time", DATETIME_FIELD_OVERFLOW, TIME, INT32, INT32, FLOAT64),
    /// Years, months, weeks, days, hours, minutes; seconds.
    MAKE_INTERVAL(
            "make_interval",
            Set.of(DATETIME_FIELD_OVERFLOW, NUMERIC_VALUE_OUT_OF_RANGE),
            INTERVAL,
            INT32,
            INT32,
            INT32,
            INT32,
            INT32,
            INT32,
            FLOAT64),
    /// The timestamp of a day and a time of day.
    ADD_DATE_TIME("+", DATETIME_FIELD_OVERFLOW, TIMESTAMP, DATE, TIME),
    /// The interval's microseconds alone, round the clock.
    ADD_TIME_INTERVAL("+", DATETIME_FIELD_OVERFLOW, TIME, TIME, INTERVAL),
    /// The interval's microseconds alone, round the clock.
    SUB_TIME_INTERVAL("-", DATETIME_FIELD_OVERFLOW, TIME, TIME, INTERVAL),
    /// Microseconds between.
    SUB_TIME_TIME("-", INTERVAL, TIME, TIME),
    ADD_INTERVAL(ADD, INTERVAL, DATETIME_FIELD_OVERFLOW),
    SUB_INTERVAL(SUB, INTERVAL, DATETIME_FIELD_OVERFLOW),
    NEG_INTERVAL(NEG, INTERVAL, DATETIME_FIELD_OVERFLOW),
    /// What is left of months goes down to days of which 30 are a month, and from there to microseconds.
    MUL_INTERVAL("*", DATETIME_FIELD_OVERFLOW, INTERVAL, INTERVAL, FLOAT64),
    /// As MUL_INTERVAL.
    DIV_INTERVAL("/", Set.of(DATETIME_FIELD_OVERFLOW, DIVISION_BY_ZERO), INTERVAL, INTERVAL, FLOAT64),
    /// 30 days become a month.
    JUSTIFY_DAYS("justify_days", DATETIME_FIELD_OVERFLOW, INTERVAL, INTERVAL),
    /// 24 hours become a day.
    JUSTIFY_HOURS("justify_hours", DATETIME_FIELD_OVERFLOW, INTERVAL, INTERVAL),
    /// Both, with one sign for all fields.
    JUSTIFY_INTERVAL("justify_interval", DATETIME_FIELD_OVERFLOW, INTERVAL, INTERVAL),
    /// Neither infinity nor -infinity.
    IS_FINITE_DATE("isfinite", BOOL, DATE),
    /// Neither infinity nor -infinity.
    IS_FINITE_TIMESTAMP("isfinite", BOOL, TIMESTAMP),
    /// Neither infinity nor -infinity.
    IS_FINITE_INTERVAL("isfinite", BOOL, INTERVAL),
    /// To argument 1 digits of a second, 0 to 6; half away from 2000-01-01.
    ROUND_TIMESTAMP("timestamp", DATETIME_FIELD_OVERFLOW, TIMESTAMP, TIMESTAMP, INT32),
    /// To argument 1 digits of a second, 0 to 6; half up.
    ROUND_TIME("time", TIME, TIME, INT32),
    /// What the modifier argument 1 ([dev.quarrel.core.pg.IntervalFields]) keeps of it.
    ADJUST_INTERVAL("interval", DATETIME_FIELD_OVERFLOW, INTERVAL, INTERVAL, INT32),
    /// The [DateField] number `immediate`; an infinite date is 0A000.
    EXTRACT_DATE("extract", FEATURE_NOT_SUPPORTED, INT32, DATE),
    /// The [DateField] number `immediate`, in UTC; SECOND, EPOCH with scale 6; an infinite time is 0A000.
    EXTRACT_TIMESTAMP("extract", FEATURE_NOT_SUPPORTED, NUMERIC, TIMESTAMP),
    /// Down to the unit [DateField] number `immediate`, in UTC.
    TRUNC_TIMESTAMP("date_trunc", DATETIME_FIELD_OVERFLOW, TIMESTAMP, TIMESTAMP),
    /// The [DateField] number `immediate`; SECOND, EPOCH with scale 6.
    EXTRACT_TIME("extract", NUMERIC, TIME),
    /// The [DateField] number `immediate`; SECOND, EPOCH with scale 6; an infinite interval is 0A000.
    EXTRACT_INTERVAL("extract", FEATURE_NOT_SUPPORTED, NUMERIC, INTERVAL),
    /// Seconds; summed in float64 from the microseconds, years, months and days in turn. Infinities stay.
    EPOCH_INTERVAL("date_part", FLOAT64, INTERVAL),
    /// Down to the unit [DateField] number `immediate`.
    TRUNC_INTERVAL("date_trunc", INTERVAL, INTERVAL),
    /// Argument 1 is the pattern, argument 2 the escape: one character, or empty for none.
    LIKE("like", INVALID_ESCAPE_SEQUENCE, BOOL, UTF8, UTF8, UTF8),
    /// LIKE that ignores case.
    ILIKE("ilike", INVALID_ESCAPE_SEQUENCE, BOOL, UTF8, UTF8, UTF8),
    /// Whether argument 1, a regular expression, matches a part of argument 0.
    REGEX("~", Set.of(INVALID_REGULAR_EXPRESSION, FEATURE_NOT_SUPPORTED), BOOL, UTF8, UTF8),
    /// REGEX that ignores case.
    REGEX_NOCASE("~*", Set.of(INVALID_REGULAR_EXPRESSION, FEATURE_NOT_SUPPORTED), BOOL, UTF8, UTF8),
    /// In characters (code points).
    LENGTH("length", INT32, UTF8),
    UPPER("upper", UTF8, UTF8),
    LOWER("lower", UTF8, UTF8),
    /// The characters (code points) from the last to the first.
    REVERSE("reverse", UTF8, UTF8),
    CONCAT("||", UTF8, UTF8, UTF8),
    /// Argument 2 characters from character argument 1 (1-based, may be below 1); a negative length is an error.
    SUBSTRING("substring", SUBSTRING_ERROR, UTF8, UTF8, INT32, INT32),
    /// From character argument 1 to the end.
    SUBSTRING_FROM("substring", UTF8, UTF8, INT32),
    /// Removes the characters of argument 1 from the start.
    LTRIM("ltrim", UTF8, UTF8, UTF8),
    /// Removes the characters of argument 1 from the end.
    RTRIM("rtrim", UTF8, UTF8, UTF8),
    /// Removes the characters of argument 1 from both ends.
    BTRIM("btrim", UTF8, UTF8, UTF8),
    /// Every argument 1 in argument 0 becomes argument 2.
    REPLACE("replace", UTF8, UTF8, UTF8, UTF8),
    /// 1-based character index of argument 1 in argument 0; 0 for none.
    POSITION("strpos", INT32, UTF8, UTF8),
    /// The first characters; negative: all but the last.
    LEFT("left", UTF8, UTF8, INT32),
    /// The last characters; negative: all but the first.
    RIGHT("right", UTF8, UTF8, INT32),
    /// The bytes of a text.
    UTF8_BYTES("convert_to", BINARY, UTF8),
    /// Bytes of valid UTF-8 as text.
    BYTES_UTF8("convert_from", CHARACTER_NOT_IN_REPERTOIRE, UTF8, BINARY),
    LENGTH_BINARY("octet_length", INT32, BINARY),
    /// Bits that are 1.
    BIT_COUNT("bit_count", INT64, BINARY),
    CONCAT_BINARY("||", BINARY, BINARY, BINARY),
    /// From byte argument 1 (1-based, may be below 1) for argument 2 bytes; a negative length is an error.
    SUBSTRING_BINARY("substring", SUBSTRING_ERROR, BINARY, BINARY, INT32, INT32),
    /// From byte argument 1 to the end.
    SUBSTRING_FROM_BINARY("substring", BINARY, BINARY, INT32),
    /// 1-based byte index of argument 1 in argument 0; 0 for none.
    POSITION_BINARY("position", INT32, BINARY, BINARY),
    /// Removes the bytes of argument 1 from the start.
    LTRIM_BINARY("ltrim", BINARY, BINARY, BINARY),
    /// Removes the bytes of argument 1 from the end.
    RTRIM_BINARY("rtrim", BINARY, BINARY, BINARY),
    /// Removes the bytes of argument 1 from both ends.
    BTRIM_BINARY("btrim", BINARY, BINARY, BINARY),
    REVERSE_BINARY("reverse", BINARY, BINARY),
    /// The byte with index argument 1, from 0.
    GET_BYTE("get_byte", ARRAY_SUBSCRIPT_ERROR, INT32, BINARY, INT32),
    /// The byte with index argument 1 becomes the lowest of argument 2.
    SET_BYTE("set_byte", ARRAY_SUBSCRIPT_ERROR, BINARY, BINARY, INT32, INT32),
    /// The bit with index argument 1, from 0: the lowest bit of the first byte first.
    GET_BIT("get_bit", ARRAY_SUBSCRIPT_ERROR, INT32, BINARY, INT64),
    /// The bit with index argument 1 becomes argument 2, which is 0 or 1.
    SET_BIT("set_bit", Set.of(ARRAY_SUBSCRIPT_ERROR, INVALID_PARAMETER_VALUE), BINARY, BINARY, INT64, INT32),
    /// As LIKE, byte by byte; argument 2 is the escape.
    LIKE_BINARY("~~", INVALID_ESCAPE_SEQUENCE, BOOL, BINARY, BINARY, BINARY),
    /// Text in the format argument 1: hex, base64 or escape.
    ENCODE("encode", INVALID_PARAMETER_VALUE, UTF8, BINARY, UTF8),
    /// What ENCODE made text of.
    DECODE("decode", Set.of(INVALID_PARAMETER_VALUE, INVALID_TEXT_REPRESENTATION), BINARY, UTF8, UTF8),
    /// In hex.
    MD5("md5", UTF8, BINARY),
    SHA224("sha224", BINARY, BINARY),
    SHA256("sha256", BINARY, BINARY),
    SHA384("sha384", BINARY, BINARY),
    SHA512("sha512", BINARY, BINARY),
    CRC32("crc32", INT64, BINARY),
    CRC32C("crc32c", INT64, BINARY),
    /// Whether argument 1, the text of an array of integers, has argument 0. Made for constant arrays of any length;
    /// one of several dimensions, or counted from another number than 1, is refused.
    IN_INT64("in", FEATURE_NOT_SUPPORTED, BOOL, INT64, UTF8),
    /// As IN_INT64, for texts.
    IN_UTF8("in", FEATURE_NOT_SUPPORTED, BOOL, UTF8, UTF8),
    /// The function that the instruction names ([Callee]), which says the types of the arguments and of the result, the
    /// null rule and the errors. Its arguments are any number of values.
    CALL("call", AS_SELECTED, ANY);

    private final String symbol;
    private final NullRule nullRule;
    private final Set<SqlState> fails;
    private final TypeClass result;
    private final List<TypeClass> arguments;
    private final Relation relation;
    private final Arithmetic arithmetic;

    Opcode(String symbol, TypeClass result, TypeClass... arguments) {
        this(symbol, NULL_IF_ANY_NULL, Set.of(), result, List.of(arguments), null, null);
    }

    Opcode(String symbol, NullRule nullRule, TypeClass result, TypeClass... arguments) {
        this(symbol, nullRule, Set.of(), result, List.of(arguments), null, null);
    }

    Opcode(String symbol, SqlState fails, TypeClass result, TypeClass... arguments) {
        this(symbol, Set.of(fails), result, arguments);
    }

    Opcode(String symbol, Set<SqlState> fails, TypeClass result, TypeClass... arguments) {
        this(symbol, NULL_IF_ANY_NULL, fails, result, List.of(arguments), null, null);
    }

    Opcode(Relation relation, TypeClass type) {
        this(relation.symbol(), NULL_IF_ANY_NULL, Set.of(), BOOL, List.of(type, type), relation, null);
    }

    Opcode(Arithmetic arithmetic, TypeClass type, SqlState... fails) {
        List<TypeClass> arguments = Collections.nCopies(arithmetic.operandCount(), type);
        this(arithmetic.symbol(), NULL_IF_ANY_NULL, Set.of(fails), type, arguments, null, arithmetic);
    }

    Opcode(
            String symbol,
            NullRule nullRule,
            Set<SqlState> fails,
            TypeClass result,
            List<TypeClass> arguments,
            Relation relation,
            Arithmetic arithmetic) {
        this.symbol = symbol;
        this.nullRule = nullRule;
        this.fails = fails;
        this.result = result;
        this.arguments = arguments;
        this.relation = relation;
        this.arithmetic = arithmetic;
    }

    /// The comparison of two values of a class of values.
    public static Opcode comparison(Relation relation, TypeClass type) {
        return Arrays.stream(values())
                .filter(op -> op.relation == relation && op.arguments.getFirst() == type)
                .findFirst()
                .orElseThrow();
    }

    /// The arithmetic of a class; empty where the class has none.
    public static Optional<Opcode> arithmetic(Arithmetic arithmetic, TypeClass type) {
        return Arrays.stream(values())
                .filter(op -> op.arithmetic == arithmetic && op.result == type)
                .findFirst();
    }

    /// How EXPLAIN writes the operation.
    public String symbol() {
        return symbol;
    }

    public List<TypeClass> arguments() {
        return arguments;
    }

    public TypeClass result() {
        return result;
    }

    public NullRule nullRule() {
        return nullRule;
    }

    /// The errors a row may raise; empty for an operation that cannot fail.
    public Set<SqlState> fails() {
        return fails;
    }

    public boolean canFail() {
        return !fails.isEmpty();
    }

    /// What a comparison asks of its arguments, or null for an opcode that is none.
    public Relation relation() {
        return relation;
    }

    /// The arithmetic of one class that this is, or null.
    public Arithmetic arithmetic() {
        return arithmetic;
    }
}
