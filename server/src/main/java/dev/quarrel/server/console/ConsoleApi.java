package dev.quarrel.server.console;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineCounts;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.session.Connection;
import dev.quarrel.server.session.DirectRows;
import dev.quarrel.server.session.DirectSession;
import dev.quarrel.server.session.ErrorFields;
import dev.quarrel.server.statement.StatementKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;

/// What the console answers to who is logged in: JSON, and of what is the user's own or may be read by them.
///
/// - Threads: share it; calls wait for statements.
final class ConsoleApi {
    static final String APPLICATION = "quarrel console";
    private static final String ANALYZE = "EXPLAIN (ANALYZE, SUMMARY) ";
    private static final String EXPLAIN = "EXPLAIN (SUMMARY) ";
    private static final int MOST_PAST = 200;
    private static final int MOST_ROWS = 1000;
    private static final int USUAL_ROWS = 200;
    private static final int MOST_PLAN_LINES = 20_000;
    private static final int MOST_CHARS = 4096;
    private static final long MOST_BYTES = 4L << 20;
    private static final long MOST_MILLIS = Duration.ofMinutes(10).toMillis();

    private final Connection.Shared shared;
    private final Engine first;
    private final ScheduledExecutorService timer;
    private final StatementHistory history;

    /// @param first the engine that has what all of them share
    ConsoleApi(Connection.Shared shared, Engine first, ScheduledExecutorService timer, StatementHistory history) {
        this.shared = shared;
        this.first = first;
        this.timer = timer;
        this.history = history;
    }

    // ---- looking

    ConsoleResponse status() {
        EngineCounts counts = first.counts();
        Map<String, Object> states = new TreeMap<>();
        List<ClientSession> sessions = shared.admissions().all();
        sessions.forEach(session -> states.merge(session.activity().state(), 1, (one, more) -> (int) one + (int) more));
        Runtime jvm = Runtime.getRuntime();
        return ConsoleResponse.json(
                200,
                Json.object(
                        "time", Instant.now().toString(),
                        "memory", counts.memoryBytes(),
                        "memoryLimit", counts.memoryLimitBytes(),
                        "heap", jvm.totalMemory() - jvm.freeMemory(),
                        "heapLimit", jvm.maxMemory(),
                        "spilled", counts.spilledBytes(),
                        "busyWorkers", counts.busyWorkers(),
                        "workers", counts.workers(),
                        "planHits", counts.planHits(),
                        "planMisses", counts.planMisses(),
                        "sessions", sessions.size(),
                        "sessionStates", states,
                        "maxSessions", shared.config().number(ServerSetting.MAX_CONNECTIONS),
                        "devices",
                                first.devices().stream()
                                        .map(device -> device(device, counts))
                                        .toList(),
                        "missingDevices", new TreeMap<>(first.missingDevices())));
    }

    private static Map<String, Object> device(Device device, EngineCounts counts) {
        return Json.object("name", device.name(), "bytes", counts.deviceBytes().get(device.name()));
    }

    ConsoleResponse queries(String user) {
        Instant now = Instant.now();
        List<Map<String, Object>> running = shared.admissions().all().stream()
                .filter(session -> session.activity().user().equals(user))
                .filter(session -> session.activity().state().equals("active"))
                .map(session -> running(session, now))
                .toList();
        List<Map<String, Object>> past =
                history.of(user, MOST_PAST).stream().map(ConsoleApi::past).toList();
        return ConsoleResponse.json(200, Json.object("running", running, "past", past));
    }

    private static Map<String, Object> running(ClientSession session, Instant now) {
        ClientSession.Activity activity = session.activity();
        return Json.object(
                "pid", session.processId(),
                "database", session.database(),
                "application", activity.application(),
                "text", activity.query(),
                "isCut", activity.query().length() >= ClientSession.MOST_QUERY_CHARS,
                "kind", StatementKind.of(activity.query()).label(),
                "ms",
                        activity.queryStart() == null
                                ? null
                                : Duration.between(activity.queryStart(), now).toMillis(),
                "queryId", Long.toString(activity.queryId()));
    }

    private static Map<String, Object> past(StatementHistory.Past past) {
        var statement = past.statement();
        return Json.object(
                "number", past.number(),
                "end", past.end().toString(),
                "pid", statement.processId(),
                "database", statement.database(),
                "application", statement.application(),
                "text", past.text(),
                "isCut", past.isCut(),
                "kind", statement.kind().label(),
                "ms", statement.nanos() / 1e6,
                "rows", statement.rows(),
                "bytes", statement.bytes(),
                "device", statement.devices(),
                "outcome", statement.outcome(),
                "error", statement.error() == null ? null : statement.error().code(),
                "queryId", Long.toString(statement.queryId()));
    }

    ConsoleResponse tables(ConsoleRequest request, DirectSession.Client client) {
        try (DirectSession session = DirectSession.open(shared, client, timer, request.gone());
                CatalogSnapshot snapshot = session.engine().catalog().snapshot()) {
            return ConsoleResponse.json(200, Json.object("tables", TableFacts.all(snapshot, session.privileges())));
        } catch (QueryException refused) {
            return error(refused, null, 0);
        }
    }

    ConsoleResponse table(ConsoleRequest request, DirectSession.Client client, String schema, String name) {
        try (DirectSession session = DirectSession.open(shared, client, timer, request.gone());
                CatalogSnapshot snapshot = session.engine().catalog().snapshot()) {
            return ConsoleResponse.json(
                    200, TableFacts.of(snapshot, session.privileges(), schema, name, request.gone()::check));
        } catch (QueryException refused) {
            return error(refused, null, 0);
        }
    }

    // ---- doing

    ConsoleResponse run(ConsoleRequest request, DirectSession.Client client, Map<String, JsonValue> asked) {
        String text = Json.text(asked, "text");
        try (DirectSession session = DirectSession.open(shared, client, timer, request.gone())) {
            DirectRows rows = session.run(
                    text,
                    new DirectRows.Bounds(
                            (int) Json.number(asked, "limit", USUAL_ROWS, MOST_ROWS),
                            MOST_BYTES,
                            MOST_CHARS,
                            Json.number(asked, "timeoutMs", MOST_MILLIS, MOST_MILLIS)));
            return ConsoleResponse.json(
                    200,
                    Json.object(
                            "columns",
                                    rows.columns().stream()
                                            .map(ConsoleApi::column)
                                            .toList(),
                            "rows", rows.rows(),
                            "isCut", rows.isCut(),
                            "tag", rows.tag(),
                            "device", rows.devices(),
                            "ms", rows.nanos() / 1e6,
                            "notices",
                                    rows.notices().stream()
                                            .map(notice -> Json.object(
                                                    "severity", notice.severity(), "message", notice.message()))
                                            .toList()));
        } catch (RuntimeException | Error failure) {
            return error(failure, text, 0);
        }
    }

    private static Map<String, Object> column(ResultColumn column) {
        return Json.object("name", column.name(), "type", column.declared().text(), "kind", kind(column.type()));
    }

    /// What a chart makes of a column.
    private static String kind(PgType type) {
        return switch (type) {
            case INT2, INT4, INT8, NUMERIC, FLOAT4, FLOAT8 -> "number";
            case DATE, TIMESTAMP, TIMESTAMPTZ -> "time";
            case TEXT, VARCHAR, BPCHAR, NAME, BOOL -> "text";
            default -> "other";
        };
    }

    ConsoleResponse explain(ConsoleRequest request, DirectSession.Client client, Map<String, JsonValue> asked) {
        String prefix = Json.isTrue(asked, "analyze") ? ANALYZE : EXPLAIN;
        String text = prefix + Json.text(asked, "text");
        try (DirectSession session = DirectSession.open(shared, client, timer, request.gone())) {
            DirectRows rows = session.run(
                    text,
                    new DirectRows.Bounds(
                            MOST_PLAN_LINES,
                            MOST_BYTES,
                            MOST_CHARS,
                            Json.number(asked, "timeoutMs", MOST_MILLIS, MOST_MILLIS)));
            List<String> lines = new ArrayList<>();
            rows.rows().forEach(row -> lines.add(row[0]));
            return ConsoleResponse.json(200, PlanTree.json(lines));
        } catch (RuntimeException | Error failure) {
            return error(failure, text, prefix.length());
        }
    }

    /// Cancels what a session of the user's own runs.
    ConsoleResponse cancel(String user, Map<String, JsonValue> asked) {
        long pid = Json.number(asked, "pid", 0, Integer.MAX_VALUE);
        for (ClientSession session : shared.admissions().all()) {
            if (session.processId() == pid && session.activity().user().equals(user)) {
                session.cancel();
                return ConsoleResponse.json(200, Json.object("cancelled", true));
            }
        }
        return ConsoleResponse.refused(404, "no session of yours has this number");
    }

    /// @param prefix characters before what the user has written
    private static ConsoleResponse error(Throwable failure, String text, int prefix) {
        Map<Character, String> fields = ErrorFields.error(failure, text).fields();
        String position = fields.get('P');
        Integer place = position == null ? null : Math.max(1, Integer.parseInt(position) - prefix);
        String code = fields.get('C');
        boolean isBusy =
                code.equals(SqlState.TOO_MANY_CONNECTIONS.code()) || code.equals(SqlState.CANNOT_CONNECT_NOW.code());
        return ConsoleResponse.json(
                isBusy ? 503 : code.equals(SqlState.INTERNAL_ERROR.code()) ? 500 : 422,
                Json.object(
                        "error",
                        Json.object(
                                "code", code,
                                "message", fields.get('M'),
                                "detail", fields.get('D'),
                                "hint", fields.get('H'),
                                "position", place)));
    }
}
