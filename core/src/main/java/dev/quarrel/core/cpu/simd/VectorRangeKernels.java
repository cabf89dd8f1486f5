package dev.quarrel.core.cpu.simd;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// The range tests by the Vector API, straight from the column's memory.
///
/// Loaded only where the module `jdk.incubator.vector` is there.
final class VectorRangeKernels implements RangeKernels {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    /// As many of two bytes.
    private static final VectorSpecies<Short> HALF_SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));
    private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;

    VectorRangeKernels() {}

    @Override
    public void int8(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        if (low > Byte.MAX_VALUE || high < Byte.MIN_VALUE) {
            low = 1;
            high = 0;
        }
        low = Math.max(low, Byte.MIN_VALUE);
        high = Math.min(high, Byte.MAX_VALUE);
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 64L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += BYTES.length()) {
                ByteVector values = ByteVector.fromMemorySegment(BYTES, column, start + bit, ByteOrder.LITTLE_ENDIAN);
                VectorMask<Byte> in = values.compare(VectorOperators.GE, (byte) low)
                        .and(values.compare(VectorOperators.LE, (byte) high));
                inside |= in.toLong() << bit;
            }
            bits[word] = before & (inside ^ flip);
        }
        if ((rows & 63) != 0) {
            bits[whole] &= ScalarRangeKernels.int8Word(column, offset + whole * 64L, rows & 63, low, high, flip);
        }
    }

    @Override
    public void int16(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        if (low > Short.MAX_VALUE || high < Short.MIN_VALUE) {
            low = 1;
            high = 0;
        }
        low = Math.max(low, Short.MIN_VALUE);
        high = Math.min(high, Short.MAX_VALUE);
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 128L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += SHORTS.length()) {
                ShortVector values =
                        ShortVector.fromMemorySegment(SHORTS, column, start + bit * 2L, ByteOrder.LITTLE_ENDIAN);
                VectorMask<Short> in = values.compare(VectorOperators.GE, (short) low)
                        .and(values.compare(VectorOperators.LE, (short) high));
                inside |= in.toLong() << bit;
            }
            bits[word] = before & (inside ^ flip);
        }
        if ((rows & 63) != 0) {
            bits[whole] &= ScalarRangeKernels.int16Word(column, offset + whole * 128L, rows & 63, low, high, flip);
        }
    }

    @Override
    public void int32(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 256L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += INTS.length()) {
                IntVector values = IntVector.fromMemorySegment(INTS, column, start + bit * 4L, ByteOrder.LITTLE_ENDIAN);
                VectorMask<Integer> in =
                        values.compare(VectorOperators.GE, low).and(values.compare(VectorOperators.LE, high));
                inside |= in.toLong() << bit;
            }
            bits[word] = before & (inside ^ flip);
        }
        if ((rows & 63) != 0) {
            bits[whole] &= ScalarRangeKernels.int32Word(column, offset + whole * 256L, rows & 63, low, high, flip);
        }
    }

    @Override
    public void int64(MemorySegment column, long offset, int rows, long low, long high, long flip, long[] bits) {
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 512L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += LONGS.length()) {
                LongVector values =
                        LongVector.fromMemorySegment(LONGS, column, start + bit * 8L, ByteOrder.LITTLE_ENDIAN);
                VectorMask<Long> in =
                        values.compare(VectorOperators.GE, low).and(values.compare(VectorOperators.LE, high));
                inside |= in.toLong() << bit;
            }
            bits[word] = before & (inside ^ flip);
        }
        if ((rows & 63) != 0) {
            bits[whole] &= ScalarRangeKernels.int64Word(column, offset + whole * 512L, rows & 63, low, high, flip);
        }
    }

    @Override
    public void float32(
            MemorySegment column, long offset, int rows, float low, float high, boolean nan, long flip, long[] bits) {
        long turned = nan ? -1L : 0; // then it is looked for what lies outside
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 256L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += FLOATS.length()) {
                FloatVector values =
                        FloatVector.fromMemorySegment(FLOATS, column, start + bit * 4L, ByteOrder.LITTLE_ENDIAN);
                // NaN is neither below nor above anything.
                VectorMask<Float> in = nan
                        ? values.compare(VectorOperators.LT, low).or(values.compare(VectorOperators.GT, high))
                        : values.compare(VectorOperators.GE, low).and(values.compare(VectorOperators.LE, high));
                inside |= in.toLong() << bit;
            }
            bits[word] = before & (inside ^ flip ^ turned);
        }
        if ((rows & 63) != 0) {
            bits[whole] &=
                    ScalarRangeKernels.float32Word(column, offset + whole * 256L, rows & 63, low, high, nan, flip);
        }
    }

    @Override
    public void float64(
            MemorySegment column, long offset, int rows, double low, double high, boolean nan, long flip, long[] bits) {
        long turned = nan ? -1L : 0; // then it is looked for what lies outside
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 512L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += DOUBLES.length()) {
                DoubleVector values =
                        DoubleVector.fromMemorySegment(DOUBLES, column, start + bit * 8L, ByteOrder.LITTLE_ENDIAN);
                // NaN is neither below nor above anything.
                VectorMask<Double> in = nan
                        ? values.compare(VectorOperators.LT, low).or(values.compare(VectorOperators.GT, high))
                        : values.compare(VectorOperators.GE, low).and(values.compare(VectorOperators.LE, high));
                inside |= in.toLong() << bit;
            }
            bits[word] = before & (inside ^ flip ^ turned);
        }
        if ((rows & 63) != 0) {
            bits[whole] &=
                    ScalarRangeKernels.float64Word(column, offset + whole * 512L, rows & 63, low, high, nan, flip);
        }
    }

    @Override
    public void members16(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits) {
        int[] places = new int[INTS.length()];
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 128L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += INTS.length()) {
                ShortVector values =
                        ShortVector.fromMemorySegment(HALF_SHORTS, column, start + bit * 2L, ByteOrder.LITTLE_ENDIAN);
                IntVector place = ((IntVector) values.convertShape(VectorOperators.S2I, INTS, 0)).sub(from);
                inside |= members(place, bitmap, last, places).toLong() << bit;
            }
            bits[word] = before & (inside ^ flip);
        }
        if ((rows & 63) != 0) {
            bits[whole] &= ScalarRangeKernels.members16Word(
                    column, offset + whole * 128L, rows & 63, bitmap, from, last, flip);
        }
    }

    @Override
    public void members32(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits) {
        int[] places = new int[INTS.length()];
        int whole = rows >>> 6;
        for (int word = 0; word < whole; word++) {
            long before = bits[word];
            if (before == 0) {
                continue;
            }
            long start = offset + word * 256L;
            long inside = 0;
            for (int bit = 0; bit < 64; bit += INTS.length()) {
                IntVector place = IntVector.fromMemorySegment(INTS, column, start + bit * 4L, ByteOrder.LITTLE_ENDIAN)
                        .sub(from);
                inside |= members(place, bitmap, last, places).toLong() << bit;
            }
            bits[word] = before & (inside ^ flip);
        }
        if ((rows & 63) != 0) {
            bits[whole] &= ScalarRangeKernels.members32Word(
                    column, offset + whole * 256L, rows & 63, bitmap, from, last, flip);
        }
    }

    /// @param places scratch
    private static VectorMask<Integer> members(IntVector place, int[] bitmap, int last, int[] places) {
        VectorMask<Integer> in = place.compare(VectorOperators.ULE, last);
        IntVector safe = place.blend(0, in.not());
        safe.lanewise(VectorOperators.LSHR, 5).intoArray(places, 0);
        IntVector words = IntVector.fromArray(INTS, bitmap, 0, places, 0);
        return words.lanewise(VectorOperators.LSHR, safe)
                .and(1)
                .compare(VectorOperators.NE, 0)
                .and(in);
    }
}
