package dev.quarrel.cuda.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cuda.service.Admission.Answer;
import dev.quarrel.cuda.service.Admission.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    private static Ticket request(Admission admission, long bytes, Runnable whenAdmitted) {
        return ((Answer.Queued) admission.request(bytes, whenAdmitted)).ticket();
    }

    @Test
    void queriesWaitForAPlaceInTheirOrder() {
        Admission admission = new Admission(2, 100);
        List<String> order = new ArrayList<>();
        Ticket first = request(admission, 60, () -> order.add("first"));
        Ticket second = request(admission, 50, () -> order.add("second"));
        Ticket third = request(admission, 10, () -> order.add("third"));
        assertThat(order).containsExactly("first");
        assertThat(first.isAdmitted()).isTrue();
        assertThat(third.isAdmitted()).isFalse(); // it would fit, but second was here before
        first.close();
        assertThat(order).containsExactly("first", "second", "third");
        assertThat(admission.running()).isEqualTo(2);
        assertThat(admission.usedBytes()).isEqualTo(60);
        Ticket fourth = request(admission, 0, () -> order.add("fourth"));
        assertThat(fourth.isAdmitted()).isFalse();
        second.close();
        second.close();
        assertThat(fourth.isAdmitted()).isTrue();
        third.close();
        fourth.close();
        assertThat(admission.running()).isZero();
        assertThat(admission.usedBytes()).isZero();
    }

    @Test
    void whatCanNeverFitIsRefusedWithTheReason() {
        assertThat(new Admission(1, 3L << 29).request(5L << 30, () -> {}))
                .isEqualTo(new Answer.Refused("needs 5.0 GiB of device memory, queries have 1.5 GiB"));
    }

    @Test
    void whoLeavesTheQueueLetsTheNextOneIn() {
        Admission admission = new Admission(5, 100);
        Ticket running = request(admission, 60, () -> {});
        Ticket large = request(admission, 90, () -> {});
        Ticket small = request(admission, 10, () -> {});
        large.close();
        assertThat(small.isAdmitted()).isTrue();
        running.close();
        small.close();
        assertThat(admission.usedBytes()).isZero();
    }

    @Test
    void whenTheDeviceIsDownNobodyWaits() {
        Admission admission = new Admission(1, 100);
        List<String> called = new ArrayList<>();
        Ticket running = request(admission, 60, () -> {});
        Ticket waiting = request(admission, 60, () -> called.add("waiting"));
        admission.shutDown("the device was lost");
        admission.shutDown("again");
        assertThat(called).containsExactly("waiting");
        assertThat(waiting.isAdmitted()).isFalse();
        waiting.close();
        running.close();
        assertThat(admission.request(1, () -> {})).isEqualTo(new Answer.Refused("the device was lost"));
        assertThat(admission.downReason()).isEqualTo("the device was lost");
        assertThat(admission.running()).isZero();
    }

    /// Whatever comes and goes: bounds hold, everyone who stays gets in, in order.
    @Test
    void randomQueries() {
        for (int round = 0; round < 200; round++) {
            Random random = new Random(SEED + round);
            int maxQueries = 1 + random.nextInt(4);
            Admission admission = new Admission(maxQueries, 1000);
            List<Integer> admitted = new ArrayList<>();
            List<Ticket> open = new ArrayList<>();
            int left = 0;
            for (int query = 0; query < 100; query++) {
                int number = query;
                open.add(request(admission, random.nextInt(1001), () -> admitted.add(number)));
                while (!open.isEmpty() && random.nextInt(3) == 0) {
                    Ticket ticket = open.remove(random.nextInt(open.size()));
                    if (!ticket.isAdmitted()) {
                        left++;
                    }
                    ticket.close();
                }
                assertThat(admission.running()).isLessThanOrEqualTo(maxQueries);
                assertThat(admission.usedBytes()).isBetween(0L, 1000L);
                assertThat(admitted).isSorted();
                long inside = open.stream()
                        .filter(Ticket::isAdmitted)
                        .mapToLong(Ticket::bytes)
                        .sum();
                assertThat(admission.usedBytes()).isEqualTo(inside);
            }
            while (!open.isEmpty()) {
                open.removeFirst().close();
            }
            assertThat(admitted).hasSize(100 - left);
            assertThat(admission.usedBytes()).isZero();
        }
    }
}
