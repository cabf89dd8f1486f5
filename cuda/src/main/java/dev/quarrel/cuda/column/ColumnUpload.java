package dev.quarrel.cuda.column;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.encoded.Narrowing;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/// Gives columns the form that kernels read: integers in the fewest bytes, decimals as 64 bits at
/// most, text as codes of the table's dictionary, or as it is where there is none.
public final class ColumnUpload {
    public static final String UNLIKE_STATISTICS = "the column is not as statistics have it";

    private ColumnUpload() {}

    /// How values of a type lie on the device, whatever they are.
    ///
    /// @param codes how many codes a text column's dictionary has
    /// - Errors: [NoKernel] where they do not.
    public static Physical physical(DataType type, int codes) {
        return switch (type) {
            case DataType.Bool _ -> Physical.BITS;
            case DataType.Int16 _ -> Physical.I16;
            case DataType.Int32 _, DataType.Date _, DataType.Float32 _ -> Physical.I32;
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _, DataType.Float64 _, DataType.Decimal _ ->
                Physical.I64;
            case DataType.Utf8 _ -> codes <= 1 << 8 ? Physical.U8 : codes <= 1 << 16 ? Physical.U16 : Physical.I32;
            case DataType.Numeric _, DataType.Uuid _, DataType.Interval _, DataType.Binary _ ->
                throw new NoKernel("columns of " + type + " have no CUDA kernel");
        };
    }

    static MemorySegment outside(MemorySegment segment, SegmentAllocator room) {
        return segment.isNative()
                ? segment
                : room.allocate(Math.max(1, segment.byteSize()), 8).copyFrom(segment);
    }

    /// Bytes that copying some rows takes beside those of the column.
    public static long stagingBytes(DataType type, ColumnForm form, long rows) {
        boolean isAsItIs = type.byteWidth() == form.physical().width();
        return isAsItIs ? 0 : form.bytes(rows + 2L * ParameterBlock.PADDED_ROWS);
    }

    /// Values but those of [Physical#BITS] and [Physical#I24], which have places of their own.
    static MemorySegment values(Column column, ColumnForm form, SegmentAllocator room) {
        Physical physical = form.physical();
        long rows = column.rowCount();
        return switch (column) {
            case BoolColumn _ -> throw new IllegalArgumentException("bits have places of their own");
            case FixedColumn fixed
            when fixed.type().byteWidth() == physical.width() ->
                outside(fixed.values().asSlice(0, rows * physical.width()), room);
            case FixedColumn fixed when physical != Physical.I64 -> narrow(fixed, form, room);
            case FixedColumn fixed -> decimals(fixed, room);
            case DictionaryColumn coded -> codes(coded, physical, room);
            case Utf8Column _ -> throw new NoKernel("text without a dictionary has no CUDA kernel");
        };
    }

    private static MemorySegment narrow(FixedColumn column, ColumnForm form, SegmentAllocator room) {
        int rows = column.rowCount();
        MemorySegment to = room.allocate(form.bytes(rows), 8);
        Narrowing narrowing = narrowing(form);
        for (int done = 0; done < rows; done += Narrowing.MAX_ROWS) {
            if (!narrowing.run(column, done, Math.min(Narrowing.MAX_ROWS, rows - done), to)) {
                throw new NoKernel(UNLIKE_STATISTICS);
            }
        }
        return to;
    }

    static Narrowing narrowing(ColumnForm form) {
        return new Narrowing(form.physical().width(), form.base(), form.least(), form.greatest());
    }

    private static MemorySegment decimals(FixedColumn column, SegmentAllocator room) {
        if (!(column.type() instanceof DataType.Decimal)) {
            throw new NoKernel("columns of " + column.type() + " have no CUDA kernel");
        }
        MemorySegment from = column.values();
        MemorySegment to = room.allocate(Math.max(8, column.rowCount() * 8L), 8);
        boolean isNarrow = true;
        for (int row = 0; row < column.rowCount(); row++) {
            long low = from.get(INT64, row * 16L);
            isNarrow &= from.get(INT64, row * 16L + 8) == low >> 63
                    || !column.validity().isPresent(row);
            to.set(INT64, row * 8L, low);
        }
        if (!isNarrow) {
            throw new NoKernel("decimals beyond 64 bits have no CUDA kernel");
        }
        return to;
    }

    private static MemorySegment codes(DictionaryColumn column, Physical physical, SegmentAllocator room) {
        int[] table = column.dictionary().tableCodes();
        if (table == null && column.codeBytes() == physical.width()) {
            return outside(column.codes().asSlice(0, (long) column.rowCount() * physical.width()), room);
        }
        MemorySegment to = room.allocate(Math.max(8, (long) column.rowCount() * physical.width()), 8);
        for (int row = 0; row < column.rowCount(); row++) {
            int code = 0;
            if (column.validity().isPresent(row)) {
                code = table == null ? column.code(row) : table[column.code(row)];
            }
            switch (physical) {
                case U8 -> to.set(ValueLayout.JAVA_BYTE, row, (byte) code);
                case U16 -> to.set(INT16, row * 2L, (short) code);
                default -> to.set(INT32, row * 4L, code);
            }
        }
        return to;
    }
}
