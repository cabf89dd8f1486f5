package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Opcode;
import java.util.Locale;

/// Says that a pipeline cannot run on the device, and why: EXPLAIN prints it.
public final class NoKernel extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NoKernel(String reason) {
        super(reason, null, false, false);
    }

    static NoKernel of(Opcode op) {
        return new NoKernel(op.name().toLowerCase(Locale.ROOT) + " has no CUDA kernel");
    }
}
