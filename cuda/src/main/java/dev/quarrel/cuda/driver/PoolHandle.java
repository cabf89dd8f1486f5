package dev.quarrel.cuda.driver;

import jcuda.driver.CUmemoryPool;

/// A pool's handle whose value native functions can be given.
final class PoolHandle extends CUmemoryPool {
    long value() {
        return getNativePointer();
    }
}
