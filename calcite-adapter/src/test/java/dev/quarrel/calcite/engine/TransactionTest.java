package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Transaction blocks and settings, with PostgreSQL's warnings and errors.
final class TransactionTest {
    private final Engine engine =
            LocalEngine.open(TestCatalog.small(), EngineConfig.defaults().withThreads(1));
    private final SqlSession session = engine.openSession("tester");
    private final List<String> notices = new ArrayList<>();

    TransactionTest() {
        session.onNotice(notice -> notices.add(notice.severity() + " " + notice.code() + " " + notice.message()));
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
    void beginAndCommitWarnWhereTheyDoNothing() {
        assertThat(run("commit")).isEqualTo("COMMIT");
        assertThat(run("begin")).isEqualTo("BEGIN");
        assertThat(run("begin")).isEqualTo("BEGIN");
        assertThat(session.transactionState()).isEqualTo(SqlSession.TransactionState.IN_BLOCK);
        assertThat(run("rollback")).isEqualTo("ROLLBACK");
        assertThat(notices)
                .containsExactly(
                        "WARNING 25P01 there is no transaction in progress",
                        "WARNING 25001 there is already a transaction in progress");
    }

    @Test
    void aFailedBlockTakesItsEndAlone() {
        run("begin");
        assertThat(run("select 1/0")).isEqualTo("ERROR 22012 division by zero");
        assertThat(session.transactionState()).isEqualTo(SqlSession.TransactionState.FAILED);
        assertThat(run("select 1"))
                .isEqualTo(
                        "ERROR 25P02 current transaction is aborted, commands ignored until end of transaction block");
        assertThat(run("commit")).isEqualTo("ROLLBACK");
        assertThat(run("select 1")).isEqualTo("1");
    }

    @Test
    void aSavepointBringsBackAFailedBlock() {
        assertThat(run("savepoint s")).startsWith("ERROR 25P01");
        run("begin");
        assertThat(run("savepoint s")).isEqualTo("SAVEPOINT");
        run("select 1/0");
        assertThat(run("rollback to s")).isEqualTo("ROLLBACK");
        assertThat(run("select 1")).isEqualTo("1");
        assertThat(run("release t")).isEqualTo("ERROR 3B001 savepoint \"t\" does not exist");
    }

    @Test
    void setInARolledBackBlockIsUndone() {
        run("begin; set application_name = 'inside'");
        assertThat(run("show application_name")).isEqualTo("inside");
        run("rollback");
        assertThat(run("show application_name")).isEmpty();
    }

    @Test
    void writesAreRefused() {
        assertThat(run("insert into t values (1)"))
                .isEqualTo("ERROR 25006 cannot execute INSERT in a read-only transaction");
    }

    @Test
    void theSearchPathFindsTables() {
        assertThat(run("set search_path = nowhere")).isEqualTo("SET");
        assertThat(run("select a from t")).isEqualTo("ERROR 42P01 relation \"t\" does not exist");
        assertThat(run("select count(*) from public.t")).isEqualTo("4");
        assertThat(session.searchPath()).containsExactly("nowhere");
        run("discard all");
        assertThat(session.searchPath()).containsExactly("tester", "public");
    }

    @Test
    void daysBeginInTheSessionsTimeZone() {
        run("set time zone 'Europe/Berlin'");
        assertThat(run("select date_trunc('day', timestamptz '2024-07-01 12:00+00')"))
                .isEqualTo("1719784800000000");
        assertThat(run("select now() is null")).isEqualTo("false");
    }
}
