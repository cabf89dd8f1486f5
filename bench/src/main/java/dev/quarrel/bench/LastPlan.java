package dev.quarrel.bench;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;

/// A device that takes no pipeline and remembers the plan that it was asked about last.
final class LastPlan implements DeviceProvider, Device {
    private QueryPlan last;

    /// Null if it was asked about none since `forget`.
    QueryPlan last() {
        return last;
    }

    void forget() {
        last = null;
    }

    @Override
    public String name() {
        return "last-plan";
    }

    @Override
    public String description() {
        return "remembers plans";
    }

    @Override
    public Probe probe(DeviceConfig config) {
        return new Probe.Found(this);
    }

    @Override
    public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
        last = plan;
        return new Lowering.Unsupported("it only remembers");
    }

    @Override
    public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        throw new UnsupportedOperationException("it took none");
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
