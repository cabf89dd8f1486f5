package dev.quarrel.server.session;

import dev.quarrel.calcite.Notice;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.wire.BackendMessage;
import dev.quarrel.server.wire.ProtocolException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns exceptions into the fields a client sees: the only place that does.
///
/// The user's mistakes and our limits keep their SQLSTATE and words. A bug becomes XX000 "internal error"
/// without class names or paths, and goes to the log with all of them under a number that both share.
public final class ErrorFields {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorFields.class);

    private ErrorFields() {}

    /// An ERROR: the session goes on.
    ///
    /// @param sql the text that an error's position points into, or null
    public static BackendMessage.ErrorResponse error(Throwable failure, String sql) {
        return new BackendMessage.ErrorResponse(fields("ERROR", asQueryException(failure), sql));
    }

    /// A FATAL: the connection ends after it.
    public static BackendMessage.ErrorResponse fatal(Throwable failure) {
        return new BackendMessage.ErrorResponse(fields("FATAL", asQueryException(failure), null));
    }

    public static BackendMessage.NoticeResponse notice(Notice notice) {
        return new BackendMessage.NoticeResponse(fields(notice.severity(), notice.code(), notice.message()));
    }

    static QueryException asQueryException(Throwable failure) {
        return switch (failure) {
            case QueryException told -> told;
            case ProtocolException broken -> new QueryException(broken.state(), broken.getMessage());
            case StackOverflowError _ ->
                new QueryException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
                        .withHint("Simplify the statement: its expressions are nested too deeply.");
            case OutOfMemoryError _ -> {
                LOG.error("query.out_of_memory", failure);
                yield new QueryException(SqlState.OUT_OF_MEMORY, "out of memory");
            }
            default -> {
                String number = Long.toHexString(System.nanoTime());
                LOG.error("query.bug number={}", number, failure);
                yield new QueryException(SqlState.INTERNAL_ERROR, "internal error")
                        .withDetail("This is a bug. The server's log has it under number " + number + ".");
            }
        };
    }

    private static Map<Character, String> fields(String severity, QueryException error, String sql) {
        Map<Character, String> fields = fields(severity, error.state().code(), error.getMessage());
        if (error.detail() != null) {
            fields.put('D', error.detail());
        }
        if (error.hint() != null) {
            fields.put('H', error.hint());
        }
        if (error.context() != null) {
            fields.put('W', error.context());
        }
        if (error.constraint() != null) {
            fields.put('n', error.constraint());
        }
        if (sql != null && error.position().isPresent()) {
            fields.put('P', Integer.toString(error.position().getAsInt()));
        }
        return fields;
    }

    private static Map<Character, String> fields(String severity, String code, String message) {
        Map<Character, String> fields = new LinkedHashMap<>();
        fields.put('S', severity);
        fields.put('V', severity);
        fields.put('C', code);
        fields.put('M', message == null || message.isEmpty() ? "missing error text" : message);
        return fields;
    }
}
