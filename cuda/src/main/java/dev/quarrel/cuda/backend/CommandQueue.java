package dev.quarrel.cuda.backend;

import java.lang.foreign.MemorySegment;

/// A queue of commands that the device executes one after another; one thread at a time fills it.
///
/// - Memory: what a command reads or writes on either side stays until `synchronize` has returned, but for what
///   `upload` reads.
/// - Errors: [DeviceFault]; one of an earlier command may come with a later one, or with `synchronize`.
public interface CommandQueue extends AutoCloseable {
    /// Copies all of `from`, memory outside the heap of any alignment, to the device; it may change once this call has
    /// returned.
    void upload(MemorySegment from, DeviceMemory to, long toOffset);

    /// Copies from the device, all that `to` holds.
    void download(DeviceMemory from, long fromOffset, MemorySegment to);

    /// Sets bytes.
    void fill(DeviceMemory memory, long offset, long byteSize, byte value);

    /// Runs a kernel.
    ///
    /// @param threads of a block, a multiple of 32
    /// @param sharedBytes dynamic shared memory of a block
    /// @param parameters the kernel's one parameter, by value: it may change once this call has returned
    void launch(Kernel kernel, int blocks, int threads, int sharedBytes, MemorySegment parameters);

    /// Marks the moment in which the commands so far are done.
    ///
    /// - Memory: the caller closes it, before the queue.
    DeviceStamp stamp();

    /// Waits until all commands are done.
    void synchronize();

    /// Waits as `synchronize` does, and tells of no fault: what is under way must have ended before its
    /// memory is freed on the way out of an error. (Where the wait itself fails the device is lost, and all
    /// that was under way with it.)
    default void settle() {
        try {
            synchronize();
        } catch (DeviceFault _) {
            // It is told to whoever asks the device next.
        }
    }

    /// Waits for what is under way.
    @Override
    void close();
}
