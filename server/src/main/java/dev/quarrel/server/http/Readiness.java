package dev.quarrel.server.http;

/// Whether a server takes queries, and if not, why.
///
/// Threads share it.
public final class Readiness {
    private static final String WARMING_UP = "warming up";

    private String waitingFor = "opening the dataset";

    /// The reason why it takes none, or null.
    synchronized String waitingFor() {
        return waitingFor;
    }

    public synchronized boolean isReady() {
        return waitingFor == null;
    }

    /// @param reason for people
    public synchronized void waitFor(String reason) {
        waitingFor = reason;
    }

    public synchronized void ready() {
        waitingFor = null;
    }

    /// Says that queries are taken but not quick yet.
    public void warmUp() {
        waitFor(WARMING_UP);
    }

    /// Says that they are quick now; a server that has begun to stop meanwhile stays unready.
    public synchronized void warmedUp() {
        if (WARMING_UP.equals(waitingFor)) {
            waitingFor = null;
        }
    }
}
