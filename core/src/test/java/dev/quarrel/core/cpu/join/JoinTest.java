package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
                List.of(DataType.UUID),
                List.of(DataType.BINARY),
                List.of(DataType.UUID, DataType.BINARY),
                List.of(DataType.TIMESTAMPTZ),
                List.of(DataType.TIME),
                List.of(DataType.INTERVAL),
                List.of(DataType.INTERVAL, DataType.TIME, DataType.UUID),
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
                    if (kind != JoinKind.MARK_IN) {
                        check(kind, false, keyTypes, types, build, probe);
                        check(kind, true, keyTypes, types, build, probe);
                    } else if (keyTypes.size() == 1) {
                        check(kind, false, keyTypes, types, build, probe);
                        check(kind, false, keyTypes, types, withoutNullKeys(build), probe);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(JoinKind.class)
    void anEmptySide(JoinKind kind) {
        List<DataType> keyTypes = List.of(DataType.INT32);
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8, DataType.INT64);
        List<List<Object>> rows = TestRows.random(types, 50, 12, 0.1, new Random(7));
        for (boolean isChecked : new boolean[] {false, kind != JoinKind.MARK_IN}) {
            check(kind, isChecked, keyTypes, types, List.of(), rows);
            check(kind, isChecked, keyTypes, types, rows, List.of());
            check(kind, isChecked, keyTypes, types, List.of(), List.of());
            check(kind, isChecked, keyTypes, types, List.of(TestRows.row(null, "x", 1L)), rows);
        }
    }

    /// Build rows of one outer join that follow its probe rows go through the joins after it.
    @Test
    void outerJoinsInARow() {
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8, DataType.INT64);
        Random random = new Random(11);
        List<List<Object>> probe = TestRows.random(types, 200, 40, 0.1, random);
        List<List<Object>> one = TestRows.random(types, 60, 40, 0.1, random);
        List<List<Object>> other = TestRows.random(types, 60, 40, 0.1, random);
        for (JoinKind first : List.of(JoinKind.FULL, JoinKind.RIGHT, JoinKind.LEFT)) {
            for (JoinKind second : List.of(JoinKind.FULL, JoinKind.RIGHT, JoinKind.INNER, JoinKind.LEFT)) {
                List<List<Object>> joined = nestedLoops(first, false, 1, 3, one, probe);
                // The second join's key is the first one's payload, an INT64, which its build side has too.
                List<List<Object>> turned = other.stream()
                        .map(row -> TestRows.row(row.get(2), row.get(1), row.get(0)))
                        .toList();
                List<List<Object>> keyed = joined.stream()
                        .map(row -> {
                            List<Object> copy = new ArrayList<>(List.of());
                            copy.add(row.get(4));
                            copy.addAll(row);
                            return copy;
                        })
                        .toList();
                List<List<Object>> expected = nestedLoops(second, false, 1, 6, turned, keyed).stream()
                        .map(row -> row.subList(1, row.size()))
                        .toList();
                MemoryTable probeTable = TestRows.table("probe", types, probe, 50, 3, 77);
                MemoryTable oneTable = TestRows.table("one", types, one, 17, 40);
                MemoryTable otherTable = TestRows.table("other", types, other, 30, 30);
                for (int[] configuration : CONFIGURATIONS) {
                    try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                        PlanBuilder plans = new PlanBuilder();
                        int builtOne = plans.scan(oneTable).all().buildWithNulls(List.of(0), List.of(1, 2));
                        int builtOther = plans.scan(otherTable).all().buildWithNulls(List.of(2), List.of(1, 0));
                        QueryPlan plan = plans.scan(probeTable)
                                .all()
                                .join(first, builtOne, List.of(0))
                                .all()
                                .join(second, builtOther, List.of(4))
                                .all()
                                .result();
                        TestRows.assertSame(
                                runner.rows(plan, probeTable, oneTable, otherTable),
                                expected,
                                first + " then " + second + ", " + Arrays.toString(configuration));
                    }
                }
            }
        }
    }

    private static List<List<Object>> withoutNullKeys(List<List<Object>> rows) {
        return rows.stream().filter(row -> row.getFirst() != null).toList();
    }

    private static void check(
            JoinKind kind,
            boolean isChecked,
            List<DataType> keyTypes,
            List<DataType> types,
            List<List<Object>> build,
            List<List<Object>> probe) {
        int keyCount = keyTypes.size();
        List<List<Object>> expected = nestedLoops(kind, isChecked, keyCount, keyCount + 2, build, probe);
        MemoryTable buildTable = TestRows.table("build", types, build, 17, 40);
        MemoryTable probeTable = TestRows.table("probe", types, probe, 50, 3, 77);
        for (int[] configuration : CONFIGURATIONS) {
            try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                PlanBuilder plans = new PlanBuilder();
                var side = plans.scan(buildTable).all();
                List<Integer> keys = PlanBuilder.range(0, keyCount);
                List<Integer> payload = List.of(keyCount, keyCount + 1);
                int built = kind.needsNullKeys() ? side.buildWithNulls(keys, payload) : side.build(keys, payload);
                QueryPlan plan = plans.scan(probeTable)
                        .all()
                        .join(
                                kind,
                                built,
                                keys,
                                !isChecked
                                        ? null
                                        : builder -> builder.value(
                                                Opcode.LT_INT64,
                                                DataType.BOOL,
                                                ProgramBuilder.ALL_ROWS,
                                                0,
                                                builder.load(keyCount + 1, ProgramBuilder.ALL_ROWS),
                                                builder.load(keyCount + 3, ProgramBuilder.ALL_ROWS)))
                        .all()
                        .result();
                String name = kind + " join by " + keyTypes + (isChecked ? " and a condition, " : ", ")
                        + configuration[0] + " threads, tiles of " + configuration[1];
                TestRows.assertSame(runner.rows(plan, buildTable, probeTable), expected, name);
                // A mark is NULL where the condition is, which a range does not tell from false.
                if (isChecked && kind != JoinKind.MARK && configuration[1] == 7) {
                    checkRange(kind, keyCount, buildTable, probeTable, expected, runner, name);
                }
            }
        }
    }

    /// The same condition as a range.
    private static void checkRange(
            JoinKind kind,
            int keyCount,
            MemoryTable buildTable,
            MemoryTable probeTable,
            List<List<Object>> expected,
            PlanRunner runner,
            String name) {
        PlanBuilder plans = new PlanBuilder();
        var side = plans.scan(buildTable).all();
        List<Integer> keys = PlanBuilder.range(0, keyCount);
        List<Integer> payload = List.of(keyCount, keyCount + 1);
        int built = kind.needsNullKeys() ? side.buildWithNulls(keys, payload) : side.build(keys, payload);
        QueryPlan plan = plans.scan(probeTable)
                .all()
                .join(kind, built, keys)
                .between(new Join.Range(
                        1,
                        List.of(keyCount + 1),
                        ProgramBuilder.identity(List.of(DataType.INT64)),
                        new Join.Range.Bound(Relation.GT, 0),
                        null,
                        false))
                .all()
                .result();
        // Rows of a key come in the order of the range's column.
        TestRows.assertSame(
                TestRows.ordered(runner.rows(plan, buildTable, probeTable)),
                TestRows.ordered(expected),
                name + ", as a range");
    }

    private static List<List<Object>> distinct(List<List<Object>> rows, int keyCount) {
        List<List<Object>> kept = new ArrayList<>();
        Set<List<Object>> seen = new HashSet<>();
        for (List<Object> row : rows) {
            List<Object> key = key(row, keyCount);
            if (key == null || seen.add(key)) {
                kept.add(row);
            }
        }
        return kept;
    }

    /// What is equal iff two rows match; null for a row that matches none.
    private static List<Object> key(List<Object> row, int keyCount) {
        List<Object> key = new ArrayList<>();
        for (Object value : row.subList(0, keyCount)) {
            if (value == null) {
                return null;
            }
            key.add(TestRows.canonical(value));
        }
        return key;
    }

    /// Whether the last column of one row is below that of the other; null where one is NULL.
    private static Boolean truth(boolean isChecked, List<Object> row, List<Object> other) {
        if (!isChecked) {
            return true;
        }
        return row.getLast() == null || other.getLast() == null
                ? null
                : Boolean.valueOf((long) row.getLast() < (long) other.getLast());
    }

    private static List<List<Object>> nestedLoops(
            JoinKind kind,
            boolean isChecked,
            int keyCount,
            int probeWidth,
            List<List<Object>> build,
            List<List<Object>> probe) {
        List<List<Object>> joined = new ArrayList<>();
        boolean[] isMatched = new boolean[build.size()];
        int payloadWidth = 2;
        boolean nullBuildKey = build.stream().anyMatch(row -> keyCount == 1 && row.getFirst() == null);
        List<List<Object>> buildKeys =
                build.stream().map(row -> key(row, keyCount)).toList();
        for (List<Object> row : probe) {
            List<Object> key = key(row, keyCount);
            boolean found = false;
            boolean unknown = false;
            for (int index = 0; index < build.size(); index++) {
                List<Object> other = build.get(index);
                if (key == null || !key.equals(buildKeys.get(index))) {
                    continue;
                }
                Boolean truth = truth(isChecked, row, other);
                unknown |= truth == null;
                if (truth != null && truth) {
                    found = true;
                    isMatched[index] = true;
                    if (kind.hasPayload() && kind.hasCarried()) {
                        joined.add(concat(row, other.subList(keyCount, other.size())));
                    }
                }
            }
            switch (kind) {
                case INNER, RIGHT, RIGHT_SEMI, RIGHT_ANTI -> {}
                case LEFT, FULL -> {
                    if (!found) {
                        joined.add(concat(row, Collections.nCopies(payloadWidth, null)));
                    }
                }
                case SEMI -> {
                    if (found) {
                        joined.add(row);
                    }
                }
                case ANTI -> {
                    if (!found) {
                        joined.add(row);
                    }
                }
                case MARK -> joined.add(concat(row, TestRows.row(found ? Boolean.TRUE : unknown ? null : false)));
                case MARK_IN -> {
                    boolean mayMatch = !build.isEmpty() && (nullBuildKey || row.getFirst() == null);
                    joined.add(concat(row, TestRows.row(found ? Boolean.TRUE : mayMatch ? null : false)));
                }
            }
        }
        for (int index = 0; index < build.size(); index++) {
            List<Object> payload =
                    build.get(index).subList(keyCount, build.get(index).size());
            switch (kind) {
                case RIGHT, FULL -> {
                    if (!isMatched[index]) {
                        joined.add(concat(Collections.nCopies(probeWidth, null), payload));
                    }
                }
                case RIGHT_SEMI -> {
                    if (isMatched[index]) {
                        joined.add(payload);
                    }
                }
                case RIGHT_ANTI -> {
                    if (!isMatched[index]) {
                        joined.add(payload);
                    }
                }
                case INNER, LEFT, SEMI, ANTI, MARK, MARK_IN -> {}
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
