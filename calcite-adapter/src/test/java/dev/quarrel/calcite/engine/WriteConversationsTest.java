package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What sessions that write say one after the other.
final class WriteConversationsTest {
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
        run("create table t as select i as a, 0 as v from generate_series(1, 10) i");
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
        run("create table t as select 1 as a, 2 as b");
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
