package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A PostgreSQL of the benchmarks' own, in a folder that keeps its tables.
final class BenchPostgres {
    private BenchPostgres() {}

    /// One that a crash of the machine may cost its tables.
    static EmbeddedPostgres start(Path folder) throws IOException {
        return builder(folder)
                .setServerConfig("fsync", "off")
                .setServerConfig("full_page_writes", "off")
                .start();
    }

    /// One that keeps what it commits.
    static EmbeddedPostgres startDurable(Path folder) throws IOException {
        return builder(folder).start();
    }

    private static EmbeddedPostgres.Builder builder(Path folder) throws IOException {
        return EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(
                        Files.createDirectories(folder.resolve("binaries")).toFile())
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setLocaleConfig("locale", "C")
                .setLocaleConfig("encoding", "UTF8")
                .setServerConfig("timezone", "UTC")
                // Some quarter of the memory, as PostgreSQL advises: its tables fit.
                .setServerConfig("shared_buffers", "2GB")
                .setServerConfig("autovacuum", "off")
                .setServerConfig("max_wal_size", "4GB");
    }
}
