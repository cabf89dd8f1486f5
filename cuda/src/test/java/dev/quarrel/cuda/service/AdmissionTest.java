package dev.quarrel.cuda.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.cuda.service.Admission.Answer;
import dev.quarrel.cuda.service.Admission.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final long MIB = 1L << 20;

    private static Ticket admitted(Admission admission, long bytes) {
        return ((Answer.Admitted) admission.request(bytes)).ticket();
    }

    private static String refused(Admission admission, long bytes) {
        return ((Answer.Refused) admission.request(bytes)).reason();
    }

    @Test
    void whatDoesNotFitIsRefusedWithTheReason() {
        Admission admission = new Admission(2, 1536 * MIB);
        assertThat(refused(admission, 5L << 30)).isEqualTo("needs 5.0 GiB of device memory, of 1.5 GiB");
        Ticket first = admitted(admission, 1024 * MIB);
        assertThat(refused(admission, 600 * MIB))
                .isEqualTo("needs 600.0 MiB of device memory, and others hold 1.0 GiB of 1.5 GiB");
        Ticket second = admitted(admission, 512 * MIB);
        assertThat(refused(admission, 0)).isEqualTo("2 pipelines are on the device already");
        first.close();
        first.close();
        assertThat(admission.usedBytes()).isEqualTo(512 * MIB);
        Ticket third = admitted(admission, 600 * MIB);
        second.close();
        third.close();
        assertThat(admission.running()).isZero();
        assertThat(admission.usedBytes()).isZero();
        assertThatThrownBy(() -> admission.request(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void boundsHoldWhateverComesAndGoes() {
        Random random = new Random(SEED);
        Admission admission = new Admission(3, 1000);
        List<Ticket> inside = new ArrayList<>();
        for (int step = 0; step < 10_000; step++) {
            if (random.nextInt(2) == 0 && !inside.isEmpty()) {
                inside.remove(random.nextInt(inside.size())).close();
            } else if (admission.request(random.nextInt(1200)) instanceof Answer.Admitted(Ticket ticket)) {
                inside.add(ticket);
            }
            long bytes = inside.stream().mapToLong(Ticket::bytes).sum();
            assertThat(admission.usedBytes()).isEqualTo(bytes).isLessThanOrEqualTo(1000);
            assertThat(admission.running()).isEqualTo(inside.size()).isLessThanOrEqualTo(3);
        }
    }
}
