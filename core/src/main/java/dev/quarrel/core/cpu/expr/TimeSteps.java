package dev.quarrel.core.cpu.expr;

import static dev.quarrel.core.cpu.expr.Steps.decimals;
import static dev.quarrel.core.cpu.expr.Steps.ints;
import static dev.quarrel.core.cpu.expr.Steps.longs;
import static dev.quarrel.core.cpu.expr.Steps.unlessEmpty;

import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import java.util.List;

/// The steps of dates, times, timestamps and intervals.
final class TimeSteps {
    private TimeSteps() {}

    /// - Returns: null for an opcode of another family
    static Step of(Instruction instruction) {
        int result = instruction.result();
        List<Integer> arguments = instruction.arguments();
        int a = arguments.isEmpty() ? -1 : arguments.get(0);
        int b = arguments.size() < 2 ? -1 : arguments.get(1);
        int immediate = instruction.immediate();
        return switch (instruction.op()) {
            case ADD_DATE_INT32, SUB_DATE_INT32 -> {
                int sign = instruction.op() == Opcode.ADD_DATE_INT32 ? 1 : -1;
                yield unlessEmpty((tile, rows) ->
                        DateOperations.addDays(sign, ints(tile, a), ints(tile, b), ints(tile, result), rows));
            }
            case SUB_DATE_DATE ->
                unlessEmpty((tile, rows) ->
                        DateOperations.daysBetween(ints(tile, a), ints(tile, b), ints(tile, result), rows));
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
                yield unlessEmpty(
                        (tile, rows) -> DateOperations.extractDate(field, ints(tile, a), ints(tile, result), rows));
            }
            case EXTRACT_TIMESTAMP -> {
                DateField field = DateField.of(immediate);
                yield unlessEmpty((tile, rows) ->
                        DateOperations.extractTimestamp(field, longs(tile, a), decimals(tile, result), rows));
            }
            case TRUNC_TIMESTAMP -> {
                DateField field = DateField.of(immediate);
                yield unlessEmpty(
                        (tile, rows) -> DateOperations.truncate(field, longs(tile, a), longs(tile, result), rows));
            }
            default -> null;
        };
    }
}
