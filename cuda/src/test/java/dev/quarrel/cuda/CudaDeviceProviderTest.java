package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.core.device.DeviceProvider.Probe;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class CudaDeviceProviderTest {
    @Test
    void isFoundByServiceLoaderAndSaysWhyThereIsNoDevice() {
        DeviceProvider provider = ServiceLoader.load(DeviceProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(found -> found.name().equals("cuda"))
                .findFirst()
                .orElseThrow();
        assertThat(provider.probe(DeviceConfig.ofThreads(1))).isEqualTo(new Probe.Missing("built without kernels"));
    }
}
