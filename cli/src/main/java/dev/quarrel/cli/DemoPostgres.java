package dev.quarrel.cli;

import dev.quarrel.samples.ssb.CopyBinaryEncoder;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbTable;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/// A PostgreSQL of the demo's own, in a folder of the demo's own, with nobody's data in it.
///
/// It gives up durability, since its data is made anew each time; memory, planner and parallelism are as
/// PostgreSQL ships them, but for `shared_buffers` and `work_mem`, whose defaults are for small machines.
final class DemoPostgres implements AutoCloseable {
    private final EmbeddedPostgres postgres;

    private DemoPostgres(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    static DemoPostgres start(Path folder) {
        try {
            return new DemoPostgres(EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(
                            Files.createDirectories(folder.resolve("binaries")).toFile())
                    .setDataDirectory(folder.resolve("data"))
                    .setLocaleConfig("locale", "C")
                    .setLocaleConfig("encoding", "UTF8")
                    .setServerConfig("timezone", "UTC")
                    .setServerConfig("shared_buffers", "256MB")
                    .setServerConfig("work_mem", "64MB")
                    .setServerConfig("fsync", "off")
                    .setServerConfig("synchronous_commit", "off")
                    .setServerConfig("full_page_writes", "off")
                    .setServerConfig("max_wal_size", "4GB")
                    .setRegisterShutdownHook(false)
                    .start());
        } catch (IOException | IllegalStateException unstartable) {
            throw new CommandFailure(
                    "the demo's PostgreSQL does not start: " + unstartable.getMessage()
                            + " (it needs Linux on x86-64, and as root the right to make a user namespace)",
                    unstartable);
        }
    }

    /// A libpq address, for the export; trust authentication, so there is no password to leak.
    String uri() {
        return "postgresql://postgres@127.0.0.1:" + postgres.getPort() + "/postgres";
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.getJdbcUrl("postgres", "postgres"));
    }

    /// Makes and fills the benchmark's tables.
    ///
    /// @param progress is told of rows as they are sent
    void load(SsbGenerator generator, int threads, LongConsumer progress) throws SQLException, IOException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (SsbTable table : SsbTable.values()) {
                statement.execute(table.createTable(SsbTable.DEFAULT_DATE_TABLE));
                copy(connection, table, generator, threads, progress);
                if (table != SsbTable.LINEORDER) {
                    statement.execute(table.addPrimaryKey(SsbTable.DEFAULT_DATE_TABLE));
                }
            }
            statement.execute("VACUUM ANALYZE");
        }
    }

    private static void copy(
            Connection connection, SsbTable table, SsbGenerator generator, int threads, LongConsumer progress)
            throws SQLException, IOException {
        try (PGCopyOutputStream stream = new PGCopyOutputStream(
                connection.unwrap(PGConnection.class), table.copyFrom(SsbTable.DEFAULT_DATE_TABLE))) {
            CopyBinaryEncoder encoder = new CopyBinaryEncoder(stream);
            generator.generate(table, threads, batch -> {
                encoder.write(batch);
                progress.accept(batch.rowCount());
            });
            encoder.finish();
        }
    }

    @Override
    public void close() {
        try {
            postgres.close();
        } catch (IOException stuck) {
            Main.say("the demo's PostgreSQL did not stop: " + stuck.getMessage());
        }
    }
}
