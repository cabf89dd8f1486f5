package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/// Runs many clients at a time over the Star Schema Benchmark: throughput compared with the same queries one
/// after another, how even clients fare, how long a short query takes beside a long one, and how soon workers
/// are idle after a cancel.
public final class ConcurrentClients {
    private static final String LONG = "SELECT count(*), sum(a.lo_revenue - b.lo_supplycost) FROM lineorder a "
            + "JOIN lineorder b ON a.lo_orderkey = b.lo_orderkey AND a.lo_linenumber = b.lo_linenumber";
    private static final List<String> CANCELLED = List.of(
            LONG,
            "SELECT lo_extendedprice, lo_orderkey, lo_linenumber, lo_shipmode FROM lineorder "
                    + "ORDER BY lo_extendedprice DESC, lo_orderkey",
            "SELECT lo_orderkey, count(*), sum(lo_revenue), min(lo_extendedprice) FROM lineorder GROUP BY lo_orderkey",
            "SELECT count(*) FROM lineorder WHERE lo_shipmode || lo_orderpriority ~ '(a|b)*c.*[x-z]{3,}'");

    private final Engine engine;
    private final List<String> queries;
    private final long seed;

    private ConcurrentClients(Engine engine, List<String> queries, long seed) {
        this.engine = engine;
        this.queries = queries;
        this.seed = seed;
    }

    /// Arguments: the dataset; the folder of queries; threads; clients; rounds of all queries a client; cancels.
    public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
        EngineConfig config = EngineConfig.defaults().withThreads(Integer.parseInt(arguments[2]));
        int clients = Integer.parseInt(arguments[3]);
        int rounds = Integer.parseInt(arguments[4]);
        int cancels = Integer.parseInt(arguments[5]);
        try (Engine engine = LocalEngine.open(DatasetCatalog.open(Path.of(arguments[0])), config)) {
            ConcurrentClients bench = new ConcurrentClients(
                    engine,
                    List.copyOf(SuiteQueries.read(Path.of(arguments[1]), "quarrel", List.of())
                            .values()),
                    20261121);
            bench.client(0, 3);
            bench.throughput(clients, rounds);
            bench.shortBesideLong();
            bench.cancels(cancels);
        }
    }

    private double client(int number, int rounds) {
        List<String> order = new ArrayList<>(queries);
        Collections.shuffle(order, new Random(seed + number));
        long start = System.nanoTime();
        try (SqlSession session = engine.openSession("client" + number)) {
            for (int round = 0; round < rounds; round++) {
                order.forEach(sql -> execute(session, sql, new Cancellation()));
            }
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private void throughput(int clients, int rounds) throws InterruptedException, ExecutionException {
        double bestSerial = Double.MAX_VALUE;
        double bestTogether = Double.MAX_VALUE;
        double[] fairest = {};
        for (int turn = 0; turn < 3; turn++) {
            double serial = 0;
            for (int number = 0; number < clients; number++) {
                serial += client(number, rounds);
            }
            bestSerial = Math.min(bestSerial, serial);
            double[] times = new double[clients];
            long start = System.nanoTime();
            try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
                List<Future<Double>> running = new ArrayList<>();
                for (int number = 0; number < clients; number++) {
                    int client = number;
                    running.add(threads.submit(() -> client(client, rounds)));
                }
                for (int number = 0; number < clients; number++) {
                    times[number] = running.get(number).get();
                }
            }
            double together = (System.nanoTime() - start) / 1e6;
            if (together < bestTogether) {
                bestTogether = together;
                fairest = times;
            }
        }
        Arrays.sort(fairest);
        int statements = clients * rounds * queries.size();
        System.out.printf(
                "| %d clients, %d statements | %.0f ms together, %.0f ms one after another |%n",
                clients, statements, bestTogether, bestSerial);
        System.out.printf("| throughput, together by serial | %.2f |%n", bestSerial / bestTogether);
        System.out.printf(
                "| slowest client by the mean | %.2f |%n",
                fairest[clients - 1] / Arrays.stream(fairest).average().orElseThrow());
    }

    private void shortBesideLong() throws InterruptedException, ExecutionException {
        String brief = queries.getFirst();
        double[] alone = times(brief, 100);
        AtomicBoolean isOver = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        double[] beside;
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> noise = threads.submit(() -> {
                try (SqlSession session = engine.openSession("long")) {
                    while (!isOver.get()) {
                        started.countDown();
                        execute(session, LONG, new Cancellation());
                    }
                }
            });
            started.await();
            beside = times(brief, 100);
            isOver.set(true);
            noise.get();
        }
        double[] longAlone = times(LONG, 3);
        System.out.printf(
                "| a short query alone, beside one of %.0f ms | median %.1f and %.1f ms, 99 %% %.1f and %.1f ms |%n",
                longAlone[1], alone[50], beside[50], alone[98], beside[98]);
    }

    private double[] times(String sql, int count) {
        double[] millis = new double[count];
        try (SqlSession session = engine.openSession("times")) {
            for (int run = 0; run < count; run++) {
                long start = System.nanoTime();
                execute(session, sql, new Cancellation());
                millis[run] = (System.nanoTime() - start) / 1e6;
            }
        }
        Arrays.sort(millis);
        return millis;
    }

    private void cancels(int count) throws InterruptedException {
        for (String sql : CANCELLED) {
            double whole = times(sql, 3)[1];
            Random random = new Random(seed);
            double[] millis = new double[count];
            for (int turn = 0; turn < count; turn++) {
                Cancellation cancellation = new Cancellation();
                CountDownLatch ended = new CountDownLatch(1);
                Thread reader = Thread.ofPlatform().start(() -> {
                    try (SqlSession session = engine.openSession("cancelled")) {
                        execute(session, sql, cancellation);
                    } catch (QueryException cancelled) {
                        // As asked.
                    } finally {
                        ended.countDown();
                    }
                });
                Thread.sleep((long) (random.nextDouble() * whole));
                long start = System.nanoTime();
                cancellation.cancel();
                // An execution is closed when no worker runs a step of it any more.
                ended.await();
                millis[turn] = (System.nanoTime() - start) / 1e6;
                reader.join();
            }
            Arrays.sort(millis);
            System.out.printf(
                    "| cancel to idle workers: %s | of %.0f ms; median %.1f, 90 %% %.1f, longest of %d %.1f ms |%n",
                    sql.substring(0, Math.min(sql.length(), 60)).replace("|", "\\|"),
                    whole,
                    millis[count / 2],
                    millis[count * 9 / 10],
                    count,
                    millis[count - 1]);
        }
    }

    private static void execute(SqlSession session, String sql, Cancellation cancellation) {
        for (ParsedStatement statement : session.parse(sql)) {
            PreparedQuery query = session.prepare(statement, List.of());
            try (Execution execution = session.execute(query, List.of(), cancellation)) {
                for (Batch batch = execution.cursor().next();
                        batch != null;
                        batch = execution.cursor().next()) {
                    batch.close();
                }
            }
            session.endImplicitTransaction();
        }
    }
}
