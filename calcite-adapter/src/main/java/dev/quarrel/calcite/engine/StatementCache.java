package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.parse.StatementShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// A cache of SQL texts already split into statements, so that a query that is sent again is neither parsed nor
/// planned again. Nor is a query that differs from one before in its literals alone ([StatementShape]): it is parsed
/// only if its plan must be made.
///
/// - Memory: at most [#SIZE] texts and [#SHAPES] shapes of at most [#MAX_TEXT] characters; the one used longest ago
///   goes first.
///
/// Threads share it; statements are not changed once they are read.
final class StatementCache {
    private static final int SIZE = 512;
    private static final int SHAPES = 1024;
    private static final int MAX_TEXT = 1 << 16;

    private final Function<String, List<Statement>> reader;
    private final Map<String, List<Statement>> texts = lru(SIZE);

    /// How many parameters queries of a shape have.
    private final Map<String, Integer> shapes = lru(SHAPES);

    /// @param reader cuts a text into statements, or throws
    StatementCache(Function<String, List<Statement>> reader) {
        this.reader = reader;
    }

    private static <K, V> Map<K, V> lru(int size) {
        return new LinkedHashMap<>(64, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > size;
            }
        };
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

    /// - Errors: the reader's; a text that it refuses is not kept. What it refuses of a query that is like one before
    ///   may be an error of that query's tree.
    List<Statement> read(String text) {
        if (text.length() > MAX_TEXT) {
            return reader.apply(text);
        }
        List<Statement> known = find(text);
        if (known != null) {
            return known;
        }
        StatementShape shape = StatementShape.of(text);
        Integer parameters;
        synchronized (shapes) {
            parameters = shapes.get(shape.key());
        }
        if (parameters != null) {
            // The texts of such queries are many, and seldom come again.
            return List.of(Statement.Query.like(shape, parameters, text));
        }
        List<Statement> read = List.copyOf(reader.apply(text));
        synchronized (texts) {
            texts.put(text, read);
        }
        if (isQuery(read, shape)) {
            synchronized (shapes) {
                shapes.put(shape.key(), ((Statement.Query) read.getFirst()).parameterCount());
            }
        }
        return read;
    }

    /// Whether the text is a query with literals, and nothing else.
    private static boolean isQuery(List<Statement> statements, StatementShape shape) {
        return statements.size() == 1
                && statements.getFirst() instanceof Statement.Query query
                && query.start() == shape.start()
                && query.end() == shape.end()
                && !shape.literals().isEmpty();
    }
}
