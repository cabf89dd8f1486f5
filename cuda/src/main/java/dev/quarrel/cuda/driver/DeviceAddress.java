package dev.quarrel.cuda.driver;

import jcuda.driver.CUdeviceptr;

/// A raw address on the device, as JCuda wants it.
final class DeviceAddress extends CUdeviceptr {
    /// One for a call to fill.
    DeviceAddress() {}

    DeviceAddress(long address) {
        super(new CUdeviceptr(), address);
    }

    long address() {
        return getNativePointer() + getByteOffset();
    }
}
