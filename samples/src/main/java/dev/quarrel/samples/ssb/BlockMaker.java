package dev.quarrel.samples.ssb;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
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

/// Makes a table's blocks on several threads.
///
/// - Memory: at most twice as many batches as threads at a time.
final class BlockMaker {
    private final Schema schema;
    private final Blocks blocks;

    BlockMaker(Schema schema, Blocks blocks) {
        this.schema = schema;
        this.blocks = blocks;
    }

    /// Batches in their order, on the calling thread.
    long inOrder(int threads, BatchSink sink) throws IOException {
        ArrayDeque<FutureTask<Batch>> ahead = new ArrayDeque<>();
        long rowCount = 0;
        ExecutorService makers = Executors.newFixedThreadPool(threads);
        try {
            int next = 0;
            for (int block = 0; block < blocks.blockCount(); block++) {
                while (next < blocks.blockCount() && ahead.size() < 2 * threads) {
                    FutureTask<Batch> task = new FutureTask<>(maker(next++));
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

    /// Batches on the threads that make them, in no order.
    long numbered(int threads, NumberedBatchSink sink) throws IOException {
        AtomicInteger next = new AtomicInteger();
        AtomicLong rowCount = new AtomicLong();
        List<Future<?>> workers = new ArrayList<>();
        try (ExecutorService makers = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                workers.add(makers.submit(() -> {
                    int end = blocks.blockCount();
                    try {
                        for (int block = next.getAndIncrement(); block < end; block = next.getAndIncrement()) {
                            try (Batch batch = maker(block).call()) {
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

    private Callable<Batch> maker(int block) {
        return () -> {
            BlockColumns columns = new BlockColumns(blocks.rowCount(block));
            try {
                blocks.fill(block, columns);
                return columns.batch(schema);
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
