package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Exported files as pyarrow, DuckDB and our server read them: every value of every type equals PostgreSQL's text.
///
/// Python is `-Dquarrel.python`, or `target/readers/bin/python`, which the nightly run makes from PyPI. Without either
/// the test is skipped.
class ReadersTest {
    private static final List<String> PACKAGES = List.of("pyarrow", "duckdb");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private static Map<String, TypeSamples.Sample> samples;

    @BeforeAll
    static void types() {
        samples = new LinkedHashMap<>(TypeSamples.own());
        samples.putAll(TypeSamples.others());
    }

    @Test
    void aSampleReadsAlikeEverywhere() throws Exception {
        compare("reader_sample", python(false), 20, 1, 0);
    }

    @Test
    @Tag("nightly")
    void manyRowsReadAlikeEverywhere() throws Exception {
        Path python = python(true);
        compare("reader_rows", python, 20_000, 3, 0);
        compare("reader_rows_zstd", python, 5_000, 2, 3);
    }

    private void compare(String table, Path python, int randomRows, int workers, int zstdLevel) throws Exception {
        PostgresOracle oracle = PostgresOracle.shared();
        TypeSamples.fill(oracle, table, samples, randomRows);
        oracle.run("ANALYZE " + table);
        Path file = folder.resolve(table).resolve(table + ".arrow");
        Exporter.run(ExportConfig.builder(PostgresSource.parse(oracle.url()), file)
                .tables(table)
                .workers(workers)
                .zstdLevel(zstdLevel)
                .build());
        Map<String, List<String>> expected;
        try (Connection connection = DriverManager.getConnection(
                oracle.url() + (oracle.url().contains("?") ? "&" : "?") + "preferQueryMode=simple")) {
            expected = texts(connection, table);
        }
        Path json = Files.writeString(folder.resolve(table + ".json"), JSON.writeValueAsString(expected));
        Path script = Files.writeString(folder.resolve("compare.py"), PostgresOracle.resource("/readers/compare.py"));
        String output = PythonVenv.run(python.toString(), script.toString(), file.toString(), json.toString());
        System.out.println(output.strip());
        int columns = samples.size();
        assertThat(output)
                .contains("pyarrow: " + columns + " of " + columns + " columns equal")
                .contains("duckdb: " + columns + " of " + columns + " columns equal");
        try (QuarrelServer quarrel = QuarrelServer.start(file.getParent(), Configuration.ALL.get(1));
                Connection connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + quarrel.port()
                        + "/quarrel?user=analyst&preferQueryMode=simple")) {
            Map<String, List<String>> found = texts(connection, table);
            expected.forEach(
                    (column, values) -> assertThat(found.get(column)).as(column).isEqualTo(values));
        }
    }

    private static Map<String, List<String>> texts(Connection connection, String table) throws SQLException {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TIME ZONE 'UTC'");
            for (String column : samples.keySet()) {
                List<String> values = new ArrayList<>();
                try (ResultSet rows =
                        statement.executeQuery("SELECT \"" + column + "\" FROM " + table + " ORDER BY id")) {
                    while (rows.next()) {
                        values.add(rows.getString(1));
                    }
                }
                columns.put(column, values);
            }
        }
        return columns;
    }

    /// - Errors: [TestAbortedException] without a Python that has the packages.
    private static Path python(boolean mayInstall) throws IOException, InterruptedException {
        return PythonVenv.python("readers", PACKAGES, mayInstall);
    }
}
