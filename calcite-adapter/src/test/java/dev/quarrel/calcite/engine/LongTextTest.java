package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Functions of one long text end when the statement does; patterns are refused before they take all memory.
final class LongTextTest {
    private static final List<String> TIMEOUT = List.of("ERROR 57014 canceling statement due to statement timeout");
    private final TestCatalog catalog = TestCatalog.small();
    private Engine engine;
    private SqlSession session;

    @BeforeEach
    void open() {
        Schema schema = new Schema(List.of(
                new Field("s", DataType.UTF8, false),
                new Field("half", DataType.UTF8, false),
                new Field("like_pattern", DataType.UTF8, false),
                new Field("any_pattern", DataType.UTF8, false)));
        // Needles begin and end as every place of the text does, and differ behind many letters.
        String half = "a".repeat(200_000);
        catalog.put(
                "long",
                schema,
                TestCatalog.row("a".repeat(4_000_000), half + "ba", "%" + half + "ba%", "%_" + half + "_b%"));
        engine = LocalEngine.open(catalog, EngineConfig.defaults().withThreads(2));
        session = engine.openSession("tester");
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s ~ '^(a+)(a+)\\1\\2\\1$'",
                "s ~* '^(a+)(a+)\\1\\2\\1$'",
                "(s || 'ü') ~ '^(a+)(a+)\\1\\2\\1ü$'",
                "s like like_pattern",
                "s like any_pattern",
                "s ilike like_pattern",
                "s::bytea like like_pattern::bytea",
                "position(half in s) > 0",
                "replace(s, half, 'x') = ''",
                "btrim(s, replace(half, 'a', 'xyz') || 'a') = ''",
            })
    void theTimeoutEndsThem(String condition) {
        // A JVM's first statement takes seconds to plan.
        assertThat(Answers.of(session, "select count(*) from long where s ~ 'x' or s like '%x%'"))
                .containsExactly("0");
        Answers.of(session, "set statement_timeout = '200ms'");
        long start = System.nanoTime();
        assertThat(Answers.of(session, "select count(*) from long where " + condition))
                .isEqualTo(TIMEOUT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    /// Constants are matched while the statement is planned.
    @Test
    void theTimeoutEndsPlanningToo() {
        Answers.of(session, "select 'b' ~ 'c'");
        Answers.of(session, "set statement_timeout = '500ms'");
        String text = "'" + "a".repeat(1_000_000) + "'";
        long start = System.nanoTime();
        assertThat(Answers.of(session, "select " + text + " ~ '^(a+)(a+)\\1\\2\\1$'"))
                .isEqualTo(TIMEOUT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void programsOfPatternsAreBounded() {
        for (String pattern : List.of(
                "((a{255}){255}){255}",
                "((a{0,255}){0,255}){0,255}",
                "(((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9})",
                "(((a|b){2,255}){3,}){255}",
                "(".repeat(5000) + "a" + ")".repeat(5000),
                "a".repeat(200_000))) {
            assertThat(Answers.of(session, "select count(*) from u where n ~ '" + pattern + "'"))
                    .containsExactly("ERROR 2201B invalid regular expression: regular expression is too complex");
        }
        assertThat(Answers.of(session, "select count(*) from u where n ~ '^(o{0,255}){0,100}ne$'"))
                .containsExactly("1");
    }
}
