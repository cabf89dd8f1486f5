package dev.quarrel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.SettingDefaults;
import dev.quarrel.calcite.SettingOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Files and the environment as sources of settings.
final class ConfigFileTest {
    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("quarrel.toml"), text);
    }

    private ServerConfig read(String text) throws IOException {
        return ConfigFile.read(ServerConfig.defaults(), file(text));
    }

    @Test
    void valuesAreReadWithTheirLines() throws IOException {
        ServerConfig config = read("""
                # a server
                max_connections = 20
                shutdown_timeout = "2min"
                query_memory = "2GB"
                total_memory = 4096
                tls = "off"
                warm_up = false
                users_file = "users"
                stats_cache = "none"
                statement_timeout = "90s"
                [quarrel]
                device = "cpu"
                """);
        assertThat(config.number(ServerSetting.MAX_CONNECTIONS)).isEqualTo(20);
        assertThat(config.seconds(ServerSetting.SHUTDOWN_TIMEOUT)).hasSeconds(120);
        assertThat(config.number(ServerSetting.QUERY_MEMORY)).isEqualTo(2048);
        assertThat(config.number(ServerSetting.TOTAL_MEMORY)).isEqualTo(4096);
        assertThat(config.isOn(ServerSetting.WARM_UP)).isFalse();
        assertThat(config.text(ServerSetting.USERS_FILE))
                .isEqualTo(folder.resolve("users").toString());
        assertThat(config.text(ServerSetting.STATS_CACHE)).isEqualTo("none");
        assertThat(config.origin(ServerSetting.SHUTDOWN_TIMEOUT))
                .isEqualTo(SettingOrigin.ofFile(folder.resolve("quarrel.toml").toString(), 3));
        SettingDefaults sessions = config.sessionDefaults();
        assertThat(sessions.find("statement_timeout").value()).isEqualTo("90s");
        assertThat(sessions.find("quarrel.device").origin().line()).isEqualTo(12);
        assertThat(sessions.find("shutdown_timeout").value()).isEqualTo("2min");
        assertThat(sessions.find("users_file"))
                .as("paths are no client's business")
                .isNull();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "max_conections = 3 | 1: there is no setting max_conections; did you mean max_connections?",
                "nothing_like_it = 3 | 1: there is no setting nothing_like_it",
                "port = 0\\nmax_connections = \"3\" | 2: max_connections is a whole number, not the string \"3\"",
                "max_connections = 0 | 1: max_connections is 1 to 100000, not \"0\"",
                "shutdown_timeout = \"1ms\" | 1: shutdown_timeout is 0 to 3600 s, not \"1ms\"",
                "shutdown_timeout = \"2 parsecs\" | 1: shutdown_timeout is 0 to 3600 s, not \"2 parsecs\"",
                "query_memory = \"99999999999TB\" | 1: query_memory is 1 to 16777216 MB, not \"99999999999TB\"",
                "query_memory = 1.5 | 1: query_memory is a whole number of MB, or a string with a unit, not the number 1.5",
                "warm_up = \"on\" | 1: warm_up is true or false, not the string \"on\"",
                "host = 3 | 1: host is a string, not the number 3",
                "users_file = [] | 1: users_file is a path as a string, not an array",
                "tls = \"yes\" | 1: tls is one of off, on, required, not \"yes\"",
                "jit = 1 | 1: jit is true or false, not the number 1",
                "statement_timeout = -1 | 1: invalid value for parameter \"statement_timeout\": \"-1\"",
                "server_version = \"19\" | 1: there is no setting server_version",
                "[limits]\\nport = 1 | 2: there is no setting limits.port",
                "port = 1\\nport = 2 | 2: port previously defined at line 1",
                "port = | 1: "
            })
    void whatIsWrongIsSaidWithFileAndLine(String text, String message) throws IOException {
        Path file = file(text.replace("\\n", "\n"));
        assertThatThrownBy(() -> ConfigFile.read(ServerConfig.defaults(), file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(file + ":" + message.strip());
    }

    @Test
    void theEnvironmentHasTheLastWordOverTheFile() throws IOException {
        ServerConfig config = ConfigEnvironment.read(
                read("max_connections = 20\nport = 5"),
                Map.of(
                        "QUARREL_MAX_CONNECTIONS", "30",
                        "QUARREL_SHUTDOWN_TIMEOUT", "1min",
                        "QUARREL_QUARREL_DEVICE", "cpu",
                        "QUARREL_WARM_UP", "off",
                        "QUARREL_PORT_5433_TCP", "tcp://10.0.0.1:5433"));
        assertThat(config.number(ServerSetting.MAX_CONNECTIONS)).isEqualTo(30);
        assertThat(config.number(ServerSetting.PORT)).isEqualTo(5);
        assertThat(config.number(ServerSetting.SHUTDOWN_TIMEOUT)).isEqualTo(60);
        assertThat(config.origin(ServerSetting.MAX_CONNECTIONS).text())
                .isEqualTo("environment variable QUARREL_MAX_CONNECTIONS");
        assertThat(config.sessionDefaults().find("quarrel.device").value()).isEqualTo("cpu");
        assertThatThrownBy(() -> ConfigEnvironment.read(config, Map.of("QUARREL_PORT", "tcp://10.0.0.1:5433")))
                .hasMessage("environment variable QUARREL_PORT: port is 0 to 65535, not \"tcp://10.0.0.1:5433\"");
    }

    @Test
    void everySettingOfTheProcessIsInTheReference() throws IOException {
        String reference = Files.readString(Path.of("..", "docs", "reference.md"));
        for (ServerSetting setting : ServerSetting.values()) {
            assertThat(reference).contains("`" + setting.settingName() + "`");
        }
    }

    @Test
    void namesAndVariablesAreUnique() {
        assertThat(SettingList.all()).extracting(ConfigEnvironment::variable).doesNotHaveDuplicates();
    }
}
