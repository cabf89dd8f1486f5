package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Statements that differ in literals alone: which of them share a plan, and that each has its own answer.
final class SharedPlansTest {
    private final TestCatalog catalog = TestCatalog.small();
    private Engine engine;
    private SqlSession sharing;
    private SqlSession alone;

    @BeforeEach
    void open() {
        engine = LocalEngine.open(catalog, EngineConfig.defaults().withThreads(2));
        sharing = engine.openSession("tester");
        sharing.set("plan_cache_mode", "force_generic_plan");
        alone = engine.openSession("tester");
        alone.set("plan_cache_mode", "force_custom_plan");
    }

    @AfterEach
    void close() {
        sharing.close();
        alone.close();
        engine.close();
    }

    private record Pair(String one, String other) {}

    private static Pair pair(String one, String other) {
        return new Pair(one, other);
    }

    @TestFactory
    Stream<DynamicTest> share() {
        return Stream.of(
                        pair("select b from t where a = 1", "select b from t where a = 2"),
                        pair("select b from t where a = 1", "SELECT b FROM t WHERE a=3"),
                        pair("select b from t where a > -1", "select b from t where a > -2"),
                        pair("select b from t where a > -0", "select b from t where a > -2"),
                        pair("select b from t where a > - 2", "select b from t where a > - 0"),
                        pair("select b from t where c > -2.50", "select b from t where c > -8.00"),
                        pair("select a from t where b = 'x'", "select a from t where b = 'y'"),
                        pair("select a from t where b = 'x'", "select a from t where b = E'y'"),
                        pair("select a from t where p = 'ab'", "select a from t where p = 'abc '"),
                        pair("select a from t where c < 1.60", "select a from t where c < 9.99"),
                        pair("select a from t where c < 2", "select a from t where c < 1000"),
                        pair("select a from t where c >= 1.500", "select a from t where c >= 1.555"),
                        pair("select a from t where e > 1.5", "select a from t where e > 0.5"),
                        pair("select a from t where d = '1994-08-23'", "select a from t where d = '1994-08-24'"),
                        pair(
                                "select a from t where d >= date '1994-08-23'",
                                "select a from t where d >= date '1994-12-01'"),
                        pair(
                                "select a from t where d > '1994-08-23'::date",
                                "select a from t where d > '1994-12-01'::date"),
                        pair(
                                "select a from t where a between 1 and 2 and b <> 'z' order by 1",
                                "select a from t where a between 2 and 3 and b <> 'x' order by 1"),
                        pair("select a from t where a < 2 or c > 2.00", "select a from t where a < 1 or c > 1.00"),
                        pair("select a from t where not a < 2", "select a from t where not a < 3"),
                        pair(
                                "select t.b, n from t join u on t.a = u.a and u.n > 'o' where t.a < 3",
                                "select t.b, n from t join u on t.a = u.a and u.n > 'd' where t.a < 2"),
                        pair(
                                "select b from t where exists (select 1 from u where u.a = t.a and n < 'one')",
                                "select b from t where exists (select 1 from u where u.a = t.a and n < 'u')"),
                        pair(
                                "select b, count(*) from t group by b having count(*) > 1",
                                "select b, count(*) from t group by b having count(*) > 0"),
                        pair(
                                "with w as (select * from t where a > 1) select x.a from w x join w y on x.a = y.a",
                                "with w as (select * from t where a > 0) select x.a from w x join w y on x.a = y.a"),
                        pair("select a from t where a = 1 limit 1", "select a from t where a = 2 limit 1"),
                        pair("select a from t where a = '1'", "select a from t where a = '2'"),
                        pair("select a from t where a = 1 and c = 1", "select a from t where a = 3 and c = 3"))
                .map(pair -> DynamicTest.dynamicTest(pair.one(), () -> {
                    Answers.of(sharing, "discard plans");
                    assertThat(plan(sharing, pair.other())).isSameAs(plan(sharing, pair.one()));
                    requireAnswers(pair);
                    assertThat(plan(alone, pair.other())).isNotSameAs(plan(alone, pair.one()));
                }));
    }

    @TestFactory
    Stream<DynamicTest> doNotShare() {
        return Stream.of(
                        pair("select a, b from t order by 1 desc", "select a, b from t order by 2 desc"),
                        pair("select b, count(*) from t group by 1", "select b, count(*) from t group by 2"),
                        pair("select a from t order by a limit 1", "select a from t order by a limit 2"),
                        pair("select a + 1 from t", "select a + 2 from t"),
                        pair("select 'x', a from t", "select 'y', a from t"),
                        pair("select a from t where a in (1, 2)", "select a from t where a in (1, 3)"),
                        pair("select a from t where a = 1 or a = 2", "select a from t where a = 1 or a = 3"),
                        pair("select a from t where b like 'x%'", "select a from t where b like 'y%'"),
                        pair("select a from t where a + 1 = 2 and a = 1", "select a from t where a + 2 = 2 and a = 1"),
                        pair("select a from t where c = 1.5", "select a from t where c = 1.50"),
                        pair("select a from t where a = 1", "select a from t where a = 3000000000"),
                        pair("select a from t where a < 1", "select a from t where a < 1.5"),
                        pair("select a from t where a = 1", "select a from t where a = '1'"),
                        pair("select a from t where d = '1994-08-23'", "select a from t where d = 'today'"),
                        pair("select a from t where d = '1994-08-23'", "select a from t where d = 'infinity'"),
                        pair("select a from t where d = '1994-08-23'", "select a from t where d = '1994-13-23'"),
                        pair("select a from t where a = '1'", "select a from t where a = 'one'"),
                        pair("select a from t where 1 = 1", "select a from t where 1 = 2"),
                        pair("select a from t where a > 1 + 1", "select a from t where a > 1 + 2"),
                        pair("select a from t where b = 'x' and b = 'x'", "select a from t where b = 'x' and b = 'y'"),
                        pair(
                                "select a from t where d > date '1994-08-23' + interval '1 day'",
                                "select a from t where d > date '1994-08-23' + interval '9 day'"),
                        pair(
                                "select date_trunc('month', d) from t where a = 1",
                                "select date_trunc('year', d) from t where a = 1"),
                        pair("select timestamp_floor('d', d) from t", "select timestamp_floor('y', d) from t"),
                        pair(
                                "select a from t where d > dateadd('d', 1, '1994-08-23')",
                                "select a from t where d > dateadd('d', 9, '1994-08-23')"),
                        pair(
                                "select a from t where d > dateadd('d', 1, '1994')",
                                "select a from t where d > dateadd('d', 1, '1995')"),
                        pair("select datediff('d', d, '1994') from t", "select datediff('h', d, '1994') from t"),
                        pair(
                                "select sum(a) over (order by d range 1 day preceding) from t",
                                "select sum(a) over (order by d range 900 day preceding) from t"),
                        pair(
                                "select sum(a) over (order by d range '1' day preceding) from t",
                                "select sum(a) over (order by d range '900' day preceding) from t"),
                        pair("select a > 1 from t group by a > 1", "select a > 2 from t group by a > 2"),
                        pair("select a from t where b::varchar(1) = 'x'", "select a from t where b::varchar(2) = 'x'"),
                        pair("select sum(c) from t where a = 1.5::int", "select sum(c) from t where a = 2.5::int"))
                .map(pair -> DynamicTest.dynamicTest(pair.one() + " | " + pair.other(), () -> {
                    Answers.of(sharing, "discard plans");
                    Object one = planOrNull(pair.one());
                    assertThat(one == null || one != planOrNull(pair.other())).isTrue();
                    requireAnswers(pair);
                }));
    }

    /// Positions in errors are those of the text that was sent.
    @Test
    void anErrorPointsIntoItsOwnText() {
        Answers.of(sharing, "select a from t where b = 'x' and d = '1994-08-23'");
        for (String sql : List.of(
                "select a from t where b = 'long text' and d = '1994-13-23'",
                "select a from t where b = 'xyz' and d = 'nonsense'")) {
            assertThat(Answers.of(sharing, sql)).isEqualTo(Answers.of(alone, sql));
        }
    }

    /// A plan is made for the second statement of a shape, so that one that is alone knows all of its literals.
    @Test
    void theFirstStatementHasAPlanOfItsOwn() {
        SqlSession session = engine.openSession("tester");
        Object first = plan(session, "select b from t where a = 1");
        Object second = plan(session, "select b from t where a = 2");
        Object third = plan(session, "select b from t where a = 3");
        assertThat(second).isNotSameAs(first);
        assertThat(third).isSameAs(second);
        assertThat(plan(session, "select b from t where a = 1")).isSameAs(first);
        assertThat(Answers.of(session, "select b from t where a = 3")).containsExactly("x");
        session.close();
    }

    /// EXPLAIN shows the literals of its own statement.
    @Test
    void explainShowsItsOwnLiterals() {
        Answers.of(sharing, "select b from t where a = 1");
        Answers.of(sharing, "select b from t where a = 2");
        assertThat(Answers.of(sharing, "explain select b from t where a = 3"))
                .isEqualTo(Answers.of(alone, "explain select b from t where a = 3"));
    }

    private void requireAnswers(Pair pair) {
        // A statement's own plan would be found before the shared one.
        List<String> statements = List.of(pair.one(), pair.other(), pair.one());
        List<List<String>> shared =
                statements.stream().map(sql -> Answers.of(sharing, sql)).toList();
        for (int index = 0; index < shared.size(); index++) {
            assertThat(shared.get(index)).as(statements.get(index)).isEqualTo(Answers.of(alone, statements.get(index)));
        }
    }

    private Object planOrNull(String sql) {
        try {
            return plan(sharing, sql);
        } catch (dev.quarrel.core.type.QueryException _) {
            return null;
        }
    }

    private static Object plan(SqlSession session, String sql) {
        LocalPrepared prepared =
                (LocalPrepared) session.prepare(session.parse(sql).getFirst(), List.of());
        session.endImplicitTransaction();
        return prepared.planned().plan();
    }
}
