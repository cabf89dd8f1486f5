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
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// What is told instead of joined, and that the aggregates are the same.
///
/// The same statement with an average in HAVING, which nobody merges, says what is right.
final class JoinMessagesTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261128L);
    private static final int ROUNDS = Integer.getInteger("quarrel.rounds", 30);
    private static final Schema SCHEMA = Schema.of(
            new Field("k", DataType.INT32, true),
            new Field("j", DataType.INT32, true),
            new Field("v", DataType.INT32, true),
            new Field("w", DataType.INT64, true),
            new Field("x", new DataType.Decimal(9, 2), true),
            new Field("t", DataType.UTF8, true));

    private static final TestCatalog CATALOG = new TestCatalog();
    private static Engine engine;
    private static SqlSession session;

    private final Random random = new Random(SEED);

    @BeforeAll
    static void open() {
        Random data = new Random(11);
        for (String name : List.of("one", "two", "three", "four")) {
            CATALOG.put(
                    name,
                    SCHEMA,
                    Stream.generate(() -> TestCatalog.row(
                                    some(data, () -> (long) data.nextInt(24)),
                                    some(data, () -> (long) data.nextInt(12)),
                                    some(data, () -> (long) data.nextInt(100) - 20),
                                    some(data, data::nextLong),
                                    some(data, () -> BigDecimal.valueOf(data.nextInt(200_000) - 50_000, 2)),
                                    some(data, () -> "text " + data.nextInt(50))))
                            .limit(700 + 50 * name.length())
                            .toArray(Object[][]::new));
        }
        engine = LocalEngine.open(CATALOG, EngineConfig.defaults().withThreads(2));
        session = engine.openSession("tester");
    }

    private static Object some(Random data, Supplier<Object> value) {
        return data.nextInt(20) == 0 ? null : value.get();
    }

    @AfterAll
    static void close() {
        session.close();
        engine.close();
    }

    @TestFactory
    Stream<DynamicTest> plans() throws IOException {
        return Goldens.tests("join-messages.txt", sql -> Answers.of(session, sql));
    }

    @Test
    void aggregatesAreTheSame() {
        int told = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int relations = 2 + random.nextInt(3);
            List<String> tables = new ArrayList<>(List.of("one", "two", "three", "four"));
            StringBuilder from = new StringBuilder(" from " + tables.removeFirst() + " a");
            for (int number = 1; number < relations; number++) {
                char name = (char) ('a' + number);
                char other = (char) ('a' + random.nextInt(number));
                from.append(" join ").append(tables.removeFirst()).append(' ').append(name);
                from.append(" on ").append(condition(name, other));
                if (random.nextInt(4) == 0) {
                    from.append(" and ").append(condition(name, (char) ('a' + random.nextInt(number))));
                }
            }
            from.append(random.nextBoolean() ? " where a.v < 5" : "");
            List<String> keys = new ArrayList<>();
            for (int count = random.nextInt(3); count > 0; count--) {
                keys.add((char) ('a' + random.nextInt(relations)) + "." + (random.nextBoolean() ? "j" : "t"));
            }
            List<String> calls = new ArrayList<>();
            for (int count = 1 + random.nextInt(4); count > 0; count--) {
                calls.add(call((char) ('a' + random.nextInt(relations))));
            }
            String group = keys.isEmpty() ? "" : " group by " + String.join(", ", keys);
            String order = keys.isEmpty() ? "" : " order by " + String.join(", ", keys) + " limit 500";
            String select = "select "
                    + String.join(
                            ", ", Stream.of(keys, calls).flatMap(List::stream).toList());
            String query = select + from + group + order;
            String right = select + from + group + " having coalesce(avg(a.v), 0) > -1000" + order;
            assertThat(Answers.of(session, query))
                    .as("seed %s, round %s: %s", SEED, round, query)
                    .isEqualTo(Answers.of(session, right));
            String plans = String.join("\n", Answers.of(session, "explain (plans) " + query));
            told += plans.contains("Phase join messages: unchanged") ? 0 : 1;
        }
        assertThat(told).as("statements with messages").isGreaterThan(ROUNDS / 4);
    }

    private String condition(char one, char other) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> one + ".k = " + other + ".k";
            case 4, 5 -> one + ".j = " + other + ".j";
            case 6 -> one + ".k = " + other + ".j";
            default -> one + ".k = " + other + ".k and " + one + ".v < " + other + ".v";
        };
    }

    private String call(char of) {
        return switch (random.nextInt(12)) {
            case 0, 1 -> "count(*)";
            case 10 -> "count(1) filter (where " + of + ".t < 'text 2')";
            case 11 -> "sum(2) filter (where " + of + ".v > 3)";
            case 2 -> "count(" + of + ".v)";
            case 3 -> "sum(" + of + ".v)";
            case 4 -> "sum(" + of + ".w)";
            case 5 -> "sum(" + of + ".x)";
            case 6 -> "min(" + of + ".t)";
            case 7 -> "max(" + of + ".x)";
            case 8 -> "sum(" + of + ".v) filter (where " + of + ".j > 3)";
            default -> "count(*) filter (where " + of + ".t < 'text 3')";
        };
    }
}
