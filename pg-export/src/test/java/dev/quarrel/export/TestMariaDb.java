package dev.quarrel.export;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// A MariaDB of the machine's, with data of its own in a folder.
final class TestMariaDb implements AutoCloseable {
    static final String USER = "tester";
    static final String PASSWORD = "p@ss word";

    private static final int START_MILLIS = 60_000;

    private final Process process;
    private final int port;

    private TestMariaDb(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /// Skips the test where there is no MariaDB; fails it where everything is promised to be installed.
    static TestMariaDb start(Path folder) throws IOException, InterruptedException {
        String server = program("mariadbd");
        String installer = program("mariadb-install-db");
        if (server == null || installer == null) {
            String why = "mariadbd is not installed (Debian: apt install mariadb-server)";
            if (Boolean.getBoolean("quarrel.test.strict")) {
                throw new AssertionError(why);
            }
            throw new TestAbortedException(why);
        }
        Path data = Files.createDirectory(folder.resolve("mariadb"));
        // A server that starts clears its folder for temporary tables, also of those that another one has open there.
        Path temporary = Files.createDirectory(folder.resolve("mariadb-tmp"));
        String user = System.getProperty("user.name");
        Path log = folder.resolve("mariadb.log");
        int installed = new ProcessBuilder(
                        installer,
                        "--no-defaults",
                        "--datadir=" + data,
                        "--tmpdir=" + temporary,
                        "--user=" + user,
                        "--auth-root-authentication-method=normal",
                        "--skip-test-db")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (installed != 0) {
            throw new IOException(Files.readString(log));
        }
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        List<String> command = new ArrayList<>(List.of(
                server,
                "--no-defaults",
                "--datadir=" + data,
                "--tmpdir=" + temporary,
                "--user=" + user,
                "--socket=" + data.resolve("s"),
                "--pid-file=" + data.resolve("pid"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--log-bin=log",
                "--server-id=1",
                "--innodb-buffer-pool-size=32M",
                "--innodb-flush-log-at-trx-commit=0",
                "--skip-name-resolve"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        TestMariaDb started = new TestMariaDb(process, port);
        long end = System.currentTimeMillis() + START_MILLIS;
        while (true) {
            try (Connection connection =
                            DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/mysql?user=root");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE shop CHARACTER SET utf8mb4");
                statement.execute("CREATE USER tester@'127.0.0.1' IDENTIFIED BY 'p@ss word'");
                statement.execute("GRANT ALL ON *.* TO tester@'127.0.0.1' WITH GRANT OPTION");
                return started;
            } catch (SQLException notYet) {
                if (!process.isAlive() || System.currentTimeMillis() > end) {
                    started.close();
                    throw new IOException(notYet.getMessage() + "\n" + Files.readString(log));
                }
                Thread.sleep(100);
            }
        }
    }

    private static String program(String name) {
        for (String folder : (System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin").split(":")) {
            Path file = Path.of(folder, name);
            if (Files.isExecutable(file)) {
                return file.toString();
            }
        }
        return null;
    }

    String url() {
        return "mysql://tester:p%40ss%20word@127.0.0.1:" + port + "/shop";
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/shop", USER, PASSWORD);
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
