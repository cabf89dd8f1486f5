package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.junit.jupiter.api.Test;

final class ErrorTextTest {
    @Test
    void theCaretStandsUnderThePosition() {
        // As psql 15 writes it with VERBOSITY verbose.
        QueryException error = new QueryException(SqlState.UNDEFINED_TABLE, "relation \"x\" does not exist");
        assertThat(ErrorText.of(error.withPosition(20), "select\n1, foo\nfrom x"))
                .isEqualTo("""
                        ERROR:  42P01: relation "x" does not exist
                        LINE 3: from x
                                     ^
                        """);
    }

    @Test
    void positionsCountCharactersAndTheCaretColumns() {
        QueryException error = new QueryException(SqlState.UNDEFINED_COLUMN, "no z").withPosition(14);
        String text = ErrorText.of(error, "select '日😀', z");
        assertThat(text.lines().toList().get(2)).isEqualTo(" ".repeat("LINE 1: ".length() + 15) + "^");
    }

    @Test
    void detailAndHintFollow() {
        QueryException error = new QueryException(SqlState.OUT_OF_MEMORY, "too much")
                .withDetail("1 GiB")
                .withHint("less");
        assertThat(ErrorText.of(error, "select 1")).isEqualTo("ERROR:  53200: too much\nDETAIL:  1 GiB\nHINT:  less\n");
    }

    @Test
    void aPositionPastTheEndPointsToTheEnd() {
        QueryException error = new QueryException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        assertThat(ErrorText.of(error.withPosition(99), "select"))
                .endsWith("LINE 1: select\n" + " ".repeat(8 + 6) + "^\n");
    }
}
