package dev.quarrel.samples.ssb;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

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
    ///   batches of one table sharing their dictionaries.
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

    /// Makes one table's rows and gives them to `sink` on the threads that make them, in no order.
    ///
    /// - Shape: as `generate` has it; a batch's number is its place in that order.
    /// - Errors: the first one of `sink`, once every thread has stopped.
    ///
    /// @return rows
    public long generateNumbered(SsbTable table, int threads, NumberedBatchSink sink) throws IOException {
        Blocks blocks = blocks(table);
        AtomicInteger next = new AtomicInteger();
        AtomicLong rowCount = new AtomicLong();
        List<Future<?>> workers = new ArrayList<>();
        try (ExecutorService makers = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                workers.add(makers.submit(() -> {
                    int end = blocks.blockCount();
                    try {
                        for (int block = next.getAndIncrement(); block < end; block = next.getAndIncrement()) {
                            try (Batch batch = maker(table, blocks, block).call()) {
                                sink.accept(block, batch);
                                rowCount.addAndGet(batch.rowCount());
                            }
                        }
                        return null;
                    } finally {
                        next.set(end); // after an error the others stop too; otherwise there is nothing left anyway
                    }
                }));
            }
            for (Future<?> worker : workers) {
                await(worker);
            }
        } finally {
            next.set(blocks.blockCount());
        }
        return rowCount.get();
    }

    /// How many rows `table` will have; for `lineorder` this counts every order's lines, some milliseconds a
    /// million.
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

    private static <T> T await(Future<T> task) throws IOException {
        try {
            return task.get();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while rows were made", interrupt);
        } catch (ExecutionException failure) {
            switch (failure.getCause()) {
                case IOException cause -> throw cause;
                case QueryException cause -> throw cause;
                default -> throw new IllegalStateException("making rows failed", failure.getCause());
            }
        }
    }
}
