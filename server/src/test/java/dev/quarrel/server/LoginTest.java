package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.auth.UsersFile;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.util.PSQLException;

/// Who may log in, and how soon again.
@Timeout(60)
final class LoginTest {
    private final ScriptedEngine engine = new ScriptedEngine();
    private Server server;

    private void start(ServerConfig config) throws IOException {
        server = Server.start(engine, config.with(ServerSetting.PORT, 0));
    }

    private Connection connect(String user, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel", user, password);
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.stop();
        }
    }

    private void refused(String user, String password) {
        assertThatThrownBy(() -> connect(user, password))
                .isInstanceOfSatisfying(
                        PSQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("28P01"));
    }

    @Test
    void whoGuessesWaits() throws Exception {
        start(ServerConfig.defaults()
                .withUsers(Users.none()
                        .with("ann", ScramVerifier.ofPassword("a"))
                        .with("bob", ScramVerifier.ofPassword("b"))));
        connect("bob", "b").close(); // classes are there
        for (int guess = 0; guess < 3; guess++) {
            refused("ann", "guess");
        }
        long before = System.nanoTime();
        connect("bob", "b").close();
        assertThat(System.nanoTime() - before).as("others wait for nothing").isLessThan(900_000_000L);
        before = System.nanoTime();
        connect("ann", "a").close();
        assertThat(System.nanoTime() - before).as("1 s after three failures").isGreaterThan(300_000_000L);
        before = System.nanoTime();
        connect("ann", "a").close();
        assertThat(System.nanoTime() - before).as("nobody after success").isLessThan(900_000_000L);
    }

    @Test
    void anotherDatabaseDoesNotExist() throws Exception {
        start(ServerConfig.defaults());
        for (String database : new String[] {"quarrel", "ann"}) {
            DriverManager.getConnection(url(database), "ann", "").close();
        }
        assertThatThrownBy(() -> DriverManager.getConnection(url("postgres"), "ann", ""))
                .isInstanceOfSatisfying(PSQLException.class, error -> {
                    assertThat(error.getSQLState()).isEqualTo("3D000");
                    assertThat(error.getMessage())
                            .contains("database \"postgres\" does not exist", "The database is quarrel.");
                });
    }

    private String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/" + database;
    }

    /// Keys of 32 bytes.
    @Test
    void protocol32IsSpokenAndCancels() throws Exception {
        start(ServerConfig.defaults());
        try (Connection connection = DriverManager.getConnection(url("quarrel") + "?protocolVersion=3.2", "ann", "");
                Statement statement = connection.createStatement()) {
            CompletableFuture<SQLException> outcome = engine.startSleep(statement);
            statement.cancel();
            assertThat(outcome.get(10, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
        }
    }

    @Test
    void keysAreAsLongAsTheProtocolHasThem() throws Exception {
        start(ServerConfig.defaults());
        for (int[] versionAndLength : new int[][] {{0, 4}, {2, 32}, {9999, 32}}) {
            try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
                byte[] parameters = "user\0ann\0\0".getBytes(StandardCharsets.UTF_8);
                socket.getOutputStream()
                        .write(ByteBuffer.allocate(8 + parameters.length)
                                .putInt(8 + parameters.length)
                                .putInt(3 << 16 | versionAndLength[0])
                                .put(parameters)
                                .array());
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte type = in.readByte();
                assertThat(type == 'v').isEqualTo(versionAndLength[0] > 2);
                while (type != 'K') {
                    in.readNBytes(in.readInt() - 4);
                    type = in.readByte();
                }
                assertThat(in.readInt() - 8).isEqualTo(versionAndLength[1]);
            }
        }
    }

    @Test
    void usersAreReadAgain(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("users");
        UsersFile.put(file, "ann", ScramVerifier.ofPassword("a"));
        start(ServerConfig.defaults().with(ServerSetting.USERS_FILE, file.toString()));
        connect("ann", "a").close();
        refused("bob", "b");
        UsersFile.put(file, "bob", ScramVerifier.ofPassword("b"));
        Thread.sleep(1500);
        connect("bob", "b").close();
        UsersFile.remove(file, "ann");
        Thread.sleep(1500);
        refused("ann", "a");
        Files.writeString(file, "bob:broken\n");
        Thread.sleep(1500);
        connect("bob", "b").close();
        Files.delete(file);
        Thread.sleep(1500);
        connect("bob", "b").close();
    }
}
