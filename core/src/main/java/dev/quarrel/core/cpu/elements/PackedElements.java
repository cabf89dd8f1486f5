package dev.quarrel.core.cpu.elements;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Elements of arrays that lie one behind the other, some thousand at a time, beside what each is compared with.
///
/// - Memory: copied into an array, which takes a fraction of the comparison that the copy makes possible.
abstract sealed class PackedElements {
    /// The most that are taken at a time.
    static final int BLOCK = 4096;

    /// Takes elements.
    ///
    /// @param place of the first, in bytes
    abstract void load(MemorySegment bytes, long place, int count);

    /// Takes one value that all elements are compared with.
    abstract void want(Vector wanted);

    /// Takes the value of a row that some of the elements are compared with.
    abstract void want(Vector wanted, int row, int from, int to);

    /// Says of each element taken, in a bit, whether it equals what it is compared with. Bits behind them are of any
    /// value.
    abstract void equal(int count, boolean isOne, long[] out);

    static int words(int count) {
        return (count + 63) >>> 6;
    }

    /// @param width in bytes
    static PackedElements of(Vector wanted, int width) {
        return switch (wanted) {
            case IntVector _ -> new Ints(width);
            case LongVector _ -> new Longs();
            case FloatVector _ -> new Floats();
            case DoubleVector _ -> new Doubles();
            default -> throw new IllegalStateException("elements of " + wanted.type());
        };
    }

    static final class Ints extends PackedElements {
        private final int width;
        private final int[] elements = new int[BLOCK];
        private final int[] values = new int[BLOCK];

        Ints(int width) {
            this.width = width;
        }

        @Override
        void load(MemorySegment bytes, long place, int count) {
            if (width == Integer.BYTES) {
                MemorySegment.copy(bytes, INT32, place, elements, 0, count);
                return;
            }
            for (int index = 0; index < count; index++) {
                elements[index] = bytes.get(INT16, place + index * 2L);
            }
        }

        @Override
        void want(Vector wanted) {
            values[0] = ((IntVector) wanted).values()[0];
        }

        @Override
        void want(Vector wanted, int row, int from, int to) {
            Arrays.fill(values, from, to, ((IntVector) wanted).values()[row]);
        }

        @Override
        void equal(int count, boolean isOne, long[] out) {
            if (isOne) {
                CompareKernels.current().equal(elements, values[0], out, words(count), 0);
            } else {
                CompareKernels.current().equal(elements, values, out, words(count), 0);
            }
        }
    }

    static final class Longs extends PackedElements {
        private final long[] elements = new long[BLOCK];
        private final long[] values = new long[BLOCK];

        @Override
        void load(MemorySegment bytes, long place, int count) {
            MemorySegment.copy(bytes, INT64, place, elements, 0, count);
        }

        @Override
        void want(Vector wanted) {
            Arrays.fill(values, ((LongVector) wanted).values()[0]);
        }

        @Override
        void want(Vector wanted, int row, int from, int to) {
            Arrays.fill(values, from, to, ((LongVector) wanted).values()[row]);
        }

        @Override
        void equal(int count, boolean isOne, long[] out) {
            CompareKernels.current().equal(elements, values, out, words(count), 0);
        }
    }

    static final class Floats extends PackedElements {
        private final float[] elements = new float[BLOCK];
        private final float[] values = new float[BLOCK];

        @Override
        void load(MemorySegment bytes, long place, int count) {
            MemorySegment.copy(bytes, FLOAT32, place, elements, 0, count);
        }

        @Override
        void want(Vector wanted) {
            Arrays.fill(values, ((FloatVector) wanted).values()[0]);
        }

        @Override
        void want(Vector wanted, int row, int from, int to) {
            Arrays.fill(values, from, to, ((FloatVector) wanted).values()[row]);
        }

        @Override
        void equal(int count, boolean isOne, long[] out) {
            CompareKernels.current().equal(elements, values, out, words(count), 0);
        }
    }

    static final class Doubles extends PackedElements {
        private final double[] elements = new double[BLOCK];
        private final double[] values = new double[BLOCK];

        @Override
        void load(MemorySegment bytes, long place, int count) {
            MemorySegment.copy(bytes, FLOAT64, place, elements, 0, count);
        }

        @Override
        void want(Vector wanted) {
            Arrays.fill(values, ((DoubleVector) wanted).values()[0]);
        }

        @Override
        void want(Vector wanted, int row, int from, int to) {
            Arrays.fill(values, from, to, ((DoubleVector) wanted).values()[row]);
        }

        @Override
        void equal(int count, boolean isOne, long[] out) {
            CompareKernels.current().equal(elements, values, out, words(count), 0);
        }
    }
}
