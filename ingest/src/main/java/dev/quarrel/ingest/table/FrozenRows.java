package dev.quarrel.ingest.table;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Rows that change no more, on their way to files.
public final class FrozenRows {
    /// The columns that stand in the names of folders.
    public static final List<Field> KEYS = List.of(
            new Field(EventColumns.DAY, DataType.DATE, false), new Field(EventColumns.HOUR, DataType.INT64, false));

    private final List<Part> parts;

    FrozenRows(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /// The rows of one hour of a table: one file.
    public static final class Part {
        private final EventTable table;
        private final List<EventColumn> columns;
        private final Partition partition;

        Part(EventTable table, List<EventColumn> columns, Partition partition) {
            this.table = table;
            this.columns = columns;
            this.partition = partition;
        }

        EventTable table() {
            return table;
        }

        Partition partition() {
            return partition;
        }

        public String tableName() {
            return table.name();
        }

        /// The keys of the file's folder.
        public Map<String, String> keys() {
            return partition.keys();
        }

        public long rowCount() {
            return partition.blocks().stream()
                    .mapToLong(block -> block.published().rowCount())
                    .sum();
        }

        /// The rows as batches of the columns that have a value in one of them.
        ///
        /// - Memory: views of the rows.
        public List<Batch> batches() {
            List<EventColumn> present = columns.stream()
                    .filter(column -> partition.blocks().stream()
                            .anyMatch(block -> block.published().column(column.index()) != null))
                    .toList();
            Schema schema = new Schema(present.stream().map(EventColumn::field).toList());
            List<Batch> batches = new ArrayList<>();
            for (OpenBlock block : partition.blocks()) {
                if (block.published().rowCount() > 0) {
                    batches.add(OpenRows.batch(schema, present, block.published()));
                }
            }
            return batches;
        }
    }

    public List<Part> parts() {
        return parts;
    }

    List<OpenBlock> blocks() {
        return parts.stream()
                .flatMap(part -> part.partition().blocks().stream())
                .toList();
    }
}
