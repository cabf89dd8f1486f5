package dev.quarrel.cli.imports;

import dev.hardwood.HardwoodContext;
import dev.hardwood.InputFile;
import dev.hardwood.metadata.ColumnMetaData;
import dev.hardwood.metadata.LogicalType;
import dev.hardwood.metadata.RowGroup;
import dev.hardwood.reader.ColumnReaders;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.schema.ColumnProjection;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/// A Parquet file, read by Hardwood, column by column.
///
/// Integers, floats, decimals to 38 digits, booleans, dates, times, timestamps, texts, JSON, UUIDs, half floats,
/// intervals and bytes are read ([ParquetColumn]), and lists, maps and structs of these ([ParquetTop]).
///
/// A batch has 131,072 rows, or as many as have some million elements and 256 MiB of text in a column of lists.
///
/// - Errors: `QueryException` 0A000 for a column or a compression that is not read, 22P04 for what is no Parquet file,
///   with the file's name.
final class ParquetSource implements ImportSource {
    private static final int BATCH_ROWS = 1 << 17;
    private static final int READ_ENTRIES = 1 << 20;
    private static final int ENTRY_BYTES = 64;

    /// Hardwood says at each start on stderr, by the JDK's log, whether it has SIMD. It has not, where the Vector API's
    /// module was not there at the JVM's start; a file of 5 million rows and 6 columns takes as long with it.
    private static final Logger HARDWOOD = Logger.getLogger("dev.hardwood");

    static {
        HARDWOOD.setLevel(Level.WARNING);
    }

    private final Path path;
    private final int maxEntries;
    private final ParquetFileReader file;
    private final List<ParquetTop> columns;
    private final Schema schema;
    private final Map<String, NestedType> nested;
    private ColumnReaders readers; // null before the first batch
    private ReadBatch read; // the reader's batch; null before the first
    private long unreadRows;

    /// @param context closed by whoever made it
    /// @param maxEntries as of [ReadBatch]
    ParquetSource(Path path, HardwoodContext context, int maxEntries) throws IOException {
        this.path = path;
        this.maxEntries = maxEntries;
        ParquetFileReader opened = null;
        boolean isOpen = false;
        try {
            opened = ParquetFileReader.open(InputFile.of(path), context);
            this.file = opened;
            this.columns = ParquetTop.of(file.getFileSchema(), path);
            this.schema = new Schema(columns.stream().map(ParquetTop::field).toList());
            this.nested = nested(columns);
            this.unreadRows = file.getFileMetaData().rowGroups().stream()
                    .mapToLong(RowGroup::numRows)
                    .sum();
            isOpen = true;
        } catch (QueryException refused) {
            throw refused;
        } catch (IOException | RuntimeException | LinkageError broken) {
            throw unreadable(broken);
        } finally {
            if (!isOpen && opened != null) {
                opened.close();
            }
        }
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Map<String, NestedType> nested() {
        return nested;
    }

    @Override
    public Set<String> untyped() {
        return columns.stream()
                .filter(column -> column instanceof ParquetTop.Flat(int leaf, ParquetColumn _)
                        && file.getFileSchema().getColumn(leaf).logicalType() instanceof LogicalType.NullType)
                .map(column -> column.field().name())
                .collect(Collectors.toSet());
    }

    private static Map<String, NestedType> nested(List<ParquetTop> columns) {
        Map<String, NestedType> types = new HashMap<>();
        for (ParquetTop column : columns) {
            if (column.nestedType() != null) {
                types.put(column.field().name(), column.nestedType());
            }
        }
        return Map.copyOf(types);
    }

    /// How many rows the readers read at once, for which they have arrays: fewer where the file has fewer, and where
    /// rows have many elements, or long texts in lists and structs.
    private int readRows() {
        double most = 1;
        for (ParquetTop column : columns) {
            if (column instanceof ParquetTop.Nested nested) {
                for (ParquetNode.Values leaf : nested.leaves()) {
                    most = Math.max(most, entriesPerRow(leaf.leaf()));
                }
            }
        }
        return (int) Math.clamp((long) (READ_ENTRIES / most), 1, Math.min(BATCH_ROWS, unreadRows));
    }

    /// Of the row group that has most; so many bytes count as another entry.
    private double entriesPerRow(int leaf) {
        double most = 0;
        for (RowGroup group : file.getFileMetaData().rowGroups()) {
            ColumnMetaData chunk = group.columns().get(leaf).metaData();
            double entries = Math.max(chunk.numValues(), (double) chunk.totalUncompressedSize() / ENTRY_BYTES);
            most = Math.max(most, entries / Math.max(1, group.numRows()));
        }
        return most;
    }

    @Override
    public Batch next() {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            if (readers == null && unreadRows > 0) {
                readers = file.buildColumnReaders(ColumnProjection.all())
                        .batchSize(readRows())
                        .build();
            }
            if (read == null || read.isDone()) {
                // The readers wait some milliseconds before they say that there is no batch more.
                if (unreadRows <= 0 || !readers.nextBatch()) {
                    return null;
                }
                unreadRows -= readers.getRecordCount();
                read = new ReadBatch(readers, columns, maxEntries);
            }
            Batch made = read.next(schema, memory);
            requirePresent(made);
            batch = made;
            return batch;
        } catch (QueryException wrong) {
            throw new QueryException(wrong.state(), "file \"" + path + "\": " + wrong.getMessage())
                    .withHint(wrong.hint());
        } catch (RuntimeException | LinkageError broken) {
            throw unreadable(broken);
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }

    /// The file's schema says what may be NULL.
    private void requirePresent(Batch batch) {
        for (int column = 0; column < schema.size(); column++) {
            if (!schema.field(column).nullable()
                    && !batch.column(column).validity().isAllPresent()) {
                throw new QueryException(
                        SqlState.NOT_NULL_VIOLATION,
                        "column \"" + schema.field(column).name() + "\" has NULLs, and is required");
            }
        }
    }

    private QueryException unreadable(Throwable broken) {
        boolean lacksLibrary = broken instanceof LinkageError || broken.getCause() instanceof LinkageError;
        return lacksLibrary
                ? new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "file \"" + path + "\" has a compression that is not read")
                : new QueryException(
                        SqlState.BAD_COPY_FILE_FORMAT,
                        "file \"" + path + "\" cannot be read as Parquet: " + broken.getMessage());
    }

    @Override
    public void close() throws IOException {
        try (ParquetFileReader _ = file) {
            if (readers != null) {
                readers.close();
            }
        }
    }
}
