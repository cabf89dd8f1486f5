package dev.quarrel.core.verify;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.ForwardingContext;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.device.SortBound;
import dev.quarrel.core.ir.IrText;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A pipeline that runs as it would, and when it ends runs once more elsewhere.
final class VerifiedPipeline implements PreparedPipeline {
    /// Of errors that a lack of something is, and that say nothing about rows: the first characters.
    private static final Set<String> CIRCUMSTANCES = Set.of("53", "54", "57", "58");

    private static final Logger LOG = LoggerFactory.getLogger(VerifiedPipeline.class);

    private final Device device;
    private final QueryPlan plan;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final Verification verification;
    private final MadeRows first; // filled while rows leave, or when they are made
    private final AtomicInteger openMorsels = new AtomicInteger(); // that were given out and have not ended well
    private PreparedPipeline work;

    private VerifiedPipeline(
            Device device, QueryPlan plan, Pipeline pipeline, PipelineContext context, Verification verification) {
        this.device = device;
        this.plan = plan;
        this.pipeline = pipeline;
        this.context = context;
        this.verification = verification;
        this.first = new MadeRows();
    }

    static VerifiedPipeline of(
            Device device, QueryPlan plan, Pipeline pipeline, PipelineContext context, Verification verification) {
        VerifiedPipeline verified = new VerifiedPipeline(device, plan, pipeline, context, verification);
        verified.work = device.prepare(
                plan, pipeline, pipeline.sink() instanceof Sink.Result ? verified.new Watched() : context);
        return verified;
    }

    /// The context of a pipeline whose rows leave at once: they are looked at on their way.
    private final class Watched implements ForwardingContext {
        @Override
        public PipelineContext context() {
            return context;
        }

        @Override
        public ResultChannel results() {
            ResultChannel results = context.results();
            return new ResultChannel() {
                @Override
                public void awaitRoom(Morsel morsel) {
                    results.awaitRoom(morsel);
                }

                @Override
                public void transfer(Morsel morsel, Batch batch) {
                    first.add(morsel.index(), batch);
                    results.transfer(morsel, batch);
                }
            };
        }
    }

    @Override
    public List<Morsel> morsels() {
        return counted(work.morsels());
    }

    @Override
    public List<Morsel> moreMorsels() {
        return counted(work.moreMorsels());
    }

    private List<Morsel> counted(List<Morsel> morsels) {
        openMorsels.addAndGet(morsels.size());
        return morsels;
    }

    @Override
    public SinkState newState() {
        return work.newState();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        work.run(morsel, state);
        openMorsels.decrementAndGet();
    }

    @Override
    public void transferRows(Morsel morsel, Batch rows, SinkState state) {
        work.transferRows(morsel, rows, state);
    }

    @Override
    public SortBound sortBound() {
        return work.sortBound();
    }

    @Override
    public boolean rulesOut(Morsel morsel) {
        return work.rulesOut(morsel);
    }

    @Override
    public boolean isSatisfied() {
        return work.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        return work.mergeParts(round, states);
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        work.merge(round, part, states);
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        Materialized made = work.finish(states);
        boolean isVerified = false;
        try {
            // A reader that has gone, or come to an error, has not had all rows.
            boolean isWhole = made == null ? openMorsels.get() == 0 : !made.isReadOnce();
            if (!isWhole) {
                verification.counts().skipped.increment();
            } else {
                verify(made);
            }
            isVerified = true;
            return made;
        } finally {
            if (!isVerified && made != null) {
                made.close();
            }
        }
    }

    private void verify(Materialized made) {
        if (made != null) {
            SecondRun.takeAll(made, first::add);
        }
        Verification.Way way = verification.other().of(device, plan, pipeline, context.counters());
        MadeRows second = new MadeRows();
        try {
            runOn(way.device(), second::add);
        } catch (QueryException problem) {
            context.cancellation().check();
            if (CIRCUMSTANCES.contains(problem.state().code().substring(0, 2))) {
                verification.counts().skipped.increment();
                return;
            }
            throw different(
                    way,
                    "The second run failed: " + problem.state().code() + " " + problem.getMessage()
                            + "; the first made " + first.rowCount() + " rows.");
        }
        boolean isOrdered = Verification.isOrdered(pipeline);
        if (first.equals(second, isOrdered)) {
            verification.counts().equal.increment();
            return;
        }
        boolean isMoved = first.equals(second, false);
        Long here = isMoved ? first.firstMoved(second) : first.onlyHere(second);
        Long there = isMoved ? second.firstMoved(first) : second.onlyHere(first);
        String hereText = made == null ? found(device, here) : found(made, here);
        throw different(
                way,
                (isMoved ? "Rows come in another order, first " : "Only one of them has ") + hereText + " by "
                        + way.first()
                        + ", " + found(way.device(), there) + " by " + way.name() + "; " + first.rowCount() + " and "
                        + second.rowCount() + " rows.");
    }

    private void runOn(Device on, SecondRun.Rows rows) {
        SecondRun.run(on, plan, pipeline, context, verification.memory().get(), rows);
    }

    private QueryException different(Verification.Way way, String how) {
        verification.counts().different.increment();
        LOG.error("verification.different query={} pipeline={} {}", context.queryId(), pipeline.id(), how);
        return new QueryException(
                        SqlState.INTERNAL_ERROR,
                        "pipeline " + pipeline.id() + " makes other rows by " + way.first() + " than by " + way.name())
                .withDetail(how + "\n" + IrText.of(pipeline))
                .withHint("One of the two is wrong: please report it. quarrel.verify_fraction = "
                        + verification.fraction() + " with quarrel.verify_seed = " + verification.seed()
                        + " chose pipeline " + pipeline.id() + " of query " + context.queryId() + ".");
    }

    /// The row of a hash among those that were made.
    private String found(Materialized made, Long hash) {
        AtomicReference<String> text = new AtomicReference<>();
        SecondRun.takeAll(made, (_, batch) -> look(batch, hash, text));
        return shown(hash, text);
    }

    /// The row of a hash that has left already, or whose run is over: it is made once more.
    private String found(Device on, Long hash) {
        AtomicReference<String> text = new AtomicReference<>();
        if (hash != null) {
            runOn(on, (_, batch) -> look(batch, hash, text));
        }
        return shown(hash, text);
    }

    private static String shown(Long hash, AtomicReference<String> text) {
        return hash == null
                ? "no row that is known"
                : Objects.requireNonNullElse(text.get(), "a row that did not come again");
    }

    private void look(Batch batch, Long hash, AtomicReference<String> text) {
        if (hash == null || text.get() != null) {
            return;
        }
        long[] hashes = RowHashes.of(batch);
        for (int row = 0; row < hashes.length; row++) {
            if (hashes[row] == hash) {
                StringJoiner values = new StringJoiner(", ", "(", ")");
                for (Column column : batch.columns()) {
                    Object value = verification.cells().read(column, row);
                    values.add(value == null ? "NULL" : value.toString());
                }
                text.set(values.toString());
                return;
            }
        }
    }

    @Override
    public void close() {
        work.close();
    }
}
