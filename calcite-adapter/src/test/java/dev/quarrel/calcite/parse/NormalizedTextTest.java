package dev.quarrel.calcite.parse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NormalizedTextTest {
    @Test
    void blanksCommentsAndCaseDoNotCount() {
        String plain = NormalizedText.of("select a, 'X' from t where b = 1");
        assertThat(NormalizedText.of("SELECT  A,\n'X' FROM t -- all of it\nwhere /* nested /* too */ */ B=1"))
                .isEqualTo(plain);
        assertThat(NormalizedText.of("select a, E'X' from t where b = 1")).isEqualTo(plain);
        assertThat(NormalizedText.of("select a, $$X$$ from t where b = 1")).isEqualTo(plain);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "select 1 | select 2",
                "select 1 | select 1.0",
                "select 1 | select '1'",
                "select a | select \"A\"",
                "select $1 | select $2",
                "select $1 | select '$1'",
                "select 'a' | select 'A'",
                "select a b | select ab",
                "select - -1 | select --1",
                "select 'a', 'b' | select 'a'', ''b'",
                "select a<b | select a < = b",
                "select true | select \"true\" 't'"
            })
    void whatMayMeanSomethingElseStaysApart(String one, String other) {
        assertThat(NormalizedText.of(one)).isNotEqualTo(NormalizedText.of(other));
    }
}
