package dev.quarrel.tests;

import dev.quarrel.core.device.DeviceConfig;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/// One way to run Quarrel that must not change any answer: `resources/configurations/NAME.properties`.
record Configuration(String name, int threads, int tileRows, DeviceConfig.Tier tier) {
    static final List<Configuration> ALL = List.of(read("cpu-1-thread"), read("cpu-all-threads"), read("cpu-tile-1"));

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
                DeviceConfig.Tier.valueOf(properties.getProperty("tier").toUpperCase(Locale.ROOT)));
    }
}
