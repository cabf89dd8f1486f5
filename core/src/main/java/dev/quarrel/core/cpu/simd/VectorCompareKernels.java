package dev.quarrel.core.cpu.simd;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The kernels by the Vector API: one compare instruction answers for all lanes of a register.
///
/// Loaded only where the module `jdk.incubator.vector` is there.
final class VectorCompareKernels implements CompareKernels {
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;

    VectorCompareKernels() {}

    @Override
    public void less(int[] x, int[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += INTS.length()) {
                IntVector a = IntVector.fromArray(INTS, x, (word << 6) + bit);
                IntVector b = IntVector.fromArray(INTS, y, (word << 6) + bit);
                bits |= a.compare(VectorOperators.LT, b).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(int[] x, int[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += INTS.length()) {
                IntVector a = IntVector.fromArray(INTS, x, (word << 6) + bit);
                IntVector b = IntVector.fromArray(INTS, y, (word << 6) + bit);
                bits |= a.compare(VectorOperators.EQ, b).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(int[] x, int value, long[] out, int words, long flip) {
        IntVector b = IntVector.broadcast(INTS, value);
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += INTS.length()) {
                IntVector a = IntVector.fromArray(INTS, x, (word << 6) + bit);
                bits |= a.compare(VectorOperators.EQ, b).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void less(long[] x, long[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += LONGS.length()) {
                LongVector a = LongVector.fromArray(LONGS, x, (word << 6) + bit);
                LongVector b = LongVector.fromArray(LONGS, y, (word << 6) + bit);
                bits |= a.compare(VectorOperators.LT, b).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(long[] x, long[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += LONGS.length()) {
                LongVector a = LongVector.fromArray(LONGS, x, (word << 6) + bit);
                LongVector b = LongVector.fromArray(LONGS, y, (word << 6) + bit);
                bits |= a.compare(VectorOperators.EQ, b).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void less(float[] x, float[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += FLOATS.length()) {
                FloatVector a = FloatVector.fromArray(FLOATS, x, (word << 6) + bit);
                FloatVector b = FloatVector.fromArray(FLOATS, y, (word << 6) + bit);
                VectorMask<Float> missing = a.test(VectorOperators.IS_NAN);
                VectorMask<Float> above = b.test(VectorOperators.IS_NAN).andNot(missing);
                bits |= a.compare(VectorOperators.LT, b).or(above).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(float[] x, float[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += FLOATS.length()) {
                FloatVector a = FloatVector.fromArray(FLOATS, x, (word << 6) + bit);
                FloatVector b = FloatVector.fromArray(FLOATS, y, (word << 6) + bit);
                VectorMask<Float> both = a.test(VectorOperators.IS_NAN).and(b.test(VectorOperators.IS_NAN));
                bits |= a.compare(VectorOperators.EQ, b).or(both).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void less(double[] x, double[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += DOUBLES.length()) {
                DoubleVector a = DoubleVector.fromArray(DOUBLES, x, (word << 6) + bit);
                DoubleVector b = DoubleVector.fromArray(DOUBLES, y, (word << 6) + bit);
                VectorMask<Double> missing = a.test(VectorOperators.IS_NAN);
                VectorMask<Double> above = b.test(VectorOperators.IS_NAN).andNot(missing);
                bits |= a.compare(VectorOperators.LT, b).or(above).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(double[] x, double[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += DOUBLES.length()) {
                DoubleVector a = DoubleVector.fromArray(DOUBLES, x, (word << 6) + bit);
                DoubleVector b = DoubleVector.fromArray(DOUBLES, y, (word << 6) + bit);
                VectorMask<Double> both = a.test(VectorOperators.IS_NAN).and(b.test(VectorOperators.IS_NAN));
                bits |= a.compare(VectorOperators.EQ, b).or(both).toLong() << bit;
            }
            out[word] = bits ^ flip;
        }
    }
}
