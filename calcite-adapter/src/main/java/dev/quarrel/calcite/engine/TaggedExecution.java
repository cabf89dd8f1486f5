package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.core.run.ResultCursor;

/// A query's run under another statement's command tag, with the number of rows behind it.
record TaggedExecution(String tag, Execution run) implements Execution {
    @Override
    public ResultCursor cursor() {
        return run.cursor();
    }

    @Override
    public String devices() {
        return run.devices();
    }

    @Override
    public String commandTag(long rowCount) {
        return tag + " " + rowCount;
    }

    @Override
    public void close() {
        run.close();
    }
}
