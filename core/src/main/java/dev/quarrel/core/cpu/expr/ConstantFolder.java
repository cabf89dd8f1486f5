package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import java.util.List;
import java.util.stream.IntStream;

/// Evaluates a program without inputs on one row. The planner folds constants with it, that is, by the engine
/// that would compute them.
public final class ConstantFolder {
    private ConstantFolder() {}

    /// The values of the program's outputs.
    ///
    /// - Errors: the `QueryException` that the row raises; [IllegalArgumentException] if the program loads an
    ///   input or does not select the row.
    public static List<Literal> evaluate(Program program, List<Literal> slotValues) {
        TileProgram tile = new TileProgram(program, slotValues, 1);
        Mask row = new Mask(1);
        row.setAll(1);
        tile.run(TileInput.NONE, row);
        if (tile.selection().isEmpty()) {
            throw new IllegalArgumentException("the program drops the row");
        }
        return IntStream.range(0, program.outputs().size())
                .mapToObj(index -> new Literal(
                        tile.output(index).type(), tile.output(index).value(0)))
                .toList();
    }
}
