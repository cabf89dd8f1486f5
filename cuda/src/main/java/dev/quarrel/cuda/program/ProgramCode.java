package dev.quarrel.cuda.program;

import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.VmProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A program's way to the device: in the kernel's parameters, or in memory of its own where it does not fit them.
public final class ProgramCode {
    private ProgramCode() {}

    /// The parameters of a program's launches.
    ///
    /// - Errors: [NoKernel] where the device has too little shared memory for it.
    public static ParameterBlock block(Backend.Limits limits, VmProgram program) {
        ParameterBlock block = ParameterBlock.of(program, limits.threadsPerBlock(), limits.sharedBytes());
        if (block == null) {
            throw new NoKernel("the program needs more shared memory than the device has");
        }
        return block;
    }

    /// Bytes of the code that does not fit the parameters.
    public static long bytes(VmProgram program) {
        return program.isFar() ? (long) program.code().size() * ParameterBlock.INSTRUCTION_BYTES : 0;
    }

    /// Copies the code that does not fit the parameters; null where all of it does.
    ///
    /// - Memory: the caller closes it.
    ///
    /// @param arena stays until the queue is done
    public static DeviceMemory upload(
            ResidentColumns columns, CommandQueue queue, VmProgram program, ParameterBlock block, Arena arena) {
        if (!program.isFar()) {
            return null;
        }
        MemorySegment content = arena.allocate(bytes(program), 16);
        block.writeCode(content);
        DeviceMemory made = columns.allocate(content.byteSize());
        try {
            queue.upload(content, made, 0);
            return made;
        } catch (RuntimeException | Error problem) {
            queue.settle();
            made.close();
            throw problem;
        }
    }
}
