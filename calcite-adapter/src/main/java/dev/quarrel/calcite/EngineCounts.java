package dev.quarrel.calcite;

import java.util.Map;

/// What an engine has done since it was opened, and what it holds now.
///
/// @param memoryBytes that queries hold now outside mapped files, of the bound of all of them
/// @param spilledBytes written to temporary files so far
/// @param busyWorkers that run a query's step now
/// @param planHits statements that found their plan made
/// @param planMisses statements that were planned
/// @param verified pipelines that were to run twice, by what came of it: `equal`, `different` or `skipped`
/// @param deviceBytes of the devices' own memories that are in use, by device
public record EngineCounts(
        long memoryBytes,
        long memoryLimitBytes,
        long spilledBytes,
        int busyWorkers,
        int workers,
        long planHits,
        long planMisses,
        Map<String, Long> verified,
        Map<String, Long> deviceBytes) {}
