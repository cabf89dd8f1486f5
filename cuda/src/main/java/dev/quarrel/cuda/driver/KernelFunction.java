package dev.quarrel.cuda.driver;

import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.JCudaDriver;

/// A kernel that takes one struct by value.
///
/// - Memory: lives as long as its [KernelModule].
public final class KernelFunction {
    private final CudaContext context;
    private final String name;
    private final CUfunction function;

    KernelFunction(CudaContext context, String name, CUfunction function) {
        this.context = context;
        this.name = name;
        this.function = function;
    }

    public String name() {
        return name;
    }

    /// Registers of a thread.
    public int registers() {
        return attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS);
    }

    /// Bytes a thread spills to memory; 0 as it should be.
    public int localBytes() {
        return attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    }

    /// Bytes of shared memory that a block has beside what a launch asks for.
    public int staticSharedBytes() {
        return attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    }

    private int attribute(int attribute) {
        context.enter();
        int[] value = new int[1];
        context.check(JCudaDriver.cuFuncGetAttribute(value, attribute, function), "cuFuncGetAttribute");
        return value[0];
    }

    /// Lets launches use so much shared memory; needed above 48 KiB.
    public void allowSharedBytes(int bytes) {
        context.enter();
        context.check(
                JCudaDriver.cuFuncSetAttribute(
                        function, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes),
                "cuFuncSetAttribute",
                bytes);
    }

    /// Blocks of so many threads that one multiprocessor holds at a time.
    public int blocksPerMultiprocessor(int threads, int sharedBytes) {
        context.enter();
        int[] blocks = new int[1];
        context.check(
                JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, sharedBytes),
                "cuOccupancyMaxActiveBlocksPerMultiprocessor");
        return blocks[0];
    }

    /// Puts a launch on a stream. The parameters are copied before this returns.
    public void launch(Stream stream, int blocks, int threads, int sharedBytes, LaunchParameters parameters) {
        context.enter();
        int code = JCudaDriver.cuLaunchKernel(
                function, blocks, 1, 1, threads, 1, 1, sharedBytes, stream.handle(), parameters.pointers(), null);
        if (code != CudaException.SUCCESS) {
            throw context.failed(
                    code,
                    "cuLaunchKernel",
                    name + ", " + blocks + " blocks of " + threads + " threads, " + sharedBytes
                            + " bytes of shared memory");
        }
    }
}
