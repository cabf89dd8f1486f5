package dev.quarrel.core.run;

import dev.quarrel.core.budget.Yielding;
import java.util.concurrent.locks.Condition;

/// A thread of the scheduler, and where it stands. Fields change under the scheduler's lock.
final class Worker extends Thread implements Yielding {
    private final Scheduler scheduler;
    private final int number;
    private final Condition turn;
    /// What it is in the midst of, or null.
    RunStep step;

    private boolean hasPlace;
    private boolean isWaiting;
    private long sliceStart;
    private volatile boolean isAskedToGiveWay;

    Worker(Scheduler scheduler, int number) {
        super(null, null, "quarrel-worker-" + number, 0, false);
        this.scheduler = scheduler;
        this.number = number;
        this.turn = scheduler.lock.newCondition();
        setDaemon(true);
    }

    @Override
    public void run() {
        scheduler.run(this);
    }

    int number() {
        return number;
    }

    boolean hasPlace() {
        return hasPlace;
    }

    /// @param atPlace whether it has a place now
    void beginSlice(boolean atPlace) {
        hasPlace = atPlace;
        sliceStart = System.nanoTime();
        isAskedToGiveWay = false;
    }

    void losePlace() {
        hasPlace = false;
    }

    /// How long it has been at its place without giving way.
    long sliceNanos(long now) {
        return now - sliceStart;
    }

    void askToGiveWay() {
        isAskedToGiveWay = true;
    }

    /// In the midst of a step.
    @Override
    public void checkpoint() {
        if (isAskedToGiveWay) {
            scheduler.giveWay(this);
        }
    }

    void beginWaiting() {
        isWaiting = true;
    }

    /// Waits until it is woken, under the lock; called by the thread itself.
    void await() {
        while (isWaiting) {
            turn.awaitUninterruptibly();
        }
    }

    /// As above, for so long at most.
    ///
    /// - Returns: whether it was woken.
    boolean await(long nanos) {
        long left = nanos;
        while (isWaiting && left > 0) {
            try {
                left = turn.awaitNanos(left);
            } catch (InterruptedException _) {
                // Nobody interrupts workers but by mistake.
            }
        }
        boolean isWoken = !isWaiting;
        isWaiting = false;
        return isWoken;
    }

    void wake() {
        isWaiting = false;
        turn.signal();
    }
}
