package dev.quarrel.server.session;

import dev.quarrel.core.column.Batch;
import java.util.function.Consumer;

/// A statement without rows, which was done when it began.
record FinishedCommand(String tag) implements PortalRun {
    @Override
    public long read(long limit, Consumer<Batch> rows) {
        return 0;
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public String commandTag(long rowCount) {
        return tag;
    }

    @Override
    public void close() {}
}
