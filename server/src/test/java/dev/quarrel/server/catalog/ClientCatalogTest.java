package dev.quarrel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.server.MemoryCatalog;
import dev.quarrel.server.Psql;
import dev.quarrel.server.Server;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What psql's backslash commands and pgjdbc's metadata show of a catalog: the clients' own queries, through the
/// planner.
final class ClientCatalogTest {
    private static Engine engine;
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        MemoryCatalog catalog = new MemoryCatalog()
                .with(
                        "public",
                        "lineorder",
                        List.of(
                                "lo_orderkey bigint not null",
                                "lo_custkey integer",
                                "lo_price numeric(12,2)",
                                "lo_shipmode character(10)",
                                "lo_comment character varying(18)"),
                        new String[] {"1", "7", "12.50", "AIR", "first"},
                        new String[] {"2", null, null, null, null})
                .with("public", "date", List.of("d_datekey integer not null", "d_date date"))
                .with("mart", "sales", List.of("id bigint", "at timestamp with time zone", "share double precision"));
        engine = LocalEngine.open(catalog, SystemCatalog.install(EngineConfig.defaults(), List.of("ann")));
        server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.stop();
        }
        if (engine != null) {
            engine.close();
        }
    }

    private static String psql(String... commands) throws Exception {
        assumeTrue(Psql.isInstalled(), "psql is not installed");
        return Psql.run(server, commands);
    }

    @Test
    void psqlListsTables() throws Exception {
        assertThat(psql("-c", "\\d")).isEqualTo("""
                                  List of relations
                         Schema |   Name    | Type  |  Owner \s
                        --------+-----------+-------+---------
                         public | date      | table | quarrel
                         public | lineorder | table | quarrel
                        (2 rows)

                        """);
        assertThat(psql("-At", "-c", "\\dt")).isEqualTo("public|date|table|quarrel\npublic|lineorder|table|quarrel\n");
        assertThat(psql("-At", "-c", "\\dt mart.*")).isEqualTo("mart|sales|table|quarrel\n");
        assertThat(psql("-At", "-c", "\\dt *.s*ales")).isEqualTo("mart|sales|table|quarrel\n");
        assertThat(psql("-At", "-c", "\\d+"))
                .isEqualTo(
                        "public|date|table|quarrel|permanent|heap|0 bytes|\npublic|lineorder|table|quarrel|permanent|heap|0 bytes|\n");
    }

    @Test
    void psqlDescribesATable() throws Exception {
        assertThat(psql("-c", "\\d lineorder")).isEqualTo("""
                                               Table "public.lineorder"
                           Column    |         Type          | Collation | Nullable | Default\s
                        -------------+-----------------------+-----------+----------+---------
                         lo_orderkey | bigint                |           | not null |\s
                         lo_custkey  | integer               |           |          |\s
                         lo_price    | numeric(12,2)         |           |          |\s
                         lo_shipmode | character(10)         |           |          |\s
                         lo_comment  | character varying(18) |           |          |\s

                        """);
        assertThat(psql("-c", "\\d nosuch")).isEqualTo("Did not find any relation named \"nosuch\".\n");
        assertThat(psql("-At", "-c", "\\d \"date\"")).isEqualTo("d_datekey|integer||not null|\nd_date|date|||\n");
        assertThat(psql("-At", "-c", "\\d mart.sales"))
                .isEqualTo("id|bigint|||\nat|timestamp with time zone|||\nshare|double precision|||\n");
    }

    @Test
    void psqlListsDatabasesSchemasAndRoles() throws Exception {
        assertThat(psql("-At", "-c", "\\l")).isEqualTo("quarrel|quarrel|UTF8|C|C||libc|\n");
        assertThat(psql("-At", "-c", "\\dn")).isEqualTo("mart|quarrel\npublic|quarrel\n");
        assertThat(psql("-At", "-c", "\\du")).isEqualTo("ann||{}\nquarrel||{}\n");
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel", "ann", "");
    }

    private interface Question {
        ResultSet ask(DatabaseMetaData metadata) throws SQLException;
    }

    private static List<String> answers(Question question, String... columns) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = connect();
                ResultSet result = question.ask(connection.getMetaData())) {
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (String column : columns) {
                    values.add(result.getString(column));
                }
                rows.add(String.join("|", values));
            }
        }
        return rows;
    }

    @Test
    void pgjdbcListsTables() throws Exception {
        assertThat(answers(
                        metadata -> metadata.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"}),
                        "TABLE_SCHEM",
                        "TABLE_NAME",
                        "TABLE_TYPE"))
                .containsExactly("public|date|TABLE", "public|lineorder|TABLE");
        assertThat(answers(metadata -> metadata.getTables(null, null, "%", null), "TABLE_NAME"))
                .contains("lineorder", "sales", "pg_class");
    }

    @Test
    void pgjdbcListsColumns() throws Exception {
        assertThat(answers(
                        metadata -> metadata.getColumns(null, "public", "lineorder", "%"),
                        "COLUMN_NAME",
                        "TYPE_NAME",
                        "COLUMN_SIZE",
                        "DECIMAL_DIGITS",
                        "NULLABLE",
                        "ORDINAL_POSITION"))
                .containsExactly(
                        "lo_orderkey|int8|19|0|0|1",
                        "lo_custkey|int4|10|0|1|2",
                        "lo_price|numeric|12|2|1|3",
                        "lo_shipmode|bpchar|10|0|1|4",
                        "lo_comment|varchar|18|0|1|5");
        assertThat(answers(metadata -> metadata.getColumns(null, null, "date", null), "COLUMN_NAME"))
                .containsExactly("d_datekey", "d_date");
    }

    @Test
    void pgjdbcListsSchemasAndCatalogs() throws Exception {
        assertThat(answers(DatabaseMetaData::getSchemas, "TABLE_SCHEM"))
                .containsExactly("information_schema", "mart", "pg_catalog", "public");
        assertThat(answers(DatabaseMetaData::getCatalogs, "TABLE_CAT")).containsExactly("quarrel");
    }

    @Test
    void pgjdbcListsTypes() throws Exception {
        assertThat(answers(DatabaseMetaData::getTypeInfo, "TYPE_NAME")).contains("int4", "numeric", "text", "_int4");
    }

    @Test
    void pgjdbcSeesTypesOfResults() throws Exception {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(
                        "select lo_price, lo_shipmode, lo_orderkey from lineorder where lo_orderkey = ?")) {
            statement.setLong(1, 1);
            try (ResultSet rows = statement.executeQuery()) {
                ResultSetMetaData metadata = rows.getMetaData();
                assertThat(metadata.getColumnTypeName(1)).isEqualTo("numeric");
                assertThat(metadata.getPrecision(1)).isEqualTo(12);
                assertThat(metadata.getScale(1)).isEqualTo(2);
                assertThat(metadata.getColumnTypeName(2)).isEqualTo("bpchar");
                assertThat(rows.next()).isTrue();
                assertThat(rows.getBigDecimal(1)).isEqualByComparingTo("12.50");
                assertThat(rows.getString(2)).isEqualTo("AIR       ");
                assertThat(rows.next()).isFalse();
            }
        }
    }
}
