package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What clients see of tables' keys is what they see in PostgreSQL.
class KeysTest {
    private static final String OURS = "('nations', 'people', 'visits', 'indexed')";

    private static List<String> rows(ResultSet result, String... columns) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> values = new ArrayList<>();
            for (String column : columns) {
                values.add(result.getString(column));
            }
            rows.add(String.join("|", values));
        }
        return rows;
    }

    private static List<String> ofDriver(Connection connection) throws SQLException {
        List<String> rows = new ArrayList<>();
        DatabaseMetaData metadata = connection.getMetaData();
        for (String table : List.of("nations", "people", "visits", "indexed", "parts")) {
            rows.addAll(rows(
                    metadata.getPrimaryKeys(null, "keyed", table),
                    "TABLE_SCHEM",
                    "TABLE_NAME",
                    "COLUMN_NAME",
                    "KEY_SEQ",
                    "PK_NAME"));
            rows.addAll(rows(
                    metadata.getIndexInfo(null, "keyed", table, true, true),
                    "TABLE_NAME",
                    "NON_UNIQUE",
                    "INDEX_NAME",
                    "TYPE",
                    "ORDINAL_POSITION",
                    "COLUMN_NAME",
                    "ASC_OR_DESC",
                    "FILTER_CONDITION"));
            rows.addAll(rows(
                    metadata.getBestRowIdentifier(null, "keyed", table, DatabaseMetaData.bestRowSession, true),
                    "COLUMN_NAME",
                    "TYPE_NAME"));
        }
        return rows;
    }

    @Test
    void driversSeeThem() throws SQLException {
        try (Connection quarrel = QuarrelServer.shared(Configuration.ALL.get(1)).connect();
                Connection postgres = PostgresOracle.shared().connect()) {
            List<String> found = ofDriver(quarrel);
            assertThat(found).contains("keyed|visits|person|1|visits_pkey", "keyed|visits|day|2|visits_pkey");
            assertThat(found).isEqualTo(ofDriver(postgres));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT constraint_schema, constraint_name, table_name, constraint_type, is_deferrable, initially_deferred,"
                        + " enforced, nulls_distinct FROM information_schema.table_constraints WHERE table_schema = 'keyed'"
                        + " AND table_name IN OURS AND constraint_type <> 'CHECK' ORDER BY 2",
                "SELECT constraint_name, table_name, column_name, ordinal_position, position_in_unique_constraint"
                        + " FROM information_schema.key_column_usage WHERE table_schema = 'keyed' AND table_name IN OURS ORDER BY 1, 4",
                "SELECT table_name, column_name, constraint_name FROM information_schema.constraint_column_usage"
                        + " WHERE table_schema = 'keyed' AND table_name IN OURS AND constraint_name NOT LIKE '%not_null' ORDER BY 1, 3, 2",
                "SELECT conname, contype, condeferrable, convalidated, conenforced, conkey::text, conindid::regclass::text,"
                        + " connoinherit, pg_get_constraintdef(oid), pg_get_constraintdef(oid, true) FROM pg_constraint"
                        + " WHERE connamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'keyed') AND contype IN ('p', 'u') AND conrelid::regclass::text"
                        + " IN ('keyed.people', 'keyed.visits', 'keyed.indexed') ORDER BY 1",
                "SELECT c.relname, c.relkind, c.relnatts, i.indisunique, i.indisprimary, i.indnullsnotdistinct, i.indimmediate,"
                        + " i.indisvalid, i.indnkeyatts, i.indkey::text, a.amname, pg_get_indexdef(c.oid), pg_get_indexdef(c.oid, 0, true),"
                        + " pg_get_indexdef(c.oid, 2, false), pg_get_expr(i.indpred, i.indrelid) FROM pg_index i JOIN pg_class c ON"
                        + " c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace"
                        + " JOIN pg_am a ON a.oid = c.relam WHERE n.nspname = 'keyed' AND t.relname IN ('people', 'visits', 'indexed')"
                        + " ORDER BY 1",
                "SELECT * FROM pg_indexes WHERE schemaname = 'keyed' AND tablename IN OURS ORDER BY 3",
                "SELECT relname, relhasindex FROM pg_class WHERE relname IN ('people', 'types', 'indexed') ORDER BY 1",
                "SELECT attname, attnum, atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'keyed.visits_pkey'::regclass ORDER BY 2",
                "SELECT k.conname, (k.keys).n, (k.keys).x, a.attname FROM (SELECT conname, conrelid,"
                        + " information_schema._pg_expandarray(conkey) AS keys FROM pg_constraint WHERE contype IN ('p', 'u')"
                        + " AND conname IN ('people_pkey', 'visits_pkey')) k JOIN pg_attribute a ON a.attrelid = k.conrelid"
                        + " AND a.attnum = (k.keys).x ORDER BY 1, 2"
            })
    void catalogsHaveThem(String sql) throws SQLException {
        String asked = sql.replace("OURS", OURS);
        assertThat(answer(QuarrelServer.shared(Configuration.ALL.get(1)).connect(), asked))
                .isEqualTo(answer(PostgresOracle.shared().connect(), asked))
                .isNotEmpty();
    }

    private static List<String> answer(Connection connection, String sql) throws SQLException {
        try (connection;
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    values.add(result.getString(column));
                }
                rows.add(String.join("|", values));
            }
            return rows;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\d keyed.nations",
                "\\d keyed.people",
                "\\d keyed.visits",
                "\\d keyed.indexed",
                "\\d keyed.visits_pkey",
                "\\di keyed.*ple*"
            })
    void psqlShowsThem(String command) throws IOException, InterruptedException {
        Tools.require("psql", "install postgresql-client");
        String ours = psql(QuarrelServer.shared(Configuration.ALL.get(1)).port(), "analyst", "quarrel", command);
        String theirs = psql(PostgresOracle.shared().port(), "postgres", "postgres", command);
        // Owners differ, and the columns' width with them.
        assertThat(ours.replace("quarrel", "owner").replaceAll("[ -]+", " "))
                .isEqualTo(theirs.replace("postgres", "owner").replaceAll("[ -]+", " "));
    }

    private static String psql(int port, String user, String database, String command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        "psql",
                        "-X",
                        "-h",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(port),
                        "-U",
                        user,
                        "-d",
                        database,
                        "-c",
                        command)
                .redirectErrorStream(true);
        builder.environment().put("PAGER", "cat");
        Process psql = builder.start();
        psql.getOutputStream().close();
        String printed = new String(psql.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(psql.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return printed;
    }
}
