package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.BitStrings;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;

/// Functions of strings of bits.
///
/// - Source: PostgreSQL's `varbit.c`.
final class BitKernels {
    private BitKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        put(kernels, "bitand", in -> BitStrings.and(text(in, 0), text(in, 1)));
        put(kernels, "bitor", in -> BitStrings.or(text(in, 0), text(in, 1)));
        put(kernels, "bitxor", in -> BitStrings.xor(text(in, 0), text(in, 1)));
        put(kernels, "bitnot", in -> BitStrings.not(text(in, 0)));
        put(kernels, "bitshiftleft", in -> BitStrings.shifted(text(in, 0), in.int32(1)));
        put(kernels, "bitshiftright", in -> BitStrings.shifted(text(in, 0), -(long) in.int32(1)));
        put(kernels, "bitcat", in -> text(in, 0) + text(in, 1));
        put(kernels, "bitfromint4", in -> BitStrings.ofNumber(in.int32(0), in.int32(1)));
        put(kernels, "bitfromint8", in -> BitStrings.ofNumber(in.int64(0), in.int32(1)));
        put(kernels, "bittoint4", in -> BitStrings.toNumber(text(in, 0), Integer.SIZE, "integer"));
        put(kernels, "bittoint8", in -> BitStrings.toNumber(text(in, 0), Long.SIZE, "bigint"));
        put(kernels, "bit", in -> BitStrings.sized(text(in, 0), in.int32(1), in.bool(2), true));
        put(kernels, "varbit", in -> BitStrings.sized(text(in, 0), in.int32(1), in.bool(2), false));
        put(kernels, "bitlength", in -> (long) in.text(0).length);
        put(kernels, "bitoctetlength", in -> (in.text(0).length + 7L) / 8);
        put(
                kernels,
                "bit_bit_count",
                in -> text(in, 0).chars().filter(bit -> bit == '1').count());
        put(kernels, "bitsubstr_no_len", in -> BitStrings.substring(text(in, 0), in.int32(1), 0, false));
        put(kernels, "bitsubstr", in -> BitStrings.substring(text(in, 0), in.int32(1), in.int32(2), true));
        put(kernels, "bitoverlay_no_len", in -> {
            String with = text(in, 1);
            return BitStrings.overlay(text(in, 0), with, in.int32(2), with.length());
        });
        put(kernels, "bitoverlay", in -> BitStrings.overlay(text(in, 0), text(in, 1), in.int32(2), in.int32(3)));
        put(kernels, "bitposition", in -> (long) BitStrings.position(text(in, 0), text(in, 1)));
        put(kernels, "bitgetbit", in -> (long) BitStrings.bit(text(in, 0), in.int32(1)));
        put(kernels, "bitsetbit", in -> BitStrings.withBit(text(in, 0), in.int32(1), in.int32(2)));
        fold(kernels, "bit_and_all", BitStrings::and);
        fold(kernels, "bit_or_all", BitStrings::or);
        fold(kernels, "bit_xor_all", BitStrings::xor);
    }

    private static void fold(Map<String, Supplier<BatchFunction>> kernels, String id, BinaryOperator<String> operator) {
        put(
                kernels,
                id,
                in -> ArrayText.parseNested(text(in, 0)).elements().stream()
                        .filter(Objects::nonNull)
                        .reduce(operator)
                        .orElse(null));
    }

    /// A function whose result is a value in canonical form.
    static void put(Map<String, Supplier<BatchFunction>> kernels, String id, Function<Arguments, Object> function) {
        kernels.put(id, () -> BatchFunction.eachRow((in, out, row) -> Results.set(out, row, function.apply(in))));
    }

    static String text(Arguments in, int argument) {
        return in.text(argument).string();
    }
}
