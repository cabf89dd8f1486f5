package dev.quarrel.ingest.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {
    @ParameterizedTest
    @CsvSource({
        "app.*,      app.web,     yes",
        "app.*,      app,         no",
        "app.*,      app.web.x,   no",
        "app.**,     app,         yes",
        "app.**,     app.web.x,   yes",
        "**.x,       x,           yes",
        "**.x,       a.b.x,       yes",
        "a.{b|c}.d,  a.c.d,       yes",
        "a.{b|c}.d,  a.e.d,       no",
        "**,         anything.at, yes",
        "a.b,        a-b,         no"
    })
    void patternsAreFluentds(String pattern, String tag, String isOf) {
        Routes routes = Routes.of(List.of(pattern.replace('|', ',') + "=t"));
        assertThat(routes.table(tag)).isEqualTo(isOf.equals("yes") ? "t" : tag.replace('.', '_'));
    }

    @Test
    void aRouteHasBothSides() {
        assertThatThrownBy(() -> Routes.of(List.of("app.*"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Routes.of(List.of("a.{b=t"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Routes.of(List.of("a= "))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Routes.of(List.of("a=" + "n".repeat(256))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Routes.of(List.of()).table("")).isEqualTo("events");
    }
}
