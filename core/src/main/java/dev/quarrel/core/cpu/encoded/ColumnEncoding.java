package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Column;

/// A column of a table in a form that is quicker to read, made by the workers of one query and then kept for others.
///
/// - Memory: its own, freed when nobody refers to it any more.
/// - Threads: parts of a batch are encoded by several, each part by one; `finish` comes after all of them.
public sealed interface ColumnEncoding permits TextEncoding, NarrowEncoding {
    /// Rows between two looks at whether the query is to stop.
    int TILE_ROWS = TextEncoder.TILE_ROWS;

    /// Of the table.
    int column();

    /// What it takes, about.
    long bytes();

    /// One worker's part in making it.
    Part newPart();

    /// Whether the column has no such form.
    boolean isRefused();

    void refuse();

    /// Once all parts are encoded.
    void finish();

    /// One worker's part in encoding the column.
    interface Part {
        /// Encodes rows of a batch, or refuses.
        ///
        /// - Errors: the reason why the query is to stop.
        void encode(int batch, Column values, int firstRow, int rowCount, Cancellation cancellation);
    }
}
