package dev.quarrel.cuda.group;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.CpuDevice;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import dev.quarrel.cuda.facts.BuildSurvey;
import dev.quarrel.cuda.facts.CpuContext;
import dev.quarrel.cuda.facts.DeviceBuild;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// The CPU's side of an aggregate whose build sides are on the device: it says which batches count, and takes over the
/// groups. The pipeline itself it has only once it must run over rows, since that takes the rows of the build sides.
///
/// It runs over rows from the start or not at all: nothing that the device has done counts then.
public final class DeferredCpu implements PreparedPipeline {
    private final CpuDevice cpu;
    private final QueryPlan plan;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final boolean isEmpty;
    private final PreparedPipeline scan;
    private PreparedPipeline groups; // once they are taken over
    private volatile PreparedPipeline whole; // once it runs over rows

    /// Whether a pipeline looks keys up in what is on the device alone.
    public static boolean takes(Pipeline pipeline, PipelineContext context) {
        return pipeline.sink() instanceof Sink.Aggregate
                && pipeline.source() instanceof Source.TableScan
                && pipeline.joins().stream()
                        .anyMatch(join -> context.materialized(join.build()) instanceof DeviceBuild);
    }

    public DeferredCpu(CpuDevice cpu, QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        this.cpu = cpu;
        this.plan = plan;
        this.pipeline = pipeline;
        this.context = context;
        this.isEmpty = pipeline.joins().stream()
                .anyMatch(join -> join.kind().needsMatch()
                        && context.materialized(join.build()).rowCount() == 0);
        this.scan = scan();
    }

    /// The source's batches, without those in which no key is between the least and the greatest of a build side.
    private PreparedPipeline scan() {
        Source.TableScan source = (Source.TableScan) pipeline.source();
        List<Literal> values = new ArrayList<>(context.slotValues());
        List<ColumnRange> ranges = new ArrayList<>(source.ranges());
        for (int index = 0; index < pipeline.joins().size(); index++) {
            Join join = pipeline.joins().get(index);
            if (!join.kind().needsMatch()
                    || !(context.materialized(join.build()) instanceof DeviceBuild build)
                    || build.rowCount() == 0) {
                continue;
            }
            int column = pipeline.sourceColumn(index, join.keys().getFirst());
            if (column >= 0) {
                BuildSurvey survey = build.survey();
                values.add(new Literal(source.types().get(column), survey.leastKey()));
                values.add(new Literal(source.types().get(column), survey.greatestKey()));
                ranges.add(new ColumnRange(column, values.size() - 2, values.size() - 1));
            }
        }
        ProgramBuilder program = new ProgramBuilder(source.types());
        Pipeline counting = new Pipeline(
                pipeline.id(),
                new Source.TableScan(
                        source.schemaName(), source.tableName(), source.columnNames(), source.types(), ranges),
                List.of(program.build(ProgramBuilder.ALL_ROWS, List.of(), plan.slots())),
                List.of(),
                new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
        return cpu.prepare(plan, counting, new CpuContext(context, values));
    }

    /// The pipeline's sink, over no rows.
    private PreparedPipeline groups() {
        if (groups == null) {
            List<DataType> types = pipeline.lastProgram().outputTypes();
            Pipeline sink = new Pipeline(
                    pipeline.id(),
                    new Source.Values(0, types, List.of()),
                    List.of(ProgramBuilder.identity(types)),
                    List.of(),
                    pipeline.sink());
            groups = cpu.prepare(plan, sink, context);
        }
        return groups;
    }

    private PreparedPipeline ending() {
        return whole != null ? whole : groups();
    }

    /// The pipeline in place of this, which is closed.
    public PreparedPipeline replaced() {
        close();
        return cpu.prepare(plan, pipeline, new CpuContext(context));
    }

    /// All that the CPU runs over from here on.
    List<Morsel> restart() {
        whole = cpu.prepare(plan, pipeline, new CpuContext(context));
        return whole.morsels();
    }

    @Override
    public List<Morsel> morsels() {
        return isEmpty ? List.of() : scan.morsels();
    }

    @Override
    public List<Morsel> moreMorsels() {
        return whole == null ? List.of() : whole.moreMorsels();
    }

    @Override
    public SinkState newState() {
        return new State();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        whole.run(morsel, ((State) state).content());
    }

    @Override
    public boolean isSatisfied() {
        return whole != null && whole.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        return ending().mergeParts(round, contents(states));
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        ending().merge(round, part, contents(states));
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        return ending().finish(contents(states));
    }

    private static List<SinkState> contents(List<SinkState> states) {
        return states.stream()
                .map(state -> ((State) state).content)
                .filter(content -> content != null)
                .toList();
    }

    @Override
    public void close() {
        for (PreparedPipeline part : new PreparedPipeline[] {scan, groups, whole}) {
            if (part != null) {
                part.close();
            }
        }
    }

    /// A worker's state, once it has content.
    private final class State implements SinkState {
        private SinkState content;

        private SinkState content() {
            if (content == null) {
                content = ending().newState();
            }
            return content;
        }

        @Override
        public Schema layout() {
            return content().layout();
        }

        @Override
        public void exportTo(Consumer<Batch> receiver) {
            content().exportTo(receiver);
        }

        @Override
        public void transferIn(Batch batch) {
            content().transferIn(batch);
        }

        @Override
        public long reservedBytes() {
            return content == null ? 0 : content.reservedBytes();
        }

        @Override
        public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
            content().exportPartitions(firstBit, partitionCount, receiver);
        }

        @Override
        public void close() {
            if (content != null) {
                content.close();
            }
        }
    }
}
