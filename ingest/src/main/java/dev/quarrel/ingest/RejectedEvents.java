package dev.quarrel.ingest;

import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.table.OpenTables;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps events that their table does not take, a line of JSON each, in `_ingest/rejected/DAY.ndjson`, with the reason.
///
/// - Memory: a file takes [#MOST_BYTES] a day; what is above that is counted alone.
/// - Threads: any.
final class RejectedEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RejectedEvents.class);
    private static final long MOST_BYTES = 256L << 20;

    private final Path folder;
    private final IngestCounts counts;
    private LocalDate day;
    private BufferedWriter out; // null where none is open
    private long written;
    private boolean isFull;

    RejectedEvents(Path folder, IngestCounts counts) {
        this.folder = folder;
        this.counts = counts;
    }

    synchronized void add(Chunk chunk, int at, String reason) {
        counts.rejected.increment();
        try {
            String event;
            try {
                event = at < 0 ? "null" : OpenTables.json(chunk, at);
            } catch (RuntimeException _) {
                event = "null"; // nested too deep
            }
            StringBuilder line = new StringBuilder("{\"table\": ");
            JsonStrings.append(chunk.table(), line);
            if (chunk.tag() != null) {
                JsonStrings.append(chunk.tag(), line.append(", \"tag\": "));
            }
            JsonStrings.append(reason, line.append(", \"reason\": "));
            line.append(", \"event\": ").append(event).append("}\n");
            open();
            if (written + line.length() <= MOST_BYTES) {
                out.append(line);
                written += line.length();
            } else if (!isFull) {
                isFull = true;
                LOG.warn("ingest.rejected_full folder={} bytes={}", folder, written);
            }
        } catch (IOException e) {
            close();
            LOG.warn("ingest.rejected_lost folder={} error={}", folder, e.toString());
        }
    }

    private void open() throws IOException {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        if (out != null && today.equals(day)) {
            return;
        }
        close();
        Files.createDirectories(folder);
        Path path = folder.resolve(today + ".ndjson");
        written = Files.exists(path) ? Files.size(path) : 0;
        isFull = false;
        out = Files.newBufferedWriter(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        day = today;
    }

    /// Hands what was added to the system.
    synchronized void flush() {
        if (out != null) {
            try {
                out.flush();
            } catch (IOException e) {
                close();
                LOG.warn("ingest.rejected_lost folder={} error={}", folder, e.toString());
            }
        }
    }

    @Override
    public synchronized void close() {
        BufferedWriter closing = out;
        out = null;
        if (closing != null) {
            try {
                closing.close();
            } catch (IOException e) {
                LOG.warn("ingest.rejected_lost folder={} error={}", folder, e.toString());
            }
        }
    }
}
