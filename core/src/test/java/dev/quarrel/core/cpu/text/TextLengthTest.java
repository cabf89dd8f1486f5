package dev.quarrel.core.cpu.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.junit.jupiter.api.Test;

/// Texts that no value, or no tile, can hold.
class TextLengthTest {
    @Test
    void aValueIsNoLargerThanPostgresHasIt() {
        assertThat(TextVector.checkedLength((1 << 30) - 5)).isEqualTo((1 << 30) - 5);
        for (long bytes : new long[] {(1 << 30) - 4, Integer.MAX_VALUE, 4L * Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> TextVector.checkedLength(bytes))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            error -> assertThat(error.state()).isEqualTo(SqlState.PROGRAM_LIMIT_EXCEEDED))
                    .hasMessage("requested length too large");
        }
    }

    @Test
    void aTilesTextsAreNoLargerThanAnArray() {
        TextVector vector = new TextVector(DataType.UTF8, 4);
        vector.startBuffer();
        vector.begin(0, 1000);
        assertThatThrownBy(() -> vector.begin(1, Integer.MAX_VALUE - 100))
                .isInstanceOfSatisfying(
                        QueryException.class, error -> assertThat(error.state()).isEqualTo(SqlState.OUT_OF_MEMORY));
        assertThat(vector.begin(1, 1000)).isEqualTo(1000);
    }
}
