package dev.quarrel.calcite.rel;

/// A node that no device runs: it reads its inputs' rows in the host process and makes rows of them, with PostgreSQL's
/// semantics. Pipelines above it read what it made as a table.
public interface HostRel extends QuarrelRel {}
