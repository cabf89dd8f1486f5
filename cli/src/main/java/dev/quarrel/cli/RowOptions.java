package dev.quarrel.cli;

import dev.quarrel.export.config.RowRules;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The options of `quarrel export` that say which rows are read.
final class RowOptions {
    @Option(
            names = "--where",
            paramLabel = "[TABLE:]CONDITION",
            description = "Exports the rows that meet a condition of SQL, of all tables or one; may be repeated.")
    private List<String> where = List.of();

    @Option(
            names = "--incremental",
            paramLabel = "COLUMN",
            description = "Reads the rows that have changed since the last such run: those whose COLUMN (column,"
                    + " table.column or schema.table.column) has risen since. xmin is PostgreSQL's own and misses none."
                    + " May be repeated, for tables of different columns.")
    private List<String> incremental = List.of();

    @Option(
            names = "--key",
            paramLabel = "[TABLE:]COLUMN,…",
            description = "The columns that tell a table's rows apart, where it has no primary key; may be repeated.")
    private List<String> keys = List.of();

    @Option(
            names = "--overlap",
            paramLabel = "INTERVAL|N",
            description = "How far behind the greatest value of an incremental column the next run begins.")
    private String overlap;

    @Option(
            names = "--no-deletes",
            description = "Does not look for rows that the source has deleted, nor count its rows.")
    private boolean keepsDeleted;

    @Option(
            names = "--verify-rows",
            description = "Has the source count the rows of each table under the snapshot, and fails if others came.")
    private boolean verified;

    RowRules rules() {
        return new RowRules(where, incremental, keys, Optional.ofNullable(overlap), !keepsDeleted, verified);
    }
}
