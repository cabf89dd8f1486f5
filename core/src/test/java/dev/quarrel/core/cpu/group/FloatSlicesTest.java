package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Sums of many groups over many tiles, beside sums of BigDecimals.
class FloatSlicesTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int TILE_ROWS = 4096;

    /// What finite values sum to, and what is not finite.
    private static final class Exact {
        private BigDecimal sum = BigDecimal.ZERO;
        private double special = 0;
        private boolean isPositiveZero;
        private boolean isSeen;

        void add(double value) {
            isSeen = true;
            if (Double.isFinite(value)) {
                sum = sum.add(new BigDecimal(value));
            } else {
                special += value;
            }
            isPositiveZero |= Double.doubleToRawLongBits(value) != Long.MIN_VALUE;
        }

        double rounded() {
            return special != 0 ? special : sum.signum() == 0 ? isPositiveZero ? 0.0 : -0.0 : sum.doubleValue();
        }
    }

    /// Values of one kind.
    private static DoubleSupplier values(Random random, int kind) {
        return switch (kind) {
            case 0 -> () -> random.nextInt(1000) / 100.0;
            case 1 -> () -> (random.nextDouble() - 0.5) * 100;
            case 2 -> random::nextGaussian;
            // From 2^-300 to 2^300, so that most bits of most values are below the slices.
            case 3 -> () -> Math.scalb(random.nextDouble() - 0.5, random.nextInt(-300, 300));
            case 4 -> () -> Math.scalb(random.nextDouble(), random.nextInt(-1074, -900));
            // Zeros and what is not finite, now and then.
            case 5 ->
                () -> switch (random.nextInt(40_000)) {
                    case 0 -> Double.NaN;
                    case 1 -> Double.POSITIVE_INFINITY;
                    case 2 -> Double.NEGATIVE_INFINITY;
                    case 3 -> -0.0;
                    default -> random.nextInt(3) - 1;
                };
            // Greater ones all the time.
            case 6 ->
                new DoubleSupplier() {
                    private double value = 1e-9;

                    @Override
                    public double getAsDouble() {
                        value *= 1 + random.nextDouble() / 4000;
                        return value;
                    }
                };
            default -> () -> -0.0;
        };
    }

    @Test
    void sumsAreExact() {
        Random random = new Random(SEED);
        for (int round = 0; round < 40; round++) {
            int kind = round % 8;
            int groupCount = 1 + random.nextInt(3000);
            int tiles = 1 + random.nextInt(40);
            DoubleSupplier values = values(random, kind);
            Exact[] exact = new Exact[groupCount];
            Arrays.setAll(exact, _ -> new Exact());
            try (Reservation reservation = new Reservation(new MemoryBudget(1 << 26))) {
                FloatSum sum = new FloatSum(DataType.FLOAT64, reservation);
                for (int tile = 0; tile < tiles; tile++) {
                    // Groups come one after the other, as a rule.
                    int known = Math.max(1, groupCount * (tile + 1) / tiles);
                    sum.ensure(known);
                    int count = random.nextInt(5) == 0 ? 1 + random.nextInt(TILE_ROWS) : TILE_ROWS;
                    double[] tileValues = new double[count];
                    int[] groups = new int[count];
                    for (int row = 0; row < count; row++) {
                        tileValues[row] = values.getAsDouble();
                        groups[row] = random.nextInt(known);
                        exact[groups[row]].add(tileValues[row]);
                    }
                    if (random.nextBoolean()) {
                        sum.addAll(tileValues, groups, count);
                    } else {
                        sum.addRests(tileValues, groups, count);
                    }
                    if (random.nextInt(20) == 0) {
                        int group = random.nextInt(known);
                        check(sum, exact[group], group, round);
                    }
                }
                for (int group = 0; group < groupCount; group++) {
                    if (exact[group].isSeen) {
                        check(sum, exact[group], group, round);
                    }
                }
            }
        }
    }

    private static void check(FloatSum sum, Exact exact, int group, int round) {
        assertThat(Double.doubleToLongBits(sum.doubleSum(group)))
                .as("seed %d, round %d, group %d", SEED, round, group)
                .isEqualTo(Double.doubleToLongBits(exact.rounded()));
    }

    @Test
    void moreRowsThanSlicesHold() {
        int groupCount = 3;
        double[] values = new double[TILE_ROWS];
        int[] groups = new int[TILE_ROWS];
        BigDecimal[] tileSums = new BigDecimal[groupCount];
        Arrays.fill(tileSums, BigDecimal.ZERO);
        for (int row = 0; row < TILE_ROWS; row++) {
            groups[row] = row % groupCount;
            values[row] = Math.nextDown(1.0) - row * 0x1p-60;
            tileSums[groups[row]] = tileSums[groups[row]].add(new BigDecimal(values[row]));
        }
        int tiles = FloatSlices.MAX_ROWS / TILE_ROWS + 5;
        try (Reservation reservation = new Reservation(new MemoryBudget(1 << 20))) {
            FloatSum sum = new FloatSum(DataType.FLOAT64, reservation);
            sum.ensure(groupCount);
            FloatSlices slices = new FloatSlices();
            slices.resize(groupCount);
            for (int tile = 0; tile < tiles; tile++) {
                assertThat(slices.add(values, groups, TILE_ROWS, sum)).isTrue();
            }
            slices.empty(sum);
            for (int group = 0; group < groupCount; group++) {
                assertThat(sum.doubleSum(group))
                        .isEqualTo(tileSums[group]
                                .multiply(BigDecimal.valueOf(tiles))
                                .doubleValue());
            }
        }
    }

    /// Workers' groups are merged by parts, each by another thread.
    @Test
    void threadsTakePartials() throws InterruptedException {
        int groupCount = 20_000;
        int threads = 4;
        Random random = new Random(SEED);
        for (int round = 0; round < 20; round++) {
            try (Reservation reservation = new Reservation(new MemoryBudget(1 << 26));
                    Arena arena = Arena.ofShared()) {
                FloatSum sum = new FloatSum(DataType.FLOAT64, reservation);
                FloatSum merged = new FloatSum(DataType.FLOAT64, reservation);
                sum.ensure(groupCount);
                merged.ensure(groupCount);
                Exact[] exact = new Exact[groupCount];
                Arrays.setAll(exact, _ -> new Exact());
                for (int tile = 0; tile < 60; tile++) {
                    double[] values = random.doubles(TILE_ROWS).toArray();
                    int[] groups = random.ints(TILE_ROWS, 0, groupCount).toArray();
                    for (int row = 0; row < TILE_ROWS; row++) {
                        exact[groups[row]].add(values[row]);
                    }
                    sum.addAll(values, groups, TILE_ROWS);
                }
                List<Thread> running = new ArrayList<>();
                Queue<List<Column>> parts = new ConcurrentLinkedQueue<>();
                for (int thread = 0; thread < threads; thread++) {
                    int[] order = IntStream.iterate(thread, group -> group < groupCount, group -> group + threads)
                            .toArray();
                    running.add(Thread.ofPlatform().start(() -> {
                        List<Column> columns = new ArrayList<>();
                        sum.partials(order, 0, order.length, arena::allocate, columns);
                        parts.add(columns);
                    }));
                }
                for (Thread thread : running) {
                    thread.join();
                }
                int next = 0;
                assertThat(parts).hasSize(threads);
                for (List<Column> columns : parts) {
                    int[] groups = new int[groupCount / threads];
                    for (int index = 0; index < groups.length; index++) {
                        groups[index] = next++;
                    }
                    merged.absorb(columns, 0, 0, groups, groups.length);
                }
                double[] found = IntStream.range(0, groupCount)
                        .mapToDouble(merged::doubleSum)
                        .sorted()
                        .toArray();
                double[] expected = Arrays.stream(exact)
                        .mapToDouble(Exact::rounded)
                        .sorted()
                        .toArray();
                assertThat(found).as("seed %d", SEED).isEqualTo(expected);
            }
        }
    }

    /// Where memory ends, sums go on without slices, and no more stays reserved than the states take.
    @Test
    void slicesNeedMemory() {
        int groupCount = 5000;
        int rows = 20 * groupCount;
        MemoryBudget budget = new MemoryBudget(groupCount * 70L);
        try (Reservation reservation = new Reservation(budget)) {
            FloatSum sum = new FloatSum(DataType.FLOAT64, reservation);
            sum.ensure(groupCount);
            long states = reservation.bytes();
            double[] values = new double[TILE_ROWS];
            int[] groups = new int[TILE_ROWS];
            for (int row = 0; row < rows; row += TILE_ROWS) {
                for (int index = 0; index < TILE_ROWS; index++) {
                    groups[index] = (row + index) % groupCount;
                    values[index] = 0.1;
                }
                sum.addAll(values, groups, TILE_ROWS);
            }
            assertThat(reservation.bytes()).isEqualTo(states);
            assertThat(sum.doubleSum(7)).isBetween(1.9, 2.1);
        }
        try (Reservation reservation = new Reservation(new MemoryBudget(1 << 26))) {
            FloatSum sum = new FloatSum(DataType.FLOAT64, reservation);
            sum.ensure(groupCount);
            long states = reservation.bytes();
            int[] groups = new int[TILE_ROWS];
            Arrays.setAll(groups, index -> index);
            for (int tile = 0; tile < 20; tile++) {
                sum.addAll(new double[TILE_ROWS], groups, TILE_ROWS);
            }
            assertThat(reservation.bytes()).isGreaterThan(states);
            assertThat(sum.doubleSum(7)).isZero();
            assertThat(reservation.bytes()).isEqualTo(states);
        }
    }
}
