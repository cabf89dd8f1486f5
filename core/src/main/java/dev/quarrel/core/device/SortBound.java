package dev.quarrel.core.device;

import dev.quarrel.core.ir.SortKey;

/// The bound of a top-N: a value of the first sort key that as many rows have reached as are asked for. Rows
/// behind it are not wanted.
///
/// @param value as a `Literal` of the key's type has it, not null
public record SortBound(SortKey key, Object value) {}
