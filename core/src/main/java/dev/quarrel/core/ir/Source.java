package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;

/// The source of a pipeline's rows.
public sealed interface Source {
    /// Columns of a table, by name in the query's catalog snapshot: a plan holds no address or path.
    ///
    /// @param columnNames in the order of the first program's inputs
    /// @param types of those columns; the table must still have them
    /// @param ranges what surviving rows satisfy in every case, so that batches can be skipped by statistics;
    /// the program
    ///     checks its predicates all the same
    record TableScan(
            String schemaName,
            String tableName,
            List<String> columnNames,
            List<DataType> types,
            List<ColumnRange> ranges)
            implements Source {
        public TableScan {
            columnNames = List.copyOf(columnNames);
            types = List.copyOf(types);
            ranges = List.copyOf(ranges);
        }
    }

    /// The rows an earlier pipeline's sink made: groups with their results, sorted rows in the sink's order, or rows
    /// that it has collected. Several pipelines may read the same rows where the sink says so ([Sink#isReadAgain]).
    record Rows(int pipeline, List<DataType> types) implements Source {
        public Rows {
            types = List.copyOf(types);
        }
    }

    /// Rows written in the statement: `rowCount` rows, whose values are slots.
    ///
    /// @param slots row by row: `rowCount * types.size()` slot numbers
    record Values(int rowCount, List<DataType> types, List<Integer> slots) implements Source {
        public Values {
            types = List.copyOf(types);
            slots = List.copyOf(slots);
        }
    }

    /// The rows of several pipelines that end in a [Sink.Feed], one after another or all at once, as they come: none
    /// are kept in between. The pipelines are this one's alone.
    record Union(List<Integer> pipelines, List<DataType> types) implements Source {
        public Union {
            pipelines = List.copyOf(pipelines);
            types = List.copyOf(types);
        }
    }

    List<DataType> types();
}
