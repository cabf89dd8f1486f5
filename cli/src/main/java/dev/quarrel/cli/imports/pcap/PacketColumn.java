package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.DataType;

/// One column of a batch that is being filled, row by row; the rows that are not set are NULL.
sealed interface PacketColumn permits NumberColumn, BytesColumn, AddressColumn {
    /// The rows so far; it begins again with none.
    ///
    /// @param buffer where the packets' bytes are
    Column finish(DataType type, Allocator memory, byte[] buffer, int rows);
}
