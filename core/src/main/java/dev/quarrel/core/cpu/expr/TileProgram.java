package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.type.DataType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A program prepared to run over tiles on one worker: its registers are vectors that it reuses from tile to
/// tile.
///
/// - Memory: everything is allocated here, once; running a tile allocates nothing (text results grow their buffer
///   until the
///   largest tile fits). Outputs and selection are overwritten by the next `run`.
/// - Errors: `run` throws the `QueryException` of a row that fails; the registers are undefined then.
public final class TileProgram {
    private final Program program;
    private final Step[] steps;
    private final int[] stepMasks;
    private final Vector[] values;
    private final Mask[] masks;
    private TileInput input = TileInput.NONE;

    /// @param slotValues one a slot of the plan, of the slots' types
    /// @param tileRows the greatest number of rows of a tile
    public TileProgram(Program program, List<Literal> slotValues, int tileRows) {
        this.program = program;
        int registerCount = program.registers().size();
        this.values = new Vector[registerCount];
        this.masks = new Mask[registerCount];
        for (int register = 1; register < registerCount; register++) {
            if (program.registers().get(register) instanceof RegisterType.Mask) {
                masks[register] = new Mask(tileRows);
            }
        }
        new RegisterVectors(program, slotValues, tileRows).assign(values);
        List<Instruction> code = program.code();
        List<Step> made = new ArrayList<>(code.size());
        List<Integer> under = new ArrayList<>(code.size());
        for (Instruction instruction : code) {
            if (instruction.op() != Opcode.CONST) {
                made.add(Steps.of(instruction, this, tileRows));
                under.add(instruction.mask());
            }
        }
        this.steps = made.toArray(Step[]::new);
        this.stepMasks = under.stream().mapToInt(Integer::intValue).toArray();
    }

    public Program program() {
        return program;
    }

    /// Runs the program over one tile.
    ///
    /// @param rows register 0: the rows that come in; read only, and kept until the next run
    public void run(TileInput newInput, Mask rows) {
        input = newInput;
        masks[0] = rows;
        for (int index = 0; index < steps.length; index++) {
            steps[index].run(this, masks[stepMasks[index]]);
        }
    }

    /// The values of output number `index`, defined in the rows of `selection()`.
    public Vector output(int index) {
        return values[program.outputs().get(index)];
    }

    /// The rows that survive.
    public Mask selection() {
        return masks[program.selection()];
    }

    DataType type(int register) {
        return program.valueType(register);
    }

    Vector value(int register) {
        return values[register];
    }

    void setValue(int register, Vector vector) {
        values[register] = vector;
    }

    Mask mask(int register) {
        return masks[register];
    }

    TileInput input() {
        return input;
    }

    /// Which vector each register has: registers whose lives do not overlap share one, so that a long program stays
    /// in cache.
    private record RegisterVectors(Program program, List<Literal> slotValues, int tileRows) {
        void assign(Vector[] values) {
            int[] lastUse = lastUses();
            boolean[] loaded = new boolean[values.length];
            Map<DataType, Deque<Vector>> free = new HashMap<>();
            Map<Integer, Vector> constants = new HashMap<>();
            for (int index = 0; index < program.code().size(); index++) {
                Instruction instruction = program.code().get(index);
                int result = instruction.result();
                loaded[result] = instruction.op() == Opcode.LOAD;
                if (program.registers().get(result) instanceof RegisterType.Value(DataType type)) {
                    switch (instruction.op()) {
                        // The input gives the vector; AND and OR may look at a Bool that no row asked for.
                        case LOAD -> values[result] = type instanceof DataType.Bool ? Vector.of(type, tileRows) : null;
                        case CONST ->
                            values[result] = constants.computeIfAbsent(
                                    instruction.immediate(), slot -> Vector.constant(slotValues.get(slot), tileRows));
                        default -> {
                            Deque<Vector> pool = free.computeIfAbsent(type, _ -> new ArrayDeque<>());
                            values[result] = pool.isEmpty() ? Vector.of(type, tileRows) : pool.pop();
                        }
                    }
                }
                release(instruction, index, lastUse, values, loaded, free);
            }
        }

        /// Frees the vectors read for the last time, which the next instruction (not this one) may write.
        private void release(
                Instruction instruction,
                int index,
                int[] lastUse,
                Vector[] values,
                boolean[] loaded,
                Map<DataType, Deque<Vector>> free) {
            for (int argument : instruction.arguments().stream().distinct().toList()) {
                Vector vector = values[argument];
                // Text may be referred to by another vector (SELECT) after its register's last use.
                boolean shared = vector instanceof TextVector;
                if (!shared
                        && lastUse[argument] == index
                        && vector != null
                        && !vector.isConstant()
                        && !loaded[argument]) {
                    free.computeIfAbsent(vector.type(), _ -> new ArrayDeque<>()).push(vector);
                }
            }
        }

        private int[] lastUses() {
            int[] lastUse = new int[program.registers().size()];
            Arrays.fill(lastUse, Integer.MAX_VALUE);
            for (int index = 0; index < program.code().size(); index++) {
                for (int argument : program.code().get(index).arguments()) {
                    lastUse[argument] = index;
                }
            }
            for (int output : program.outputs()) {
                lastUse[output] = Integer.MAX_VALUE;
            }
            return lastUse;
        }
    }
}
