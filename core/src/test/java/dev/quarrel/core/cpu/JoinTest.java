package dev.quarrel.core.cpu;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Joins against nested loops: kinds, key types, repeated and NULL keys, tile sizes and threads.
class JoinTest {
    private static final DataType DECIMAL = new DataType.Decimal(12, 2);
    private static final DataType WIDE = new DataType.Decimal(38, 3);
    private static final int[][] CONFIGURATIONS = {{1, 2048}, {1, 1}, {3, 7}, {3, 64}};

    static Stream<List<DataType>> keys() {
        return Stream.of(
                List.of(),
                List.of(DataType.INT32),
                List.of(DataType.INT16),
                List.of(DataType.DATE),
                List.of(DataType.INT64),
                List.of(DataType.TIMESTAMP),
                List.of(DataType.BOOL),
                List.of(DataType.FLOAT32),
                List.of(DataType.FLOAT64),
                List.of(DECIMAL),
                List.of(WIDE),
                List.of(DataType.NUMERIC),
                List.of(DataType.UTF8),
                List.of(DataType.INT32, DataType.INT32),
                List.of(DataType.INT32, DataType.UTF8),
                List.of(DataType.INT64, DataType.INT64),
                List.of(DataType.INT32, DataType.INT64, DataType.UTF8),
                List.of(DataType.UTF8, DataType.UTF8, DataType.DATE, DataType.BOOL));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void agreesWithNestedLoops(List<DataType> keyTypes) {
        long seed = 42 + keyTypes.hashCode();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int domain : new int[] {12, 4000}) {
            for (boolean unique : new boolean[] {true, false}) {
                List<DataType> types = new ArrayList<>(keyTypes);
                types.add(DataType.UTF8);
                types.add(DataType.INT64);
                List<List<Object>> build = TestRows.random(types, keyTypes.isEmpty() ? 3 : 120, domain, 0.1, random);
                if (unique) {
                    build = distinct(build, keyTypes.size());
                }
                List<List<Object>> probe = TestRows.random(types, 300, domain, 0.1, random);
                for (JoinKind kind : JoinKind.values()) {
                    check(kind, keyTypes, types, build, probe);
                }
            }
        }
    }

    private static void check(
            JoinKind kind,
            List<DataType> keyTypes,
            List<DataType> types,
            List<List<Object>> build,
            List<List<Object>> probe) {
        List<List<Object>> expected = nestedLoops(kind, keyTypes.size(), build, probe);
        MemoryTable buildTable = TestRows.table("build", types, build, 17, 40);
        MemoryTable probeTable = TestRows.table("probe", types, probe, 50, 3, 77);
        for (int[] configuration : CONFIGURATIONS) {
            try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                PlanBuilder plans = new PlanBuilder();
                int built = plans.scan(buildTable)
                        .all()
                        .build(PlanBuilder.range(0, keyTypes.size()), List.of(keyTypes.size(), keyTypes.size() + 1));
                QueryPlan plan = plans.scan(probeTable)
                        .all()
                        .join(kind, built, PlanBuilder.range(0, keyTypes.size()))
                        .all()
                        .result();
                TestRows.assertSame(
                        runner.rows(plan, buildTable, probeTable),
                        expected,
                        kind + " join by " + keyTypes + ", " + configuration[0] + " threads, tiles of "
                                + configuration[1]);
            }
        }
    }

    private static List<List<Object>> distinct(List<List<Object>> rows, int keyCount) {
        List<List<Object>> kept = new ArrayList<>();
        for (List<Object> row : rows) {
            if (kept.stream().noneMatch(other -> matches(row, other, keyCount))) {
                kept.add(row);
            }
        }
        return kept;
    }

    private static boolean matches(List<Object> one, List<Object> other, int keyCount) {
        for (int key = 0; key < keyCount; key++) {
            Object a = TestRows.canonical(one.get(key));
            if (a == null || !a.equals(TestRows.canonical(other.get(key)))) {
                return false;
            }
        }
        return true;
    }

    private static List<List<Object>> nestedLoops(
            JoinKind kind, int keyCount, List<List<Object>> build, List<List<Object>> probe) {
        List<List<Object>> joined = new ArrayList<>();
        for (List<Object> row : probe) {
            List<List<Object>> found = build.stream()
                    .filter(other -> matches(row, other, keyCount))
                    .toList();
            switch (kind) {
                case INNER, LEFT -> {
                    for (List<Object> other : found) {
                        joined.add(concat(row, other.subList(keyCount, other.size())));
                    }
                    if (kind == JoinKind.LEFT && found.isEmpty()) {
                        joined.add(concat(row, TestRows.row(null, null)));
                    }
                }
                case SEMI -> {
                    if (!found.isEmpty()) {
                        joined.add(row);
                    }
                }
                case ANTI -> {
                    if (found.isEmpty()) {
                        joined.add(row);
                    }
                }
            }
        }
        return joined;
    }

    private static List<Object> concat(List<Object> one, List<Object> other) {
        List<Object> both = new ArrayList<>(one);
        both.addAll(other);
        return both;
    }
}
