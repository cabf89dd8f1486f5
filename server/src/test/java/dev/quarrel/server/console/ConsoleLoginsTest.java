package dev.quarrel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// When logins to the console end.
final class ConsoleLoginsTest {
    private static final Users USERS = Users.none().with("ann", ScramVerifier.ofPassword("a"));

    private final AtomicLong clock = new AtomicLong();
    private final ConsoleLogins logins = new ConsoleLogins(clock::get);

    @Test
    void idleOnesEnd() {
        String token = logins.begin(USERS, "ann");
        clock.addAndGet(ConsoleLogins.IDLE_NANOS);
        assertThat(logins.user(USERS, token, false)).isEqualTo("ann");
        clock.addAndGet(1);
        assertThat(logins.user(USERS, token, true)).isNull();
    }

    @Test
    void usedOnesEndAfterHours() {
        String token = logins.begin(USERS, "ann");
        for (long hour = 0; hour < ConsoleLogins.LONGEST_NANOS; hour += ConsoleLogins.IDLE_NANOS) {
            assertThat(logins.user(USERS, token, true)).isEqualTo("ann");
            clock.addAndGet(ConsoleLogins.IDLE_NANOS);
        }
        assertThat(logins.user(USERS, token, true)).isEqualTo("ann");
        clock.addAndGet(1);
        assertThat(logins.user(USERS, token, true)).isNull();
    }

    @Test
    void usersWhoAreGoneOrNewEndThem() {
        String token = logins.begin(USERS, "ann");
        assertThat(logins.user(Users.none(), token, true)).isNull();
        String trusted = logins.begin(Users.none(), "ann");
        assertThat(logins.user(Users.none(), trusted, true)).isEqualTo("ann");
        assertThat(logins.user(USERS, trusted, true)).isNull();
    }

    @Test
    void theirNumberIsBounded() {
        String first = logins.begin(USERS, "ann");
        String second = logins.begin(USERS, "ann");
        assertThat(logins.user(USERS, first, true)).isEqualTo("ann"); // so the second is idle longest
        for (int count = 2; count <= ConsoleLogins.SIZE_OF_USER; count++) {
            logins.begin(USERS, "ann");
        }
        assertThat(logins.user(USERS, first, true)).isEqualTo("ann");
        assertThat(logins.user(USERS, second, true)).isNull();
        for (int count = 0; count < ConsoleLogins.SIZE; count++) {
            logins.begin(Users.none(), "user " + count);
        }
        assertThat(logins.user(USERS, first, true)).isNull();
    }

    @Test
    void logout() {
        String token = logins.begin(USERS, "ann");
        assertThat(token).hasSize(43).isNotEqualTo(logins.begin(USERS, "ann"));
        logins.end(token);
        assertThat(logins.user(USERS, token, true)).isNull();
    }
}
