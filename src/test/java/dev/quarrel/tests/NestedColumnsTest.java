package dev.quarrel.tests;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// pyarrow writes random structs, lists, maps and unions in random encodings, files and batches, and says which rows
/// statements about their fields and elements have.
class NestedColumnsTest {
    private static final String NULL = "\u2400";

    @TempDir
    private Path folder;

    /// What `python nested.py data 9 2 > questions.txt` wrote.
    @Test
    void fieldsAndElementsAreThoseOfTwoTables() throws Exception {
        try (ZipInputStream zip = new ZipInputStream(getClass().getResourceAsStream("/readers/nested.zip"))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
        ask(folder.resolve("data"), Files.readString(folder.resolve("questions.txt")));
    }

    @Tag("nightly")
    @Test
    void fieldsAndElementsAreThoseThatWereWritten() throws Exception {
        String python =
                PythonVenv.python("readers", List.of("pyarrow", "duckdb"), true).toString();
        Path script = Files.writeString(folder.resolve("nested.py"), PostgresOracle.resource("/readers/nested.py"));
        Path data = Files.createDirectory(folder.resolve("data"));
        long seed = Long.getLong("quarrel.seed", System.nanoTime() >>> 10);
        System.out.println("NestedColumnsTest: -Dquarrel.seed=" + seed);
        String count = Integer.toString(Integer.getInteger("count", 20));
        ask(data, PythonVenv.run(python, script.toString(), data.toString(), Long.toString(seed), count));
    }

    /// @param questions statements and their rows, as nested.py prints them
    private static void ask(Path data, String questions) throws Exception {
        SoftAssertions problems = new SoftAssertions();
        try (QuarrelServer quarrel = QuarrelServer.start(data, Configuration.ALL.get(1));
                Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + quarrel.port() + "/quarrel?user=analyst");
                Statement statement = connection.createStatement()) {
            for (String question : questions.substring(1).split("\nQ")) {
                List<String> lines = List.of(question.replaceFirst("\n$", "").split("\nR", -1));
                List<String> expected = new ArrayList<>(lines.subList(1, lines.size()));
                Collections.sort(expected);
                problems.assertThat(rows(statement, lines.getFirst()))
                        .as(lines.getFirst())
                        .isEqualTo(expected);
            }
        }
        problems.assertAll();
    }

    private static List<String> rows(Statement statement, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery(sql)) {
            int width = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> cells = new ArrayList<>();
                for (int column = 1; column <= width; column++) {
                    String cell = result.getString(column);
                    cells.add(cell == null ? NULL : cell);
                }
                rows.add(String.join("\u001f", cells));
            }
        }
        Collections.sort(rows);
        return rows;
    }
}
