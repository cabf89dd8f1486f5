package dev.quarrel.core.arrow.stats;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// Writes statistics as JSON and reads them: a file's footer and its entry in the manifest have the same
/// members.
///
/// `sortedBy: [name], batches: [{rows, columns: [{nulls, min, max, ndv}]}]`; what is unknown is left out.
public final class StatsJson {
    private StatsJson() {}

    /// @param schema the columns that the statistics are of, or more at the end
    public static void write(FileStats stats, Schema schema, ObjectNode target) {
        ArrayNode sortedBy = target.putArray("sortedBy");
        stats.sortedBy().forEach(sortedBy::add);
        ArrayNode batches = target.putArray("batches");
        for (FileStats.BatchStats batch : stats.batches()) {
            ObjectNode batchNode = batches.addObject().put("rows", batch.rowCount());
            ArrayNode columns = batchNode.putArray("columns");
            for (int column = 0; column < batch.columns().size(); column++) {
                columns.add(column(batch.columns().get(column), schema.type(column)));
            }
        }
    }

    public static ObjectNode column(ColumnStats stats, DataType type) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        if (stats.nullCount() >= 0) {
            node.put("nulls", stats.nullCount());
        }
        if (stats.min() != null) {
            node.put("min", StatsText.format(type, stats.min()));
        }
        if (stats.max() != null) {
            node.put("max", StatsText.format(type, stats.max()));
        }
        if (stats.distinctCount() >= 0) {
            node.put("ndv", stats.distinctCount());
        }
        return node;
    }

    /// The statistics in `node`, or null if they do not fit a file of these batches: statistics are never worth an
    /// error, and never worth a wrong row.
    public static FileStats read(JsonNode node, Schema schema, int[] batchRows) {
        JsonNode batches = node.path("batches");
        if (!batches.isArray() || batches.size() != batchRows.length) {
            return null;
        }
        List<FileStats.BatchStats> batchStats = new ArrayList<>();
        for (int batch = 0; batch < batchRows.length; batch++) {
            JsonNode columns = batches.path(batch).path("columns");
            if (batches.path(batch).path("rows").asLong(-1) != batchRows[batch] || columns.size() != schema.size()) {
                return null;
            }
            List<ColumnStats> columnStats = new ArrayList<>();
            for (int column = 0; column < schema.size(); column++) {
                columnStats.add(column(columns.path(column), schema.type(column), batchRows[batch]));
            }
            batchStats.add(new FileStats.BatchStats(batchRows[batch], columnStats));
        }
        List<String> sortedBy = new ArrayList<>();
        for (JsonNode name : node.path("sortedBy")) {
            sortedBy.add(name.asText());
        }
        return new FileStats(sortedBy, batchStats);
    }

    public static ColumnStats column(JsonNode node, DataType type, int rowCount) {
        long nulls = node.path("nulls").asLong(-1);
        long distinct = node.path("ndv").asLong(-1);
        return new ColumnStats(
                nulls >= 0 && nulls <= rowCount ? nulls : -1,
                bound(node.path("min"), type),
                bound(node.path("max"), type),
                distinct >= 0 && distinct <= rowCount ? distinct : -1);
    }

    public static Object bound(JsonNode node, DataType type) {
        return node.isTextual() ? StatsText.parse(type, node.textValue()) : null;
    }
}
