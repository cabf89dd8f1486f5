package dev.quarrel.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

final class FailedLoginsTest {
    private long now = 1_000;
    private final FailedLogins logins = new FailedLogins(() -> now);

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private long waited(String address, String user) {
        return logins.waitMillis(address(address), user);
    }

    private void failed(String address, String user) {
        logins.failed(address(address), user);
    }

    @Test
    void waitsGrowAndEndWithSuccess() {
        assertThat(waited("10.0.0.1", "ann")).isZero();
        long[] expected = {250, 500, 1000, 2000, 4000, 8000, 16_000, 16_000};
        for (long wait : expected) {
            failed("10.0.0.1", "ann");
            long waited = waited("10.0.0.1", "ann");
            assertThat(waited).isEqualTo(wait);
            now += waited;
        }
        logins.succeeded(address("10.0.0.1"), "ann");
        assertThat(waited("10.0.0.1", "ann")).isZero();
    }

    @Test
    void nobodyElseWaits() {
        failed("10.0.0.1", "ann");
        assertThat(waited("10.0.0.2", "ann")).isZero();
        assertThat(waited("10.0.0.1", "bob")).isZero();
    }

    @Test
    void attemptsAtOneTimeWaitForOneAnother() {
        failed("10.0.0.1", "ann");
        assertThat(waited("10.0.0.1", "ann")).isEqualTo(250);
        assertThat(waited("10.0.0.1", "ann")).isEqualTo(500);
        assertThat(waited("10.0.0.1", "ann")).isEqualTo(750);
    }

    @Test
    void anAddressOfTheSameNetworkIsTheSame() {
        failed("2001:db8:1:2::1", "ann");
        assertThat(waited("2001:db8:1:2:ffff::9", "ann")).isPositive();
        assertThat(waited("2001:db8:1:3::1", "ann")).isZero();
    }

    @Test
    void theyAreForgotten() {
        failed("10.0.0.1", "ann");
        now += 700_000;
        assertThat(waited("10.0.0.1", "ann")).isZero();
        assertThat(logins.size()).isZero();
        for (int user = 0; user < FailedLogins.SIZE + 100; user++) {
            failed("10.0.0.1", "x".repeat(100) + user);
            failed("10.0.0.1", "user" + user);
        }
        assertThat(logins.size()).isEqualTo(FailedLogins.SIZE);
    }
}
