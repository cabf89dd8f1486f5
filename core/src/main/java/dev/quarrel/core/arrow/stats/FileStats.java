package dev.quarrel.core.arrow.stats;

import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.ValueOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The statistics of one file, batch by batch.
///
/// @param sortedBy names of the columns whose values ascend through the file, each by itself
/// @param batches one a record batch, in the footer's order
public record FileStats(List<String> sortedBy, List<BatchStats> batches) {
    public FileStats {
        sortedBy = List.copyOf(sortedBy);
        batches = List.copyOf(batches);
    }

    /// What summaries of all of a file's batches come to.
    public static FileStats of(Schema schema, List<BatchSummary> batches) {
        List<BatchStats> stats = new ArrayList<>(batches.size());
        for (BatchSummary batch : batches) {
            stats.add(new BatchStats(
                    batch.rowCount(),
                    batch.columns().stream().map(ColumnSummary::stats).toList()));
        }
        return new FileStats(sortedBy(schema, batches), stats);
    }

    /// The columns that ascend through all batches and are more than one value.
    private static List<String> sortedBy(Schema schema, List<BatchSummary> batches) {
        List<BatchSummary> filled =
                batches.stream().filter(batch -> batch.rowCount() > 0).toList();
        List<String> sortedBy = new ArrayList<>();
        for (int column = 0; column < schema.size() && !filled.isEmpty(); column++) {
            if (ascends(filled, column)) {
                sortedBy.add(schema.field(column).name());
            }
        }
        return sortedBy;
    }

    private static boolean ascends(List<BatchSummary> batches, int column) {
        Object first = null;
        Object previous = null;
        for (BatchSummary batch : batches) {
            ColumnSummary summary = batch.columns().get(column);
            if (!summary.ascending() || (previous != null && ValueOrder.compare(previous, summary.first()) > 0)) {
                return false;
            }
            first = first == null ? summary.first() : first;
            previous = summary.last();
        }
        return ValueOrder.compare(first, previous) < 0;
    }

    /// The same for another order of columns, matched by name. Of a column that `from` lacks every row is NULL.
    public FileStats reordered(Schema from, Schema to) {
        Map<String, Integer> sources = new HashMap<>();
        for (int column = from.size() - 1; column >= 0; column--) {
            sources.put(from.field(column).name(), column);
        }
        List<BatchStats> reordered = new ArrayList<>(batches.size());
        for (BatchStats batch : batches) {
            List<ColumnStats> columns = new ArrayList<>(to.size());
            for (int column = 0; column < to.size(); column++) {
                int source = sources.getOrDefault(to.field(column).name(), -1);
                boolean absent = source < 0 || source >= batch.columns().size();
                columns.add(
                        absent
                                ? new ColumnStats(batch.rowCount(), null, null, 0)
                                : batch.columns().get(source));
            }
            reordered.add(new BatchStats(batch.rowCount(), columns));
        }
        return new FileStats(sortedBy, reordered);
    }

    /// The same with `other`'s columns behind these.
    public FileStats withMore(FileStats other) {
        List<BatchStats> wider = new ArrayList<>(batches.size());
        for (int batch = 0; batch < batches.size(); batch++) {
            List<ColumnStats> known = batches.get(batch).columns();
            List<ColumnStats> more = other.batches().get(batch).columns();
            List<ColumnStats> all = new ArrayList<>(known);
            all.addAll(more.subList(known.size(), more.size()));
            wider.add(new BatchStats(batches.get(batch).rowCount(), all));
        }
        return new FileStats(sortedBy, wider);
    }

    /// @param columns one a field of the file's schema; values in canonical form (see [dev.quarrel.core.ir.Literal])
    public record BatchStats(int rowCount, List<ColumnStats> columns) {
        public BatchStats {
            columns = List.copyOf(columns);
        }
    }
}
