package dev.quarrel.calcite;

/// Something to tell the client that is no error.
///
/// @param severity `WARNING` or `NOTICE`
/// @param code SQLSTATE
public record Notice(String severity, String code, String message) {}
