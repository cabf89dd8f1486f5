package dev.quarrel.server.statement;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgText;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/// Logs statements that took long, each as one event with its facts as pairs: PostgreSQL's
/// `log_min_duration_statement`.
public final class StatementLog implements StatementListener {
    private static final Logger LOG = LoggerFactory.getLogger(StatementLog.class);
    private static final int MOST_CHARS = 8192;
    private static final int MOST_PARAMETER_CHARS = 256;

    private final long minNanos;
    private final boolean withParameters;

    /// @param minMillis 0 or more; 0 logs all
    /// @param withParameters whether their values are logged too
    public StatementLog(long minMillis, boolean withParameters) {
        this.minNanos = minMillis * 1_000_000;
        this.withParameters = withParameters;
    }

    @Override
    public void ended(EndedStatement statement) {
        if (statement.nanos() < minNanos || !LOG.isInfoEnabled()) {
            return;
        }
        LoggingEventBuilder event = LOG.atInfo()
                .setMessage("statement.done")
                .addKeyValue("query_id", statement.queryId())
                .addKeyValue("session", statement.processId())
                .addKeyValue("user", statement.user())
                .addKeyValue("database", statement.database())
                .addKeyValue("application", statement.application())
                .addKeyValue("phase", statement.isParse() ? "parse" : "execute")
                .addKeyValue("duration_ms", BigDecimal.valueOf(statement.nanos() / 1000, 3))
                .addKeyValue("rows", statement.rows())
                .addKeyValue("bytes", statement.bytes())
                .addKeyValue("device", statement.devices());
        if (statement.error() != null) {
            event = event.addKeyValue("sqlstate", statement.error().code());
        }
        event = event.addKeyValue("statement", cut(statement.text(), MOST_CHARS));
        if (withParameters && !statement.parameters().isEmpty()) {
            event = event.addKeyValue("parameters", values(statement.parameters()));
        }
        event.log();
    }

    private static String values(List<Literal> parameters) {
        return parameters.stream()
                .map(parameter -> parameter.isNull()
                        ? "NULL"
                        : "'"
                                + cut(PgText.text(parameter), MOST_PARAMETER_CHARS)
                                        .replace("'", "''") + "'")
                .collect(Collectors.joining(", "));
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }
}
