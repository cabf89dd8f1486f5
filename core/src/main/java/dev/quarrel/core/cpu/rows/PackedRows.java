package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Writes rows of several columns as bytes, one row after another, with the columns that
/// [dev.quarrel.core.device.AggregateLayout] describes, and reads them back.
///
/// - Memory: the buffer is reserved, and given back by `close`.
public final class PackedRows implements AutoCloseable {
    private static final int LARGEST = Integer.MAX_VALUE - 16;

    private final Reservation reservation;
    private byte[] bytes = new byte[0];
    private MemorySegment segment = MemorySegment.ofArray(bytes);
    private int size;

    public PackedRows(Reservation reservation) {
        this.reservation = reservation;
    }

    public MemorySegment segment() {
        return segment;
    }

    public int size() {
        return size;
    }

    public void clear() {
        size = 0;
    }

    /// Room for more bytes; where they start.
    private int reserve(int more) {
        long needed = (long) size + more;
        if (needed > LARGEST) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("The rows of one group take more than 2 GiB.");
        }
        if (needed > bytes.length) {
            int larger = (int) Math.min(LARGEST, Math.max(1024, needed + (needed >> 1)));
            reservation.growToSpill(larger - (long) bytes.length);
            bytes = Arrays.copyOf(bytes, larger);
            segment = MemorySegment.ofArray(bytes);
        }
        int at = size;
        size = (int) needed;
        return at;
    }

    public void appendLong(long value) {
        int at = reserve(8);
        segment.set(INT64, at, value);
    }

    /// One value of a column.
    public void append(ValueStore column, int row) {
        appendByte(column.isPresent(row) ? 1 : 0);
        if (!column.isPresent(row)) {
            return;
        }
        switch (column) {
            case BoolStore bools -> appendByte(bools.get(row) ? 1 : 0);
            case IntStore ints -> appendInt(ints.values()[row]);
            case LongStore longs -> appendLong(longs.values()[row]);
            case FloatStore floats -> appendInt(Float.floatToRawIntBits(floats.values()[row]));
            case DoubleStore doubles -> appendLong(Double.doubleToRawLongBits(doubles.values()[row]));
            case DecimalStore decimals -> {
                appendLong(decimals.low()[row]);
                appendLong(decimals.high()[row]);
                if (decimals.scale() != null) {
                    appendInt(decimals.scale()[row]);
                }
            }
            case TextStore texts -> {
                int length = texts.length(row);
                appendInt(length);
                int to = reserve(length);
                MemorySegment.copy(texts.bytes(row), ValueLayout.JAVA_BYTE, texts.start(row), bytes, to, length);
            }
        }
    }

    private void appendByte(int value) {
        int at = reserve(1);
        bytes[at] = (byte) value;
    }

    private void appendInt(int value) {
        int at = reserve(4);
        segment.set(INT32, at, value);
    }

    /// Appends one packed value to a column.
    ///
    /// @return where the next one starts
    public static long read(MemorySegment from, long at, ValueStore column) {
        if (from.get(ValueLayout.JAVA_BYTE, at) == 0) {
            column.appendNull();
            return at + 1;
        }
        long start = at + 1;
        if (column instanceof TextStore texts) {
            int length = from.get(INT32, start);
            texts.appendValue(from, start + 4, length);
            return start + 4 + length;
        }
        int row = column.size();
        column.grow(1);
        return start
                + switch (column) {
                    case IntStore ints -> {
                        ints.values()[row] = from.get(INT32, start);
                        yield 4;
                    }
                    case LongStore longs -> {
                        longs.values()[row] = from.get(INT64, start);
                        yield 8;
                    }
                    case FloatStore floats -> {
                        floats.values()[row] = Float.intBitsToFloat(from.get(INT32, start));
                        yield 4;
                    }
                    case DoubleStore doubles -> {
                        doubles.values()[row] = Double.longBitsToDouble(from.get(INT64, start));
                        yield 8;
                    }
                    case DecimalStore decimals -> {
                        decimals.low()[row] = from.get(INT64, start);
                        decimals.high()[row] = from.get(INT64, start + 8);
                        if (decimals.scale() != null) {
                            decimals.scale()[row] = from.get(INT32, start + 16);
                        }
                        yield decimals.scale() == null ? 16 : 20;
                    }
                    case BoolStore bools -> {
                        bools.set(row, from.get(ValueLayout.JAVA_BYTE, start) != 0);
                        yield 1;
                    }
                    case TextStore _ -> throw new IllegalStateException("read before");
                };
    }

    @Override
    public void close() {
        bytes = new byte[0];
        segment = MemorySegment.ofArray(bytes);
        size = 0;
        reservation.close();
    }
}
