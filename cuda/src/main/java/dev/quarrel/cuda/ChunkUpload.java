package dev.quarrel.cuda;

import dev.quarrel.core.column.Column;
import dev.quarrel.cuda.ResidentColumns.Resident;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.Arena;

/// Copies a chunk of a column to the device, batch by batch.
final class ChunkUpload implements AutoCloseable {
    private final ResidentColumns resident;
    private final CommandQueue queue;
    private final Physical physical;
    private final long validBytes;
    private final boolean isNullable;
    private DeviceMemory data;
    private DeviceMemory valid; // null while all values are present

    /// Room for a column.
    ///
    /// - Memory: whoever makes it closes it, once the queue has been waited for.
    /// - Errors: [DeviceFault].
    ///
    /// @param isNullable false where statistics say that there are no NULLs
    ChunkUpload(ResidentColumns resident, CommandQueue queue, Physical physical, long rows, boolean isNullable) {
        this.resident = resident;
        this.queue = queue;
        this.physical = physical;
        this.isNullable = isNullable;
        long padded = (rows + ParameterBlock.PADDED_ROWS - 1) / ParameterBlock.PADDED_ROWS * ParameterBlock.PADDED_ROWS;
        this.validBytes = Math.max(16, padded / 8);
        this.data = resident.allocate(Math.max(16, physical.bytes(padded)));
    }

    /// Copies what a batch has of it.
    ///
    /// - Memory: `column` and `arena` stay until the queue has been waited for.
    /// - Errors: [NoKernel] for values that have no such form; [DeviceFault].
    ///
    /// @param start the first row's place, a multiple of [ParameterBlock#PADDED_ROWS]
    void add(Column column, long start, Arena arena) {
        if (column.rowCount() == 0) {
            return;
        }
        queue.upload(ColumnUpload.values(column, physical, arena), data, physical.bytes(start));
        long bytes = (column.rowCount() + 7L) / 8;
        if (!column.validity().isAllPresent()) {
            if (!isNullable) {
                throw new NoKernel("the column is not as statistics have it");
            }
            if (valid == null) {
                valid = resident.allocate(validBytes);
                if (start > 0) {
                    queue.fill(valid, 0, start / 8, (byte) -1);
                }
            }
            queue.upload(ColumnUpload.outside(column.validity().bits().asSlice(0, bytes), arena), valid, start / 8);
        } else if (valid != null) {
            queue.fill(valid, start / 8, bytes, (byte) -1);
        }
    }

    /// The column, once the queue has been waited for.
    ///
    /// - Memory: the caller's from here on.
    Resident take() {
        DeviceColumn column = new DeviceColumn(physical, data.address(), valid == null ? 0 : valid.address());
        Resident made = new Resident(column, data, valid);
        data = null;
        valid = null;
        return made;
    }

    @Override
    public void close() {
        if (data != null) {
            data.close();
            data = null;
        }
        if (valid != null) {
            valid.close();
            valid = null;
        }
    }
}
