package dev.quarrel.cuda.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ColumnCacheTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    private final AtomicInteger openBuffers = new AtomicInteger();
    private final AtomicInteger loads = new AtomicInteger();

    /// A buffer that notices being closed twice.
    private final class Buffer implements AutoCloseable {
        private final ColumnUnit unit;
        private volatile boolean closed;

        Buffer(ColumnUnit unit) {
            this.unit = unit;
            openBuffers.incrementAndGet();
            loads.incrementAndGet();
        }

        @Override
        public void close() {
            assertThat(closed).isFalse();
            closed = true;
            openBuffers.decrementAndGet();
        }
    }

    private static ColumnUnit unit(int column, int batch) {
        return new ColumnUnit("lineorder.arrow", 17, column, batch, 0, "plain");
    }

    /// What a query does with a unit.
    private ColumnCache<Buffer>.Pin pin(
            ColumnCache<Buffer> cache, ColumnUnit unit, long bytes, long columnBytes, double seconds) {
        ColumnCache<Buffer>.Pin found = cache.find(unit);
        ColumnCache<Buffer>.Pin pin =
                found != null ? found : cache.offer(unit, new Buffer(unit), bytes, columnBytes, seconds);
        assertThat(pin.buffer().unit).isEqualTo(unit);
        assertThat(pin.buffer().closed).isFalse();
        return pin;
    }

    private boolean use(ColumnCache<Buffer> cache, ColumnUnit unit, long bytes, long columnBytes, double seconds) {
        try (ColumnCache<Buffer>.Pin pin = pin(cache, unit, bytes, columnBytes, seconds)) {
            return pin.isKept();
        }
    }

    @Test
    void aColumnThatFitsIsKeptAtOnce() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            for (int round = 0; round < 3; round++) {
                assertThat(use(cache, unit(0, 0), 30, 60, 1)).isTrue();
                assertThat(use(cache, unit(0, 1), 30, 60, 1)).isTrue();
            }
            assertThat(loads).hasValue(2);
            assertThat(cache.counts()).isEqualTo(new ColumnCache.Counts(4, 2, 60, 2));
            assertThat(cache.holds(unit(0, 1))).isTrue();
            assertThat(cache.holds(unit(1, 1))).isFalse();
        }
        assertThat(openBuffers).hasValue(0);
    }

    @Test
    void aFileThatWasWrittenAgainIsAnotherOne() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            use(cache, unit(0, 0), 10, 10, 1);
            use(cache, new ColumnUnit("lineorder.arrow", 18, 0, 0, 0, "plain"), 10, 10, 1);
            use(cache, new ColumnUnit("lineorder.arrow", 17, 0, 0, 0, "int8"), 10, 10, 1);
            assertThat(loads).hasValue(3);
        }
    }

    @Test
    void oneScanOfALargeColumnPushesNothingOut() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            use(cache, unit(0, 0), 60, 60, 1);
            for (int batch = 0; batch < 50; batch++) {
                assertThat(use(cache, unit(1, batch), 20, 1000, 1)).isFalse();
            }
            assertThat(cache.holds(unit(0, 0))).isTrue();
            assertThat(cache.counts().usedBytes()).isEqualTo(60);
        }
        assertThat(openBuffers).hasValue(0);
    }

    @Test
    void whatIsUsedAgainComesInAndWhatSavesLeastGoes() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            use(cache, unit(0, 0), 50, 50, 1);
            use(cache, unit(1, 0), 50, 50, 100);
            assertThat(use(cache, unit(2, 0), 50, 50, 5)).isFalse();
            assertThat(use(cache, unit(2, 0), 50, 50, 5)).isTrue();
            assertThat(cache.holds(unit(0, 0))).isFalse();
            assertThat(cache.holds(unit(1, 0))).isTrue();
            // What saves less than all that is there stays out, however often it is asked for in a short time.
            for (int round = 0; round < 5; round++) {
                assertThat(use(cache, unit(3, 0), 100, 100, 0.001)).isFalse();
            }
        }
    }

    @Test
    void whatWasPopularLongAgoGoesInTheEnd() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            for (int round = 0; round < 20; round++) {
                use(cache, unit(0, 0), 50, 50, 1);
            }
            int column = 1;
            while (cache.holds(unit(0, 0)) && column < 1000) {
                use(cache, unit(column, 0), 50, 50, 1);
                use(cache, unit(column, 0), 50, 50, 1);
                column++;
            }
            assertThat(column).isBetween(5, 100);
        }
    }

    @Test
    void whatIsInUseStays() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            ColumnCache<Buffer>.Pin pin = pin(cache, unit(0, 0), 100, 100, 0.001);
            for (int round = 0; round < 3; round++) {
                assertThat(use(cache, unit(1, 0), 100, 100, 50)).isFalse();
            }
            assertThat(cache.resize(10)).isEqualTo(100);
            assertThat(pin.buffer().closed).isFalse();
            pin.close();
            pin.close();
            assertThatThrownBy(pin::buffer).isInstanceOf(IllegalStateException.class);
            assertThat(cache.resize(10)).isZero();
            assertThat(openBuffers).hasValue(0);
        }
    }

    @Test
    void aPinOutlivesTheCache() {
        ColumnCache<Buffer> cache = new ColumnCache<>(100);
        ColumnCache<Buffer>.Pin pin = pin(cache, unit(0, 0), 10, 10, 1);
        cache.close();
        assertThat(pin.buffer().closed).isFalse();
        pin.close();
        assertThat(openBuffers).hasValue(0);
        assertThat(use(cache, unit(0, 0), 10, 10, 1)).isFalse(); // and keeps nothing any more
        assertThat(openBuffers).hasValue(0);
    }

    @Test
    void ofTwoThatLoadTheSameOneIsKept() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            Buffer first = new Buffer(unit(0, 0));
            Buffer second = new Buffer(unit(0, 0));
            try (ColumnCache<Buffer>.Pin one = cache.offer(unit(0, 0), first, 10, 10, 1);
                    ColumnCache<Buffer>.Pin two = cache.offer(unit(0, 0), second, 10, 10, 1)) {
                assertThat(two.buffer()).isSameAs(first);
                assertThat(one.isKept() && two.isKept()).isTrue();
                assertThat(second.closed).isTrue();
            }
        }
        assertThat(openBuffers).hasValue(0);
    }

    @Test
    void whoNeedsMemoryMoreGetsWhatIsWorthLeast() {
        try (ColumnCache<Buffer> cache = new ColumnCache<>(100)) {
            use(cache, unit(0, 0), 30, 30, 5);
            use(cache, unit(1, 0), 30, 30, 1);
            try (ColumnCache<Buffer>.Pin inUse = pin(cache, unit(2, 0), 30, 30, 0.1)) {
                assertThat(cache.evictOne()).isTrue();
                assertThat(cache.holds(unit(1, 0))).isFalse();
                assertThat(cache.evictOne()).isTrue();
                assertThat(cache.evictOne()).isFalse();
                assertThat(inUse.buffer().closed).isFalse();
            }
            assertThat(cache.counts().usedBytes()).isEqualTo(30);
        }
        assertThat(openBuffers).hasValue(0);
    }

    /// Whatever is asked for: never more than the bound, never a closed buffer, never one left over.
    @Test
    void randomUse() throws Exception {
        for (int round = 0; round < 20; round++) {
            long seed = SEED + round;
            ColumnCache<Buffer> cache = new ColumnCache<>(1000);
            try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
                List<Future<?>> users = new ArrayList<>();
                for (int user = 0; user < 3; user++) {
                    Random random = new Random(seed * 31 + user);
                    users.add(threads.submit(() -> useAtRandom(cache, random)));
                }
                for (Future<?> user : users) {
                    user.get(60, TimeUnit.SECONDS);
                }
            }
            assertThat(cache.counts().usedBytes()).as("seed %d", seed).isBetween(0L, 1000L);
            cache.close();
            assertThat(openBuffers).as("seed %d", seed).hasValue(0);
        }
    }

    private void useAtRandom(ColumnCache<Buffer> cache, Random random) {
        List<ColumnCache<Buffer>.Pin> pins = new ArrayList<>();
        for (int step = 0; step < 500; step++) {
            int column = random.nextInt(1 + random.nextInt(10));
            ColumnUnit unit = unit(column, random.nextInt(5));
            long bytes = 20 + column * 10;
            if (random.nextInt(50) == 0) {
                cache.evictOne();
            }
            pins.add(pin(cache, unit, bytes, bytes * 5, 1 + column));
            assertThat(cache.counts().usedBytes()).isLessThanOrEqualTo(1000);
            while (pins.size() > random.nextInt(6)) {
                ColumnCache<Buffer>.Pin released = pins.remove(random.nextInt(pins.size()));
                assertThat(released.buffer().closed).isFalse();
                released.close();
            }
        }
        pins.forEach(ColumnCache.Pin::close);
    }
}
