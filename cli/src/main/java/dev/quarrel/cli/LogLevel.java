package dev.quarrel.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.core.OutputStreamAppender;
import dev.quarrel.cli.log.LogLines;
import org.slf4j.LoggerFactory;

/// Shows more of our log while a server runs; other commands write warnings alone. Closing it restores the old
/// level and format.
final class LogLevel implements AutoCloseable {
    private final Logger logger;
    private final Level before;

    private LogLevel(Logger logger) {
        this.logger = logger;
        this.before = logger.getLevel();
        logger.setLevel(Level.INFO);
    }

    /// @param isJson whether each event is a JSON object
    static LogLevel info(boolean isJson) {
        setJson(isJson);
        return new LogLevel((Logger) LoggerFactory.getLogger("dev.quarrel"));
    }

    private static void setJson(boolean isJson) {
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        // An application's own logback.xml may have put something else in its place.
        if (root.getAppender("stderr") instanceof OutputStreamAppender<?> appender
                && appender.getEncoder() instanceof LogLines lines) {
            lines.setJson(isJson);
        }
    }

    @Override
    public void close() {
        logger.setLevel(before);
        setJson(false);
    }
}
