package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tables whose columns somebody has said.
class DeclaredTest {
    private static final String TABLES = """
            -- two tables
            CREATE TABLE IF NOT EXISTS web (
                status integer NOT NULL,
                took real, -- seconds
                "At" timestamp with time zone,
                on_day date,
                small int2,
                doc json
            );
            create table other (note varchar)
            """;

    @TempDir
    Path root;

    @Test
    void valuesAreOfTheirColumnsTypes() throws Exception {
        IngestConfig config = IngestConfig.of(root).withDeclared(TableDeclarations.read(TABLES));
        try (Fixture fixture = new Fixture(config);
                ForwardClient client = fixture.client()) {
            byte[] events = ForwardClient.events(
                    ForwardClient.event(
                            Instant.EPOCH,
                            Map.of(
                                    "status",
                                    200,
                                    "At",
                                    "2026-11-27T02:11:03+01:00",
                                    "on_day",
                                    "2026-11-27",
                                    "small",
                                    7,
                                    "doc",
                                    Map.of("a", 1),
                                    "more",
                                    "learned")),
                    ForwardClient.event(Instant.EPOCH, Map.of("status", 1L << 40)),
                    ForwardClient.event(Instant.EPOCH, Map.of("status", "200")),
                    ForwardClient.event(Instant.EPOCH, Map.of("small", 1)),
                    ForwardClient.event(Instant.EPOCH, Map.of("status", 404, "took", 1.5)));
            client.send(ForwardClient.packed("web", events, Map.of("chunk", "w1")));
            client.ack();
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows("web", "status", "At", "on_day", "small", "doc", "more"))
                        .containsExactly("200|2026-11-27T01:11:03Z|2026-11-27|7|{\"a\": 1}|learned", "404|-|-|-|-|-");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
            assertThat(fixture.ingest.counts().rejectedEvents()).isEqualTo(3);
            try (var files = Files.list(root.resolve("_ingest/rejected"))) {
                assertThat(Files.readString(files.findFirst().orElseThrow()))
                        .contains("column \\\"status\\\" is of type integer, its value is \\\"200\\\"")
                        .contains("violates not-null constraint");
            }
        }
        IngestConfig wrong =
                IngestConfig.of(root).withDeclared(TableDeclarations.read("CREATE TABLE web (status text)"));
        assertThatThrownBy(() -> Ingest.open(wrong))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("column \"status\" of table \"web\" is declared as");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TABLE t (a integer, a text)|42701",
                "CREATE TABLE t (a integer); CREATE TABLE t (b text)|42P07",
                "CREATE TABLE t (a point)|0A000",
                "CREATE TABLE t (a numeric)|0A000",
                "CREATE TABLE t (a integer|42601",
                "CREATE VIEW t|42601",
                "CREATE TABLE|42601"
            })
    void whatIsWrongHasItsState(String text, String state) {
        assertThatThrownBy(() -> TableDeclarations.read(text))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state().code()).isEqualTo(state));
        assertThat(SqlState.SYNTAX_ERROR.code()).isEqualTo("42601");
    }
}
