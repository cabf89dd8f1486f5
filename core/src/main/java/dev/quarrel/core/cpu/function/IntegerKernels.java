package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/// Functions of integers: their bits, common divisors, and digits in other bases.
///
/// - Source: PostgreSQL's `int.c`, `int8.c`, `varlena.c` (to_hex).
final class IntegerKernels {
    private IntegerKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (String type : new String[] {"int2", "int4"}) {
            ints(kernels, type + "and", in -> in.int32(0) & in.int32(1));
            ints(kernels, type + "or", in -> in.int32(0) | in.int32(1));
            ints(kernels, type + "xor", in -> in.int32(0) ^ in.int32(1));
            ints(kernels, type + "not", in -> ~in.int32(0));
            ints(kernels, type + "shr", in -> in.int32(0) >> in.int32(1));
        }
        ints(kernels, "int2shl", in -> (short) (in.int32(0) << in.int32(1)));
        ints(kernels, "int4shl", in -> in.int32(0) << in.int32(1));
        longs(kernels, "int8and", in -> in.int64(0) & in.int64(1));
        longs(kernels, "int8or", in -> in.int64(0) | in.int64(1));
        longs(kernels, "int8xor", in -> in.int64(0) ^ in.int64(1));
        longs(kernels, "int8not", in -> ~in.int64(0));
        longs(kernels, "int8shl", in -> in.int64(0) << in.int32(1));
        longs(kernels, "int8shr", in -> in.int64(0) >> in.int32(1));
        longs(kernels, "i8tooid", in -> oid(in.int64(0)));
        ints(kernels, "int4gcd", in -> int32(gcd(in.int32(0), in.int32(1))));
        ints(kernels, "int4lcm", in -> int32(lcm(in.int32(0), in.int32(1))));
        longs(kernels, "int8gcd", in -> int64(gcd(in.int64(0), in.int64(1))));
        longs(kernels, "int8lcm", in -> int64(lcm(in.int64(0), in.int64(1))));
        digits(kernels, "bin", 1);
        digits(kernels, "oct", 3);
        digits(kernels, "hex", 4);
    }

    private static long oid(long value) {
        if (value < 0 || value > 0xFFFF_FFFFL) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "OID out of range");
        }
        return value;
    }

    private static void ints(
            Map<String, Supplier<BatchFunction>> kernels, String id, ToIntFunction<Arguments> function) {
        kernels.put(id, () -> (in, out) -> {
            int[] results = ((IntVector) out).values();
            while (in.next()) {
                results[in.row()] = function.applyAsInt(in);
            }
        });
    }

    private static void longs(
            Map<String, Supplier<BatchFunction>> kernels, String id, ToLongFunction<Arguments> function) {
        kernels.put(id, () -> (in, out) -> {
            long[] results = ((LongVector) out).values();
            while (in.next()) {
                results[in.row()] = function.applyAsLong(in);
            }
        });
    }

    private static BigInteger gcd(long one, long other) {
        return BigInteger.valueOf(one).gcd(BigInteger.valueOf(other));
    }

    private static BigInteger lcm(long one, long other) {
        return NumericKernels.lcm(BigInteger.valueOf(one), BigInteger.valueOf(other));
    }

    private static int int32(BigInteger value) {
        if (value.bitLength() >= Integer.SIZE) {
            throw RowErrors.outOfRange("integer");
        }
        return value.intValue();
    }

    private static long int64(BigInteger value) {
        if (value.bitLength() >= Long.SIZE) {
            throw RowErrors.outOfRange("bigint");
        }
        return value.longValue();
    }

    /// The two's complement in base 2, 8 or 16, without leading zeros.
    private static void digits(Map<String, Supplier<BatchFunction>> kernels, String base, int bits) {
        kernels.put(
                "to_" + base + "32",
                () -> BatchFunction.eachRow(
                        (in, out, row) -> digits(Integer.toUnsignedLong(in.int32(0)), bits, (TextVector) out, row)));
        kernels.put(
                "to_" + base + "64",
                () -> BatchFunction.eachRow((in, out, row) -> digits(in.int64(0), bits, (TextVector) out, row)));
    }

    private static void digits(long value, int bits, TextVector out, int row) {
        byte[] text = Long.toUnsignedString(value, 1 << bits).getBytes(StandardCharsets.US_ASCII);
        out.append(row, text, 0, text.length);
    }
}
