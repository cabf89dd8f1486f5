package dev.quarrel.cuda.backend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BusyTimeTest {
    @Test
    void overlapsCountOnce() {
        BusyTime busy = new BusyTime();
        busy.add(5, 6);
        busy.add(1, 3);
        busy.add(2, 4);
        busy.add(2, 2.5);
        busy.add(6, 6);
        assertThat(busy.takeNanos()).isEqualTo(4_000_000_000L);
        assertThat(busy.takeNanos()).isZero();
    }
}
