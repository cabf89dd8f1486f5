package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.warmup.WarmUpData;
import dev.quarrel.calcite.engine.warmup.WarmUpFolder;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prepares the process for its first query. It first touches the data that the operating system already holds
/// in memory, so that the pages are mapped into this process and the codes and offsets are checked. Then it
/// plans and runs small statements of the common shapes over a small dataset of its own, so that the classes
/// that planning and execution need are loaded and their loops compiled.
///
/// The dataset is files in the temporary folder, mapped as a user's are: the JVM compiles for the kinds of memory that
/// it has seen. Its tiles and batches are small, since the JIT counts how often a method is called: what is done once a
/// tile or batch is then compiled after some thousand rows. It runs on one background thread of low priority and on
/// workers of its own, while the engine has nothing to do, for [#MAX_NANOS] at most, and ends at the next morsel when
/// the engine is closed.
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    /// What `./quarrel` raises once after a build, for the JVM to see everything.
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(Integer.getInteger("quarrel.warm_up_seconds", 20));

    /// Of these for the data that the system holds in memory: some GB.
    private static final long PRELOAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int TILE_ROWS = 256;
    private static final int ROUNDS = 3;
    /// Runs of a statement a round. From the second on columns are narrowed, from the third on they are read so.
    private static final int RUNS = 5;
    /// Times that a statement is planned a round. It is some thousand methods, each called a few times: it takes 500
    /// statements for a new one to be planned in half of the time.
    private static final int PLANNINGS = 8;

    private static final long PAUSE_MILLIS = 5;

    /// The longest compilation takes half a second, and counts when it is done.
    private static final long COMPILER_PAUSE_MILLIS = 100;

    private static final int QUIET_PAUSES = 5;

    /// Joins, groups, sorts, ranges and texts; the star joins come first, since they need the most.
    static final List<String> STATEMENTS = List.of(
            "select sum(price * part) as revenue from fact, days where day = day_key and year = 1993"
                    + " and part between 1 and 3 and quantity < 25",
            "select sum(price), year, brand from fact, days, items, places where day = day_key and item = item_key"
                    + " and place = place_key and category = 'c1' and region = 'r1' group by year, brand"
                    + " order by year, brand",
            "select city, nation, year, sum(price) as revenue from fact, days, items, places where day = day_key"
                    + " and item = item_key and place = place_key and region = 'r1' and year >= 1992 and year <= 1997"
                    + " and (city = 'y21' or city = 'y25') group by city, nation, year"
                    + " order by year asc, revenue desc",
            "select nation, brand, year, sum(price) as revenue from fact, days, items, places where day = day_key"
                    + " and item = item_key and place = place_key and region = 'r1' and category = 'c1'"
                    + " and year between 1992 and 1997 group by nation, brand, year order by year asc, revenue desc",
            "select year, nation, sum(price - cost) as profit from fact, days, items, places where day = day_key"
                    + " and item = item_key and place = place_key and region = 'r2' and category in ('c1', 'c2')"
                    + " group by year, nation order by year, nation",
            "select year, sum(price - cost) as profit from fact, days, items, places where day = day_key"
                    + " and item = item_key and place = place_key and (brand = 'b1' or brand = 'b2')"
                    + " group by year order by year",
            "select mode, count(*), sum(price), avg(quantity), min(cost), max(ratio) from fact group by mode order by mode",
            "select item, count(*) as lines, sum(price) as revenue from fact group by item"
                    + " order by revenue desc, item limit 10",
            "select count(*) from fact where ratio > 0.5 and ratio <= 0.8 and quantity > 10 and quantity < 40",
            "select * from fact where ratio > 0.99 and price > 9000 order by at desc limit 10",
            "select count(distinct item), sum(ratio), avg(ratio) from fact",
            "select count(*), sum(n) from (select item, place, count(*) as n from fact group by item, place) as g",
            "select extract(year from at), date_trunc('month', at), sum(amount) from fact group by 1, 2 order by 1, 2",
            "select note, count(*) from fact where note like 'n1%' or upper(mode) = 'M2' group by note order by 2 desc limit 5",
            "select case when quantity < 10 then 'few' else 'many' end, coalesce(mode, 'none'), count(*)"
                    + " from fact where mode in ('m1', 'm2', 'm3') group by 1, 2",
            "select item_key, brand from items left join places on item_key = place_key where place_key is null"
                    + " order by brand, item_key limit 20",
            "select at, price, note from fact order by price desc, at limit 100",
            "select item, price, amount from fact order by price, item",
            "select mode, count(distinct item) from fact group by mode",
            "select city, brand, sum(price) from fact, items, places where item = item_key and place = place_key"
                    + " group by city, brand",
            "select count(*) from fact where exists (select 1 from items where item_key = item and brand = 'b3')");

    private final LocalEngine engine;
    private final Cancellation cancellation = new Cancellation();
    private final Thread thread;

    /// Starts the work.
    WarmUp(LocalEngine engine) {
        this.engine = engine;
        this.thread = Thread.ofPlatform()
                .name("quarrel-warm-up")
                .daemon()
                .priority(Thread.MIN_PRIORITY)
                .start(this::run);
    }

    /// Returns when the work is done.
    void await() throws InterruptedException {
        thread.join();
    }

    /// Stops the work and returns when it has stopped.
    void cancel() {
        cancellation.cancel(new QueryException(SqlState.QUERY_CANCELED, "the engine is closed"));
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long start = System.nanoTime();
        int statements = 0;
        try (WarmUpFolder folder = WarmUpFolder.create()) {
            preload(start);
            WarmUpData.write(folder.path());
            for (int round = 0; round < ROUNDS; round++) {
                // A new engine a round, so that columns are encoded anew.
                try (LocalEngine warm = engine.beside(DatasetCatalog.open(folder.path()), TILE_ROWS);
                        SqlSession session = warm.openSession("warm-up")) {
                    for (String sql : STATEMENTS) {
                        for (int planning = 0; planning < PLANNINGS && mayGoOn(start); planning++) {
                            warm.forgetPlans();
                            plan(session, sql);
                            session.endImplicitTransaction();
                        }
                        for (int run = 0; run < RUNS && mayGoOn(start); run++) {
                            run(session, sql);
                            statements++;
                        }
                    }
                }
            }
            awaitCompiler(start);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (QueryException | IOException | IllegalStateException problem) {
            // Queries are slower the first time; nothing else is lost.
            LOG.debug("warm_up.ended reason={}", problem.getMessage());
        }
        LOG.info(
                "warm_up.done statements={} elapsed_ms={}",
                statements,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }

    /// Waits until the engine has nothing else to do; false when time is over.
    private boolean mayGoOn(long start) throws InterruptedException {
        cancellation.check();
        while (!engine.isIdle() && System.nanoTime() - start < MAX_NANOS) {
            Thread.sleep(PAUSE_MILLIS);
            cancellation.check();
        }
        return System.nanoTime() - start < MAX_NANOS;
    }

    /// Waits until the JIT has nothing to do: what it has queued would take a core from the first queries.
    private void awaitCompiler(long start) throws InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
            return;
        }
        int quiet = 0;
        while (quiet < QUIET_PAUSES && System.nanoTime() - start < MAX_NANOS) {
            cancellation.check();
            long before = compiler.getTotalCompilationTime();
            Thread.sleep(COMPILER_PAUSE_MILLIS);
            quiet = compiler.getTotalCompilationTime() == before ? quiet + 1 : 0;
        }
    }

    private void preload(long start) {
        try (CatalogSnapshot snapshot = engine.catalog().snapshot()) {
            for (String schema : snapshot.schemaNames()) {
                for (Table table : snapshot.tables(schema)) {
                    table.preload(() -> !cancellation.isCancelled() && System.nanoTime() - start < PRELOAD_NANOS);
                }
            }
        }
    }

    private static PreparedQuery plan(SqlSession session, String sql) {
        return session.prepare(session.parse(sql).getFirst(), List.of());
    }

    private void run(SqlSession session, String sql) {
        try (Execution execution = session.execute(plan(session, sql), List.of(), cancellation)) {
            for (Batch batch = execution.cursor().next();
                    batch != null;
                    batch = execution.cursor().next()) {
                batch.close();
            }
        }
        session.endImplicitTransaction();
    }
}
