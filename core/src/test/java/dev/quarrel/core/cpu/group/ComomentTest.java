package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.lang.foreign.Arena;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Comoments in words, beside those in BigIntegers.
class ComomentTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int GROUPS = 500;
    private static final short HAS_EXPONENT = 32;

    private record Kind(String name, boolean isOrdinary, DoubleSupplier values) {}

    private static List<Kind> kinds(Random random) {
        return List.of(
                new Kind("of one scale", true, () -> random.nextDouble(1, 100)),
                new Kind("around 0", true, random::nextGaussian),
                new Kind("whole", true, () -> random.nextInt(-1000, 1000)),
                new Kind("of two digits", true, () -> random.nextInt(10_000, 100_000) / 100.0),
                new Kind("negative", true, () -> -random.nextDouble(10, 20)),
                new Kind("of a large mean", true, () -> 1e15 + random.nextDouble()),
                new Kind("all equal", true, () -> 0.1),
                new Kind("two", true, () -> random.nextBoolean() ? 1e-3 : 1.1e-3),
                new Kind("zeros", true, () -> 0),
                new Kind("tiny", false, () -> Math.scalb(random.nextGaussian(), -530)),
                new Kind("subnormal", false, () -> Math.scalb(random.nextGaussian(), -1070)),
                new Kind("huge", false, () -> Math.scalb(random.nextGaussian(), 505)),
                new Kind("of many scales", false, () -> Math.scalb(random.nextGaussian(), random.nextInt(-40, 40))),
                new Kind("of all scales", false, () -> Math.scalb(random.nextGaussian(), random.nextInt(-500, 500))));
    }

    @Test
    void sumsOfValues() {
        Random random = new Random(SEED);
        for (Kind kind : kinds(random)) {
            int inWords = 0;
            int all = 0;
            for (int rows : new int[] {1, 2, 3, 10, 100}) {
                try (Reservation reservation = new Reservation(new MemoryBudget(1 << 28))) {
                    FloatSum xs = new FloatSum(DataType.FLOAT64, reservation);
                    FloatSum ys = new FloatSum(DataType.FLOAT64, reservation);
                    FloatSum squares = FloatSum.ofProducts(reservation);
                    FloatSum products = FloatSum.ofProducts(reservation);
                    for (FloatSum sum : List.of(xs, ys, squares, products)) {
                        sum.ensure(GROUPS);
                    }
                    FloatProducts both = new FloatProducts();
                    int[] groups = IntStream.range(0, GROUPS).toArray();
                    double slope = random.nextInt(-1, 2);
                    for (int row = 0; row < rows; row++) {
                        double[] x = IntStream.range(0, GROUPS)
                                .mapToDouble(_ -> kind.values.getAsDouble())
                                .toArray();
                        double[] y = new double[GROUPS];
                        for (int group = 0; group < GROUPS; group++) {
                            y[group] = slope * x[group] + kind.values.getAsDouble();
                        }
                        xs.addAll(x, groups, GROUPS);
                        ys.addAll(y, groups, GROUPS);
                        both.add(squares, x, x, groups, groups, GROUPS);
                        both.add(products, x, y, groups, groups, GROUPS);
                    }
                    Comoment xx = new Comoment(squares, xs, xs);
                    Comoment xy = new Comoment(products, xs, ys);
                    for (int group = 0; group < GROUPS; group++) {
                        String text = "seed %d: values %s, %d rows, group %d".formatted(SEED, kind.name, rows, group);
                        inWords += compare(xx, group, rows, text) ? 1 : 0;
                        inWords += compare(xy, group, rows, text) ? 1 : 0;
                        // As if there were many more rows, which the arithmetic does not mind.
                        compare(xy, group, 1L + random.nextInt(Integer.MAX_VALUE), text);
                        compare(xx, group, random.nextLong(1, 1L << 40), text);
                        all += 2;
                    }
                }
            }
            if (kind.isOrdinary) {
                assertThat(inWords)
                        .as("seed %d: values %s, of %d", SEED, kind.name, all)
                        .isGreaterThan(all * 9 / 10);
            }
        }
    }

    /// Windows of any bits and exponents: with quotients at ties and beside them, without a difference, subnormal,
    /// beyond a float64's range, and too far apart.
    @Test
    void windowsOfAnyBits() {
        Random random = new Random(SEED);
        int inWords = 0;
        int tiles = 300;
        for (int tile = 0; tile < tiles; tile++) {
            BigInteger[][] units = new BigInteger[3][GROUPS];
            short[][] exponents = new short[3][GROUPS];
            int[] rows = new int[GROUPS];
            for (int group = 0; group < GROUPS; group++) {
                rows[group] = random.nextInt(4) == 0
                        ? 1 << random.nextInt(31)
                        : 1 + random.nextInt(1 << random.nextInt(1, 31));
                int bits = random.nextBoolean() ? 90 : 190;
                BigInteger one = units(random, bits);
                BigInteger other = random.nextBoolean() ? one : units(random, bits);
                int shift = random.nextInt(-66, 259);
                BigInteger both = units(random, 190);
                switch (random.nextInt(3)) {
                    case 0 -> {
                        // The nearest to no difference that there is, if both are short enough.
                        shift = random.nextInt(-1, 2) * 32;
                        BigInteger product = one.multiply(other);
                        BigInteger same = (shift > 0 ? product.shiftRight(shift) : product.shiftLeft(-shift))
                                .divide(BigInteger.valueOf(rows[group]))
                                .add(BigInteger.valueOf(random.nextInt(-2, 3)));
                        both = same.bitLength() < 192 ? same : both;
                    }
                    case 1 -> {
                        // 54 bits that end with 1, and perhaps a little more.
                        both = new BigInteger(54, random).setBit(0).setBit(53).shiftLeft(random.nextInt(130));
                        one = BigInteger.valueOf(random.nextInt(2));
                        other = BigInteger.valueOf(random.nextInt(-1, 2));
                    }
                    default -> {}
                }
                units[0][group] = both;
                units[1][group] = one;
                units[2][group] = other;
                int exponent =
                        switch (random.nextInt(4)) {
                            case 0 -> random.nextInt(-1300, -1000);
                            case 1 -> random.nextInt(700, 1100);
                            default -> random.nextInt(-300, 300);
                        };
                exponents[0][group] = (short) exponent;
                exponents[1][group] = (short) (exponent / 2 - random.nextInt(100));
                exponents[2][group] = (short) (exponent - shift - exponents[1][group]);
            }
            try (Reservation reservation = new Reservation(new MemoryBudget(1 << 26))) {
                FloatSum products = windows(units[0], exponents[0], reservation);
                FloatSum ones = windows(units[1], exponents[1], reservation);
                FloatSum others = windows(units[2], exponents[2], reservation);
                Comoment comoment = new Comoment(products, ones, others);
                for (int group = 0; group < GROUPS; group++) {
                    String text = "seed %d: tile %d, group %d".formatted(SEED, tile, group);
                    inWords += compare(comoment, group, rows[group], text) ? 1 : 0;
                }
            }
        }
        assertThat(inWords).as("seed %d", SEED).isBetween(GROUPS * tiles * 9 / 10, GROUPS * tiles - 1);
    }

    private static BigInteger units(Random random, int bits) {
        BigInteger units =
                switch (random.nextInt(4)) {
                    case 0 ->
                        BigInteger.ONE.shiftLeft(random.nextInt(bits)).subtract(BigInteger.valueOf(random.nextInt(2)));
                    case 1 -> new BigInteger(random.nextInt(64), random).shiftLeft(random.nextInt(bits - 62));
                    default -> new BigInteger(random.nextInt(bits + 1), random);
                };
        return random.nextBoolean() ? units.negate() : units;
    }

    /// A sum whose groups have these windows.
    private static FloatSum windows(BigInteger[] units, short[] exponents, Reservation reservation) {
        FloatSum sum = FloatSum.ofProducts(reservation);
        sum.ensure(GROUPS);
        try (Arena arena = Arena.ofConfined()) {
            Allocator allocator = Allocator.of(arena);
            List<Column> columns = new ArrayList<>();
            for (int word = 0; word < 3; word++) {
                int shift = 64 * word;
                long[] words = Arrays.stream(units)
                        .mapToLong(number -> number.shiftRight(shift).longValue())
                        .toArray();
                columns.add(StateColumns.int64s(words, null, allocator));
            }
            short[] flags = new short[GROUPS];
            Arrays.fill(flags, HAS_EXPONENT);
            ColumnWriter rest = new ColumnWriter(DataType.UTF8, allocator, GROUPS);
            for (int group = 0; group < GROUPS; group++) {
                rest.appendNull();
            }
            columns.add(int16s(exponents, allocator));
            columns.add(int16s(flags, allocator));
            columns.add(rest.finish());
            sum.absorb(columns, 0, 0, IntStream.range(0, GROUPS).toArray(), GROUPS);
        }
        return sum;
    }

    private static Column int16s(short[] values, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INT16, allocator, values.length);
        writer.appendInt16s(values, null, values.length);
        return writer.finish();
    }

    /// Whether it is computed in words: to the same bits, or the same error.
    private static boolean compare(Comoment comoment, int group, long rows, String text) {
        if (!comoment.isInWords(group, rows)) {
            return false;
        }
        double[] values = new double[2];
        Throwable expected = catchThrowable(() -> values[0] = comoment.inBigIntegers(group, rows));
        Throwable found = catchThrowable(() -> values[1] = comoment.inWords(group, (int) rows));
        if (expected == null && found == null) {
            assertThat(Double.doubleToRawLongBits(values[1])).as(text).isEqualTo(Double.doubleToRawLongBits(values[0]));
        } else {
            assertThat(expected).as(text).isInstanceOf(QueryException.class);
            assertThat(found).as(text).isInstanceOf(QueryException.class).hasMessage(expected.getMessage());
        }
        return true;
    }
}
