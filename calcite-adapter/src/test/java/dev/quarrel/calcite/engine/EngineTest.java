package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Statements, end to end: SQL in, rows out. The files' expected rows are PostgreSQL's.
final class EngineTest {
    private final TestCatalog catalog = TestCatalog.small();
    private Engine engine;
    private SqlSession session;

    @BeforeEach
    void open() {
        engine = LocalEngine.open(catalog, EngineConfig.defaults().withThreads(2));
        session = engine.openSession("tester");
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
        assertThat(catalog.openSnapshots).hasValue(0);
    }

    @TestFactory
    Stream<DynamicTest> rows() throws IOException {
        return withOwnEngine("rows.txt", sql -> Answers.of(session, sql));
    }

    @TestFactory
    Stream<DynamicTest> plans() throws IOException {
        catalog.putBounded("bounded", -5, 1000, 1000, 3, 3, 3, 1000, 1000, -5, -5, 3, 3);
        return withOwnEngine("plans.txt", sql -> Answers.of(session, sql));
    }

    /// The first line of a case names the phase: `phase: folding`. The answer is the tree before it and after it.
    @TestFactory
    Stream<DynamicTest> phases() throws IOException {
        catalog.putKeyed("kept", TestCatalog.row(1L, "a", "x", 2L), TestCatalog.row(2L, null, "x", null));
        catalog.putKeyed("kin", TestCatalog.row(1L, "a", "x", 2L), TestCatalog.row(2L, null, "x", 1L));
        catalog.putBounded("bounded", -5, 1000, 1000, 3, 3, 3, 1000, 1000, -5, -5, 3, 3);
        return withOwnEngine("phases.txt", text -> {
            String[] parts = text.split("\n", 2);
            return phase(
                    parts[0].substring("phase: ".length()),
                    Answers.of(session, "explain (plans, costs off) " + parts[1]));
        });
    }

    private static List<String> phase(String name, List<String> explained) {
        List<String> before = List.of();
        List<String> tree = new java.util.ArrayList<>();
        String shown = "";
        for (String line : explained) {
            if (!line.startsWith("  ")) {
                if (shown.equals(name)) {
                    break;
                }
                if (line.equals("Phase " + name + ": unchanged")) {
                    return List.of("unchanged");
                }
                if (line.startsWith("Phase ") && line.endsWith(":")) {
                    shown = line.substring("Phase ".length(), line.length() - 1);
                    before = List.copyOf(tree);
                    tree.clear();
                }
            } else {
                tree.add(line);
            }
        }
        assertThat(shown).as("the phase").isEqualTo(name);
        return Stream.of(Stream.of("before"), before.stream(), Stream.of("after"), tree.stream())
                .flatMap(lines -> lines)
                .toList();
    }

    /// Dynamic tests run between one BeforeEach and one AfterEach.
    private static Stream<DynamicTest> withOwnEngine(
            String file, java.util.function.Function<String, List<String>> answer) throws IOException {
        return Goldens.tests(file, answer);
    }

    @Test
    void rowsDoNotDependOnTileOrThreads() throws IOException {
        try (Engine other = LocalEngine.open(
                TestCatalog.small(), EngineConfig.defaults().withThreads(1).withTileRows(1))) {
            SqlSession narrow = other.openSession("tester");
            for (String sql : List.of(
                    "select b, count(*), sum(c), avg(a), min(e) from t group by b order by b",
                    "select t.a, n from t left join u on t.a = u.a order by 1, 2",
                    "select a, row_number() over (order by a desc) from t order by 1")) {
                assertThat(Answers.of(narrow, sql)).isEqualTo(Answers.of(session, sql));
            }
        }
    }

    @Test
    void parametersStayParametersAndPlansAreShared() {
        PreparedQuery query =
                session.prepare(session.parse("select n from u where a = $1").getFirst(), List.of());
        assertThat(run(query, 1L)).containsExactly("one");
        assertThat(run(query, 5L)).containsExactly("five");
        PreparedQuery again =
                session.prepare(session.parse("select n from u where a = $1").getFirst(), List.of());
        assertThat(((LocalPrepared) again).planned()).isSameAs(((LocalPrepared) query).planned());
    }

    @Test
    void plansAreSharedBetweenSpellingsButNotBetweenSettings() {
        PlannedQuery plan = planned(session, "select n from u where a = 1");
        try (SqlSession other = engine.openSession("somebody")) {
            assertThat(planned(other, "SELECT n\nFROM U -- one row\nWHERE a=1")).isSameAs(plan);
            assertThat(planned(other, "select n from u where a = 2")).isNotSameAs(plan);
            other.set("quarrel.require_gpu", "on");
            assertThatThrownBy(() -> planned(other, "select n from u where a = 1"))
                    .isInstanceOf(QueryException.class);
            other.set("quarrel.require_gpu", "off");
            other.set("search_path", "nowhere, public");
            assertThat(planned(other, "select n from u where a = 1")).isSameAs(plan);
        }
        assertThat(planned(session, "select n from u where a = 1")).isSameAs(plan);
    }

    private static PlannedQuery planned(SqlSession session, String sql) {
        PreparedQuery query = session.prepare(session.parse(sql).getFirst(), List.of());
        session.endImplicitTransaction();
        return ((LocalPrepared) query).planned();
    }

    @Test
    void explainAnalyzeSaysWhatEachPipelineDid() {
        List<String> lines = Answers.of(session, "explain analyze select b, count(*) from t group by b");
        assertThat(lines)
                .anyMatch(line -> line.matches(" +Rows: \\d+ in, \\d+ out"))
                .anyMatch(line -> line.matches(" +Tier: (interpreted|compiled.*)"))
                .anyMatch(
                        line -> line.matches(" +Time: [\\d.]+ ms after [\\d.]+ ms of preparation; workers [\\d.]+ ms"))
                .anyMatch(line -> line.matches(" +Read: \\d+ rows, \\d+ bytes in \\d+ batches; \\d+ batches skipped.*"))
                .anyMatch(line -> line.matches("Planning Time: [\\d.]+ ms"))
                .anyMatch(line -> line.matches("Execution Time: [\\d.]+ ms"));
        assertThat(Answers.of(session, "explain (analyze, timing off) select b, count(*) from t group by b"))
                .noneMatch(line -> line.contains("preparation"));
    }

    private List<String> run(PreparedQuery query, Long parameter) {
        List<String> lines = new java.util.ArrayList<>();
        try (Execution execution = session.execute(
                query, List.of(new Literal(DataType.INT32, parameter)), new dev.quarrel.core.budget.Cancellation())) {
            Answers.read(execution, lines);
        }
        session.endImplicitTransaction();
        return lines;
    }

    @Test
    void limitComesFromAParameter() {
        assertThat(Answers.of(
                        session,
                        "select a from t order by a limit $1 offset $2",
                        new Literal(DataType.INT64, 1L),
                        new Literal(DataType.INT64, 1L)))
                .containsExactly("2");
        assertThat(Answers.of(session, "select a from t order by a limit $1", new Literal(DataType.INT64, -1L)))
                .containsExactly("ERROR 2201W LIMIT must not be negative");
    }

    @Test
    void aPreparedStatementSeesANewCatalogAndRefusesNewColumns() {
        PreparedQuery query =
                session.prepare(session.parse("select * from u where a = $1").getFirst(), List.of());
        session.endImplicitTransaction();
        catalog.put("u", TestCatalog.U, TestCatalog.row(1L, "uno"));
        assertThat(run(query, 1L)).containsExactly("1|uno");
        catalog.put(
                "u",
                dev.quarrel.core.type.Schema.of(new dev.quarrel.core.type.Field("a", DataType.INT32, true)),
                TestCatalog.row(1L));
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                        dev.quarrel.core.type.QueryException.class, () -> run(query, 1L)))
                .hasMessage("cached plan must not change result type");
        session.endImplicitTransaction();
    }

    @Test
    void aBlockHoldsOneSnapshot() {
        Answers.of(session, "begin");
        assertThat(Answers.of(session, "select count(*) from u")).containsExactly("5");
        catalog.put("u", TestCatalog.U, TestCatalog.row(1L, "uno"));
        assertThat(Answers.of(session, "select count(*) from u")).containsExactly("5");
        Answers.of(session, "commit");
        assertThat(Answers.of(session, "select count(*) from u")).containsExactly("1");
    }

    @Test
    void nowStandsStillInABlock() throws InterruptedException {
        Answers.of(session, "begin");
        List<String> first = Answers.of(session, "select now()");
        Thread.sleep(2);
        assertThat(Answers.of(session, "select now()")).isEqualTo(first);
        Answers.of(session, "rollback");
        assertThat(Answers.of(session, "select now()")).isNotEqualTo(first);
    }

    @Test
    void aStatementStopsAtItsTimeout() {
        Answers.of(session, "set statement_timeout = '30ms'");
        String endless =
                "select count(*) from t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l, t m, t n, t o, t p"
                        + " where a.e + b.e + c.e + d.e + e.e + f.e + g.e + h.e + i.e + j.e + k.e + l.e + m.e + n.e + o.e + p.e > 1e9";
        assertThat(Answers.of(session, endless))
                .containsExactly("ERROR 57014 canceling statement due to statement timeout");
    }

    @Test
    void missingDevicesHaveReasons() {
        assertThat(engine.devices())
                .extracting(dev.quarrel.core.device.Device::name)
                .contains("cpu");
        assertThat(Answers.of(session, "set quarrel.require_gpu = on")).containsExactly("SET");
        assertThat(Answers.of(session, "select a from t"))
                .containsExactly("ERROR 0A000 pipeline 0 would run on the CPU");
    }
}
