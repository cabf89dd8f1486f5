package dev.quarrel.server.session;

import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.DateOrder;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.rows.ParameterDecoder;
import dev.quarrel.server.rows.RowEncoder;
import dev.quarrel.server.rows.TextStyle;
import dev.quarrel.server.wire.BackendMessage;
import dev.quarrel.server.wire.FrontendMessage;
import dev.quarrel.server.wire.Target;
import dev.quarrel.server.wire.TransactionStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// The state machine of one logged-in client: what each message means, and what is answered.
///
/// - Simple queries run their statements one after another in one implicit transaction.
/// - After an error in the extended protocol everything is skipped up to the next Sync.
/// - Portals die with the transaction they were made in, at Sync outside a block at the latest.
/// - Errors: none leave `handle` but [ClientGoneException]; all others become ErrorResponse.
/// - Threads: one at a time calls `handle` and `close`; `cancel` may come from any.
final class Session implements AutoCloseable {
    private static final String UNNAMED = "";
    /// Parameters that are read in microseconds.
    private static final int MAX_QUICK_BYTES = 4096;

    private final SqlSession sql;
    private final Output out;
    private final ScheduledExecutorService timer;
    private final int maxPrepared;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();
    private boolean skipToSync;
    private boolean inBlock;
    private boolean finished;
    private final Map<String, String> changedSettings = new LinkedHashMap<>();
    private boolean reporting; // false until the first ParameterStatus of each has gone out
    private volatile Cancellation running;

    /// @param sql owned from here on
    /// @param timer for statement_timeout
    Session(SqlSession sql, Output out, ScheduledExecutorService timer, int maxPrepared) {
        this.sql = sql;
        this.out = out;
        this.timer = timer;
        this.maxPrepared = maxPrepared;
        sql.onNotice(notice -> out.write(ErrorFields.notice(notice)));
        sql.onSettingChange((name, value) -> {
            if (reporting && ReportedSettings.contains(name)) {
                changedSettings.put(ReportedSettings.spelling(name), value);
            }
        });
    }

    /// Whether the connection is to be closed: the client said so, or a FATAL was sent.
    boolean isFinished() {
        return finished;
    }

    /// Stops what is planned or running, if anything is. Any thread.
    void cancel(QueryException why) {
        Cancellation current = running;
        if (current != null) {
            current.cancel(why);
        }
    }

    /// How long the client may now do nothing, in milliseconds; 0 for as long as it likes.
    long idleLimitMillis() {
        return sql.transactionState() == SqlSession.TransactionState.IDLE
                ? 0
                : Durations.millis(sql.setting("idle_in_transaction_session_timeout"));
    }

    void reportSettings() {
        ReportedSettings.sendAll(sql, out);
        reporting = true;
    }

    /// ReadyForQuery, and before it the settings that changed since the last one.
    void ready() {
        changedSettings.forEach((name, value) -> out.write(new BackendMessage.ParameterStatus(name, value)));
        changedSettings.clear();
        out.write(new BackendMessage.ReadyForQuery(
                switch (sql.transactionState()) {
                    case IDLE -> TransactionStatus.IDLE;
                    case IN_BLOCK -> TransactionStatus.IN_TRANSACTION;
                    case FAILED -> TransactionStatus.FAILED;
                }));
    }

    /// Whether `handle` answers the message in microseconds and waits for nothing: then the event loop may call it.
    boolean isQuick(FrontendMessage message) {
        if (finished) {
            return true;
        }
        return switch (message) {
            case FrontendMessage.Sync _ -> portalsAreQuick();
            case FrontendMessage.Terminate _ -> false;
            case FrontendMessage _ when skipToSync -> true;
            case FrontendMessage.Query query -> portalsAreQuick() && sql.isQuick(query.sql(), List.of());
            case FrontendMessage.Parse parse -> isQuick(parse);
            case FrontendMessage.Bind bind -> isQuick(bind);
            case FrontendMessage.Describe _, FrontendMessage.Flush _ -> true;
            case FrontendMessage.Execute execute -> isQuick(portals.get(execute.portal()));
            case FrontendMessage.Close close ->
                close.target() == Target.STATEMENT || isQuick(portals.get(close.name()));
            case FrontendMessage.FunctionCall _,
                    FrontendMessage.Unusable _,
                    FrontendMessage.CopyMessage _,
                    FrontendMessage.AuthenticationAnswer _,
                    FrontendMessage.Startup _,
                    FrontendMessage.SslRequest _,
                    FrontendMessage.GssEncRequest _,
                    FrontendMessage.CancelRequest _ -> false;
        };
    }

    private boolean isQuick(FrontendMessage.Parse message) {
        List<PgType> types = new ArrayList<>();
        for (int oid : message.parameterTypes()) {
            boolean isDeclared = oid != 0 && oid != PgType.UNKNOWN.oid();
            types.add(isDeclared ? PgType.ofOid(oid).orElse(null) : null);
        }
        return sql.isQuick(message.sql(), types);
    }

    private boolean isQuick(FrontendMessage.Bind message) {
        long bytes = 0;
        for (byte[] parameter : message.parameters()) {
            bytes += parameter == null ? 0 : parameter.length;
        }
        PreparedStatement statement = statements.get(message.statement());
        return bytes <= MAX_QUICK_BYTES
                && (statement == null || statement.isQuick(sql))
                && isQuick(portals.get(message.portal()));
    }

    private boolean isQuick(Portal portal) {
        return portal == null || portal.isQuick(sql);
    }

    private boolean portalsAreQuick() {
        for (Portal portal : portals.values()) {
            if (!portal.isQuick(sql)) {
                return false;
            }
        }
        return true;
    }

    void handle(FrontendMessage message) {
        if (finished) {
            return;
        }
        switch (message) {
            case FrontendMessage.Sync _ -> sync();
            case FrontendMessage.Terminate _ -> finished = true;
            // PostgreSQL skips every other message up to Sync
            case FrontendMessage _ when skipToSync -> {}
            case FrontendMessage.Query query -> simpleQuery(query.sql());
            case FrontendMessage.Parse parse -> extended(parse.sql(), () -> parse(parse));
            case FrontendMessage.Bind bind -> extended(null, () -> bind(bind));
            case FrontendMessage.Describe describe -> extended(null, () -> describe(describe));
            case FrontendMessage.Execute execute -> extended(portalText(execute), () -> execute(execute));
            case FrontendMessage.Close close -> extended(null, () -> close(close));
            case FrontendMessage.Flush _ -> out.flush();
            case FrontendMessage.FunctionCall _ -> {
                error(notSupported("function calls by protocol message are not supported"), null);
                ready();
            }
            case FrontendMessage.Unusable unusable -> unusable(unusable);
            case FrontendMessage.CopyMessage _ -> {} // left over from a COPY that failed: PostgreSQL drops it too
            case FrontendMessage.AuthenticationAnswer _ -> fatal(unexpected("authentication response"));
            case FrontendMessage.Startup _,
                    FrontendMessage.SslRequest _,
                    FrontendMessage.GssEncRequest _,
                    FrontendMessage.CancelRequest _ -> fatal(unexpected("startup packet"));
        }
    }

    private static QueryException unexpected(String what) {
        return new QueryException(SqlState.PROTOCOL_VIOLATION, "unexpected " + what);
    }

    private static QueryException notSupported(String message) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, message);
    }

    private void unusable(FrontendMessage.Unusable unusable) {
        switch (unusable.type()) {
            case 'Q', 'F' -> {
                error(unusable.error(), null);
                ready();
            }
            case 'P', 'B', 'D', 'E', 'C' -> {
                error(unusable.error(), null);
                skipToSync = true;
            }
            default -> {} // COPY data out of place
        }
    }

    // ---- simple protocol

    private void simpleQuery(String text) {
        statements.remove(UNNAMED);
        closePortal(UNNAMED);
        try {
            List<ParsedStatement> parsed = cancellable(cancellation -> sql.parse(text, cancellation));
            boolean any = false;
            for (ParsedStatement statement : parsed) {
                if (!statement.isEmpty()) {
                    any = true;
                    runSimple(statement, text);
                }
            }
            if (!any) {
                out.write(new BackendMessage.EmptyQueryResponse());
            }
        } catch (ClientGoneException gone) {
            throw gone;
        } catch (RuntimeException | Error failure) {
            error(failure, text);
        }
        endImplicitTransaction();
        if (!finished) {
            ready();
        }
    }

    /// How texts of times and intervals are read now.
    private PgParse.Moment moment() {
        return new PgParse.Moment(
                SessionZone.of(sql),
                Instant.now(),
                IntervalStyle.of(sql.setting("IntervalStyle")),
                DateOrder.of(sql.setting("DateStyle")));
    }

    private TextStyle textStyle() {
        return new TextStyle(
                SessionZone.of(sql),
                "escape".equals(sql.setting("bytea_output")),
                IntervalStyle.of(sql.setting("IntervalStyle")),
                Integer.parseInt(sql.setting("extra_float_digits")));
    }

    private void runSimple(ParsedStatement statement, String text) {
        Cancellation cancellation = new Cancellation();
        running = cancellation;
        Future<?> timeout = startTimeout(cancellation);
        try {
            PreparedQuery query = sql.prepare(statement, List.of(), cancellation);
            if (!query.parameterTypes().isEmpty()) {
                throw new QueryException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
            }
            short[] formats = new short[query.columns().size()];
            try (Portal portal =
                    new Portal(new PreparedStatement(text, query), List.of(), formats, textStyle(), cancellation)) {
                cancellation.check();
                portal.begin(sql);
                if (query.returnsRows()) {
                    out.write(RowEncoder.describe(query.columns(), formats));
                }
                long rowCount = portal.send(out, Long.MAX_VALUE);
                complete(portal.commandTag(rowCount));
            }
        } finally {
            running = null;
            stopTimeout(timeout);
        }
        noticeTransactionEnd();
    }

    // ---- extended protocol

    private void extended(String text, Runnable step) {
        try {
            step.run();
        } catch (ClientGoneException gone) {
            throw gone;
        } catch (RuntimeException | Error failure) {
            error(failure, text);
            skipToSync = true;
        }
    }

    private void sync() {
        skipToSync = false;
        endImplicitTransaction();
        ready();
    }

    private void parse(FrontendMessage.Parse message) {
        if (!message.name().isEmpty() && statements.containsKey(message.name())) {
            throw new QueryException(
                    SqlState.DUPLICATE_PREPARED_STATEMENT,
                    "prepared statement \"" + message.name() + "\" already exists");
        }
        if (message.name().isEmpty()) {
            statements.remove(UNNAMED);
        }
        requireRoom(statements, "prepared statements");
        List<PgType> types = new ArrayList<>();
        for (int oid : message.parameterTypes()) {
            types.add(ParameterDecoder.declaredType(oid));
        }
        PreparedQuery query = cancellable(cancellation -> planned(message.sql(), types, cancellation));
        statements.put(message.name(), new PreparedStatement(message.sql(), query));
        out.write(new BackendMessage.ParseComplete());
    }

    /// The one statement of a text; null for none.
    private PreparedQuery planned(String text, List<PgType> types, Cancellation cancellation) {
        List<ParsedStatement> parsed = sql.parse(text, cancellation).stream()
                .filter(statement -> !statement.isEmpty())
                .toList();
        if (parsed.size() > 1) {
            throw new QueryException(
                    SqlState.SYNTAX_ERROR, "cannot insert multiple commands into a prepared statement");
        }
        return parsed.isEmpty() ? null : sql.prepare(parsed.getFirst(), types, cancellation);
    }

    /// Does what comes before rows, under statement_timeout and for a client that may cancel it or leave.
    private <T> T cancellable(Function<Cancellation, T> work) {
        Cancellation cancellation = new Cancellation();
        running = cancellation;
        Future<?> timeout = startTimeout(cancellation);
        try {
            T done = work.apply(cancellation);
            cancellation.check();
            return done;
        } finally {
            running = null;
            stopTimeout(timeout);
        }
    }

    private void bind(FrontendMessage.Bind message) {
        PreparedStatement statement = statement(message.statement());
        if (!message.portal().isEmpty() && portals.containsKey(message.portal())) {
            throw new QueryException(SqlState.DUPLICATE_CURSOR, "cursor \"" + message.portal() + "\" already exists");
        }
        List<PgType> types = statement.isEmpty() ? List.of() : statement.query().parameterTypes();
        if (message.parameters().length != types.size()) {
            throw new QueryException(
                    SqlState.PROTOCOL_VIOLATION,
                    "bind message supplies " + message.parameters().length + " parameters, but prepared statement \""
                            + message.statement() + "\" requires " + types.size());
        }
        requireNotFailed(statement);
        List<Literal> parameters =
                ParameterDecoder.decode(message.parameters(), message.parameterFormats(), types, moment());
        int columnCount = statement.isEmpty() ? 0 : statement.query().columns().size();
        closePortal(message.portal());
        requireRoom(portals, "portals");
        portals.put(
                message.portal(),
                new Portal(
                        statement,
                        parameters,
                        spread(message.resultFormats(), columnCount),
                        textStyle(),
                        new Cancellation()));
        out.write(new BackendMessage.BindComplete());
    }

    private static short[] spread(short[] formats, int columnCount) {
        if (formats.length > 1 && formats.length != columnCount) {
            throw new QueryException(
                    SqlState.PROTOCOL_VIOLATION,
                    "bind message has " + formats.length + " result formats but query has " + columnCount + " columns");
        }
        if (formats.length == columnCount) {
            return formats;
        }
        short[] spread = new short[columnCount];
        if (formats.length == 1) {
            java.util.Arrays.fill(spread, formats[0]);
        }
        return spread;
    }

    private void describe(FrontendMessage.Describe message) {
        switch (message.target()) {
            case STATEMENT -> {
                PreparedStatement statement = statement(message.name());
                List<PgType> types =
                        statement.isEmpty() ? List.of() : statement.query().parameterTypes();
                if (returnsRows(statement)) {
                    requireNotFailed(statement);
                }
                out.write(new BackendMessage.ParameterDescription(
                        types.stream().mapToInt(PgType::oid).toArray()));
                describeRows(statement, null);
            }
            case PORTAL -> {
                Portal portal = portal(message.name());
                if (returnsRows(portal.statement())) {
                    requireNotFailed(portal.statement());
                }
                describeRows(portal.statement(), portal.formats());
            }
        }
    }

    private static boolean returnsRows(PreparedStatement statement) {
        return !statement.isEmpty() && statement.query().returnsRows();
    }

    private void describeRows(PreparedStatement statement, short[] formats) {
        if (returnsRows(statement)) {
            List<PreparedQuery.ResultColumn> columns = statement.query().columns();
            out.write(RowEncoder.describe(columns, formats == null ? new short[columns.size()] : formats));
        } else {
            out.write(new BackendMessage.NoData());
        }
    }

    private String portalText(FrontendMessage.Execute message) {
        Portal portal = portals.get(message.portal());
        return portal == null ? null : portal.statement().sql();
    }

    private void execute(FrontendMessage.Execute message) {
        Portal portal = portal(message.portal());
        if (portal.statement().isEmpty()) {
            out.write(new BackendMessage.EmptyQueryResponse());
            return;
        }
        requireNotFailed(portal.statement());
        if (portal.isDone() && !returnsRows(portal.statement())) {
            throw new QueryException(
                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "portal \"" + message.portal() + "\" cannot be run");
        }
        Cancellation cancellation = portal.cancellation();
        running = cancellation;
        Future<?> timeout = startTimeout(cancellation);
        try {
            if (portal.isNew()) {
                portal.begin(sql);
            }
            long limit = message.maxRows() > 0 ? message.maxRows() : Long.MAX_VALUE;
            long rowCount = portal.isDone() ? 0 : portal.send(out, limit);
            if (portal.isDone()) {
                complete(portal.commandTag(rowCount));
            } else {
                out.write(new BackendMessage.PortalSuspended());
            }
        } catch (RuntimeException | Error failure) {
            closePortal(message.portal()); // a portal that failed can only be closed
            throw failure;
        } finally {
            running = null;
            stopTimeout(timeout);
        }
        noticeTransactionEnd();
    }

    private void close(FrontendMessage.Close message) {
        if (message.target() == Target.STATEMENT) {
            statements.remove(message.name());
        } else {
            closePortal(message.name());
        }
        out.write(new BackendMessage.CloseComplete());
    }

    private PreparedStatement statement(String name) {
        PreparedStatement statement = statements.get(name);
        if (statement == null) {
            throw new QueryException(
                    SqlState.INVALID_SQL_STATEMENT_NAME,
                    name.isEmpty()
                            ? "unnamed prepared statement does not exist"
                            : "prepared statement \"" + name + "\" does not exist");
        }
        return statement;
    }

    private Portal portal(String name) {
        Portal portal = portals.get(name);
        if (portal == null) {
            throw new QueryException(SqlState.INVALID_CURSOR_NAME, "portal \"" + name + "\" does not exist");
        }
        return portal;
    }

    private void requireRoom(Map<String, ?> objects, String what) {
        if (objects.size() >= maxPrepared) {
            throw new QueryException(
                            SqlState.OUT_OF_MEMORY, "this session holds " + maxPrepared + " " + what + " already")
                    .withHint("Close those that are no longer needed, or raise max_prepared.");
        }
    }

    private void requireNotFailed(PreparedStatement statement) {
        if (sql.transactionState() == SqlSession.TransactionState.FAILED && !statement.endsTransaction()) {
            throw new QueryException(
                    SqlState.IN_FAILED_SQL_TRANSACTION,
                    "current transaction is aborted, commands ignored until end of transaction block");
        }
    }

    // ---- both

    private void complete(String tag) {
        switch (tag) {
            case "DISCARD ALL" -> {
                statements.clear();
                closePortals();
            }
            case "DEALLOCATE ALL" -> statements.clear();
            case "CLOSE CURSOR ALL" -> closePortals();
            default -> {}
        }
        out.write(new BackendMessage.CommandComplete(tag));
    }

    private void noticeTransactionEnd() {
        boolean nowInBlock = sql.transactionState() != SqlSession.TransactionState.IDLE;
        if (inBlock && !nowInBlock) {
            closePortals();
        }
        inBlock = nowInBlock;
    }

    private void endImplicitTransaction() {
        if (sql.transactionState() == SqlSession.TransactionState.IDLE) {
            closePortals();
            sql.endImplicitTransaction();
        }
    }

    private void closePortal(String name) {
        Portal portal = portals.remove(name);
        if (portal != null) {
            portal.close();
        }
    }

    private void closePortals() {
        List<Portal> all = List.copyOf(portals.values());
        portals.clear();
        all.forEach(Portal::close);
    }

    private Future<?> startTimeout(Cancellation cancellation) {
        long millis = Durations.millis(sql.setting("statement_timeout"));
        if (millis <= 0) {
            return null;
        }
        QueryException why =
                new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to statement timeout");
        return timer.schedule(() -> cancellation.cancel(why), millis, TimeUnit.MILLISECONDS);
    }

    private static void stopTimeout(Future<?> timeout) {
        if (timeout != null) {
            timeout.cancel(false);
        }
    }

    private void error(Throwable failure, String text) {
        if (failure instanceof QueryException told && told.state() == SqlState.ADMIN_SHUTDOWN) {
            fatal(told);
            return;
        }
        sql.failTransaction();
        out.write(ErrorFields.error(failure, text));
    }

    void fatal(QueryException why) {
        if (!finished) {
            finished = true;
            out.write(ErrorFields.fatal(why));
        }
    }

    @Override
    public void close() {
        finished = true;
        try {
            closePortals();
        } finally {
            sql.close();
        }
    }
}
