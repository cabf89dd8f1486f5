/// The destinations of a pipeline's rows: a [dev.quarrel.core.cpu.sink.TileSink] per worker and the program that
/// feeds it; the parts that sinks share when they write to temporary files; and the end of a pipeline
/// ([dev.quarrel.core.cpu.sink.Ending]).
package dev.quarrel.core.cpu.sink;
