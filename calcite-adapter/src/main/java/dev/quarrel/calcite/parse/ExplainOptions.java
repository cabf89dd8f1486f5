package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.explain.PlanFormat;

/// What EXPLAIN is asked to show.
///
/// @param costs whether estimates are shown
/// @param settings whether those settings are shown that differ from their defaults
/// @param buffers whether the blocks are shown that a node has written to temporary files
/// @param generic whether parameters need no values
/// @param summary whether the times of planning and execution are shown
/// @param memory whether the memory is shown that planning took
/// @param plans whether the tree after each phase of the optimizer is shown, too: an option of our own
public record ExplainOptions(
        boolean analyze,
        boolean verbose,
        boolean costs,
        boolean settings,
        boolean buffers,
        boolean generic,
        boolean timing,
        boolean summary,
        boolean memory,
        boolean plans,
        PlanFormat format) {

    /// Those of `EXPLAIN [ANALYZE] [VERBOSE]`.
    static ExplainOptions of(boolean analyze, boolean verbose) {
        return new ExplainOptions(
                analyze, verbose, true, false, false, false, analyze, analyze, false, false, PlanFormat.TEXT);
    }
}
