package dev.quarrel.cuda.driver;

import jcuda.driver.CUmemGenericAllocationHandle;

/// An allocation's handle whose value native functions can be given.
final class AllocationHandle extends CUmemGenericAllocationHandle {
    long value() {
        return getNativePointer();
    }
}
