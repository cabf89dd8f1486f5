package dev.quarrel.export.files;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// What is written of a table that is not split into folders: one Arrow file, or some of Parquet; several workers
/// append batches to it.
///
/// What they have left over is merged into large batches at the end.
public final class OneFile implements TableFiles {
    private final TableLayout layout;
    private final Supplier<BatchFile> opening;
    private final List<BatchBuilder> leftovers = new ArrayList<>(); // guarded by this
    private BatchFile file; // guarded by this; null until the first worker comes

    public OneFile(TableLayout layout, Supplier<BatchFile> opening) {
        this.layout = layout;
        this.opening = opening;
    }

    @Override
    public synchronized FileRows newRows() {
        if (file == null) {
            file = opening.get();
        }
        return new FileRows(
                this, new BatchBuilder(layout.schema(), layout.coded(), layout.batchBytes(), layout.expectedRows()));
    }

    private synchronized BatchFile file() {
        return file;
    }

    /// Writes the builder's rows; it is empty then.
    void write(BatchBuilder builder) {
        long sequence = builder.sequence();
        try (Batch batch = builder.take()) {
            file().append(sequence, batch);
        }
    }

    /// Takes over the builder of a worker that reads no more of the table.
    void leave(BatchBuilder builder) {
        synchronized (this) {
            leftovers.add(builder);
        }
        // What is large enough as it is need not wait for others, and the others need not wait for it.
        if (builder.rowCount() > 0 && builder.byteCount() >= layout.batchBytes() / 2) {
            write(builder);
        }
    }

    @Override
    public List<Finished> finish(Cancellation cancellation) {
        List<BatchBuilder> group = new ArrayList<>();
        long groupBytes = 0;
        // In the order of their places, so that neighbours in the table stay neighbours.
        leftovers.sort(Comparator.comparingLong(BatchBuilder::sequence));
        for (BatchBuilder leftover : leftovers) {
            if (leftover.rowCount() == 0) {
                continue;
            }
            long bytes = leftover.byteCount();
            if (!group.isEmpty() && groupBytes + bytes > layout.batchBytes()) {
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
        return file().finish().stream()
                .map(each -> new Finished(Map.of(), each))
                .toList();
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
            file().append(sequence, BatchMerger.merge(layout.schema(), batches, memory));
        } finally {
            batches.forEach(Batch::close);
        }
    }

    private synchronized void closeLeftovers() {
        leftovers.forEach(BatchBuilder::close);
        leftovers.clear();
    }

    @Override
    public void close() {
        closeLeftovers();
        BatchFile open = file();
        if (open != null) {
            open.close();
        }
    }
}
