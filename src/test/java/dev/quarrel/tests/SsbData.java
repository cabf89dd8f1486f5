package dev.quarrel.tests;

import dev.quarrel.samples.ssb.CopyBinaryEncoder;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbScale;
import dev.quarrel.samples.ssb.SsbTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/// The Star Schema Benchmark at a small scale, in the oracle's schema `ssb` and exported from there.
final class SsbData {
    private static final double SCALE_FACTOR = 0.02;
    private static SsbData shared;

    private final Path root;
    private final Map<String, QuarrelServer> servers = new ConcurrentHashMap<>();

    private SsbData(Path root) {
        this.root = root;
    }

    static synchronized SsbData shared() {
        if (shared == null) {
            shared = load();
        }
        return shared;
    }

    private static SsbData load() {
        SsbGenerator generator = new SsbGenerator(new SsbScale(SCALE_FACTOR));
        PostgresOracle.shared().run("CREATE SCHEMA ssb");
        try (Connection connection = PostgresOracle.shared().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = ssb");
            for (SsbTable table : SsbTable.values()) {
                statement.execute(table.createTable(SsbTable.DEFAULT_DATE_TABLE));
                try (OutputStream out = new PGCopyOutputStream(
                        connection.unwrap(PGConnection.class), table.copyFrom(SsbTable.DEFAULT_DATE_TABLE))) {
                    CopyBinaryEncoder encoder = new CopyBinaryEncoder(out);
                    generator.generate(table, 2, encoder::write);
                    encoder.finish();
                }
            }
            statement.execute("ANALYZE");
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return new SsbData(QuarrelServer.export(
                PostgresOracle.shared(), "ssb.lineorder", "ssb.customer", "ssb.supplier", "ssb.part", "ssb.date"));
    }

    Path root() {
        return root;
    }

    Connection postgres() throws SQLException {
        return inSchema(PostgresOracle.shared().connect());
    }

    Connection quarrel(Configuration configuration) throws SQLException {
        return inSchema(servers.computeIfAbsent(configuration.name(), _ -> QuarrelServer.start(root, configuration))
                .connect());
    }

    private static Connection inSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = ssb");
        }
        return connection;
    }
}
