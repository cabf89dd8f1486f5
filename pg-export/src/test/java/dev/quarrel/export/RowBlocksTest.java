package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.export.files.RowBlocks;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Chains of blocks against arrays: appended to, cut short and emptied in any order.
final class RowBlocksTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261122L);

    private static byte[] bytes(RowBlocks.Chain chain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        chain.forEach((source, offset, length) ->
                bytes.writeBytes(source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
        return bytes.toByteArray();
    }

    @Test
    void chainsHoldWhatWasAppended() {
        Random random = new Random(SEED);
        try (RowBlocks blocks = new RowBlocks()) {
            for (int round = 0; round < 3; round++) {
                List<RowBlocks.Chain> chains = new ArrayList<>();
                List<byte[]> expected = new ArrayList<>();
                for (int chain = 0; chain < 20; chain++) {
                    chains.add(blocks.new Chain());
                    expected.add(new byte[0]);
                }
                for (int step = 0; step < 3000; step++) {
                    int index = random.nextInt(chains.size());
                    RowBlocks.Chain chain = chains.get(index);
                    byte[] before = expected.get(index);
                    if (random.nextInt(10) > 0) {
                        byte[] more = new byte[random.nextInt(random.nextInt(20) == 0 ? 5000 : 1100)];
                        random.nextBytes(more);
                        int start = random.nextInt(more.length + 1);
                        chain.append(more, start, more.length - start);
                        byte[] after = Arrays.copyOf(before, before.length + more.length - start);
                        System.arraycopy(more, start, after, before.length, more.length - start);
                        expected.set(index, after);
                    } else {
                        int kept = random.nextInt(3) == 0 ? 0 : random.nextInt(before.length + 1);
                        kept = random.nextInt(3) == 0 ? kept / 1024 * 1024 : kept;
                        chain.truncate(kept);
                        expected.set(index, Arrays.copyOf(before, kept));
                    }
                    assertThat(chain.byteCount()).isEqualTo(expected.get(index).length);
                    if (step % 100 == 0) {
                        assertThat(bytes(chain)).as("seed %d", SEED).isEqualTo(expected.get(index));
                    }
                }
                long used = 0;
                for (int chain = 0; chain < chains.size(); chain++) {
                    assertThat(bytes(chains.get(chain))).as("seed %d", SEED).isEqualTo(expected.get(chain));
                    used += (expected.get(chain).length + 1023L) / 1024 * 1024;
                }
                assertThat(blocks.usedBytes()).isEqualTo(used);
                chains.forEach(chain -> chain.truncate(0));
                assertThat(blocks.usedBytes()).isZero();
                assertThat(blocks.byteCount()).isGreaterThanOrEqualTo(used);
                blocks.release();
                assertThat(blocks.byteCount()).isZero();
            }
        }
    }
}
