package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who may make tables and views, and when.
final class DefinitionsTest {
    private static final List<String> WRITES = List.of(
            "create table n as select 1 as a",
            "select 1 as a into n",
            "create table n (a int)",
            "create view n as select 1 as a",
            "create or replace view v as select a, 1 as one from t",
            "drop table t cascade",
            "drop view v",
            "comment on table t is 'x'",
            "comment on column v.a is 'x'",
            "insert into t values (2)",
            "truncate t",
            "delete from t where a = 1",
            "update t set a = a + 1",
            "alter table t add column more text",
            "alter view v rename to w",
            "alter table t rename to u",
            "create table n (like t)",
            "create schema more");

    @TempDir
    private Path root;

    private Engine engine;
    private SqlSession session;
    private final List<String> notices = new ArrayList<>();

    @BeforeEach
    void open() {
        engine = open(new WriteAccess(true, List.of()));
        session = engine.openSession("tester");
        session.onNotice(notice -> notices.add(notice.message()));
        run("create table t as select 1 as a");
        run("create view v as select a from t");
    }

    private Engine open(WriteAccess writes) {
        return LocalEngine.open(
                DatasetCatalog.open(root),
                EngineConfig.defaults().withThreads(1).withWrites(writes));
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
    void nothingIsWrittenWithoutLeave() {
        try (Engine reader = open(WriteAccess.NONE);
                SqlSession reading = reader.openSession("tester")) {
            for (String write : WRITES) {
                assertThat(Answers.of(reading, write))
                        .as(write)
                        .singleElement()
                        .asString()
                        .startsWith("ERROR 25006");
            }
            assertThat(Answers.of(reading, "copy t from stdin"))
                    .containsExactly("ERROR 25006 cannot execute COPY FROM in a read-only transaction");
            assertThat(Answers.of(reading, "select a from v")).containsExactly("1");
        }
        run("set default_transaction_read_only = on");
        for (String write : WRITES) {
            assertThat(run(write)).as(write).startsWith("ERROR 25006");
        }
        assertThat(run("set default_transaction_read_only = off; select * from v"))
                .isEqualTo("SET\n1");
    }

    @Test
    void whatABlockWritesIsSeenByItAloneUntilItsEnd() throws Exception {
        for (String write : WRITES) {
            run("begin");
            assertThat(run(write)).as(write).doesNotContain("ERROR");
            run("rollback");
        }
        assertThat(run("select * from v")).isEqualTo("1");
        assertThat(run("select count(*) from n")).startsWith("ERROR 42P01");
        try (SqlSession second = engine.openSession("second")) {
            run("begin; insert into t values (2); create schema s; create table s.n as select a * 10 as a from v");
            assertThat(run("select sum(a) from s.n")).isEqualTo("30");
            assertThat(Answers.of(second, "select sum(a) from t")).containsExactly("1");
            assertThat(Answers.of(second, "select * from s.n")).allMatch(answer -> answer.startsWith("ERROR 42P01"));
            assertThat(run("commit")).isEqualTo("COMMIT");
            assertThat(Answers.of(second, "select sum(a) from t")).containsExactly("3");
            assertThat(Answers.of(second, "select sum(a) from s.n")).containsExactly("30");
        }
        assertThat(staged()).isEmpty();
    }

    @Test
    void aBlockThatFailsOrIsLeftChangesNothing() throws Exception {
        run("begin; insert into t values (2); create table n as select 1 as a");
        assertThat(run("insert into nowhere values (1)")).startsWith("ERROR 42P01");
        assertThat(run("select 1")).startsWith("ERROR 25P02");
        assertThat(run("commit")).isEqualTo("ROLLBACK");
        assertThat(run("select * from t")).isEqualTo("1");
        try (SqlSession second = engine.openSession("second")) {
            Answers.of(second, "begin; insert into t values (3); drop view v");
        }
        assertThat(run("select * from v")).isEqualTo("1");
        assertThat(staged()).isEmpty();
    }

    @Test
    void savepointsTakeBackWhatFollowed() {
        run("begin; insert into t values (2); savepoint a; insert into t values (3); create table n (b int)");
        assertThat(run("select sum(a) from t, (select count(*) from n) n")).isEqualTo("6");
        run("savepoint b; drop table n; rollback to a");
        assertThat(run("select sum(a) from t")).isEqualTo("3");
        run("insert into t values (10); release a; commit");
        assertThat(run("select sum(a) from t")).isEqualTo("13");
        assertThat(run("select * from n")).startsWith("ERROR 42P01");
    }

    /// What others have done meanwhile is found at the end: nothing of the block is there then.
    @Test
    void aBlockThatDoesNotFitAnyMoreIsAnError() throws Exception {
        try (SqlSession second = engine.openSession("second")) {
            run("begin; insert into t values (2); create table n as select 1 as a");
            Answers.of(second, "drop table t cascade");
            assertThat(run("commit")).isEqualTo("ERROR 42P01 relation \"t\" does not exist");
            assertThat(run("select * from n")).startsWith("ERROR 42P01");
            run("begin; create table n as select 1 as a");
            Answers.of(second, "create table n as select 2 as a");
            assertThat(run("commit")).isEqualTo("ERROR 42P07 relation \"n\" already exists");
            assertThat(run("select * from n")).isEqualTo("2");
            run("begin; insert into n values (3)");
            Answers.of(second, "insert into n values (4)");
            assertThat(run("commit")).isEqualTo("COMMIT");
            assertThat(run("select sum(a) from n")).isEqualTo("9");
        }
        assertThat(staged()).isEmpty();
    }

    private List<Path> staged() throws Exception {
        try (Stream<Path> found = Files.list(root.resolve("_staged"))) {
            return found.toList();
        }
    }

    /// Who was slower looks again; in a block of several statements he cannot.
    @Test
    void changesOfOneTableAtOnce() throws Exception {
        run("create table n as select i from generate_series(1, 1000) i");
        try (SqlSession second = engine.openSession("second");
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<?>> works = new ArrayList<>();
            for (SqlSession each : List.of(session, second)) {
                works.add(threads.submit(() -> {
                    for (int round = 0; round < 20; round++) {
                        assertThat(Answers.of(each, "update n set i = i + 1")).containsExactly("UPDATE 1000");
                    }
                }));
            }
            for (Future<?> work : works) {
                work.get();
            }
            assertThat(run("select min(i), max(i), count(*) from n")).isEqualTo("41|1040|1000");
            run("begin; delete from n where i > 500");
            Answers.of(second, "update n set i = 1");
            assertThat(run("commit")).startsWith("ERROR 40001");
            assertThat(run("select min(i), max(i), count(*) from n")).isEqualTo("1|1|1000");
            run("begin; update n set i = 2");
            Answers.of(second, "insert into n values (3)");
            assertThat(run("commit")).isEqualTo("COMMIT");
            assertThat(run("select min(i), max(i), count(*) from n")).isEqualTo("2|3|1001");
        }
    }

    @Test
    void rowsAreNeverLost() {
        run("create table n as select i from generate_series(1, 1000) i");
        assertThat(run("update n set i = -i where random() < 0.5")).startsWith("UPDATE ");
        assertThat(run("select sum(abs(i)), count(*) from n")).isEqualTo("500500|1000");
        assertThat(run("create table two as select 1 as a from generate_series(1, 2); update n set i = 0 from two"))
                .contains("ERROR 0A000 UPDATE of a row by more than one row of FROM");
        assertThat(run("select sum(abs(i)) from n")).isEqualTo("500500");
        run("create table odd as select i, i as \"$row\" from n");
        assertThat(run("delete from odd where i > 0")).startsWith("ERROR 0A000");
        assertThat(run("delete from odd")).isEqualTo("DELETE 1000");
    }

    /// The same rows by two sessions are a conflict, others are none; files of which many rows are deleted go.
    @Test
    void rowsOfAFileAreDeletedOneByOne() throws Exception {
        run("create table n as select i, 'text ' || i as t from generate_series(0, 299999) i");
        try (SqlSession second = engine.openSession("second")) {
            run("begin; delete from n where i % 100 = 1; update n set t = 'new' where i % 100 = 2");
            assertThat(run("select count(*), count(*) filter (where t = 'new') from n"))
                    .isEqualTo("297000|3000");
            Answers.of(second, "delete from n where i % 100 = 3");
            assertThat(run("commit")).isEqualTo("COMMIT");
            assertThat(run("select count(*), sum(i) filter (where t = 'new') from n"))
                    .isEqualTo("294000|449856000");
            run("begin; delete from n where i < 1000");
            Answers.of(second, "update n set t = 'other' where i = 999");
            assertThat(run("commit")).startsWith("ERROR 40001");
        }
        assertThat(run("delete from n where i % 2 = 0")).isEqualTo("DELETE 150000");
        assertThat(run("delete from n where i >= 0 and i % 100 <> 5")).isEqualTo("DELETE 141000");
        assertThat(run("select count(*), min(i), max(t) from n")).isEqualTo("3000|5|text 99905");
        assertThat(run("delete from n where true; select count(*) from n")).isEqualTo("DELETE 3000\n0");
        assertThat(run("insert into n values (1, 'again'); select * from n")).isEqualTo("INSERT 0 1\n1|again");
    }

    /// Tables change their places as the manifest says; files that they have are never in two.
    @Test
    void tablesAreSwapped() throws Exception {
        run("create table next as select 7 as a");
        run("begin; alter table t rename to old; alter table next rename to t; commit");
        assertThat(run("select a from t")).isEqualTo("7");
        assertThat(run("select a from v")).isEqualTo("7");
        assertThat(run("select a from old")).isEqualTo("1");
        try (Stream<Path> files = Files.list(root.resolve("t"))) {
            assertThat(files).hasSize(1);
        }
        assertThat(root.resolve("next")).doesNotExist();
        run("begin; alter table t rename to x; alter table old rename to t; alter table x rename to old; commit");
        assertThat(run("select t.a, old.a from t, old")).isEqualTo("1|7");
        run("create schema s; alter table old set schema s; comment on table s.old is 'x'; drop table t cascade");
        run("alter table s.old rename to t; alter table s.t set schema public");
        assertThat(run("select a from t")).isEqualTo("7");
        assertThat(run("drop schema s")).isEqualTo("DROP SCHEMA");
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.comment("public", "t", null)).isEqualTo("x");
        }
    }

    /// A run that changed both files ends as if it had been whole: the manifest says which names are there.
    @Test
    void namesComeWithTheirRun() throws Exception {
        Path names = root.resolve("_tables.json");
        Path manifest = root.resolve("_manifest.json");
        byte[] manifestBefore = Files.readAllBytes(manifest);
        run("begin; create table n as select 1 as a; drop view v; create view w as select a from n; commit");
        String after = Files.readString(names);
        byte[] manifestAfter = Files.readAllBytes(manifest);
        String run = after.substring(after.indexOf("{") + 1, after.lastIndexOf('}'));
        var json = new com.fasterxml.jackson.databind.ObjectMapper();
        var last =
                json.readTree(manifestAfter).path("runs").valueStream().toList().getLast();
        String between = "{\"format\": 1, \"next\": {\"run\": " + last.path("id") + ", \"time\": " + last.path("time")
                + "," + run + "}}";
        Files.writeString(names, between);
        assertThat(run("select * from w")).isEqualTo("1");
        Files.write(manifest, manifestBefore);
        assertThat(run("select * from w")).startsWith("ERROR 42P01");
        Files.write(manifest, manifestAfter);
        run("create table other as select 1 as a");
        assertThat(Files.readString(names)).doesNotContain("next");
        assertThat(run("select * from w")).isEqualTo("1");
    }

    @Test
    void aSchemaIsWrittenByWhoMayCreateInIt() {
        TablePrivileges other = new TablePrivileges(true, Set.of(), Set.of(), Set.of("logs"));
        try (SqlSession guest = engine.openSession("guest", other)) {
            for (String write : WRITES) {
                assertThat(Answers.of(guest, write))
                        .as(write)
                        .singleElement()
                        .asString()
                        .startsWith("ERROR 42501");
            }
            assertThat(Answers.of(guest, "select a from v")).containsExactly("1");
        }
    }

    /// A view shows nothing that its reader may not read.
    @Test
    void viewsAreReadByTheReadersPrivileges() {
        TablePrivileges ofView =
                new TablePrivileges(false, Set.of(), Set.of(new TablePrivileges.TableName("public", "v")));
        TablePrivileges ofBoth = new TablePrivileges(
                false,
                Set.of(),
                Set.of(new TablePrivileges.TableName("public", "v"), new TablePrivileges.TableName("public", "t")));
        try (SqlSession one = engine.openSession("one", ofView);
                SqlSession both = engine.openSession("both", ofBoth)) {
            assertThat(Answers.of(one, "select * from v")).containsExactly("ERROR 42501 permission denied for table t");
            assertThat(Answers.of(both, "select * from v")).containsExactly("1");
        }
    }

    @Test
    void namesInAViewAreThoseOfItsMaker() {
        run("create table other.t as select 'other' as a");
        assertThat(run("select * from other.t")).startsWith("ERROR"); // there is no such schema
        run("set search_path = pg_catalog");
        assertThat(run("select * from public.v")).isEqualTo("1");
        assertThat(run("select * from v")).startsWith("ERROR 42P01");
    }

    /// The tables of a view may be made anew by others: an export has more columns, or fewer.
    @Test
    void viewsFollowTheirTables() {
        run("create view all_of as select * from t");
        run("create view two as select a as x, a + 1 as y from t");
        run("drop table t");
        assertThat(notices).isEmpty();
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
            changes.dropTables(Set.of(List.of("public", "t")));
            changes.commit(() -> {});
        }
        assertThat(run("select * from v")).isEqualTo("ERROR 42P01 relation \"t\" does not exist");
        run("create table t as select 'new' as b, 7 as a");
        assertThat(run("select * from v")).isEqualTo("7");
        assertThat(run("select * from all_of")).isEqualTo("7");
        assertThat(run("select * from two")).isEqualTo("7|8");
        run("drop table t cascade");
        assertThat(notices).containsExactly("drop cascades to 3 other objects");
        run("create table t as select 'new' as b");
        assertThat(run("select * from v")).isEqualTo("ERROR 42P01 relation \"v\" does not exist");
    }

    @Test
    void plansFollowTheTables() {
        try (SqlSession second = engine.openSession("second")) {
            for (int round = 0; round < 4; round++) {
                assertThat(Answers.of(second, "select count(*) from t where a > 0"))
                        .containsExactly(Integer.toString(1 + round));
                run("insert into t values (" + (round + 5) + ")");
            }
            run("drop table t cascade");
            run("create table t (a text)");
            assertThat(Answers.of(second, "select count(*) from t where a > 0"))
                    .singleElement()
                    .asString()
                    .startsWith("ERROR 42883");
        }
    }

    @Test
    void whatIsNotBuiltIsSaid() {
        assertThat(run("update t set a = 1 from t u returning t.a"))
                .isEqualTo("ERROR 0A000 RETURNING of UPDATE with FROM is not supported");
        assertThat(run("update t set a = 1 returning old.a")).startsWith("ERROR 0A000 OLD in RETURNING");
        assertThat(run("insert into t values (1) returning with (old as o) *"))
                .startsWith("ERROR 0A000 RETURNING WITH");
        assertThat(run("insert into t values (1) returning a + $1")).startsWith("ERROR 0A000 a parameter");
        assertThat(run("with x as (insert into t values (1) returning a) select * from x"))
                .isEqualTo("ERROR 0A000 INSERT in WITH is not supported");
        assertThat(run("with x as materialized (delete from t) select 1")).startsWith("ERROR 0A000 DELETE in WITH");
        assertThat(run("with x as (select 1 as a) insert into t select a from x"))
                .isEqualTo("ERROR 0A000 INSERT with WITH is not supported");
        assertThat(run("insert into t values (1) on conflict (lower(a)) do nothing"))
                .startsWith("ERROR 0A000 ON CONFLICT of an expression");
        assertThat(run("insert into t values (1) on conflict (a) where a > 1 do nothing"))
                .startsWith("ERROR 0A000 ON CONFLICT");
        assertThat(run("update t set (a) = (select 1)")).startsWith("ERROR 0A000 UPDATE of columns by");
        assertThat(run("update t set a[1] = 1")).startsWith("ERROR 0A000 UPDATE of a part");
        assertThat(run("delete from t where current of c")).startsWith("ERROR 0A000 WHERE CURRENT OF");
        assertThat(run("merge into t using t u on true when matched then delete returning 1"))
                .isEqualTo("ERROR 0A000 RETURNING of MERGE is not supported");
        assertThat(run("merge into t using t u on true when not matched then insert default values"))
                .isEqualTo("ERROR 0A000 DEFAULT in MERGE is not supported");
        assertThat(run("alter table t drop column a"))
                .isEqualTo("ERROR 0A000 ALTER TABLE DROP COLUMN is not supported");
        assertThat(run("alter table t add column b uuid default gen_random_uuid()"))
                .startsWith("ERROR 0A000 ADD COLUMN with a DEFAULT that differs between rows");
        assertThat(run("alter table t add column b serial")).startsWith("ERROR 0A000 ADD COLUMN with a DEFAULT that");
        assertThat(run("create table x (a int, check (a > 1))"))
                .isEqualTo("ERROR 0A000 a CHECK constraint is not supported");
        assertThat(run("create table x (a int constraint y check (a > 1))"))
                .isEqualTo("ERROR 0A000 a CHECK constraint is not supported");
        assertThat(run("create table x (a int references t (a))"))
                .isEqualTo("ERROR 0A000 a FOREIGN KEY constraint is not supported");
        assertThat(run("create table x (a int, constraint y foreign key (a) references t (a))"))
                .isEqualTo("ERROR 0A000 a FOREIGN KEY constraint is not supported");
        assertThat(run("create table x (a int, exclude using gist (a with =))"))
                .isEqualTo("ERROR 0A000 an EXCLUDE constraint is not supported");
        assertThat(run("create table x (a int unique nulls not distinct)")).startsWith("ERROR 0A000 UNIQUE NULLS");
        assertThat(run("create table x (a int primary key deferrable)")).startsWith("ERROR 0A000 a deferrable");
        assertThat(run("create table x (a float8 primary key)")).startsWith("ERROR 0A000 a key with column");
        assertThat(run("create table x (a int generated always as (1) stored)"))
                .startsWith("ERROR 0A000 a generated column");
        assertThat(run("create table x (a int generated always as identity (minvalue 5))"))
                .startsWith("ERROR 0A000 MINVALUE of an identity column");
        assertThat(run("create temp table x (a int) on commit delete rows"))
                .isEqualTo("ERROR 0A000 ON COMMIT DELETE ROWS is not supported");
        assertThat(run("create materialized view x as select 1")).startsWith("ERROR 0A000");
        assertThat(run("copy t from stdin")).startsWith("ERROR 0A000 COPY FROM STDIN");
        assertThat(run("create table x as")).startsWith("ERROR 42601");
        assertThat(run("create table x (a)")).startsWith("ERROR 42601");
        assertThat(run("create table x (a int")).startsWith("ERROR 42601");
        assertThat(run("create table x (a int) nonsense")).startsWith("ERROR 42601");
        assertThat(run("create table x (a int from t)")).startsWith("ERROR 42601");
        assertThat(run("drop table")).startsWith("ERROR 42601");
        assertThat(run("create table pg_catalog.x (a int)")).startsWith("ERROR 42501");
    }

    /// What a process that was killed has left goes with the next statement that writes.
    @Test
    void leftoversGo() throws Exception {
        Path left = root.resolve("_staged").resolve("dead");
        Files.createDirectories(left);
        Files.createFile(left.resolve("lock"));
        Files.writeString(left.resolve("1.rows"), "half of it");
        run("create table n as select 1 as a");
        assertThat(left).doesNotExist();
        assertThat(run("select * from n")).isEqualTo("1");
    }

    /// What an export keeps of the states before it is none of a statement's business.
    @Test
    void keptRunsStay() throws Exception {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "a test", null, 2)) {
            run.commit(null, null);
        }
        assertThat(kept()).hasSize(1);
        Path before = kept().getFirst();
        run("insert into t values (2)");
        run("create table n as select 1 as a");
        run("drop table t cascade");
        run("drop table n");
        assertThat(kept()).containsExactly(before);
        String name = before.getFileName().toString();
        int number = Integer.parseInt(name.substring("manifest-".length(), name.indexOf('.')));
        try (Engine earlier = LocalEngine.open(
                        DatasetCatalog.open(root).at(number),
                        EngineConfig.defaults().withThreads(1));
                SqlSession reading = earlier.openSession("tester")) {
            assertThat(Answers.of(reading, "select a from t")).containsExactly("1");
        }
        EngineConfig writable = EngineConfig.defaults().withThreads(1).withWrites(new WriteAccess(true, List.of()));
        try (Engine earlier = LocalEngine.open(DatasetCatalog.open(root).at(number), writable);
                SqlSession reading = earlier.openSession("tester")) {
            assertThat(Answers.of(reading, "begin isolation level repeatable read; select a from t"))
                    .containsExactly("BEGIN", "1");
            assertThat(Answers.of(reading, "insert into t values (2)"))
                    .containsExactly("ERROR 55000 an earlier run of a dataset never changes");
        }
    }

    private List<Path> kept() throws Exception {
        try (Stream<Path> found = Files.list(root.resolve("_replaced"))) {
            return found.filter(path -> path.toString().endsWith(".json")).toList();
        }
    }
}
