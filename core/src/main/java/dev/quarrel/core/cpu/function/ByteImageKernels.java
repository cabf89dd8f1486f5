package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// Values as bytes, the highest first: of integers and floats, as PostgreSQL sends them.
///
/// - Source: PostgreSQL's `varlena.c` (bytea_int4, int4_bytea), `int.c`, `float.c`.
final class ByteImageKernels {
    private ByteImageKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (String id : new String[] {"int2_bytea", "int2send"}) {
            put(kernels, id, 2, in -> in.int32(0));
        }
        for (String id : new String[] {"int4_bytea", "int4send"}) {
            put(kernels, id, 4, in -> in.int32(0));
        }
        for (String id : new String[] {"int8_bytea", "int8send"}) {
            put(kernels, id, 8, in -> in.int64(0));
        }
        put(kernels, "boolsend", 1, in -> in.bool(0) ? 1 : 0);
        put(kernels, "float4send", 4, in -> Float.floatToIntBits(in.float32(0)));
        put(kernels, "float8send", 8, in -> Double.doubleToLongBits(in.float64(0)));
        for (String id : new String[] {"textsend", "byteasend"}) {
            kernels.put(
                    id,
                    () -> BatchFunction.eachRow((in, out, row) -> {
                        TextReader text = in.text(0);
                        ((TextVector) out).append(row, text.bytes, text.start, text.length);
                    }));
        }
        number(kernels, "bytea_int2", 2, "smallint");
        number(kernels, "bytea_int4", 4, "integer");
        number(kernels, "bytea_int8", 8, "bigint");
    }

    private static void put(
            Map<String, Supplier<BatchFunction>> kernels, String id, int size, ToLongFunction<Arguments> number) {
        kernels.put(id, () -> {
            byte[] bytes = new byte[size];
            return BatchFunction.eachRow((in, out, row) -> {
                long left = number.applyAsLong(in);
                for (int index = size - 1; index >= 0; index--) {
                    bytes[index] = (byte) left;
                    left >>= 8;
                }
                ((TextVector) out).append(row, bytes, 0, size);
            });
        });
    }

    /// Fewer bytes than the number has are its lowest ones: the others are zero.
    private static void number(Map<String, Supplier<BatchFunction>> kernels, String id, int size, String typeName) {
        kernels.put(
                id,
                () -> BatchFunction.eachRow((in, out, row) -> {
                    TextReader bytes = in.text(0);
                    if (bytes.length > size) {
                        throw RowErrors.outOfRange(typeName);
                    }
                    long number = 0;
                    for (int index = bytes.start; index < bytes.end(); index++) {
                        number = number << 8 | bytes.bytes[index] & 0xFF;
                    }
                    set(out, row, size == 2 ? (short) number : number);
                }));
    }

    private static void set(Vector out, int row, long number) {
        if (out instanceof IntVector ints) {
            ints.values()[row] = (int) number;
        } else {
            ((LongVector) out).values()[row] = number;
        }
    }
}
