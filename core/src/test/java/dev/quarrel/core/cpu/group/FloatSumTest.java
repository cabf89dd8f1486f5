package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FloatSumTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());

    /// The rounding in words, beside that of BigInteger: of all lengths, signs, ties and exponents.
    @Test
    void windowsAreRoundedAsBigIntegersAre() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200_000; round++) {
            long[] words = window(random);
            BigInteger units = BigInteger.valueOf(words[2])
                    .shiftLeft(128)
                    .add(unsigned(words[1]).shiftLeft(64))
                    .add(unsigned(words[0]));
            if (units.signum() == 0) {
                continue;
            }
            boolean isSingle = random.nextInt(4) == 0;
            int precision = isSingle ? 24 : 53;
            int least = isSingle ? -149 : -1074;
            int greatest = isSingle ? 127 : 1023;
            int exponent =
                    switch (random.nextInt(3)) {
                        case 0 -> least - 200 + random.nextInt(260);
                        case 1 -> greatest - 230 + random.nextInt(240);
                        default -> random.nextInt(-300, 300);
                    };
            String text = "seed " + SEED + ": " + units + " * 2^" + exponent + ", " + precision + " bits";
            double[] rounded = new double[2];
            Throwable expected =
                    catchThrowable(() -> rounded[0] = FloatSum.round(units, exponent, precision, least, greatest));
            Throwable found = catchThrowable(() ->
                    rounded[1] = FloatSum.round(words[0], words[1], words[2], exponent, precision, least, greatest));
            assertThat(found == null).as(text).isEqualTo(expected == null);
            if (expected == null) {
                assertThat(Double.doubleToRawLongBits(rounded[1]))
                        .as(text)
                        .isEqualTo(Double.doubleToRawLongBits(rounded[0]));
            } else {
                assertThat(found).as(text).isInstanceOf(QueryException.class).hasMessage(expected.getMessage());
            }
        }
    }

    /// Of values much greater than the first, one by one and merged.
    @Test
    void sumsThatLeaveTheirWindow() {
        Random random = new Random(SEED);
        for (int round = 0; round < 40; round++) {
            int magnitude = random.nextInt(48, 53); // the greatest that are in it at first, and greater ones
            double sign = random.nextInt(-1, 2);
            BigDecimal exact = BigDecimal.ZERO;
            try (Reservation reservation = new Reservation(new MemoryBudget(1 << 20));
                    Arena arena = Arena.ofConfined()) {
                FloatSum merged = new FloatSum(DataType.FLOAT64, reservation);
                merged.ensure(1);
                for (int part = 0; part < 3; part++) {
                    FloatSum sum = new FloatSum(DataType.FLOAT64, reservation);
                    sum.ensure(1);
                    sum.add(0, 0.1);
                    exact = exact.add(new BigDecimal(0.1));
                    for (int row = 0; row < 5000; row++) {
                        double value = Math.scalb(random.nextDouble() + sign, random.nextInt(magnitude));
                        value = random.nextBoolean() ? Math.scalb(sign, magnitude) - value : value;
                        sum.add(0, value);
                        exact = exact.add(new BigDecimal(value));
                    }
                    List<Column> columns = new ArrayList<>();
                    sum.partials(null, 0, 1, Allocator.of(arena), columns);
                    merged.absorb(columns, 0, 0, new int[1], 1);
                }
                assertThat(merged.doubleSum(0))
                        .as("seed %d, round %d", SEED, round)
                        .isEqualTo(exact.doubleValue());
                assertThat(merged.exact(0).minus(number(exact)).signum())
                        .as("seed %d, round %d", SEED, round)
                        .isZero();
            }
        }
    }

    private static BinaryNumber number(BigDecimal value) {
        int places = 200;
        return new BinaryNumber(value.multiply(BigDecimal.TWO.pow(places)).toBigIntegerExact(), -places);
    }

    private static BigInteger unsigned(long word) {
        return new BigInteger(Long.toUnsignedString(word));
    }

    /// Of any length: random, a power of two, or a tie and its neighbours.
    private static long[] window(Random random) {
        BigInteger units = new BigInteger(1 + random.nextInt(190), random);
        if (random.nextInt(3) == 0) {
            int shift = random.nextInt(130);
            units = new BigInteger(54, random)
                    .setBit(0)
                    .shiftLeft(shift)
                    .add(BigInteger.valueOf(random.nextInt(3) - 1L));
        } else if (random.nextInt(8) == 0) {
            units = BigInteger.ONE.shiftLeft(random.nextInt(190)).subtract(BigInteger.valueOf(random.nextInt(2)));
        }
        units = random.nextBoolean() ? units.negate() : units;
        return new long[] {
            units.longValue(),
            units.shiftRight(64).longValue(),
            units.shiftRight(128).longValue()
        };
    }
}
