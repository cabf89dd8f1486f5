package dev.quarrel.tests;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A Quarrel whose tables follow those of a PostgreSQL that is being written to, as far as queries ask for them.
final class RegressionCopy implements AutoCloseable {
    private static final String TIMEOUT = "10s";
    private static final int NO_ANSWER_SECONDS = 40;
    private static final List<String> SETTINGS = List.of(
            "TimeZone",
            "IntervalStyle",
            "extra_float_digits",
            "bytea_output",
            "DateStyle",
            "search_path",
            "standard_conforming_strings");
    private static final Map<String, String> UNKNOWN_SETTINGS =
            Map.of("array_nulls", "on", "transform_null_equals", "off", "xmloption", "content");

    private static final String COLLATED = " collated";

    private record Copied(int writes, String fingerprint) {}

    private final String url;
    private final Connection source;
    private final Path root;
    private final QuarrelServer server;
    private final Map<Long, Copied> copied = new HashMap<>();
    private final Map<String, String> settings = new HashMap<>();
    private Connection connection;
    private int writes;
    private String refusedSetting;

    /// @param source as which the tests' own statements run, and which may see more than others do
    RegressionCopy(String url, Connection source) throws SQLException {
        this.url = url;
        this.source = source;
        try {
            root = Files.createTempDirectory("quarrel-regress");
        } catch (IOException noFolder) {
            throw new UncheckedIOException(noFolder);
        }
        server = QuarrelServer.start(root, Configuration.ALL.get(1));
    }

    void noteWrite() {
        writes++;
    }

    /// Brings the tables up to date.
    ///
    /// @param isUncommitted whether others may not see the tables as the source does
    /// @return why that cannot be; null if it was done
    String follow(Collection<RegressionScope.Table> tables, boolean isUncommitted) throws SQLException {
        List<String> changed = new ArrayList<>();
        Map<Long, Copied> now = new HashMap<>();
        for (RegressionScope.Table table : tables) {
            Copied before = copied.get(table.oid());
            if (before != null && before.writes() == writes) {
                continue;
            }
            String fingerprint = fingerprint(table);
            if (fingerprint.endsWith(COLLATED)) {
                return "a collation of the operating system: " + table.name();
            }
            now.put(table.oid(), new Copied(writes, fingerprint));
            if (before == null || !before.fingerprint().equals(fingerprint)) {
                changed.add(table.name());
            }
        }
        if (!changed.isEmpty()) {
            if (isUncommitted) {
                return "not committed";
            }
            try {
                Exporter.run(ExportConfig.builder(PostgresSource.parse(url), root)
                        .tables(changed)
                        .workers(1)
                        .lockTimeout(Duration.ofSeconds(3))
                        .build());
            } catch (QueryException refused) {
                return "export: " + refused.getMessage();
            }
        }
        copied.putAll(now);
        return null;
    }

    private String fingerprint(RegressionScope.Table table) throws SQLException {
        String sql = """
                SELECT %2$d || ':' || (SELECT count(*) || ':' || coalesce(sum(hashtextextended(quarrel_row::text, 0)::numeric), 0)
                        FROM %1$s AS quarrel_row) || ':' ||
                       (SELECT string_agg(attname || ' ' || atttypid || ' ' || atttypmod || ' ' || coalesce(
                               (SELECT string_agg(enumlabel::text, ' ' ORDER BY enumsortorder) FROM pg_enum
                                WHERE enumtypid = atttypid), ''), ',' ORDER BY attnum)
                        FROM pg_attribute WHERE attrelid = %2$d AND attnum > 0 AND NOT attisdropped) ||
                       CASE WHEN EXISTS (SELECT FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation
                            WHERE a.attrelid = %2$d AND c.collprovider = 'c' AND c.collname NOT IN ('C', 'POSIX')) THEN '%3$s' ELSE '' END""".formatted(table.name(), table.oid(), COLLATED);
        try (Statement statement = source.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }

    /// Sets what shows values as the source's session shows them.
    ///
    /// @return why that cannot be; null if it was done
    String followSettings() throws SQLException {
        // Policies hide rows from other roles.
        boolean isOwner =
                SqlAnswer.of(source, "SELECT current_user = 'postgres'") instanceof SqlAnswer.Rows(var _, var answer)
                        && "t".equals(answer.getFirst().getFirst());
        if (!isOwner) {
            refusedSetting = "another role";
            return refusedSetting;
        }
        try (Statement statement = source.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name, setting FROM pg_settings WHERE name IN ('"
                        + String.join("', '", SETTINGS) + "', '" + String.join("', '", UNKNOWN_SETTINGS.keySet())
                        + "') ORDER BY name")) {
            while (rows.next()) {
                String name = rows.getString(1);
                String value = rows.getString(2);
                if (value.equals(settings.put(name, value))) {
                    continue;
                }
                if (UNKNOWN_SETTINGS.containsKey(name)) {
                    if (!value.equals(UNKNOWN_SETTINGS.get(name))) {
                        settings.remove(name);
                        refusedSetting = "setting " + name;
                        return refusedSetting;
                    }
                    continue;
                }
                String assigned = name.equals("search_path") ? value : "'" + value.replace("'", "''") + "'";
                SqlAnswer answer =
                        SqlAnswer.of(connection(), "SET " + name + " = " + (assigned.isEmpty() ? "''" : assigned));
                if (answer instanceof SqlAnswer.Failure failure) {
                    settings.remove(name);
                    refusedSetting = "setting " + name + ": " + failure.message();
                    return refusedSetting;
                }
            }
        }
        refusedSetting = null;
        return null;
    }

    String refusedSetting() {
        return refusedSetting;
    }

    SqlAnswer ask(String sql) throws SQLException {
        SqlAnswer answer = SqlAnswer.of(connection(), sql);
        if (connection.isClosed()) {
            connection = null;
        }
        return answer;
    }

    private Connection connection() throws SQLException {
        if (connection == null) {
            settings.clear();
            connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + server.port()
                    + "/quarrel?user=analyst&preferQueryMode=extended&socketTimeout=" + NO_ANSWER_SECONDS);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET statement_timeout = '" + TIMEOUT + "'");
            }
            followSettings();
        }
        return connection;
    }

    @Override
    public void close() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException _) {
            // The server stops anyway.
        }
        server.close();
        try (Stream<Path> files = Files.walk(root)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException left) {
            System.err.println(root + " is left: " + left.getMessage());
        }
    }
}
