package dev.quarrel.core.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayTextTest {
    @Test
    void nestedArraysAreReadRowByRow() {
        ArrayText.Nested read = ArrayText.parseNested("{{1,NULL},{\"\",\"{\"}}");
        assertThat(read.lengths()).isEqualTo(List.of(2, 2));
        assertThat(read.elements()).isEqualTo(Arrays.asList("1", null, "", "{"));
        assertThat(ArrayText.parseNested("{}").elements()).isEmpty();
    }

    /// Lists of lists may be such, arrays may not: the error says which value, and why.
    @ParameterizedTest
    @ValueSource(strings = {"{{1,2},NULL}", "{NULL,{1,2}}", "{{1,2},{3}}", "{{1},{{2}}}"})
    void listsThatDifferAreNoArray(String text) {
        assertThatExceptionOfType(QueryException.class)
                .isThrownBy(() -> ArrayText.parseNested(text))
                .withMessage("malformed array literal: \"" + text + "\"")
                .satisfies(error -> {
                    assertThat(error.state()).isEqualTo(SqlState.INVALID_TEXT_REPRESENTATION);
                    assertThat(error.detail())
                            .isEqualTo("Multidimensional arrays must have sub-arrays with matching dimensions.");
                });
    }
}
