package dev.quarrel.core.arrow.dataset;

/// Something closed when its last user lets go of it.
///
/// - Threads: whoever has one guards it.
final class Shared<T extends AutoCloseable> {
    private final T value;
    private final Runnable forget;
    private int users;

    Shared(T value, Runnable forget) {
        this.value = value;
        this.forget = forget;
    }

    T value() {
        return value;
    }

    Shared<T> use() {
        users++;
        return this;
    }

    void letGo() {
        users--;
        if (users == 0) {
            forget.run();
            try {
                value.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
