package dev.quarrel.cuda.driver;

import java.util.Locale;

/// The properties of a GPU.
///
/// @param major of its compute capability
/// @param sharedBytesPerBlock what a block may use of shared memory when a kernel asks for it
/// @param l2Bytes of its second-level cache
/// @param memoryPools whether it has stream-ordered allocation
/// @param virtualMemory whether addresses can be reserved and memory be mapped there later
/// @param fileDescriptors whether such memory can be handed to another process
public record DeviceFacts(
        String name,
        int major,
        int minor,
        int multiprocessors,
        long totalBytes,
        int sharedBytesPerBlock,
        int l2Bytes,
        boolean memoryPools,
        boolean virtualMemory,
        boolean fileDescriptors) {
    /// One line for people.
    public String describe() {
        return String.format(
                Locale.ROOT,
                "%s, compute capability %d.%d, %d multiprocessors, %.1f GiB",
                name,
                major,
                minor,
                multiprocessors,
                totalBytes / (double) (1L << 30));
    }
}
