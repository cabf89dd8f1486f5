package dev.quarrel.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverProbeTest {
    private static final long GIB = 1L << 30;

    private static DriverProbe.Missing missing(String library) {
        return (DriverProbe.Missing) DriverProbe.of(library);
    }

    @Test
    void aMachineWithoutDriverIsToldSo() {
        assertThat(missing("/nowhere/libcuda.so.1"))
                .isEqualTo(
                        new DriverProbe.Missing(
                                "no NVIDIA driver",
                                "/nowhere/libcuda.so.1 was not found: install driver 580 or newer, or give the container its GPU"));
    }

    @Test
    void aLibraryThatIsNoDriverIsToldSo() {
        assertThat(missing("libc.so.6").reason()).startsWith("the NVIDIA driver is too old");
    }

    @Test
    void anOldDriverIsToldSo() {
        String driver = FakeDriver.start();
        FakeDriver.device(1, 12_040, 9, 0, GIB);
        assertThat(missing(driver))
                .isEqualTo(new DriverProbe.Missing(
                        "the NVIDIA driver is too old: it supports CUDA 12.4, not 13.0",
                        "install driver 580 or newer"));
        assertThat(FakeDriver.calls("cuInit")).isZero();
    }

    @Test
    void aMachineWithoutDeviceIsToldSo() {
        String driver = FakeDriver.start();
        FakeDriver.device(0, 13_000, 9, 0, GIB);
        assertThat(missing(driver).reason()).isEqualTo("the NVIDIA driver finds no GPU (CUDA_ERROR_NO_DEVICE)");
    }

    @ParameterizedTest
    @CsvSource({
        "2,   has no memory to start (CUDA_ERROR_OUT_OF_MEMORY), end what holds it",
        "34,  the toolkit, mend LD_LIBRARY_PATH",
        "802, not ready, start nvidia-fabricmanager",
        "803, kernel module differ, restart the machine",
        "804, forward-compatible, install its own",
        "999, does not start (CUDA_ERROR_UNKNOWN), try nvidia-smi",
        "987, does not start (CUDA error 987), try nvidia-smi"
    })
    void aDriverThatDoesNotStartSaysWhy(int code, String reason, String remedy) {
        String driver = FakeDriver.start();
        FakeDriver.fail("cuInit", code, 0);
        DriverProbe.Missing missing = missing(driver);
        assertThat(missing.reason()).contains(reason);
        assertThat(missing.remedy()).isEqualTo(remedy);
    }

    @Test
    void aDeviceIsFound() {
        String driver = FakeDriver.start();
        FakeDriver.device(2, 13_010, 9, 0, GIB);
        assertThat(DriverProbe.of(driver)).isInstanceOfSatisfying(DriverProbe.Ready.class, ready -> {
            assertThat(ready.version()).isEqualTo(13_010);
            assertThat(ready.deviceCount()).isEqualTo(2);
            assertThat(CudaContext.facts(ready.driver(), 1).describe())
                    .isEqualTo("Fake GPU, compute capability 9.0, 4 multiprocessors, 1.0 GiB");
        });
        assertThat(FakeDriver.open()).isEmpty();
    }
}
