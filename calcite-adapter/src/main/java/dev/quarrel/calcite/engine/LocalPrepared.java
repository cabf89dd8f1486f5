package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import java.util.List;

/// A prepared statement of a [LocalSession], together with its plan if it has one.
///
/// @param planned the plan as of `prepare`; null for a statement that has none
/// @param circumstances the session's, that the plan was made under; null without a plan. While they are the same
///     object the plan is the right one.
/// @param planning what `prepare` took to make the plan of an EXPLAIN, or to find it made
record LocalPrepared(
        Parsed statement,
        List<PgType> declaredTypes,
        List<PgType> parameterTypes,
        List<ResultColumn> columns,
        boolean returnsRows,
        PlannedQuery planned,
        Object circumstances,
        Planning planning,
        CopyOptions copy)
        implements PreparedQuery {
    LocalPrepared {
        parameterTypes = List.copyOf(parameterTypes);
        columns = List.copyOf(columns);
    }

    /// One statement of a SQL text, in the form that the session's users see.
    record Parsed(Statement statement) implements ParsedStatement {
        @Override
        public String text() {
            return statement.sql();
        }

        @Override
        public int startOffset() {
            return statement.start();
        }

        @Override
        public boolean isEmpty() {
            return statement instanceof Statement.Empty;
        }

        @Override
        public boolean endsTransaction() {
            return switch (statement) {
                case Statement.Commit _, Statement.Rollback _ -> true;
                case Statement.Savepoint savepoint -> savepoint.action() == Statement.Savepoint.Action.ROLLBACK_TO;
                default -> false;
            };
        }

        @Override
        public QueryException noParameters() {
            return Positions.noParameters(statement);
        }

        @Override
        public ClientCommand command() {
            return switch (statement) {
                case Statement.Declare declare ->
                    new ClientCommand.DeclareCursor(
                            declare.name(),
                            declare.isBinary(),
                            declare.isScrollable(),
                            declare.isHeld(),
                            new Parsed(declare.query()));
                case Statement.Fetch fetch -> fetch.command();
                case Statement.Close close -> new ClientCommand.CloseCursor(close.name());
                case Statement.Prepare prepare ->
                    new ClientCommand.Prepare(prepare.name(), prepare.types(), new Parsed(prepare.query()));
                case Statement.Execute execute -> new ClientCommand.Execute(execute.name(), execute.arguments());
                case Statement.ExplainExecute explain ->
                    new ClientCommand.ExplainExecute(
                            this,
                            new ClientCommand.Execute(
                                    explain.execute().name(), explain.execute().arguments()),
                            List.of(ExplainAnswer.column(explain.options().format())));
                case Statement.Deallocate deallocate -> new ClientCommand.Deallocate(deallocate.name());
                default -> null;
            };
        }
    }

    static LocalPrepared of(Parsed statement, List<PgType> declared, PlannedQuery planned, Object circumstances) {
        List<ResultColumn> columns = planned.columns().stream()
                .map(column -> new ResultColumn(
                        column.name(), column.type(), column.typmod(), column.other(), column.origin()))
                .toList();
        return new LocalPrepared(
                statement,
                declared,
                planned.parameterTypes(),
                columns,
                true,
                planned,
                circumstances,
                Planning.NONE,
                null);
    }

    static LocalPrepared ofText(Parsed statement, List<PgType> declared, List<String> names) {
        return of(
                statement,
                declared,
                List.of(),
                names.stream()
                        .map(name -> new ResultColumn(name, PgType.TEXT, -1))
                        .toList());
    }

    /// A statement without a plan that has rows.
    static LocalPrepared of(
            Parsed statement, List<PgType> declared, List<PgType> parameters, List<ResultColumn> columns) {
        return new LocalPrepared(statement, declared, parameters, columns, true, null, null, Planning.NONE, null);
    }

    @Override
    public boolean readsInput() {
        return statement.statement() instanceof Statement.CopyFrom copy && copy.file() == null;
    }

    @Override
    public boolean changesTables() {
        return switch (statement.statement()) {
            case Statement.Definition _,
                    Statement.CopyFrom _,
                    Statement.CreateForeignTable _,
                    Statement.DropForeignTable _,
                    Statement.ImportForeignSchema _ -> true;
            default -> false;
        };
    }

    LocalPrepared with(Planning took) {
        return new LocalPrepared(
                statement, declaredTypes, parameterTypes, columns, returnsRows, planned, circumstances, took, copy);
    }

    /// The same, of which clients get no rows but a copy.
    LocalPrepared asCopy(CopyOptions options) {
        return new LocalPrepared(
                statement, declaredTypes, parameterTypes, columns, false, planned, circumstances, planning, options);
    }

    /// The same, whose rows go into a table.
    LocalPrepared asWrite() {
        return new LocalPrepared(
                statement, declaredTypes, parameterTypes, List.of(), false, planned, circumstances, planning, null);
    }

    /// The same of more parameters, which the plan does not read.
    LocalPrepared withParameters(List<PgType> types) {
        return new LocalPrepared(
                statement, declaredTypes, types, columns, returnsRows, planned, circumstances, planning, copy);
    }

    /// The same, which answers with these columns.
    LocalPrepared returning(List<ResultColumn> returned) {
        return new LocalPrepared(
                statement, declaredTypes, parameterTypes, returned, true, planned, circumstances, planning, null);
    }

    static LocalPrepared withoutRows(Parsed statement, List<PgType> declared) {
        return new LocalPrepared(statement, declared, List.of(), List.of(), false, null, null, Planning.NONE, null);
    }
}
