/// Where a pipeline's rows go: [dev.quarrel.core.cpu.sink.TileSink], one per worker, the program that feeds it, and
// what
/// sinks share when they write to temporary files.
package dev.quarrel.core.cpu.sink;
