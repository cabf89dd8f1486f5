package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.Map;
import java.util.function.Supplier;

/// The hash functions by which PostgreSQL divides tables into partitions and files: 32 bits, or 64 with a seed.
///
/// - Source: PostgreSQL's `hashfunc.c` and `common/hashfn.c`; Bob Jenkins's lookup3.
final class HashKernels {
    private HashKernels() {}

    /// How a value gives its bytes, or number, to the hash.
    @FunctionalInterface
    private interface Input {
        long hash(Arguments in, long seed);
    }

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        both(kernels, "hashint2", (in, seed) -> ofNumber(in.int32(0), seed));
        both(kernels, "hashint4", (in, seed) -> ofNumber(in.int32(0), seed));
        both(kernels, "hashint8", (in, seed) -> ofNumber(folded(in.int64(0)), seed));
        both(kernels, "hashoid", (in, seed) -> ofNumber((int) in.int64(0), seed));
        both(kernels, "hashbool", (in, seed) -> ofNumber(in.bool(0) ? 1 : 0, seed));
        both(kernels, "hashfloat4", (in, seed) -> ofFloat(in.float32(0), seed));
        both(kernels, "hashfloat8", (in, seed) -> ofFloat(in.float64(0), seed));
        for (String id : new String[] {"hashtext", "hashname", "hashvarlena"}) {
            both(kernels, id, (in, seed) -> {
                TextReader text = in.text(0);
                return ofBytes(text.bytes, text.start, text.length, seed);
            });
        }
    }

    private static void both(Map<String, Supplier<BatchFunction>> kernels, String id, Input input) {
        kernels.put(
                id, () -> BatchFunction.eachRow((in, out, row) -> Results.int32(out, row, (int) input.hash(in, 0))));
        kernels.put(
                id + "extended",
                () -> BatchFunction.eachRow((in, out, row) -> int64(out, row, input.hash(in, in.int64(1)))));
    }

    private static void int64(Vector out, int row, long value) {
        ((LongVector) out).values()[row] = value;
    }

    /// Equal numbers of different widths have one hash.
    private static int folded(long number) {
        int high = (int) (number >> 32);
        return (int) number ^ (number >= 0 ? high : ~high);
    }

    /// Zeros are equal, and so are all that are not a number.
    private static long ofFloat(double number, long seed) {
        if (number == 0) {
            return seed;
        }
        // The hash of its eight bytes.
        long bits = Double.doubleToLongBits(number);
        State state = new State(Double.BYTES, seed);
        state.a += (int) bits;
        state.b += (int) (bits >>> 32);
        return state.end();
    }

    private static long ofNumber(int number, long seed) {
        State state = new State(4, seed);
        state.a += number;
        return state.end();
    }

    private static long ofBytes(byte[] bytes, int start, int length, long seed) {
        State state = new State(length, seed);
        int at = start;
        int left = length;
        for (; left >= 12; left -= 12) {
            state.a += word(bytes, at, 4, 0);
            state.b += word(bytes, at + 4, 4, 0);
            state.c += word(bytes, at + 8, 4, 0);
            state.mix();
            at += 12;
        }
        // The lowest byte of the third word is the length's.
        state.a += word(bytes, at, Math.min(left, 4), 0);
        state.b += word(bytes, at + 4, Math.min(left - 4, 4), 0);
        state.c += word(bytes, at + 8, left - 8, 8);
        return state.end();
    }

    private static int word(byte[] bytes, int start, int count, int shift) {
        int word = 0;
        for (int index = 0; index < count; index++) {
            word += (bytes[start + index] & 0xFF) << (8 * index + shift);
        }
        return word;
    }

    private static final class State {
        private int a;
        private int b;
        private int c;

        State(int length, long seed) {
            a = 0x9E3779B9 + length + 3_923_095;
            b = a;
            c = a;
            if (seed != 0) {
                a += (int) (seed >>> 32);
                b += (int) seed;
                mix();
            }
        }

        void mix() {
            a = a - c ^ Integer.rotateLeft(c, 4);
            c += b;
            b = b - a ^ Integer.rotateLeft(a, 6);
            a += c;
            c = c - b ^ Integer.rotateLeft(b, 8);
            b += a;
            a = a - c ^ Integer.rotateLeft(c, 16);
            c += b;
            b = b - a ^ Integer.rotateLeft(a, 19);
            a += c;
            c = c - b ^ Integer.rotateLeft(b, 4);
            b += a;
        }

        /// 64 bits, of which the lower half is the hash without a seed.
        long end() {
            c = (c ^ b) - Integer.rotateLeft(b, 14);
            a = (a ^ c) - Integer.rotateLeft(c, 11);
            b = (b ^ a) - Integer.rotateLeft(a, 25);
            c = (c ^ b) - Integer.rotateLeft(b, 16);
            a = (a ^ c) - Integer.rotateLeft(c, 4);
            b = (b ^ a) - Integer.rotateLeft(a, 14);
            c = (c ^ b) - Integer.rotateLeft(b, 24);
            return (long) b << 32 | c & 0xFFFF_FFFFL;
        }
    }
}
