package dev.quarrel.server.session;

import dev.quarrel.server.wire.BackendMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The bytes on their way to one client.
///
/// Messages gather in a buffer that is sent when it is full or `flush`ed. While the client reads too slowly
/// `flush` waits, and so whoever makes rows waits: that is all the back-pressure there is.
///
/// - Threads: one at a time writes, a session's or the event loop, which does not wait: whoever writes there asks
///   `isReady` before. `writabilityChanged` comes from the event loop.
/// - Memory: the buffer is handed to the channel with each flush; `close` frees what was not sent.
final class Output {
    private static final int FLUSH_BYTES = 64 * 1024;

    private final Channel channel;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private ByteBuf buffer;
    private boolean closed;
    private long flushedBytes;
    /// Buffers on their way from a session's thread to the event loop: what that writes itself would overtake them.
    private final AtomicInteger underWay = new AtomicInteger();

    Output(Channel channel) {
        this.channel = channel;
    }

    void write(BackendMessage message) {
        message.encode(buffer());
        flushIfFull();
    }

    /// The buffer to append whole messages to; it has an array. Call `flushIfFull` after a few of them.
    ByteBuf buffer() {
        if (buffer == null) {
            buffer = channel.alloc().heapBuffer(FLUSH_BYTES + 4096);
        }
        return buffer;
    }

    /// Bytes that were written so far, whether they have been sent or not.
    long writtenBytes() {
        return flushedBytes + (buffer == null ? 0 : buffer.readableBytes());
    }

    boolean isFull() {
        return buffer != null && buffer.readableBytes() >= FLUSH_BYTES;
    }

    void flushIfFull() {
        if (isFull()) {
            flush();
        }
    }

    /// Whether the event loop may write: nothing is under way from another thread, and the client keeps up.
    boolean isReady() {
        return underWay.get() == 0 && channel.isWritable();
    }

    /// Sends what has gathered, then waits until the client keeps up; on the event loop it does not wait.
    ///
    /// - Errors: [ClientGoneException] when the connection has ended.
    void flush() {
        boolean isOnEventLoop = channel.eventLoop().inEventLoop();
        if (buffer != null && buffer.isReadable()) {
            ByteBuf full = buffer;
            buffer = null;
            flushedBytes += full.readableBytes();
            if (isOnEventLoop) {
                var _ = channel.writeAndFlush(full, channel.voidPromise());
            } else {
                underWay.incrementAndGet();
                var _ = channel.writeAndFlush(full).addListener(sent -> {
                    underWay.decrementAndGet();
                    if (!sent.isSuccess()) {
                        channel.close(); // what follows would make no sense to the client
                    }
                });
            }
        }
        if (!isOnEventLoop && !channel.isWritable()) {
            awaitWritable();
        }
    }

    private void awaitWritable() {
        lock.lock();
        try {
            while (!closed && channel.isActive() && !channel.isWritable()) {
                // Looked at once a second too: an event loop without memory may not come to say so.
                var _ = changed.await(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ClientGoneException();
        } finally {
            lock.unlock();
        }
        if (closed || !channel.isActive()) {
            throw new ClientGoneException();
        }
    }

    void writabilityChanged() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The connection has ended: whoever waits stops waiting.
    void channelClosed() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Sends what has gathered and closes the connection behind it.
    void flushAndClose() {
        ByteBuf last = buffer == null ? channel.alloc().heapBuffer(0) : buffer;
        buffer = null;
        var _ = channel.writeAndFlush(last).addListener(_ -> channel.close());
    }

    void release() {
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }
}
