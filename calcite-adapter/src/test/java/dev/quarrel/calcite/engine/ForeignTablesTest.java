package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.TableLoad;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables over files are named, read and forgotten, as users of PG-Strom's Arrow_Fdw write it.
final class ForeignTablesTest {
    private static final Schema SCHEMA =
            Schema.of(new Field("id", DataType.INT64, false), new Field("v", DataType.FLOAT64, true));

    @TempDir
    private Path folder;

    private Path files;
    private Engine engine;
    private SqlSession session;
    private final List<String> notices = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        files = Files.createDirectory(folder.resolve("files"));
        for (String device : List.of("alpha", "beta")) {
            for (int year = 2023; year <= 2025; year++) {
                write(files.resolve(device + "_" + year + "_01.arrow"), year * 10L, 3);
            }
        }
        engine = open(new WriteAccess(true, List.of(files)));
        session = engine.openSession("tester");
        session.onNotice(notice -> notices.add(notice.severity() + " " + notice.code() + " " + notice.message()));
    }

    private Engine open(WriteAccess writes) throws IOException {
        return LocalEngine.open(
                DatasetCatalog.open(Files.createDirectories(folder.resolve("root"))),
                EngineConfig.defaults().withThreads(1).withWrites(writes));
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    /// Of one row.
    private static void writeNumber(Path path, DataType type, String column) {
        Schema schema = Schema.of(new Field(column, type, false));
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema, WriteOptions.PLAIN.withDurable(false));
                Arena arena = Arena.ofConfined()) {
            ColumnWriter values = new ColumnWriter(type, Allocator.of(arena));
            if (type instanceof DataType.Int32) {
                values.appendInt32(7);
            } else {
                values.appendInt64(1L << 40);
            }
            writer.append(Batch.view(schema, List.of(values.finish()), 1));
            writer.finish();
        }
    }

    private static void write(Path path, long first, int count) {
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, SCHEMA, WriteOptions.PLAIN.withDurable(false));
                Arena arena = Arena.ofConfined()) {
            ColumnWriter ids = new ColumnWriter(DataType.INT64, Allocator.of(arena));
            ColumnWriter values = new ColumnWriter(DataType.FLOAT64, Allocator.of(arena));
            for (int row = 0; row < count; row++) {
                ids.appendInt64(first + row);
                values.appendFloat64(row / 2.0);
            }
            writer.append(Batch.view(SCHEMA, List.of(ids.finish(), values.finish()), count));
            writer.finish();
        }
    }

    private String run(String sql) {
        return String.join("\n", Answers.of(session, sql.replace("FILES", files.toString())));
    }

    @Test
    void aSchemaIsImportedWithTheKeysOfItsFiles() {
        assertThat(run("IMPORT FOREIGN SCHEMA mydata FROM SERVER arrow_fdw INTO public"
                        + " OPTIONS (dir 'FILES', pattern '${device}_@{year}_@{month}.arrow')"))
                .isEqualTo("IMPORT FOREIGN SCHEMA");
        assertThat(run("select device, year, month, count(*), min(id) from mydata where year > 2023 group by 1, 2, 3"
                        + " order by 1, 2"))
                .isEqualTo("alpha|2024|1|3|20240\nalpha|2025|1|3|20250\nbeta|2024|1|3|20240\nbeta|2025|1|3|20250");
        assertThat(run("select * from mydata where id = 20231 and device = 'beta'"))
                .isEqualTo("20231|0.5|beta|2023|1");
        assertThat(run("explain (costs off) select sum(v) from mydata where year = 2024 and device = 'beta'"))
                .contains("Files: 1 of 6")
                .contains("Files Skipped: 3")
                .contains("Files Skipped: 2", "by year = 2024")
                .contains("beta_2024_01.arrow");
        assertThat(run("import foreign schema other limit to (mine) from server arrow into public options (dir 'x')"))
                .isEqualTo("IMPORT FOREIGN SCHEMA");
        assertThat(run("import foreign schema mydata except (mydata) from server arrow into public options (dir 'x')"))
                .isEqualTo("IMPORT FOREIGN SCHEMA");
    }

    /// The columns of an imported schema are those of all files, as wide as the widest.
    @Test
    void aSchemaOfUnlikeFilesIsImported() throws IOException {
        Path unlike = Files.createDirectory(files.resolve("unlike"));
        writeNumber(unlike.resolve("a.arrow"), DataType.INT32, "id");
        writeNumber(unlike.resolve("b.arrow"), DataType.INT64, "id");
        writeNumber(unlike.resolve("c.arrow"), DataType.INT64, "more");
        assertThat(run("import foreign schema u from server arrow into public options (dir 'FILES/unlike')"))
                .isEqualTo("IMPORT FOREIGN SCHEMA");
        assertThat(run("select id, more, pg_typeof(id) from u order by 1"))
                .isEqualTo("7|null|bigint\n1099511627776|null|bigint\nnull|1099511627776|bigint");
    }

    @Test
    void columnsAreDeclared() {
        assertThat(run("CREATE FOREIGN TABLE t (id bigint NOT NULL, dev text OPTIONS (virtual 'd'), y int OPTIONS"
                        + " (virtual 'year') NULL, missing numeric(10, 2)) SERVER arrow_fdw"
                        + " OPTIONS (dir 'FILES', pattern '${d}_@{year}_01.arrow', parallel_workers '4')"))
                .isEqualTo("CREATE FOREIGN TABLE");
        assertThat(run("select * from t where y = 2025 order by id, dev limit 2"))
                .isEqualTo("20250|alpha|2025|null\n20250|beta|2025|null");
        assertThat(
                        run(
                                "select \"$file\", t.\"$path\" like '%/files/%', y from t where \"$file\" ~ '^beta.*2023' limit 1"))
                .isEqualTo("beta_2023_01.arrow|true|2023");
        assertThat(run("select count(*) from t a join t b using (id, dev)")).isEqualTo("18");
        assertThat(run("select \"$nothing\" from t")).startsWith("ERROR 42703");
        assertThat(run("select \"$file\" from t a, t b")).startsWith("ERROR 42702");
        assertThat(run("create foreign table t () server arrow options (dir 'FILES')"))
                .isEqualTo("ERROR 42P07 relation \"t\" already exists");
        assertThat(run("create foreign table if not exists t () server arrow options (dir 'FILES')"))
                .isEqualTo("CREATE FOREIGN TABLE");
        assertThat(notices).containsExactly("NOTICE 42P07 relation \"t\" already exists, skipping");
        assertThat(run("drop foreign table t, u")).isEqualTo("ERROR 42P01 foreign table \"u\" does not exist");
        assertThat(run("drop foreign table if exists t, u cascade")).isEqualTo("DROP FOREIGN TABLE");
        assertThat(run("select * from t")).isEqualTo("ERROR 42P01 relation \"t\" does not exist");
    }

    @Test
    void filesThatComeAreSeenByTheNextStatement() {
        run("create foreign table t () server arrow options (files 'FILES/alpha_*.arrow, FILES/beta_2023_01.arrow')");
        assertThat(run("select count(*) from t")).isEqualTo("12");
        write(files.resolve("alpha_2026_01.arrow"), 1, 5);
        assertThat(run("select count(*) from t")).isEqualTo("17");
    }

    @Test
    void aBrokenFileHurtsOnlyStatementsThatNeedIt() throws IOException {
        Files.writeString(files.resolve("alpha_2026_01.arrow"), "this is no Arrow file");
        run("create foreign table t () server arrow options (files 'FILES/${d}_2023_01.arrow')");
        assertThat(run("create foreign table u () server arrow options (files 'FILES/${d}_@{y}_01.arrow')"))
                .contains("alpha_2026_01.arrow");
        Path broken = files.resolve("beta_2023_01.arrow");
        Files.delete(broken);
        Files.writeString(broken, "this is none, either");
        assertThat(run("select count(*) from t where d = 'alpha'")).isEqualTo("3");
        assertThat(run("select count(*) from t")).startsWith("ERROR 58030").contains("beta_2023_01.arrow");
        assertThat(run("select d from t group by 1")).startsWith("ERROR 58030");
    }

    @Test
    void rowsOfAFileFollowThoseOfATable() throws IOException {
        try (DatasetWriter run = DatasetWriter.begin(folder.resolve("root"), DatasetWriter.Mode.REPLACE, "a test");
                TableLoad load = new TableLoad(run, "public", "t", SCHEMA, WriteOptions.PLAIN)) {
            load.finish();
            run.commit(null, null);
        }
        Files.writeString(files.resolve("good.csv"), "id;v\n1;1.5\n2;\n");
        Files.writeString(files.resolve("bad.csv"), "3,1\n4,x\n");
        assertThat(run("copy t from 'FILES/good.csv' (format csv, header match, delimiter ';')"))
                .isEqualTo("COPY 2");
        assertThat(run("copy t (v, id) from 'FILES/bad.csv' csv"))
                .isEqualTo("ERROR 22P02 invalid input syntax for type bigint: \"x\"");
        assertThat(run("select * from t order by id")).isEqualTo("1|1.5\n2|null");
        assertThat(run("copy t from 'FILES/good.csv' (format csv, header)"))
                .isEqualTo("ERROR 22P02 invalid input syntax for type bigint: \"1;1.5\"");
        assertThat(run("copy t from 'FILES/bad.csv' (delimiter ',', on_error ignore)"))
                .isEqualTo("COPY 1");
        assertThat(run("copy t from 'FILES/none.csv' csv")).startsWith("ERROR 58P01");
        assertThat(run("copy t from '/etc/passwd' csv")).startsWith("ERROR 42501");
        assertThat(run("copy t from 'FILES/good.csv' (format binary)")).startsWith("ERROR 0A000");
        assertThat(run("copy u from 'FILES/good.csv' csv")).startsWith("ERROR 42P01");
        assertThat(run("copy t (x) from 'FILES/good.csv' csv")).startsWith("ERROR 42703");
        run("begin; copy t from 'FILES/good.csv' csv header delimiter ';'");
        assertThat(run("select count(*) from t")).isEqualTo("5");
        run("rollback");
        assertThat(run("select count(*) from t")).isEqualTo("3");
        try (Engine reader = open(WriteAccess.NONE);
                SqlSession reading = reader.openSession("tester")) {
            assertThat(Answers.of(reading, "copy t from '/etc/passwd' csv"))
                    .containsExactly("ERROR 42501 permission denied to COPY from a file");
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThat(run("create foreign table t () server nowhere options (dir 'FILES')"))
                .isEqualTo("ERROR 42704 server \"nowhere\" does not exist");
        assertThat(run("create foreign table s.t () server arrow options (dir 'FILES')"))
                .isEqualTo("ERROR 3F000 schema \"s\" does not exist");
        assertThat(run("create foreign table t () server arrow options (file '/etc/passwd')"))
                .isEqualTo("ERROR 42501 permission denied for file \"/etc/passwd\"");
        assertThat(run("create foreign table t () server arrow options (dir 'FILES', dir 'FILES')"))
                .startsWith("ERROR 42710");
        assertThat(run("create foreign table t () server arrow")).startsWith("ERROR HV002");
        assertThat(run("create foreign table t () server arrow options (file 'x', colour 'red')"))
                .startsWith("ERROR HV00D");
        assertThat(run("create foreign table t (a int, a int) server arrow options (dir 'FILES')"))
                .startsWith("ERROR 42701");
        assertThat(run("create foreign table t (a nosuch) server arrow options (dir 'FILES')"))
                .startsWith("ERROR 42704");
        assertThat(run("create foreign table t (a int default 1) server arrow options (dir 'FILES')"))
                .startsWith("ERROR 0A000");
        assertThat(run("create foreign table t (id text) server arrow options (dir 'FILES')"))
                .startsWith("ERROR 42804");
        assertThat(run("create foreign table t (id) server arrow options (dir 'FILES')"))
                .startsWith("ERROR 42601");
        assertThat(run("create foreign table t (id bigint) server arrow options (dir FILES)"))
                .startsWith("ERROR 42601");
    }

    @Test
    void nothingIsNamedWithoutLeave() throws IOException {
        String create = "create foreign table t () server arrow options (dir 'FILES')";
        run("begin");
        assertThat(run(create)).isEqualTo("CREATE FOREIGN TABLE");
        assertThat(run("select count(*) from t")).isEqualTo("18");
        run("rollback");
        assertThat(run("select count(*) from t")).startsWith("ERROR 42P01");
        assertThat(run("show transaction_read_only")).isEqualTo("off");
        run("set transaction_read_only = on"); // of a transaction that is over
        assertThat(run("show transaction_read_only")).isEqualTo("off");
        run("begin; set transaction_read_only = on");
        assertThat(run(create)).isEqualTo("ERROR 25006 cannot execute CREATE FOREIGN TABLE in a read-only transaction");
        run("rollback; set default_transaction_read_only = on");
        assertThat(run(create)).isEqualTo("ERROR 25006 cannot execute CREATE FOREIGN TABLE in a read-only transaction");
        TablePrivileges other = new TablePrivileges(true, Set.of(), Set.of(), Set.of("logs"));
        try (SqlSession guest = engine.openSession("guest", other)) {
            assertThat(Answers.of(guest, create.replace("FILES", files.toString())))
                    .containsExactly("ERROR 42501 permission denied for schema public");
        }
        run("set default_transaction_read_only = off");
        assertThat(run(create)).isEqualTo("CREATE FOREIGN TABLE");
        try (SqlSession guest = engine.openSession("guest", other)) {
            assertThat(Answers.of(guest, "drop foreign table t"))
                    .containsExactly("ERROR 42501 must be owner of foreign table t");
            assertThat(Answers.of(guest, "select count(*) from t")).containsExactly("18");
        }
        try (Engine reader = open(WriteAccess.NONE);
                SqlSession reading = reader.openSession("tester")) {
            assertThat(Answers.of(reading, "drop foreign table t"))
                    .containsExactly("ERROR 25006 cannot execute DROP FOREIGN TABLE in a read-only transaction");
            assertThat(Answers.of(reading, "select count(*) from t")).containsExactly("18");
            assertThat(Answers.of(reading, "show transaction_read_only")).containsExactly("on");
        }
    }
}
