package dev.quarrel.core.arrow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StatsJson;
import dev.quarrel.core.type.Schema;

/// The statistics that a file's own footer holds under `quarrel.stats`.
///
/// Only the footer's: schema metadata is carried along by tools that change rows.
public final class FooterStats {
    public static final String KEY = "quarrel.stats";
    private static final ObjectMapper JSON = new ObjectMapper();

    private FooterStats() {}

    /// Whether the file says to have some.
    public static boolean isIn(ArrowFile file) {
        return file.fileMetadata().containsKey(KEY);
    }

    /// Null where the file has none that fit it.
    public static FileStats of(ArrowFile file) {
        String text = file.fileMetadata().get(KEY);
        if (text == null) {
            return null;
        }
        int[] batchRows = new int[file.batchCount()];
        for (int batch = 0; batch < batchRows.length; batch++) {
            batchRows[batch] = file.batchRows(batch);
        }
        try {
            return StatsJson.read(JSON.readTree(text), file.schema(), batchRows);
        } catch (JsonProcessingException e) {
            return null; // somebody else's use of the key
        }
    }

    static String text(FileStats stats, Schema schema) {
        ObjectNode node = JSON.createObjectNode();
        long rows = 0;
        for (FileStats.BatchStats batch : stats.batches()) {
            rows += batch.rowCount();
        }
        node.put("rows", rows);
        StatsJson.write(stats, schema, node);
        return node.toString();
    }
}
