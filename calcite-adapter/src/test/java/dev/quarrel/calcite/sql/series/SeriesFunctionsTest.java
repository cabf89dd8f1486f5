package dev.quarrel.calcite.sql.series;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.function.FunctionCatalog;
import org.junit.jupiter.api.Test;

/// That PostgreSQL's statements mean what they meant.
final class SeriesFunctionsTest {
    @Test
    void noneHasANameOfPostgresql() {
        assertThat(SeriesFunctions.names()).contains("time_bucket", "vwap", "year");
        assertThat(SeriesFunctions.names()).allSatisfy(name -> {
            assertThat(FunctionCatalog.named(name)).isEmpty();
            assertThat(FunctionCatalog.reasonDeclined(name)).isNull();
        });
    }
}
