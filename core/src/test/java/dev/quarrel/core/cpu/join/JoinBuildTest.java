package dev.quarrel.core.cpu.join;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Tables of many rows, whose parts run at the same time in any order: each key's rows, in scan order.
class JoinBuildTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROWS = 150_000;
    private static final int TILE = 512;
    private static final int STORES = 3;
    private static final int ABSENT = 2000; // keys that are looked for in vain

    /// Key columns' types, and a row's keys.
    static Stream<Arguments> keys() {
        Random random = new Random(SEED);
        int[] shuffled = IntStream.range(0, ROWS).toArray();
        for (int row = ROWS - 1; row > 0; row--) {
            int other = random.nextInt(row + 1);
            int swap = shuffled[row];
            shuffled[row] = shuffled[other];
            shuffled[other] = swap;
        }
        List<DataType> ints = List.of(DataType.INT32);
        List<DataType> longs = List.of(DataType.INT64);
        return Stream.of(
                keys("dense, unique", ints, row -> List.of((long) shuffled[row])),
                keys("dense, repeated once", ints, row -> List.of((long) (row == 7 ? 8 : row))),
                keys("dense, repeated", ints, row -> List.of((long) shuffled[row] / 5)),
                keys("one key mostly", ints, row -> List.of(row % 9 == 0 ? (long) row : 11L)),
                keys("dense, NULLs", ints, row -> nullable(shuffled[row] % 4 == 0 ? null : (long) shuffled[row])),
                keys("sparse, unique", ints, row -> List.of((shuffled[row] - 5L) * 14_000)),
                keys("sparse, repeated", longs, row -> List.of((shuffled[row] / 3) * 987_654_321_987L)),
                keys("sparse, NULLs", longs, row -> nullable(row % 3 == 0 ? null : row * 987_654_321_987L)),
                keys("NULLs alone", longs, row -> nullable(null)),
                keys("edges", longs, row -> List.of(row % 2 == 0 ? Long.MAX_VALUE - row : Long.MIN_VALUE + row)),
                keys(
                        "two, dense",
                        List.of(DataType.INT32, DataType.INT32),
                        row -> List.of(shuffled[row] / 7L, shuffled[row] % 7L)),
                keys(
                        "two, one word",
                        List.of(DataType.INT32, DataType.DATE),
                        row -> List.of(shuffled[row] / 7L * 1000, shuffled[row] % 6L - 3)),
                keys(
                        "two of 64 bits, small ranges",
                        List.of(DataType.INT64, DataType.TIMESTAMP),
                        row -> List.of(shuffled[row] / 7L * 100_000 - 77, shuffled[row] % 6L * 1_000_000)),
                keys(
                        "two of 64 bits",
                        List.of(DataType.INT64, DataType.INT64),
                        row -> List.of(shuffled[row] / 7L * 987_654_321_987L, (shuffled[row] % 6L) << 60)),
                keys("floats", List.of(DataType.FLOAT64), row -> List.of(shuffled[row] / 3 * 0.25)),
                keys("text", List.of(DataType.UTF8), row -> List.of("k" + shuffled[row] / 2)),
                keys("text, unique", List.of(DataType.UTF8), row -> List.of("key number " + shuffled[row])),
                keys(
                        "text, NULLs",
                        List.of(DataType.UTF8),
                        row -> nullable(row % 5 == 0 ? null : "k" + shuffled[row] / 2)),
                keys("text, one key mostly", List.of(DataType.UTF8), row -> List.of(row % 9 == 0 ? "k" + row : "k")),
                keys(
                        "texts",
                        List.of(DataType.UTF8, DataType.UTF8),
                        row -> List.of("k" + shuffled[row] % 1000, "a longer one: " + shuffled[row] / 2000)),
                keys(
                        "three of 64 bits",
                        List.of(DataType.INT64, DataType.INT64, DataType.INT64),
                        row -> List.of(row * 987_654_321_987L, (long) row << 40, (long) row % 3)),
                keys("uuid", List.of(DataType.UUID), row -> List.of(new UUID(shuffled[row] / 2, shuffled[row] / 4))),
                keys(
                        "numeric",
                        List.of(DataType.NUMERIC),
                        row -> List.of(new BigDecimal(shuffled[row] / 3)
                                .movePointLeft(shuffled[row] % 3)
                                .setScale(3 + row % 4))),
                keys(
                        "text and number",
                        List.of(DataType.UTF8, DataType.INT32),
                        row -> List.of("k" + shuffled[row] % 100, (long) shuffled[row] / 300)));
    }

    private static List<Object> nullable(Object value) {
        return Collections.singletonList(value);
    }

    private static Arguments keys(String name, List<DataType> types, IntFunction<List<Object>> keys) {
        return Arguments.of(name, types, keys);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keys")
    void eachKeyHasItsRows(String name, List<DataType> keyTypes, IntFunction<List<Object>> keyOf) {
        List<DataType> types = new ArrayList<>(keyTypes);
        types.add(DataType.INT32);
        types.add(DataType.UTF8);
        Random random = new Random(SEED);
        MemoryBudget budget = new MemoryBudget(1L << 30);
        // With few bits many keys have the same hash.
        for (long hashMask : new long[] {-1, (1 << 26) - 1}) {
            int storeCount = hashMask == -1 ? STORES : 1;
            try (JoinBuild build = new JoinBuild(
                    pipeline(types, keyTypes.size()),
                    stores(types, storeCount, keyOf, random, budget),
                    keyTypes.size(),
                    TILE,
                    budget,
                    true,
                    null,
                    hashMask)) {
                for (int round = 0, parts = build.beginRound(0); parts > 0; parts = build.beginRound(++round)) {
                    List<Integer> turns =
                            new ArrayList<>(IntStream.range(0, parts).boxed().toList());
                    Collections.shuffle(turns, random);
                    turns.parallelStream().forEach(build::run);
                }
                try (JoinTable table = build.finish()) {
                    check(table, keyTypes, keyOf, hashMask == -1);
                }
            }
            assertThat(budget.usedBytes()).isZero();
        }
    }

    /// Numerics of any scale are one key.
    private static List<Object> canonical(List<Object> key) {
        return key.stream()
                .map(value -> value instanceof BigDecimal number ? plain(number) : value)
                .collect(Collectors.toCollection(ArrayList::new)); // NULLs among them
    }

    private static BigDecimal plain(BigDecimal number) {
        BigDecimal shortest = number.stripTrailingZeros();
        return shortest.scale() < 0 ? shortest.setScale(0) : shortest;
    }

    private static Pipeline pipeline(List<DataType> types, int keyCount) {
        ProgramBuilder program = new ProgramBuilder(types);
        List<Integer> outputs = PlanBuilder.range(0, types.size()).stream()
                .map(input -> program.load(input, ProgramBuilder.ALL_ROWS))
                .toList();
        return new Pipeline(
                0,
                new Source.Rows(0, types),
                List.of(program.build(ProgramBuilder.ALL_ROWS, outputs, List.of())),
                List.of(),
                new Sink.HashBuild(PlanBuilder.range(0, keyCount), PlanBuilder.range(keyCount, types.size()), true));
    }

    /// Rows in morsels, each of which some store has; payload: the row's number, and a text of a hundred.
    private static List<RowStore> stores(
            List<DataType> types, int count, IntFunction<List<Object>> keyOf, Random random, MemoryBudget budget) {
        List<RowStore> stores = new ArrayList<>();
        for (int store = 0; store < count; store++) {
            stores.add(new RowStore(types, budget));
        }
        int morselRows = 7_001;
        for (int first = 0; first < ROWS; first += morselRows) {
            List<List<Object>> rows = new ArrayList<>();
            for (int row = first; row < Math.min(ROWS, first + morselRows); row++) {
                List<Object> values = new ArrayList<>(keyOf.apply(row));
                values.add((long) row);
                values.add("t" + row % 100);
                rows.add(values);
            }
            RowStore store = stores.get(random.nextInt(count));
            store.startMorsel(first / morselRows);
            store.append(TestRows.batch(RowStore.schema(types), rows, 0), TILE);
        }
        return stores;
    }

    private static void check(
            JoinTable table, List<DataType> keyTypes, IntFunction<List<Object>> keyOf, boolean areHashesDistinct) {
        Map<List<Object>, List<Integer>> expected = new HashMap<>();
        boolean anyNull = false;
        for (int row = 0; row < ROWS; row++) {
            List<Object> key = canonical(keyOf.apply(row));
            boolean isNull = key.stream().anyMatch(Objects::isNull);
            anyNull |= isNull;
            if (!isNull) {
                expected.computeIfAbsent(key, _ -> new ArrayList<>()).add(row);
            }
        }
        assertThat(table.hasNullKeys()).isEqualTo(anyNull);
        boolean isUnique = expected.values().stream().allMatch(rows -> rows.size() == 1)
                && (!anyNull || table.index().hasWords());
        assertThat(table.isUnique()).isIn(isUnique, isUnique && areHashesDistinct);
        for (int row = 0; row < ROWS; row += 97) {
            assertThat(((IntStore) table.payload(0)).values()[row]).isEqualTo(row);
            assertThat(table.batch(row / RowStore.BATCH_ROWS)
                            .column(keyTypes.size() + 1)
                            .rowCount())
                    .isPositive();
        }
        List<List<Object>> keys = new ArrayList<>(expected.keySet());
        for (List<Object> key : expected.keySet()) {
            if (key.getFirst() instanceof String text && keys.size() < expected.size() + ABSENT) {
                List<Object> other = new ArrayList<>(key);
                other.set(0, text + "?");
                keys.add(other);
            }
        }
        KeyScratch scratch = new KeyScratch(keyTypes.size(), TILE);
        Mask all = new Mask(TILE);
        BatchInput input = new BatchInput(keyTypes, TILE);
        for (int first = 0; first < keys.size(); first += TILE) {
            List<List<Object>> tile = keys.subList(first, Math.min(keys.size(), first + TILE));
            input.moveTo(TestRows.batch(RowStore.schema(keyTypes), tile, 0), 0, tile.size());
            all.setAll(tile.size());
            Vector[] vectors = new Vector[keyTypes.size()];
            for (int key = 0; key < vectors.length; key++) {
                vectors[key] = input.load(key, all);
            }
            table.index().find(vectors, all, scratch);
            for (int at = 0; at < tile.size(); at++) {
                int number = scratch.ids[at];
                if (!expected.containsKey(tile.get(at))) {
                    assertThat(number).as("key %s", tile.get(at)).isNegative();
                    continue;
                }
                int[] rows = expected.get(tile.get(at)).stream()
                        .mapToInt(Integer::intValue)
                        .toArray();
                if (number < 0) {
                    throw new AssertionError("key " + tile.get(at) + " is not found");
                }
                int[] found = table.isUnique()
                        ? new int[] {number}
                        : Arrays.copyOfRange(table.order(), table.starts()[number], table.starts()[number + 1]);
                if (!Arrays.equals(found, rows)) { // there are a million: AssertJ asks each element for its place
                    assertThat(found).as("key %s", tile.get(at)).containsExactly(rows);
                }
            }
        }
    }
}
