package dev.quarrel.core.run;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.event.FlightRecording;
import dev.quarrel.core.event.PipelineFinished;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// One pipeline's way through an execution: wait for inputs, prepare, run morsels, merge, finish.
///
/// Fields change under the scheduler's lock; work runs outside it, and while it does nobody but the step touches
/// what it works on.
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
    /// One for each step that may fill one at the same time. A step that gives way keeps its own.
    private final SinkState[] states;

    private final boolean[] isInUse;
    private final List<Integer> inputs;
    private Phase phase;
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
        this.inputs = query.plan().inputs(pipeline);
        // What feeds another pipeline runs as a part of that.
        this.phase = pipeline.sink() instanceof Sink.Feed ? Phase.DONE : Phase.WAITING;
        this.states = new SinkState[query.threads()];
        this.isInUse = new boolean[states.length];
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

    /// Whether there is a step to take; under the lock.
    boolean isReady() {
        if (alone) {
            return false;
        }
        return switch (phase) {
            case WAITING -> hasInputs();
            case RUNNING -> isExhausted() ? active == 0 : admitsMorsel();
            case MERGING -> nextPart < mergeParts ? active < states.length : active == 0;
            case DONE -> false;
        };
    }

    private boolean hasInputs() {
        return inputs.stream().allMatch(query::isDone)
                && pipeline.filters().stream().allMatch(filter -> query.isDone(filter.build()));
    }

    private boolean isExhausted() {
        return nextMorsel == morsels.size()
                || prepared.isSatisfied()
                || isRoot && query.results().isSatisfied();
    }

    private boolean admitsMorsel() {
        return active < states.length && (!isRoot || query.results().admits(firstMorsel + nextMorsel));
    }

    /// The next step of this pipeline for a worker, or null; under the lock.
    ///
    /// @param worker its number
    RunStep poll(int worker) {
        if (alone) {
            return null;
        }
        return switch (phase) {
            case WAITING -> hasInputs() ? alone(this::prepare) : null;
            case RUNNING -> {
                if (isExhausted()) {
                    yield active == 0 ? alone(this::endMorsels) : null;
                }
                yield admitsMorsel() ? morsel(worker) : null;
            }
            case MERGING -> {
                if (nextPart < mergeParts) {
                    yield active < states.length ? part() : null;
                }
                yield active > 0 ? null : alone(mergeParts == 0 ? this::finish : this::endRound);
            }
            case DONE -> null;
        };
    }

    private RunStep part() {
        int part = nextPart++;
        int round = mergeRound;
        return shared(() -> prepared.merge(round, part, merging), -1);
    }

    private RunStep morsel(int worker) {
        Morsel morsel = morsels.get(nextMorsel++);
        // A worker's own, if it can be: what it wrote last is near.
        int state = worker % states.length;
        while (isInUse[state]) {
            state = (state + 1) % states.length;
        }
        isInUse[state] = true;
        int own = state;
        return shared(() -> run(morsel, own), own);
    }

    /// @param state the one that is to be free again at the end, or -1
    private RunStep shared(Runnable work, int state) {
        active++;
        return new RunStep(query, step -> run(step, work, false, state));
    }

    private RunStep alone(Runnable work) {
        alone = true;
        active++;
        return new RunStep(query, step -> run(step, work, true, -1));
    }

    private void run(RunStep step, Runnable work, boolean isAlone, int state) {
        Throwable error = null;
        try {
            query.cancellation().check();
            query.cancellation().during(work);
        } catch (Throwable problem) { // whatever it is, the reader must learn of it and the worker live on
            error = StepErrors.ofPipeline(problem, pipeline, query.snapshot());
        }
        query.lock();
        try {
            active--;
            if (state >= 0) {
                isInUse[state] = false;
            }
            if (isAlone) {
                alone = false; // the worker looks for what may run now
            }
            if (error != null) {
                query.fail(error);
            }
            counters.workNanos.add(step.end());
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

    private void run(Morsel morsel, int state) {
        if (states[state] == null) {
            states[state] = prepared.newState();
        }
        RuntimeException error = null;
        try {
            prepared.run(morsel, states[state]);
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
        if (FlightRecording.hasBegun()) {
            PipelineFinished.commit(query.id(), pipeline, device.name(), counters);
        }
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
