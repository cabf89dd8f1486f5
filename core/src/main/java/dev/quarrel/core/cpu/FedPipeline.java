package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.loop.CpuWorker;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A pipeline with those that feed it: their morsels are its morsels, and a worker pushes each tile of them through the
/// chain of the one and on through that of the other. Nothing is kept between them.
///
/// Morsels come in the order of the feeding pipelines, as far as these have not to wait for something.
final class FedPipeline implements Feeding {
    private final CpuPipeline fed;
    private final List<Feeding> feeding = new ArrayList<>();
    private final List<PipelineContext> contexts = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>(); // by the morsel's index

    /// What a morsel is: one of a feeding pipeline, or of the fed one's own (-1).
    private record Part(int pipeline, Morsel morsel) {}

    private FedPipeline(CpuPipeline fed) {
        this.fed = fed;
    }

    static FedPipeline of(QueryPlan plan, Pipeline pipeline, PipelineContext context, DeviceConfig config) {
        FedPipeline made = new FedPipeline(CpuPipeline.of(plan, pipeline, context, config));
        try {
            Source.Union union = (Source.Union) pipeline.source();
            for (int id : union.pipelines()) {
                Pipeline below = plan.pipelines().get(id);
                PipelineContext own = context.ofFeeding(id);
                made.contexts.add(own);
                made.feeding.add(
                        below.source() instanceof Source.Union
                                ? of(plan, below, own, config)
                                : CpuPipeline.of(plan, below, own, config));
            }
            return made;
        } catch (RuntimeException | Error problem) {
            made.close();
            throw problem;
        }
    }

    @Override
    public List<Morsel> morsels() {
        List<Morsel> morsels = new ArrayList<>();
        if (!fed.isEmpty()) {
            for (int index = 0; index < feeding.size(); index++) {
                add(index, feeding.get(index).morsels(), morsels);
            }
        }
        fed.startFed(parts.size(), morsels.stream().mapToLong(Morsel::rowCount).sum());
        return morsels;
    }

    private void add(int pipeline, List<Morsel> own, List<Morsel> morsels) {
        for (Morsel morsel : own) {
            morsels.add(new Morsel(parts.size(), morsel.batch(), morsel.firstRow(), morsel.rowCount()));
            parts.add(new Part(pipeline, morsel));
        }
    }

    /// What feeding pipelines have left, then what this one has.
    @Override
    public List<Morsel> moreMorsels() {
        List<Morsel> morsels = new ArrayList<>();
        if (!fed.isEmpty()) {
            for (int index = 0; index < feeding.size(); index++) {
                add(index, feeding.get(index).moreMorsels(), morsels);
            }
        }
        if (morsels.isEmpty()) {
            fed.countMorsels(parts.size());
            add(-1, fed.moreMorsels(), morsels);
        }
        return morsels;
    }

    @Override
    public SinkState newState() {
        return new State(fed.newState());
    }

    @Override
    public SinkState newState(TileSink sink) {
        return new State(fed.newState(sink));
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        State own = (State) state;
        Part part = parts.get(morsel.index());
        if (part.pipeline() < 0) {
            fed.run(part.morsel(), own.worker);
            return;
        }
        long start = System.nanoTime();
        FeedSink feed = own.feed(part.pipeline());
        feed.begin(morsel);
        feeding.get(part.pipeline()).run(part.morsel(), own.states[part.pipeline()]);
        fed.endFed(morsel.index(), own.worker, feed.takeRowsFed());
        contexts.get(part.pipeline()).counters().workNanos.add(System.nanoTime() - start);
    }

    @Override
    public boolean isSatisfied() {
        return fed.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        return fed.mergeParts(round, workers(states));
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        fed.merge(round, part, workers(states));
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        try {
            return fed.finish(workers(states));
        } finally {
            states.forEach(state -> ((State) state).closeFeeding());
        }
    }

    private static List<SinkState> workers(List<SinkState> states) {
        return states.stream().map(state -> (SinkState) ((State) state).worker).toList();
    }

    @Override
    public void close() {
        feeding.forEach(Feeding::close);
        fed.close();
    }

    /// A worker's state of all the pipelines.
    private final class State implements SinkState {
        private final CpuWorker worker;
        private final FeedSink[] feeds = new FeedSink[feeding.size()];
        private final SinkState[] states = new SinkState[feeding.size()];

        State(CpuWorker worker) {
            this.worker = worker;
        }

        FeedSink feed(int pipeline) {
            if (feeds[pipeline] == null) {
                feeds[pipeline] = new FeedSink(worker);
                states[pipeline] = feeding.get(pipeline).newState(feeds[pipeline]);
            }
            return feeds[pipeline];
        }

        @Override
        public Schema layout() {
            return worker.layout();
        }

        @Override
        public void exportTo(Consumer<Batch> receiver) {
            worker.exportTo(receiver);
        }

        @Override
        public void transferIn(Batch content) {
            worker.transferIn(content);
        }

        @Override
        public long reservedBytes() {
            return worker.reservedBytes();
        }

        @Override
        public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
            worker.exportPartitions(firstBit, partitionCount, receiver);
        }

        void closeFeeding() {
            for (SinkState state : states) {
                if (state != null) {
                    state.close();
                }
            }
        }

        @Override
        public void close() {
            closeFeeding();
            worker.close();
        }
    }
}
