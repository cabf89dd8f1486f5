package dev.quarrel.calcite.engine;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.verify.Verification;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Where pipelines run a second time to be checked: those of a GPU on the CPU; those of the CPU on a GPU that takes
/// them, and where there is none by the CPU's other tier.
final class OtherWays implements Verification.Elsewhere, AutoCloseable {
    private final List<Device> devices;
    private final Function<DeviceConfig.Tier, Device> maker;
    private final Map<DeviceConfig.Tier, Device> tiers = new EnumMap<>(DeviceConfig.Tier.class);

    /// @param maker of a CPU device that runs one tier alone
    OtherWays(List<Device> devices, Function<DeviceConfig.Tier, Device> maker) {
        this.devices = devices;
        this.maker = maker;
    }

    @Override
    public Verification.Way of(Device first, QueryPlan plan, Pipeline pipeline, PipelineCounters counters) {
        if (!isCpu(first)) {
            return new Verification.Way(tier(DeviceConfig.Tier.INTERPRETED), first.name(), "cpu (interpreted)");
        }
        boolean isCompiled = counters.rowsCompiled.sum() > 0;
        String name = isCompiled ? "cpu (compiled)" : "cpu (interpreted)";
        for (Device device : devices) {
            if (!isCpu(device) && device.lower(plan, pipeline, PlacementHints.UNKNOWN) instanceof Lowering.Supported) {
                return new Verification.Way(device, name, device.name());
            }
        }
        return isCompiled
                ? new Verification.Way(tier(DeviceConfig.Tier.INTERPRETED), name, "cpu (interpreted)")
                : new Verification.Way(tier(DeviceConfig.Tier.COMPILED), name, "cpu (compiled)");
    }

    private static boolean isCpu(Device device) {
        return device.name().equals(LocalEngine.CPU);
    }

    private synchronized Device tier(DeviceConfig.Tier tier) {
        return tiers.computeIfAbsent(tier, maker);
    }

    @Override
    public synchronized void close() {
        tiers.values().forEach(Device::close);
        tiers.clear();
    }
}
