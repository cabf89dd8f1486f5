package dev.quarrel.core.column;

import dev.quarrel.core.type.DataType;

/// One field of a batch: a typed view over memory that the batch (or file) owns.
///
/// All numbers are little endian and need no alignment (buffers of a mapped Arrow file may have none).
public sealed interface Column permits FixedColumn, BoolColumn, Utf8Column, DictionaryColumn {
    DataType type();

    int rowCount();

    Validity validity();
}
