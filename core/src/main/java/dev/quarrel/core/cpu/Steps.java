package dev.quarrel.core.cpu;

import dev.quarrel.core.cpu.Int32Arithmetic.Operation;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

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
            default ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "the CPU device does not run " + instruction.op() + " yet");
        };
    }

    private static BoolVector bool(TileProgram tile, int register) {
        return (BoolVector) tile.value(register);
    }

    private static Step int32(Operation operation, int a, int b, int result) {
        return unlessEmpty((tile, rows) -> Int32Arithmetic.binary(
                operation, (IntVector) tile.value(a), (IntVector) tile.value(b), (IntVector) tile.value(result), rows));
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
