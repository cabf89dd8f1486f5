package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.type.QueryException;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/// The bytes of one file, as they were when it was opened.
///
/// - Errors of all: `QueryException` 58030 naming the file when those bytes are not to be had any more.
/// - Threads: share it freely, except `close`.
sealed interface FileBytes extends AutoCloseable permits MappedBytes, CopiedBytes {
    long byteSize();

    /// A copy on the heap, for what is looked at once. Whether the file had changed by then shows with
    /// [#checkUnchanged], or when memory is asked for.
    byte[] bytes(long offset, int length);

    /// Memory that stays as it is until `close`, for what is read again and again.
    MemorySegment memory(long offset, long length);

    /// The same for whoever comes once: what is not in memory by then is put into `owner`'s.
    MemorySegment memory(long offset, long length, Allocator owner);

    /// Raises 58030 when what is asked for from now on would not be what the file had when it was opened.
    void checkUnchanged();

    /// Raises 58030 when memory that was handed out may have changed since.
    void checkIntact();

    /// What an access fault in memory means, or null if this file did not cause it.
    QueryException faultOf(InternalError error);

    /// Enters what the system has of a range in memory into this process' tables, and reads nothing from a disk.
    ///
    /// @return whether all of the range is there
    boolean preload(long from, long end, BooleanSupplier goesOn);

    @Override
    void close();
}
