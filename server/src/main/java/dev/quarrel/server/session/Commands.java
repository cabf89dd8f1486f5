package dev.quarrel.server.session;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.rows.TextStyle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/// Runs the statements about cursors and prepared statements, which a session's client shares with its protocol
/// messages: DECLARE makes a portal, PREPARE what Parse makes.
final class Commands {
    private final SqlSession sql;
    private final Portals portals;
    private final PreparedStatements statements;
    private final Supplier<TextStyle> style;
    private final Supplier<PgParse.Moment> moment;

    Commands(
            SqlSession sql,
            Portals portals,
            PreparedStatements statements,
            Supplier<TextStyle> style,
            Supplier<PgParse.Moment> moment) {
        this.sql = sql;
        this.portals = portals;
        this.statements = statements;
        this.style = style;
        this.moment = moment;
    }

    /// The columns of what a statement gives its client, as far as can be said; null for none.
    List<ResultColumn> columns(PreparedStatement statement) {
        return switch (statement.command()) {
            case null ->
                statement.query() != null && statement.query().returnsRows()
                        ? statement.query().columns()
                        : null;
            case ClientCommand.Fetch fetch
            when !fetch.isMove() -> {
                Portal cursor = portals.find(fetch.cursor());
                yield cursor == null ? null : cursor.columns();
            }
            case ClientCommand.Execute execute -> {
                PreparedStatement prepared = statements.find(execute.name());
                yield prepared == null || prepared.command() != null ? null : columns(prepared);
            }
            case ClientCommand.ExplainExecute explain -> explain.columns();
            case ClientCommand.DeclareCursor _,
                    ClientCommand.Fetch _,
                    ClientCommand.CloseCursor _,
                    ClientCommand.Prepare _,
                    ClientCommand.Deallocate _ -> null;
        };
    }

    /// The formats of columns that are sent without anybody having asked for some.
    short[] formats(PreparedStatement statement, int columnCount) {
        short[] formats = new short[columnCount];
        if (statement.command() instanceof ClientCommand.Fetch fetch) {
            Portal cursor = portals.find(fetch.cursor());
            if (cursor != null && cursor.isCursor()) {
                return cursor.formats();
            }
        }
        return formats;
    }

    /// Begins a statement of a portal.
    ///
    /// @param portal it runs for
    PortalRun begin(Portal portal) {
        PreparedStatement statement = portal.statement();
        Cancellation cancellation = portal.cancellation();
        return switch (statement.command()) {
            case null -> execute(statement.query(), portal.parameters(), cancellation);
            case ClientCommand.DeclareCursor declare -> declare(declare, statement.sql(), cancellation);
            case ClientCommand.Fetch fetch ->
                new FetchedRows(portals.get(fetch.cursor(), "cursor"), fetch, cancellation);
            case ClientCommand.CloseCursor close -> close(close, portal);
            case ClientCommand.Prepare prepare -> prepare(prepare, statement.sql(), cancellation);
            case ClientCommand.Execute execute -> execute(execute, cancellation);
            case ClientCommand.ExplainExecute explain -> explain(explain, cancellation);
            case ClientCommand.Deallocate deallocate -> deallocate(deallocate);
        };
    }

    private PortalRun execute(PreparedQuery query, List<Literal> parameters, Cancellation cancellation) {
        Execution execution = sql.executePiecewise(query, parameters, cancellation);
        if (execution.cursor() != null) {
            return new QueryRows(execution, null);
        }
        String tag = execution.commandTag(0);
        execution.close();
        return new FinishedCommand(tag);
    }

    private PortalRun declare(ClientCommand.DeclareCursor declare, String text, Cancellation cancellation) {
        PreparedQuery query = sql.prepare(declare.query(), List.of(), cancellation);
        if (!declare.isHeld() && !sql.transactionState().isBlock()) {
            throw new QueryException(
                    SqlState.NO_ACTIVE_SQL_TRANSACTION, "DECLARE CURSOR can only be used in transaction blocks");
        }
        portals.requireFree(declare.name());
        if (!query.parameterTypes().isEmpty()) {
            throw declare.query().noParameters();
        }
        short[] formats = new short[query.columns().size()];
        Arrays.fill(formats, (short) (declare.isBinary() ? 1 : 0));
        Cancellation own = new Cancellation();
        Portal portal = new Portal(
                PreparedStatement.of(text, declare.query(), query),
                List.of(),
                query.columns(),
                formats,
                style.get(),
                own);
        statements.requireRoom(portals.size(), "portals");
        boolean scrolls = Boolean.TRUE.equals(declare.isScrollable());
        portal.begin(new QueryRows(sql.executePiecewise(query, List.of(), own), scrolls ? sql.openSpill() : null));
        portal.becomeCursor(declare.isHeld());
        portals.put(declare.name(), portal, sql.savepointCount());
        return new FinishedCommand("DECLARE CURSOR");
    }

    private PortalRun close(ClientCommand.CloseCursor close, Portal running) {
        if (close.cursor() == null) {
            portals.closeAllBut(running);
            return new FinishedCommand("CLOSE CURSOR ALL");
        }
        portals.get(close.cursor(), "cursor");
        portals.close(close.cursor());
        return new FinishedCommand("CLOSE CURSOR");
    }

    private PortalRun prepare(ClientCommand.Prepare prepare, String text, Cancellation cancellation) {
        statements.requireFree(prepare.name());
        List<PgType> types = new ArrayList<>();
        for (ClientCommand.Written type : prepare.types()) {
            types.add(Arguments.type(sql, type, cancellation));
        }
        PreparedQuery query = sql.prepare(prepare.statement(), types, cancellation);
        statements.put(prepare.name(), new PreparedStatement(text, prepare.statement(), query, true, Instant.now()));
        return new FinishedCommand("PREPARE");
    }

    private PortalRun execute(ClientCommand.Execute execute, Cancellation cancellation) {
        PreparedStatement prepared = statements.get(execute.name());
        if (prepared.isEmpty()) {
            return new FinishedCommand("");
        }
        if (prepared.command() != null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "not supported: EXECUTE of a statement about cursors");
        }
        if (prepared.query().copy() != null || prepared.query().readsInput()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: EXECUTE of a COPY");
        }
        List<Literal> parameters =
                Arguments.values(sql, execute, prepared.parameterTypes(), moment.get(), cancellation);
        return execute(prepared.query(), parameters, cancellation);
    }

    private PortalRun explain(ClientCommand.ExplainExecute explain, Cancellation cancellation) {
        PreparedStatement prepared = statements.get(explain.execute().name());
        List<Literal> parameters =
                Arguments.values(sql, explain.execute(), prepared.parameterTypes(), moment.get(), cancellation);
        return new QueryRows(sql.explain(explain.statement(), prepared.query(), parameters, cancellation), null);
    }

    private PortalRun deallocate(ClientCommand.Deallocate deallocate) {
        if (deallocate.name() == null) {
            statements.clear();
            return new FinishedCommand("DEALLOCATE ALL");
        }
        statements.get(deallocate.name());
        statements.remove(deallocate.name());
        return new FinishedCommand("DEALLOCATE");
    }
}
