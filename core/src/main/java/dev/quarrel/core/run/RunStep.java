package dev.quarrel.core.run;

/// A piece of a query's work on its way through a worker: a morsel, mostly.
///
/// Fields change under the scheduler's lock.
final class RunStep {
    private final QueryRun query;
    private final Work work;
    private long since; // when it began, or went on
    private long workedNanos; // before that

    /// What to do. It ends the step.
    interface Work {
        void run(RunStep step);
    }

    RunStep(QueryRun query, Work work) {
        this.query = query;
        this.work = work;
        this.since = query.stepStarted();
    }

    QueryRun query() {
        return query;
    }

    void run() {
        work.run(this);
    }

    /// Notes that it waits for its turn.
    void pause() {
        workedNanos += query.stepPaused(since);
    }

    void resume() {
        since = query.stepResumed();
    }

    /// - Returns: how long it has been worked on.
    long end() {
        workedNanos += query.stepEnded(since);
        return workedNanos;
    }
}
