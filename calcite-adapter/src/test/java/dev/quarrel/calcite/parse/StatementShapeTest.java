package dev.quarrel.calcite.parse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StatementShapeTest {
    @Test
    void blanksCommentsAndCaseDoNotCount() {
        String plain = all("select a, 'X' from t where b = 1");
        assertThat(all("SELECT  A,\n'X' FROM t -- all of it\nwhere /* nested /* too */ */ B=1"))
                .isEqualTo(plain);
        assertThat(all("select a, E'X' from t where b = 1")).isEqualTo(plain);
        assertThat(all("select a, $$X$$ from t where b = 1")).isEqualTo(plain);
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
        assertThat(all(one)).isNotEqualTo(all(other));
    }

    /// The key of a text with its literals.
    private static String all(String text) {
        return StatementShape.of(text).withLiterals();
    }

    private static String shape(String text) {
        return StatementShape.of(text).key();
    }

    @Test
    void literalsOfOneKindAreAlike() {
        String shape = shape("select a from t where b = 1 and c = 'x' and d = 1.50");
        assertThat(shape("select a from t where b = 2147483647 and c = 'it''s' and d = 20.25;"))
                .isEqualTo(shape);
        assertThat(shape("select a from t where b = 2147483648 and c = 'x' and d = 1.50"))
                .isNotEqualTo(shape);
        assertThat(shape("select a from t where b = 1 and c = 'x' and d = 1.5")).isNotEqualTo(shape);
        assertThat(shape("select a from t where b = '1' and c = 'x' and d = 1.50"))
                .isNotEqualTo(shape);
        assertThat(shape("select a from t where b = $1 and c = 'x' and d = 1.50"))
                .isNotEqualTo(shape);
    }

    @Test
    void literalsKnowTheirPlacesAndSigns() {
        StatementShape shape = StatementShape.of(" select a - 1 from t where b = -22 and c = 'x' ;");
        assertThat(shape.literals())
                .containsExactly(
                        new StatementShape.Written(true, "1", 12, 10),
                        new StatementShape.Written(true, "22", 32, 31),
                        new StatementShape.Written(false, "x", 43, -1));
        assertThat(shape.start()).isEqualTo(1);
        assertThat(shape.end()).isEqualTo(46);
    }

    @Test
    void numbersOfManyDigitsStayInTheShape() {
        assertThat(shape("select 12345678901234567890")).isNotEqualTo(shape("select 12345678901234567891"));
        assertThat(shape("select 1e5")).isNotEqualTo(shape("select 1e6"));
    }
}
