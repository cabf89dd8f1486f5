package dev.quarrel.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.DriverProbe;
import dev.quarrel.cuda.driver.FakeDriver;
import dev.quarrel.cuda.driver.KernelModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CeilingsTest {
    @Test
    void everythingIsMeasuredOnceItIsRight() {
        List<Ceilings.Ceiling> found = measure(FakeDriver.start());
        assertThat(found).allSatisfy(ceiling -> {
            assertThat(ceiling.median()).as(ceiling.name()).isPositive();
            assertThat(ceiling.lowest()).isLessThanOrEqualTo(ceiling.median());
            assertThat(ceiling.highest()).isGreaterThanOrEqualTo(ceiling.median());
        });
        assertThat(found.stream().map(Ceilings.Ceiling::name))
                .doesNotHaveDuplicates()
                .contains("read", "a launch and waiting for it", "to the device, pinned");
        assertThat(FakeDriver.open()).isEmpty();
    }

    private static List<Ceilings.Ceiling> measure(String driver) {
        GpuSearch.Found gpu = (GpuSearch.Found) GpuSearch.of(driver, "probe_bench");
        try (CudaContext context = gpu.context();
                KernelModule module = gpu.kernels()) {
            return Ceilings.measure(context, module, new Ceilings.Sizes(4 << 20, 8, 3));
        }
    }

    @Test
    void aCallThatFailsIsToldAndNothingStaysOpen() {
        String driver = FakeDriver.start();
        FakeDriver.fail("cuLaunchKernel", 701, 5);
        assertThatThrownBy(() -> measure(driver)).hasMessageContaining("LAUNCH_OUT_OF_RESOURCES");
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void withoutAGpuTheFileSaysWhy(@TempDir Path folder) throws Exception {
        if (DriverProbe.of(DriverProbe.SYSTEM_LIBRARY) instanceof DriverProbe.Missing) {
            Ceilings.main(new String[] {folder.resolve("ceilings").toString()});
            assertThat(folder.resolve("ceilings")).content().startsWith("no GPU: ");
        }
        assertThatThrownBy(() -> Ceilings.main(new String[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("gpu")
    void onAGpu(@TempDir Path folder) throws Exception {
        Ceilings.main(new String[] {folder.resolve("ceilings").toString()});
        assertThat(Files.readString(folder.resolve("ceilings"))).contains("read ");
    }
}
