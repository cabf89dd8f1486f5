package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// A cache of SQL texts already split into statements, so that a query that is sent again is neither parsed nor
/// planned again.
///
/// - Memory: at most [#SIZE] texts of at most [#MAX_TEXT] characters; the one used longest ago goes first.
///
/// Threads share it; statements are not changed once they are read.
final class StatementCache {
    private static final int SIZE = 512;
    private static final int MAX_TEXT = 1 << 14;

    private final Function<String, List<Statement>> reader;
    private final Map<String, List<Statement>> texts = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, List<Statement>> eldest) {
            return size() > SIZE;
        }
    };

    /// @param reader cuts a text into statements, or throws
    StatementCache(Function<String, List<Statement>> reader) {
        this.reader = reader;
    }

    /// The statements of a text that was read before, or null.
    List<Statement> find(String text) {
        if (text.length() > MAX_TEXT) {
            return null;
        }
        synchronized (texts) {
            return texts.get(text);
        }
    }

    /// - Errors: the reader's; a text that it refuses is not kept.
    List<Statement> read(String text) {
        if (text.length() > MAX_TEXT) {
            return reader.apply(text);
        }
        List<Statement> known = find(text);
        if (known != null) {
            return known;
        }
        List<Statement> read = List.copyOf(reader.apply(text));
        synchronized (texts) {
            texts.put(text, read);
        }
        return read;
    }
}
