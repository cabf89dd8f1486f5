package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Writes a [Program] instruction by instruction.
///
/// Equal instructions under one mask are written once; a LOAD or CONST seen before under an outer mask is reused.
public final class ProgramBuilder {
    /// The mask of all rows that come in.
    public static final int ALL_ROWS = 0;

    private final List<DataType> inputs;
    private final List<RegisterType> registers = new ArrayList<>();
    private final List<Instruction> code = new ArrayList<>();
    private final Map<Key, Integer> written = new HashMap<>();
    /// The mask that each mask register was derived from; -1 for the root, and for value registers.
    private final List<Integer> parents = new ArrayList<>();

    private record Key(Opcode op, Callee callee, List<Integer> arguments, int mask, int immediate, RegisterType type) {}

    public ProgramBuilder(List<DataType> inputs) {
        this.inputs = List.copyOf(inputs);
        registers.add(RegisterType.MASK);
        parents.add(-1);
    }

    /// The program that hands on every input of every row.
    public static Program identity(List<DataType> inputs) {
        ProgramBuilder builder = new ProgramBuilder(inputs);
        List<Integer> outputs = IntStream.range(0, inputs.size())
                .mapToObj(input -> builder.load(input, ALL_ROWS))
                .toList();
        return builder.build(ALL_ROWS, outputs, List.of());
    }

    public int load(int input, int mask) {
        return value(Opcode.LOAD, inputs.get(input), mask, input);
    }

    public int constant(int slot, DataType type, int mask) {
        return value(Opcode.CONST, type, mask, slot);
    }

    /// A value of `type` computed by `op` from `arguments` under `mask`.
    public int value(Opcode op, DataType type, int mask, int immediate, Integer... arguments) {
        return write(op, null, new RegisterType.Value(type), mask, immediate, List.of(arguments));
    }

    /// The value that a function gives under `mask`.
    public int call(Callee callee, int mask, List<Integer> arguments) {
        return write(Opcode.CALL, callee, new RegisterType.Value(callee.result()), mask, 0, arguments);
    }

    /// A mask within `mask`.
    public int mask(Opcode op, int mask, int argument) {
        return write(op, null, RegisterType.MASK, mask, 0, List.of(argument));
    }

    public DataType type(int register) {
        return switch (registers.get(register)) {
            case RegisterType.Value(DataType type) -> type;
            case RegisterType.Mask _ -> throw new IllegalArgumentException("register " + register + " is a mask");
        };
    }

    private int write(Opcode op, Callee callee, RegisterType type, int mask, int immediate, List<Integer> arguments) {
        for (int outer = mask; outer >= 0; outer = parents.get(outer)) {
            Integer known = written.get(new Key(op, callee, arguments, outer, immediate, type));
            if (known != null && (outer == mask || type instanceof RegisterType.Value)) {
                return known;
            }
        }
        int result = registers.size();
        registers.add(type);
        parents.add(type instanceof RegisterType.Mask ? mask : -1);
        code.add(new Instruction(op, result, arguments, mask, immediate, callee));
        written.put(new Key(op, callee, arguments, mask, immediate, type), result);
        return result;
    }

    /// - Errors: [IllegalArgumentException] if the result is malformed ([ProgramVerifier]).
    public Program build(int selection, List<Integer> outputs, List<Slot> slots) {
        Program program = new Program(inputs, registers, code, selection, outputs);
        ProgramVerifier.verify(program, slots);
        return program;
    }
}
