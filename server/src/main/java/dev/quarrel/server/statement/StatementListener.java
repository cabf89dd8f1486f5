package dev.quarrel.server.statement;

import java.util.List;

/// Is told of each statement that has ended.
///
/// - Threads: sessions call it, on the thread that answers their client: it must be quick, and does not throw.
public interface StatementListener {
    /// Nobody listens: then nothing is measured.
    StatementListener NONE = _ -> {};

    void ended(EndedStatement statement);

    /// One that tells all of them.
    static StatementListener of(List<StatementListener> listeners) {
        return switch (listeners.size()) {
            case 0 -> NONE;
            case 1 -> listeners.getFirst();
            default -> {
                List<StatementListener> all = List.copyOf(listeners);
                yield statement -> all.forEach(listener -> listener.ended(statement));
            }
        };
    }
}
