package dev.quarrel.core.ir;

import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Set;

/// Every operation a program can hold: one row an opcode. The row is the contract for all devices.
///
/// - Rows of the instruction's mask alone matter: elsewhere nothing is raised and the result is undefined.
/// - Arguments and result are registers of the classes given; `immediate` is a number in the instruction.
/// - Comparisons order as PostgreSQL does: floats with -0 = 0 and NaN greatest and equal to itself, text by
///   UTF-8 bytes, uuid and binary by bytes.
/// - A row may fail with the states of `fails`; the message carries no row. CAST fails as [Casts] says.
public enum Opcode {
    /// The value of the program's input number `immediate`.
    LOAD("load", List.of(), TypeClass.ANY, NullRule.AS_SELECTED, Set.of()),
    /// The value of the plan's slot number `immediate`: the same in every row.
    CONST("const", List.of(), TypeClass.ANY, NullRule.AS_SELECTED, Set.of()),
    /// Argument 1 in the rows of the mask argument 0, argument 2 in the others. All three values have one type.
    SELECT(
            "select",
            List.of(TypeClass.MASK, TypeClass.ANY, TypeClass.ANY),
            TypeClass.ANY,
            NullRule.AS_SELECTED,
            Set.of()),
    /// The instruction's rows in which the argument is true.
    MASK_TRUE("mask_true", List.of(TypeClass.BOOL), TypeClass.MASK, NullRule.NEVER_NULL, Set.of()),
    /// The instruction's rows in which the argument is false or NULL.
    MASK_NOT_TRUE("mask_not_true", List.of(TypeClass.BOOL), TypeClass.MASK, NullRule.NEVER_NULL, Set.of()),
    /// The instruction's rows in which the argument is true or NULL.
    MASK_NOT_FALSE("mask_not_false", List.of(TypeClass.BOOL), TypeClass.MASK, NullRule.NEVER_NULL, Set.of()),
    /// The instruction's rows in which the argument is not NULL.
    MASK_PRESENT("mask_present", List.of(TypeClass.ANY), TypeClass.MASK, NullRule.NEVER_NULL, Set.of()),
    /// The instruction's rows that are not in the mask argument.
    MASK_MINUS("mask_minus", List.of(TypeClass.MASK), TypeClass.MASK, NullRule.NEVER_NULL, Set.of()),
    /// Three-valued AND; argument 1 is read only where argument 0 is not false.
    AND("and", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.KLEENE, Set.of()),
    /// Three-valued OR; argument 1 is read only where argument 0 is not true.
    OR("or", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.KLEENE, Set.of()),
    /// Three-valued NOT.
    NOT("not", List.of(TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Whether the argument is NULL.
    IS_NULL("is_null", List.of(TypeClass.ANY), TypeClass.BOOL, NullRule.NEVER_NULL, Set.of()),
    /// Whether the argument is not NULL.
    IS_NOT_NULL("is_not_null", List.of(TypeClass.ANY), TypeClass.BOOL, NullRule.NEVER_NULL, Set.of()),
    /// Whether the argument is true.
    IS_TRUE("is_true", List.of(TypeClass.BOOL), TypeClass.BOOL, NullRule.NEVER_NULL, Set.of()),
    /// Whether the argument is false.
    IS_FALSE("is_false", List.of(TypeClass.BOOL), TypeClass.BOOL, NullRule.NEVER_NULL, Set.of()),
    EQ_BOOL("=", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_INT16("=", List.of(TypeClass.INT16, TypeClass.INT16), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_INT32("=", List.of(TypeClass.INT32, TypeClass.INT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_INT64("=", List.of(TypeClass.INT64, TypeClass.INT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_FLOAT32("=", List.of(TypeClass.FLOAT32, TypeClass.FLOAT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_FLOAT64("=", List.of(TypeClass.FLOAT64, TypeClass.FLOAT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_DECIMAL("=", List.of(TypeClass.DECIMAL, TypeClass.DECIMAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_NUMERIC("=", List.of(TypeClass.NUMERIC, TypeClass.NUMERIC), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_DATE("=", List.of(TypeClass.DATE, TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_TIMESTAMP(
            "=",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    EQ_TIME("=", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_INTERVAL(
            "=", List.of(TypeClass.INTERVAL, TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_UTF8("=", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_UUID("=", List.of(TypeClass.UUID, TypeClass.UUID), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    EQ_BINARY("=", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_BOOL("<>", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_INT16("<>", List.of(TypeClass.INT16, TypeClass.INT16), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_INT32("<>", List.of(TypeClass.INT32, TypeClass.INT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_INT64("<>", List.of(TypeClass.INT64, TypeClass.INT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_FLOAT32(
            "<>", List.of(TypeClass.FLOAT32, TypeClass.FLOAT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_FLOAT64(
            "<>", List.of(TypeClass.FLOAT64, TypeClass.FLOAT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_DECIMAL(
            "<>", List.of(TypeClass.DECIMAL, TypeClass.DECIMAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_NUMERIC(
            "<>", List.of(TypeClass.NUMERIC, TypeClass.NUMERIC), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_DATE("<>", List.of(TypeClass.DATE, TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_TIMESTAMP(
            "<>",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    NE_TIME("<>", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_INTERVAL(
            "<>", List.of(TypeClass.INTERVAL, TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_UTF8("<>", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_UUID("<>", List.of(TypeClass.UUID, TypeClass.UUID), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    NE_BINARY("<>", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_BOOL("<", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_INT16("<", List.of(TypeClass.INT16, TypeClass.INT16), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_INT32("<", List.of(TypeClass.INT32, TypeClass.INT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_INT64("<", List.of(TypeClass.INT64, TypeClass.INT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_FLOAT32("<", List.of(TypeClass.FLOAT32, TypeClass.FLOAT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_FLOAT64("<", List.of(TypeClass.FLOAT64, TypeClass.FLOAT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_DECIMAL("<", List.of(TypeClass.DECIMAL, TypeClass.DECIMAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_NUMERIC("<", List.of(TypeClass.NUMERIC, TypeClass.NUMERIC), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_DATE("<", List.of(TypeClass.DATE, TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_TIMESTAMP(
            "<",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    LT_TIME("<", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_INTERVAL(
            "<", List.of(TypeClass.INTERVAL, TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_UTF8("<", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_UUID("<", List.of(TypeClass.UUID, TypeClass.UUID), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LT_BINARY("<", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_BOOL("<=", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_INT16("<=", List.of(TypeClass.INT16, TypeClass.INT16), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_INT32("<=", List.of(TypeClass.INT32, TypeClass.INT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_INT64("<=", List.of(TypeClass.INT64, TypeClass.INT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_FLOAT32(
            "<=", List.of(TypeClass.FLOAT32, TypeClass.FLOAT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_FLOAT64(
            "<=", List.of(TypeClass.FLOAT64, TypeClass.FLOAT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_DECIMAL(
            "<=", List.of(TypeClass.DECIMAL, TypeClass.DECIMAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_NUMERIC(
            "<=", List.of(TypeClass.NUMERIC, TypeClass.NUMERIC), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_DATE("<=", List.of(TypeClass.DATE, TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_TIMESTAMP(
            "<=",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    LE_TIME("<=", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_INTERVAL(
            "<=", List.of(TypeClass.INTERVAL, TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_UTF8("<=", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_UUID("<=", List.of(TypeClass.UUID, TypeClass.UUID), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LE_BINARY("<=", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_BOOL(">", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_INT16(">", List.of(TypeClass.INT16, TypeClass.INT16), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_INT32(">", List.of(TypeClass.INT32, TypeClass.INT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_INT64(">", List.of(TypeClass.INT64, TypeClass.INT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_FLOAT32(">", List.of(TypeClass.FLOAT32, TypeClass.FLOAT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_FLOAT64(">", List.of(TypeClass.FLOAT64, TypeClass.FLOAT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_DECIMAL(">", List.of(TypeClass.DECIMAL, TypeClass.DECIMAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_NUMERIC(">", List.of(TypeClass.NUMERIC, TypeClass.NUMERIC), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_DATE(">", List.of(TypeClass.DATE, TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_TIMESTAMP(
            ">",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    GT_TIME(">", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_INTERVAL(
            ">", List.of(TypeClass.INTERVAL, TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_UTF8(">", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_UUID(">", List.of(TypeClass.UUID, TypeClass.UUID), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GT_BINARY(">", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_BOOL(">=", List.of(TypeClass.BOOL, TypeClass.BOOL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_INT16(">=", List.of(TypeClass.INT16, TypeClass.INT16), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_INT32(">=", List.of(TypeClass.INT32, TypeClass.INT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_INT64(">=", List.of(TypeClass.INT64, TypeClass.INT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_FLOAT32(
            ">=", List.of(TypeClass.FLOAT32, TypeClass.FLOAT32), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_FLOAT64(
            ">=", List.of(TypeClass.FLOAT64, TypeClass.FLOAT64), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_DECIMAL(
            ">=", List.of(TypeClass.DECIMAL, TypeClass.DECIMAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_NUMERIC(
            ">=", List.of(TypeClass.NUMERIC, TypeClass.NUMERIC), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_DATE(">=", List.of(TypeClass.DATE, TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_TIMESTAMP(
            ">=",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    GE_TIME(">=", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_INTERVAL(
            ">=", List.of(TypeClass.INTERVAL, TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_UTF8(">=", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_UUID(">=", List.of(TypeClass.UUID, TypeClass.UUID), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    GE_BINARY(">=", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    ADD_INT16(
            "+",
            List.of(TypeClass.INT16, TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    SUB_INT16(
            "-",
            List.of(TypeClass.INT16, TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    MUL_INT16(
            "*",
            List.of(TypeClass.INT16, TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Truncates towards zero.
    DIV_INT16(
            "/",
            List.of(TypeClass.INT16, TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// The sign is argument 0's.
    MOD_INT16(
            "%",
            List.of(TypeClass.INT16, TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO)),
    NEG_INT16(
            "-",
            List.of(TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    ABS_INT16(
            "abs",
            List.of(TypeClass.INT16),
            TypeClass.INT16,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    ADD_INT32(
            "+",
            List.of(TypeClass.INT32, TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    SUB_INT32(
            "-",
            List.of(TypeClass.INT32, TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    MUL_INT32(
            "*",
            List.of(TypeClass.INT32, TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Truncates towards zero.
    DIV_INT32(
            "/",
            List.of(TypeClass.INT32, TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// The sign is argument 0's.
    MOD_INT32(
            "%",
            List.of(TypeClass.INT32, TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO)),
    NEG_INT32(
            "-",
            List.of(TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    ABS_INT32(
            "abs",
            List.of(TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    ADD_INT64(
            "+",
            List.of(TypeClass.INT64, TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    SUB_INT64(
            "-",
            List.of(TypeClass.INT64, TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    MUL_INT64(
            "*",
            List.of(TypeClass.INT64, TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Truncates towards zero.
    DIV_INT64(
            "/",
            List.of(TypeClass.INT64, TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// The sign is argument 0's.
    MOD_INT64(
            "%",
            List.of(TypeClass.INT64, TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO)),
    NEG_INT64(
            "-",
            List.of(TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    ABS_INT64(
            "abs",
            List.of(TypeClass.INT64),
            TypeClass.INT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Overflow from finite arguments is an error, and for * underflow to zero too.
    ADD_FLOAT32(
            "+",
            List.of(TypeClass.FLOAT32, TypeClass.FLOAT32),
            TypeClass.FLOAT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Overflow from finite arguments is an error, and for * underflow to zero too.
    SUB_FLOAT32(
            "-",
            List.of(TypeClass.FLOAT32, TypeClass.FLOAT32),
            TypeClass.FLOAT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Overflow from finite arguments is an error, and for * underflow to zero too.
    MUL_FLOAT32(
            "*",
            List.of(TypeClass.FLOAT32, TypeClass.FLOAT32),
            TypeClass.FLOAT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    DIV_FLOAT32(
            "/",
            List.of(TypeClass.FLOAT32, TypeClass.FLOAT32),
            TypeClass.FLOAT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    NEG_FLOAT32("-", List.of(TypeClass.FLOAT32), TypeClass.FLOAT32, NullRule.NULL_IF_ANY_NULL, Set.of()),
    ABS_FLOAT32("abs", List.of(TypeClass.FLOAT32), TypeClass.FLOAT32, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Overflow from finite arguments is an error, and for * underflow to zero too.
    ADD_FLOAT64(
            "+",
            List.of(TypeClass.FLOAT64, TypeClass.FLOAT64),
            TypeClass.FLOAT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Overflow from finite arguments is an error, and for * underflow to zero too.
    SUB_FLOAT64(
            "-",
            List.of(TypeClass.FLOAT64, TypeClass.FLOAT64),
            TypeClass.FLOAT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Overflow from finite arguments is an error, and for * underflow to zero too.
    MUL_FLOAT64(
            "*",
            List.of(TypeClass.FLOAT64, TypeClass.FLOAT64),
            TypeClass.FLOAT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    DIV_FLOAT64(
            "/",
            List.of(TypeClass.FLOAT64, TypeClass.FLOAT64),
            TypeClass.FLOAT64,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    NEG_FLOAT64("-", List.of(TypeClass.FLOAT64), TypeClass.FLOAT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    ABS_FLOAT64("abs", List.of(TypeClass.FLOAT64), TypeClass.FLOAT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// All three have one scale.
    ADD_DECIMAL(
            "+",
            List.of(TypeClass.DECIMAL, TypeClass.DECIMAL),
            TypeClass.DECIMAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// All three have one scale.
    SUB_DECIMAL(
            "-",
            List.of(TypeClass.DECIMAL, TypeClass.DECIMAL),
            TypeClass.DECIMAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// The result's scale is the sum of the arguments' scales.
    MUL_DECIMAL(
            "*",
            List.of(TypeClass.DECIMAL, TypeClass.DECIMAL),
            TypeClass.DECIMAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// All three have one scale; the sign is argument 0's.
    MOD_DECIMAL(
            "%",
            List.of(TypeClass.DECIMAL, TypeClass.DECIMAL),
            TypeClass.DECIMAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO)),
    /// One scale.
    NEG_DECIMAL("-", List.of(TypeClass.DECIMAL), TypeClass.DECIMAL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// One scale.
    ABS_DECIMAL("abs", List.of(TypeClass.DECIMAL), TypeClass.DECIMAL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Display scale as PostgreSQL's numeric.
    ADD_NUMERIC(
            "+",
            List.of(TypeClass.NUMERIC, TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Display scale as PostgreSQL's numeric.
    SUB_NUMERIC(
            "-",
            List.of(TypeClass.NUMERIC, TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Display scale as PostgreSQL's numeric.
    MUL_NUMERIC(
            "*",
            List.of(TypeClass.NUMERIC, TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Display scale by PostgreSQL's select_div_scale; rounds half away from zero.
    DIV_NUMERIC(
            "/",
            List.of(TypeClass.NUMERIC, TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    MOD_NUMERIC(
            "%",
            List.of(TypeClass.NUMERIC, TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DIVISION_BY_ZERO, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    NEG_NUMERIC("-", List.of(TypeClass.NUMERIC), TypeClass.NUMERIC, NullRule.NULL_IF_ANY_NULL, Set.of()),
    ABS_NUMERIC("abs", List.of(TypeClass.NUMERIC), TypeClass.NUMERIC, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// To argument 1's digits after the point (negative: before it), half away from zero.
    ROUND_NUMERIC(
            "round",
            List.of(TypeClass.NUMERIC, TypeClass.INT32),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// To argument 1's digits after the point, towards zero; zeros appended may not fit.
    TRUNC_NUMERIC(
            "trunc",
            List.of(TypeClass.NUMERIC, TypeClass.INT32),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Scale 0.
    FLOOR_NUMERIC(
            "floor",
            List.of(TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// Scale 0.
    CEIL_NUMERIC(
            "ceil",
            List.of(TypeClass.NUMERIC),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    FLOOR_FLOAT64("floor", List.of(TypeClass.FLOAT64), TypeClass.FLOAT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    CEIL_FLOAT64("ceil", List.of(TypeClass.FLOAT64), TypeClass.FLOAT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Half to even.
    ROUND_FLOAT64("round", List.of(TypeClass.FLOAT64), TypeClass.FLOAT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// From the argument's type to the result's, where [Casts] allows it, with PostgreSQL's rounding.
    CAST(
            "cast",
            List.of(TypeClass.ANY),
            TypeClass.ANY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                    SqlState.INVALID_TEXT_REPRESENTATION,
                    SqlState.FEATURE_NOT_SUPPORTED,
                    SqlState.INVALID_DATETIME_FORMAT,
                    SqlState.INTERVAL_FIELD_OVERFLOW,
                    SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Days.
    ADD_DATE_INT32(
            "+",
            List.of(TypeClass.DATE, TypeClass.INT32),
            TypeClass.DATE,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Days.
    SUB_DATE_INT32(
            "-",
            List.of(TypeClass.DATE, TypeClass.INT32),
            TypeClass.DATE,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Days between.
    SUB_DATE_DATE(
            "-",
            List.of(TypeClass.DATE, TypeClass.DATE),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Months first, the day clipped to the month's last, then days and time; in UTC.
    ADD_TIMESTAMP_INTERVAL(
            "+",
            List.of(TypeClass.TIMESTAMP, TypeClass.INTERVAL),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// As adding the interval's negation.
    SUB_TIMESTAMP_INTERVAL(
            "-",
            List.of(TypeClass.TIMESTAMP, TypeClass.INTERVAL),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Days of 24 hours, and time.
    SUB_TIMESTAMP_TIMESTAMP(
            "-",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// The difference field by field: months, days, time.
    AGE_TIMESTAMP(
            "age",
            List.of(TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// The bins' length, the time, where bins begin.
    BIN_TIMESTAMP(
            "date_bin",
            List.of(TypeClass.INTERVAL, TypeClass.TIMESTAMP, TypeClass.TIMESTAMP),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW, SqlState.FEATURE_NOT_SUPPORTED)),
    /// Of seconds since 1970-01-01T00:00 UTC, infinities too.
    EPOCH_TIMESTAMP(
            "to_timestamp",
            List.of(TypeClass.FLOAT64),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Year, month, day, hour, minute; second.
    MAKE_TIMESTAMP(
            "make_timestamp",
            List.of(
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.FLOAT64),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Year (negative: BC), month, day.
    MAKE_DATE(
            "make_date",
            List.of(TypeClass.INT32, TypeClass.INT32, TypeClass.INT32),
            TypeClass.DATE,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Hour, minute; second.
    MAKE_TIME(
            "make_time",
            List.of(TypeClass.INT32, TypeClass.INT32, TypeClass.FLOAT64),
            TypeClass.TIME,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Years, months, weeks, days, hours, minutes; seconds.
    MAKE_INTERVAL(
            "make_interval",
            List.of(
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.INT32,
                    TypeClass.FLOAT64),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW, SqlState.NUMERIC_VALUE_OUT_OF_RANGE)),
    /// The timestamp of a day and a time of day.
    ADD_DATE_TIME(
            "+",
            List.of(TypeClass.DATE, TypeClass.TIME),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// The interval's microseconds alone, round the clock.
    ADD_TIME_INTERVAL(
            "+",
            List.of(TypeClass.TIME, TypeClass.INTERVAL),
            TypeClass.TIME,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// The interval's microseconds alone, round the clock.
    SUB_TIME_INTERVAL(
            "-",
            List.of(TypeClass.TIME, TypeClass.INTERVAL),
            TypeClass.TIME,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Microseconds between.
    SUB_TIME_TIME(
            "-", List.of(TypeClass.TIME, TypeClass.TIME), TypeClass.INTERVAL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Field by field.
    ADD_INTERVAL(
            "+",
            List.of(TypeClass.INTERVAL, TypeClass.INTERVAL),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Field by field.
    SUB_INTERVAL(
            "-",
            List.of(TypeClass.INTERVAL, TypeClass.INTERVAL),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Field by field.
    NEG_INTERVAL(
            "-",
            List.of(TypeClass.INTERVAL),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// What is left of months goes down to days of which 30 are a month, and from there to microseconds.
    MUL_INTERVAL(
            "*",
            List.of(TypeClass.INTERVAL, TypeClass.FLOAT64),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// As MUL_INTERVAL.
    DIV_INTERVAL(
            "/",
            List.of(TypeClass.INTERVAL, TypeClass.FLOAT64),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW, SqlState.DIVISION_BY_ZERO)),
    /// 30 days become a month.
    JUSTIFY_DAYS(
            "justify_days",
            List.of(TypeClass.INTERVAL),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// 24 hours become a day.
    JUSTIFY_HOURS(
            "justify_hours",
            List.of(TypeClass.INTERVAL),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Both, with one sign for all fields.
    JUSTIFY_INTERVAL(
            "justify_interval",
            List.of(TypeClass.INTERVAL),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// Neither infinity nor -infinity.
    IS_FINITE_DATE("isfinite", List.of(TypeClass.DATE), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Neither infinity nor -infinity.
    IS_FINITE_TIMESTAMP("isfinite", List.of(TypeClass.TIMESTAMP), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Neither infinity nor -infinity.
    IS_FINITE_INTERVAL("isfinite", List.of(TypeClass.INTERVAL), TypeClass.BOOL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// To argument 1 digits of a second, 0 to 6; half away from 2000-01-01.
    ROUND_TIMESTAMP(
            "timestamp",
            List.of(TypeClass.TIMESTAMP, TypeClass.INT32),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// To argument 1 digits of a second, 0 to 6; half up.
    ROUND_TIME("time", List.of(TypeClass.TIME, TypeClass.INT32), TypeClass.TIME, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// What the modifier argument 1 ([dev.quarrel.core.pg.IntervalFields]) keeps of it.
    ADJUST_INTERVAL(
            "interval",
            List.of(TypeClass.INTERVAL, TypeClass.INT32),
            TypeClass.INTERVAL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// The [DateField] number `immediate`; an infinite date is 0A000.
    EXTRACT_DATE(
            "extract",
            List.of(TypeClass.DATE),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// The [DateField] number `immediate`, in UTC; SECOND, EPOCH with scale 6; an infinite time is 0A000.
    EXTRACT_TIMESTAMP(
            "extract",
            List.of(TypeClass.TIMESTAMP),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// Down to the unit [DateField] number `immediate`, in UTC.
    TRUNC_TIMESTAMP(
            "date_trunc",
            List.of(TypeClass.TIMESTAMP),
            TypeClass.TIMESTAMP,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.DATETIME_FIELD_OVERFLOW)),
    /// The [DateField] number `immediate`; SECOND, EPOCH with scale 6.
    EXTRACT_TIME("extract", List.of(TypeClass.TIME), TypeClass.NUMERIC, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// The [DateField] number `immediate`; SECOND, EPOCH with scale 6; an infinite interval is 0A000.
    EXTRACT_INTERVAL(
            "extract",
            List.of(TypeClass.INTERVAL),
            TypeClass.NUMERIC,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// Seconds; summed in float64 from the microseconds, years, months and days in turn. Infinities stay.
    EPOCH_INTERVAL("date_part", List.of(TypeClass.INTERVAL), TypeClass.FLOAT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Down to the unit [DateField] number `immediate`.
    TRUNC_INTERVAL("date_trunc", List.of(TypeClass.INTERVAL), TypeClass.INTERVAL, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Argument 1 is the pattern, argument 2 the escape: one character, or empty for none.
    LIKE(
            "like",
            List.of(TypeClass.UTF8, TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_ESCAPE_SEQUENCE)),
    /// LIKE that ignores case.
    ILIKE(
            "ilike",
            List.of(TypeClass.UTF8, TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_ESCAPE_SEQUENCE)),
    /// Whether argument 1, a regular expression, matches a part of argument 0.
    REGEX(
            "~",
            List.of(TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_REGULAR_EXPRESSION, SqlState.FEATURE_NOT_SUPPORTED)),
    /// REGEX that ignores case.
    REGEX_NOCASE(
            "~*",
            List.of(TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_REGULAR_EXPRESSION, SqlState.FEATURE_NOT_SUPPORTED)),
    /// In characters (code points).
    LENGTH("length", List.of(TypeClass.UTF8), TypeClass.INT32, NullRule.NULL_IF_ANY_NULL, Set.of()),
    UPPER("upper", List.of(TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    LOWER("lower", List.of(TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// The characters (code points) from the last to the first.
    REVERSE("reverse", List.of(TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    CONCAT("||", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// From character argument 1 (1-based, may be below 1) for argument 2 characters; a negative length is an error.
    SUBSTRING(
            "substring",
            List.of(TypeClass.UTF8, TypeClass.INT32, TypeClass.INT32),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.SUBSTRING_ERROR)),
    /// From character argument 1 to the end.
    SUBSTRING_FROM(
            "substring", List.of(TypeClass.UTF8, TypeClass.INT32), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Removes the characters of argument 1 from the start.
    LTRIM("ltrim", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Removes the characters of argument 1 from the end.
    RTRIM("rtrim", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Removes the characters of argument 1 from both ends.
    BTRIM("btrim", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Every argument 1 in argument 0 becomes argument 2.
    REPLACE(
            "replace",
            List.of(TypeClass.UTF8, TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    /// 1-based character index of argument 1 in argument 0; 0 for none.
    POSITION("strpos", List.of(TypeClass.UTF8, TypeClass.UTF8), TypeClass.INT32, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// The first characters; negative: all but the last.
    LEFT("left", List.of(TypeClass.UTF8, TypeClass.INT32), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// The last characters; negative: all but the first.
    RIGHT("right", List.of(TypeClass.UTF8, TypeClass.INT32), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// The bytes of a text.
    UTF8_BYTES("convert_to", List.of(TypeClass.UTF8), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Bytes of valid UTF-8 as text.
    BYTES_UTF8(
            "convert_from",
            List.of(TypeClass.BINARY),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.CHARACTER_NOT_IN_REPERTOIRE)),
    LENGTH_BINARY("octet_length", List.of(TypeClass.BINARY), TypeClass.INT32, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// Bits that are 1.
    BIT_COUNT("bit_count", List.of(TypeClass.BINARY), TypeClass.INT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    CONCAT_BINARY(
            "||", List.of(TypeClass.BINARY, TypeClass.BINARY), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// From byte argument 1 (1-based, may be below 1) for argument 2 bytes; a negative length is an error.
    SUBSTRING_BINARY(
            "substring",
            List.of(TypeClass.BINARY, TypeClass.INT32, TypeClass.INT32),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.SUBSTRING_ERROR)),
    /// From byte argument 1 to the end.
    SUBSTRING_FROM_BINARY(
            "substring",
            List.of(TypeClass.BINARY, TypeClass.INT32),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    /// 1-based byte index of argument 1 in argument 0; 0 for none.
    POSITION_BINARY(
            "position",
            List.of(TypeClass.BINARY, TypeClass.BINARY),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    /// Removes the bytes of argument 1 from the start.
    LTRIM_BINARY(
            "ltrim",
            List.of(TypeClass.BINARY, TypeClass.BINARY),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    /// Removes the bytes of argument 1 from the end.
    RTRIM_BINARY(
            "rtrim",
            List.of(TypeClass.BINARY, TypeClass.BINARY),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    /// Removes the bytes of argument 1 from both ends.
    BTRIM_BINARY(
            "btrim",
            List.of(TypeClass.BINARY, TypeClass.BINARY),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of()),
    REVERSE_BINARY("reverse", List.of(TypeClass.BINARY), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// The byte with index argument 1, from 0.
    GET_BYTE(
            "get_byte",
            List.of(TypeClass.BINARY, TypeClass.INT32),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.ARRAY_SUBSCRIPT_ERROR)),
    /// The byte with index argument 1 becomes the lowest of argument 2.
    SET_BYTE(
            "set_byte",
            List.of(TypeClass.BINARY, TypeClass.INT32, TypeClass.INT32),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.ARRAY_SUBSCRIPT_ERROR)),
    /// The bit with index argument 1, from 0: the lowest bit of the first byte first.
    GET_BIT(
            "get_bit",
            List.of(TypeClass.BINARY, TypeClass.INT64),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.ARRAY_SUBSCRIPT_ERROR)),
    /// The bit with index argument 1 becomes argument 2, which is 0 or 1.
    SET_BIT(
            "set_bit",
            List.of(TypeClass.BINARY, TypeClass.INT64, TypeClass.INT32),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.ARRAY_SUBSCRIPT_ERROR, SqlState.INVALID_PARAMETER_VALUE)),
    /// As LIKE, byte by byte; argument 2 is the escape.
    LIKE_BINARY(
            "~~",
            List.of(TypeClass.BINARY, TypeClass.BINARY, TypeClass.BINARY),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_ESCAPE_SEQUENCE)),
    /// Text in the format argument 1: hex, base64 or escape.
    ENCODE(
            "encode",
            List.of(TypeClass.BINARY, TypeClass.UTF8),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_PARAMETER_VALUE)),
    /// What ENCODE made text of.
    DECODE(
            "decode",
            List.of(TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BINARY,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.INVALID_PARAMETER_VALUE, SqlState.INVALID_TEXT_REPRESENTATION)),
    /// In hex.
    MD5("md5", List.of(TypeClass.BINARY), TypeClass.UTF8, NullRule.NULL_IF_ANY_NULL, Set.of()),
    SHA224("sha224", List.of(TypeClass.BINARY), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    SHA256("sha256", List.of(TypeClass.BINARY), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    SHA384("sha384", List.of(TypeClass.BINARY), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    SHA512("sha512", List.of(TypeClass.BINARY), TypeClass.BINARY, NullRule.NULL_IF_ANY_NULL, Set.of()),
    CRC32("crc32", List.of(TypeClass.BINARY), TypeClass.INT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    CRC32C("crc32c", List.of(TypeClass.BINARY), TypeClass.INT64, NullRule.NULL_IF_ANY_NULL, Set.of()),
    /// How many elements an array has. Arrays are their text; those of several dimensions, or counted
    /// from another number than 1, are refused by this and what follows.
    CARDINALITY(
            "cardinality",
            List.of(TypeClass.UTF8),
            TypeClass.INT32,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// Whether an array has an element with number argument 1, from 1, that is not NULL.
    ARRAY_HAS(
            "array_has",
            List.of(TypeClass.UTF8, TypeClass.INT32),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// That element's text; empty where ARRAY_HAS is false.
    ARRAY_ITEM(
            "array_item",
            List.of(TypeClass.UTF8, TypeClass.INT32),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// Whether an element has the text argument 1.
    ARRAY_CONTAINS(
            "array_contains",
            List.of(TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// Whether argument 1, an array of integers, has argument 0. Made for constant arrays of any length.
    IN_INT64(
            "in",
            List.of(TypeClass.INT64, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// As IN_INT64, for texts.
    IN_UTF8(
            "in",
            List.of(TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// Whether an element is NULL.
    ARRAY_HAS_NULL(
            "array_has_null",
            List.of(TypeClass.UTF8),
            TypeClass.BOOL,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// The elements' texts, without those that are NULL, with argument 1 between them.
    ARRAY_JOIN(
            "array_to_string",
            List.of(TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED)),
    /// As ARRAY_JOIN, with argument 2 for NULL.
    ARRAY_JOIN_NULLS(
            "array_to_string",
            List.of(TypeClass.UTF8, TypeClass.UTF8, TypeClass.UTF8),
            TypeClass.UTF8,
            NullRule.NULL_IF_ANY_NULL,
            Set.of(SqlState.FEATURE_NOT_SUPPORTED));

    private final String symbol;
    private final List<TypeClass> arguments;
    private final TypeClass result;
    private final NullRule nullRule;
    private final Set<SqlState> fails;

    Opcode(String symbol, List<TypeClass> arguments, TypeClass result, NullRule nullRule, Set<SqlState> fails) {
        this.symbol = symbol;
        this.arguments = arguments;
        this.result = result;
        this.nullRule = nullRule;
        this.fails = fails;
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
}
