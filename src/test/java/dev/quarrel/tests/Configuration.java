package dev.quarrel.tests;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.cuda.host.HostLibrary;
import dev.quarrel.cuda.host.HostProvider;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/// One way to run Quarrel that must not change any answer: `resources/configurations/NAME.properties`.
///
/// @param inlineRows how many rows a plan may have that runs on its reader's thread; negative: none does
/// @param providers of devices that the other configurations do not have; sessions prefer them to the CPU
record Configuration(
        String name,
        int threads,
        int tileRows,
        DeviceConfig.Tier tier,
        long inlineRows,
        List<DeviceProvider> providers) {
    static final List<Configuration> ALL = all();

    /// The CUDA kernels, compiled for the CPU.
    private static final String CUDA_HOST = "cuda-host";

    private static List<Configuration> all() {
        List<Configuration> all =
                new ArrayList<>(List.of(read("cpu-1-thread"), read("cpu-all-threads"), read("cpu-tile-1")));
        String missing = HostLibrary.missing();
        if (missing == null) {
            all.add(read("cuda-host"));
        } else {
            System.out.println("not tested: cuda-host: " + missing);
        }
        return List.copyOf(all);
    }

    private static Configuration read(String name) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(PostgresOracle.resource("/configurations/" + name + ".properties")));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        String threads = properties.getProperty("threads");
        return new Configuration(
                name,
                // More threads than cores on purpose: interleavings matter here, not speed.
                threads.equals("all")
                        ? Math.max(4, Runtime.getRuntime().availableProcessors())
                        : Integer.parseInt(threads),
                Integer.parseInt(properties.getProperty("tileRows")),
                DeviceConfig.Tier.valueOf(properties.getProperty("tier").toUpperCase(Locale.ROOT)),
                Long.parseLong(properties.getProperty("inlineRows", "-1")),
                CUDA_HOST.equals(properties.getProperty("device")) ? List.of(new HostProvider()) : List.of());
    }
}
