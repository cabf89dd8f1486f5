package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sessions that write at the same time, and transactions that others write beside.
final class WriteConflictsTest {
    @TempDir
    private Path root;

    private Engine engine;
    private SqlSession session;

    @BeforeEach
    void open() {
        engine = LocalEngine.open(
                DatasetCatalog.open(root),
                EngineConfig.defaults().withThreads(2).withWrites(new WriteAccess(true, List.of())));
        session = engine.openSession("tester");
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private String run(String sql) {
        return String.join("\n", Answers.of(session, sql));
    }

    @Test
    void nobodyLosesRows() throws Exception {
        run("create table t (id int, v int)");
        Set<Integer> expected = new ConcurrentSkipListSet<>();
        Set<String> errors = new ConcurrentSkipListSet<>();
        List<Thread> threads = new ArrayList<>();
        for (int who = 0; who < 4; who++) {
            int me = who;
            threads.add(new Thread(() -> {
                Random random = new Random(me);
                try (SqlSession own = engine.openSession("s" + me)) {
                    List<Integer> mine = new ArrayList<>();
                    for (int round = 0; round < 60; round++) {
                        int id = me * 1000 + round;
                        List<String> all = new ArrayList<>();
                        List<Integer> added = new ArrayList<>();
                        Integer removed = null;
                        boolean isBlock = random.nextBoolean();
                        int kind = random.nextInt(5);
                        if (isBlock) {
                            all.add("begin");
                        }
                        if (kind < 3 || mine.isEmpty()) {
                            all.add("insert into t values (" + id + ", 0)");
                            added.add(id);
                        } else if (kind == 3) {
                            removed = mine.get(random.nextInt(mine.size()));
                            all.add("delete from t where id = " + removed);
                        } else {
                            all.add("update t set v = v + 1 where id = " + mine.getFirst());
                        }
                        if (isBlock) {
                            all.add("select count(*) from t");
                            all.add("commit");
                        }
                        boolean failed = false;
                        for (String sql : all) {
                            String answer = Answers.of(own, sql).toString();
                            if (answer.contains("ERROR")) {
                                failed = true;
                                errors.add(answer);
                            }
                        }
                        if (failed) {
                            Answers.of(own, "rollback");
                        } else {
                            mine.addAll(added);
                            mine.remove(removed);
                        }
                    }
                    expected.addAll(mine);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(errors).allMatch(error -> error.contains("ERROR 40001") || error.contains("ERROR 25P02"));
        assertThat(Answers.of(session, "select id from t order by id"))
                .containsExactlyElementsOf(
                        expected.stream().map(String::valueOf).toList());
        try (var staged = Files.list(root.resolve("_staged"))) {
            assertThat(staged).isEmpty();
        }
    }

    @Test
    void cursorsSeeWhatTheyBeganWith() {
        run("create table t as select i as a from generate_series(1, 300000) i");
        run("create temp table x as select i as a from generate_series(1, 300000) i");
        for (String table : List.of("t", "x")) {
            run("begin; insert into " + table + " values (0); update " + table + " set a = a + 1");
            var query = session.prepare(session.parse("select a from " + table).getFirst(), List.of());
            var execution = session.executePiecewise(query, List.of(), new Cancellation());
            long rows = 0;
            long sum = 0;
            boolean isFirst = true;
            for (var batch = execution.cursor().next();
                    batch != null;
                    batch = execution.cursor().next()) {
                try (var owned = batch) {
                    rows += owned.rowCount();
                }
                if (isFirst) {
                    isFirst = false;
                    run("delete from " + table + "; insert into " + table + " values (5)");
                    run("rollback");
                    run("insert into " + table + " values (9); truncate " + table);
                }
            }
            execution.close();
            assertThat(rows).as(table).isEqualTo(300001);
            assertThat(run("select count(*) from " + table)).isEqualTo("0");
        }
    }

    @Test
    void aSavepointTakenBackLeavesTheBlockUsable() {
        run("create table t as select 1 as a");
        run("begin; savepoint s; insert into t values (2); rollback to s");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "insert into t values (3)");
        }
        assertThat(run("update t set a = 10 where a = 1")).isEqualTo("UPDATE 1");
        assertThat(run("commit")).isEqualTo("COMMIT");
        assertThat(run("select sum(a) from t")).isEqualTo("13");
    }

    @Test
    void aDeleteBehindAnInsertOfABlockLetsOthersAppend() {
        run("create table t as select 1 as a");
        run("begin; insert into t values (2); delete from t where a = 1");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "insert into t values (3)");
        }
        assertThat(run("commit")).isEqualTo("COMMIT");
        assertThat(run("select sum(a) from t")).isEqualTo("5");
    }

    private Path file() throws IOException {
        try (var all = Files.walk(root)) {
            return all.filter(path -> path.toString().endsWith(".arrow"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void namesOfOthersDoNotBlockTemporaryOnes() throws Exception {
        run("create table t as select 1 as a");
        Path file = file();
        run("create foreign table pg_temp.x (a int) server arrow options (file '" + file + "')");
        try (SqlSession second = engine.openSession("second")) {
            assertThat(Answers.of(second, "create temp table x as select 1 as a"))
                    .containsExactly("SELECT 1");
        }
    }

    @Test
    void renamesSwapWithRowsOfOthers() {
        run("create table t as select 1 as a");
        run("create schema s");
        for (int round = 0; round < 40; round++) {
            run("begin; create table s.new as select a from t union all select " + (round + 2)
                    + "; alter table t rename to old;"
                    + " alter table s.new set schema public; alter table new rename to t; drop table old; commit");
            assertThat(run("select count(*), count(distinct a) from t")).isEqualTo((round + 2) + "|" + (round + 2));
        }
        for (int round = 0; round < 40; round++) {
            run("insert into t values (" + (round + 100) + "); alter table t rename to u; alter table u rename to t");
        }
        assertThat(run("select count(*), count(distinct a) from t")).isEqualTo("81|81");
        try (Engine other = LocalEngine.open(
                        DatasetCatalog.open(root), EngineConfig.defaults().withThreads(1));
                SqlSession again = other.openSession("again")) {
            assertThat(Answers.of(again, "select count(*), count(distinct a) from t"))
                    .containsExactly("81|81");
        }
    }

    /// A block's tables are those of its begin, whatever others replace.
    @Test
    void aBlockReadsFilesThatOthersHaveReplaced() {
        run("create table t as select 1 as a");
        run("create table other as select 1 as a");
        run("begin; insert into other values (2)");
        run("select count(*) from other");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "update t set a = a + 1");
        }
        assertThat(run("select count(*) from t")).isEqualTo("1");
        run("insert into t values (5)");
        assertThat(run("select count(*) from t")).isEqualTo("2");
        assertThat(run("commit")).isEqualTo("COMMIT");
        assertThat(run("select sum(a) from t")).isEqualTo("7");
    }

    /// The same where others only append, until small files are merged.
    @Test
    void aBlockReadsFilesThatOthersHaveMerged() {
        run("create table t as select 1 as a");
        run("begin; insert into t values (2)");
        try (SqlSession second = engine.openSession("second")) {
            for (int round = 0; round < 40; round++) {
                Answers.of(second, "insert into t values (3)");
            }
        }
        assertThat(run("select count(*) from t")).isEqualTo("2");
        assertThat(run("commit")).isEqualTo("COMMIT");
        assertThat(run("select count(*) from t")).isEqualTo("42");
    }

    @Test
    void foreignTablesOfAnImportInThePersonalSchema() throws Exception {
        run("create table t as select 1 as a");
        Path file = file();
        var none = new dev.quarrel.calcite.TablePrivileges(false, Set.of(), Set.of());
        try (SqlSession guest = engine.openSession("guest", none)) {
            assertThat(Answers.of(
                                    guest,
                                    "import foreign schema f from server arrow into pg_temp options (file '" + file
                                            + "')")
                            .toString())
                    .contains("ERROR");
        }
        assertThat(Files.exists(root.resolve("_tables.json"))).isFalse();
    }

    @Test
    void deletesOfATableOfKeys() {
        run("create table t as select 1 as a, null::int as b union all select 2, 3 union all select 3, null");
        assertThat(run("delete from t where b = 3")).isEqualTo("DELETE 1");
        assertThat(run("delete from t where b > 0 or null")).isEqualTo("DELETE 0");
        assertThat(run("update t set b = 1 where b is null and a in (select a from t where a < 3)"))
                .isEqualTo("UPDATE 1");
        assertThat(run("select a, b from t order by a")).isEqualTo("1|1\n3|null");
    }
}
