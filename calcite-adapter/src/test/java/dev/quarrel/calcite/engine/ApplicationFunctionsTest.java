package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.PgType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Functions in Java that an application adds: in pipelines if they depend on their arguments alone, above them if they
/// ask the session.
final class ApplicationFunctionsTest {
    private static final List<ScalarFunction> FUNCTIONS = List.of(
            ScalarFunction.pure("shout", List.of(PgType.TEXT), PgType.TEXT, true, values -> values[0] + "!"),
            ScalarFunction.pure(
                    "shown", List.of(PgType.TEXT), PgType.TEXT, false, values -> values[0] == null ? "(none)" : null),
            ScalarFunction.pure(
                    "inverse", List.of(PgType.INT4), PgType.INT8, true, values -> 12 / ((Long) values[0] - 2)),
            ScalarFunction.pure("year", List.of(PgType.INT4), PgType.INT8, true, values -> 2000 + (Long) values[0]),
            new ScalarFunction("who", List.of(), PgType.TEXT, true, (session, _) -> session.user()));

    private final Engine engine = LocalEngine.open(
            TestCatalog.small(), EngineConfig.defaults().withThreads(2).withFunctions(FUNCTIONS));
    private final SqlSession session = engine.openSession("tester");

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    @Test
    void pureOnesRunInPipelines() {
        assertThat(Answers.of(session, "select shout(b), count(*) from t where shout(b) <> 'y!' group by 1"))
                .containsExactly("x!|2");
        assertThat(Answers.of(session, "explain select a from t where shout(b) = 'x!'"))
                .noneMatch(line -> line.contains("Function"))
                .anyMatch(line -> line.endsWith("Filter: (shout(b) = 'x!')"));
        assertThat(Answers.of(session, "explain select who() from t")).anyMatch(line -> line.contains("Function"));
    }

    @Test
    void theyGoBeforeThoseOfTimeSeries() {
        assertThat(Answers.of(session, "select year(a), month(d) from t where a = 1"))
                .containsExactly("2001|8");
        assertThat(Answers.of(session, "select year(d) from t").getFirst())
                .startsWith("ERROR 42883 function year(date) does not exist");
    }

    @Test
    void nullsReachOnlyThoseThatTakeThem() {
        assertThat(Answers.of(session, "select shout(b), shown(b) from t where a is null or a = 2 order by a"))
                .containsExactly("y!|null", "null|(none)");
    }

    @Test
    void theyAreCalledOnlyForRowsThatGetThere() {
        assertThat(Answers.of(session, "select case when a <> 2 then inverse(a) end from t order by a"))
                .containsExactly("-12", "null", "12", "null");
        assertThat(Answers.of(session, "select inverse(a) from t where a = 2"))
                .containsExactly(
                        "ERROR 38000 the function inverse(integer) failed: java.lang.ArithmeticException: / by zero");
    }

    @Test
    void constantCallsAreFolded() {
        assertThat(Answers.of(session, "explain (verbose) select a from t where b = shout('a')"))
                .anyMatch(line -> line.contains("'a!'"));
    }
}
