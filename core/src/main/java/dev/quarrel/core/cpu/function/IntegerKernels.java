package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/// Functions of integers: their bits, common divisors, and digits in other bases.
///
/// - Source: PostgreSQL's `int.c`, `int8.c`, `varlena.c` (to_hex).
final class IntegerKernels {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

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
        longs(kernels, "int8lcm", in -> lcm(in.int64(0), in.int64(1)));
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

    /// The greatest common divisor, unsigned: that of the least number and of 0 is 2⁶³.
    private static long gcd(long one, long other) {
        if (one == 0 || other == 0) {
            return Math.abs(one | other);
        }
        int twos = Long.numberOfTrailingZeros(one | other);
        // Odd numbers: their difference is even, and loses a bit at least in each round. No branch is foreseen wrongly.
        long odd = Math.abs(one >> Long.numberOfTrailingZeros(one));
        long rest = Math.abs(other >> Long.numberOfTrailingZeros(other));
        long difference = rest - odd;
        while (difference != 0) {
            long isLess = difference >> 63;
            odd += difference & isLess;
            rest = (difference ^ isLess) - isLess >> Long.numberOfTrailingZeros(difference);
            difference = rest - odd;
        }
        return odd << twos;
    }

    /// - Errors: 22003 where it is no bigint.
    private static long lcm(long one, long other) {
        if (one == 0 || other == 0) {
            return 0;
        }
        long count = Long.divideUnsigned(Math.abs(one), gcd(one, other));
        long multiple = count * Math.abs(other);
        if (multiple < 0 || Math.unsignedMultiplyHigh(count, Math.abs(other)) != 0) {
            throw RowErrors.outOfRange("bigint");
        }
        return multiple;
    }

    /// @param value not negative
    private static int int32(long value) {
        if (value > Integer.MAX_VALUE) {
            throw RowErrors.outOfRange("integer");
        }
        return (int) value;
    }

    /// @param value unsigned
    private static long int64(long value) {
        if (value < 0) {
            throw RowErrors.outOfRange("bigint");
        }
        return value;
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
        int count = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + bits - 1) / bits);
        int place = out.begin(row, count);
        byte[] buffer = out.buffer();
        long rest = value;
        for (int index = place + count - 1; index >= place; index--) {
            buffer[index] = DIGITS[(int) rest & (1 << bits) - 1];
            rest >>>= bits;
        }
    }
}
