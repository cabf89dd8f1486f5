package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Aggregates in Java that an application adds: every clause that an aggregate may have, NULLs, errors and memory.
final class JavaAggregatesTest {
    private static final class Weighted {
        private double sum;
        private double weight;

        Weighted add(Object[] row) {
            sum += (Double) row[0] * (Integer) row[1];
            weight += (Integer) row[1];
            return this;
        }

        Weighted plus(Weighted other) {
            sum += other.sum;
            weight += other.weight;
            return this;
        }

        Double mean() {
            return weight == 0 ? null : sum / weight;
        }
    }

    private static List<String> added(List<String> texts, Object[] row) {
        texts.add(String.valueOf(row[0]));
        return texts;
    }

    private static List<String> both(List<String> texts, List<String> more) {
        texts.addAll(more);
        return texts;
    }

    private static final List<JavaAggregate> AGGREGATES = List.of(
            JavaAggregate.named("weighted_mean")
                    .argument(double.class)
                    .argument(int.class)
                    .result(Double.class)
                    .states(Weighted::new, Weighted::add, Weighted::mean)
                    .merged(Weighted::plus)
                    .build(),
            JavaAggregate.named("listed")
                    .argument(String.class)
                    .result(String.class)
                    .takesNull()
                    .<List<String>>states(ArrayList::new, JavaAggregatesTest::added, List::toString)
                    .build(),
            JavaAggregate.named("listed")
                    .argument(Integer.class)
                    .result(String.class)
                    .<List<String>>states(ArrayList::new, JavaAggregatesTest::added, list -> "numbers " + list)
                    .build(),
            JavaAggregate.named("counted")
                    .argument(Long.class)
                    .result(long.class)
                    .states(() -> 0L, (count, _) -> count + 1, count -> count)
                    .merged(Long::sum)
                    .build(),
            JavaAggregate.named("kept")
                    .argument(Long.class)
                    .result(Integer.class)
                    .<List<String>>states(ArrayList::new, JavaAggregatesTest::added, List::size)
                    .merged(JavaAggregatesTest::both)
                    .sized(texts -> 1000L * texts.size())
                    .build(),
            JavaAggregate.named("failing")
                    .argument(Integer.class)
                    .result(Integer.class)
                    .states(() -> 0, (_, row) -> 10 / ((Integer) row[0] - 2), each -> each)
                    .build());

    private final Engine engine = LocalEngine.open(
            TestCatalog.small(), EngineConfig.defaults().withThreads(2).withAggregates(AGGREGATES));
    private final SqlSession session = engine.openSession("tester");

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private List<String> answers(String sql) {
        return Answers.of(session, sql);
    }

    @Test
    void rowsWithNullsAreLeftOutUnlessTheyAreTaken() {
        assertThat(answers("select weighted_mean(e, a), listed(b), listed(a) from t"))
                .containsExactly("0.8333333333333334|[x, y, x, null]|numbers [1, 2, 3]");
        assertThat(answers("select weighted_mean(null, 1), listed(b), counted(1) from t where a > 9"))
                .containsExactly("null|[]|0");
    }

    @Test
    void theyTakeEveryClause() {
        assertThat(answers("select b, weighted_mean(e, a), counted(a) from t group by b order by b"))
                .containsExactly("x|0.0|2", "y|2.5|1", "null|null|0");
        assertThat(answers("select listed(b order by a desc nulls last) from t"))
                .containsExactly("[x, y, x, null]");
        assertThat(answers("select listed(a order by b desc, a desc) from t")).containsExactly("numbers [2, 3, 1]");
        assertThat(answers("select listed(distinct b), counted(distinct b::text::int8 is null) from t where false"))
                .hasSize(1);
        assertThat(answers("select listed(distinct b) from t")).containsExactly("[x, y, null]");
        assertThat(answers("select listed(distinct b order by b desc) from t")).containsExactly("[null, y, x]");
        assertThat(answers("select counted(distinct n) from (values (1), (1), (2), (null)) v(n)"))
                .containsExactly("2");
        assertThat(answers("select listed(b) filter (where a > 1), counted(a) filter (where a = 1) from t"))
                .containsExactly("[y, x]|1");
        assertThat(answers("select b, counted(a) from t group by rollup (b) order by b, 2"))
                .containsExactly("x|2", "y|1", "null|0", "null|3");
        assertThat(answers("select b from t group by b having counted(a) > 1")).containsExactly("x");
        assertThat(answers("select (select counted(u.a) from u where u.a = t.a) from t order by a"))
                .containsExactly("1", "2", "0", "0");
    }

    @Test
    void theyAreWindowFunctions() {
        assertThat(answers("select a, listed(b) over (order by a) from t order by a"))
                .containsExactly("1|[x]", "2|[x, y]", "3|[x, y, x]", "null|[x, y, x, null]");
        assertThat(answers("select a, counted(a) over (partition by b) from t order by a"))
                .containsExactly("1|2", "2|1", "3|2", "null|0");
        assertThat(answers("select listed(a) over (order by a rows between 1 preceding and 1 following) from t"))
                .containsExactly("numbers [1, 2]", "numbers [1, 2, 3]", "numbers [2, 3]", "numbers [3]");
        assertThat(answers("select listed(b) over (order by a rows between unbounded preceding and unbounded following "
                        + "exclude current row) from t order by a"))
                .containsExactly("[y, x, null]", "[x, x, null]", "[x, y, null]", "[x, y, x]");
        assertThat(answers("select listed(b) filter (where a > 1) over (order by a) from t order by a"))
                .containsExactly("[]", "[y]", "[y, x]", "[y, x]");
    }

    @Test
    void manyGroupsAndRowsAreMerged() {
        assertThat(answers(
                        "select count(*), min(n), max(n) from (select counted(g) n from generate_series(1, 200000) g "
                                + "group by g % 70000) v"))
                .containsExactly("70000|2|3");
        assertThat(answers("select counted(g), weighted_mean(g, 2) from generate_series(1, 100000) g"))
                .containsExactly("100000|50000.5");
        assertThat(answers("select sum(n) from (select counted(g) over (partition by g % 10) n "
                        + "from generate_series(1, 1000) g) v"))
                .containsExactly("100000");
    }

    @Test
    void errorsNameTheAggregate() {
        assertThat(answers("select failing(a) from t"))
                .containsExactly(
                        "ERROR 38000 the aggregate failing(integer) failed: java.lang.ArithmeticException: / by zero");
        assertThat(answers("select failing(a) over (order by a) from t"))
                .containsExactly(
                        "ERROR 38000 the aggregate failing(integer) failed: java.lang.ArithmeticException: / by zero");
        assertThat(answers("select counted(b) from t"))
                .containsExactly("ERROR 42883 function counted(text) does not exist");
        assertThat(answers("select counted(*) from t"))
                .containsExactly("ERROR 42883 function counted() does not exist");
        assertThat(answers("select a from t where counted(a) > 1"))
                .containsExactly("ERROR 42803 aggregate functions are not allowed in WHERE");
    }

    @Test
    void statesAreBoundedByTheQuerysMemory() {
        try (Engine small = LocalEngine.open(
                        TestCatalog.small(),
                        EngineConfig.defaults()
                                .withThreads(2)
                                .withQueryMemoryBytes(16 << 20)
                                .withAggregates(AGGREGATES));
                SqlSession asking = small.openSession("tester")) {
            assertThat(Answers.of(asking, "select kept(g) from generate_series(1, 1000) g"))
                    .containsExactly("1000");
            assertThat(Answers.of(asking, "select kept(g) from generate_series(1, 100000) g"))
                    .singleElement()
                    .asString()
                    .startsWith("ERROR 53200");
            assertThat(Answers.of(asking, "select g % 5000, kept(g) from generate_series(1, 100000) g group by 1"))
                    .singleElement()
                    .asString()
                    .startsWith("ERROR 53200");
            assertThat(Answers.of(
                            asking,
                            "select count(*), sum(length(l)) from (select listed(g::int) l "
                                    + "from generate_series(1, 400000) g group by g % 50000) v"))
                    .singleElement()
                    .asString()
                    .startsWith("50000|");
        }
    }

    @Test
    void namesThatAreTakenAreRefused() {
        assertRefused("sum", "function name \"sum\" is taken by a built-in one");
        assertRefused("rank", "function name \"rank\" is taken by a built-in one");
        assertRefused("upper", "function upper(bigint) cannot be an aggregate: functions have its name");
        assertRefused("Mixed", "\"Mixed\" cannot be called without quotes: a function's name is lower case");
    }

    private static void assertRefused(String name, String why) {
        JavaAggregate aggregate = JavaAggregate.named(name)
                .argument(Long.class)
                .result(Long.class)
                .states(() -> 0L, (count, _) -> count + 1, count -> count)
                .build();
        EngineConfig config = EngineConfig.defaults().withAggregates(List.of(aggregate));
        assertThatThrownBy(() -> LocalEngine.open(TestCatalog.small(), config))
                .isInstanceOf(QueryException.class)
                .hasMessage(why);
    }
}
