package dev.quarrel.tests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.postgresql.PGConnection;

/// A benchmark's tables in the oracle, in a schema of their own, and exported from there; and its queries.
///
/// They come from a folder that holds `schema.sql`, in PostgreSQL's words, a `TABLE.csv` for each table, and
/// `queries/NAME.sql`; `queries/NAME.postgresql.sql` goes before it where PostgreSQL needs other words.
final class SuiteData {
    private static final String CSV = ".csv";
    private static final String SQL = ".sql";

    /// A statement without end fails.
    private static final String LONGEST = "1min";

    private final Path folder;
    private final String name;
    private final Path root;
    private final Map<String, QuarrelServer> servers = new ConcurrentHashMap<>();

    private SuiteData(Path folder, String name, Path root) {
        this.folder = folder;
        this.name = name;
        this.root = root;
    }

    /// Fills the tables, which takes some seconds.
    static SuiteData load(Path folder) {
        String name = folder.getFileName().toString();
        List<String> tables = new ArrayList<>();
        PostgresOracle.shared().run("CREATE SCHEMA " + name);
        try (Connection connection = inSchema(PostgresOracle.shared().connect(), name);
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(folder.resolve("schema.sql")));
            for (Path file : files(folder, CSV)) {
                String table = stem(file, CSV);
                tables.add(name + "." + table);
                try (InputStream rows = Files.newInputStream(file)) {
                    connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyIn("COPY " + table + " FROM STDIN (FORMAT csv)", rows);
                }
            }
            Path indexes = folder.resolve("indexes.sql");
            if (Files.exists(indexes)) {
                statement.execute(Files.readString(indexes));
            }
            statement.execute("ANALYZE");
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return new SuiteData(
                folder, name, QuarrelServer.export(PostgresOracle.shared(), 1, tables.toArray(String[]::new)));
    }

    String name() {
        return name;
    }

    /// @return texts by name, in the order of names
    static Map<String, String> queries(Path folder) {
        Map<String, String> texts = new TreeMap<>();
        for (Path file : files(folder.resolve("queries"), SQL)) {
            String stem = stem(file, SQL);
            if (!stem.contains(".")) {
                Path own = file.resolveSibling(stem + ".postgresql" + SQL);
                try {
                    texts.put(stem, Files.readString(Files.exists(own) ? own : file));
                } catch (IOException unreadable) {
                    throw new UncheckedIOException(unreadable);
                }
            }
        }
        return texts;
    }

    Path folder() {
        return folder;
    }

    /// PostgreSQL takes nested loops for small tables, and some of these queries minutes by them.
    Connection postgres() throws SQLException {
        Connection connection = inSchema(PostgresOracle.shared().connect(), name);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET enable_nestloop = off");
        }
        return connection;
    }

    Connection quarrel(Configuration configuration) throws SQLException {
        return inSchema(
                servers.computeIfAbsent(configuration.name(), _ -> QuarrelServer.start(root, configuration))
                        .connect(),
                name);
    }

    private static Connection inSchema(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = " + schema);
            statement.execute("SET statement_timeout = '" + LONGEST + "'");
        }
        return connection;
    }

    private static List<Path> files(Path folder, String suffix) {
        try (Stream<Path> found = Files.list(folder)) {
            return found.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String stem(Path file, String suffix) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - suffix.length());
    }
}
