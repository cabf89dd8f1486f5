package dev.quarrel.cuda.column;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.column.ResidentColumns.Resident;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/// Copies a chunk of a column to the device, batch by batch.
public final class ChunkUpload implements AutoCloseable {
    private final ResidentColumns resident;
    private final CommandQueue queue;
    private final ColumnForm form;
    private final long validBytes;
    private final boolean isNullable;
    private final PlacedTexts texts;
    private DeviceMemory data;
    private DeviceMemory valid; // null while all values are present
    private final PlacedTiles tiles; // or null
    private final PlacedBits bits = new PlacedBits();
    private final PlacedBits validBits = new PlacedBits();

    /// Room for a column.
    ///
    /// - Memory: whoever makes it closes it, once the queue has been waited for.
    /// - Errors: `DeviceFault`.
    ///
    /// @param isNullable false where statistics say that there are no NULLs
    public ChunkUpload(ResidentColumns resident, CommandQueue queue, ColumnForm form, long rows, boolean isNullable) {
        this.resident = resident;
        this.queue = queue;
        this.form = form;
        this.tiles = form.physical() == Physical.I24 ? new PlacedTiles(form) : null;
        this.isNullable = isNullable;
        this.texts = new PlacedTexts(resident, queue);
        long padded = (rows + ParameterBlock.PADDED_ROWS - 1) / ParameterBlock.PADDED_ROWS * ParameterBlock.PADDED_ROWS;
        this.validBytes = Math.max(16, padded / 8);
        this.data = resident.allocate(Math.max(16, form.bytes(padded)));
    }

    /// Copies what a batch has of it, behind the batch before.
    ///
    /// - Memory: `column` and `room` are of no use to it once it has returned.
    /// - Errors: [NoKernel] for values that have no such form; `DeviceFault`.
    ///
    /// @param start the first row's place
    public void add(Column column, long start, SegmentAllocator room) {
        int rows = column.rowCount();
        if (rows == 0) {
            return;
        }
        switch (column) {
            case BoolColumn bools -> queue.upload(bits.place(bools.bits(), start, rows, room), data, start / 8);
            case Utf8Column plain when form.physical() == Physical.TEXT -> texts.add(plain, start, data, room);
            case FixedColumn numbers
            when tiles != null ->
                queue.upload(tiles.place(numbers, start, room), data, form.bytes(PlacedTiles.tileStart(start)));
            default -> queue.upload(ColumnUpload.values(column, form, room), data, form.bytes(start));
        }
        if (!column.validity().isAllPresent()) {
            if (!isNullable) {
                throw new NoKernel(ColumnUpload.UNLIKE_STATISTICS);
            }
            if (valid == null) {
                valid = resident.allocate(validBytes);
                fillValid(0, start, room);
            }
            queue.upload(validBits.place(column.validity().bits(), start, rows, room), valid, start / 8);
        } else if (valid != null) {
            fillValid(start, rows, room);
        }
    }

    /// Rows that are all present.
    private void fillValid(long start, long rows, SegmentAllocator room) {
        MemorySegment first = validBits.placeOnes(start, rows, room);
        if (first != null) {
            queue.upload(first, valid, start / 8);
        }
        long from = (start + 7) / 8;
        long to = (start + rows + 7) / 8;
        if (to > from) {
            queue.fill(valid, from, to - from, (byte) -1);
        }
    }

    /// The column, once the queue has been waited for.
    ///
    /// - Memory: the caller's from here on.
    public Resident take() {
        DeviceColumn column = new DeviceColumn(form.physical(), data.address(), valid == null ? 0 : valid.address());
        Resident made = new Resident(form, column, data, valid, texts.take());
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
        texts.close();
    }
}
