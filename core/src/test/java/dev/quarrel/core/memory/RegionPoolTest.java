package dev.quarrel.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RegionPoolTest {
    private final RegionPool pool = new RegionPool(RegionPool.MAX_IDLE_BYTES);

    @Test
    void whatIsGivenBackIsUsedAgainAndIsZero() {
        MemorySegment first;
        try (PooledMemory memory = new PooledMemory(pool)) {
            first = memory.allocate(1000).fill((byte) 7);
        }
        assertThat(pool.idleBytes()).isEqualTo(4096);
        try (PooledMemory memory = new PooledMemory(pool)) {
            MemorySegment again = memory.allocate(3000);
            assertThat(again.address()).isEqualTo(first.address());
            assertThat(again.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            assertThat(pool.idleBytes()).isZero();
        }
    }

    @Test
    void partsAreZeroApartAndAsLargeAsAskedFor() {
        SplittableRandom random = new SplittableRandom(20261123);
        for (int round = 0; round < 20; round++) {
            try (PooledMemory memory = new PooledMemory(pool)) {
                List<MemorySegment> parts = new ArrayList<>();
                for (int index = 0; index < 200; index++) {
                    long bytes = random.nextInt(5) == 0 ? random.nextLong(6L << 20) >> random.nextInt(12) : index % 40;
                    MemorySegment part = memory.allocate(bytes);
                    assertThat(part.byteSize()).isEqualTo(bytes);
                    assertThat(part.address() % 16).isZero();
                    assertThat(part.mismatch(MemorySegment.ofArray(new byte[(int) bytes])))
                            .isEqualTo(-1);
                    parts.add(part.fill((byte) (index + 1)));
                    if (index == 100 && round % 2 == 0) {
                        memory.reset();
                        parts.clear();
                    }
                }
                int first = 200 - parts.size();
                for (int index = 0; index < parts.size(); index++) {
                    MemorySegment part = parts.get(index);
                    for (long place : new long[] {0, part.byteSize() / 2, part.byteSize() - 1}) {
                        if (place >= 0 && place < part.byteSize()) {
                            assertThat(part.get(ValueLayout.JAVA_BYTE, place)).isEqualTo((byte) (first + index + 1));
                        }
                    }
                }
            }
        }
        assertThat(pool.idleBytes()).isLessThanOrEqualTo(RegionPool.MAX_IDLE_BYTES);
    }

    @Test
    void whatIsBeyondItsBoundGoesBackToTheSystem() {
        RegionPool small = new RegionPool(10_000);
        MemorySegment large;
        try (PooledMemory memory = new PooledMemory(small)) {
            large = memory.allocate(60_000);
        }
        assertThat(small.idleBytes()).isZero();
        assertThatThrownBy(() -> large.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void idleRegionsOfOtherSizesMakeRoom() {
        RegionPool small = new RegionPool(80_000);
        try (PooledMemory memory = new PooledMemory(small)) {
            memory.allocate(4_000);
            memory.allocate(60_000);
        }
        assertThat(small.idleBytes()).isEqualTo(65_536 + 4_096);
        MemorySegment used;
        try (PooledMemory memory = new PooledMemory(small)) {
            used = memory.allocate(16_000);
        }
        assertThat(small.idleBytes()).isEqualTo(16_384 + 4_096);
        try (PooledMemory memory = new PooledMemory(small)) {
            assertThat(memory.allocate(16_000).address()).isEqualTo(used.address());
        }
    }

    @Test
    void aCheckedPoolKeepsNothing() {
        RegionPool checked = new RegionPool(0);
        MemorySegment part;
        try (PooledMemory memory = new PooledMemory(checked)) {
            part = memory.allocate(100);
        }
        assertThatThrownBy(() -> part.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }
}
