package dev.quarrel.samples.ssb;

import dev.quarrel.core.column.Batch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/// Makes the tables' rows: on several threads, in a stream, the same for every number of threads.
///
/// - Memory: about 10 MB a batch of `lineorder`, and at most twice as many batches as threads at a time.
public final class SsbGenerator {
    private final SsbScale scale;

    public SsbGenerator(SsbScale scale) {
        this.scale = scale;
    }

    public SsbScale scale() {
        return scale;
    }

    /// Makes one table's rows and gives them to `sink`, batch by batch, in key order, on the calling thread.
    ///
    /// - Shape: the batches have [SsbTable#schema]; columns of few distinct texts are dictionary columns, all
    // batches of one
    ///   table sharing their dictionaries.
    /// - Errors: what `sink` throws; an interrupt stops the work with an [IOException].
    ///
    /// @param threads makers of batches, at least 1
    /// @return rows
    public long generate(SsbTable table, int threads, BatchSink sink) throws IOException {
        Blocks blocks = blocks(table);
        ArrayDeque<FutureTask<Batch>> ahead = new ArrayDeque<>();
        long rowCount = 0;
        ExecutorService makers = Executors.newFixedThreadPool(threads);
        try {
            int next = 0;
            for (int block = 0; block < blocks.blockCount(); block++) {
                while (next < blocks.blockCount() && ahead.size() < 2 * threads) {
                    FutureTask<Batch> task = new FutureTask<>(maker(table, blocks, next++));
                    ahead.add(task);
                    makers.execute(task);
                }
                try (Batch batch = await(ahead.remove())) {
                    rowCount += batch.rowCount();
                    sink.accept(batch);
                }
            }
            return rowCount;
        } finally {
            // Makers are awaited, never cancelled: a cancelled one would leave its batch's memory to nobody.
            makers.close();
            for (FutureTask<Batch> task : ahead) {
                if (task.state() == Future.State.SUCCESS) {
                    task.resultNow().close();
                }
            }
        }
    }

    /// How many rows `table` will have; for `lineorder` this counts every order's lines, some milliseconds a million.
    public long rowCount(SsbTable table) {
        Blocks blocks = blocks(table);
        long rows = 0;
        for (int block = 0; block < blocks.blockCount(); block++) {
            rows += blocks.rowCount(block);
        }
        return rows;
    }

    private Blocks blocks(SsbTable table) {
        return table == SsbTable.LINEORDER ? new LineorderBlocks(scale) : new DimensionBlocks(table, scale);
    }

    private static Callable<Batch> maker(SsbTable table, Blocks blocks, int block) {
        return () -> {
            BlockColumns columns = new BlockColumns(blocks.rowCount(block));
            try {
                blocks.fill(block, columns);
                return columns.batch(table);
            } catch (RuntimeException | Error failure) {
                columns.abandon();
                throw failure;
            }
        };
    }

    private static Batch await(Future<Batch> task) throws IOException {
        try {
            return task.get();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while rows were made", interrupt);
        } catch (ExecutionException failure) {
            throw new IllegalStateException("making rows failed", failure.getCause());
        }
    }
}
