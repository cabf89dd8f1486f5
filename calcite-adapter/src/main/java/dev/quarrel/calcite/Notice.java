package dev.quarrel.calcite;

/// A message for the client that is not an error, such as a warning.
///
/// @param severity `WARNING` or `NOTICE`
/// @param code SQLSTATE
public record Notice(String severity, String code, String message) {}
