package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PostgresTargetTest {
    private static final Map<String, String> ENVIRONMENT =
            Map.of("PGHOST", "env-host", "PGPORT", "1111", "PGUSER", "env-user", "PGDATABASE", "env-db");

    @ParameterizedTest
    @CsvSource({
        "postgresql://u:p%40ss@h:5433/d, postgresql://u@h:5433/d",
        "postgres://h/d, postgresql://env-user@h:1111/d",
        "postgresql:, postgresql://env-user@env-host:1111/env-db",
        "postgresql:///d%20b, postgresql://env-user@env-host:1111/d b",
        "jdbc:postgresql://h:5/d?user=u&password=secret&ssl=true, postgresql://u@h:5/d",
        "postgresql://u@[::1]:5/d, postgresql://u@[::1]:5/d",
        "postgresql://u@h/d?host=other&port=7, postgresql://u@other:7/d",
    })
    void urlsAreReadAndShownWithoutPassword(String url, String shown) {
        assertThat(PostgresTarget.parse(url, ENVIRONMENT)).hasToString(shown);
    }

    @Test
    void thePasswordComesFromTheUrlOrTheEnvironment() {
        assertThat(PostgresTarget.parse("postgresql://u@h/d", Map.of()).hasPassword())
                .isFalse();
        assertThat(PostgresTarget.parse("postgresql://u@h/d", Map.of("PGPASSWORD", "x"))
                        .hasPassword())
                .isTrue();
        assertThat(PostgresTarget.parse("postgresql://u:x@h/d", Map.of()).hasPassword())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://u:secret@h/d",
                "postgresql://u:secret@h:x/d",
                "postgresql://u:secret@h:0/d",
                "postgresql://u:secret@a,b/d",
                "postgresql://u:secret%zz@h/d",
                "postgresql://u:secret@/d?host=/var/run/postgresql"
            })
    void whatIsNoAddressIsRefusedWithoutRepeatingIt(String url) {
        assertThatThrownBy(() -> PostgresTarget.parse(url, Map.of()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("invalid connection URL")
                .hasMessageNotContaining("secret");
    }
}
