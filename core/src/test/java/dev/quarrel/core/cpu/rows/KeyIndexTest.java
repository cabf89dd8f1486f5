package dev.quarrel.core.cpu.rows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Keys of all types, NULLs among them, tile by tile, against a map; also with hashes that are all or often equal.
class KeyIndexTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261126L);
    private static final int[] TILES = {1, 2, 63, 1023, 1024, 1025};
    private static final long[] HASH_MASKS = {-1L, 0x3F, 0xFFL << 32, 0};
    private static final DataType WIDE = new DataType.Decimal(38, 3);

    static Stream<List<DataType>> keys() {
        return Stream.of(
                List.of(DataType.INT32),
                List.of(DataType.INT64),
                List.of(DataType.FLOAT32),
                List.of(DataType.FLOAT64),
                List.of(DataType.UTF8),
                List.of(DataType.BINARY),
                List.of(DataType.UUID),
                List.of(WIDE),
                List.of(DataType.NUMERIC),
                List.of(DataType.INTERVAL),
                List.of(DataType.BOOL, DataType.INT16, DataType.INT16),
                List.of(DataType.INT32, DataType.DATE),
                List.of(DataType.INT64, DataType.INT64),
                List.of(DataType.FLOAT64, DataType.FLOAT32, DataType.BOOL),
                List.of(DataType.UTF8, DataType.INT64),
                List.of(DataType.UTF8, DataType.UTF8),
                List.of(DataType.UTF8, DataType.UTF8, DataType.UTF8, DataType.INT16),
                List.of(new DataType.Decimal(12, 2), DataType.NUMERIC, DataType.INTERVAL, DataType.UUID),
                List.of(DataType.BOOL, DataType.UTF8, DataType.BINARY, DataType.FLOAT64, DataType.TIMESTAMPTZ, WIDE));
    }

    /// One index, and what it should know.
    private static final class Trial implements AutoCloseable {
        final List<DataType> types;
        final Reservation reservation = new Reservation(new MemoryBudget(1L << 30));
        final KeyIndex index;
        final Map<List<Object>, Integer> known = new HashMap<>();
        final BatchInput input;
        final Mask selected = new Mask(1025);
        final KeyScratch scratch;

        Trial(List<DataType> types, long denseLimit, long hashMask) {
            this.types = types;
            this.index = new KeyIndex(types, reservation, denseLimit, hashMask);
            this.input = new BatchInput(types, 1025);
            this.scratch = new KeyScratch(types.size(), 1025);
        }

        Vector[] load(List<List<Object>> rows, int textForm, int[] indexes) {
            input.moveTo(TestRows.batch(RowStore.schema(types), rows, textForm), 0, rows.size());
            selected.setAll(rows.size());
            Vector[] keys = new Vector[types.size()];
            for (int key = 0; key < keys.length; key++) {
                keys[key] = input.load(key, selected);
            }
            selected.setIndexes(indexes, indexes.length, rows.size());
            return keys;
        }

        void assign(List<List<Object>> rows, int textForm, int[] indexes) {
            int before = index.size();
            index.assign(load(rows, textForm, indexes), selected, scratch);
            assertThat(index.size()).isEqualTo(before + scratch.newCount);
            Set<Integer> fresh = new HashSet<>();
            for (int at = 0; at < scratch.newCount; at++) {
                assertThat(scratch.ids[scratch.newAt[at]]).isEqualTo(before + at);
                fresh.add(before + at);
            }
            for (int at = 0; at < indexes.length; at++) {
                List<Object> key = canonical(rows.get(indexes[at]));
                Integer number = known.putIfAbsent(key, scratch.ids[at]);
                if (number == null ? !fresh.contains(scratch.ids[at]) : scratch.ids[at] != number) {
                    throw new AssertionError("key " + key + " has number " + scratch.ids[at] + ", not "
                            + (number == null ? "a new one" : number));
                }
            }
            assertThat(index.size()).isEqualTo(known.size());
        }

        void find(List<List<Object>> rows, int textForm, int[] indexes) {
            int before = index.size();
            index.find(load(rows, textForm, indexes), selected, scratch);
            for (int at = 0; at < indexes.length; at++) {
                List<Object> key = canonical(rows.get(indexes[at]));
                int number = known.getOrDefault(key, -1);
                if (scratch.ids[at] != number) {
                    throw new AssertionError("key " + key + " is found as " + scratch.ids[at] + ", not " + number);
                }
            }
            assertThat(index.size()).isEqualTo(before);
        }

        /// The keys are there by number.
        void check() {
            ValueStore[] columns = index.columns();
            List<Column> made = Arrays.stream(columns)
                    .map(column -> column.toColumn(
                            null, 0, index.size(), bytes -> Arena.ofAuto().allocate(bytes, 8)))
                    .toList();
            known.forEach((key, number) -> {
                List<Object> stored = new ArrayList<>();
                made.forEach(column -> stored.add(TestRows.value(column, number)));
                assertThat(canonical(stored)).isEqualTo(key);
            });
        }

        @Override
        public void close() {
            reservation.close();
            assertThat(reservation.budget().usedBytes()).isZero();
        }
    }

    private static List<Object> canonical(List<Object> row) {
        List<Object> key = new ArrayList<>();
        row.forEach(value -> key.add(TestRows.canonical(value)));
        return key;
    }

    private static int[] some(int rowCount, boolean all, Random random) {
        return IntStream.range(0, rowCount)
                .filter(_ -> all || random.nextInt(3) > 0)
                .toArray();
    }

    @ParameterizedTest
    @MethodSource("keys")
    void equalKeysHaveOneNumber(List<DataType> types) {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED + types.hashCode());
        for (long hashMask : HASH_MASKS) {
            for (int domain : new int[] {3, 90, 60_000}) {
                for (double nulls : new double[] {0, 0.2}) {
                    // With equal hashes every key is compared with every other.
                    int tiles = hashMask == -1 ? TILES.length : 4;
                    long denseLimit = random.nextBoolean() ? 0 : 1 << random.nextInt(20);
                    try (Trial trial = new Trial(types, denseLimit, hashMask)) {
                        int form = random.nextInt(3);
                        for (int tile = 0; tile < tiles; tile++) {
                            // Dictionaries, then plain texts; the other way round; or mixed.
                            int textForm = form == 2 ? random.nextInt(2) : tile < 2 ? form : 1 - form;
                            int rowCount = TILES[tile];
                            List<List<Object>> rows = TestRows.random(types, rowCount, domain, nulls, random);
                            trial.find(rows, random.nextInt(2), some(rowCount, false, random));
                            trial.assign(rows, textForm, some(rowCount, random.nextBoolean(), random));
                            trial.find(rows, random.nextInt(2), some(rowCount, true, random));
                        }
                        trial.check();
                    }
                }
            }
        }
    }

    /// Keys of several indexes, brought together where they lie.
    @ParameterizedTest
    @MethodSource("keys")
    void mergedKeysAreThoseOfAll(List<DataType> types) {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED + types.hashCode());
        for (long hashMask : HASH_MASKS) {
            for (int domain : new int[] {3, 2_000}) {
                List<Trial> trials = new ArrayList<>();
                Set<List<Object>> expected = new HashSet<>();
                for (int worker = 0; worker < 3; worker++) {
                    Trial trial = new Trial(types, random.nextBoolean() ? 0 : 1 << 18, -1);
                    List<List<Object>> rows = TestRows.random(types, 300, domain, 0.1, random);
                    trial.assign(rows, random.nextInt(2), some(rows.size(), worker < 2, random));
                    expected.addAll(trial.known.keySet());
                    trials.add(trial);
                }
                check(types, trials, expected, hashMask, random);
                trials.forEach(Trial::close);
            }
        }
    }

    private static void check(
            List<DataType> types, List<Trial> trials, Set<List<Object>> expected, long hashMask, Random random) {
        int tileRows = random.nextBoolean() ? 64 : 300;
        try (Reservation reservation = new Reservation(new MemoryBudget(1L << 30))) {
            MergedKeys merged = new MergedKeys(
                    trials.stream().map(trial -> trial.index.columns()).toList(),
                    types,
                    random.nextInt(100),
                    tileRows,
                    reservation,
                    hashMask);
            Map<List<Object>, Integer> numbers = new HashMap<>();
            int[] found = new int[tileRows];
            for (int worker = 0; worker < trials.size(); worker++) {
                Trial trial = trials.get(worker);
                int size = trial.index.size();
                int[] order =
                        random.ints(0, Math.max(1, size)).distinct().limit(size).toArray();
                Map<Integer, List<Object>> byNumber = new HashMap<>();
                trial.known.forEach((key, number) -> byNumber.put(number, key));
                for (int from = 0; from < size; from += tileRows) {
                    int count = Math.min(tileRows, size - from);
                    merged.add(worker, trial.index.hashes(), order, from, count, found);
                    for (int at = 0; at < count; at++) {
                        List<Object> key = byNumber.get(order[from + at]);
                        Integer before = numbers.putIfAbsent(key, found[at]);
                        assertThat(found[at]).as("key %s", key).isEqualTo(before == null ? found[at] : before);
                    }
                }
            }
            assertThat(numbers.keySet()).isEqualTo(expected);
            assertThat(new HashSet<>(numbers.values())).hasSize(expected.size());
            assertThat(merged.size()).isEqualTo(expected.size());
            for (int worker = 0; worker < trials.size(); worker++) {
                ValueStore[] columns = trials.get(worker).index.columns();
                int from = merged.firstNumber(worker);
                int count = merged.firstNumber(worker + 1) - from;
                List<Column> made = Arrays.stream(columns)
                        .map(column -> column.toColumn(
                                merged.rows(),
                                from,
                                count,
                                bytes -> Arena.ofAuto().allocate(bytes, 8)))
                        .toList();
                for (int row = 0; row < count; row++) {
                    List<Object> key = new ArrayList<>();
                    for (Column column : made) {
                        key.add(TestRows.value(column, row));
                    }
                    assertThat(numbers.get(canonical(key))).isEqualTo(from + row);
                }
            }
        }
    }
}
