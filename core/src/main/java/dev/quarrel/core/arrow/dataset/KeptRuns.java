package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The states of a dataset before its newest one: the manifest that each run left stays at
/// `ROOT/_replaced/manifest-RUN.json`, as long as the files that it lists.
final class KeptRuns {
    private static final Pattern NAME = Pattern.compile("manifest-([0-9]{1,9})\\.json");

    private final Path root;
    private final DatasetFiles places;

    KeptRuns(Path root) {
        this.root = root;
        this.places = new DatasetFiles(root);
    }

    /// The run that a manifest is of: the last one in it. 0 for none.
    static int runOf(Manifest manifest) {
        return manifest.runs().stream().mapToInt(Manifest.Run::id).max().orElse(0);
    }

    private static String name(int run) {
        return DatasetFiles.REPLACED_NAME + "/manifest-" + run + ".json";
    }

    /// Keeps the manifest of a state that has been replaced.
    void keep(Manifest manifest) {
        if (runOf(manifest) == 0) {
            return;
        }
        Path folder = root.resolve(DatasetFiles.REPLACED_NAME);
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        }
        manifest.write(root, name(runOf(manifest)));
    }

    /// The runs whose manifests are kept, the newest first.
    List<Integer> runs() {
        Path folder = root.resolve(DatasetFiles.REPLACED_NAME);
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> NAME.matcher(entry.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(matcher -> Integer.valueOf(matcher.group(1)))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        } catch (NoSuchFileException _) {
            return List.of();
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        }
    }

    /// Forgets all states but the newest ones.
    ///
    /// @return the places where files of those that stay may lie
    Set<Path> keepNewest(int count) throws IOException {
        Set<Path> files = new HashSet<>();
        List<Integer> runs = runs();
        for (int index = 0; index < runs.size(); index++) {
            Manifest manifest = index < count ? readable(runs.get(index)) : null;
            if (manifest == null) {
                Files.deleteIfExists(root.resolve(name(runs.get(index))));
                continue;
            }
            manifest.tables()
                    .forEach(table -> table.files().forEach(file -> {
                        files.add(root.resolve(file.path()));
                        files.add(places.replacedPath(file));
                    }));
        }
        return files;
    }

    /// Null for a manifest that is broken: nobody can read that state.
    private Manifest readable(int run) {
        try {
            return Manifest.read(root, name(run));
        } catch (QueryException _) {
            return null;
        }
    }

    /// The manifest of a run.
    ///
    /// - Errors: `QueryException` 42704 for a run that is not there, or not any more.
    Manifest of(int run) {
        Manifest newest = Manifest.read(root);
        if (newest != null && runOf(newest) == run) {
            return newest;
        }
        Manifest kept = Manifest.read(root, name(run));
        if (kept == null) {
            String known = newest == null
                    ? "The dataset has no runs."
                    : "Its newest run is " + runOf(newest) + "; kept are " + (runs().isEmpty() ? "none" : runs()) + ".";
            throw new QueryException(SqlState.UNDEFINED_OBJECT, "the dataset has no run " + run + " any more")
                    .withDetail(known)
                    .withHint("quarrel export --keep-runs N keeps N runs before the newest one.");
        }
        return kept;
    }

    /// Where a file of a run lies: in its table's folder, or, since it was replaced, in `_replaced`.
    Path place(Manifest.FileEntry file) {
        Path path = root.resolve(file.path());
        Path replaced = places.replacedPath(file);
        return Files.exists(path) || !Files.exists(replaced) ? path : replaced;
    }
}
