package dev.quarrel.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.FakeDriver;
import dev.quarrel.cuda.driver.KernelModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalibrationTest {
    private static Calibration calibrate(String driver, Path folder) {
        GpuSearch.Found gpu = (GpuSearch.Found) GpuSearch.of(driver, "probe_bench");
        try (CudaContext context = gpu.context();
                KernelModule _ = gpu.kernels()) {
            return CalibrationFile.of(context, folder);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void aDeviceIsMeasuredOnce(@TempDir Path folder) throws IOException {
        Calibration first = calibrate(FakeDriver.start(), folder.resolve("cuda"));
        assertThat(first.isMeasured()).isTrue();
        assertThat(first.peaks().linkBytes()).isEqualTo(first.linkBytes());
        assertThat(FakeDriver.calls("cuLaunchKernel")).isPositive();
        assertThat(FakeDriver.open()).isEmpty();
        assertThat(calibrate(FakeDriver.start(), folder.resolve("cuda"))).isEqualTo(first);
        assertThat(FakeDriver.calls("cuLaunchKernel")).isZero();
        List<Path> files = files(folder.resolve("cuda"));
        assertThat(files).hasSize(1);
        // A file that somebody damaged is as good as none.
        Files.writeString(files.getFirst(), "format=1\nlink=fast\n");
        assertThat(calibrate(FakeDriver.start(), folder.resolve("cuda")).isMeasured())
                .isTrue();
        assertThat(FakeDriver.calls("cuLaunchKernel")).isPositive();
    }

    @Test
    void whatCannotBeMeasuredIsGuessed(@TempDir Path folder) throws IOException {
        String driver = FakeDriver.start();
        FakeDriver.fail("cuLaunchKernel", 701, 1);
        assertThat(calibrate(driver, folder)).isEqualTo(Calibration.GUESSED);
        assertThat(Calibration.GUESSED.peaks()).isNull();
        assertThat(files(folder)).isEmpty();
        assertThat(FakeDriver.open()).isEmpty();
    }
}
