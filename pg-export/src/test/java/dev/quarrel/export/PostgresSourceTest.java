package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.source.PasswordFile;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PostgresSourceTest {
    private static final Map<String, String> ENVIRONMENT =
            Map.of("PGHOST", "env-host", "PGPORT", "1111", "PGUSER", "env-user", "PGDATABASE", "env-db");

    @TempDir
    Path home;

    private PostgresSource parse(String text, Map<String, String> environment) {
        return PostgresSource.parse(text, environment, home);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "postgresql://u:p%40ss@h:5433/d; postgresql://u@h:5433/d",
                "postgres://h/d; postgresql://env-user@h:1111/d",
                "postgresql:; postgresql://env-user@env-host:1111/env-db",
                "``; postgresql://env-user@env-host:1111/env-db",
                "postgresql:///d%20b; postgresql://env-user@env-host:1111/d b",
                "jdbc:postgresql://h:5/d?user=u&password=secret&ssl=true; postgresql://u@h:5/d",
                "postgresql://u@[::1]:5/d; postgresql://u@[::1]:5/d",
                "postgresql://u@h/d?host=other&port=7; postgresql://u@other:7/d",
                "postgresql://u@/d?host=/srv/a%20b&port=7; postgresql://u@%2Fsrv%2Fa b:7/d",
                "postgresql://u:secret@%2Fsrv%2Fsockets/d; postgresql://u@%2Fsrv%2Fsockets:1111/d",
                "host=/srv/sockets user=u dbname=d; postgresql://u@%2Fsrv%2Fsockets:1111/d",
                "postgresql://u@a:1,b,[::2]:3/d; postgresql://u@a:1,b:5432,[::2]:3/d",
                "postgresql://u@a,b/d?target_session_attrs=standby; postgresql://u@a:1111,b:1111/d",
                "shop; postgresql://env-user@env-host:1111/shop",
                "host=h port=5 dbname=d user=u; postgresql://u@h:5/d",
                "  host = h   dbname='a b\\'c\\\\d'user=u; postgresql://u@h:1111/a b'c\\d",
                "dbname=d password=secret; postgresql://env-user@env-host:1111/d",
                "host=a,b port=1,2 dbname=d; postgresql://env-user@a:1,b:2/d",
                "host=name hostaddr=127.0.0.1 dbname=d; postgresql://env-user@127.0.0.1:1111/d",
                "host=h dbname=d sslmode=require connect_timeout=5 client_encoding=utf8 keepalives_idle=3; postgresql://env-user@h:1111/d",
            })
    void addressesAreReadAndShownWithoutPassword(String text, String shown) {
        assertThat(parse(text, ENVIRONMENT)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"host=@abstract", "host=a,/srv/sockets"})
    void socketsThatCannotBeReachedAreRefused(String text) {
        assertThatThrownBy(() -> parse(text, Map.of()))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        error -> assertThat(error.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED));
    }

    @Test
    void thePasswordComesFromTheTextOrTheEnvironment() {
        assertThat(parse("postgresql://u@h/d", Map.of()).hasPassword()).isFalse();
        assertThat(parse("postgresql://u@h/d", Map.of("PGPASSWORD", "x")).hasPassword())
                .isTrue();
        assertThat(parse("postgresql://u:x@h/d", Map.of()).hasPassword()).isTrue();
        assertThat(parse("host=h password=x", Map.of()).hasPassword()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://u:secret@h/d",
                "postgresql://u:secret@h:x/d",
                "postgresql://u:secret@h:0/d",
                "postgresql://u:secret@a:1,b:2/d?port=1,2,3",
                "postgresql://u:secret%zz@h/d",
                "postgresql://u:secret@h/d?nonsense=1",
                "postgresql://u:secret@h/d?sslmode",
                "host=h password='secret",
                "host=h password=secret dbname",
                "host=h password=secret nonsense=1",
                "host=h password=secret target_session_attrs=sometimes",
                "postgresql://u:secret@[::1/d"
            })
    void whatIsNoAddressIsRefusedWithoutRepeatingIt(String text) {
        assertThatThrownBy(() -> parse(text, Map.of()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("invalid connection string")
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslcrl=x", "ssl_min_protocol_version=TLSv1.3", "requirepeer=postgres"})
    void whatWouldMakeItSaferIsNotIgnored(String option) {
        assertThatThrownBy(() -> parse("host=h " + option, Map.of()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("is not supported");
    }

    @Test
    void servicesStandBehindTheTextAndBeforeTheEnvironment() throws IOException {
        Files.writeString(home.resolve(".pg_service.conf"), """
                # mine
                [other]
                host=wrong

                [shop]
                host=service-host
                port=77
                  user=service-user
                """);
        Path folder = Files.createDirectories(home.resolve("etc"));
        Files.writeString(
                folder.resolve("pg_service.conf"), "[central]\nhost=central-host\ndbname=c\n[shop]\nhost=x\n");
        Map<String, String> environment = new HashMap<>(ENVIRONMENT);
        environment.put("PGSYSCONFDIR", folder.toString());
        assertThat(parse("service=shop dbname=d", environment))
                .hasToString("postgresql://service-user@service-host:77/d");
        assertThat(parse("postgresql://me@/?service=shop", environment))
                .hasToString("postgresql://me@service-host:77/env-db");
        assertThat(parse("service=central", environment)).hasToString("postgresql://env-user@central-host:1111/c");
        environment.put("PGSERVICE", "shop");
        assertThat(parse("", environment)).hasToString("postgresql://service-user@service-host:77/env-db");
        Path file = home.resolve("services");
        environment.put("PGSERVICEFILE", file.toString());
        assertWrong(environment, "service file \"" + file + "\" not found");
        Files.writeString(file, "[shop]\nservice=other\n");
        assertWrong(environment, "nested service specifications are not supported");
        Files.writeString(file, "[shop]\nhost\n");
        assertWrong(environment, "syntax error in service file");
        environment.put("PGSERVICE", "unknown");
        assertWrong(environment, "definition of service \"unknown\" not found");
    }

    private void assertWrong(Map<String, String> environment, String message) {
        assertThatThrownBy(() -> parse("", environment))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "h, 5432, d, u, first",
        "h, 5433, d, u, any port",
        "[::1], 5432, d, u, six",
        "x, 1, a:b, u, with:colon",
        "x, 1, d, *, star",
        "x, 1, d, nobody, ",
        "localhost, 5432, d, back\\slash, b",
    })
    void passwordsAreFoundAsLibpqFindsThem(String host, int port, String database, String user, String expected)
            throws IOException {
        Path path = home.resolve(".pgpass");
        Files.writeString(path, """
                # h:5432:d:u:comment
                h:5432:d:u:first
                h:*:*:u:any port
                [\\:\\:1]:5432:d:u:six
                *:*:a\\:b:u:with\\:colon
                *:*:*:\\*:star
                localhost:5432:d:back\\\\slash:b
                too:few:fields
                """);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        List<String> warnings = new ArrayList<>();
        assertThat(new PasswordFile(path).find(host, port, database, user, warnings::add))
                .isEqualTo(expected);
        assertThat(warnings).isEmpty();
        assertThat(parse("host=h dbname=d user=u", Map.of()).hasPassword()).isTrue();
        assertThat(parse("host=h dbname=d user=v", Map.of()).hasPassword()).isFalse();
    }

    @Test
    void aPasswordFileThatOthersMayReadIsNotUsed() throws IOException {
        Path path = home.resolve("passwords");
        Files.writeString(path, "*:*:*:*:secret\n");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
        PostgresSource target = parse("host=h dbname=d", Map.of("PGPASSFILE", path.toString()));
        assertThat(target.hasPassword()).isFalse();
        assertThat(target.warnings())
                .containsExactly("password file \"" + path
                        + "\" has group or world access; permissions should be u=rw (0600) or less");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r--------"));
        assertThat(parse("host=h passfile=" + path, Map.of()).hasPassword()).isTrue();
        assertThat(parse("host=h passfile=" + home, Map.of()).warnings()).hasSize(1);
    }

    @Test
    void ofSeveralHostsTheOneThatAnswersIsKept() throws SQLException, IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        int open = TestPostgres.server().getPort();
        PostgresSource target = parse(
                "postgresql://postgres@localhost:" + closed + ",localhost:" + open
                        + "/postgres?target_session_attrs=read-write&options=-c%20search_path%3Dpg_catalog",
                Map.of("PGAPPNAME", "by environment"));
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT current_setting('application_name') || ' ' || current_setting('search_path')")) {
            rows.next();
            assertThat(rows.getString(1)).isEqualTo("by environment pg_catalog");
            assertThat(target.pinned()).hasToString("postgresql://postgres@localhost:" + open + "/postgres");
        }
        assertThatThrownBy(() -> parse(
                                "postgresql://postgres@localhost:" + open + "/postgres?target_session_attrs=standby",
                                Map.of())
                        .connect())
                .isInstanceOf(QueryException.class);
    }
}
