package dev.quarrel.core.run;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.event.PipelineFinished;
import dev.quarrel.core.ir.Pipeline;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// One pipeline's way through an execution: wait for inputs, prepare, run morsels, merge, finish.
///
/// Fields change under the scheduler's lock; work runs outside it, and while it does nobody but the step
/// touches what it
/// works on.
final class PipelineRun {
    private enum Phase {
        WAITING,
        RUNNING,
        MERGING,
        DONE
    }

    private final QueryRun query;
    private final Pipeline pipeline;
    private final Placement.Choice choice;
    private final Device device;
    private final boolean isRoot;
    private final PipelineCounters counters = new PipelineCounters();
    private final SinkState[] states;
    private Phase phase = Phase.WAITING;
    private boolean alone; // a step that tolerates no other of this pipeline is running
    private int active;
    private PreparedPipeline prepared;
    private List<Morsel> morsels = List.of();
    private int nextMorsel; // among `morsels`
    private int firstMorsel; // the index of the first of them
    private List<SinkState> merging = List.of();
    private int mergeRound;
    private int mergeParts;
    private int nextPart;
    private Materialized materialized;
    private long startNanos;

    PipelineRun(QueryRun query, Pipeline pipeline, Placement.Choice choice, boolean isRoot) {
        this.query = query;
        this.pipeline = pipeline;
        this.choice = choice;
        this.device = choice.device();
        this.isRoot = isRoot;
        this.states = new SinkState[query.threads()];
    }

    Placement.Choice choice() {
        return choice;
    }

    PipelineCounters counters() {
        return counters;
    }

    boolean isDone() {
        return phase == Phase.DONE;
    }

    Materialized materialized() {
        return materialized;
    }

    /// The next step of this pipeline for a worker, or null; under the lock.
    Runnable poll(int worker) {
        if (alone) {
            return null;
        }
        return switch (phase) {
            case WAITING -> pipeline.inputs().stream().allMatch(query::isDone) ? alone(this::prepare) : null;
            case RUNNING -> pollMorsel(worker);
            case MERGING -> {
                if (nextPart < mergeParts) {
                    int part = nextPart++;
                    int round = mergeRound;
                    yield shared(() -> prepared.merge(round, part, merging));
                }
                yield active > 0 ? null : alone(mergeParts == 0 ? this::finish : this::endRound);
            }
            case DONE -> null;
        };
    }

    private Runnable pollMorsel(int worker) {
        boolean isExhausted = nextMorsel == morsels.size()
                || prepared.isSatisfied()
                || isRoot && query.results().isSatisfied();
        if (isExhausted) {
            return active == 0 ? alone(this::endMorsels) : null;
        }
        if (isRoot && !query.results().admits(firstMorsel + nextMorsel)) {
            return null;
        }
        Morsel morsel = morsels.get(nextMorsel++);
        return shared(() -> run(morsel, worker));
    }

    private Runnable shared(Runnable work) {
        active++;
        long started = query.stepStarted();
        return () -> step(work, false, started);
    }

    private Runnable alone(Runnable work) {
        alone = true;
        active++;
        long started = query.stepStarted();
        return () -> step(work, true, started);
    }

    private void step(Runnable work, boolean isAlone, long started) {
        Throwable error = null;
        try {
            query.cancellation().check();
            work.run();
        } catch (Throwable problem) { // whatever it is, the reader must learn of it and the worker live on
            error = StepErrors.ofPipeline(problem, pipeline, query.snapshot());
        }
        counters.workNanos.add(System.nanoTime() - started);
        query.lock();
        try {
            active--;
            if (isAlone) {
                alone = false;
                query.signalWork();
            }
            if (error != null) {
                query.fail(error);
            }
            query.stepEnded(started);
        } finally {
            query.unlock();
        }
    }

    private void prepare() {
        long start = System.nanoTime();
        PreparedPipeline made = device.prepare(query.plan(), pipeline, query.contextOf(this));
        query.lock();
        try {
            prepared = made;
        } finally {
            query.unlock();
        }
        List<Morsel> work = made.morsels();
        startNanos = System.nanoTime();
        counters.prepareNanos.add(startNanos - start);
        query.lock();
        try {
            morsels = work;
            phase = Phase.RUNNING;
        } finally {
            query.unlock();
        }
    }

    private void run(Morsel morsel, int worker) {
        if (states[worker] == null) {
            states[worker] = prepared.newState();
        }
        RuntimeException error = null;
        try {
            prepared.run(morsel, states[worker]);
        } catch (RuntimeException problem) {
            error = problem;
        }
        if (!isRoot) {
            if (error != null) {
                throw error;
            }
            return;
        }
        query.lock();
        try {
            if (error == null) {
                query.results().ended(morsel.index());
            } else if (!query.results().failed(morsel.index(), error)) {
                throw error;
            }
        } finally {
            query.unlock();
        }
    }

    private void endMorsels() {
        if (nextMorsel == morsels.size() && !prepared.isSatisfied()) {
            List<Morsel> more = prepared.moreMorsels();
            if (!more.isEmpty()) {
                query.lock();
                try {
                    morsels = more;
                    firstMorsel += nextMorsel;
                    nextMorsel = 0;
                } finally {
                    query.unlock();
                }
                return;
            }
        }
        List<SinkState> filled = Arrays.stream(states).filter(Objects::nonNull).toList();
        int parts = prepared.mergeParts(0, filled);
        query.lock();
        try {
            merging = filled;
            mergeParts = parts;
            phase = Phase.MERGING;
        } finally {
            query.unlock();
        }
    }

    private void endRound() {
        int parts = prepared.mergeParts(mergeRound + 1, merging);
        query.lock();
        try {
            mergeRound++;
            mergeParts = parts;
            nextPart = 0;
        } finally {
            query.unlock();
        }
    }

    private void finish() {
        Materialized made = prepared.finish(merging);
        counters.elapsedNanos.add(System.nanoTime() - startNanos);
        query.lock();
        try {
            materialized = made;
            Arrays.fill(states, null);
            merging = List.of();
            phase = Phase.DONE;
            query.signalReader();
        } finally {
            query.unlock();
        }
        PipelineFinished.commit(query.id(), pipeline, device.name(), counters);
    }

    /// Hands out what is still open, the last made first; under the lock, when no step runs.
    void drainTo(List<AutoCloseable> resources) {
        for (SinkState state : states) {
            if (state != null) {
                resources.add(state);
            }
        }
        Arrays.fill(states, null);
        if (materialized != null) {
            resources.add(materialized);
        }
        if (prepared != null) {
            resources.add(prepared);
        }
        phase = Phase.DONE;
    }
}
