package dev.quarrel.cuda.service;

import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.CommandQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The command queues of a device, which pipelines borrow for a while.
///
/// - Memory: it owns those that nobody has borrowed.
/// - Threads share it.
public final class QueuePool implements AutoCloseable {
    private final Backend backend;
    private final Queue<CommandQueue> idle = new ConcurrentLinkedQueue<>();

    /// @param backend stays the caller's
    public QueuePool(Backend backend) {
        this.backend = backend;
    }

    /// A queue for a while; `release` takes it back.
    ///
    /// - Errors: `DeviceFault`.
    public CommandQueue borrow() {
        CommandQueue queue = idle.poll();
        return queue != null ? queue : backend.newQueue();
    }

    public void release(CommandQueue queue) {
        idle.add(queue);
    }

    @Override
    public void close() {
        for (CommandQueue queue = idle.poll(); queue != null; queue = idle.poll()) {
            queue.close();
        }
    }
}
