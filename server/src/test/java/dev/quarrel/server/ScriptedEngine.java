package dev.quarrel.server;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.CopyInput;
import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.EngineCounts;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.Notice;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SettingDefaults;
import dev.quarrel.calcite.SettingState;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.Arena;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// An engine of a few words, by hand, so that the server can be tested without SQL.
///
/// | statement | does |
/// |---|---|
/// | `rows N [B]` | N rows of one int4 `n`, counting from 1, in batches of B (default 100) |
/// | `echo TYPE …` | one row, its parameters `$1` … as they came, of those types |
/// | `sleep` | one row, never: waits until it is cancelled |
/// | `plan` | is planned for ever, until it is cancelled |
/// | `fail` | 22012 when it is planned · `fail late`: after the first batch · `bug`: an unchecked exception |
/// | `begin`, `commit`, `rollback`, `set NAME VALUE`, `discard all` | what PostgreSQL does |
/// | anything else | 42601 at its third character |
public final class ScriptedEngine implements Engine {
    public final AtomicInteger openSessions = new AtomicInteger();
    public final AtomicInteger openPlans = new AtomicInteger();
    public final AtomicInteger openExecutions = new AtomicInteger();
    public final AtomicInteger openBatches = new AtomicInteger();
    public final AtomicInteger batchesPulled = new AtomicInteger();

    @Override
    public SqlSession openSession(String user, TablePrivileges privileges) {
        openSessions.incrementAndGet();
        return new Scripted(user);
    }

    @Override
    public Engine beside(Catalog catalog, UnaryOperator<EngineConfig> change) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Catalog catalog() {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Device> devices() {
        return List.of();
    }

    @Override
    public EngineCounts counts() {
        return new EngineCounts(0, 1, 0, 0, 1, 0, 0, Map.of(), Map.of());
    }

    @Override
    public Map<String, String> missingDevices() {
        return Map.of();
    }

    @Override
    public void warmUp() {}

    @Override
    public void awaitWarmUp() {}

    @Override
    public void close() {}

    /// Runs `sleep` in a thread of its own.
    ///
    /// @return once it runs, what becomes of it: its error, or null
    CompletableFuture<SQLException> startSleep(java.sql.Statement statement) throws InterruptedException {
        CompletableFuture<SQLException> outcome = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                statement.executeQuery("sleep").close();
                outcome.complete(null);
            } catch (SQLException error) {
                outcome.complete(error);
            }
        });
        while (openExecutions.get() == 0) {
            Thread.sleep(5);
        }
        return outcome;
    }

    private record Statement(String text, int startOffset) implements ParsedStatement {
        String word(int index) {
            String[] words = text.strip().split("\\s+");
            return index < words.length ? words[index].toLowerCase(Locale.ROOT) : "";
        }

        @Override
        public boolean isEmpty() {
            return text.isBlank();
        }

        @Override
        public boolean endsTransaction() {
            return word(0).equals("commit") || word(0).equals("rollback");
        }

        @Override
        public QueryException noParameters() {
            return new QueryException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
        }

        @Override
        public ClientCommand command() {
            return null;
        }
    }

    private record Prepared(
            Statement statement, List<PgType> parameterTypes, List<ResultColumn> columns, boolean returnsRows)
            implements PreparedQuery {
        @Override
        public CopyOptions copy() {
            return null;
        }
    }

    private final class Scripted implements SqlSession {
        private final String user;
        private final SequencedMap<String, String> settings = new LinkedHashMap<>();
        private BiConsumer<String, String> settingListener = (_, _) -> {};
        private Consumer<Notice> noticeListener = _ -> {};
        private TransactionState state = TransactionState.IDLE;

        Scripted(String user) {
            this.user = user;
            settings.put("server_version", "15.0 (Quarrel test)");
            settings.put("client_encoding", "UTF8");
            settings.put("server_encoding", "UTF8");
            settings.put("DateStyle", "ISO, MDY");
            settings.put("TimeZone", "UTC");
            settings.put("integer_datetimes", "on");
            settings.put("standard_conforming_strings", "on");
            settings.put("application_name", "");
            settings.put("extra_float_digits", "1");
            settings.put("statement_timeout", "0");
            settings.put("idle_in_transaction_session_timeout", "0");
            settings.put("idle_session_timeout", "0");
        }

        @Override
        public List<ParsedStatement> parse(String sql) {
            List<ParsedStatement> parsed = new ArrayList<>();
            int start = 0;
            for (String text : sql.split(";", -1)) {
                parsed.add(new Statement(text, start));
                start += text.length() + 1;
            }
            return parsed;
        }

        /// What makes two rows at most, and counts nothing that waits.
        @Override
        public boolean isQuick(String sql, List<PgType> parameterTypes) {
            return sql.matches("rows [12]") && state == TransactionState.IDLE;
        }

        @Override
        public boolean isQuick(PreparedQuery query) {
            return ((Prepared) query).statement().text().matches("rows [12]") && state == TransactionState.IDLE;
        }

        @Override
        public PreparedQuery prepare(ParsedStatement parsed, List<PgType> declared, Cancellation cancellation) {
            Statement statement = (Statement) parsed;
            if (state == TransactionState.FAILED && !parsed.endsTransaction()) {
                throw new QueryException(
                        SqlState.IN_FAILED_SQL_TRANSACTION,
                        "current transaction is aborted, commands ignored until end of transaction block");
            }
            return switch (statement.word(0)) {
                case "rows", "sleep" -> rows(statement, List.of(), List.of(PgType.INT4));
                case "echo" -> {
                    List<PgType> types = new ArrayList<>();
                    for (int index = 1; !statement.word(index).isEmpty(); index++) {
                        types.add(PgType.named(statement.word(index)).orElseThrow());
                    }
                    yield rows(statement, types, types);
                }
                case "fail" -> {
                    if (statement.word(1).isEmpty()) {
                        throw new QueryException(SqlState.DIVISION_BY_ZERO, "division by zero");
                    }
                    yield rows(statement, List.of(), List.of(PgType.INT4));
                }
                case "plan" -> {
                    openPlans.incrementAndGet();
                    try {
                        while (true) {
                            cancellation.check();
                            LockSupport.parkNanos(1_000_000);
                        }
                    } finally {
                        openPlans.decrementAndGet();
                    }
                }
                case "bug" -> throw new IllegalStateException("secret at /home/somebody");
                case "begin", "commit", "rollback", "set", "discard" ->
                    new Prepared(statement, List.of(), List.of(), false);
                default ->
                    throw new QueryException(SqlState.SYNTAX_ERROR, "syntax error")
                            .withPosition(statement.startOffset() + 3);
            };
        }

        private Prepared rows(Statement statement, List<PgType> parameters, List<PgType> columns) {
            List<PreparedQuery.ResultColumn> described = new ArrayList<>();
            for (PgType type : columns) {
                described.add(new PreparedQuery.ResultColumn("c" + (described.size() + 1), type, -1));
            }
            return new Prepared(statement, parameters, described, true);
        }

        @Override
        public Execution executePiecewise(PreparedQuery query, List<Literal> parameters, Cancellation cancellation) {
            return execute(query, parameters, cancellation);
        }

        @Override
        public Execution explain(
                ParsedStatement statement,
                PreparedQuery prepared,
                List<Literal> parameters,
                Cancellation cancellation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Execution copyFrom(PreparedQuery query, CopyInput input, Cancellation cancellation) {
            return execute(query, List.of(), cancellation);
        }

        @Override
        public void set(String name, String value, boolean isLocal) {
            set(name, value);
        }

        @Override
        public long objectId(PgType type, String name) {
            return -1;
        }

        @Override
        public List<SettingState> settingStates() {
            return List.of();
        }

        @Override
        public void setDefaults(SettingDefaults defaults) {}

        @Override
        public void attach(Object attachment) {}

        @Override
        public <T> T attached(Class<T> type) {
            return null;
        }

        @Override
        public QuerySpill openSpill() {
            return QuerySpill.none();
        }

        @Override
        public Execution execute(PreparedQuery query, List<Literal> parameters, Cancellation cancellation) {
            Statement statement = (Statement) query.statement();
            openExecutions.incrementAndGet();
            ResultCursor cursor =
                    switch (statement.word(0)) {
                        case "rows" -> counting(statement, cancellation);
                        case "fail" -> failing(cancellation);
                        case "sleep" -> sleeping(cancellation);
                        case "echo" -> echo(query.columns(), parameters);
                        default -> {
                            command(statement);
                            yield null;
                        }
                    };
            return new Execution() {
                private boolean closed;

                @Override
                public ResultCursor cursor() {
                    return cursor;
                }

                @Override
                public String commandTag(long rowCount) {
                    return cursor != null
                            ? "SELECT " + rowCount
                            : statement.word(0).equals("discard")
                                    ? "DISCARD ALL"
                                    : statement.word(0).toUpperCase(Locale.ROOT);
                }

                @Override
                public void close() {
                    if (!closed) {
                        closed = true;
                        openExecutions.decrementAndGet();
                    }
                }
            };
        }

        private void command(Statement statement) {
            switch (statement.word(0)) {
                case "begin" -> {
                    if (state != TransactionState.IDLE) {
                        noticeListener.accept(
                                new Notice("WARNING", "25001", "there is already a transaction in progress"));
                    }
                    state = TransactionState.IN_BLOCK;
                }
                case "commit", "rollback" -> {
                    if (state == TransactionState.IDLE) {
                        noticeListener.accept(new Notice("WARNING", "25P01", "there is no transaction in progress"));
                    }
                    state = TransactionState.IDLE;
                }
                case "set" -> set(statement.word(1), statement.text().strip().split("\\s+")[2]);
                default -> {}
            }
        }

        @Override
        public TransactionState transactionState() {
            return state;
        }

        @Override
        public void failTransaction() {
            if (state == TransactionState.IN_BLOCK) {
                state = TransactionState.FAILED;
            }
        }

        @Override
        public void beginImplicitTransaction(boolean isBlock) {}

        @Override
        public void endImplicitTransaction(Cancellation cancellation) {}

        @Override
        public long savepointCount() {
            return 0;
        }

        @Override
        public long takeRollback() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean hasImplicitChanges() {
            return false;
        }

        @Override
        public String setting(String name) {
            return settings.entrySet().stream()
                    .filter(entry -> entry.getKey().equalsIgnoreCase(name))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public void set(String name, String value) {
            String known = settings.keySet().stream()
                    .filter(each -> each.equalsIgnoreCase(name))
                    .findFirst()
                    .orElseThrow(() -> new QueryException(
                            SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + name + "\""));
            String plain = value.replaceAll("^=|'", "");
            settings.put(known, plain);
            settingListener.accept(known, plain);
        }

        @Override
        public SequencedMap<String, String> settings() {
            return settings;
        }

        @Override
        public void onSettingChange(BiConsumer<String, String> listener) {
            settingListener = listener;
        }

        @Override
        public void onNotice(Consumer<Notice> listener) {
            noticeListener = listener;
        }

        @Override
        public void warn(String code, String message) {
            noticeListener.accept(new Notice("WARNING", code, message));
        }

        @Override
        public String user() {
            return user;
        }

        @Override
        public String database() {
            return EngineConfig.DEFAULT_DATABASE;
        }

        @Override
        public void setSnapshot(int run) {
            throw new UnsupportedOperationException();
        }

        @Override
        public TablePrivileges privileges() {
            return TablePrivileges.EVERYTHING;
        }

        @Override
        public List<String> searchPath() {
            return List.of("public");
        }

        @Override
        public Engine engine() {
            return ScriptedEngine.this;
        }

        @Override
        public void close() {
            openSessions.decrementAndGet();
        }
    }

    private interface Next {
        Batch next();
    }

    private ResultCursor cursor(Schema schema, Cancellation cancellation, Next source) {
        return new ResultCursor() {
            @Override
            public Schema schema() {
                return schema;
            }

            @Override
            public Batch next() {
                cancellation.check();
                Batch batch = source.next();
                if (batch != null) {
                    batchesPulled.incrementAndGet();
                }
                return batch;
            }

            @Override
            public void close() {}
        };
    }

    private Batch batch(Schema schema, List<ColumnWriter> writers, Arena arena) {
        int rowCount = writers.getFirst().rowCount();
        openBatches.incrementAndGet();
        return Batch.owning(schema, ColumnWriter.finishAll(writers), rowCount, () -> {
            openBatches.decrementAndGet();
            arena.close();
        });
    }

    private static Schema oneInt() {
        return Schema.of(new Field("n", PgType.INT4.dataType(), true));
    }

    private ResultCursor counting(Statement statement, Cancellation cancellation) {
        int rowCount = Integer.parseInt(statement.word(1));
        int batchRows = statement.word(2).isEmpty() ? 100 : Integer.parseInt(statement.word(2));
        Schema schema = oneInt();
        int[] next = {1};
        return cursor(schema, cancellation, () -> {
            if (next[0] > rowCount) {
                return null;
            }
            Arena arena = Arena.ofShared();
            ColumnWriter writer = new ColumnWriter(schema.type(0), Allocator.of(arena));
            for (int row = 0; row < batchRows && next[0] <= rowCount; row++) {
                writer.appendInt32(next[0]++);
            }
            return batch(schema, List.of(writer), arena);
        });
    }

    private ResultCursor failing(Cancellation cancellation) {
        Schema schema = oneInt();
        boolean[] first = {true};
        return cursor(schema, cancellation, () -> {
            if (!first[0]) {
                throw new QueryException(SqlState.DIVISION_BY_ZERO, "division by zero");
            }
            first[0] = false;
            Arena arena = Arena.ofShared();
            ColumnWriter writer = new ColumnWriter(schema.type(0), Allocator.of(arena));
            writer.appendInt32(1);
            return batch(schema, List.of(writer), arena);
        });
    }

    private ResultCursor sleeping(Cancellation cancellation) {
        return cursor(oneInt(), cancellation, () -> {
            while (true) {
                cancellation.check();
                try {
                    Thread.sleep(2);
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
            }
        });
    }

    private ResultCursor echo(List<PreparedQuery.ResultColumn> columns, List<Literal> parameters) {
        Schema schema = new Schema(columns.stream()
                .map(column -> new Field(column.name(), column.type().dataType(), true))
                .toList());
        boolean[] done = {false};
        return cursor(schema, new Cancellation(), () -> {
            if (done[0]) {
                return null;
            }
            done[0] = true;
            Arena arena = Arena.ofShared();
            List<ColumnWriter> writers = new ArrayList<>();
            for (Literal parameter : parameters) {
                ColumnWriter writer = new ColumnWriter(parameter.type(), Allocator.of(arena));
                Values.append(parameter, writer);
                writers.add(writer);
            }
            return batch(schema, writers, arena);
        });
    }
}
