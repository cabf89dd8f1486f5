package dev.quarrel.server.metrics;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineCounts;
import dev.quarrel.server.auth.FailedLogins;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.statement.EndedStatement;
import dev.quarrel.server.statement.StatementKind;
import dev.quarrel.server.statement.StatementListener;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// What a server counts, as Prometheus reads it. Labels have few values: no texts of queries, no names of users.
///
/// Threads share it.
public final class ServerMetrics implements StatementListener {
    /// The format's media type.
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final List<String> STATES =
            List.of("active", "idle", "idle in transaction", "idle in transaction (aborted)");
    private static final double[] SECONDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
    };
    private static final int USUAL_BYTES = 32 * 1024;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Counter queries;
    private final Map<StatementKind, DistributionDataPoint> durations = new EnumMap<>(StatementKind.class);
    private final Counter rows;
    private final Counter bytes;

    /// @param isReady whether the server takes queries
    public ServerMetrics(Supplier<Boolean> isReady) {
        queries = Counter.builder()
                .name("quarrel_queries")
                .help("Statements that have ended, by kind, outcome and class of SQLSTATE.")
                .labelNames("kind", "outcome", "sqlstate_class")
                .register(registry);
        Histogram duration = Histogram.builder()
                .name("quarrel_query_duration_seconds")
                .help("From a statement's beginning to its last row's being sent.")
                .unit(Unit.SECONDS)
                .classicOnly()
                .classicUpperBounds(SECONDS)
                .labelNames("kind")
                .register(registry);
        for (StatementKind kind : StatementKind.values()) {
            durations.put(kind, duration.labelValues(kind.label()));
        }
        rows = Counter.builder()
                .name("quarrel_rows_sent")
                .help("Rows that clients were sent.")
                .register(registry);
        bytes = Counter.builder()
                .name("quarrel_sent_bytes")
                .help("Bytes of answers to statements.")
                .register(registry);
        gauge("quarrel_ready", "1 while the server takes queries.", () -> isReady.get() ? 1 : 0);
        JvmMetrics.builder().register(registry);
    }

    /// Shows what an engine does.
    public void watch(Engine engine) {
        ofEngine(
                engine,
                "quarrel_memory_used_bytes",
                "What queries hold outside mapped files.",
                EngineCounts::memoryBytes);
        ofEngine(engine, "quarrel_memory_limit_bytes", "What they may hold.", EngineCounts::memoryLimitBytes);
        ofEngine(engine, "quarrel_workers_busy", "Workers that run a query's step.", EngineCounts::busyWorkers);
        ofEngine(engine, "quarrel_workers", "Workers there are.", EngineCounts::workers);
        counter(
                "quarrel_spilled_bytes",
                "Written to temporary files.",
                () -> engine.counts().spilledBytes());
        counter(
                "quarrel_plan_cache_hits",
                "Statements that found their plan made.",
                () -> engine.counts().planHits());
        counter(
                "quarrel_plan_cache_misses",
                "Statements that were planned.",
                () -> engine.counts().planMisses());
        CounterWithCallback.builder()
                .name("quarrel_verified_pipelines")
                .help("Pipelines that were to run twice (quarrel.verify_fraction), by what came of it.")
                .labelNames("result")
                .callback(
                        callback -> engine.counts().verified().forEach((result, count) -> callback.call(count, result)))
                .register(registry);
        GaugeWithCallback.builder()
                .name("quarrel_device_memory_used_bytes")
                .help("What is in use of a device's own memory.")
                .labelNames("device")
                .callback(callback ->
                        engine.counts().deviceBytes().forEach((device, used) -> callback.call(used, device)))
                .register(registry);
    }

    /// Shows what clients there are.
    ///
    /// @param connections open ones, those that have not logged in yet among them
    /// @param limit of sessions
    public void watch(Supplier<Integer> connections, Supplier<List<ClientSession>> sessions, int limit) {
        gauge("quarrel_connections", "Open connections, also those that have not logged in.", connections::get);
        gauge("quarrel_max_connections", "How many sessions there may be.", () -> limit);
        GaugeWithCallback.builder()
                .name("quarrel_sessions")
                .help("Sessions, by what they do.")
                .labelNames("state")
                .callback(callback -> {
                    List<String> doing = sessions.get().stream()
                            .map(session -> session.activity().state())
                            .toList();
                    STATES.forEach(state -> callback.call(
                            doing.stream().filter(state::equals).count(),
                            state.replaceAll("[ ()]+", "_").replaceAll("_$", "")));
                })
                .register(registry);
    }

    /// Shows how many logins were refused, by the wire or the console.
    public void watch(FailedLogins failedLogins) {
        counter("quarrel_failed_logins", "Logins with a name or password that is not right.", failedLogins::count);
    }

    private void ofEngine(Engine engine, String name, String help, ToDoubleFunction<EngineCounts> value) {
        gauge(name, help, () -> value.applyAsDouble(engine.counts()));
    }

    private void gauge(String name, String help, Supplier<? extends Number> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.get().doubleValue()))
                .register(registry);
    }

    /// Shows a count of somebody else's, which only grows.
    public void watchCount(String name, String help, Supplier<? extends Number> value) {
        counter(name, help, value);
    }

    /// Shows a value of somebody else's.
    public void watchValue(String name, String help, Supplier<? extends Number> value) {
        gauge(name, help, value);
    }

    private void counter(String name, String help, Supplier<? extends Number> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.get().doubleValue()))
                .register(registry);
    }

    @Override
    public void ended(EndedStatement statement) {
        if (statement.isParse()) {
            return; // its execution will count
        }
        StatementKind kind = statement.kind();
        String stateClass =
                statement.error() == null ? "00" : statement.error().code().substring(0, 2);
        queries.labelValues(kind.label(), statement.outcome(), stateClass).inc();
        durations.get(kind).observe(statement.nanos() / 1e9);
        rows.inc(statement.rows());
        bytes.inc(statement.bytes());
    }

    /// All of it as text, in UTF-8.
    public byte[] text() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(USUAL_BYTES);
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape());
        } catch (IOException impossible) {
            throw new UncheckedIOException("a buffer in memory", impossible);
        }
        return out.toByteArray();
    }
}
