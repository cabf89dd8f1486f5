package dev.quarrel.export;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A hot standby of the tests' PostgreSQL: a copy of its folder that follows it.
record TestStandby(Path folder, Path control, int port) implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    static TestStandby start(Path folder) throws Exception {
        try (Connection primary = TestPostgres.connect();
                Statement statement = primary.createStatement()) {
            Path data = Path.of(single(statement, "SHOW data_directory"));
            String end = single(statement, "SELECT pg_current_wal_lsn()");
            single(statement, "SELECT pg_backup_start('standby', true)");
            copy(data, folder);
            Files.writeString(
                    folder.resolve("backup_label"), single(statement, "SELECT labelfile FROM pg_backup_stop(false)"));
            int port;
            try (ServerSocket socket = new ServerSocket(0)) {
                port = socket.getLocalPort();
            }
            Files.writeString(folder.resolve("standby.signal"), "");
            Files.writeString(
                    folder.resolve("postgresql.auto.conf"),
                    "\nprimary_conninfo = 'host=localhost port="
                            + TestPostgres.server().getPort() + " user=postgres'\nport = " + port
                            + "\nfsync = off\nmax_connections = 60\nunix_socket_directories = ''\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            TestStandby standby = new TestStandby(folder, controlProgram(), port);
            standby.run("-w", "-t", Integer.toString(PATIENCE_SECONDS), "-l", folder + ".log", "start");
            standby.await(end);
            return standby;
        }
    }

    private static String single(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /// Where the tests' PostgreSQL was unpacked to.
    private static Path controlProgram() throws IOException {
        try (Stream<Path> paths = Files.walk(Path.of("target", "postgres").toAbsolutePath(), 4)) {
            return paths.filter(path -> path.endsWith("bin/pg_ctl")).findFirst().orElseThrow();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Path target = to.resolve(from.relativize(folder).toString());
                Files.createDirectories(target);
                target.toFile().setReadable(false, false);
                target.toFile().setReadable(true, true);
                target.toFile().setExecutable(false, false);
                target.toFile().setExecutable(true, true);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!file.getFileName().toString().startsWith("postmaster.")) {
                    try {
                        Files.copy(file, to.resolve(from.relativize(file).toString()));
                    } catch (NoSuchFileException _) {
                        // The server has removed it meanwhile, and says so in its log.
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // PostgreSQL does not run as root; in a namespace of its own it is not.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(control.toString(), "-D", folder.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        folder.resolveSibling(folder.getFileName() + ".out").toFile())
                .start();
        if (!process.waitFor(2L * PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException(
                    String.join(" ", command) + ": " + Files.readString(Path.of(folder + ".log")));
        }
    }

    /// Waits until it has what the primary had.
    private void await(String position) throws Exception {
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://localhost:" + port + "/postgres", "postgres", "");
                Statement statement = connection.createStatement()) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!"t".equals(single(statement, "SELECT pg_last_wal_replay_lsn() >= '" + position + "'::pg_lsn"))) {
                if (System.nanoTime() > end) {
                    throw new IllegalStateException("the standby does not follow");
                }
                Thread.sleep(50);
            }
        }
    }

    @Override
    public void close() {
        try {
            run("-m", "immediate", "stop");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
        }
    }
}
