package dev.quarrel.calcite.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A dataset as a schema of Calcite's JDBC driver.
final class QuarrelSchemaFactoryTest {
    private static final String OURS = "&lex=JAVA&unquotedCasing=TO_LOWER&quoting=DOUBLE_QUOTE&conformance=BABEL"
            + "&typeSystem=dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE";

    @TempDir
    private static Path folder;

    @BeforeAll
    static void writeDataset() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Schema schema = Schema.of(
                new Field("a", DataType.INT32, true),
                new Field("b", DataType.UTF8, true),
                new Field("d", DataType.DATE, true));
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter file = ArrowFileWriter.create(data.resolve("t.arrow"), schema, WriteOptions.PLAIN)) {
            List<ColumnWriter> writers = schema.fields().stream()
                    .map(field -> new ColumnWriter(field.type(), Allocator.of(arena)))
                    .toList();
            for (int row = 0; row < 10; row++) {
                writers.get(0).appendInt32(row == 9 ? Integer.MAX_VALUE : row);
                writers.get(1).appendUtf8(row % 2 == 0 ? "even" : "odd");
                writers.get(2).appendInt32(9000 + row);
            }
            file.append(Batch.view(schema, ColumnWriter.finishAll(writers), 10));
            file.finish();
        }
        Files.writeString(folder.resolve("model.json"), """
                {"version": "1.0", "defaultSchema": "data", "schemas": [{"name": "data", "type": "custom",
                  "factory": "dev.quarrel.calcite.jdbc.QuarrelSchemaFactory",
                  "operand": {"directory": "data", "threads": 2}}]}""");
    }

    private static Connection connect(String properties) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:calcite:model=" + folder.resolve("model.json") + properties.replace('&', ';'));
    }

    private static List<String> rows(String properties, String sql, Object... parameters) throws SQLException {
        try (Connection connection = connect(properties);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int index = 0; index < parameters.length; index++) {
                statement.setObject(index + 1, parameters[index]);
            }
            List<String> lines = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    List<String> cells = new ArrayList<>();
                    for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                        cells.add(String.valueOf(rows.getObject(column)));
                    }
                    lines.add(String.join("|", cells));
                }
            }
            return lines;
        }
    }

    @Test
    void answers() throws SQLException {
        assertThat(rows(OURS, "select b, count(*), max(d) from t where a > 2 group by b order by b"))
                .containsExactly("even|3|1994-08-31", "odd|4|1994-09-01");
        assertThat(rows(OURS, "select a from t where a < 3 order by a desc")).containsExactly("2", "1", "0");
    }

    @Test
    void takesParameters() throws SQLException {
        assertThat(rows(OURS, "select b from t where a = ?", 3)).containsExactly("odd");
    }

    @Test
    void averagesAsPostgreSqlDoes() throws SQLException {
        assertThat(rows(OURS, "select avg(a) from t where a < 3")).containsExactly("1.00000000000000000000");
    }

    @Test
    void refusesWhatIsTypedOtherwise() {
        assertThatThrownBy(() -> rows("&lex=JAVA", "select avg(a) from t"))
                .hasStackTraceContaining("which PostgreSQL types otherwise");
    }

    @Test
    void overflowIsAnError() {
        assertThatThrownBy(() -> rows(OURS, "select a + 1 from t")).hasStackTraceContaining("integer out of range");
    }

    @Test
    void otherStatementsTakeTheUsualWay() throws SQLException {
        assertThat(rows(OURS, "select x from (values (1), (2)) as v(x) order by x"))
                .containsExactly("1", "2");
    }

    @Test
    void aMissingDirectoryIsNamed() {
        assertThatThrownBy(() -> new QuarrelSchemaFactory().create(null, "s", java.util.Map.of()))
                .hasMessageContaining("directory");
    }

    /// Two engines in one statement: neither can run it, so Calcite does, over the scans of both.
    @Test
    void joinsWithAnotherSchema() throws Exception {
        Files.writeString(folder.resolve("two.json"), """
                {"version": "1.0", "defaultSchema": "data", "schemas": [
                  {"name": "data", "type": "custom", "factory": "dev.quarrel.calcite.jdbc.QuarrelSchemaFactory",
                    "operand": {"directory": "data"}},
                  {"name": "twin", "type": "custom", "factory": "dev.quarrel.calcite.jdbc.QuarrelSchemaFactory",
                    "operand": {"directory": "data"}}]}""");
        List<String> lines = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:calcite:model=" + folder.resolve("two.json") + OURS.replace('&', ';'));
                PreparedStatement statement = connection.prepareStatement("select o.a, w.b, w.d from t as o"
                        + " join twin.t as w on o.a = w.a where o.a > 5 and o.a < 9"
                        + " and o.a in (select a from twin.t where b = 'even') order by o.a");
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                lines.add(rows.getInt(1) + "|" + rows.getString(2) + "|" + rows.getDate(3));
            }
        }
        assertThat(lines).containsExactly("6|even|1994-08-29", "8|even|1994-08-31");
    }
}
