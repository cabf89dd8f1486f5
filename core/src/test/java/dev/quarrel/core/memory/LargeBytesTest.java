package dev.quarrel.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class LargeBytesTest {
    private static final int MIB = 1 << 20;

    private final LargeBytes.Share share = new LargeBytes.Share(8 * MIB);

    private byte[] made(int least, int wanted) {
        return new LargeBytes(share).grow(new byte[] {7}, least, wanted);
    }

    @Test
    void anArrayThatHasGrownIsCountedNoMore() {
        LargeBytes large = new LargeBytes(share);
        byte[] bytes = {7};
        for (int mebibytes = 1; mebibytes <= 4; mebibytes++) {
            bytes = large.grow(bytes, mebibytes * MIB, mebibytes * MIB);
            assertThat(bytes).hasSize(mebibytes * MIB).startsWith(7, 0);
            assertThat(share.heldBytes()).isEqualTo((long) mebibytes * MIB);
        }
        Reference.reachabilityFence(large);
    }

    @Test
    void whatIsNotUsedAnyMoreMakesRoom() {
        for (int round = 0; round < 20; round++) {
            assertThat(made(5 * MIB, 5 * MIB)[0]).isEqualTo((byte) 7);
        }
        assertThat(share.heldBytes()).isBetween(5L * MIB, 8L * MIB);
    }

    @Test
    void itTakesLessWhereThereIsNoRoomForMore() {
        assertThat(made(3 * MIB, 16 * MIB)).hasSize(3 * MIB);
    }

    @Test
    void itGrowsByMoreThanASmallValueWhereThereIsLittleRoom() {
        LargeBytes large = new LargeBytes(share);
        byte[] first = large.grow(new byte[0], 3 * MIB, 3 * MIB);
        assertThat(large.grow(first, 3 * MIB + 1, 6 * MIB)).hasSize(3 * MIB + 3 * MIB / 8);
        Reference.reachabilityFence(large);
    }

    @Test
    void tooMuchAtOnceIsAnError() {
        LargeBytes first = new LargeBytes(share);
        first.grow(new byte[0], 6 * MIB, 6 * MIB);
        for (int bytes : new int[] {3 * MIB, 9 * MIB}) {
            assertThatThrownBy(() -> made(bytes, bytes))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.OUT_OF_MEMORY));
        }
        assertThat(share.heldBytes()).isEqualTo(6L * MIB);
        Reference.reachabilityFence(first);
    }
}
