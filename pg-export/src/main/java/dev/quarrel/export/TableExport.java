package dev.quarrel.export;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.FieldReader;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/// One table on its way into one file: several workers read ranges of it and append batches.
///
/// A worker that has no more ranges of the table hands in what it has not written; the last one to do so merges these
/// leftovers into large batches and finishes the file.
///
/// - Memory: owns its file and the leftovers handed in.
final class TableExport implements AutoCloseable {
    // A guess at a text, with its offset.
    private static final int TEXT_BYTES = 20;

    // So many batches a worker, so that the disk is busy from early on and little is left to write at the end.
    private static final int BATCHES_PER_WORKER = 8;
    private static final long MIN_BATCH_BYTES = 16L << 20;

    private final ExportTable table;
    private final Schema schema;
    private final Supplier<ArrowFileWriter> opening;
    private final Set<String> coded;
    private final long batchBytes;
    private final boolean checkUtf8;
    private final Unfit unfit;
    private final long expectedRows;
    private final LongAdder copyBytes = new LongAdder();

    private final List<BatchBuilder> leftovers = new ArrayList<>(); // guarded by this
    private ArrowFileWriter file; // guarded by this; null until the first worker comes
    private boolean isFirst = true; // guarded by this
    private int rangesOpen; // guarded by this
    private int buildersOpen; // guarded by this

    /// @param opening makes the file, when the first worker comes to the table
    /// @param coded text columns that the file has as codes of a dictionary
    /// @param batchBytes how large batches become at most; those of smaller tables are smaller
    TableExport(
            ExportTable table,
            Supplier<ArrowFileWriter> opening,
            Set<String> coded,
            long batchBytes,
            int workers,
            boolean checkUtf8,
            Unfit unfit) {
        this.table = table;
        this.coded = coded;
        this.schema = table.fields();
        this.opening = opening;
        long rowBytes = rowBytes(table, coded);
        long tableBytes = table.rowEstimate() > 0 ? Math.multiplyExact(table.rowEstimate(), rowBytes) : Long.MAX_VALUE;
        this.batchBytes =
                Math.min(batchBytes, Math.max(MIN_BATCH_BYTES, tableBytes / ((long) workers * BATCHES_PER_WORKER)));
        this.checkUtf8 = checkUtf8;
        this.unfit = unfit;
        // No estimate, no bound: the first rows show how many there will be in a batch.
        this.expectedRows = table.rowEstimate() > 0
                ? table.rowEstimate() / Math.min(workers, table.ranges().size())
                : Long.MAX_VALUE;
        this.rangesOpen = table.ranges().size();
    }

    private static long rowBytes(ExportTable table, Set<String> coded) {
        long rowBytes = 0;
        for (ExportColumn column : table.columns()) {
            int width = column.dataType().byteWidth();
            rowBytes += coded.contains(column.name()) ? 4 : width < 0 ? TEXT_BYTES : Math.max(width, 1);
        }
        return rowBytes;
    }

    ExportTable table() {
        return table;
    }

    long copyBytes() {
        return copyBytes.sum();
    }

    void countCopyBytes(long bytes) {
        copyBytes.add(bytes);
    }

    CopyBinaryReader newReader() {
        List<FieldReader> readers = new ArrayList<>();
        for (ExportColumn column : table.columns()) {
            readers.add(FieldReader.of(
                    column.sentType(), column.dataType(), table.name() + "." + column.name(), checkUtf8, unfit));
        }
        List<ExportColumn> columns = table.columns();
        return CopyBinaryReader.of(
                table.qualifiedName(),
                columns.stream().map(ExportColumn::name).toList(),
                readers,
                columns.stream().map(ExportColumn::sendsNull).toList(),
                columns.stream().map(ExportColumn::sentType).toList(),
                columns.stream().map(ExportColumn::dataType).toList(),
                checkUtf8);
    }

    synchronized BatchBuilder newBuilder() {
        if (file == null) {
            file = opening.get();
        }
        buildersOpen++;
        return new BatchBuilder(schema, coded, batchBytes, expectedRows);
    }

    /// True once: for the worker that came first.
    synchronized boolean isFirstBuilder() {
        boolean first = isFirst;
        isFirst = false;
        return first;
    }

    private synchronized ArrowFileWriter file() {
        return file;
    }

    /// Writes the builder's rows when they are many enough.
    ///
    /// @return whether it did; the builder is empty then
    boolean offer(BatchBuilder builder) {
        if (!builder.isFull()) {
            return false;
        }
        write(builder);
        return true;
    }

    private void write(BatchBuilder builder) {
        long sequence = builder.sequence();
        try (Batch batch = builder.take()) {
            file().append(sequence, batch);
        }
    }

    synchronized void endRange() {
        rangesOpen--;
    }

    /// Takes over the builder of a worker that reads no more of the table.
    ///
    /// @return the finished file, when this was the last part of it; otherwise null
    WrittenFile handIn(BatchBuilder builder) {
        // What is large enough as it is need not wait for others, and the others need not wait for it.
        if (builder.byteCount() >= batchBytes / 2) {
            write(builder);
        }
        synchronized (this) {
            buildersOpen--;
            leftovers.add(builder);
            if (rangesOpen > 0 || buildersOpen > 0) {
                return null;
            }
        }
        return finish();
    }

    private WrittenFile finish() {
        List<BatchBuilder> group = new ArrayList<>();
        long groupBytes = 0;
        // In the order of their places, so that neighbours in the table stay neighbours.
        leftovers.sort(Comparator.comparingLong(BatchBuilder::sequence));
        for (BatchBuilder leftover : leftovers) {
            if (leftover.rowCount() == 0) {
                continue;
            }
            long bytes = leftover.byteCount();
            if (!group.isEmpty() && groupBytes + bytes > batchBytes) {
                append(group);
                group.clear();
                groupBytes = 0;
            }
            group.add(leftover);
            groupBytes += bytes;
        }
        if (!group.isEmpty()) {
            append(group);
        }
        closeLeftovers();
        return file().finish();
    }

    private void append(List<BatchBuilder> group) {
        if (group.size() == 1) {
            write(group.getFirst());
            return;
        }
        long sequence = group.getFirst().sequence();
        List<Batch> batches = new ArrayList<>();
        try (BufferPool memory = new BufferPool()) {
            for (BatchBuilder builder : group) {
                batches.add(builder.take());
            }
            file().append(sequence, BatchMerger.merge(schema, batches, memory));
        } finally {
            batches.forEach(Batch::close);
        }
    }

    private synchronized void closeLeftovers() {
        leftovers.forEach(BatchBuilder::close);
        leftovers.clear();
    }

    /// Frees what is left; an unfinished file is removed.
    @Override
    public void close() {
        closeLeftovers();
        ArrowFileWriter open = file();
        if (open != null) {
            open.close();
        }
    }
}
