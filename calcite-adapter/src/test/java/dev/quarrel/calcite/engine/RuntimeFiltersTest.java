package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Which scans are filtered by the keys of which build sides, and that no row goes missing.
///
/// The same joins by computed keys, which no filter sees, say what is right.
final class RuntimeFiltersTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261126L);
    private static final int ROUNDS = 150;
    private static final Schema SCHEMA = Schema.of(
            new Field("k", DataType.INT32, true),
            new Field("j", DataType.INT32, true),
            new Field("v", DataType.INT32, true));

    private final TestCatalog catalog = new TestCatalog();
    private final Random random = new Random(SEED);
    private Engine engine;
    private SqlSession session;

    @BeforeEach
    void open() {
        Random data = new Random(7);
        for (String name : List.of("one", "two", "three", "four")) {
            catalog.put(
                    name,
                    SCHEMA,
                    Stream.generate(() -> TestCatalog.row(value(data, 600), value(data, 40), value(data, 100)))
                            .limit(1200 + 100 * name.length())
                            .toArray(Object[][]::new));
        }
        engine = LocalEngine.open(catalog, EngineConfig.defaults().withThreads(2));
        session = engine.openSession("tester");
    }

    private static Object value(Random data, int bound) {
        return data.nextInt(25) == 0 ? null : (Object) (long) data.nextInt(bound);
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
        assertThat(catalog.openSnapshots).hasValue(0);
    }

    @TestFactory
    Stream<DynamicTest> plans() throws IOException {
        return Goldens.tests("runtime-filters.txt", sql -> Answers.of(session, sql));
    }

    @Test
    void noRowGoesMissing() {
        int filtered = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String query = query();
            String computed = query.replaceAll("(\\b\\w+\\.[kj]) = (\\w+\\.[kj]\\b)", "$1 + 0 = $2 + 0");
            assertThat(Answers.of(session, query))
                    .as("seed %s, round %s: %s", SEED, round, query)
                    .isEqualTo(Answers.of(session, computed));
            filtered +=
                    String.join("\n", Answers.of(session, "explain " + query)).contains("Runtime Filter") ? 1 : 0;
        }
        assertThat(filtered).as("statements with filters").isGreaterThan(ROUNDS / 4);
    }

    private String query() {
        StringBuilder text = new StringBuilder("select count(*), sum(a.v), sum(b.v)");
        int relations = 3 + random.nextInt(2);
        text.append(relations == 4 ? ", sum(d.v), sum(c.v)" : ", sum(c.v)");
        text.append(" from ").append(relation()).append(" a");
        for (int number = 1; number < relations; number++) {
            String name = "" + (char) ('a' + number);
            String other = "" + (char) ('a' + random.nextInt(number));
            text.append(one(" join ", " join ", " join ", " left join ", " right join ", " full join "));
            text.append(relation()).append(' ').append(name);
            text.append(" on ").append(other).append(".k = ").append(name).append(".k");
            if (random.nextInt(4) == 0) {
                text.append(" and ").append(other).append(".j = ").append(name).append(".j");
            }
        }
        if (random.nextInt(2) == 0) {
            text.append(" where ").append(one("", "not ")).append("exists (select 1 from ");
            text.append(relation())
                    .append(" x where x.k = ")
                    .append(one("a", "b", "c"))
                    .append(".k)");
        }
        return text.toString();
    }

    private String relation() {
        String table = one("one", "two", "three", "four");
        return switch (random.nextInt(5)) {
            case 0 -> "(select * from " + table + " where j < " + random.nextInt(1, 20) + ")";
            case 1 -> "(select k, min(j) as j, min(v) as v from " + table + " group by k)";
            case 2 -> "(select k, j, count(*)::int as v from " + table + " group by k, j having count(*) > 1)";
            case 3 ->
                "(select p.k, q.j, p.v from " + table + " p join " + one("one", "two") + " q on p.k = q.k where q.v < "
                        + random.nextInt(1, 30) + ")";
            default -> table;
        };
    }

    private String one(String... texts) {
        return texts[random.nextInt(texts.length)];
    }
}
