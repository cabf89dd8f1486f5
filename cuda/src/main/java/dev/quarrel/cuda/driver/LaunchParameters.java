package dev.quarrel.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.Pointer;

/// The one struct that a kernel takes, overwritten for each launch: nothing is allocated per launch.
///
/// One thread at a time uses it.
public final class LaunchParameters implements AutoCloseable {
    /// What a kernel takes on every device and driver.
    public static final int MAX_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment struct;
    private final Pointer pointers;

    /// @param bytes of the struct, as the kernel declares it
    public LaunchParameters(int bytes) {
        if (bytes < 1 || bytes > MAX_BYTES) {
            arena.close();
            throw new IllegalArgumentException("a parameter of " + bytes + " bytes");
        }
        this.struct = arena.allocate(bytes, 16);
        // What the driver wants is an array of addresses, one a parameter.
        MemorySegment addresses = arena.allocateFrom(ValueLayout.ADDRESS, struct);
        this.pointers = new HostAddress(addresses.address());
    }

    /// The struct's bytes.
    public MemorySegment struct() {
        return struct;
    }

    Pointer pointers() {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException("the parameters are closed");
        }
        return pointers;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
