package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import java.util.Locale;

/// Says that a pipeline cannot run on the device, and why: EXPLAIN prints it.
public final class NoKernel extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NoKernel(String reason) {
        super(reason, null, false, false);
    }

    /// For an instruction that no kernel does.
    static NoKernel of(Instruction instruction) {
        String name = instruction.callee() == null
                ? instruction.op().name().toLowerCase(Locale.ROOT)
                : "the function " + instruction.callee().name();
        return new NoKernel(name + " has no CUDA kernel");
    }
}
