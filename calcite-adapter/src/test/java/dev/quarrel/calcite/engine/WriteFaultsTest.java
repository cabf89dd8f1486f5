package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rows that writes must not lose, double, or show to others.
final class WriteFaultsTest {
    @TempDir
    private Path root;

    private Engine engine;
    private SqlSession session;

    @BeforeEach
    void open() {
        engine = open(4);
        session = engine.openSession("tester");
        run("create table t as select 1 as a");
    }

    private Engine open(int threads) {
        return LocalEngine.open(
                DatasetCatalog.open(root),
                EngineConfig.defaults().withThreads(threads).withWrites(new WriteAccess(true, List.of())));
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
    void updateByARandomRowLosesNone() {
        run("create table q as select i as id, false as taken from generate_series(1, 100) i");
        for (int round = 0; round < 10; round++) {
            String tag = run("update q set taken = true where id = (select id from q where not taken"
                    + " order by random() limit 1)");
            assertThat(run("select count(*), count(distinct id) from q"))
                    .as(tag)
                    .isEqualTo("100|100");
        }
    }

    @Test
    void updateByRandomOfFewRowsLosesNone() {
        for (int round = 0; round < 40; round++) {
            run("create table q" + round + " as select i as id, 0 as x from generate_series(1, 2) i");
            String tag = run("update q" + round + " set x = 1 where random() < 0.5");
            assertThat(run("select count(*), count(distinct id) from q" + round))
                    .as(tag)
                    .isEqualTo("2|2");
        }
    }

    /// The queue's usual statement: LIMIT without ORDER BY.
    @Test
    void updateByALimitLosesNone() {
        run(
                "create table q as select i as id, false as taken, repeat('x', 50) as pad from generate_series(1, 300000) i");
        for (int round = 0; round < 6; round++) {
            String tag = run("update q set taken = true where id in (select id from q where not taken and id % 7 > 0"
                    + " limit 10)");
            assertThat(run("select count(*), count(distinct id) from q"))
                    .as(tag)
                    .isEqualTo("300000|300000");
        }
    }

    @Test
    void whoHasNoGrantNamesNoTables() {
        run("create schema s; create table s.secret as select 42 as a");
        Path file = files("secret");
        TablePrivileges none = new TablePrivileges(false, Set.of(), Set.of());
        try (SqlSession guest = engine.openSession("guest", none)) {
            assertThat(Answers.of(guest, "select a from s.secret").toString()).contains("42501");
            String made = Answers.of(
                            guest, "create foreign table pg_temp.x (a int) server arrow options (file '" + file + "')")
                    .toString();
            assertThat(made + Answers.of(guest, "select a from pg_temp.x")).doesNotContain("42]");
        }
    }

    @Test
    void whoHasNoGrantCopiesNoFiles() throws Exception {
        Files.writeString(root.resolve("private.csv"), "1\n2\n");
        TablePrivileges none = new TablePrivileges(false, Set.of(), Set.of());
        try (SqlSession guest = engine.openSession("guest", none)) {
            Answers.of(guest, "create temp table x (a text)");
            assertThat(Answers.of(guest, "copy x from 'private.csv'").toString())
                    .contains("42501");
        }
    }

    private Path files(String table) {
        try (var all = Files.walk(root)) {
            return all.filter(path ->
                            path.toString().contains(table) && path.toString().endsWith(".arrow"))
                    .findFirst()
                    .orElseThrow();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void viewsReadNoTemporaryTables() {
        run("create temp table other as select 5 as b");
        assertThat(run("create view v as select a from t")).isEqualTo("CREATE VIEW");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "create temp table t as select 99 as a");
            assertThat(Answers.of(second, "select a from v")).containsExactly("1");
        }
    }

    @Test
    void temporaryTablesOfADatasetWithoutManifestAreNobodyElses() throws Exception {
        Path folder = Files.createDirectory(root.resolve("_folder-of-files"));
        Files.copy(files("t"), folder.resolve("u.arrow"));
        try (Engine other = LocalEngine.open(
                        DatasetCatalog.open(folder),
                        EngineConfig.defaults().withThreads(1).withWrites(new WriteAccess(true, List.of())));
                SqlSession one = other.openSession("one");
                SqlSession two = other.openSession("two")) {
            assertThat(Answers.of(one, "create temp table x as select 7 as a")).containsExactly("SELECT 1");
            Thread.sleep(50);
            try (var snapshot = DatasetCatalog.open(folder).snapshot()) {
                assertThat(snapshot.schemaNames()).containsExactly("public");
            }
        }
    }

    /// A replica's run deletes rows of a file while a DELETE is under way.
    @Test
    void rowsThatARunDeletesStayDeleted() {
        run("create table r as select i as a from generate_series(1, 10) i");
        run("begin; delete from r where a = 1");
        try (DatasetWriter writer = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "a replica")) {
            var file = writer.before().tables().stream()
                    .filter(table -> table.name().equals("r"))
                    .findFirst()
                    .orElseThrow()
                    .files()
                    .getFirst();
            writer.change("public", "r", Map.of(file.path(), DeletedRows.of(new long[] {5, 6, 7, 8, 9})));
            writer.commit(null, null);
        }
        String end = run("commit");
        assertThat(run("select count(*) from r")).as(end).isEqualTo(end.equals("COMMIT") ? "4" : "5");
    }

    @Test
    void addedColumnBetweenASelectAndADelete() {
        run("begin; select * from t");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "alter table t add column b int");
        }
        assertThat(run("delete from t where a = 7")).isEqualTo("DELETE 0");
        assertThat(run("update t set a = 2 where a = 1"))
                .isIn("UPDATE 1", "ERROR 40001 could not serialize access due to concurrent update");
    }

    @Test
    void onCommitDropIsTakenBack() {
        run("begin; savepoint s; create temp table x (a int) on commit drop; rollback to s;"
                + " create temp table x (a int); insert into x values (1); commit");
        assertThat(run("select a from x")).isEqualTo("1");
    }

    @Test
    void duplicateRowsAreMadeByNoUpdateFrom() {
        run("create table u as select 1 as a union all select 2");
        run("create table w as select i as k, i as v from generate_series(1, 3) i");
        // A row is found twice, another one is not kept because its comparison is NULL: counts must not even out.
        assertThat(run("update w set v = u.a from u where w.k = 1")).startsWith("ERROR 0A000");
        assertThat(run("select count(*), count(distinct k) from w")).isEqualTo("3|3");
    }

    @Test
    void repeatableReadSeesNoOthers() {
        run("begin isolation level repeatable read; select * from t");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "insert into t values (2)");
        }
        run("create temp table x (a int)");
        assertThat(run("select count(*) from t")).isEqualTo("1");
        run("rollback");
    }

    @Test
    void namesOfTheSystemsFolders() {
        for (String name : List.of("_staged", "_writing", "_replaced", ".x", "_lock", "_tables.json")) {
            run("create schema \"" + name + "\"");
            run("create table \"" + name + "\".t as select 1 as a");
            run("create table public.\"" + name + "\" as select 1 as a");
        }
        run("create table z as select 1 as a");
        for (String name : List.of("_staged", "_writing", "_replaced", ".x", "_lock", "_tables.json")) {
            run("insert into \"" + name + "\".t values (2)");
            assertThat(run("select sum(a) from \"" + name + "\".t")).as(name).isEqualTo("3");
            assertThat(run("select sum(a) from public.\"" + name + "\""))
                    .as(name)
                    .isEqualTo("1");
        }
    }

    @Test
    void whatAnUpdateReadsInABlockIsItsOwn() {
        run("drop table t; create table t as select i as a, 0 as v from generate_series(1, 10) i");
        run("begin");
        for (int i = 0; i < 50; i++) {
            assertThat(run("insert into t values (" + (100 + i) + ", 0)")).isEqualTo("INSERT 0 1");
            if (i % 10 == 0) {
                assertThat(run("update t set v = v + 1 where a = " + (100 + i))).isEqualTo("UPDATE 1");
                assertThat(run("delete from t where a = " + (100 + i))).isEqualTo("DELETE 1");
            }
        }
        assertThat(run("savepoint a; truncate t; insert into t values (1, 1); rollback to a; select count(*) from t"))
                .endsWith("55");
        assertThat(run(
                        "alter table t add column w text; update t set w = 'x' where a < 5; create table u as select * from t;"
                                + " drop table t; alter table u rename to t; select count(*), count(w) from t"))
                .endsWith("55|4");
        assertThat(run("commit")).isEqualTo("COMMIT");
        assertThat(run("select count(*), count(w) from t")).isEqualTo("55|4");
    }

    @Test
    void aTableThatAnotherMakesAnew() {
        run("drop table t; create table t as select 1 as a, 2 as b");
        run("begin; select * from t");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "drop table t; create table t as select 2 as b, 1 as a");
        }
        String inserted = run("insert into t values (10, 20)");
        String end = run("commit");
        assertThat(inserted + end + run("select a, b from t order by a")).isEqualTo("INSERT 0 1COMMIT1|2\n20|10");
    }

    @Test
    void clausesOfOtherStatementsAreErrors() {
        run("create table t as select 1 as a");
        assertThat(run("delete from t using (select 1 as k) u where a = u.k limit 1"))
                .startsWith("ERROR 42601");
        assertThat(run("update t set a = 1 where a = 1 limit 1")).startsWith("ERROR 42601");
        assertThat(run("update t set a = 1 where a = 1 order by a")).startsWith("ERROR 42601");
        assertThat(run("update t set a = 1 where a = 1 group by a")).startsWith("ERROR 42601");
        assertThat(run("delete from t where a = 1 union select 1")).startsWith("ERROR 42601");
    }
}
