/// Where a pipeline's rows go: a [dev.quarrel.core.cpu.sink.TileSink] per worker and the program that feeds it; what
/// sinks share when they write to temporary files; and how a pipeline ends ([dev.quarrel.core.cpu.sink.Ending]).
package dev.quarrel.core.cpu.sink;
