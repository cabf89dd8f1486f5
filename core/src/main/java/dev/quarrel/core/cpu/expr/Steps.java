package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.function.Kernels;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.TypeClass;

/// Binds instructions to the loops that do them, family by family.
final class Steps {
    private Steps() {}

    static Step of(Instruction instruction, TileProgram program, int tileRows) {
        Opcode op = instruction.op();
        if (op.relation() != null) {
            return comparison(op.relation(), instruction, program);
        }
        if (op.arithmetic() != null) {
            return NumberSteps.arithmetic(op.arithmetic(), instruction);
        }
        if (op == Opcode.CALL) {
            Callee callee = instruction.callee();
            return new FunctionStep(
                    instruction.arguments(), instruction.result(), callee.isStrict(), Kernels.of(callee));
        }
        if (op == Opcode.CAST) {
            int argument = instruction.arguments().getFirst();
            int result = instruction.result();
            return CastSteps.of(program.type(argument), program.type(result), argument, result);
        }
        Step step = LogicSteps.of(instruction, tileRows);
        step = step != null ? step : NumberSteps.of(instruction);
        step = step != null ? step : TimeSteps.of(instruction);
        step = step != null ? step : TextSteps.of(instruction);
        if (step == null) {
            throw new IllegalArgumentException(op + " has no step");
        }
        return step;
    }

    private static Step comparison(Relation relation, Instruction instruction, TileProgram program) {
        int a = instruction.arguments().get(0);
        int b = instruction.arguments().get(1);
        TypeClass type = instruction.op().arguments().getFirst();
        if (type == TypeClass.UTF8 || type == TypeClass.BINARY) {
            return new TextComparisonStep(relation, instruction.arguments(), instruction.result());
        }
        BoolVector out = bools(program, instruction.result());
        return unlessEmpty((tile, rows) -> Comparisons.compare(relation, tile.value(a), tile.value(b), out, rows));
    }

    static BoolVector bools(TileProgram tile, int register) {
        return (BoolVector) tile.value(register);
    }

    static IntVector ints(TileProgram tile, int register) {
        return (IntVector) tile.value(register);
    }

    static LongVector longs(TileProgram tile, int register) {
        return (LongVector) tile.value(register);
    }

    static DecimalVector decimals(TileProgram tile, int register) {
        return (DecimalVector) tile.value(register);
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
