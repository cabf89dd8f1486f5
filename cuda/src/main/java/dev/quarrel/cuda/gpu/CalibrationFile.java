package dev.quarrel.cuda.gpu;

import dev.quarrel.cuda.backend.Calibration;
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

/// The user's cache of calibrations: a file for each card, in its slot and behind its driver.
public final class CalibrationFile {
    private static final String FATBIN = "probe_bench";
    private static final String FORMAT = "1";
    private static final Logger LOG = LoggerFactory.getLogger(CalibrationFile.class);

    private CalibrationFile() {}

    /// This device's figures, from the user's cache, or measured now, which takes some tenths of a second,
    /// and put there.
    ///
    /// - Errors: [CudaException] of a device that is lost meanwhile; any other trouble yields guesses.
    public static Calibration of(CudaContext context) {
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
            write(measured, file);
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
        return Calibration.GUESSED;
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

    private static void write(Calibration made, Path file) {
        Properties properties = new Properties();
        properties.setProperty("format", FORMAT);
        properties.setProperty("link", Double.toString(made.linkBytes()));
        properties.setProperty("memory", Double.toString(made.memoryBytes()));
        properties.setProperty("lookups", Double.toString(made.lookups()));
        properties.setProperty("launch", Double.toString(made.launchSeconds()));
        try {
            Files.createDirectories(file.getParent());
            Path written = Files.createTempFile(file.getParent(), "calibration", null);
            try (Writer writer = Files.newBufferedWriter(written)) {
                properties.store(writer, null);
            }
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | UncheckedIOException unwritable) {
            LOG.info("device.calibration is not kept, reason={}", unwritable.getMessage());
        }
    }
}
