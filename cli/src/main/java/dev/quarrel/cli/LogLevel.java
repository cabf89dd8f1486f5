package dev.quarrel.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/// Shows more of our log while a server runs; other commands write warnings alone. Closing it restores the old
/// level.
final class LogLevel implements AutoCloseable {
    private final Logger logger;
    private final Level before;

    private LogLevel(Logger logger) {
        this.logger = logger;
        this.before = logger.getLevel();
        logger.setLevel(Level.INFO);
    }

    static LogLevel info() {
        return new LogLevel((Logger) LoggerFactory.getLogger("dev.quarrel"));
    }

    @Override
    public void close() {
        logger.setLevel(before);
    }
}
