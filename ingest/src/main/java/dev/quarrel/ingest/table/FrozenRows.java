package dev.quarrel.ingest.table;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Rows that change no more, on their way to files.
public final class FrozenRows {
    /// The columns that stand in the names of folders.
    public static final List<Field> KEYS = List.of(
            new Field(EventColumns.DAY, DataType.DATE, false), new Field(EventColumns.HOUR, DataType.INT64, false));

    private final List<TableRows> tables;

    FrozenRows(List<TableRows> tables) {
        this.tables = List.copyOf(tables);
    }

    /// The rows of one table.
    public static final class TableRows {
        private final EventTable table;
        private final List<EventColumn> columns;
        private final List<Partition> partitions;

        TableRows(EventTable table, List<EventColumn> columns, List<Partition> partitions) {
            this.table = table;
            this.columns = columns;
            this.partitions = partitions;
        }

        public String name() {
            return table.name();
        }

        public List<Part> parts() {
            return partitions.stream()
                    .map(partition -> new Part(columns, partition))
                    .filter(part -> part.rowCount() > 0)
                    .toList();
        }

        public long rowCount() {
            return parts().stream().mapToLong(Part::rowCount).sum();
        }

        private OpenRows rows(List<EventColumn> shown) {
            OpenRows rows = new OpenRows(table, shown);
            partitions.forEach(rows::addAll);
            return rows;
        }

        /// The rows, for more of the table that are not frozen to be added; the caller holds the lock of the tables.
        OpenRows openRows() {
            return rows(table.publishedColumns());
        }

        /// The same rows for a table of other columns, which somebody has made or changed meanwhile; these, where they
        /// fit.
        ///
        /// - Memory: what is made anew goes when nobody refers to it.
        ///
        /// @param stored the table's columns
        /// @param rejected told of rows that it does not take, and which are left out
        public TableRows fitted(List<Field> stored, OpenTables.Rejected rejected) {
            OpenRows rows = rows(columns);
            if (rows.fit(stored)) {
                return this;
            }
            EventTable fitted = table.with(stored, BlockMemory.collected());
            new Refit(rows, fitted, rejected::event).run();
            fitted.publish();
            return fitted.frozen();
        }

        void written() {
            table.written();
        }

        Stream<OpenBlock> blocks() {
            return partitions.stream().flatMap(partition -> partition.blocks().stream());
        }
    }

    /// The rows of one hour of a table: one file.
    public static final class Part {
        private final List<EventColumn> columns;
        private final Partition partition;

        Part(List<EventColumn> columns, Partition partition) {
            this.columns = columns;
            this.partition = partition;
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
            return batches(false);
        }

        /// The same, of columns of which none is NOT NULL.
        public List<Batch> nullableBatches() {
            return batches(true);
        }

        private List<Batch> batches(boolean areNullable) {
            List<EventColumn> present = columns.stream()
                    .filter(column -> partition.blocks().stream()
                            .anyMatch(block -> block.published().column(column.index()) != null))
                    .toList();
            Schema schema = new Schema(present.stream()
                    .map(EventColumn::field)
                    .map(field -> areNullable ? field.withNullable(true) : field)
                    .toList());
            List<Batch> batches = new ArrayList<>();
            for (OpenBlock block : partition.blocks()) {
                if (block.published().rowCount() > 0) {
                    batches.add(OpenRows.batch(schema, present, block.published()));
                }
            }
            return batches;
        }
    }

    public List<TableRows> tables() {
        return tables;
    }

    List<OpenBlock> blocks() {
        return tables.stream().flatMap(TableRows::blocks).toList();
    }
}
