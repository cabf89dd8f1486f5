package dev.quarrel.cuda;

import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.host.HostBackend;
import dev.quarrel.cuda.host.HostLibrary;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Has a kernel read a column that is shorter than it says: where the sanitizer sees that, this process does not
/// come to its end.
public final class PastTheEnd {
    private PastTheEnd() {}

    public static void main(String[] arguments) {
        VmProgram program = new VmProgram(
                4,
                List.of(
                        new VmInstruction(VmOpcode.LOAD_I32, 0, 0, 0, 0, 0),
                        new VmInstruction(VmOpcode.OWN_SUM, 0, 0, 0, 0, 0),
                        new VmInstruction(VmOpcode.END, 0, 0, 0, 0, 0)),
                List.of(),
                0,
                0,
                1,
                1,
                false,
                0,
                List.of(Physical.I32),
                List.of());
        HostBackend backend = new HostBackend(HostLibrary.open(), 0);
        try (Arena arena = Arena.ofConfined();
                DeviceMemory column = backend.allocate(ParameterBlock.PADDED_ROWS * 4L - 16);
                DeviceMemory words = backend.allocate(8);
                DeviceMemory status = backend.allocate(ParameterBlock.STATUS_BYTES);
                CommandQueue queue = backend.newQueue()) {
            ParameterBlock block =
                    ParameterBlock.of(program, 32, backend.limits().sharedBytes());
            MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
            block.write(
                    parameters,
                    ParameterBlock.PADDED_ROWS,
                    0,
                    words.address(),
                    1,
                    status.address(),
                    List.of(new DeviceColumn(Physical.I32, column.address(), 0)),
                    List.of());
            queue.launch(Kernel.vm(program), 1, block.threads(), block.sharedBytes(), parameters);
        }
    }
}
