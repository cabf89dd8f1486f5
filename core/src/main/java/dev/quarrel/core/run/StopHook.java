package dev.quarrel.core.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/// Lets ctrl-C or SIGTERM end a program in good order: the JVM goes on with its shutdown when the program has
/// cleaned up, or after [#PATIENCE_SECONDS].
///
/// ```java
/// try (StopHook hook = new StopHook(cancellation::cancel)) {
///     work();
/// } // from here on the JVM may end
/// ```
public final class StopHook implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook;

    /// @param stop makes the program end soon; runs on another thread, once at most
    public StopHook(Runnable stop) {
        hook = new Thread(
                () -> {
                    asked.countDown();
                    stop.run();
                    awaitEnd();
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void awaitEnd() {
        try {
            if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                // Asked for only here: where nothing is bound to SLF4J it says so on stderr.
                LoggerFactory.getLogger(StopHook.class).warn("stop.gave_up seconds={}", PATIENCE_SECONDS);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isAsked() {
        return asked.getCount() == 0;
    }

    /// Waits for ctrl-C or SIGTERM.
    public void awaitAsked() throws InterruptedException {
        asked.await();
    }

    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyEnding) {
            // the hook is what is running
        }
    }
}
