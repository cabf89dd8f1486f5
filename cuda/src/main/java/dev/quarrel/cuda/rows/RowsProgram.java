package dev.quarrel.cuda.rows;

import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceResource;
import dev.quarrel.cuda.backend.DeviceStamp;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.backend.LaunchClock;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.program.PipelineTables;
import dev.quarrel.cuda.program.ProgramCode;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.VmProgram;
import java.lang.foreign.Arena;

/// The two programs of a pipeline whose rows leave, and the tables that they read, on the device.
public final class RowsProgram implements AutoCloseable {
    private final EncodedRows encoded;
    private final Pass mark;
    private final Pass write;
    private final PipelineTables tables;
    private final DeviceStamp origin; // or null

    /// One of them.
    ///
    /// @param code what does not fit the parameters, or null
    record Pass(EncodedPipeline encoded, ParameterBlock block, Kernel kernel, DeviceMemory code) {
        VmProgram program() {
            return encoded.program();
        }
    }

    /// - Errors: `NoKernel`, `DeviceFault`.
    RowsProgram(DeviceServices device, EncodedRows encoded, PipelineFacts facts) {
        this.encoded = encoded;
        CommandQueue queue = device.queues().borrow();
        PipelineTables madeTables = null;
        DeviceMemory first = null;
        DeviceMemory second = null;
        DeviceStamp madeOrigin = null;
        try (Arena arena = Arena.ofConfined()) {
            ParameterBlock markBlock =
                    ProgramCode.block(device.limits(), encoded.mark().program());
            ParameterBlock writeBlock =
                    ProgramCode.block(device.limits(), encoded.write().program());
            madeTables = PipelineTables.of(device.columns(), queue, encoded.write(), facts);
            try {
                first = ProgramCode.upload(
                        device.columns(), queue, encoded.mark().program(), markBlock, arena);
                second = ProgramCode.upload(
                        device.columns(), queue, encoded.write().program(), writeBlock, arena);
                madeOrigin = LaunchClock.origin(queue);
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
            this.origin = madeOrigin;
        } catch (RuntimeException | Error problem) {
            DeviceResource.closeAll(madeTables, first, second, madeOrigin);
            throw problem;
        } finally {
            device.queues().release(queue);
        }
    }

    /// Bytes that it will take on the device.
    static long bytes(EncodedRows encoded, PipelineFacts facts) {
        return PipelineTables.bytes(encoded.write(), facts)
                + ProgramCode.bytes(encoded.mark().program())
                + ProgramCode.bytes(encoded.write().program());
    }

    public EncodedRows encoded() {
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

    /// When the device was ready, by its clock, or null.
    DeviceStamp origin() {
        return origin;
    }

    @Override
    public void close() {
        DeviceResource.closeAll(tables, mark.code(), write.code(), origin);
    }
}
