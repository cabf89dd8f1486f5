package dev.quarrel.ingest;

import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What says which segments of the log are in files: `_ingest/checkpoint`, one line, replaced in one step.
///
/// Before a run is committed it names the run's source, which no other run has, and the last segment whose rows the run
/// holds; after that it says that the run is done. A process that ended in between looks whether the dataset's manifest
/// has the run.
///
/// @param token of the run's source
/// @param segment the last one that the run covers
record Checkpoint(String token, long segment, boolean isDone) {
    private static final String NAME = "checkpoint";
    private static final String SOURCE = "events, ";
    private static final Pattern LINE = Pattern.compile("(begun|done) ([0-9a-f-]{36}) (\\d+)\n");

    /// What a run says of where its rows come from.
    static String source(String token) {
        return SOURCE + token;
    }

    void write(Path folder) {
        Durable.replace(
                folder.resolve(NAME),
                ((isDone ? "done " : "begun ") + token + " " + segment + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /// The last segment that is in files; 0 for none.
    ///
    /// - Errors: `QueryException` XX001, 58030.
    static long covered(Path folder, Path root) {
        Path path = folder.resolve(NAME);
        try {
            Matcher line = LINE.matcher(Files.readString(path));
            if (!line.matches()) {
                throw new QueryException(SqlState.DATA_CORRUPTED, "file \"" + path + "\" is damaged");
            }
            long segment = Long.parseLong(line.group(3));
            return line.group(1).equals("done") || isCommitted(root, line.group(2)) ? segment : 0;
        } catch (NoSuchFileException _) {
            return 0;
        } catch (IOException e) {
            throw new QueryException(SqlState.IO_ERROR, "could not read file \"" + path + "\": " + e.getMessage(), e);
        }
    }

    static boolean isCommitted(Path root, String token) {
        Manifest manifest = Manifest.read(root);
        return manifest != null
                && manifest.runs().stream()
                        .anyMatch(run -> source(token).equals(run.origin().source()));
    }
}
