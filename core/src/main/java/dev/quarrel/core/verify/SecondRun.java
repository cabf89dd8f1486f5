package dev.quarrel.core.verify;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.ForwardingContext;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import java.util.ArrayList;
import java.util.List;

/// One more run of a pipeline, all of it on this thread, over the inputs that the first run had.
final class SecondRun {
    private SecondRun() {}

    /// Takes the rows of a run, batch by batch; they stay the run's.
    interface Rows {
        void take(int morsel, Batch batch);
    }

    /// The first run's context, but for what a run has of its own.
    private record Context(PipelineContext context, MemoryBudget budget, PipelineCounters counters, Rows rows)
            implements ForwardingContext {
        @Override
        public ResultChannel results() {
            return (morsel, batch) -> {
                try (batch) {
                    rows.take(morsel.index(), batch);
                }
            };
        }

        @Override
        public Placement.Choice choice() {
            return Placement.Choice.NONE;
        }

        @Override
        public PipelineContext ofFeeding(int pipeline) {
            return new Context(context.ofFeeding(pipeline), budget, new PipelineCounters(), rows);
        }
    }

    /// - Errors: those of the run.
    static void run(
            Device device, QueryPlan plan, Pipeline pipeline, PipelineContext first, MemoryBudget budget, Rows rows) {
        budget.stopBy(first.cancellation());
        Context context = new Context(first, budget, new PipelineCounters(), rows);
        try (PreparedPipeline work = device.prepare(plan, pipeline, context);
                Materialized made = run(work, first)) {
            if (made != null) {
                takeAll(made, rows);
            }
        }
    }

    private static Materialized run(PreparedPipeline work, PipelineContext context) {
        List<SinkState> states = new ArrayList<>();
        boolean isConsumed = false;
        try {
            // Build rows that no probe row matches follow a probe side without rows, too.
            List<Morsel> morsels = work.morsels();
            do {
                for (Morsel morsel : morsels) {
                    if (work.isSatisfied()) {
                        break;
                    }
                    context.cancellation().check();
                    if (states.isEmpty()) {
                        states.add(work.newState());
                    }
                    work.run(morsel, states.getFirst());
                }
                morsels = more(work);
            } while (!morsels.isEmpty());
            List<SinkState> filled = List.copyOf(states);
            int parts = work.mergeParts(0, filled);
            for (int round = 0; parts > 0; parts = work.mergeParts(++round, filled)) {
                for (int part = 0; part < parts; part++) {
                    work.merge(round, part, filled);
                }
            }
            isConsumed = true;
            return work.finish(filled);
        } finally {
            if (!isConsumed) {
                states.forEach(SinkState::close);
            }
        }
    }

    private static List<Morsel> more(PreparedPipeline work) {
        return work.isSatisfied() ? List.of() : work.moreMorsels();
    }

    static void takeAll(Materialized made, Rows rows) {
        for (int index = 0; index < made.batchCount(); index++) {
            try (Batch batch = made.batch(index)) {
                rows.take(index, batch);
            }
        }
    }
}
