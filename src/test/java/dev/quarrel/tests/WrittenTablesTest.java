package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/// Tables and views made by SQL, and rows that clients send: as on PostgreSQL, and all of them or none.
class WrittenTablesTest {
    private static final Path SCRIPTS = Path.of("resources/transcripts/written");

    @TempDir
    private Path root;

    private Engine engine;
    private Server server;

    @BeforeEach
    void start() throws IOException {
        EngineConfig config = SystemCatalog.install(
                EngineConfig.defaults().withThreads(2).withWrites(new WriteAccess(true, List.of())), List.of());
        engine = LocalEngine.open(DatasetCatalog.open(root), config);
        server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0));
    }

    @AfterEach
    void stop() {
        server.stop();
        engine.close();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:"
                + server.address().getPort() + "/quarrel?user=analyst&preferQueryMode=extended");
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String answer(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> lines = new ArrayList<>();
            while (rows.next()) {
                List<String> cells = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    cells.add(rows.getString(column));
                }
                lines.add(String.join("|", cells));
            }
            return String.join("\n", lines);
        }
    }

    /// The scripts print the same on PostgreSQL, but for the place of an error and rows that fail.
    @TestFactory
    Stream<DynamicTest> psqlPrintsWhatItPrintsOnPostgres() throws IOException {
        try (Stream<Path> found = Files.list(SCRIPTS)) {
            return found.sorted().toList().stream()
                    .map(script -> DynamicTest.dynamicTest(script.getFileName().toString(), () -> compare(script)));
        }
    }

    private void compare(Path script) throws IOException, InterruptedException {
        Tools.require("psql", "install postgresql-client");
        String database = "written_" + script.getFileName().toString().replace(".sql", "") + System.nanoTime();
        PostgresOracle.shared().run("create database " + database);
        String printed = printed(server.address().getPort(), "analyst", "quarrel", script);
        assertThat(printed).isEqualTo(printed(PostgresOracle.shared().port(), "postgres", database, script));
    }

    private static String printed(int port, String user, String database, Path script)
            throws IOException, InterruptedException {
        return PsqlTranscriptTest.run(port, user, database, script)
                .replaceAll("(?m)^LOCATION: .*\n", "")
                .replaceAll("(?m)^LINE \\d+: .*\n\\s*\\^\n", "")
                .replaceAll("(?m)^DETAIL:  Failing row.*\n", "")
                .replaceAll("(?m)^(SCHEMA|TABLE|COLUMN) NAME:  .*\n", "")
                .replaceAll("(?m)^DETAIL:  drop cascades to .*\n(drop cascades to .*\n)*", "");
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void pgjdbcCopiesInAllFormats() throws SQLException, IOException {
        try (Connection connection = connect();
                Connection oracle = PostgresOracle.shared().connect()) {
            String columns = "a int, b text, c numeric(10,2), d timestamptz, e float8, f date, g bool, h uuid, i bytea,"
                    + " j interval, k int[], l varchar(4), m char(3), n smallint, o bigint, p real, q numeric, r jsonb";
            String rows = "select i, 'text' || i, i * 1.25, timestamptz '2020-01-01 00:00+00' + i * interval '1 hour',"
                    + " i / 7.0::float8, date '2020-01-01' + i, i % 2 = 0, '00000000-0000-4000-8000-00000000000'||i % 10,"
                    + " decode('0' || i % 10, 'hex'), i * interval '1 day', array[i, null], 'v' || i % 10, 'c', i, i, i / 3::real,"
                    + " i / 3.0, '{\"a\": 1}' from generate_series(1, 500) i";
            run(oracle, "create temp table copied (" + columns + ")");
            run(
                    oracle,
                    "insert into copied "
                            + rows.replace(
                                            "'00000000-0000-4000-8000-00000000000'||i % 10",
                                            "('00000000-0000-4000-8000-00000000000'||i % 10)::uuid")
                                    .replace("'{\"a\": 1}'", "'{\"a\": 1}'::jsonb"));
            CopyManager from = oracle.unwrap(PGConnection.class).getCopyAPI();
            CopyManager to = connection.unwrap(PGConnection.class).getCopyAPI();
            for (String format : List.of("text", "csv", "binary")) {
                run(connection, "create table copied_" + format + " (" + columns + ")");
                ByteArrayOutputStream copy = new ByteArrayOutputStream();
                from.copyOut("copy copied to stdout (format " + format + ")", copy);
                long count = to.copyIn(
                        "copy copied_" + format + " from stdin (format " + format + ")",
                        new ByteArrayInputStream(copy.toByteArray()));
                assertThat(count).isEqualTo(500);
                assertThat(answer(connection, "select * from copied_" + format + " order by a"))
                        .isEqualTo(answer(oracle, "select * from copied order by a"));
            }
        }
    }

    @Test
    void insertsOfPreparedStatements() throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "create table p (id bigint not null, name text, at timestamp, amount numeric(12,2))");
            try (PreparedStatement insert = connection.prepareStatement("insert into p values (?, ?, ?, ?)")) {
                for (int row = 0; row < 20; row++) {
                    insert.setLong(1, row);
                    insert.setString(2, row % 3 == 0 ? null : "n" + row);
                    insert.setObject(3, java.time.LocalDateTime.of(2020, 1, 1, row, 0));
                    insert.setBigDecimal(4, java.math.BigDecimal.valueOf(row * 1000L + 5, 3));
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                }
                insert.setLong(1, 20);
                insert.setString(2, "batch");
                insert.setObject(3, null);
                insert.setBigDecimal(4, null);
                insert.addBatch();
                insert.setLong(1, 21);
                insert.addBatch();
                assertThat(insert.executeBatch()).containsExactly(1, 1);
            }
            assertThat(answer(connection, "select count(*), sum(amount), count(name), max(at) from p"))
                    .isEqualTo("22|190.20|15|2020-01-01 19:00:00");
            connection.setAutoCommit(false);
            run(connection, "insert into p values (100)");
            assertThat(answer(connection, "select count(*) from p")).isEqualTo("23");
            connection.rollback();
            assertThat(answer(connection, "select count(*) from p")).isEqualTo("22");
        }
    }

    /// What a driver sends before one Sync (of pgjdbc some 250 rows) is all there or not at all, and one run.
    @Test
    void aBatchIsOneTransaction() throws SQLException, IOException {
        try (Connection connection = connect()) {
            run(connection, "create table batch (i int, d numeric(4, 1))");
            try (PreparedStatement insert = connection.prepareStatement("insert into batch values (?, ?)")) {
                for (int row = 0; row < 200; row++) {
                    insert.setInt(1, row);
                    insert.setInt(2, row);
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(200).containsOnly(1);
                for (int row = 900; row < 1100; row++) {
                    insert.setInt(1, row);
                    insert.setInt(2, row); // 1000 has a digit too many
                    insert.addBatch();
                }
                assertThatThrownBy(insert::executeBatch).hasMessageContaining("numeric field overflow");
            }
            assertThat(answer(connection, "select count(*), max(d) from batch")).isEqualTo("200|199.0");
            try (Stream<Path> files = Files.list(root.resolve("batch"))) {
                assertThat(files).hasSize(2); // CREATE TABLE has made one
            }
        }
    }

    /// Each is a transaction of its own, which finds the row as the others before it have left it.
    @Test
    @Timeout(60)
    void updatesOfOneRowWaitForOneAnother() throws Exception {
        int sessions = 4;
        try (ExecutorService threads = Executors.newFixedThreadPool(sessions);
                Connection reader = connect()) {
            run(reader, "create table counter as select 0 as n");
            List<Future<Integer>> works = new ArrayList<>();
            for (int session = 0; session < sessions; session++) {
                works.add(threads.submit(() -> {
                    int changed = 0;
                    try (Connection connection = connect();
                            PreparedStatement add = connection.prepareStatement("update counter set n = n + ?")) {
                        for (int round = 0; round < 10; round++) {
                            add.setInt(1, 1);
                            changed += add.executeUpdate();
                        }
                    }
                    return changed;
                }));
            }
            for (Future<Integer> work : works) {
                assertThat(work.get()).isEqualTo(10);
            }
            assertThat(answer(reader, "select n from counter")).isEqualTo("40");
        }
    }

    /// Of rows with one key that several sessions insert at once, one is there, and the others are 23505.
    @Test
    @Timeout(120)
    void keysHoldForSessionsAtOnce() throws Exception {
        int sessions = 4;
        try (Connection reader = connect()) {
            run(reader, "create table keyed (id int primary key, s int)");
            List<Integer> made = atOnce(sessions, number -> {
                int count = 0;
                try (Connection connection = connect()) {
                    for (int id = 0; id < 20; id++) {
                        try {
                            run(connection, "insert into keyed values (" + id + ", " + number + ")");
                            count++;
                        } catch (SQLException taken) {
                            assertThat(taken.getSQLState()).isEqualTo("23505");
                            assertThat(taken.getMessage()).contains("Key (id)=(" + id + ") already exists.");
                        }
                    }
                }
                return count;
            });
            assertThat(made.stream().mapToInt(each -> each).sum()).isEqualTo(20);
            assertThat(answer(reader, "select count(*), count(distinct id) from keyed"))
                    .isEqualTo("20|20");
        }
    }

    /// The second of two transactions that add one key fails at its COMMIT, and leaves nothing.
    @Test
    void keysHoldForTransactionsThatCommitAtOnce() throws SQLException {
        try (Connection first = connect();
                Connection second = connect()) {
            run(first, "create table keyed (id int primary key, s text unique)");
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            run(first, "insert into keyed values (1, 'a')");
            run(second, "insert into keyed values (2, 'a')");
            run(second, "insert into keyed values (3, 'c')");
            first.commit();
            assertThatThrownBy(second::commit)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("duplicate key value violates unique constraint \"keyed_s_key\"")
                    .hasMessageContaining("Key (s)=(a) already exists.");
            assertThat(answer(first, "select * from keyed")).isEqualTo("1|a");
        }
    }

    @Test
    @Timeout(120)
    void countersGiveEachValueOnce() throws Exception {
        try (Connection reader = connect()) {
            run(reader, "create table counted (id bigserial primary key, s int)");
            List<Integer> made = atOnce(4, number -> {
                int count = 0;
                try (Connection connection = connect();
                        PreparedStatement insert = connection.prepareStatement(
                                "insert into counted (s) values (?), (?)", Statement.RETURN_GENERATED_KEYS)) {
                    for (int round = 0; round < 15; round++) {
                        connection.setAutoCommit(round % 3 > 0);
                        insert.setInt(1, number);
                        insert.setInt(2, number);
                        assertThat(insert.executeUpdate()).isEqualTo(2);
                        try (ResultSet keys = insert.getGeneratedKeys()) {
                            assertThat(keys.next()).isTrue();
                            long first = keys.getLong("id");
                            assertThat(keys.next()).isTrue();
                            assertThat(keys.getLong("id")).isGreaterThan(first);
                            count += 2;
                        }
                        if (round % 3 == 0) {
                            connection.commit();
                        }
                    }
                }
                return count;
            });
            assertThat(made).containsOnly(30);
            assertThat(answer(reader, "select count(*), count(distinct id), max(id) from counted"))
                    .isEqualTo("120|120|120");
        }
    }

    @Test
    @Timeout(120)
    void upsertsOfSessionsAddUp() throws Exception {
        try (Connection reader = connect()) {
            run(reader, "create table hits (page text primary key, n int not null default 0)");
            List<Integer> made = atOnce(4, number -> {
                int count = 0;
                try (Connection connection = connect();
                        PreparedStatement hit = connection.prepareStatement(
                                "insert into hits values (?, ?) on conflict (page) do update"
                                        + " set n = hits.n + excluded.n returning n")) {
                    for (int round = 0; round < 10; round++) {
                        hit.setString(1, "/" + round % 2);
                        hit.setInt(2, 1);
                        try (ResultSet rows = hit.executeQuery()) {
                            assertThat(rows.next()).isTrue();
                            count++;
                        }
                    }
                }
                return count;
            });
            assertThat(made).containsOnly(10);
            assertThat(answer(reader, "select page, n from hits order by 1")).isEqualTo("/0|20\n/1|20");
        }
    }

    private interface Session {
        int run(int number) throws Exception;
    }

    private static List<Integer> atOnce(int sessions, Session session) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(sessions)) {
            List<Future<Integer>> works = new ArrayList<>();
            for (int number = 0; number < sessions; number++) {
                int own = number;
                works.add(threads.submit(() -> session.run(own)));
            }
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> work : works) {
                results.add(work.get());
            }
            return results;
        }
    }

    @Test
    void defaultsKeysAndCountersSurviveARestart() throws Exception {
        try (Connection connection = connect()) {
            run(
                    connection,
                    "create table kept (id serial primary key, a int default 5, b text unique, t timestamptz default now())");
            run(connection, "insert into kept (b) values ('x'), ('y')");
            run(connection, "alter table kept add column c text default 'old' not null");
            run(connection, "create table other (id int generated always as identity)");
        }
        stop();
        start();
        try (Connection connection = connect()) {
            assertThat(answer(connection, "insert into kept (b) values ('z') returning id, a, b, c, t is null"))
                    .isEqualTo("3|5|z|old|f");
            assertThatThrownBy(() -> run(connection, "insert into kept (b) values ('x')"))
                    .hasMessageContaining("kept_b_key");
            assertThat(answer(connection, "insert into other default values returning *"))
                    .isEqualTo("1");
            assertThat(answer(connection, "select string_agg(c, ',' order by id) from kept"))
                    .isEqualTo("old,old,old");
        }
    }

    /// Many small files become one, whose rows are the same: no key is there twice for that.
    @Test
    void keysOutliveTheMergingOfFiles() throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "create table merged (id serial primary key, t text unique)");
            for (int row = 1; row <= 70; row++) {
                run(connection, "insert into merged (t) values ('t" + row + "')");
            }
            run(connection, "delete from merged where id % 3 = 0");
            run(connection, "update merged set t = t || 'x' where id % 3 = 1");
            assertThatThrownBy(() -> run(connection, "insert into merged values (1, 'a')"))
                    .hasMessageContaining("merged_pkey");
            assertThatThrownBy(() -> run(connection, "insert into merged (t) values ('t70x')"))
                    .hasMessageContaining("merged_t_key");
            run(connection, "insert into merged values (3, 't3')");
            assertThat(answer(connection, "select count(*), count(distinct id), count(distinct t) from merged"))
                    .isEqualTo("48|48|48");
        }
    }

    /// A description of what RETURNING gives comes before the statement runs, and parts of it by and by.
    @Test
    void driversReadWhatIsReturned() throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "create table d (id int generated always as identity, n numeric(5, 2) default 1, t text)");
            try (PreparedStatement insert = connection.prepareStatement(
                    "insert into d (t) select 'r' || g from generate_series(1, ?) g returning id, n as amount, t, id * 2")) {
                assertThat(insert.getMetaData().getColumnCount()).isEqualTo(4);
                assertThat(insert.getMetaData().getColumnTypeName(1)).isEqualTo("int4");
                assertThat(insert.getMetaData().getColumnName(2)).isEqualTo("amount");
                connection.setAutoCommit(false);
                insert.setFetchSize(100);
                insert.setInt(1, 1000);
                int count = 0;
                try (ResultSet rows = insert.executeQuery()) {
                    while (rows.next()) {
                        count++;
                        assertThat(rows.getInt(4)).isEqualTo(2 * rows.getInt(1));
                    }
                }
                assertThat(count).isEqualTo(1000);
                connection.commit();
            }
            try (PreparedStatement delete =
                    connection.prepareStatement("delete from d where id > ? returning t, n + ? as more")) {
                delete.setInt(1, 998);
                delete.setInt(2, 5);
                try (ResultSet rows = delete.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(2)).isEqualTo("6.00");
                }
            }
            connection.commit();
            assertThat(answer(connection, "select count(*) from d")).isEqualTo("998");
        }
    }

    @Test
    void clientsThatGiveUpOrVanishLeaveNothing() throws Exception {
        try (Connection connection = connect()) {
            run(connection, "create table v (a int, b text)");
            CopyIn given = connection.unwrap(PGConnection.class).getCopyAPI().copyIn("copy v from stdin");
            byte[] rows = "1\tx\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
            given.writeToCopy(rows, 0, rows.length);
            given.cancelCopy();
            assertThat(answer(connection, "select count(*) from v")).isEqualTo("0");
            assertThatThrownBy(() -> connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyIn("copy v from stdin", bytes("1\tx\n2\n")))
                    .hasMessageContaining("missing data for column \"b\"")
                    .hasMessageContaining("COPY v, line 2: \"2\"");
            Connection other = connect();
            CopyIn cut = other.unwrap(PGConnection.class).getCopyAPI().copyIn("copy v from stdin");
            cut.writeToCopy(rows, 0, rows.length);
            cut.flushCopy();
            other.abort(Runnable::run);
            awaitNothingStaged();
            assertThat(answer(connection, "select count(*) from v")).isEqualTo("0");
        }
    }

    private void awaitNothingStaged() throws Exception {
        Path staged = root.resolve("_staged");
        if (!Files.exists(staged)) {
            return; // it ended before it wrote anything
        }
        for (int tries = 0; ; tries++) {
            try (Stream<Path> left = Files.list(staged)) {
                if (left.findAny().isEmpty()) {
                    return;
                }
            }
            assertThat(tries).as("something stays in " + staged).isLessThan(100);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Test
    @Timeout(60)
    void aStatementThatIsCancelledLeavesNothing() throws Exception {
        try (Connection connection = connect()) {
            run(connection, "set statement_timeout = 300");
            assertThatThrownBy(() -> run(
                            connection,
                            "create table c as select i, md5(i::text) from generate_series(1, 1000000000) i"))
                    .hasMessageContaining("canceling statement due to statement timeout");
            run(connection, "set statement_timeout = 0");
            awaitNothingStaged();
            assertThatThrownBy(() -> answer(connection, "select * from c")).hasMessageContaining("does not exist");
            assertThat(root.resolve("c")).doesNotExist();
            run(connection, "create table c as select 1 as a");
            assertThat(answer(connection, "select * from c")).isEqualTo("1");
        }
    }

    /// Sessions that write at once wait for one another only at the end; of two tables of one name one is made.
    @Test
    @Timeout(60)
    void sessionsWriteAtOnce() throws Exception {
        int sessions = 6;
        try (ExecutorService threads = Executors.newFixedThreadPool(sessions);
                Connection reader = connect()) {
            run(reader, "create table many (s int, i int)");
            CountDownLatch begin = new CountDownLatch(1);
            List<Future<Integer>> works = new ArrayList<>();
            for (int session = 0; session < sessions; session++) {
                int number = session;
                works.add(threads.submit(() -> {
                    int made = 0;
                    try (Connection connection = connect()) {
                        begin.await();
                        for (int round = 0; round < 5; round++) {
                            run(connection, "insert into many select " + number + ", generate_series(1, 1000)");
                            run(connection, "create table t" + number + "_" + round + " as select " + round + " as r");
                            try {
                                run(connection, "create table same" + round + " as select " + number + " as n");
                                made++;
                            } catch (SQLException taken) {
                                assertThat(taken.getSQLState()).isEqualTo("42P07");
                            }
                        }
                    }
                    return made;
                }));
            }
            begin.countDown();
            int made = 0;
            for (Future<Integer> work : works) {
                made += work.get();
            }
            assertThat(made).isEqualTo(5);
            assertThat(answer(reader, "select count(*), count(distinct s), sum(i) from many"))
                    .isEqualTo("30000|6|15015000");
            assertThat(answer(reader, "select sum(r) from (select * from t0_0 union all select * from t5_4) t"))
                    .isEqualTo("4");
            awaitNothingStaged();
        }
    }

    @Test
    void aReaderKeepsWhatIsDropped() throws SQLException {
        try (Connection reader = connect();
                Connection writer = connect()) {
            run(writer, "create table old as select i from generate_series(1, 300000) i");
            reader.setAutoCommit(false);
            try (Statement statement = reader.createStatement()) {
                statement.setFetchSize(1000);
                try (ResultSet rows = statement.executeQuery("select i from old")) {
                    assertThat(rows.next()).isTrue();
                    run(writer, "drop table old");
                    run(writer, "create table old as select 'new' as i");
                    long count = 1;
                    while (rows.next()) {
                        count++;
                    }
                    assertThat(count).isEqualTo(300_000);
                }
            }
            reader.commit();
            assertThat(answer(reader, "select i from old")).isEqualTo("new");
        }
    }

    /// What a query's rows lie in is what an import would have written: statistics, and dictionaries for few texts.
    @Test
    void filesHaveStatisticsAndDictionaries() throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "create table s as select i, 'k' || i % 5 as k from generate_series(1, 1000000) i");
            assertThat(answer(
                            connection,
                            "explain (analyze, costs off, timing off, summary off)"
                                    + " select count(*) from s where i > 999990"))
                    .contains("3 batches skipped");
            assertThat(answer(connection, "select n_distinct from pg_stats where tablename = 's' and attname = 'k'"))
                    .isEqualTo("5");
        }
    }
}
