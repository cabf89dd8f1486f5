package dev.quarrel.core.cpu;

import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;

/// A prepared pipeline that can feed another one.
interface Feeding extends PreparedPipeline {
    /// A state for one worker.
    ///
    /// @param sink what takes the rows on that worker; whoever closes the state closes it as well
    SinkState newState(TileSink sink);
}
