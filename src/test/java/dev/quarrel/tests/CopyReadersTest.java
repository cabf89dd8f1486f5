package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A table of every type, read by the exporter's own connection and by pgjdbc: the files have the same bytes.
class CopyReadersTest {
    private static final String BY_DRIVER = "quarrel.export.pgjdbc";
    private static final int RANDOM_ROWS = 5000;

    @TempDir
    private Path folder;

    private Path export(String name, boolean byDriver) {
        Path root = folder.resolve(name);
        if (byDriver) {
            System.setProperty(BY_DRIVER, "true");
        }
        try {
            Exporter.run(ExportConfig.builder(
                            PostgresSource.parse(PostgresOracle.shared().url()), root)
                    .tables("copy_readers")
                    .workers(1)
                    .build());
        } finally {
            System.clearProperty(BY_DRIVER);
        }
        return root.resolve(
                Manifest.read(root).tables().getFirst().files().getFirst().path());
    }

    @AfterAll
    static void dropTable() {
        PostgresOracle.shared().run("DROP TABLE IF EXISTS copy_readers"); // other tests list the oracle's tables
    }

    @Test
    void everyTypeIsReadAlike() throws IOException {
        Map<String, TypeSamples.Sample> samples = new LinkedHashMap<>(TypeSamples.own());
        samples.putAll(TypeSamples.others());
        TypeSamples.fill(PostgresOracle.shared(), "copy_readers", samples, RANDOM_ROWS);
        Path own = export("own", false);
        assertThat(Files.size(own)).isGreaterThan(1 << 20);
        assertThat(Files.mismatch(own, export("driver", true))).isEqualTo(-1);
    }
}
