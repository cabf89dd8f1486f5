package dev.quarrel.core.cpu.number;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// 128-bit arithmetic against BigInteger, with operands of every length up to 127 bits.
class WideNumberTest {
    private static final long SEED = Long.getLong("quarrel.seed", 128L);
    private static final BigInteger END = BigInteger.ONE.shiftLeft(127);

    private final Random random = new Random(SEED);
    private final WideNumber number = new WideNumber();

    private BigInteger operand() {
        int bits = random.nextInt(128);
        BigInteger value =
                switch (random.nextInt(4)) {
                    case 0 ->
                        BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE).min(END.subtract(BigInteger.ONE));
                    case 1 -> BigInteger.ONE.shiftLeft(Math.min(bits, 126));
                    default -> new BigInteger(Math.min(bits, 127), random);
                };
        return random.nextBoolean() ? value : value.negate();
    }

    private static long high(BigInteger value) {
        return value.shiftRight(64).longValue();
    }

    private void set(BigInteger value) {
        number.set(high(value), value.longValue());
    }

    private void check(String what, boolean fits, BigInteger expected) {
        if (expected.abs().equals(END)) {
            return; // -2^127 is of no use: numerics end at 38 digits
        }
        assertThat(fits)
                .as("seed %d: %s fits", SEED, what)
                .isEqualTo(expected.abs().compareTo(END) < 0);
        if (fits) {
            assertThat(number.toBigInteger()).as("seed %d: %s", SEED, what).isEqualTo(expected);
        }
    }

    @Test
    void sumsProductsAndPowers() {
        for (int round = 0; round < 20_000; round++) {
            BigInteger a = operand();
            BigInteger b = operand();
            String what = a + ", " + b;
            set(a);
            check(what + " sum", number.add(high(b), b.longValue()), a.add(b));
            set(a);
            check(what + " product", number.multiply(high(b), b.longValue()), a.multiply(b));
            int exponent = random.nextInt(45);
            set(a);
            check(what + " e" + exponent, number.scaleUp(exponent), a.multiply(BigInteger.TEN.pow(exponent)));
        }
    }

    @Test
    void quotients() {
        for (int round = 0; round < 50_000; round++) {
            BigInteger a = operand();
            BigInteger b = operand();
            if (b.signum() == 0) {
                continue;
            }
            String what = "seed " + SEED + ": " + a + " / " + b;
            set(a);
            number.remainder(high(b), b.longValue());
            assertThat(number.toBigInteger()).as(what).isEqualTo(a.remainder(b));
            set(a);
            number.divideRounding(high(b), b.longValue());
            BigDecimal rounded = new BigDecimal(a).divide(new BigDecimal(b), 0, RoundingMode.HALF_UP);
            assertThat(number.toBigInteger()).as(what).isEqualTo(rounded.unscaledValue());
            int exponent = random.nextInt(45);
            set(a);
            number.truncate(exponent);
            assertThat(number.toBigInteger()).as(what).isEqualTo(a.divide(BigInteger.TEN.pow(exponent)));
            set(a);
            number.round(exponent);
            assertThat(number.toBigInteger())
                    .as(what)
                    .isEqualTo(new BigDecimal(a, exponent)
                            .setScale(0, RoundingMode.HALF_UP)
                            .unscaledValue());
        }
    }

    @Test
    void digitsAndBounds() {
        for (int exponent = 0; exponent <= 38; exponent++) {
            for (int offset = -1; offset <= 1; offset++) {
                BigInteger value = BigInteger.TEN.pow(exponent).add(BigInteger.valueOf(offset));
                if (value.compareTo(END) < 0) {
                    set(value);
                    assertThat(number.digits())
                            .isEqualTo(
                                    value.signum() == 0 ? 0 : value.toString().length());
                    assertThat(number.fits(exponent)).isEqualTo(offset < 0);
                    set(value.negate());
                    assertThat(number.fits(exponent)).isEqualTo(offset < 0);
                    assertThat(Int128.fits(high(value.negate()), value.negate().longValue(), exponent))
                            .isEqualTo(offset < 0);
                }
            }
        }
    }

    @Test
    void comparisonAcrossScales() {
        for (int round = 0; round < 20_000; round++) {
            BigDecimal a = new BigDecimal(operand(), random.nextInt(60));
            BigDecimal b = random.nextInt(3) == 0
                    ? a.setScale(Math.max(0, a.scale() - random.nextInt(3)), RoundingMode.DOWN)
                    : new BigDecimal(operand(), random.nextInt(60));
            BigInteger x = a.unscaledValue();
            BigInteger y = b.unscaledValue();
            int order = Int128.compareScaled(high(x), x.longValue(), a.scale(), high(y), y.longValue(), b.scale());
            assertThat(Integer.signum(order)).as("seed %d: %s, %s", SEED, a, b).isEqualTo(a.compareTo(b));
        }
    }
}
