package dev.quarrel.tests;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A running Quarrel over a dataset, as a client sees it.
final class QuarrelServer implements AutoCloseable {
    private static final Map<String, QuarrelServer> SHARED = new ConcurrentHashMap<>();
    private static Path baseTables;

    private final Configuration configuration;
    private final Engine engine;
    private final Server server;

    private QuarrelServer(Configuration configuration, Engine engine, Server server) {
        this.configuration = configuration;
        this.engine = engine;
        this.server = server;
    }

    /// A server over the oracle's own tables, exported once; it runs until the JVM ends.
    static QuarrelServer shared(Configuration configuration) {
        return SHARED.computeIfAbsent(configuration.name(), _ -> start(baseTables(), configuration));
    }

    static QuarrelServer start(Path root, Configuration configuration) {
        return start(DatasetCatalog.open(root), configuration);
    }

    static QuarrelServer start(Catalog catalog, Configuration configuration) {
        return start(catalog, configuration, EngineConfig.defaults());
    }

    /// The same, of a dataset that statements may change.
    static QuarrelServer startWritable(Catalog catalog, Configuration configuration) {
        return start(catalog, configuration, EngineConfig.defaults().withWrites(new WriteAccess(true, List.of())));
    }

    private static QuarrelServer start(Catalog catalog, Configuration configuration, EngineConfig defaults) {
        EngineConfig config = SystemCatalog.install(
                defaults.withThreads(configuration.threads())
                        .withTileRows(configuration.tileRows())
                        .withTier(configuration.tier())
                        .withInlineRows(configuration.inlineRows()),
                List.of());
        Engine engine = LocalEngine.open(catalog, config, configuration.providers());
        try {
            return new QuarrelServer(
                    configuration,
                    engine,
                    Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0)));
        } catch (IOException unstartable) {
            engine.close();
            throw new UncheckedIOException(unstartable);
        }
    }

    /// The dataset of all tables that `fixtures/base.sql` makes.
    static synchronized Path baseTables() {
        if (baseTables == null) {
            baseTables = export(
                    PostgresOracle.shared(),
                    "types",
                    "customers",
                    "scalars",
                    "spans",
                    "orders",
                    "tags",
                    "nothing",
                    "onlynull",
                    "\"Mixed Case\"",
                    "date",
                    "words",
                    "other.orders",
                    "other.moments",
                    "other.documents",
                    "other.grades",
                    "other.forms",
                    "other.periods",
                    "other.wide",
                    "other.nested",
                    "keyed.nations",
                    "keyed.people",
                    "keyed.visits",
                    "keyed.lax",
                    "keyed.parts",
                    "keyed.indexed");
        }
        return baseTables;
    }

    static Path export(PostgresOracle source, String... tables) {
        return export(source, 2, tables);
    }

    /// @param workers one for files that are the same each time
    static Path export(PostgresOracle source, int workers, String... tables) {
        try {
            Path root = Files.createTempDirectory("quarrel-dataset");
            Exporter.run(ExportConfig.builder(PostgresSource.parse(source.url()), root)
                    .tables(tables)
                    .workers(workers)
                    .build());
            return root;
        } catch (IOException noFolder) {
            throw new UncheckedIOException(noFolder);
        }
    }

    int port() {
        return server.address().getPort();
    }

    Engine engine() {
        return engine;
    }

    Connection connect() {
        return connect("preferQueryMode=extended");
    }

    /// @param property of pgjdbc, with its value
    Connection connect(String property) {
        try {
            String device = configuration.providers().isEmpty() ? "" : "&options=-c%20quarrel.device=cuda";
            return DriverManager.getConnection(
                    "jdbc:postgresql://127.0.0.1:" + port() + "/quarrel?user=analyst&" + property + device);
        } catch (SQLException unreachable) {
            throw new IllegalStateException(unreachable);
        }
    }

    @Override
    public void close() {
        server.stop();
        engine.close();
    }
}
