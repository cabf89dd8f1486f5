package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;

/// Turns the buffers of big-endian files around, as they are read: which numbers there are in each of a field's
/// buffers.
///
/// - Source: Arrow columnar format, section "Byte Order (Endianness)".
final class ByteSwap {
    /// Views of texts: a length, and either the text, or its beginning and two numbers; data buffers follow.
    static final byte VIEWS = -1;

    /// Intervals of 16 bytes: months, days, and nanoseconds in 8 of them.
    private static final byte MONTH_DAY_NANO = -2;

    private static final int INLINE_VIEW_BYTES = 12;

    private ByteSwap() {}

    /// Bytes of the numbers in each buffer, or one of the above; of a field and those within it.
    static List<Byte> widths(Field field) {
        List<Byte> widths = new ArrayList<>();
        add(field, widths);
        return widths;
    }

    private static void add(Field field, List<Byte> widths) {
        if (field.dictionary() == null) {
            addValues(field, widths);
            return;
        }
        Int index = field.dictionary().indexType();
        widths.add((byte) 1);
        widths.add((byte) (index == null ? 4 : index.bitWidth() / 8));
    }

    /// The same of a field's values, be they in a dictionary or not.
    static List<Byte> valueWidths(Field field) {
        List<Byte> widths = new ArrayList<>();
        addValues(field, widths);
        return widths;
    }

    private static void addValues(Field field, List<Byte> widths) {
        switch (field.typeType()) {
            case Type.Null, Type.RunEndEncoded -> {}
            case Type.Union -> {
                widths.add((byte) 1);
                Union union = (Union) field.type(new Union());
                if (union != null && union.mode() == UnionMode.Dense) {
                    widths.add((byte) 4);
                }
            }
            case Type.FixedSizeList, Type.Struct_ -> widths.add((byte) 1);
            case Type.Utf8, Type.Binary -> addAll(widths, 1, 4, 1);
            case Type.LargeUtf8, Type.LargeBinary -> addAll(widths, 1, 8, 1);
            case Type.Utf8View, Type.BinaryView -> addAll(widths, 1, VIEWS);
            case Type.List, Type.Map -> addAll(widths, 1, 4);
            case Type.LargeList -> addAll(widths, 1, 8);
            case Type.ListView -> addAll(widths, 1, 4, 4);
            case Type.LargeListView -> addAll(widths, 1, 8, 8);
            default -> addAll(widths, 1, width(field));
        }
        for (int child = 0; child < field.childrenLength(); child++) {
            add(field.children(child), widths);
        }
    }

    private static void addAll(List<Byte> widths, int... added) {
        for (int each : added) {
            widths.add((byte) each);
        }
    }

    private static int width(Field field) {
        return switch (field.typeType()) {
            case Type.Int -> ((Int) field.type(new Int())).bitWidth() / 8;
            case Type.FloatingPoint ->
                switch (((FloatingPoint) field.type(new FloatingPoint())).precision()) {
                    case Precision.HALF -> 2;
                    case Precision.SINGLE -> 4;
                    default -> 8;
                };
            case Type.Decimal -> ((Decimal) field.type(new Decimal())).bitWidth() / 8;
            case Type.Date -> ((Date) field.type(new Date())).unit() == DateUnit.DAY ? 4 : 8;
            case Type.Time -> ((Time) field.type(new Time())).bitWidth() / 8;
            case Type.Timestamp, Type.Duration -> 8;
            case Type.Interval ->
                ((Interval) field.type(new Interval())).unit() == IntervalUnit.MONTH_DAY_NANO ? MONTH_DAY_NANO : 4;
            default -> 1; // bits and bytes
        };
    }

    /// A buffer with its numbers in the other byte order.
    static MemorySegment swapped(MemorySegment buffer, byte width, Allocator memory) {
        if (width == 1 || buffer.byteSize() == 0) {
            return buffer;
        }
        MemorySegment swapped = memory.allocate(buffer.byteSize());
        switch (width) {
            case 2 -> copy(buffer, swapped, ValueLayout.JAVA_SHORT_UNALIGNED);
            case 4 -> copy(buffer, swapped, ValueLayout.JAVA_INT_UNALIGNED);
            case 8 -> copy(buffer, swapped, ValueLayout.JAVA_LONG_UNALIGNED);
            case VIEWS -> views(buffer, swapped);
            case MONTH_DAY_NANO -> {
                for (long at = 0; at + 16 <= buffer.byteSize(); at += 16) {
                    reverse(buffer, swapped, at, 4);
                    reverse(buffer, swapped, at + 4, 4);
                    reverse(buffer, swapped, at + 8, 8);
                }
            }
            default -> {
                for (long at = 0; at + width <= buffer.byteSize(); at += width) {
                    reverse(buffer, swapped, at, width);
                }
            }
        }
        return swapped;
    }

    private static void copy(MemorySegment from, MemorySegment to, ValueLayout layout) {
        long whole = from.byteSize() / layout.byteSize() * layout.byteSize();
        MemorySegment.copy(
                from,
                layout.withOrder(ByteOrder.BIG_ENDIAN),
                0,
                to,
                layout.withOrder(ByteOrder.LITTLE_ENDIAN),
                0,
                whole / layout.byteSize());
    }

    private static void views(MemorySegment from, MemorySegment to) {
        for (long at = 0; at + 16 <= from.byteSize(); at += 16) {
            reverse(from, to, at, 4);
            MemorySegment.copy(from, at + 4, to, at + 4, 12);
            int length = Integer.reverseBytes(from.get(dev.quarrel.core.column.LittleEndian.INT32, at));
            if (length > INLINE_VIEW_BYTES) {
                reverse(from, to, at + 8, 4);
                reverse(from, to, at + 12, 4);
            }
        }
    }

    private static void reverse(MemorySegment from, MemorySegment to, long at, int width) {
        for (int index = 0; index < width; index++) {
            to.set(ValueLayout.JAVA_BYTE, at + index, from.get(ValueLayout.JAVA_BYTE, at + width - 1 - index));
        }
    }
}
