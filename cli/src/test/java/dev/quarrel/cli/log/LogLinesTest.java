package dev.quarrel.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

/// Events as lines.
final class LogLinesTest {
    private static final String HOSTILE = "select '\n2026-01-01 ERROR forged\r\t\"\\\u0007\u2028\ud800'";

    private final Logger logger = new LoggerContext().getLogger("dev.quarrel.Some");

    private String line(boolean json, String message, Throwable failure, KeyValuePair... pairs) {
        LoggingEvent event = new LoggingEvent("", logger, Level.INFO, message, failure, new Object[0]);
        event.setKeyValuePairs(pairs.length == 0 ? null : List.of(pairs));
        LogLines lines = new LogLines();
        lines.setJson(json);
        return new String(lines.encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void textIsForPeople() {
        assertThat(line(false, "server.ready address=/127.0.0.1:5433", null))
                .matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3} INFO  server.ready address=/127.0.0.1:5433\n");
        assertThat(line(
                        false,
                        "statement.done",
                        null,
                        new KeyValuePair("duration_ms", 1.5),
                        new KeyValuePair("user", "ann"),
                        new KeyValuePair("device", ""),
                        new KeyValuePair("statement", "select \"a\"\n")))
                .endsWith(" statement.done duration_ms=1.5 user=ann device=\"\" statement=\"select \\\"a\\\"\\n\"\n");
    }

    @Test
    void whatClientsSendStaysInItsLine() {
        for (boolean json : new boolean[] {false, true}) {
            String line = line(json, "login.failed user=" + HOSTILE, null, new KeyValuePair("statement", HOSTILE));
            assertThat(line).endsWith("\n").hasLineCount(1).doesNotContain("\u2028", "\u0007", "\r", "\t");
        }
    }

    @Test
    void jsonIsJson() throws Exception {
        String line = line(
                true,
                "session.bug",
                new IllegalStateException("no\nway"),
                new KeyValuePair("rows", 3L),
                new KeyValuePair("statement", HOSTILE.replace("\ud800", "")));
        JsonNode event = new ObjectMapper().readTree(line);
        assertThat(event.get("level").asText()).isEqualTo("INFO");
        assertThat(event.get("logger").asText()).isEqualTo("dev.quarrel.Some");
        assertThat(event.get("event").asText()).isEqualTo("session.bug");
        assertThat(event.get("rows").isNumber()).isTrue();
        assertThat(event.get("statement").asText()).isEqualTo(HOSTILE.replace("\ud800", ""));
        assertThat(event.get("exception").asText()).contains("IllegalStateException: no\nway", "\tat ");
        assertThat(event.get("time").asText()).endsWith("Z");
    }
}
