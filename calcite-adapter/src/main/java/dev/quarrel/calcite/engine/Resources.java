package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.run.Scheduler;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.verify.VerificationCounts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;

/// What engines over several catalogs of one process share: devices, workers, memory, the folder of temporary files and
/// the clock of their timeouts.
final class Resources implements AutoCloseable {
    private final List<Device> devices;
    private final Map<String, String> missingDevices;
    private final Scheduler scheduler;
    private final MemoryBudget memory;
    private final SpillFolder spills; // or null
    private final ScheduledExecutorService timer;
    private final OtherWays otherWays;
    private final VerificationCounts verifications = new VerificationCounts();

    /// @param devices closed with it
    /// @param tiers makes CPU devices that run one tier alone
    Resources(
            EngineConfig config,
            List<Device> devices,
            Map<String, String> missingDevices,
            Function<DeviceConfig.Tier, Device> tiers) {
        this.devices = List.copyOf(devices);
        this.missingDevices = Map.copyOf(missingDevices);
        this.scheduler = new Scheduler(config.threads());
        this.memory = new MemoryBudget(config.totalMemoryBytes());
        this.spills = config.spillFolder() == null ? null : SpillFolder.open(config.spillFolder());
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("quarrel-timer").daemon().factory());
        timers.setRemoveOnCancelPolicy(true);
        this.timer = timers;
        this.otherWays = new OtherWays(this.devices, tiers);
    }

    List<Device> devices() {
        return devices;
    }

    Map<String, String> missingDevices() {
        return missingDevices;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    MemoryBudget memory() {
        return memory;
    }

    SpillFolder spills() {
        return spills;
    }

    OtherWays otherWays() {
        return otherWays;
    }

    VerificationCounts verifications() {
        return verifications;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        scheduler.close();
        if (spills != null) {
            spills.close();
        }
        otherWays.close();
        devices.forEach(Device::close);
    }
}
