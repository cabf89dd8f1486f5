package dev.quarrel.core.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KernelWarmUpTest {
    @Test
    void loadsGoFirst() throws Exception {
        assertThat(KernelWarmUp.yieldToLoads()).isZero();
        KernelWarmUp.beginLoad();
        CompletableFuture<Long> waited;
        try {
            KernelWarmUp.beginLoad();
            waited = CompletableFuture.supplyAsync(KernelWarmUpTest::waited);
            KernelWarmUp.endLoad();
            Thread.sleep(50);
            assertThat(waited).isNotDone();
        } finally {
            KernelWarmUp.endLoad();
        }
        assertThat(waited.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(KernelWarmUp.yieldToLoads()).isZero();
    }

    private static long waited() {
        try {
            return KernelWarmUp.yieldToLoads();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
