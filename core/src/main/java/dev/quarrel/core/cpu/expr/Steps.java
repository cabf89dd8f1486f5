package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.expr.FloatArithmetic.Function;
import dev.quarrel.core.cpu.expr.Int32Arithmetic.Operation;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.text.ArrayFunctions;
import dev.quarrel.core.cpu.text.BinaryFunctions;
import dev.quarrel.core.cpu.text.PatternKernel;
import dev.quarrel.core.cpu.text.TextFunctions;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.TypeClass;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/// Binds instructions to the loops that do them: one line an opcode.
final class Steps {
    private Steps() {}

    static Step of(Instruction instruction, TileProgram program, int tileRows) {
        int result = instruction.result();
        List<Integer> arguments = instruction.arguments();
        int a = arguments.isEmpty() ? -1 : arguments.get(0);
        int b = arguments.size() < 2 ? -1 : arguments.get(1);
        int c = arguments.size() < 3 ? -1 : arguments.get(2);
        int immediate = instruction.immediate();
        Relation relation = Relation.of(instruction.op());
        if (relation != null && isOfBytes(instruction.op().arguments().getFirst())) {
            return new TextComparisonStep(relation, arguments, result);
        }
        if (relation != null) {
            BoolVector out = (BoolVector) program.value(result);
            return unlessEmpty((tile, rows) -> Comparisons.compare(relation, tile.value(a), tile.value(b), out, rows));
        }
        return switch (instruction.op()) {
            case LOAD ->
                unlessEmpty((tile, rows) -> tile.setValue(result, tile.input().load(immediate, rows)));
            case MASK_TRUE ->
                maskStep(result, (tile, rows) -> Logic.maskTrue((BoolVector) tile.value(a), rows, tile.mask(result)));
            case MASK_NOT_TRUE ->
                maskStep(
                        result, (tile, rows) -> Logic.maskNotTrue((BoolVector) tile.value(a), rows, tile.mask(result)));
            case MASK_NOT_FALSE ->
                maskStep(
                        result,
                        (tile, rows) -> Logic.maskNotFalse((BoolVector) tile.value(a), rows, tile.mask(result)));
            case MASK_PRESENT ->
                maskStep(result, (tile, rows) -> Logic.maskPresent(tile.value(a), rows, tile.mask(result)));
            case MASK_MINUS ->
                maskStep(
                        result,
                        (tile, rows) ->
                                tile.mask(result).setAndNot(rows, tile.mask(a).bits()));
            case SELECT -> {
                Mask rest = new Mask(tileRows);
                yield unlessEmpty((tile, rows) ->
                        Logic.select(tile.mask(a), tile.value(b), tile.value(c), tile.value(result), rows, rest));
            }
            case AND ->
                unlessEmpty(
                        (tile, rows) -> Logic.and(bool(tile, a), bool(tile, b), bool(tile, result), rows.wordCount()));
            case OR ->
                unlessEmpty(
                        (tile, rows) -> Logic.or(bool(tile, a), bool(tile, b), bool(tile, result), rows.wordCount()));
            case NOT -> unlessEmpty((tile, rows) -> Logic.not(bool(tile, a), bool(tile, result), rows.wordCount()));
            case IS_NULL ->
                unlessEmpty((tile, rows) -> Logic.isPresent(tile.value(a), bool(tile, result), rows.wordCount(), -1L));
            case IS_NOT_NULL ->
                unlessEmpty((tile, rows) -> Logic.isPresent(tile.value(a), bool(tile, result), rows.wordCount(), 0L));
            case IS_TRUE ->
                unlessEmpty((tile, rows) -> Logic.isBool(bool(tile, a), bool(tile, result), rows.wordCount(), 0L));
            case IS_FALSE ->
                unlessEmpty((tile, rows) -> Logic.isBool(bool(tile, a), bool(tile, result), rows.wordCount(), -1L));
            case ADD_INT16, ADD_INT32 -> int32(Operation.ADD, a, b, result);
            case SUB_INT16, SUB_INT32 -> int32(Operation.SUBTRACT, a, b, result);
            case MUL_INT16, MUL_INT32 -> int32(Operation.MULTIPLY, a, b, result);
            case DIV_INT16, DIV_INT32 -> int32(Operation.DIVIDE, a, b, result);
            case MOD_INT16, MOD_INT32 -> int32(Operation.REMAINDER, a, b, result);
            case NEG_INT16, NEG_INT32, ABS_INT16, ABS_INT32 -> {
                boolean absolute = instruction.op() == Opcode.ABS_INT16 || instruction.op() == Opcode.ABS_INT32;
                yield unlessEmpty((tile, rows) -> Int32Arithmetic.negate(
                        absolute, (IntVector) tile.value(a), (IntVector) tile.value(result), rows));
            }
            case ADD_INT64 -> int64(Operation.ADD, a, b, result);
            case SUB_INT64 -> int64(Operation.SUBTRACT, a, b, result);
            case MUL_INT64 -> int64(Operation.MULTIPLY, a, b, result);
            case DIV_INT64 -> int64(Operation.DIVIDE, a, b, result);
            case MOD_INT64 -> int64(Operation.REMAINDER, a, b, result);
            case NEG_INT64, ABS_INT64 -> {
                boolean absolute = instruction.op() == Opcode.ABS_INT64;
                yield unlessEmpty((tile, rows) -> Int64Arithmetic.negate(
                        absolute, (LongVector) tile.value(a), (LongVector) tile.value(result), rows));
            }
            case ADD_FLOAT32 -> float32(Operation.ADD, a, b, result);
            case ADD_FLOAT64 -> float64(Operation.ADD, a, b, result);
            case SUB_FLOAT32 -> float32(Operation.SUBTRACT, a, b, result);
            case SUB_FLOAT64 -> float64(Operation.SUBTRACT, a, b, result);
            case MUL_FLOAT32 -> float32(Operation.MULTIPLY, a, b, result);
            case MUL_FLOAT64 -> float64(Operation.MULTIPLY, a, b, result);
            case DIV_FLOAT32 -> float32(Operation.DIVIDE, a, b, result);
            case DIV_FLOAT64 -> float64(Operation.DIVIDE, a, b, result);
            case NEG_FLOAT32 -> float32(Function.NEGATE, a, result);
            case NEG_FLOAT64 -> float64(Function.NEGATE, a, result);
            case ABS_FLOAT32 -> float32(Function.ABSOLUTE, a, result);
            case ABS_FLOAT64 -> float64(Function.ABSOLUTE, a, result);
            case FLOOR_FLOAT64 -> float64(Function.FLOOR, a, result);
            case CEIL_FLOAT64 -> float64(Function.CEILING, a, result);
            case ROUND_FLOAT64 -> float64(Function.ROUND, a, result);
            case ADD_DECIMAL, ADD_NUMERIC -> decimal(Operation.ADD, a, b, result);
            case SUB_DECIMAL, SUB_NUMERIC -> decimal(Operation.SUBTRACT, a, b, result);
            case MUL_DECIMAL, MUL_NUMERIC -> decimal(Operation.MULTIPLY, a, b, result);
            case MOD_DECIMAL, MOD_NUMERIC -> decimal(Operation.REMAINDER, a, b, result);
            case DIV_NUMERIC -> decimal(Operation.DIVIDE, a, b, result);
            case NEG_DECIMAL, NEG_NUMERIC, ABS_DECIMAL, ABS_NUMERIC -> {
                boolean absolute = instruction.op() == Opcode.ABS_DECIMAL || instruction.op() == Opcode.ABS_NUMERIC;
                yield unlessEmpty((tile, rows) -> DecimalArithmetic.negate(
                        absolute, (DecimalVector) tile.value(a), (DecimalVector) tile.value(result), rows));
            }
            case ROUND_NUMERIC, TRUNC_NUMERIC -> {
                boolean truncate = instruction.op() == Opcode.TRUNC_NUMERIC;
                WideNumber scratch = new WideNumber();
                yield unlessEmpty((tile, rows) -> DecimalArithmetic.round(
                        truncate,
                        (DecimalVector) tile.value(a),
                        (IntVector) tile.value(b),
                        (DecimalVector) tile.value(result),
                        rows,
                        scratch));
            }
            case FLOOR_NUMERIC, CEIL_NUMERIC -> {
                boolean up = instruction.op() == Opcode.CEIL_NUMERIC;
                WideNumber scratch = new WideNumber();
                yield unlessEmpty((tile, rows) -> DecimalArithmetic.floor(
                        up, (DecimalVector) tile.value(a), (DecimalVector) tile.value(result), rows, scratch));
            }
            case CAST -> CastSteps.of(program.type(a), program.type(result), a, result);
            case ADD_DATE_INT32, SUB_DATE_INT32 -> {
                int sign = instruction.op() == Opcode.ADD_DATE_INT32 ? 1 : -1;
                yield unlessEmpty((tile, rows) -> DateOperations.addDays(
                        sign,
                        (IntVector) tile.value(a),
                        (IntVector) tile.value(b),
                        (IntVector) tile.value(result),
                        rows));
            }
            case SUB_DATE_DATE ->
                unlessEmpty((tile, rows) -> DateOperations.daysBetween(
                        (IntVector) tile.value(a), (IntVector) tile.value(b), (IntVector) tile.value(result), rows));
            case ADD_TIMESTAMP_INTERVAL -> IntervalOperations.addToTimestamp(false, a, b, result);
            case SUB_TIMESTAMP_INTERVAL -> IntervalOperations.addToTimestamp(true, a, b, result);
            case SUB_TIMESTAMP_TIMESTAMP -> IntervalOperations.subtractTimestamps(arguments, result, false);
            case AGE_TIMESTAMP -> IntervalOperations.subtractTimestamps(arguments, result, true);
            case BIN_TIMESTAMP -> IntervalOperations.bin(arguments, result);
            case EPOCH_TIMESTAMP -> IntervalOperations.ofEpoch(arguments, result);
            case MAKE_TIMESTAMP -> IntervalOperations.makeTimestamp(arguments, result);
            case MAKE_DATE -> IntervalOperations.makeDate(arguments, result);
            case MAKE_TIME -> IntervalOperations.makeTime(arguments, result);
            case MAKE_INTERVAL -> IntervalOperations.makeInterval(arguments, result);
            case ADD_DATE_TIME -> IntervalOperations.addTimeToDate(arguments, result);
            case ADD_TIME_INTERVAL -> IntervalOperations.addToTime(false, arguments, result);
            case SUB_TIME_INTERVAL -> IntervalOperations.addToTime(true, arguments, result);
            case SUB_TIME_TIME -> IntervalOperations.subtractTimes(arguments, result);
            case ADD_INTERVAL -> IntervalOperations.combine(false, arguments, result);
            case SUB_INTERVAL -> IntervalOperations.combine(true, arguments, result);
            case NEG_INTERVAL -> IntervalOperations.change(arguments, result, IntervalMath::negate);
            case MUL_INTERVAL -> IntervalOperations.scale(false, arguments, result);
            case DIV_INTERVAL -> IntervalOperations.scale(true, arguments, result);
            case JUSTIFY_DAYS -> IntervalOperations.change(arguments, result, IntervalMath::justifyDays);
            case JUSTIFY_HOURS -> IntervalOperations.change(arguments, result, IntervalMath::justifyHours);
            case JUSTIFY_INTERVAL -> IntervalOperations.change(arguments, result, IntervalMath::justify);
            case ROUND_TIMESTAMP -> IntervalOperations.round(false, arguments, result);
            case ROUND_TIME -> IntervalOperations.round(true, arguments, result);
            case ADJUST_INTERVAL -> IntervalOperations.adjust(arguments, result);
            case IS_FINITE_DATE, IS_FINITE_TIMESTAMP, IS_FINITE_INTERVAL ->
                IntervalOperations.isFinite(arguments, result);
            case EXTRACT_TIME -> IntervalOperations.extractTime(DateField.of(immediate), arguments, result);
            case EXTRACT_INTERVAL -> IntervalOperations.extractInterval(DateField.of(immediate), arguments, result);
            case EPOCH_INTERVAL -> IntervalOperations.epoch(arguments, result);
            case TRUNC_INTERVAL -> {
                DateField field = DateField.of(immediate);
                yield IntervalOperations.change(arguments, result, span -> span.truncate(field));
            }
            case EXTRACT_DATE -> {
                DateField field = DateField.of(immediate);
                yield unlessEmpty((tile, rows) -> DateOperations.extractDate(
                        field, (IntVector) tile.value(a), (IntVector) tile.value(result), rows));
            }
            case EXTRACT_TIMESTAMP -> {
                DateField field = DateField.of(immediate);
                yield unlessEmpty((tile, rows) -> DateOperations.extractTimestamp(
                        field, (LongVector) tile.value(a), (DecimalVector) tile.value(result), rows));
            }
            case TRUNC_TIMESTAMP -> {
                DateField field = DateField.of(immediate);
                yield unlessEmpty((tile, rows) -> DateOperations.truncate(
                        field, (LongVector) tile.value(a), (LongVector) tile.value(result), rows));
            }
            case LIKE -> new TextStep(arguments, result, new PatternKernel.Like(false));
            case ILIKE -> new TextStep(arguments, result, new PatternKernel.Like(true));
            case REGEX -> new TextStep(arguments, result, new PatternKernel.Regex(false));
            case REGEX_NOCASE -> new TextStep(arguments, result, new PatternKernel.Regex(true));
            case LENGTH -> new TextStep(arguments, result, TextFunctions::length);
            case UPPER -> new TextStep(arguments, result, TextFunctions::upper);
            case LOWER -> new TextStep(arguments, result, TextFunctions::lower);
            case REVERSE -> new TextStep(arguments, result, TextFunctions::reverse);
            case CONCAT -> new TextStep(arguments, result, TextFunctions::concat);
            case SUBSTRING -> new TextStep(arguments, result, TextFunctions::substring);
            case SUBSTRING_FROM -> new TextStep(arguments, result, TextFunctions::substringFrom);
            case LTRIM ->
                new TextStep(arguments, result, (in, out, row) -> TextFunctions.trim(true, false, in, out, row));
            case RTRIM ->
                new TextStep(arguments, result, (in, out, row) -> TextFunctions.trim(false, true, in, out, row));
            case BTRIM ->
                new TextStep(arguments, result, (in, out, row) -> TextFunctions.trim(true, true, in, out, row));
            case REPLACE -> new TextStep(arguments, result, TextFunctions::replace);
            case POSITION -> new TextStep(arguments, result, TextFunctions::position);
            case LEFT -> new TextStep(arguments, result, TextFunctions::left);
            case RIGHT -> new TextStep(arguments, result, TextFunctions::right);
            case UTF8_BYTES -> new TextStep(arguments, result, BinaryFunctions::same);
            case BYTES_UTF8 -> new TextStep(arguments, result, BinaryFunctions::text);
            case LENGTH_BINARY -> new TextStep(arguments, result, BinaryFunctions::length);
            case BIT_COUNT -> new TextStep(arguments, result, BinaryFunctions::bitCount);
            case CONCAT_BINARY -> new TextStep(arguments, result, TextFunctions::concat);
            case SUBSTRING_BINARY -> new TextStep(arguments, result, BinaryFunctions::substring);
            case SUBSTRING_FROM_BINARY -> new TextStep(arguments, result, BinaryFunctions::substringFrom);
            case POSITION_BINARY -> new TextStep(arguments, result, BinaryFunctions::position);
            case LTRIM_BINARY ->
                new TextStep(arguments, result, (in, out, row) -> BinaryFunctions.trim(true, false, in, out, row));
            case RTRIM_BINARY ->
                new TextStep(arguments, result, (in, out, row) -> BinaryFunctions.trim(false, true, in, out, row));
            case BTRIM_BINARY ->
                new TextStep(arguments, result, (in, out, row) -> BinaryFunctions.trim(true, true, in, out, row));
            case REVERSE_BINARY -> new TextStep(arguments, result, BinaryFunctions::reverse);
            case GET_BYTE -> new TextStep(arguments, result, BinaryFunctions::getByte);
            case SET_BYTE -> new TextStep(arguments, result, BinaryFunctions::setByte);
            case GET_BIT -> new TextStep(arguments, result, BinaryFunctions::getBit);
            case SET_BIT -> new TextStep(arguments, result, BinaryFunctions::setBit);
            case LIKE_BINARY -> new TextStep(arguments, result, new PatternKernel.LikeBytes());
            case CARDINALITY -> new TextStep(arguments, result, new ArrayFunctions.Cardinality());
            case ARRAY_HAS -> new TextStep(arguments, result, new ArrayFunctions.Has());
            case ARRAY_ITEM -> new TextStep(arguments, result, new ArrayFunctions.Item());
            case ARRAY_CONTAINS -> new TextStep(arguments, result, new ArrayFunctions.Contains());
            case IN_INT64 -> new TextStep(arguments, result, new ConstantList.OfInt64());
            case IN_UTF8 -> new TextStep(arguments, result, new ConstantList.OfText());
            case ARRAY_HAS_NULL -> new TextStep(arguments, result, new ArrayFunctions.HasNull());
            case ARRAY_JOIN, ARRAY_JOIN_NULLS -> new TextStep(arguments, result, new ArrayFunctions.Join());
            case ENCODE -> new TextStep(arguments, result, new BinaryFunctions.Encode());
            case DECODE -> new TextStep(arguments, result, BinaryFunctions::decode);
            case MD5 -> new TextStep(arguments, result, new BinaryFunctions.Digest("MD5", true));
            case SHA224 -> new TextStep(arguments, result, new BinaryFunctions.Digest("SHA-224", false));
            case SHA256 -> new TextStep(arguments, result, new BinaryFunctions.Digest("SHA-256", false));
            case SHA384 -> new TextStep(arguments, result, new BinaryFunctions.Digest("SHA-384", false));
            case SHA512 -> new TextStep(arguments, result, new BinaryFunctions.Digest("SHA-512", false));
            case CRC32 -> new TextStep(arguments, result, new BinaryFunctions.Sum(new CRC32()));
            case CRC32C -> new TextStep(arguments, result, new BinaryFunctions.Sum(new CRC32C()));
            case CONST -> throw new IllegalArgumentException("constants are there before the first tile");
            case EQ_BOOL,
                    EQ_INT16,
                    EQ_INT32,
                    EQ_INT64,
                    EQ_FLOAT32,
                    EQ_FLOAT64,
                    EQ_DECIMAL,
                    EQ_NUMERIC,
                    EQ_DATE,
                    EQ_TIMESTAMP,
                    EQ_TIME,
                    EQ_INTERVAL,
                    EQ_UTF8,
                    EQ_UUID,
                    EQ_BINARY,
                    NE_BOOL,
                    NE_INT16,
                    NE_INT32,
                    NE_INT64,
                    NE_FLOAT32,
                    NE_FLOAT64,
                    NE_DECIMAL,
                    NE_NUMERIC,
                    NE_DATE,
                    NE_TIMESTAMP,
                    NE_TIME,
                    NE_INTERVAL,
                    NE_UTF8,
                    NE_UUID,
                    NE_BINARY,
                    LT_BOOL,
                    LT_INT16,
                    LT_INT32,
                    LT_INT64,
                    LT_FLOAT32,
                    LT_FLOAT64,
                    LT_DECIMAL,
                    LT_NUMERIC,
                    LT_DATE,
                    LT_TIMESTAMP,
                    LT_TIME,
                    LT_INTERVAL,
                    LT_UTF8,
                    LT_UUID,
                    LT_BINARY,
                    LE_BOOL,
                    LE_INT16,
                    LE_INT32,
                    LE_INT64,
                    LE_FLOAT32,
                    LE_FLOAT64,
                    LE_DECIMAL,
                    LE_NUMERIC,
                    LE_DATE,
                    LE_TIMESTAMP,
                    LE_TIME,
                    LE_INTERVAL,
                    LE_UTF8,
                    LE_UUID,
                    LE_BINARY,
                    GT_BOOL,
                    GT_INT16,
                    GT_INT32,
                    GT_INT64,
                    GT_FLOAT32,
                    GT_FLOAT64,
                    GT_DECIMAL,
                    GT_NUMERIC,
                    GT_DATE,
                    GT_TIMESTAMP,
                    GT_TIME,
                    GT_INTERVAL,
                    GT_UTF8,
                    GT_UUID,
                    GT_BINARY,
                    GE_BOOL,
                    GE_INT16,
                    GE_INT32,
                    GE_INT64,
                    GE_FLOAT32,
                    GE_FLOAT64,
                    GE_DECIMAL,
                    GE_NUMERIC,
                    GE_DATE,
                    GE_TIMESTAMP,
                    GE_TIME,
                    GE_INTERVAL,
                    GE_UTF8,
                    GE_UUID,
                    GE_BINARY -> throw new IllegalArgumentException("comparisons are bound above");
        };
    }

    private static boolean isOfBytes(TypeClass type) {
        return type == TypeClass.UTF8 || type == TypeClass.BINARY;
    }

    private static BoolVector bool(TileProgram tile, int register) {
        return (BoolVector) tile.value(register);
    }

    private static Step int32(Operation operation, int a, int b, int result) {
        return unlessEmpty((tile, rows) -> Int32Arithmetic.binary(
                operation, (IntVector) tile.value(a), (IntVector) tile.value(b), (IntVector) tile.value(result), rows));
    }

    private static Step float32(Operation operation, int a, int b, int result) {
        return unlessEmpty((tile, rows) -> FloatArithmetic.binary(
                operation,
                (FloatVector) tile.value(a),
                (FloatVector) tile.value(b),
                (FloatVector) tile.value(result),
                rows));
    }

    private static Step float64(Operation operation, int a, int b, int result) {
        return unlessEmpty((tile, rows) -> FloatArithmetic.binary(
                operation,
                (DoubleVector) tile.value(a),
                (DoubleVector) tile.value(b),
                (DoubleVector) tile.value(result),
                rows));
    }

    private static Step float32(Function function, int a, int result) {
        return unlessEmpty((tile, rows) ->
                FloatArithmetic.unary(function, (FloatVector) tile.value(a), (FloatVector) tile.value(result), rows));
    }

    private static Step float64(Function function, int a, int result) {
        return unlessEmpty((tile, rows) ->
                FloatArithmetic.unary(function, (DoubleVector) tile.value(a), (DoubleVector) tile.value(result), rows));
    }

    private static Step decimal(Operation operation, int a, int b, int result) {
        WideNumber scratch = new WideNumber();
        return unlessEmpty((tile, rows) -> DecimalArithmetic.binary(
                operation,
                (DecimalVector) tile.value(a),
                (DecimalVector) tile.value(b),
                (DecimalVector) tile.value(result),
                rows,
                scratch));
    }

    private static Step int64(Operation operation, int a, int b, int result) {
        return unlessEmpty((tile, rows) -> Int64Arithmetic.binary(
                operation,
                (LongVector) tile.value(a),
                (LongVector) tile.value(b),
                (LongVector) tile.value(result),
                rows));
    }

    /// A step that selects no row when none comes in.
    private static Step maskStep(int result, Step step) {
        return (tile, rows) -> {
            if (rows.isEmpty()) {
                tile.mask(result).setEmpty(rows.rowCount());
            } else {
                step.run(tile, rows);
            }
        };
    }

    /// A step that leaves its result undefined when no row is selected.
    static Step unlessEmpty(Step step) {
        return (tile, rows) -> {
            if (!rows.isEmpty()) {
                step.run(tile, rows);
            }
        };
    }
}
