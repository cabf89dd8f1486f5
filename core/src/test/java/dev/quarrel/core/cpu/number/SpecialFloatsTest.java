package dev.quarrel.core.cpu.number;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/// The error functions and the gamma function, by identities that they obey and values that tables have.
final class SpecialFloatsTest {
    @Test
    void factorialsAreExact() {
        double factorial = 1;
        for (int number = 1; number < 23; number++) {
            assertThat(SpecialFloats.gamma(number)).isEqualTo(factorial);
            factorial *= number;
        }
    }

    @Test
    void tablesHaveTheseValues() {
        assertNear(SpecialFloats.erf(0.5), 0.5204998778130465);
        assertNear(SpecialFloats.erf(3.75), 0.9999998862727434);
        assertNear(SpecialFloats.erfc(3), 2.209049699858544e-5);
        assertNear(SpecialFloats.erfc(10), 2.088487583762545e-45);
        assertNear(SpecialFloats.gamma(0.5), 1.772453850905516);
        assertNear(SpecialFloats.gamma(-1.5), 2.3632718012073544);
        assertNear(SpecialFloats.gamma(170.5), 5.562092414560001e305);
        assertNear(SpecialFloats.logGamma(0.1), 2.252712651734206);
        assertNear(SpecialFloats.logGamma(1e10), 2.2025850928881058e11);
    }

    @Test
    void theyAreAsTheirNeighboursSay() {
        for (double value = -5.9; value < 5; value += 0.037) {
            double one = SpecialFloats.erf(value) + SpecialFloats.erfc(value);
            assertThat(one).isCloseTo(1, within(3e-16));
            assertThat(SpecialFloats.erf(-value)).isEqualTo(-SpecialFloats.erf(value));
            double next = SpecialFloats.gamma(value + 1) / value;
            assertThat(SpecialFloats.gamma(value)).isCloseTo(next, within(Math.abs(next) * 1e-15));
            double log = Math.log(Math.abs(SpecialFloats.gamma(value)));
            assertThat(SpecialFloats.logGamma(value)).isCloseTo(log, within(1e-15 * (1 + Math.abs(log))));
        }
    }

    @Test
    void edgesAreInfiniteOrZero() {
        assertThat(SpecialFloats.erf(-0.0)).isEqualTo(-0.0);
        assertThat(SpecialFloats.erfc(30)).isZero();
        assertThat(SpecialFloats.gamma(-0.0)).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(SpecialFloats.gamma(-4)).isNaN();
        assertThat(SpecialFloats.gamma(171.7)).isInfinite();
        assertThat(SpecialFloats.logGamma(-4)).isInfinite();
        assertThat(SpecialFloats.logGamma(1 + 1e-15)).isCloseTo(-6.408381e-16, within(1e-21));
    }

    private static void assertNear(double actual, double expected) {
        assertThat(actual).isCloseTo(expected, within(2 * Math.ulp(expected)));
    }
}
