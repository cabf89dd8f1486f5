package dev.quarrel.core.device;

import dev.quarrel.core.ir.SortKey;

/// A value of the first key of an order that so many rows have reached as are asked for: rows behind it are not wanted.
///
/// @param value as a `Literal` of the key's type has it, not null
public record SortBound(SortKey key, Object value) {}
