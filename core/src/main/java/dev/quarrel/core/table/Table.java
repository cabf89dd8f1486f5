package dev.quarrel.core.table;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.BooleanSupplier;

/// A table as one catalog snapshot sees it: immutable, its rows in numbered batches.
///
/// Threads share it freely. It lives as long as the snapshot it came from.
public interface Table {
    String schemaName();

    String name();

    Schema schema();

    /// How many of the last columns of `schema()` stand in no `*`, and are there for statements that name them.
    default int hiddenColumns() {
        return 0;
    }

    /// The columns that `*` stands for.
    default Schema shownSchema() {
        return hiddenColumns() == 0
                ? schema()
                : new Schema(schema().fields().subList(0, schema().size() - hiddenColumns()));
    }

    /// What named a table over files that lie elsewhere; null for one that is the catalog's own.
    default ForeignTable foreign() {
        return null;
    }

    /// What CREATE VIEW said; null for what has rows of its own.
    default ViewDefinition view() {
        return null;
    }

    /// How many files the batches lie in, one after another; 0 where nothing is known of files.
    default int fileCount() {
        return 0;
    }

    /// Which of the files a batch lies in.
    default int fileOf(int batch) {
        return 0;
    }

    default long fileBytes(int file) {
        return 0;
    }

    default String fileName(int file) {
        return "";
    }

    TableStats stats();

    /// Columns by index into `schema()` that the rows ascend in, each by itself; empty where none is known.
    default List<Integer> sortedBy() {
        return List.of();
    }

    /// The keys that the rows' database has declared; empty where none is known. An exception to what they say is a
    /// wrong answer: whoever makes a table vouches for them.
    default List<UniqueKey> uniqueKeys() {
        return List.of();
    }

    /// What columns hold in rows that say nothing of them; the others are NULL.
    default List<ColumnDefault> defaults() {
        return List.of();
    }

    int batchCount();

    /// Rows of one batch; the sum over all is `stats().rowCount()`.
    int batchRows(int batch);

    /// Statistics of one column in one batch, so that a scan can skip it.
    default ColumnStats batchStats(int batch, int column) {
        return ColumnStats.UNKNOWN;
    }

    /// Whether statistics leave room for a NULL in a column.
    default boolean mayHaveNulls(int column) {
        for (int batch = 0; batch < batchCount(); batch++) {
            if (batchStats(batch, column).nullCount() != 0) {
                return true;
            }
        }
        return false;
    }

    /// Whether the table's files are open. As long as they are not, everything but names and the next two methods waits
    /// until they are.
    default boolean isOpen() {
        return true;
    }

    /// Waits until [#isOpen]. Whoever resolves a table's name does, since files may take long to open.
    ///
    /// @param check run from time to time; what it throws ends the waiting
    default void awaitOpen(Runnable check) {}

    /// Why this table cannot be read, or null. Such a table (a file of it is broken) stands in the catalog so that its
    /// name gives the reason: `batchCount` and `read` raise it, and its schema may be empty. Whoever resolves a
    /// table's name raises it before looking at columns.
    default QueryException fault() {
        return null;
    }

    /// The code space of a column that is a [dev.quarrel.core.column.DictionaryColumn] in *every* batch, whose
    /// dictionaries have this very object as their `table()`; null for a column that is so in *no* batch. Made at
    /// the first call, which may read every file's dictionary; it lives as long as the snapshot.
    default Dictionary dictionary(int column) {
        return null;
    }

    /// Bytes of the files that the table lies in; -1 where it lies in none.
    default long storedBytes() {
        return -1;
    }

    /// Bytes that all values of a text column take, as far as is known without reading them; -1 where it is not. An
    /// estimate, for planning.
    default long textBytes(int column) {
        return -1;
    }

    /// Bytes that `read` would allocate outside mapped files, decompressed buffers and converted values: what a query
    /// reserves from its budget before it reads, and releases when it has closed the batch. Never less than `read`
    /// takes.
    default long readBytes(int batch, int[] columns) {
        return 0;
    }

    /// The rows of this table, one for each element of the lists of a column: its columns, and behind them the element
    /// and, as an int64, its number within the list. A list without elements, or NULL, has no row. Made at the
    /// first call, it lives as long as the snapshot.
    ///
    /// @param isOuter whether a list without elements has a row, in which element and number are NULL
    /// @return null where the column's lists cannot be read so
    default Table elements(String column, boolean isOuter) {
        return null;
    }

    /// What the structs in the lists of a column hold, whether the table can be had by their elements or not; null for
    /// any other column.
    default ElementFields elementFields(String column) {
        return null;
    }

    /// Which column is a part of another, as a field of a struct is; -1 where there is none.
    ///
    /// @param part its name where that column is
    default int partOf(int column, String part) {
        return schema().indexOf(part);
    }

    /// Reads some columns of one batch.
    ///
    /// Cheap where the file is mapped and plain; otherwise each call decompresses and converts anew, so a scan
    /// reads a batch once and not once a morsel.
    ///
    /// - Shape: the batch has `batchRows(batch)` rows and the columns asked for, in that order.
    /// - Memory: zero copy where the file is mapped and plain; decompressed buffers belong to the batch, which the
    ///   caller closes. The batch must not outlive the snapshot.
    /// - Errors: `QueryException` 58030 or XX001 naming the file for one that is cut short or corrupt, 0A000 for a
    ///   column of a type that cannot be read.
    Batch read(int batch, int[] columns);

    /// Does beforehand what the first read of a batch has to, for what the system holds in memory: nothing is read from
    /// a disk. Raises nothing; what is wrong with a file is told to whoever reads it.
    ///
    /// @param goesOn asked every few MiB
    default void preload(BooleanSupplier goesOn) {}

    /// Raises `QueryException` 58030 if the file under `batch` has become shorter since it was mapped: bytes between
    /// the file's new end and the end of that page read as zeros without any fault.
    ///
    /// A scan calls it when it is done with a morsel, before what it found counts as an answer. One system call.
    default void checkIntact(int batch) {}

    /// Translates an access fault. Reading a mapped file that somebody cuts short raises [InternalError] in the thread
    /// that reads, possibly some instructions later, and so outside the loop that did it. Whoever runs code over a
    /// table's columns catches it around the morsel and throws what this answers; where it answers null, no file of
    /// this table is to blame, and [CatalogSnapshot#faultOf] asks all of them.
    default QueryException faultOf(InternalError error) {
        return null;
    }
}
