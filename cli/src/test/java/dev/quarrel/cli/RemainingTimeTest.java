package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RemainingTimeTest {
    @ParameterizedTest
    @CsvSource({
        "10, 0.5, about 10 s left",
        "10, 0.9, about 2 s left",
        "10, 0.25, about 30 s left",
        "10, 0.1, about 1 min 30 s left",
        "10, 0.077, about 2 min left",
        "60, 0.05, about 19 min left",
        "600, 0.05, about 3 h 10 min left",
        "600, 0.1429, about 1 h left",
        "10, 1, nearly done",
    })
    void isToldInRoundNumbers(double seconds, double part, String text) {
        assertThat(new RemainingTime().text(seconds, part)).isEqualTo(text);
    }

    /// A rate that goes up and down by a tenth never makes the time left longer.
    @Test
    void doesNotJump() {
        RemainingTime remaining = new RemainingTime();
        int before = Integer.MAX_VALUE;
        for (int second = 3; second < 42; second++) {
            double part = second / 50.0 * (second % 2 == 0 ? 1.05 : 0.95);
            String text = remaining.text(second, part);
            int left = Integer.parseInt(text.replaceAll("\\D", ""));
            if (second < 35) {
                assertThat(left).as(text).isLessThanOrEqualTo(before);
            }
            before = left;
        }
    }
}
