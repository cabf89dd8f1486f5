package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.xml.transform.dom.DOMSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGStatement;

/// What an application does through pgjdbc, beside plain statements.
class ClientTest {
    private Connection quarrel;
    private Connection oracle;

    @BeforeEach
    void connect() {
        quarrel = QuarrelServer.shared(Configuration.ALL.get(1)).connect();
        oracle = PostgresOracle.shared().connect();
    }

    @AfterEach
    void disconnect() throws SQLException {
        quarrel.close();
        oracle.close();
    }

    @Test
    void metadataListsTablesAsPostgresqlDoes() throws SQLException {
        assertThat(tables(quarrel, "public")).isEqualTo(tables(oracle, "public"));
        assertThat(tables(quarrel, "other")).isEqualTo(tables(oracle, "other"));
    }

    private static List<String> tables(Connection connection, String schema) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet rows = connection.getMetaData().getTables(null, schema, "%", new String[] {"TABLE"})) {
            while (rows.next()) {
                tables.add(rows.getString("TABLE_SCHEM") + "." + rows.getString("TABLE_NAME") + " "
                        + rows.getString("TABLE_TYPE"));
            }
        }
        return tables;
    }

    @Test
    void metadataListsColumnsAsPostgresqlDoes() throws SQLException {
        for (String table : List.of("types", "scalars", "orders", "Mixed Case", "date")) {
            assertThat(columns(quarrel.getMetaData(), table)).isEqualTo(columns(oracle.getMetaData(), table));
        }
    }

    private static List<String> columns(DatabaseMetaData meta, String table) throws SQLException {
        List<String> columns = new ArrayList<>();
        try (ResultSet rows = meta.getColumns(null, "public", table, "%")) {
            while (rows.next()) {
                columns.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME") + " "
                        + rows.getInt("DATA_TYPE")
                        + " size " + rows.getInt("COLUMN_SIZE") + " digits " + rows.getInt("DECIMAL_DIGITS") + " at "
                        + rows.getInt("ORDINAL_POSITION"));
            }
        }
        return columns;
    }

    @Test
    void parametersOfEveryTypeAgree() throws SQLException {
        String sql =
                "SELECT id, i4 + ?, n * ?, t || ?, d, f8 + ? FROM types WHERE d > ? AND id BETWEEN ? AND ? AND b = ? ORDER BY id";
        assertThat(withParameters(quarrel, sql)).isEqualTo(withParameters(oracle, sql));
    }

    private static SqlAnswer withParameters(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            SqlAnswer answer = null;
            for (int run = 0; run < 7; run++) {
                statement.setInt(1, run);
                statement.setBigDecimal(2, new java.math.BigDecimal("1.25"));
                statement.setString(3, "é");
                statement.setDouble(4, 0.5);
                statement.setDate(5, Date.valueOf("1993-01-01"));
                statement.setInt(6, 12);
                statement.setLong(7, 200);
                statement.setBoolean(8, true);
                try (ResultSet rows = statement.executeQuery()) {
                    answer = SqlAnswer.read(rows);
                }
            }
            return answer;
        }
    }

    @Test
    void uuidsAndBytesAgreeInBothFormats() throws SQLException {
        assertThat(uuidsAndBytes(quarrel)).isEqualTo(uuidsAndBytes(oracle));
    }

    /// The driver asks for binary results from the fifth run on.
    private static List<String> uuidsAndBytes(Connection connection) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT u, b, b || ?, u = ? FROM scalars WHERE u >= ? AND code > ? ORDER BY id LIMIT 40")) {
            for (int run = 0; run < 7; run++) {
                statement.setBytes(1, new byte[] {0, -1, (byte) run});
                statement.setObject(2, UUID.fromString("c9f0f895-fb98-ab91-59f5-1fd0297e236d"));
                statement.setObject(3, new UUID(0x1000_0000_0000_0000L * run, -1));
                statement.setBytes(4, new byte[] {0});
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        lines.add(rows.getObject(1, UUID.class) + " " + Arrays.toString(rows.getBytes(2)) + " "
                                + Arrays.toString(rows.getBytes(3)) + " " + rows.getObject(4));
                    }
                }
            }
        }
        return lines;
    }

    /// What drivers do that look into their own prepared statements.
    @Test
    void explainOfWhatParseHasPreparedAgrees() throws Exception {
        for (Connection connection : List.of(quarrel, oracle)) {
            try (PreparedStatement query = connection.prepareStatement("SELECT id FROM orders WHERE id = ?");
                    PreparedStatement utility = connection.prepareStatement("SHOW timezone")) {
                assertThat(planOf(connection, query, "JSON", "(NULL)"))
                        .startsWith("[\n  {\n    \"Plan\": {\n      \"Node Type\": ")
                        .contains("\"Output\": [\"");
                assertThat(planOf(connection, utility, "JSON", "")).isEqualTo("[\n  \"Utility Statement\"\n]");
                assertThat(planOf(connection, utility, "YAML", "")).isEqualTo("- \"Utility Statement\"");
                assertThat(planOf(connection, utility, "TEXT", ""))
                        .isEqualTo("Utility statements have no plan structure");
                String xml = "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n";
                assertThat(planOf(connection, utility, "XML", ""))
                        .isEqualTo(xml + "  <Utility-Statement />\n</explain>");
            }
            try (PreparedStatement explain =
                    connection.prepareStatement("EXPLAIN (FORMAT XML) SELECT '<' WHERE 1 = ?")) {
                explain.setInt(1, 1);
                try (ResultSet rows = explain.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getSQLXML(1)
                                    .getSource(DOMSource.class)
                                    .getNode()
                                    .getFirstChild()
                                    .getNodeName())
                            .isEqualTo("explain");
                }
            }
        }
    }

    private static String planOf(Connection connection, PreparedStatement statement, String format, String arguments)
            throws SQLException {
        statement.unwrap(PGStatement.class).setPrepareThreshold(1);
        if (!arguments.isEmpty()) {
            statement.setInt(1, 1);
        }
        statement.executeQuery().close();
        try (Statement other = connection.createStatement()) {
            String name;
            try (ResultSet rows = other.executeQuery("SELECT name FROM pg_prepared_statements WHERE statement LIKE '"
                    + (arguments.isEmpty() ? "SHOW%" : "SELECT id%") + "'")) {
                assertThat(rows.next()).isTrue();
                name = rows.getString(1);
            }
            try (ResultSet rows = other.executeQuery(
                    "EXPLAIN (VERBOSE, FORMAT " + format + ") EXECUTE \"" + name + "\"" + arguments)) {
                assertThat(rows.next()).isTrue();
                return rows.getString(1);
            }
        }
    }

    @Test
    void fetchSizePullsARowWindowAtATime() throws SQLException {
        quarrel.setAutoCommit(false);
        try (PreparedStatement statement = quarrel.prepareStatement("SELECT id FROM orders ORDER BY id")) {
            statement.setFetchSize(33);
            try (ResultSet rows = statement.executeQuery()) {
                for (long id = 1; id <= 7000; id++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getLong(1)).isEqualTo(id);
                }
                assertThat(rows.next()).isFalse();
            }
        }
        quarrel.rollback();
    }

    @Test
    void aCancelRequestStopsAQuery() throws Exception {
        // 7,000³ pairs: hours of work.
        String sql = "SELECT count(*) FROM orders a JOIN orders b ON a.note = b.note JOIN orders c ON b.note = c.note"
                + " JOIN orders d ON c.note = d.note WHERE a.id + b.id + c.id + d.id < 0";
        try (Statement statement = quarrel.createStatement();
                var executor = Executors.newSingleThreadExecutor()) {
            CountDownLatch started = new CountDownLatch(1);
            Future<SQLException> failure = executor.submit(() -> {
                started.countDown();
                return catchThrowableOfType(SQLException.class, () -> statement.execute(sql));
            });
            started.await();
            Thread.sleep(300);
            statement.cancel();
            assertThat(failure.get(10, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
        }
        assertThat(SqlAnswer.of(quarrel, "SELECT 1")).isInstanceOf(SqlAnswer.Rows.class);
    }

    @Test
    void aStatementTimeoutStopsAQuery() throws SQLException {
        try (Statement statement = quarrel.createStatement()) {
            statement.execute("SET statement_timeout = '200ms'");
            SQLException failure = catchThrowableOfType(
                    SQLException.class,
                    () -> statement.execute(
                            "SELECT count(*) FROM orders a JOIN orders b ON a.note = b.note"
                                    + " JOIN orders c ON b.note = c.note JOIN orders d ON c.note = d.note WHERE a.id + b.id + c.id + d.id < 0"));
            assertThat(failure.getSQLState()).isEqualTo("57014");
        }
    }

    @Test
    void manyClientsAtOnceGetTheirOwnAnswers() throws Exception {
        String sql = "SELECT city, count(*), sum(amount) FROM orders JOIN customers ON customer_id = customers.id"
                + " WHERE orders.id > ? GROUP BY city ORDER BY city";
        List<Future<List<String>>> answers = new ArrayList<>();
        try (var executor = Executors.newFixedThreadPool(8)) {
            for (int client = 0; client < 8; client++) {
                int bound = client * 500;
                answers.add(executor.submit(() -> {
                    List<String> lines = new ArrayList<>();
                    try (Connection own = QuarrelServer.shared(Configuration.ALL.get(1))
                                    .connect();
                            PreparedStatement statement = own.prepareStatement(sql)) {
                        for (int run = 0; run < 10; run++) {
                            statement.setLong(1, bound);
                            try (ResultSet rows = statement.executeQuery()) {
                                lines = SqlAnswer.read(rows).lines(false);
                            }
                        }
                    }
                    return lines;
                }));
            }
            for (int client = 0; client < 8; client++) {
                SqlAnswer right = SqlAnswer.of(oracle, sql.replace("?", Integer.toString(client * 500)));
                assertThat(answers.get(client).get(60, TimeUnit.SECONDS))
                        .isEqualTo(((SqlAnswer.Rows) right).lines(false));
            }
        }
    }
}
