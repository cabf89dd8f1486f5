package dev.quarrel.calcite.rel;

/// A node that runs in the host process and not on a device: it reads its inputs' rows and produces rows from
/// them, with PostgreSQL's semantics. Pipelines above it read its rows as a table.
public interface HostRel extends QuarrelRel {}
