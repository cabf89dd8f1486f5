package dev.quarrel.calcite.engine;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/// What planning a statement took, or looking up its plan.
///
/// @param bytes of memory that the thread allocated meanwhile
record Planning(long nanos, long bytes) {
    static final Planning NONE = new Planning(0, 0);

    private static final ThreadMXBean THREADS =
            ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads ? threads : null;

    /// The state of the meters, for [#elapsed].
    static Planning start() {
        return new Planning(System.nanoTime(), allocated());
    }

    /// What it took since those were the meters.
    Planning elapsed() {
        return new Planning(System.nanoTime() - nanos, Math.max(0, allocated() - bytes));
    }

    private static long allocated() {
        return THREADS == null ? 0 : THREADS.getCurrentThreadAllocatedBytes();
    }
}
