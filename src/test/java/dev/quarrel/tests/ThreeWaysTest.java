package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One statement by `quarrel sql`, by Calcite's JDBC driver with a model, and over the wire: the same rows.
class ThreeWaysTest {
    private static final String CALCITE_PROPERTIES = ";lex=JAVA;unquotedCasing=TO_LOWER;quoting=DOUBLE_QUOTE"
            + ";conformance=BABEL;typeSystem=dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select count(*) from orders",
                "select id, name, credit from customers where credit > 200 and id < 60 order by id",
                "select c.city, count(*), sum(o.amount) from orders o join customers c on o.customer_id = c.id"
                        + " where o.quantity between 3 and 30 group by c.city order by c.city",
                "select min(placed), max(placed), sum(quantity) from orders where note like 'note 1%'",
                "select id, amount * 2 from orders where amount is not null order by amount desc, id limit 7"
            })
    void theSameRows(String sql) throws Exception {
        List<String> wire = overTheWire(sql);
        assertThat(wire).isNotEmpty();
        assertThat(byCalcite(sql)).isEqualTo(wire);
        assertThat(byCommand(sql)).isEqualTo(wire);
    }

    private static List<String> overTheWire(String sql) throws Exception {
        try (Connection connection =
                QuarrelServer.shared(Configuration.ALL.get(1)).connect()) {
            return rows(connection, sql);
        }
    }

    private static List<String> byCalcite(String sql) throws Exception {
        Path model = Files.createTempFile("quarrel-model", ".json");
        Files.writeString(model, """
                {"version": "1.0", "defaultSchema": "data", "schemas": [{"name": "data", "type": "custom",
                  "factory": "dev.quarrel.calcite.jdbc.QuarrelSchemaFactory", "operand": {"directory": "%s"}}]}""".formatted(QuarrelServer.baseTables()));
        try (Connection connection = DriverManager.getConnection("jdbc:calcite:model=" + model + CALCITE_PROPERTIES)) {
            return rows(connection, sql);
        } finally {
            Files.delete(model);
        }
    }

    private static List<String> rows(Connection connection, String sql) throws Exception {
        List<String> lines = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    String value = rows.getString(column);
                    values.add(value == null ? "" : value);
                }
                lines.add(String.join(",", values));
            }
        }
        return lines;
    }

    private static List<String> byCommand(String sql) throws Exception {
        Process command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // it ends before the second compiler would pay
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.quarrel.cli.Main",
                        "sql",
                        "--data",
                        QuarrelServer.baseTables().toString(),
                        "--format",
                        "csv",
                        "-c",
                        sql)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        command.getOutputStream().close();
        List<String> lines = new String(command.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(command.waitFor()).isZero();
        return lines.subList(1, lines.size()); // without the header
    }
}
