package dev.quarrel.calcite.engine.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class WarmUpFolderTest {
    @Test
    void whatKilledProcessesLeftGoes() throws Exception {
        Path old = Files.createTempDirectory("quarrel-warm-up");
        Path young = Files.createTempDirectory("quarrel-warm-up");
        Path other = Files.createTempDirectory("quarrel-other");
        FileTime before = FileTime.from(Instant.now().minus(Duration.ofHours(2)));
        try {
            for (Path folder : new Path[] {old, other}) {
                Files.writeString(folder.resolve("file"), "text");
                Files.setLastModifiedTime(folder, before);
            }
            try (WarmUpFolder folder = WarmUpFolder.create()) {
                assertThat(folder.path()).isDirectory();
                assertThat(old).doesNotExist();
                assertThat(young).exists();
                assertThat(other).exists();
                old = folder.path();
            }
            assertThat(old).doesNotExist();
        } finally {
            Files.delete(young);
            Files.delete(other.resolve("file"));
            Files.delete(other);
        }
    }
}
