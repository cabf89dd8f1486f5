package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A folder with files to import, and the dataset that they go to.
abstract class ImportFixture {
    @TempDir
    Path folder;

    String root;

    @BeforeEach
    void nameRoot() {
        root = folder.resolve("root").toString();
    }

    final Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    final CommandRun run(Path file, String... options) {
        List<String> all = new ArrayList<>(List.of("import", file.toString(), "-o", root));
        all.addAll(List.of(options));
        return CommandRun.of(all.toArray(String[]::new));
    }

    final String sql(String text) {
        CommandRun outcome = CommandRun.of("sql", "--data", root, "--format", "csv", "-c", text);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        return outcome.out();
    }
}
