package dev.quarrel.export.config;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;

/// Which settings an export of Parquet files does not go with.
final class ParquetRules {
    private ParquetRules() {}

    /// - Errors: `QueryException` 22023 for what has no meaning there, 0A000 for what is not built.
    static void check(
            Path output, boolean append, boolean resume, boolean dictionaries, ColumnRules columns, RowRules rows) {
        if (output.toString().endsWith(".arrow") || output.toString().endsWith(".parquet")) {
            throw wrong("--parquet writes a folder, and \"" + output + "\" has the name of a file")
                    .withHint("name a folder: each table gets a folder of its own in it");
        }
        if (rows.isIncremental()) {
            throw wrong("--incremental changes a dataset, and Parquet files are written as a whole")
                    .withHint("leave --incremental out, or --parquet");
        }
        if (append) {
            throw wrong("--append adds to a dataset, and each run of Parquet files has a folder of its own")
                    .withHint("leave --append out; --keep-runs N keeps earlier runs");
        }
        if (resume) {
            throw wrong("--resume goes on with a dataset's run, and not with one of Parquet files")
                    .withHint("leave --resume out");
        }
        if (!dictionaries || columns.dictionaries().isPresent()) {
            throw wrong("--dictionary and --no-dictionaries are of Arrow files: Parquet's dictionaries are made of what"
                    + " the texts are");
        }
        if (columns.statistics().isPresent()) {
            throw wrong("--stat and --no-stat are of Arrow files: all of Parquet's columns have theirs");
        }
        if (columns.largeOffsets()) {
            throw wrong("--large-offsets is of Arrow files: Parquet's texts have no offsets");
        }
        if (!columns.halves().isEmpty()) {
            throw unsupported("--float2 writes half floats in Arrow files, and not in those of Parquet")
                    .withHint("leave it out: the column is written as it is");
        }
        if (!columns.partitionBy().isEmpty()) {
            throw unsupported("--partition-by writes folders of Arrow files, and not of Parquet")
                    .withHint("leave it out, or export a query (-c) for each part");
        }
    }

    private static QueryException wrong(String text) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, text);
    }

    private static QueryException unsupported(String text) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, text);
    }
}
