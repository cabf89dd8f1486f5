package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// psql against a server over a scripted engine: connecting, rows, errors, copying nothing to stderr that is not an
/// error.
@Timeout(30)
final class PsqlTest {
    @Test
    void psqlConnectsWithoutNoise() throws Exception {
        assumeTrue(Psql.isInstalled(), "psql is not installed");
        try (ScriptedEngine engine = new ScriptedEngine();
                Server server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0))) {
            assertThat(Psql.run(server, "-At", "-c", "rows 3")).isEqualTo("1\n2\n3\n");
            assertThat(Psql.run(server, "-c", "rows 1", "-c", "begin"))
                    .isEqualTo(" c1 \n----\n  1\n(1 row)\n\nBEGIN\n");
            assertThat(Psql.run(server, "-c", "wrong")).isEqualTo("ERROR:  syntax error\nLINE 1: wrong\n          ^\n");
            assertThat(Psql.run(server, "-c", "commit"))
                    .isEqualTo("WARNING:  there is no transaction in progress\nCOMMIT\n");
            assertThat(Psql.run(server, "-v", "FETCH_COUNT=2", "-At", "-c", "\\conninfo"))
                    .startsWith("You are connected to database \"quarrel\" as user \"ann\"");
        }
    }
}
