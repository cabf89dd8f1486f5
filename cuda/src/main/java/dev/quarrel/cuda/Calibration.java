package dev.quarrel.cuda;

import dev.quarrel.core.device.Device;
import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.CudaException;
import dev.quarrel.cuda.driver.Fatbin;
import dev.quarrel.cuda.driver.KernelModule;
import dev.quarrel.cuda.driver.UserCache;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What one device was measured to do, when it was first used on this machine: what estimates are made of.
///
/// @param linkBytes copied to it a second
/// @param memoryBytes read from its memory a second
/// @param lookups a second, at random places of a table that its cache holds
/// @param launchSeconds for starting a kernel and waiting for its end
/// @param isMeasured false for guesses
public record Calibration(
        double linkBytes, double memoryBytes, double lookups, double launchSeconds, boolean isMeasured) {
    /// A middling card; only proportions matter.
    public static final Calibration GUESSED = new Calibration(20e9, 1e12, 50e9, 30e-6, false);

    private static final String FATBIN = "probe_bench";
    private static final String FORMAT = "1";
    private static final Logger LOG = LoggerFactory.getLogger(Calibration.class);

    public Calibration {
        if (!(linkBytes > 0 && memoryBytes > 0 && lookups > 0 && launchSeconds > 0)) {
            throw new IllegalArgumentException(linkBytes + ", " + memoryBytes + ", " + lookups + ", " + launchSeconds);
        }
    }

    /// This device's figures, from the user's cache, or measured now, which takes some tenths of a second,
    /// and put there.
    ///
    /// - Errors: [CudaException] of a device that is lost meanwhile; any other trouble yields guesses.
    static Calibration of(CudaContext context) {
        return of(context, UserCache.folder("cuda"));
    }

    static Calibration of(CudaContext context, Path folder) {
        // A card in another slot or machine is another one; so is one behind another driver.
        String name =
                context.facts().describe().replaceAll("[^A-Za-z0-9.]+", "-") + "-driver-" + context.driverVersion();
        Path file = folder.resolve(name + ".properties");
        Calibration known = read(file);
        if (known != null) {
            return known;
        }
        try (KernelModule module = context.load(Fatbin.find(FATBIN).orElseThrow())) {
            Calibration measured = Ceilings.calibrate(context, module);
            measured.write(file);
            LOG.info(
                    "device.calibrated device={} rates={} file={}",
                    context.facts().name(),
                    measured,
                    file);
            return measured;
        } catch (CudaException failure) {
            if (context.downReason() != null) {
                throw failure;
            }
            LOG.warn("device.uncalibrated reason={}", failure.getMessage());
        } catch (IllegalStateException wrong) {
            LOG.warn("device.uncalibrated reason={}", wrong.getMessage());
        }
        return GUESSED;
    }

    private static Calibration read(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
            return FORMAT.equals(properties.getProperty("format"))
                    ? new Calibration(
                            number(properties, "link"),
                            number(properties, "memory"),
                            number(properties, "lookups"),
                            number(properties, "launch"),
                            true)
                    : null;
        } catch (IOException | IllegalArgumentException missing) {
            return null; // not there yet, or damaged: measuring again makes a new one
        }
    }

    private static double number(Properties properties, String name) {
        return Double.parseDouble(properties.getProperty(name, "0"));
    }

    private void write(Path file) {
        Properties properties = new Properties();
        properties.setProperty("format", FORMAT);
        properties.setProperty("link", Double.toString(linkBytes));
        properties.setProperty("memory", Double.toString(memoryBytes));
        properties.setProperty("lookups", Double.toString(lookups));
        properties.setProperty("launch", Double.toString(launchSeconds));
        try {
            Files.createDirectories(file.getParent());
            Path made = Files.createTempFile(file.getParent(), "calibration", null);
            try (Writer writer = Files.newBufferedWriter(made)) {
                properties.store(writer, null);
            }
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | UncheckedIOException unwritable) {
            LOG.info("device.calibration is not kept, reason={}", unwritable.getMessage());
        }
    }

    Device.Peaks peaks() {
        return isMeasured ? new Device.Peaks(linkBytes, memoryBytes) : null;
    }
}
