package dev.quarrel.server.databases;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.catalog.SystemCatalog;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The datasets that a server has, each a database of its own, which share devices, workers and memory; and the earlier
/// runs of them that sessions read.
///
/// Engines over earlier runs are opened when the first session asks for one, and stay open for a while after the last,
/// since clients such as Spark connect many times for one job.
///
/// - Threads: share it freely.
/// - Memory: it borrows the first engine and owns all others; it is closed after the server and before that engine.
public final class Databases implements AutoCloseable {
    private static final int MAX_IDLE_RUNS = 4;

    private final Supplier<Users> users;
    private final Map<String, Engine> engines = new LinkedHashMap<>();
    private final Map<Run, Pinned> pinned = new LinkedHashMap<>(16, 0.75f, true); // guarded by itself

    private record Run(String database, int number) {}

    private static final class Pinned {
        private final Engine engine;
        private int sessions;

        Pinned(Engine engine) {
            this.engine = engine;
        }
    }

    /// An engine for one session, which lets go of it.
    public record Lease(String database, Engine engine, Runnable release) implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }

    private Databases(Supplier<Users> users) {
        this.users = users;
    }

    /// The one database of an engine.
    public static Databases of(Engine engine, Supplier<Users> users) {
        Databases databases = new Databases(users);
        databases.engines.put(EngineConfig.DEFAULT_DATABASE, engine);
        return databases;
    }

    /// Opens engines over datasets.
    ///
    /// @param roots their folders by the databases' names, the first of which clients get who name none
    /// @param config the first one's, without system tables
    /// @param first opens the first engine
    /// @param catalogs opens the others' folders
    public static Databases open(
            Map<String, Path> roots,
            EngineConfig config,
            Supplier<Users> users,
            Function<EngineConfig, Engine> first,
            Function<Path, DatasetCatalog> catalogs) {
        Databases databases = new Databases(users);
        Engine opened = null;
        try {
            for (Map.Entry<String, Path> root : roots.entrySet()) {
                UnaryOperator<EngineConfig> install =
                        of -> SystemCatalog.install(of.withDatabase(root.getKey()), users, roots.keySet());
                Engine engine = opened == null
                        ? first.apply(install.apply(config))
                        : opened.beside(catalogs.apply(root.getValue()), install);
                opened = opened == null ? engine : opened;
                databases.engines.put(root.getKey(), engine);
            }
            return databases;
        } catch (RuntimeException | Error problem) {
            databases.close();
            if (opened != null) {
                opened.close();
            }
            throw problem;
        }
    }

    /// The engine that owns what all of them share.
    public Engine first() {
        return engines.values().iterator().next();
    }

    public Set<String> names() {
        return engines.keySet();
    }

    /// The database that a client asks for: of no name, or of the user's, the first one is meant, unless one has it.
    ///
    /// - Errors: `QueryException` 3D000 for one that is not there.
    String named(String asked, String user) {
        if (engines.containsKey(asked)) {
            return asked;
        }
        if (asked.isEmpty() || asked.equals(user)) {
            return engines.keySet().iterator().next();
        }
        throw new QueryException(SqlState.INVALID_CATALOG_NAME, "database \"" + asked + "\" does not exist")
                .withHint(
                        engines.size() == 1
                                ? "The database is "
                                        + engines.keySet().iterator().next() + "."
                                : "The databases are " + String.join(", ", engines.keySet()) + ".");
    }

    /// The engine of a client's database.
    ///
    /// - Errors: `QueryException` 3D000 for a database that is not there, 42704 for a run that is not kept.
    ///
    /// @param run the run of the dataset that it is to show; null for the newest
    public Lease lease(String asked, String user, Integer run) {
        String name = named(asked, user);
        Engine newest = engines.get(name);
        if (run == null) {
            return new Lease(name, newest, () -> {});
        }
        if (!(newest.catalog() instanceof DatasetCatalog dataset)) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "this database has no runs");
        }
        Run key = new Run(name, run);
        synchronized (pinned) {
            Pinned found = pinned.get(key);
            if (found == null) {
                found = new Pinned(
                        newest.beside(dataset.at(run), own -> SystemCatalog.install(own, users, engines.keySet())));
                pinned.put(key, found);
            }
            found.sessions++;
            Pinned leased = found;
            return new Lease(name, leased.engine, () -> release(leased));
        }
    }

    private void release(Pinned left) {
        synchronized (pinned) {
            left.sessions--;
            long idle =
                    pinned.values().stream().filter(each -> each.sessions == 0).count();
            var oldest = pinned.values().iterator();
            while (idle > MAX_IDLE_RUNS && oldest.hasNext()) {
                Pinned each = oldest.next();
                if (each.sessions == 0) {
                    oldest.remove();
                    each.engine.close();
                    idle--;
                }
            }
        }
    }

    @Override
    public void close() {
        synchronized (pinned) {
            pinned.values().forEach(each -> each.engine.close());
            pinned.clear();
        }
        engines.values().stream().skip(1).toList().reversed().forEach(Engine::close);
    }
}
