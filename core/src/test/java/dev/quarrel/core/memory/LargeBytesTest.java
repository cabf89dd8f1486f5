package dev.quarrel.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class LargeBytesTest {
    private static final int MIB = 1 << 20;

    private final LargeBytes large = new LargeBytes(8 * MIB);

    @Test
    void smallArraysAreNotCounted() {
        byte[] bytes = large.copy(new byte[] {7}, 2, MIB);
        assertThat(bytes).hasSize(MIB).startsWith(7, 0);
        assertThat(large.heldBytes()).isZero();
    }

    @Test
    void whatIsNotUsedAnyMoreMakesRoom() {
        for (int round = 0; round < 20; round++) {
            byte[] bytes = large.copy(new byte[] {7}, 5 * MIB, 5 * MIB);
            assertThat(bytes[0]).isEqualTo((byte) 7);
        }
        assertThat(large.heldBytes()).isBetween(5L * MIB, 8L * MIB);
    }

    @Test
    void itTakesLessWhereThereIsNoRoomForMore() {
        assertThat(large.copy(new byte[0], 3 * MIB, 16 * MIB)).hasSize(3 * MIB);
    }

    @Test
    void itGrowsByMoreThanASmallValueWhereThereIsLittleRoom() {
        byte[] first = large.copy(new byte[0], 3 * MIB, 3 * MIB);
        assertThat(large.copy(first, 3 * MIB + 1, 6 * MIB)).hasSize(3 * MIB + 3 * MIB / 8);
        Reference.reachabilityFence(first);
    }

    @Test
    void tooMuchAtOnceIsAnError() {
        byte[] first = large.copy(new byte[0], 6 * MIB, 6 * MIB);
        for (int bytes : new int[] {3 * MIB, 9 * MIB}) {
            assertThatThrownBy(() -> large.copy(new byte[0], bytes, bytes))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.OUT_OF_MEMORY));
        }
        Reference.reachabilityFence(first);
        assertThat(large.heldBytes()).isEqualTo(6L * MIB);
    }
}
