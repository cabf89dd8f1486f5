package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// pyarrow writes random values in every encoding that it has, beside the same in a plain one: both are equal here, in
/// files and streams, whole and in slices, compressed or not.
@Tag("nightly")
class EncodingsTest {
    @TempDir
    private Path folder;

    @Test
    void everyEncodingHasTheValuesOfAPlainOne() throws Exception {
        String python =
                PythonVenv.python("readers", List.of("pyarrow", "duckdb"), true).toString();
        Path script =
                Files.writeString(folder.resolve("encodings.py"), PostgresOracle.resource("/readers/encodings.py"));
        Path data = Files.createDirectory(folder.resolve("data"));
        long seed = Long.getLong("quarrel.seed", System.nanoTime() >>> 10);
        System.out.println("EncodingsTest: -Dquarrel.seed=" + seed);
        String columns = PythonVenv.run(python, script.toString(), data.toString(), Long.toString(seed));
        try (QuarrelServer quarrel = QuarrelServer.start(data, Configuration.ALL.get(1));
                Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + quarrel.port() + "/quarrel?user=analyst");
                Statement statement = connection.createStatement()) {
            for (String table : List.of("whole", "stream", "batches", "slice", "lz4", "zstd")) {
                for (String column : columns.strip().split(" ")) {
                    try (ResultSet rows = statement.executeQuery("SELECT count(*), count(" + column + ") FROM " + table
                            + " WHERE " + column + "::text IS DISTINCT FROM " + column + "_plain::text")) {
                        rows.next();
                        assertThat(rows.getLong(1)).as(table + "." + column).isZero();
                    }
                }
            }
        }
    }
}
