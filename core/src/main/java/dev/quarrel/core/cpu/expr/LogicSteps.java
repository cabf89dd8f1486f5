package dev.quarrel.core.cpu.expr;

import static dev.quarrel.core.cpu.expr.Steps.bools;
import static dev.quarrel.core.cpu.expr.Steps.unlessEmpty;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Instruction;
import java.util.List;

/// The steps of loads, masks, truth and NULL.
final class LogicSteps {
    private LogicSteps() {}

    /// - Returns: null for an opcode of another family
    static Step of(Instruction instruction, int tileRows) {
        int result = instruction.result();
        List<Integer> arguments = instruction.arguments();
        int a = arguments.isEmpty() ? -1 : arguments.get(0);
        int b = arguments.size() < 2 ? -1 : arguments.get(1);
        int c = arguments.size() < 3 ? -1 : arguments.get(2);
        int immediate = instruction.immediate();
        return switch (instruction.op()) {
            case LOAD ->
                unlessEmpty((tile, rows) -> tile.setValue(result, tile.input().load(immediate, rows)));
            case MASK_TRUE -> mask(result, (tile, rows) -> Logic.maskTrue(bools(tile, a), rows, tile.mask(result)));
            case MASK_NOT_TRUE ->
                mask(result, (tile, rows) -> Logic.maskNotTrue(bools(tile, a), rows, tile.mask(result)));
            case MASK_NOT_FALSE ->
                mask(result, (tile, rows) -> Logic.maskNotFalse(bools(tile, a), rows, tile.mask(result)));
            case MASK_PRESENT ->
                mask(result, (tile, rows) -> Logic.maskPresent(tile.value(a), rows, tile.mask(result)));
            case MASK_MINUS ->
                mask(
                        result,
                        (tile, rows) ->
                                tile.mask(result).setAndNot(rows, tile.mask(a).bits()));
            case SELECT -> {
                Mask rest = new Mask(tileRows);
                TextSelect texts = new TextSelect();
                yield unlessEmpty((tile, rows) -> Logic.select(
                        tile.mask(a), tile.value(b), tile.value(c), tile.value(result), rows, rest, texts));
            }
            case AND ->
                unlessEmpty((tile, rows) ->
                        Logic.and(bools(tile, a), bools(tile, b), bools(tile, result), rows.wordCount()));
            case OR ->
                unlessEmpty((tile, rows) ->
                        Logic.or(bools(tile, a), bools(tile, b), bools(tile, result), rows.wordCount()));
            case NOT -> unlessEmpty((tile, rows) -> Logic.not(bools(tile, a), bools(tile, result), rows.wordCount()));
            case IS_NULL ->
                unlessEmpty((tile, rows) -> Logic.isPresent(tile.value(a), bools(tile, result), rows.wordCount(), -1L));
            case IS_NOT_NULL ->
                unlessEmpty((tile, rows) -> Logic.isPresent(tile.value(a), bools(tile, result), rows.wordCount(), 0L));
            case IS_TRUE ->
                unlessEmpty((tile, rows) -> Logic.isBool(bools(tile, a), bools(tile, result), rows.wordCount(), 0L));
            case IS_FALSE ->
                unlessEmpty((tile, rows) -> Logic.isBool(bools(tile, a), bools(tile, result), rows.wordCount(), -1L));
            default -> null;
        };
    }

    /// A step that selects no row when none comes in.
    private static Step mask(int result, Step step) {
        return (tile, rows) -> {
            if (rows.isEmpty()) {
                tile.mask(result).setEmpty(rows.rowCount());
            } else {
                step.run(tile, rows);
            }
        };
    }
}
