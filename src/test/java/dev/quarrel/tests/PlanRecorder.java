package dev.quarrel.tests;

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
final class PlanRecorder implements DeviceProvider, Device {
    private volatile QueryPlan last;

    QueryPlan last() {
        return last;
    }

    @Override
    public String name() {
        return "recorder";
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
