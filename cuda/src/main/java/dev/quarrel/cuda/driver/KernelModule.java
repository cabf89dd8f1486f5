package dev.quarrel.cuda.driver;

import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/// A fatbin's kernels, on a device.
public final class KernelModule implements AutoCloseable {
    private final CudaContext context;
    private final String name;
    private final CUmodule module = new CUmodule();
    private boolean closed;

    KernelModule(CudaContext context, Fatbin fatbin) {
        this.context = context;
        this.name = fatbin.name();
        context.enter();
        // Not cuModuleLoadFatBinary: JCuda's call forgets to say which module it made.
        int code = JCudaDriver.cuModuleLoadData(module, fatbin.content());
        if (code != CudaException.SUCCESS) {
            throw context.failed(
                    code,
                    "cuModuleLoadData",
                    fatbin.name() + ".fatbin on " + context.facts().describe());
        }
        context.opened();
    }

    /// A kernel by its name in the source (`extern "C"`).
    ///
    /// - Errors: [CudaException] where the fatbin has none of that name.
    public KernelFunction kernel(String kernel) {
        if (closed) {
            throw new IllegalStateException("the module " + name + " is closed");
        }
        context.enter();
        CUfunction function = new CUfunction();
        int code = JCudaDriver.cuModuleGetFunction(function, module, kernel);
        if (code != CudaException.SUCCESS) {
            throw context.failed(code, "cuModuleGetFunction", kernel + " of " + name + ".fatbin");
        }
        return new KernelFunction(context, kernel, function);
    }

    /// Unloads it; no launch may be on its way.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            context.release("cuModuleUnload", () -> JCudaDriver.cuModuleUnload(module));
        }
    }
}
