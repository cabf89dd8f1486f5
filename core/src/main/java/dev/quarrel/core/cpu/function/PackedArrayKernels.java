package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;

/// Subscripts and `= ANY` of arrays as [PackedArrays] has them.
final class PackedArrayKernels {
    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);

    private PackedArrayKernels() {}

    private static VarHandle view(Class<?> type) {
        return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
    }

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        kernels.put("packed_get", PackedArrayKernels::get);
        kernels.put("packed_has", PackedArrayKernels::has);
    }

    private static BatchFunction get(PgType element) {
        if (PackedArrays.hasEnds(element)) {
            return BatchFunction.eachRow(PackedArrayKernels::getText);
        }
        int width = element.dataType().byteWidth();
        return BatchFunction.eachRow((in, out, row) -> {
            TextReader array = in.text(0);
            int index = in.int32(1) - 1;
            if (index < 0 || index >= array.length / width) {
                Results.set(out, row, null);
                return;
            }
            int at = array.start + index * width;
            switch (out) {
                case IntVector numbers ->
                    numbers.values()[row] =
                            width == 2 ? (short) SHORTS.get(array.bytes, at) : (int) INTS.get(array.bytes, at);
                case LongVector numbers -> numbers.values()[row] = (long) LONGS.get(array.bytes, at);
                case FloatVector numbers ->
                    numbers.values()[row] = Float.intBitsToFloat((int) INTS.get(array.bytes, at));
                case DoubleVector numbers ->
                    numbers.values()[row] = Double.longBitsToDouble((long) LONGS.get(array.bytes, at));
                default -> throw new IllegalStateException("elements of " + out.type());
            }
        });
    }

    private static void getText(Arguments in, Vector out, int row) {
        TextReader ends = in.text(1);
        int index = in.int32(2) - 1;
        int count = ends.length / 4;
        if (index < 0 || index >= count) {
            Results.set(out, row, null);
            return;
        }
        TextReader array = in.text(0);
        int first = end(ends, count - 1) - array.length;
        int start = index == 0 ? first : end(ends, index - 1);
        ((TextVector) out).append(row, array.bytes, array.start + start - first, end(ends, index) - start);
    }

    private static int end(TextReader ends, int index) {
        return (int) INTS.get(ends.bytes, ends.start + 4 * index);
    }

    private static BatchFunction has(PgType element) {
        if (PackedArrays.hasEnds(element)) {
            return BatchFunction.eachRow((in, out, row) -> {
                if (isDecided(in, out, row, 2, in.text(1).length == 0)) {
                    Results.bool(out, row, hasText(in.text(0), in.text(1), in.text(2)));
                }
            });
        }
        DataType type = element.dataType();
        return BatchFunction.eachRow((in, out, row) -> {
            TextReader array = in.text(0);
            if (isDecided(in, out, row, 1, array.length == 0)) {
                Results.bool(out, row, has(type, in, array));
            }
        });
    }

    /// Whether no NULL decides; else the result is set.
    private static boolean isDecided(Arguments in, Vector out, int row, int value, boolean isEmpty) {
        if (in.isNull(0) || !isEmpty && in.isNull(value)) {
            Results.set(out, row, null);
            return false;
        }
        if (isEmpty) {
            Results.bool(out, row, false);
            return false;
        }
        return true;
    }

    private static boolean has(DataType type, Arguments in, TextReader array) {
        byte[] bytes = array.bytes;
        int end = array.end();
        switch (type) {
            case DataType.Int16 _ -> {
                int wanted = in.int32(1);
                for (int at = array.start; at < end; at += 2) {
                    if ((short) SHORTS.get(bytes, at) == wanted) {
                        return true;
                    }
                }
            }
            case DataType.Int32 _, DataType.Date _ -> {
                int wanted = in.int32(1);
                for (int at = array.start; at < end; at += 4) {
                    if ((int) INTS.get(bytes, at) == wanted) {
                        return true;
                    }
                }
            }
            case DataType.Int64 _, DataType.Timestamp _ -> {
                long wanted = in.int64(1);
                for (int at = array.start; at < end; at += 8) {
                    if ((long) LONGS.get(bytes, at) == wanted) {
                        return true;
                    }
                }
            }
            case DataType.Float32 _ -> {
                float wanted = in.float32(1) + 0.0f; // -0 equals 0, and NaN equals NaN
                for (int at = array.start; at < end; at += 4) {
                    if (Float.compare(Float.intBitsToFloat((int) INTS.get(bytes, at)) + 0.0f, wanted) == 0) {
                        return true;
                    }
                }
            }
            case DataType.Float64 _ -> {
                double wanted = in.float64(1) + 0.0;
                for (int at = array.start; at < end; at += 8) {
                    if (Double.compare(Double.longBitsToDouble((long) LONGS.get(bytes, at)) + 0.0, wanted) == 0) {
                        return true;
                    }
                }
            }
            default -> throw new IllegalStateException("elements of " + type);
        }
        return false;
    }

    private static boolean hasText(TextReader array, TextReader ends, TextReader wanted) {
        int count = ends.length / 4;
        int base = array.start - (end(ends, count - 1) - array.length);
        int start = array.start;
        for (int index = 0; index < count; index++) {
            int end = base + end(ends, index);
            if (end - start == wanted.length
                    && Arrays.equals(array.bytes, start, end, wanted.bytes, wanted.start, wanted.end())) {
                return true;
            }
            start = end;
        }
        return false;
    }
}
