package dev.quarrel.core.budget;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// What another thread has made.
public final class Awaited {
    private Awaited() {}

    /// Waits for it.
    ///
    /// - Errors: that thread's own.
    public static <T> T of(CompletableFuture<T> work) {
        try {
            return work.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case RuntimeException known -> throw known;
                case Error error -> throw error;
                default -> throw new IllegalStateException(e.getCause());
            }
        }
    }
}
