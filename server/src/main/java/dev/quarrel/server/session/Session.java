package dev.quarrel.server.session;

import dev.quarrel.calcite.ColumnOrigin;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.DateOrder;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.rows.ParameterDecoder;
import dev.quarrel.server.rows.RowEncoder;
import dev.quarrel.server.rows.TextStyle;
import dev.quarrel.server.statement.StatementListener;
import dev.quarrel.server.wire.BackendMessage;
import dev.quarrel.server.wire.FrontendMessage;
import dev.quarrel.server.wire.Target;
import dev.quarrel.server.wire.TransactionStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// The state machine of one logged-in client: what each message means, and what is answered.
///
/// - Simple queries run their statements one after another in one implicit transaction, and so does what comes before
///   one Sync: all that it changes is there at its end, or nothing.
/// - A statement that changes tables alone before a Sync is a transaction of its own, which may wait for others that
///   change the same and run again. So an Execute of one waits for the message behind it: a client that asks for the
///   answer sends Sync or Flush.
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
    private final PreparedStatements statements;
    private final Portals portals = new Portals();
    private final Commands commands;
    private FrontendMessage.Execute held; // until the message behind it is known; null for none
    private boolean skipToSync;
    private boolean inTransaction;
    private boolean commitsBeforeAnswer; // the statement that runs, as its text's last one
    private boolean hasFailed; // since the last implicit transaction ended
    private boolean finished;
    private final Map<String, String> changedSettings = new LinkedHashMap<>();
    private boolean reporting; // false until the first ParameterStatus of each has gone out
    private Function<Runnable, FrontendMessage> source;
    private volatile Cancellation running;
    private final ActivityLog log;
    private final StatementWatch watch;

    /// @param sql owned from here on
    /// @param timer for statement_timeout
    /// @param listener is told of statements that have ended
    Session(SqlSession sql, Output out, ScheduledExecutorService timer, int maxPrepared, StatementListener listener) {
        this.sql = sql;
        this.out = out;
        this.timer = timer;
        this.log = new ActivityLog(sql.user());
        this.watch = new StatementWatch(sql, out, listener);
        this.statements = new PreparedStatements(maxPrepared);
        this.commands = new Commands(sql, portals, statements, this::textStyle, this::moment);
        sql.onNotice(notice -> out.write(ErrorFields.notice(notice)));
        sql.onSettingChange((name, value) -> {
            if (name.equals("application_name")) {
                log.application(value);
            }
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

    /// - Errors: the cancellation's reason.
    void checkCancelled() {
        Cancellation current = running;
        if (current != null) {
            current.check();
        }
    }

    ClientSession.Activity activity() {
        return log.activity();
    }

    List<ClientSession.Cursor> cursors() {
        List<ClientSession.Cursor> cursors = new ArrayList<>();
        portals.byName().forEach((name, portal) -> {
            if (portal.isCursor()) {
                cursors.add(portal.describe(name));
            }
        });
        return cursors;
    }

    List<ClientSession.Prepared> preparedStatements() {
        List<ClientSession.Prepared> prepared = new ArrayList<>();
        statements.byName().forEach((name, statement) -> {
            if (!name.isEmpty()) {
                prepared.add(statement.describe(name, commands.columns(statement)));
            }
        });
        return prepared;
    }

    /// How long the client may now do nothing, in milliseconds; 0 for as long as it likes.
    long idleLimitMillis() {
        return Durations.millis(
                sql.setting(isInTransaction() ? "idle_in_transaction_session_timeout" : "idle_session_timeout"));
    }

    /// The error that ends a client that did nothing for longer.
    QueryException idleTimeout() {
        return isInTransaction()
                ? new QueryException(
                        SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                        "terminating connection due to idle-in-transaction timeout")
                : new QueryException(
                        SqlState.IDLE_SESSION_TIMEOUT, "terminating connection due to idle-session timeout");
    }

    private boolean isInTransaction() {
        return sql.transactionState().isExplicit();
    }

    void reportSettings() {
        ReportedSettings.sendAll(sql, out);
        reporting = true;
    }

    /// ReadyForQuery, and before it the settings that changed since the last one.
    void ready() {
        log.idle(sql.transactionState());
        changedSettings.forEach((name, value) -> out.write(new BackendMessage.ParameterStatus(name, value)));
        changedSettings.clear();
        out.write(new BackendMessage.ReadyForQuery(
                switch (sql.transactionState()) {
                    case IDLE, STARTED, IMPLICIT -> TransactionStatus.IDLE;
                    case IN_BLOCK -> TransactionStatus.IN_TRANSACTION;
                    case FAILED -> TransactionStatus.FAILED;
                }));
    }

    /// Whether `handle` answers the message in microseconds and waits for nothing: then the event loop may call it.
    boolean isQuick(FrontendMessage message) {
        if (finished) {
            return true;
        }
        if (held != null) {
            return false;
        }
        return switch (message) {
            case FrontendMessage.Sync _ -> portalsAreQuick() && !sql.hasImplicitChanges();
            case FrontendMessage.Terminate _ -> false;
            case FrontendMessage _ when skipToSync -> true;
            case FrontendMessage.Query query -> portalsAreQuick() && sql.isQuick(query.sql(), List.of());
            case FrontendMessage.Parse parse -> isQuick(parse);
            case FrontendMessage.Bind bind -> isQuick(bind);
            case FrontendMessage.Describe _, FrontendMessage.Flush _ -> true;
            case FrontendMessage.Execute execute -> isQuick(portals.find(execute.portal()));
            case FrontendMessage.Close close ->
                close.target() == Target.STATEMENT || isQuick(portals.find(close.name()));
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
        PreparedStatement statement = statements.find(message.statement());
        return bytes <= MAX_QUICK_BYTES
                && (statement == null || statement.isQuick(sql))
                && isQuick(portals.find(message.portal()));
    }

    private boolean isQuick(Portal portal) {
        return portal == null || portal.isQuick(sql);
    }

    private boolean portalsAreQuick() {
        for (Portal portal : portals.all()) {
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
        FrontendMessage.Execute before = held;
        if (before != null && !(message instanceof FrontendMessage.Terminate)) {
            held = null;
            extended(portalText(before), () -> execute(before, message instanceof FrontendMessage.Sync));
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
            case FrontendMessage.Execute execute when mayBeAlone(execute) -> held = execute;
            case FrontendMessage.Execute execute -> extended(portalText(execute), () -> execute(execute, false));
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
        log.running(text);
        statements.remove(UNNAMED);
        portals.close(UNNAMED);
        watch.begin(text);
        try {
            List<ParsedStatement> parsed = cancellable(cancellation -> sql.parse(text, cancellation)).stream()
                    .filter(statement -> !statement.isEmpty())
                    .toList();
            for (int index = 0; index < parsed.size(); index++) {
                if (parsed.size() > 1) {
                    sql.beginImplicitTransaction(true);
                    commitsBeforeAnswer = index == parsed.size() - 1;
                }
                runSimple(parsed.get(index), text);
            }
            if (parsed.isEmpty()) {
                watch.forget();
                out.write(new BackendMessage.EmptyQueryResponse());
            }
        } catch (ClientGoneException gone) {
            watch.failed(gone);
            throw gone;
        } catch (RuntimeException | Error failure) {
            error(failure, text);
        } finally {
            commitsBeforeAnswer = false;
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
        return TextStyles.of(sql);
    }

    private void runSimple(ParsedStatement statement, String text) {
        Cancellation cancellation = new Cancellation();
        running = cancellation;
        Future<?> timeout = startTimeout(cancellation);
        watch.begin(statement.text());
        try {
            requireNotFailed(statement);
            PreparedQuery query = statement.command() == null ? sql.prepare(statement, List.of(), cancellation) : null;
            if (query != null && !query.parameterTypes().isEmpty()) {
                throw statement.noParameters();
            }
            cancellation.check();
            PreparedStatement prepared = PreparedStatement.of(text, statement, query);
            if (query != null && query.copy() != null) {
                copy(query, cancellation);
            } else if (query != null && query.readsInput()) {
                copyIn(query, cancellation);
            } else {
                run(prepared, cancellation);
            }
            watch.ended();
        } finally {
            running = null;
            stopTimeout(timeout);
        }
        noticeTransactionEnd();
    }

    private void run(PreparedStatement statement, Cancellation cancellation) {
        List<ResultColumn> columns = commands.columns(statement);
        short[] formats = commands.formats(statement, columns == null ? 0 : columns.size());
        try (Portal portal = new Portal(statement, List.of(), columns, formats, textStyle(), cancellation)) {
            portal.begin(commands.begin(portal));
            if (columns != null) {
                out.write(RowEncoder.describe(columns, formats, this::tableOid));
            }
            long rowCount = portal.send(out, Long.MAX_VALUE);
            watch.ran(portal, rowCount);
            complete(portal.commandTag(rowCount));
        }
    }

    private void copy(PreparedQuery query, Cancellation cancellation) {
        try (Execution execution = sql.executePiecewise(query, List.of(), cancellation)) {
            long rowCount = CopyOut.send(query, execution, textStyle(), out, cancellation);
            watch.copied(rowCount, execution.devices());
            complete(execution.commandTag(rowCount));
        }
    }

    private void copyIn(PreparedQuery query, Cancellation cancellation) {
        CopyIn input = new CopyIn(out, () -> source.apply(cancellation::check));
        try (Execution execution = sql.copyFrom(query, input, cancellation)) {
            complete(execution.commandTag(0));
        }
    }

    /// Says where messages come from in the middle of a statement.
    ///
    /// @param messages waits for the next one, and runs what it is given from time to time
    void readFrom(Function<Runnable, FrontendMessage> messages) {
        source = messages;
    }

    // ---- extended protocol

    private void extended(String text, Runnable step) {
        try {
            step.run();
        } catch (ClientGoneException gone) {
            watch.failed(gone);
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
        watch.begin(message.sql());
        statements.requireFree(message.name());
        List<PgType> types = new ArrayList<>();
        for (int oid : message.parameterTypes()) {
            types.add(ParameterDecoder.declaredType(oid));
        }
        PreparedStatement statement = cancellable(cancellation -> planned(message.sql(), types, cancellation));
        statements.put(message.name(), statement);
        out.write(new BackendMessage.ParseComplete());
        watch.parsed();
    }

    /// The one statement of a text.
    private PreparedStatement planned(String text, List<PgType> types, Cancellation cancellation) {
        List<ParsedStatement> parsed = sql.parse(text, cancellation).stream()
                .filter(statement -> !statement.isEmpty())
                .toList();
        if (parsed.size() > 1) {
            throw new QueryException(
                    SqlState.SYNTAX_ERROR, "cannot insert multiple commands into a prepared statement");
        }
        if (parsed.isEmpty()) {
            return PreparedStatement.of(text, null, null);
        }
        ParsedStatement statement = parsed.getFirst();
        requireNotFailed(statement);
        PreparedQuery query = statement.command() == null ? sql.prepare(statement, types, cancellation) : null;
        return PreparedStatement.of(text, statement, query);
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
        PreparedStatement statement = statements.get(message.statement());
        watch.begin(statement.sql());
        List<PgType> types = statement.parameterTypes();
        if (message.parameters().length != types.size()) {
            throw new QueryException(
                    SqlState.PROTOCOL_VIOLATION,
                    "bind message supplies " + message.parameters().length + " parameters, but prepared statement \""
                            + message.statement() + "\" requires " + types.size());
        }
        requireNotFailed(statement.parsed());
        List<Literal> parameters = ParameterDecoder.decode(
                message.parameters(), message.parameterFormats(), types, moment(), sql::objectId);
        portals.requireFree(message.portal());
        statements.requireRoom(portals.size(), "portals");
        List<ResultColumn> columns = commands.columns(statement);
        short[] formats = spread(message.resultFormats(), columns == null ? 0 : columns.size());
        portals.put(
                message.portal(),
                new Portal(statement, parameters, columns, formats, textStyle(), new Cancellation()),
                sql.savepointCount());
        out.write(new BackendMessage.BindComplete());
        watch.forget();
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
                PreparedStatement statement = statements.get(message.name());
                List<ResultColumn> columns = commands.columns(statement);
                if (columns != null) {
                    requireNotFailed(statement.parsed());
                }
                out.write(new BackendMessage.ParameterDescription(statement.parameterTypes().stream()
                        .mapToInt(PgType::oid)
                        .toArray()));
                describeRows(columns, null);
            }
            case PORTAL -> {
                Portal portal = portals.get(message.name(), "portal");
                if (portal.columns() != null) {
                    requireNotFailed(portal.statement().parsed());
                }
                describeRows(portal.columns(), portal.formats());
            }
        }
    }

    private void describeRows(List<ResultColumn> columns, short[] formats) {
        out.write(
                columns == null
                        ? new BackendMessage.NoData()
                        : RowEncoder.describe(
                                columns, formats == null ? new short[columns.size()] : formats, this::tableOid));
    }

    private int tableOid(ColumnOrigin column) {
        String name = Identifiers.quoted(column.schema()) + "." + Identifiers.quoted(column.table());
        return (int) Math.max(0, sql.objectId(PgType.REGCLASS, name));
    }

    private String portalText(FrontendMessage.Execute message) {
        Portal portal = portals.find(message.portal());
        return portal == null ? null : portal.statement().sql();
    }

    /// Whether it changes tables, and nothing before it in its transaction has.
    private boolean mayBeAlone(FrontendMessage.Execute message) {
        Portal portal = portals.find(message.portal());
        return portal != null
                && portal.isNew()
                && portal.statement().query() != null
                && portal.statement().query().changesTables()
                && !portal.statement().query().readsInput()
                && sql.transactionState() == SqlSession.TransactionState.IDLE;
    }

    /// @param isAlone whether it is known to be all of its transaction
    private void execute(FrontendMessage.Execute message, boolean isAlone) {
        Portal portal = portals.get(message.portal(), "portal");
        PreparedStatement statement = portal.statement();
        log.running(statement.sql());
        watch.begin(statement.sql());
        if (statement.isEmpty()) {
            watch.forget();
            out.write(new BackendMessage.EmptyQueryResponse());
            return;
        }
        requireNotFailed(statement.parsed());
        if (portal.isDone() && portal.columns() == null) {
            throw new QueryException(
                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "portal \"" + message.portal() + "\" cannot be run");
        }
        boolean readsInput = statement.query() != null && statement.query().readsInput();
        if (!isAlone && !readsInput) {
            sql.beginImplicitTransaction(false);
        }
        Cancellation cancellation = portal.cancellation();
        running = cancellation;
        Future<?> timeout = startTimeout(cancellation);
        try {
            if (statement.query() != null && statement.query().copy() != null) {
                portal.close();
                copy(statement.query(), cancellation);
            } else if (readsInput) {
                portal.close();
                copyIn(statement.query(), cancellation);
            } else {
                send(portal, message.maxRows() > 0 ? message.maxRows() : Long.MAX_VALUE);
            }
            watch.ended();
        } catch (RuntimeException | Error failure) {
            portals.close(message.portal()); // a portal that failed can only be closed
            throw failure;
        } finally {
            running = null;
            stopTimeout(timeout);
        }
        noticeTransactionEnd();
    }

    private void send(Portal portal, long limit) {
        if (portal.isNew()) {
            portal.begin(commands.begin(portal));
        }
        long rowCount = portal.isDone() ? 0 : portal.send(out, limit);
        watch.ran(portal, rowCount);
        if (portal.isDone()) {
            complete(portal.commandTag(rowCount));
        } else {
            out.write(new BackendMessage.PortalSuspended());
        }
    }

    private void close(FrontendMessage.Close message) {
        if (message.target() == Target.STATEMENT) {
            statements.remove(message.name());
        } else {
            portals.close(message.name());
        }
        out.write(new BackendMessage.CloseComplete());
    }

    private void requireNotFailed(ParsedStatement statement) {
        if (sql.transactionState() == SqlSession.TransactionState.FAILED
                && statement != null
                && !statement.endsTransaction()) {
            throw new QueryException(
                    SqlState.IN_FAILED_SQL_TRANSACTION,
                    "current transaction is aborted, commands ignored until end of transaction block");
        }
    }

    // ---- both

    private void complete(String tag) {
        if (commitsBeforeAnswer && sql.transactionState() == SqlSession.TransactionState.IMPLICIT) {
            sql.endImplicitTransaction(running);
            portals.endTransaction(true);
        }
        switch (tag) {
            case "DISCARD ALL" -> {
                statements.clear();
                portals.closeAll();
            }
            case "COMMIT" -> portals.endTransaction(true);
            case "ROLLBACK" -> portals.closeSince(sql.takeRollback());
            default -> {}
        }
        out.write(new BackendMessage.CommandComplete(tag));
    }

    private void noticeTransactionEnd() {
        boolean isIdle = sql.transactionState() == SqlSession.TransactionState.IDLE;
        if (inTransaction && isIdle) {
            releaseTransactionLocks();
            portals.endTransaction(false); // after COMMIT those that stay are marked already
        }
        inTransaction = !isIdle;
    }

    private void releaseTransactionLocks() {
        ClientSession client = sql.attached(ClientSession.class);
        if (client != null) {
            client.locks().releaseOfTransaction(client.processId());
        }
    }

    private void endImplicitTransaction() {
        if (!sql.transactionState().isExplicit()) {
            if (sql.hasImplicitChanges()) {
                commitImplicitly();
            }
            portals.endTransaction(!hasFailed);
            releaseTransactionLocks();
            sql.endImplicitTransaction();
            inTransaction = false;
        }
        hasFailed = false;
    }

    private void commitImplicitly() {
        try {
            cancellable(cancellation -> {
                sql.endImplicitTransaction(cancellation);
                return null;
            });
        } catch (ClientGoneException gone) {
            throw gone;
        } catch (RuntimeException | Error failure) {
            error(failure, null);
        }
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
        watch.failed(failure);
        if (failure instanceof QueryException told && told.state() == SqlState.ADMIN_SHUTDOWN) {
            fatal(told);
            return;
        }
        sql.failTransaction();
        hasFailed = true;
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
            portals.closeAll();
        } finally {
            sql.close();
        }
    }
}
