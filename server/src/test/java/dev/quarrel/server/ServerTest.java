package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/// A server on a socket, spoken to by pgjdbc and by hand.
@Timeout(30)
final class ServerTest {
    private final ScriptedEngine engine = new ScriptedEngine();
    private Server server;

    private void start(ServerConfig config) throws IOException {
        server = Server.start(engine, config.with(ServerSetting.PORT, 0));
    }

    private Connection connect(String user, String password) throws SQLException {
        return connect(user, password, "extended");
    }

    private Connection connect(String user, String password, String queryMode) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel?preferQueryMode=" + queryMode,
                user,
                password);
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (server != null) {
            server.stop();
            assertThat(engine.openSessions).hasValue(0);
            assertThat(engine.openExecutions).hasValue(0);
            assertThat(engine.openBatches).hasValue(0);
        }
    }

    @Test
    void pgjdbcQueriesWithAndWithoutParameters() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "");
                Statement statement = connection.createStatement()) {
            assertThat(connection.getMetaData().getDatabaseProductVersion()).isEqualTo("15.0 (Quarrel test)");
            try (ResultSet rows = statement.executeQuery("rows 250")) {
                int last = 0;
                while (rows.next()) {
                    last = rows.getInt(1);
                }
                assertThat(last).isEqualTo(250);
            }
            // pgjdbc asks for binary results after five runs
            try (PreparedStatement echo = connection.prepareStatement("rows 3 2")) {
                for (int run = 0; run < 8; run++) {
                    try (ResultSet rows = echo.executeQuery()) {
                        rows.next();
                        rows.next();
                        rows.next();
                        assertThat(rows.getInt(1)).isEqualTo(3);
                    }
                }
            }
            assertThatThrownBy(() -> statement.executeQuery("fail"))
                    .isInstanceOfSatisfying(
                            PSQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("22012"));
            assertThat(statement.executeUpdate("set application_name x")).isZero();
            statement.execute("commit");
            SQLWarning warning = statement.getWarnings();
            assertThat(warning.getSQLState()).isEqualTo("25P01");
        }
    }

    @Test
    void fetchSizePullsBatchByBatch() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "")) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(10);
                try (ResultSet rows = statement.executeQuery("rows 100000 10")) {
                    for (int row = 1; row <= 35; row++) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getInt(1)).isEqualTo(row);
                    }
                    assertThat(engine.batchesPulled).hasValue(4);
                }
            }
            connection.rollback();
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsTheQueryBack() throws Exception {
        start(ServerConfig.defaults());
        try (Socket socket = rawConnect()) {
            socket.setReceiveBufferSize(4096);
            logIn(socket);
            socket.getOutputStream().write(query("rows 100000000 1000"));
            long pulled = -1;
            for (int quiet = 0; quiet < 5; ) {
                Thread.sleep(100);
                quiet = engine.batchesPulled.get() == pulled ? quiet + 1 : 0;
                pulled = engine.batchesPulled.get();
            }
            // 100,000 batches are to come; what the sockets and one write buffer hold is far less
            assertThat(pulled).isGreaterThan(0).isLessThan(5000);
        }
        // the client is gone: its query ends
        waitUntilNoSessions();
    }

    private void waitUntilNoSessions() throws InterruptedException {
        while (engine.openSessions.get() > 0 || server.sessionCount() > 0) {
            Thread.sleep(5);
        }
    }

    @Test
    void aDisconnectEndsTheRunningStatement() throws Exception {
        start(ServerConfig.defaults());
        try (Socket socket = rawConnect()) {
            logIn(socket);
            socket.getOutputStream().write(query("sleep"));
            while (engine.openExecutions.get() == 0) {
                Thread.sleep(5);
            }
        }
        waitUntilNoSessions();
    }

    @Test
    void cancelRequestsStopTheStatementAndNotTheSession() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "");
                Statement statement = connection.createStatement()) {
            CompletableFuture<SQLException> outcome = engine.startSleep(statement);
            statement.cancel();
            SQLException error = outcome.get(10, TimeUnit.SECONDS);
            assertThat(error.getSQLState()).isEqualTo("57014");
            assertThat(error.getMessage()).contains("canceling statement due to user request");
            try (ResultSet rows = statement.executeQuery("rows 1")) {
                assertThat(rows.next()).isTrue();
            }
        }
    }

    @Test
    void aDisconnectEndsPlanning() throws Exception {
        start(ServerConfig.defaults());
        try (Socket socket = rawConnect()) {
            logIn(socket);
            socket.getOutputStream().write(query("plan"));
            while (engine.openPlans.get() == 0) {
                Thread.sleep(5);
            }
        }
        waitUntilNoSessions();
        assertThat(engine.openPlans).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void cancelRequestsAndTimeoutsEndPlanningAndNotTheSession(String queryMode) throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "", queryMode);
                Statement statement = connection.createStatement()) {
            CompletableFuture<SQLException> outcome = new CompletableFuture<>();
            Thread runner = Thread.ofPlatform().start(() -> {
                try {
                    statement.executeQuery("plan").close();
                    outcome.complete(null);
                } catch (SQLException error) {
                    outcome.complete(error);
                }
            });
            while (engine.openPlans.get() == 0) {
                Thread.sleep(5);
            }
            statement.cancel();
            SQLException error = outcome.get(10, TimeUnit.SECONDS);
            assertThat(error.getSQLState()).isEqualTo("57014");
            assertThat(error.getMessage()).contains("canceling statement due to user request");
            runner.join();
            statement.execute("set statement_timeout 50ms");
            assertThatThrownBy(() -> statement.executeQuery("plan"))
                    .hasMessageContaining("canceling statement due to statement timeout");
            try (ResultSet rows = statement.executeQuery("rows 1")) {
                assertThat(rows.next()).isTrue();
            }
        }
    }

    @Test
    void aWrongKeyCancelsNothingAndIsNotAnswered() throws Exception {
        start(ServerConfig.defaults());
        try (Socket socket = rawConnect()) {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(16)
                            .putInt(16)
                            .putInt(80877102)
                            .putInt(1)
                            .putInt(12345)
                            .array());
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void statementTimeoutStopsAStatement() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "");
                Statement statement = connection.createStatement()) {
            statement.execute("set statement_timeout 50ms");
            assertThatThrownBy(() -> statement.executeQuery("sleep"))
                    .hasMessageContaining("canceling statement due to statement timeout");
        }
    }

    @Test
    void idleTransactionsEndWhenTheirTimeIsUp() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "");
                Statement statement = connection.createStatement()) {
            statement.execute("set idle_in_transaction_session_timeout 100ms");
            Thread.sleep(200);
            assertThat(connection.isValid(1)).isTrue();
            statement.execute("begin");
            waitUntilNoSessions();
            assertThatThrownBy(() -> statement.executeQuery("rows 1"))
                    .isInstanceOfSatisfying(
                            PSQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("25P03"));
        }
    }

    @Test
    void idleSessionsEndWhenTheirTimeIsUp() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = connect("ann", "");
                Statement statement = connection.createStatement()) {
            statement.execute("set idle_session_timeout 100ms");
            waitUntilNoSessions();
            assertThatThrownBy(() -> statement.executeQuery("rows 1"))
                    .isInstanceOfSatisfying(
                            PSQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("57P05"));
        }
    }

    @Test
    void scramLetsInWhoKnowsThePassword(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("users");
        Files.writeString(file, "# who may\nann:" + ScramVerifier.ofPassword("s3cret ü") + "\n");
        start(ServerConfig.defaults().with(ServerSetting.USERS_FILE, file.toString()));
        try (Connection connection = connect("ann", "s3cret ü")) {
            assertThat(connection.isValid(1)).isTrue();
        }
        for (String user : new String[] {"ann", "nobody"}) {
            assertThatThrownBy(() -> connect(user, "wrong")).isInstanceOfSatisfying(PSQLException.class, error -> {
                assertThat(error.getSQLState()).isEqualTo("28P01");
                assertThat(error.getMessage()).contains("password authentication failed for user \"" + user + "\"");
            });
        }
    }

    @Test
    void postgresVerifiersAreUnderstood() {
        String verifier = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
        assertThat(ScramVerifier.parse(verifier)).hasToString(verifier);
    }

    @Test
    void withoutUsersOnlyLoopbackIsListenedOn() {
        assertThatThrownBy(() -> start(ServerConfig.defaults().with(ServerSetting.HOST, "0.0.0.0")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("define users");
        server = null;
    }

    @Test
    void oneConnectionTooManyIsRefused() throws Exception {
        start(ServerConfig.defaults().with(ServerSetting.MAX_CONNECTIONS, 1));
        try (Connection first = connect("ann", "")) {
            assertThat(first.isValid(1)).isTrue();
            assertThatThrownBy(() -> connect("bob", ""))
                    .isInstanceOfSatisfying(
                            PSQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("53300"));
        }
        waitUntilNoSessions();
        connect("bob", "").close();
    }

    @Test
    void whoDoesNotLogInIsDropped() throws Exception {
        start(ServerConfig.defaults()
                .withUsers(Users.none().with("ann", ScramVerifier.ofPassword("x")))
                .with(ServerSetting.AUTHENTICATION_TIMEOUT, 1));
        try (Socket socket = rawConnect()) {
            socket.getOutputStream().write(startup());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThat(in.readByte()).isEqualTo((byte) 'R');
            in.readNBytes(in.readInt() - 4);
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void encryptionIsRefusedOnceEach() throws Exception {
        start(ServerConfig.defaults());
        try (Socket socket = rawConnect()) {
            byte[] ssl = ByteBuffer.allocate(8).putInt(8).putInt(80877103).array();
            byte[] gss = ByteBuffer.allocate(8).putInt(8).putInt(80877104).array();
            socket.getOutputStream().write(gss);
            assertThat(socket.getInputStream().read()).isEqualTo('N');
            socket.getOutputStream().write(ssl);
            assertThat(socket.getInputStream().read()).isEqualTo('N');
            socket.getOutputStream().write(ssl);
            assertThat(socket.getInputStream().read()).isEqualTo('E');
        }
    }

    @Test
    void stoppingTellsIdleClientsAndLetsStatementsEnd() throws Exception {
        start(ServerConfig.defaults().with(ServerSetting.SHUTDOWN_TIMEOUT, 1));
        try (Connection idle = connect("ann", "");
                Connection busy = connect("bob", "");
                Statement sleeping = busy.createStatement()) {
            CompletableFuture<SQLException> outcome = engine.startSleep(sleeping);
            server.stop();
            assertThat(outcome.get(10, TimeUnit.SECONDS).getSQLState()).isEqualTo("57P01");
            assertThatThrownBy(() -> idle.createStatement().executeQuery("rows 1"))
                    .isInstanceOfSatisfying(
                            PSQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("57P01"));
        }
    }

    private Socket rawConnect() throws IOException {
        return new Socket("127.0.0.1", server.address().getPort());
    }

    /// What is quick is answered on the event loop, the rest by a thread of the session's: neither overtakes the other.
    @Test
    void answersComeInOrderWhoeverGivesThem() throws Exception {
        start(ServerConfig.defaults());
        int statements = 3_000;
        int[] counts = new SplittableRandom(20261123)
                .ints(statements, 0, 6)
                .map(kind -> new int[] {1, 2, 1, 2, 3, 700}[kind])
                .toArray();
        try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
            logIn(socket);
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                SplittableRandom pauses = new SplittableRandom(1);
                try {
                    for (int count : counts) {
                        socket.getOutputStream().write(query("rows " + count));
                        if (pauses.nextInt(20) == 0) {
                            Thread.sleep(pauses.nextInt(3));
                        }
                    }
                } catch (IOException | InterruptedException failed) {
                    throw new IllegalStateException(failed);
                }
            });
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            for (int statement = 0; statement < statements; statement++) {
                int rows = 0;
                for (int type = in.read(); type != 'Z'; type = in.read()) {
                    rows += type == 'D' ? 1 : 0;
                    assertThat(type).isIn((int) 'T', (int) 'D', (int) 'C');
                    in.skipNBytes(in.readInt() - 4);
                }
                in.skipNBytes(in.readInt() - 4);
                assertThat(rows).as("statement " + statement).isEqualTo(counts[statement]);
            }
            sent.get();
        }
    }

    private static byte[] startup() {
        byte[] parameters = "user\0ann\0\0".getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + parameters.length)
                .putInt(8 + parameters.length)
                .putInt(3 << 16)
                .put(parameters)
                .array();
    }

    private static void logIn(Socket socket) throws IOException {
        socket.getOutputStream().write(startup());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        while (true) {
            byte type = in.readByte();
            in.readNBytes(in.readInt() - 4);
            if (type == 'Z') {
                return;
            }
        }
    }

    private static byte[] query(String sql) {
        byte[] text = (sql + "\0").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + text.length)
                .put((byte) 'Q')
                .putInt(4 + text.length)
                .put(text)
                .array();
    }
}
