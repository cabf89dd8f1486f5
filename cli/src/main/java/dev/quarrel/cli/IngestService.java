package dev.quarrel.cli;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.ingest.Ingest;
import dev.quarrel.ingest.IngestCounts;
import dev.quarrel.ingest.net.Receiver;
import dev.quarrel.ingest.net.ReceiverConfig;
import dev.quarrel.server.metrics.ServerMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;

/// Events that come in beside what a command does; or none.
final class IngestService implements AutoCloseable {
    private final Ingest ingest; // null for none
    private final ReceiverConfig config;
    private Receiver receiver;

    IngestService(Ingest ingest, ReceiverConfig config) {
        this.ingest = ingest;
        this.config = config;
    }

    /// A dataset with the rows that are in no file yet.
    Catalog catalog(DatasetCatalog dataset) {
        return ingest == null ? dataset : ingest.catalog(dataset);
    }

    /// Begins to listen.
    void receive() throws IOException {
        if (ingest == null) {
            return;
        }
        try {
            receiver = Receiver.start(config, ingest.intake());
        } catch (IOException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /// `, events at 127.0.0.1:24224 (forward)`
    String addresses() {
        if (receiver == null) {
            return "";
        }
        String text = "";
        for (var each : new Object[][] {{receiver.forwardAddress(), "forward"}, {receiver.httpAddress(), "http"}}) {
            if (each[0] instanceof InetSocketAddress address) {
                text += (text.isEmpty() ? ", events at " : ", ") + address.getHostString() + ":" + address.getPort()
                        + " (" + each[1] + ")";
            }
        }
        return text;
    }

    /// Shows what comes in.
    ///
    /// @param metrics null where nobody asks for them
    void watch(ServerMetrics metrics) {
        if (ingest == null || metrics == null) {
            return;
        }
        IngestCounts counts = ingest.counts();
        metrics.watchCount("quarrel_ingest_events", "Rows that were added.", counts::events);
        metrics.watchCount("quarrel_ingest_chunks", "Chunks that were kept.", counts::chunks);
        metrics.watchCount("quarrel_ingest_bytes", "Bytes of these.", counts::bytes);
        metrics.watchCount(
                "quarrel_ingest_repeated_chunks", "Chunks that had been kept before.", counts::repeatedChunks);
        metrics.watchCount(
                "quarrel_ingest_rejected_events", "Events that their table does not take.", counts::rejectedEvents);
        metrics.watchCount(
                "quarrel_ingest_refused_chunks", "Chunks that the log could not keep.", counts::refusedChunks);
        metrics.watchCount("quarrel_ingest_log_syncs", "How often the log was synchronised.", counts::syncs);
        metrics.watchCount("quarrel_ingest_log_sync_seconds", "Time that it took.", () -> counts.syncNanos() / 1e9);
        metrics.watchCount("quarrel_ingest_runs", "How often rows went into files.", counts::runs);
        metrics.watchCount("quarrel_ingest_failed_runs", "How often they could not.", counts::failedRuns);
        metrics.watchCount(
                "quarrel_ingest_aside_rows",
                "Rows that their table could not be given, and lie aside.",
                counts::asideRows);
        metrics.watchCount("quarrel_ingest_merged_files", "Files that were merged.", counts::mergedFiles);
        metrics.watchCount("quarrel_ingest_dropped_files", "Files that were too old.", counts::droppedFiles);
        metrics.watchValue("quarrel_ingest_open_bytes", "Rows that are in no file.", ingest::openBytes);
        metrics.watchValue("quarrel_ingest_waiting_bytes", "Chunks that are not kept yet.", ingest::waitingBytes);
        metrics.watchValue(
                "quarrel_ingest_connections",
                "Senders' connections.",
                () -> receiver == null ? 0 : receiver.connections());
    }

    IngestCounts counts() {
        return ingest.counts();
    }

    @Override
    public void close() {
        if (receiver != null) {
            receiver.close();
        }
        if (ingest != null) {
            ingest.close();
        }
    }
}
