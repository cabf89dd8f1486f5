package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.core.device.DeviceProvider.Probe;
import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.driver.FakeDriver;
import dev.quarrel.cuda.gpu.HostKernels;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CudaDeviceProviderTest {
    private static final long GIB = 1L << 30;

    @Test
    void isFoundByServiceLoaderAndAnswersWhateverTheMachineHas() {
        DeviceProvider provider = ServiceLoader.load(DeviceProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(found -> found.name().equals("cuda"))
                .findFirst()
                .orElseThrow();
        switch (provider.probe(DeviceConfig.ofThreads(1))) {
            case Probe.Found(var device) -> device.close();
            case Probe.Missing missing -> assertThat(missing.reason()).isNotBlank();
        }
    }

    private static Probe.Missing missing(String library) {
        return (Probe.Missing)
                CudaDeviceProvider.probe(library, true, _ -> Calibration.GUESSED, DeviceConfig.ofThreads(1));
    }

    @Test
    void aMachineWithoutDriverIsToldWhatToDo() {
        assertThat(missing("/nowhere/libcuda.so.1"))
                .isEqualTo(
                        new Probe.Missing(
                                "no NVIDIA driver",
                                "/nowhere/libcuda.so.1 was not found: install driver 580 or newer, or give the container its GPU"));
        assertThat(missing("/nowhere/libcuda.so.1").text()).startsWith("no NVIDIA driver; /nowhere");
    }

    @Test
    void anOldGpuIsToldSo() {
        String driver = FakeDriver.start();
        FakeDriver.device(1, 13_000, 6, 1, GIB);
        assertThat(missing(driver))
                .isEqualTo(new Probe.Missing(
                        "Fake GPU has compute capability 6.1, not 7.5", "use a Turing GPU or a newer one"));
        assertThat(FakeDriver.calls("cuDevicePrimaryCtxRetain")).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "cuDevicePrimaryCtxRetain, 2, no memory left to start (cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY)",
        "cuModuleLoadData, 209, no kernels for this GPU or driver",
        "cuModuleLoadData, 222, no kernels for this GPU or driver",
        "cuDeviceGet, 101, could not be opened (cuDeviceGet: CUDA_ERROR_INVALID_DEVICE)",
        "cuCtxSetCurrent, 999, could not be opened (cuCtxSetCurrent: CUDA_ERROR_UNKNOWN)"
    })
    void aDeviceThatFailsSaysWhereAndNothingStaysOpen(String call, int code, String reason) {
        String driver = FakeDriver.start();
        FakeDriver.fail(call, code, 0);
        assertThat(missing(driver).reason()).contains(reason);
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void aDeviceIsUsedWhereItIsWanted() {
        assertThat(CudaDeviceProvider.probe(
                        FakeDriver.start(), false, _ -> Calibration.GUESSED, DeviceConfig.ofThreads(1)))
                .isEqualTo(
                        new Probe.Missing(
                                "Fake GPU, compute capability 9.0, 4 multiprocessors, 1.0 GiB: not in use",
                                "set QUARREL_CUDA=on in the environment; its kernels have been tested on the CPU alone so far"));
        assertThat(FakeDriver.calls("cuDevicePrimaryCtxRetain")).isZero();
        String driver = HostKernels.start(0);
        Probe probe = CudaDeviceProvider.probe(driver, true, _ -> Calibration.GUESSED, DeviceConfig.ofThreads(1));
        try (Device device = ((Probe.Found) probe).device()) {
            assertThat(device.name()).isEqualTo("cuda");
            assertThat(device.description()).startsWith("Fake GPU, compute capability 9.0");
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void kernelsThatAreNotInTheFatbinAreMissed() {
        assertThat(missing(FakeDriver.start()).reason()).contains("CUDA_ERROR_NOT_FOUND, vm_i32 of vm.fatbin");
        assertThat(FakeDriver.open()).isEmpty();
    }
}
