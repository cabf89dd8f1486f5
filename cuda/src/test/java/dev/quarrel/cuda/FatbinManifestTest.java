package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The committed fatbins are those of the committed sources: without the compiler, by the manifest that it
/// left.
class FatbinManifestTest {
    private static final Path SOURCES = Path.of("src/main/cuda");
    private static final Path FATBINS = Path.of("src/main/resources/dev/quarrel/cuda/fatbin");
    private static final String REMEDY = ": run cuda/build-fatbins and commit what it writes";

    @Test
    void theFatbinsAreThoseOfTheSources() throws IOException {
        assertThat(problems(SOURCES, FATBINS)).isEmpty();
    }

    /// What does not fit, one sentence each.
    private static List<String> problems(Path sources, Path fatbins) throws IOException {
        Map<String, String> sourceHashes = new TreeMap<>();
        Map<String, String> fatbinHashes = new TreeMap<>();
        Map<String, List<String>> parts = new TreeMap<>();
        for (String line : Files.readAllLines(fatbins.resolve("MANIFEST"))) {
            List<String> words = List.of(line.split(" "));
            switch (words.getFirst()) {
                case "source" -> sourceHashes.put(words.get(1), words.get(2));
                case "fatbin" -> {
                    fatbinHashes.put(words.get(1), words.get(2));
                    parts.put(words.get(1), words.subList(4, words.size()));
                }
                default -> {
                    // the compiler and its flags: only compiling tells whether they are the same
                }
            }
        }
        List<String> problems = new ArrayList<>();
        for (String name : names(sources, ".cu")) {
            if (!fatbinHashes.containsKey(name)) {
                problems.add(name + ".cu has no fatbin" + REMEDY);
            }
        }
        for (String name : names(fatbins, ".fatbin")) {
            if (!fatbinHashes.containsKey(name)) {
                problems.add(name + ".fatbin is of no source" + REMEDY);
            }
        }
        fatbinHashes.forEach((name, hash) -> {
            Path fatbin = fatbins.resolve(name + ".fatbin");
            if (!hash.equals(sha256(fatbin))) {
                problems.add(name + ".fatbin is not the one that was built" + REMEDY);
            }
            for (String part : parts.get(name)) {
                if (!sourceHashes.getOrDefault(part, "none").equals(sha256(sources.resolve(part)))) {
                    problems.add(part + " has changed since " + name + ".fatbin was built" + REMEDY);
                }
            }
        });
        return problems;
    }

    private static List<String> names(Path folder, String suffix) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(suffix))
                    .map(name -> name.substring(0, name.length() - suffix.length()))
                    .sorted()
                    .toList();
        }
    }

    private static String sha256(Path file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (IOException _) {
            return "missing";
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void driftIsFound(@TempDir Path folder) throws IOException {
        Path sources = Files.createDirectory(folder.resolve("cuda"));
        Path fatbins = Files.createDirectory(folder.resolve("fatbin"));
        Files.writeString(sources.resolve("a.cu"), "#include \"a.cuh\"");
        Files.writeString(sources.resolve("a.cuh"), "int a;");
        Files.writeString(fatbins.resolve("a.fatbin"), "code");
        String manifest = "# written\npackage nvcc==1\nflag -O3\nsource a.cu " + sha256(sources.resolve("a.cu"))
                + "\nsource a.cuh " + sha256(sources.resolve("a.cuh")) + "\nfatbin a "
                + sha256(fatbins.resolve("a.fatbin")) + " from a.cu a.cuh\n";
        Files.write(fatbins.resolve("MANIFEST"), manifest.getBytes(StandardCharsets.UTF_8));
        assertThat(problems(sources, fatbins)).isEmpty();

        Files.writeString(sources.resolve("a.cuh"), "int b;");
        assertThat(problems(sources, fatbins)).containsExactly("a.cuh has changed since a.fatbin was built" + REMEDY);
        Files.writeString(sources.resolve("a.cuh"), "int a;");
        Files.writeString(fatbins.resolve("a.fatbin"), "edited");
        assertThat(problems(sources, fatbins)).containsExactly("a.fatbin is not the one that was built" + REMEDY);
        Files.writeString(fatbins.resolve("a.fatbin"), "code");
        Files.writeString(sources.resolve("b.cu"), "");
        Files.writeString(fatbins.resolve("c.fatbin"), "");
        assertThat(new TreeSet<>(problems(sources, fatbins)))
                .containsExactly("b.cu has no fatbin" + REMEDY, "c.fatbin is of no source" + REMEDY);
    }
}
