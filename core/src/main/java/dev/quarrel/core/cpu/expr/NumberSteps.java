package dev.quarrel.core.cpu.expr;

import static dev.quarrel.core.cpu.expr.Steps.decimals;
import static dev.quarrel.core.cpu.expr.Steps.ints;
import static dev.quarrel.core.cpu.expr.Steps.longs;
import static dev.quarrel.core.cpu.expr.Steps.unlessEmpty;

import dev.quarrel.core.cpu.expr.FloatArithmetic.Rounding;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.TypeClass;
import java.util.List;

/// The steps of arithmetic and rounding.
final class NumberSteps {
    private NumberSteps() {}

    static Step arithmetic(Arithmetic operation, Instruction instruction) {
        TypeClass type = instruction.op().result();
        List<Integer> arguments = instruction.arguments();
        int result = instruction.result();
        if (type == TypeClass.INTERVAL) {
            return IntervalOperations.arithmetic(operation, arguments, result);
        }
        return operation.operandCount() == 1
                ? negation(operation == Arithmetic.ABS, type, arguments.getFirst(), result)
                : binary(operation, type, arguments.get(0), arguments.get(1), result);
    }

    private static Step negation(boolean absolute, TypeClass type, int a, int result) {
        return unlessEmpty(
                switch (type) {
                    case INT16, INT32 ->
                        (tile, rows) -> Int32Arithmetic.negate(absolute, ints(tile, a), ints(tile, result), rows);
                    case INT64 ->
                        (tile, rows) -> Int64Arithmetic.negate(absolute, longs(tile, a), longs(tile, result), rows);
                    case FLOAT32 ->
                        (tile, rows) -> FloatArithmetic.negate(absolute, floats(tile, a), floats(tile, result), rows);
                    case FLOAT64 ->
                        (tile, rows) -> FloatArithmetic.negate(absolute, doubles(tile, a), doubles(tile, result), rows);
                    case DECIMAL, NUMERIC ->
                        (tile, rows) ->
                                DecimalArithmetic.negate(absolute, decimals(tile, a), decimals(tile, result), rows);
                    default -> throw new IllegalArgumentException(type + " has no arithmetic");
                });
    }

    private static Step binary(Arithmetic operation, TypeClass type, int a, int b, int result) {
        return unlessEmpty(
                switch (type) {
                    case INT16, INT32 ->
                        (tile, rows) -> Int32Arithmetic.binary(
                                operation, ints(tile, a), ints(tile, b), ints(tile, result), rows);
                    case INT64 ->
                        (tile, rows) -> Int64Arithmetic.binary(
                                operation, longs(tile, a), longs(tile, b), longs(tile, result), rows);
                    case FLOAT32 ->
                        (tile, rows) -> FloatArithmetic.binary(
                                operation, floats(tile, a), floats(tile, b), floats(tile, result), rows);
                    case FLOAT64 ->
                        (tile, rows) -> FloatArithmetic.binary(
                                operation, doubles(tile, a), doubles(tile, b), doubles(tile, result), rows);
                    case DECIMAL, NUMERIC -> {
                        WideNumber scratch = new WideNumber();
                        yield (tile, rows) -> DecimalArithmetic.binary(
                                operation, decimals(tile, a), decimals(tile, b), decimals(tile, result), rows, scratch);
                    }
                    default -> throw new IllegalArgumentException(type + " has no arithmetic");
                });
    }

    /// - Returns: null for an opcode of another family
    static Step of(Instruction instruction) {
        int a = instruction.arguments().isEmpty() ? -1 : instruction.arguments().getFirst();
        int result = instruction.result();
        return switch (instruction.op()) {
            case FLOOR_FLOAT64 -> rounded(Rounding.FLOOR, a, result);
            case CEIL_FLOAT64 -> rounded(Rounding.CEILING, a, result);
            case ROUND_FLOAT64 -> rounded(Rounding.HALF_EVEN, a, result);
            case ROUND_NUMERIC, TRUNC_NUMERIC -> {
                boolean truncate = instruction.op() == Opcode.TRUNC_NUMERIC;
                int b = instruction.arguments().get(1);
                WideNumber scratch = new WideNumber();
                yield unlessEmpty((tile, rows) -> DecimalArithmetic.round(
                        truncate, decimals(tile, a), ints(tile, b), decimals(tile, result), rows, scratch));
            }
            case FLOOR_NUMERIC, CEIL_NUMERIC -> {
                boolean up = instruction.op() == Opcode.CEIL_NUMERIC;
                WideNumber scratch = new WideNumber();
                yield unlessEmpty((tile, rows) ->
                        DecimalArithmetic.floor(up, decimals(tile, a), decimals(tile, result), rows, scratch));
            }
            default -> null;
        };
    }

    private static Step rounded(Rounding rounding, int a, int result) {
        return unlessEmpty(
                (tile, rows) -> FloatArithmetic.round(rounding, doubles(tile, a), doubles(tile, result), rows));
    }

    private static FloatVector floats(TileProgram tile, int register) {
        return (FloatVector) tile.value(register);
    }

    private static DoubleVector doubles(TileProgram tile, int register) {
        return (DoubleVector) tile.value(register);
    }
}
