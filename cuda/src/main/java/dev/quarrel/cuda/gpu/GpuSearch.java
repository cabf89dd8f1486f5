package dev.quarrel.cuda.gpu;

import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.CudaException;
import dev.quarrel.cuda.driver.DeviceFacts;
import dev.quarrel.cuda.driver.DriverAccess;
import dev.quarrel.cuda.driver.DriverProbe;
import dev.quarrel.cuda.driver.Fatbin;
import dev.quarrel.cuda.driver.KernelModule;
import java.util.Locale;

/// Looks for a GPU that runs our kernels, step by step, so that what is missing can be named.
public sealed interface GpuSearch {
    /// A device in use, with kernels that it has code for.
    ///
    /// - Memory: the receiver closes both, `kernels` first.
    record Found(CudaContext context, KernelModule kernels) implements GpuSearch {}

    /// @param reason in a few words
    /// @param remedy what to do about it, or ""
    record Missing(String reason, String remedy) implements GpuSearch {}

    /// A device that would do, not in use.
    record Seen(DeviceFacts facts) implements GpuSearch {}

    /// Looks, and starts using what is found; it never throws, and where there is none nothing stays open.
    ///
    /// @param library the driver's, by name or path
    /// @param fatbin whose kernels the device must have code for
    static GpuSearch of(String library, String fatbin) {
        return search(library, fatbin, GpuSearch::open);
    }

    /// Looks only.
    static GpuSearch look(String library, String fatbin) {
        return search(library, fatbin, (_, facts, _) -> new Seen(facts));
    }

    /// What becomes of a device that will do.
    interface Taking {
        GpuSearch take(DriverAccess driver, DeviceFacts facts, String fatbin);
    }

    private static GpuSearch search(String library, String fatbin, Taking taking) {
        // Before the driver is asked: a build without kernels needs no device.
        if (!Fatbin.exists(fatbin)) {
            return new Missing("built without kernels", "");
        }
        return switch (DriverProbe.of(library)) {
            case DriverProbe.Missing(String reason, String remedy) -> new Missing(reason, remedy);
            case DriverProbe.Ready ready -> {
                try {
                    DeviceFacts facts = CudaContext.facts(ready.driver(), 0);
                    Missing unfit = unfit(facts);
                    yield unfit != null ? unfit : taking.take(ready.driver(), facts, fatbin);
                } catch (CudaException failure) {
                    yield missing(failure);
                } catch (RuntimeException | LinkageError problem) {
                    yield new Missing("the GPU could not be opened: " + problem, "try nvidia-smi");
                }
            }
        };
    }

    private static Missing unfit(DeviceFacts facts) {
        if (facts.major() * 10 + facts.minor() < 75) {
            return new Missing(
                    String.format(
                            Locale.ROOT,
                            "%s has compute capability %d.%d, not 7.5",
                            facts.name(),
                            facts.major(),
                            facts.minor()),
                    "use a Turing GPU or a newer one");
        }
        if (!facts.memoryPools() || !facts.virtualMemory()) {
            return new Missing(
                    facts.name() + " is shared in a way that allows no memory pools or no mapped memory",
                    "give this machine a whole GPU");
        }
        return null;
    }

    private static GpuSearch open(DriverAccess driver, DeviceFacts facts, String fatbin) {
        CudaContext context = CudaContext.open(driver, 0);
        try {
            return new Found(context, context.load(Fatbin.find(fatbin).orElseThrow()));
        } catch (RuntimeException | Error failure) {
            context.close();
            throw failure;
        }
    }

    /// What an error of the driver means for whoever wants a device.
    static Missing missing(CudaException failure) {
        if (failure.isOutOfMemory()) {
            return new Missing(
                    "the GPU has no memory left to start (" + failure.getMessage() + ")", "end what holds it");
        }
        if (failure.isWithoutImage()) {
            return new Missing(
                    "no kernels for this GPU or driver (" + failure.getMessage() + ")", "install a newer driver");
        }
        return new Missing("the GPU could not be opened (" + failure.getMessage() + ")", "try nvidia-smi");
    }
}
