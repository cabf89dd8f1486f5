package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.device.Sketch;
import dev.quarrel.core.type.QueryException;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.datasketches.hll.HllSketch;
import org.apache.datasketches.hll.TgtHllType;
import org.apache.datasketches.hll.Union;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HllRegistersTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    /// The root of the mean square of the relative errors, against the theory's 1.04 / √registers.
    @ParameterizedTest
    @ValueSource(ints = {12, 14})
    void theErrorIsAsTheoryHasIt(int bits) {
        Random random = new Random(SEED);
        for (int count : new int[] {10, 100, 1_000, 10_000, 100_000, 400_000}) {
            int trials = count > 50_000 ? 30 : 60;
            double squares = 0;
            for (int trial = 0; trial < trials; trial++) {
                long first = random.nextLong();
                try (Reservation reservation = new Reservation(new MemoryBudget(1 << 24))) {
                    HllRegisters sketch = new HllRegisters(bits, reservation);
                    for (int value = 0; value < count; value++) {
                        sketch.add(KeyHash.of(first + value));
                    }
                    double error = sketch.estimate() / (double) count - 1;
                    squares += error * error;
                }
            }
            double error = Math.sqrt(squares / trials);
            double theory = 1.04 / Math.sqrt(1 << bits);
            System.out.printf(
                    "2^%d registers, %d values: error %.3f %%, theory %.3f %%%n",
                    bits, count, 100 * error, 100 * theory);
            assertThat(error).isLessThan(1.4 * theory);
        }
    }

    /// Apache DataSketches on the same values: its estimate from registers alone, and that of a union of halves.
    @ParameterizedTest
    @ValueSource(ints = {12, 14})
    void estimatesAreAsGoodAsThoseOfDataSketches(int bits) {
        Random random = new Random(SEED);
        double theory = 1.04 / Math.sqrt(1 << bits);
        double ours = 0;
        double theirs = 0;
        int trials = 40;
        for (int trial = 0; trial < trials; trial++) {
            int count = (int) Math.pow(10, 2 + 3.5 * trial / trials);
            long first = random.nextLong();
            try (Reservation reservation = new Reservation(new MemoryBudget(1 << 24))) {
                HllRegisters sketch = new HllRegisters(bits, reservation);
                HllSketch lower = new HllSketch(bits, TgtHllType.HLL_8);
                HllSketch upper = new HllSketch(bits, TgtHllType.HLL_8);
                for (int value = 0; value < count; value++) {
                    sketch.add(KeyHash.of(first + value));
                    (value < count / 2 ? lower : upper).update(first + value);
                }
                Union union = new Union(bits);
                union.update(lower);
                union.update(upper);
                double error = sketch.estimate() / (double) count - 1;
                double other = union.getResult().getCompositeEstimate() / count - 1;
                assertThat(error).isBetween(-4.5 * theory, 4.5 * theory);
                ours += error * error;
                theirs += other * other;
            }
        }
        System.out.printf(
                "2^%d registers: error %.3f %%, DataSketches %.3f %%%n",
                bits, 100 * Math.sqrt(ours / trials), 100 * Math.sqrt(theirs / trials));
        assertThat(Math.sqrt(ours)).isLessThan(1.8 * Math.sqrt(theirs));
    }

    @Test
    void histogramsCountAllRegisters() {
        try (Reservation reservation = new Reservation(new MemoryBudget(1 << 20))) {
            for (int count : new int[] {0, 3, 40, 5000}) {
                HllRegisters sketch = new HllRegisters(8, reservation);
                for (int value = 0; value < count; value++) {
                    sketch.add(KeyHash.of(value));
                }
                int[] ranks = Sketch.histogram(sketch.toBytes());
                assertThat(IntStream.of(ranks).sum()).isEqualTo(256);
                assertThat(ranks[0] == 256).isEqualTo(count == 0);
            }
        }
    }

    @Test
    void sketchesDependOnNoOrderAndMergeAndFoldExactly() {
        Random random = new Random(SEED);
        for (int count : new int[] {0, 1, 5, 7, 300, 2_000, 50_000}) {
            try (Reservation reservation = new Reservation(new MemoryBudget(1 << 26))) {
                HllRegisters whole = new HllRegisters(14, reservation);
                HllRegisters coarse = new HllRegisters(12, reservation);
                HllRegisters odd = new HllRegisters(14, reservation);
                HllRegisters even = new HllRegisters(14, reservation);
                for (int value = 0; value < count; value++) {
                    long hash = KeyHash.of(random.nextLong());
                    whole.add(hash);
                    coarse.add(hash);
                    (value % 2 == 0 ? even : odd).add(hash);
                }
                HllRegisters merged = new HllRegisters(14, reservation);
                merged.addSketch(odd.toBytes());
                merged.addSketch(even.toBytes());
                assertThat(merged.toBytes()).isEqualTo(whole.toBytes());
                assertThat(merged.estimate()).isEqualTo(whole.estimate());
                HllRegisters mixed = new HllRegisters(12, reservation);
                mixed.addSketch(whole.toBytes());
                assertThat(mixed.toBytes()).isEqualTo(coarse.toBytes());
                whole.fold(12);
                assertThat(whole.toBytes()).isEqualTo(coarse.toBytes());
                whole.release();
                coarse.release();
                odd.release();
                even.release();
                merged.release();
                mixed.release();
                assertThat(reservation.bytes()).isZero();
            }
        }
    }

    @Test
    void refusesWhatIsNoSketch() {
        try (Reservation reservation = new Reservation(new MemoryBudget(1 << 20))) {
            HllRegisters sketch = new HllRegisters(12, reservation);
            for (byte[] bytes : new byte[][] {
                {}, {1, 12}, {1, 12, 7}, {2, 12, 0}, {1, 3, 0}, {1, 12, 0, 1}, {1, 12, 0, -1, -1, -1}, {1, 12, 1, 0}
            }) {
                assertThatThrownBy(() -> sketch.addSketch(bytes)).isInstanceOf(QueryException.class);
            }
            assertThatThrownBy(() -> new HllRegisters(3, reservation)).isInstanceOf(QueryException.class);
        }
    }
}
