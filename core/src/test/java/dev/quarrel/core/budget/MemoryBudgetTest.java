package dev.quarrel.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    @Test
    void aShareSaysWhichOfTheTwoBoundsRefused() {
        MemoryBudget whole = new MemoryBudget(100);
        MemoryBudget share = new MemoryBudget(80, whole);
        new MemoryBudget(80, whole).reserve(50);

        assertThatThrownBy(() -> share.reserve(81))
                .hasMessage("out of memory")
                .satisfies(failure ->
                        assertThat(((QueryException) failure).detail()).contains("its bound is 80"));
        assertThatThrownBy(() -> share.reserve(60))
                .satisfies(failure ->
                        assertThat(((QueryException) failure).detail()).contains("their bound is 100"));
        assertThat(share.usedBytes()).isZero();
    }

    /// A refusal whose cause another thread takes away at once is a refusal still.
    @Test
    void threadsThatReserveAndReleaseMeetNothingButOutOfMemory() throws Exception {
        MemoryBudget budget = new MemoryBudget(100);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                tasks.add(() -> {
                    for (int round = 0; round < 50_000; round++) {
                        reserveAndRelease(budget);
                    }
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(tasks)) {
                done.get();
            }
        }
        assertThat(budget.usedBytes()).isZero();
    }

    private static void reserveAndRelease(MemoryBudget budget) {
        try {
            budget.reserve(60);
        } catch (QueryException refused) {
            assertThat(refused.state()).isEqualTo(SqlState.OUT_OF_MEMORY);
            return;
        }
        budget.release(60);
    }
}
