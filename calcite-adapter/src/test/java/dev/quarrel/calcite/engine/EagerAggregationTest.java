package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// What is grouped before it is joined, and that the groups are the same.
///
/// The same statement with an average in HAVING, which nobody merges, says what is right.
final class EagerAggregationTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261127L);
    private static final int ROUNDS = 30;
    private static final Schema SALES = Schema.of(
            new Field("customer", DataType.INT32, true),
            new Field("day", DataType.INT32, true),
            new Field("pieces", DataType.INT32, true),
            new Field("bytes", DataType.INT64, true),
            new Field("price", new DataType.Decimal(9, 2), true),
            new Field("weight", DataType.FLOAT64, true));
    private static final Schema CUSTOMERS = Schema.of(
            new Field("number", DataType.INT32, true),
            new Field("name", DataType.UTF8, true),
            new Field("street", DataType.UTF8, true),
            new Field("country", DataType.INT32, true));
    private static final Schema COUNTRIES =
            Schema.of(new Field("number", DataType.INT32, true), new Field("name", DataType.UTF8, true));
    private static final Schema DAYS =
            Schema.of(new Field("number", DataType.INT32, false), new Field("month", DataType.INT32, true));

    private static final TestCatalog CATALOG = new TestCatalog();
    private static Engine engine;
    private static SqlSession session;

    private final Random random = new Random(SEED);

    /// Some sales are of customers that are not there, some customers' numbers come twice.
    @BeforeAll
    static void open() {
        Random data = new Random(7);
        CATALOG.put("sales", SALES, rows(90_000, _ -> {
            return TestCatalog.row(
                    value(data, 6_500),
                    value(data, 30),
                    value(data, 100),
                    value(data, 1_000_000_000),
                    data.nextInt(25) == 0 ? null : BigDecimal.valueOf(data.nextInt(2_000_000) - 1_000_000, 2),
                    data.nextInt(25) == 0 ? null : (Object) (data.nextInt(1_000) / 4.0));
        }));
        CATALOG.put("customers", CUSTOMERS, rows(6_000, number -> {
            return TestCatalog.row(
                    data.nextInt(100) == 0 ? value(data, 6_000) : (Object) (long) number,
                    data.nextInt(50) == 0 ? null : "customer " + data.nextInt(5_500),
                    "street " + number,
                    value(data, 20));
        }));
        CATALOG.put("countries", COUNTRIES, rows(20, number -> TestCatalog.row((long) number, "land " + number % 7)));
        CATALOG.put("days", DAYS, rows(30, number -> TestCatalog.row((long) number, (long) (number / 10))));
        engine = LocalEngine.open(CATALOG, EngineConfig.defaults().withThreads(2));
        session = engine.openSession("tester");
    }

    private static Object[][] rows(int count, java.util.function.IntFunction<Object[]> row) {
        return IntStream.range(0, count).mapToObj(row).toArray(Object[][]::new);
    }

    private static Object value(Random data, int bound) {
        return data.nextInt(25) == 0 ? null : (Object) (long) data.nextInt(bound);
    }

    @AfterAll
    static void close() {
        session.close();
        engine.close();
    }

    @TestFactory
    Stream<DynamicTest> plans() throws IOException {
        return Goldens.tests("eager-aggregation.txt", sql -> Answers.of(session, sql));
    }

    @Test
    void groupsAreTheSame() {
        int eager = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<String> keys = some(List.of(
                    "c.name",
                    "c.street",
                    "upper(c.name)",
                    "l.name",
                    "d.month",
                    "s.day",
                    "s.day % 3",
                    "c.country + d.month"));
            List<String> calls = some(List.of(
                    "count(*)",
                    "count(s.price)",
                    "sum(s.price)",
                    "sum(s.pieces)",
                    "sum(s.bytes)",
                    "min(s.bytes)",
                    "max(s.weight)",
                    "sum(s.price * s.pieces)",
                    "count(*) FILTER (WHERE s.pieces > 50)",
                    "sum(s.pieces) FILTER (WHERE s.day < 10)",
                    "bool_or(s.pieces > 98)"));
            String rest =
                    " from sales s join customers c on s.customer = c.number join countries l on l.number = c.country"
                            + " join days d on d.number = s.day"
                            + (random.nextBoolean() ? " and s.pieces < 90" : "")
                            + (random.nextInt(3) == 0 ? " and d.month <> c.country" : "")
                            + " group by " + String.join(", ", keys);
            String ordered = " order by " + String.join(", ", keys) + " limit 2000";
            String select = "select " + String.join(", ", keys) + ", " + String.join(", ", calls);
            String query = select + rest + ordered;
            assertThat(Answers.of(session, query))
                    .as("seed %s, round %s: %s", SEED, round, query)
                    .isEqualTo(
                            Answers.of(session, select + rest + " having coalesce(avg(s.weight), 0) > -1" + ordered));
            String plans = String.join("\n", Answers.of(session, "explain (plans) " + query));
            eager += plans.contains("Phase eager aggregation: unchanged") ? 0 : 1;
        }
        assertThat(eager).as("statements with eager aggregation").isGreaterThan(ROUNDS / 4);
    }

    private List<String> some(List<String> all) {
        List<String> rest = new ArrayList<>(all);
        List<String> chosen = new ArrayList<>();
        for (int count = 1 + random.nextInt(3); count > 0; count--) {
            chosen.add(rest.remove(random.nextInt(rest.size())));
        }
        return chosen;
    }
}
