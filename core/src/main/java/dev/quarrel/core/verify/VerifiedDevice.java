package dev.quarrel.core.verify;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;

/// A device some of whose pipelines are checked.
record VerifiedDevice(Device device, Verification verification) implements Device {
    @Override
    public String name() {
        return device.name();
    }

    @Override
    public String description() {
        return device.description();
    }

    @Override
    public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
        return device.lower(plan, pipeline, hints);
    }

    @Override
    public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        if (!verification.isChosen(context.queryId(), pipeline.id())) {
            return device.prepare(plan, pipeline, context);
        }
        if (!Verification.isRepeatable(plan, pipeline, context)) {
            verification.counts().skipped.increment();
            return device.prepare(plan, pipeline, context);
        }
        return VerifiedPipeline.of(device, plan, pipeline, context, verification);
    }

    @Override
    public void close() {
        // It is somebody else's.
    }
}
