package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files by paths, folders and patterns, and what their paths say.
final class SourceFilesTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void make() throws IOException {
        for (String path : List.of(
                "b.x",
                "a.x",
                "a.y",
                "_c.x",
                "year=2024/007.x",
                "year=2024/deep/z.x",
                "year=2025/m=1/008.x",
                "year=2025/m=__HIVE_DEFAULT_PARTITION__/009.x")) {
            Path file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
        }
    }

    private SourceFiles of(boolean withFolders, String... names) {
        List<String> all =
                List.of(names).stream().map(name -> folder + "/" + name).toList();
        return SourceFiles.of(all, name -> name.endsWith(".x"), withFolders);
    }

    private List<String> paths(SourceFiles files) {
        return files.files().stream()
                .map(file -> folder.relativize(file.path()).toString())
                .toList();
    }

    @Test
    void foldersHaveAllFilesBelowThem() {
        SourceFiles all = of(true, "");
        assertThat(paths(all))
                .containsExactly(
                        "a.x",
                        "b.x",
                        "year=2024/007.x",
                        "year=2024/deep/z.x",
                        "year=2025/m=1/008.x",
                        "year=2025/m=__HIVE_DEFAULT_PARTITION__/009.x");
        assertThat(all.keys()).map(Object::toString).containsExactly("year int64", "m int64");
        assertThat(all.files().getFirst().values(all.keys())).isEmpty();
        assertThat(all.files().get(4).values(all.keys())).isEqualTo(Map.of("year", 2025L, "m", 1L));
        assertThat(all.files().get(5).values(all.keys())).isEqualTo(Map.of("year", 2025L));
        assertThat(of(false, "").keys()).isEmpty();
    }

    @Test
    void filesAndPatternsComeInTheOrderOfTheirNames() {
        assertThat(paths(of(true, "b.x", "?.*", "year=2024", "b.x")))
                .containsExactly("b.x", "a.x", "a.y", "year=2024/007.x", "year=2024/deep/z.x");
        SourceFiles named = of(false, "year=@{y}/**/${n}.x");
        assertThat(named.keys()).map(Object::toString).containsExactly("y int64 not null", "n utf8 not null");
        assertThat(named.files().getFirst().values(named.keys())).isEqualTo(Map.of("y", 2024L, "n", "007"));
        SourceFiles one = of(true, "year=2025/m=1/008.x");
        assertThat(one.files().getFirst().keys()).isEqualTo(Map.of("year", "2025", "m", "1"));
    }

    @Test
    void whatIsNotThereIsSaid() throws IOException {
        Files.createDirectory(folder.resolve("none"));
        for (String name : List.of("none", "c.x", "c*")) {
            assertThatThrownBy(() -> of(true, "a.x", name))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining(name);
        }
    }
}
