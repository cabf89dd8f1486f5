package dev.quarrel.cuda.driver;

import java.lang.foreign.MemorySegment;
import jcuda.Pointer;

/// A raw address of this process, as JCuda wants it.
final class HostAddress extends Pointer {
    /// One for a call to fill.
    HostAddress() {}

    HostAddress(long address) {
        super(address);
    }

    /// - Errors: [IllegalArgumentException] for memory in Java's heap, which may move during an asynchronous
    ///   copy.
    static HostAddress of(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("memory in the Java heap cannot be copied asynchronously");
        }
        return new HostAddress(segment.address());
    }

    long address() {
        return getNativePointer() + getByteOffset();
    }
}
