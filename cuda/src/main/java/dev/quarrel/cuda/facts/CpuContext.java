package dev.quarrel.cuda.facts;

import dev.quarrel.core.device.ForwardingContext;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Literal;
import java.util.List;

/// An execution as the CPU sees it: the build sides that the device has made have rows.
///
/// @param slotValues its own ones, and further ones behind them
public record CpuContext(PipelineContext context, List<Literal> slotValues) implements ForwardingContext {
    public CpuContext(PipelineContext context) {
        this(context, context.slotValues());
    }

    @Override
    public Materialized materialized(int pipeline) {
        return DeviceBuild.withRows(context.materialized(pipeline));
    }
}
