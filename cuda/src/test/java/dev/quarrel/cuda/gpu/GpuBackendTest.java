package dev.quarrel.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.driver.CudaException;
import dev.quarrel.cuda.driver.FakeDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuBackendTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    @ParameterizedTest
    @ValueSource(ints = {1, 4095, 4096, 4097, 100_000})
    void bytesGoThereAndBackThroughTheRing(int bytes) {
        byte[] content = new byte[bytes];
        new Random(SEED).nextBytes(content);
        try (Backend backend = HostKernels.backend(0);
                CommandQueue queue = backend.newQueue();
                DeviceMemory memory = backend.allocate(bytes + 10L);
                Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(bytes + 1L).asSlice(1); // of any alignment
            from.copyFrom(MemorySegment.ofArray(content));
            queue.fill(memory, 0, bytes + 10L, (byte) 7);
            queue.upload(from, memory, 3);
            from.fill((byte) 0); // the ring has its own copy
            MemorySegment to = arena.allocate(bytes + 10L);
            queue.download(memory, 0, to);
            queue.synchronize();
            assertThat(to.asSlice(3, bytes).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            assertThat(to.get(ValueLayout.JAVA_BYTE, 2)).isEqualTo((byte) 7);
            assertThat(to.get(ValueLayout.JAVA_BYTE, bytes + 3L)).isEqualTo((byte) 7);
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void limitsAreTheDevices() {
        try (Backend backend = HostKernels.backend(0)) {
            assertThat(backend.limits()).isEqualTo(new Backend.Limits(4, 1024, 226 << 10, (long) ((1L << 30) * 0.9)));
        }
    }

    @Test
    void aDeviceThatIsFullIsAFaultOneCanLiveWith() {
        try (Backend backend = HostKernels.backend(0)) {
            assertThatThrownBy(() -> backend.allocate(2L << 30))
                    .isInstanceOfSatisfying(
                            DeviceFault.class,
                            fault -> assertThat(fault.kind()).isEqualTo(DeviceFault.Kind.OUT_OF_MEMORY));
            assertThat(backend.lostReason()).isNull();
            backend.allocate(100).close();
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void aDeviceThatIsLostStaysLost() {
        try (Backend backend = HostKernels.backend(0);
                CommandQueue queue = backend.newQueue();
                DeviceMemory memory = backend.allocate(10_000)) {
            FakeDriver.fail("cuStreamSynchronize", 700, 0);
            assertLost(queue::synchronize);
            assertLost(() -> backend.allocate(1));
            assertLost(() -> queue.upload(Arena.global().allocate(10_000), memory, 0));
            assertLost(backend::newQueue);
            assertThat(backend.lostReason())
                    .isEqualTo("the GPU was lost (cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS)");
        }
    }

    private static void assertLost(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        DeviceFault.class, fault -> assertThat(fault.kind()).isEqualTo(DeviceFault.Kind.LOST));
    }

    @Test
    void aWrongCallIsABug() {
        try (Backend backend = HostKernels.backend(0);
                CommandQueue queue = backend.newQueue();
                Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = arena.allocate(100);
            assertThatThrownBy(() -> queue.launch(Kernel.VM_I32, 1, 2048, 0, parameters))
                    .isInstanceOf(CudaException.class)
                    .hasMessageContaining("vm_i32, 1 blocks of 2048 threads");
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cuMemPoolCreate", "cuStreamCreate", "cuMemHostAlloc", "cuEventCreate", "cuFuncSetAttribute"})
    void aBackendThatCannotBeOpenedLeavesNothingOpen(String call) {
        String driver = HostKernels.start(0);
        FakeDriver.fail(call, 2, 0);
        assertThatThrownBy(
                        () -> GpuBackend.open((GpuSearch.Found) GpuSearch.of(driver, "vm"), _ -> Calibration.GUESSED))
                .isInstanceOf(CudaException.class);
        assertThat(FakeDriver.open()).isEmpty();
    }
}
