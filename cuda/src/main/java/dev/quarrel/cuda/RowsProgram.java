package dev.quarrel.cuda;

import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.VmProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The two programs of a pipeline whose rows leave, and the tables that they read, on the device.
final class RowsProgram implements AutoCloseable {
    private final EncodedRows encoded;
    private final Pass mark;
    private final Pass write;
    private final PipelineTables tables;

    /// One of them.
    ///
    /// @param code what does not fit the parameters, or null
    record Pass(EncodedPipeline encoded, ParameterBlock block, Kernel kernel, DeviceMemory code) {
        VmProgram program() {
            return encoded.program();
        }
    }

    /// - Errors: [NoKernel], [DeviceFault]
    RowsProgram(CudaDevice device, EncodedRows encoded, PipelineFacts facts) {
        this.encoded = encoded;
        CommandQueue queue = device.queue();
        PipelineTables madeTables = null;
        DeviceMemory first = null;
        DeviceMemory second = null;
        try (Arena arena = Arena.ofConfined()) {
            ParameterBlock markBlock = block(device, encoded.mark().program());
            ParameterBlock writeBlock = block(device, encoded.write().program());
            madeTables = PipelineTables.of(device.columns(), queue, encoded.write(), facts);
            try {
                first = code(device, queue, encoded.mark().program(), markBlock, arena);
                second = code(device, queue, encoded.write().program(), writeBlock, arena);
                queue.synchronize();
            } catch (RuntimeException | Error problem) {
                queue.settle();
                throw problem;
            }
            this.mark =
                    new Pass(encoded.mark(), markBlock, Kernel.vm(encoded.mark().program()), first);
            this.write = new Pass(
                    encoded.write(), writeBlock, Kernel.vm(encoded.write().program()), second);
            this.tables = madeTables;
        } catch (RuntimeException | Error problem) {
            CudaPipeline.closeAll(madeTables, first, second);
            throw problem;
        } finally {
            device.release(queue);
        }
    }

    /// Bytes that it will take on the device.
    static long bytes(EncodedRows encoded, PipelineFacts facts) {
        return PipelineTables.bytes(encoded.write(), facts)
                + codeBytes(encoded.mark().program())
                + codeBytes(encoded.write().program());
    }

    private static long codeBytes(VmProgram program) {
        return program.isFar() ? (long) program.code().size() * ParameterBlock.INSTRUCTION_BYTES : 0;
    }

    static ParameterBlock block(CudaDevice device, VmProgram program) {
        Backend.Limits limits = device.backend().limits();
        ParameterBlock block = ParameterBlock.of(program, limits.threadsPerBlock(), limits.sharedBytes());
        if (block == null) {
            throw new NoKernel("the program needs more shared memory than the device has");
        }
        return block;
    }

    /// What does not fit the parameters, or null.
    static DeviceMemory code(
            CudaDevice device, CommandQueue queue, VmProgram program, ParameterBlock block, Arena arena) {
        if (!program.isFar()) {
            return null;
        }
        MemorySegment content = arena.allocate(codeBytes(program), 16);
        block.writeCode(content);
        DeviceMemory made = device.columns().allocate(content.byteSize());
        queue.upload(content, made, 0);
        return made;
    }

    EncodedRows encoded() {
        return encoded;
    }

    Pass mark() {
        return mark;
    }

    Pass write() {
        return write;
    }

    PipelineTables tables() {
        return tables;
    }

    @Override
    public void close() {
        CudaPipeline.closeAll(tables, mark.code(), write.code());
    }
}
