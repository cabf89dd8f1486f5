package dev.quarrel.calcite;

import dev.quarrel.core.pg.PgType;
import java.io.InputStream;

/// What a client sends for a COPY … FROM STDIN.
public interface CopyInput {
    /// Asks the client for its rows, and gives their bytes.
    ///
    /// - Errors: the stream's are `QueryException`: 57014 where the client gives up, the cancellation's reason.
    InputStream open(int columnCount, boolean isBinary);

    /// The value of a field in binary form, as [dev.quarrel.core.ir.Literal] has it.
    ///
    /// - Errors: `QueryException` 22P03 for bytes that are none of the type.
    ///
    /// @param column from 1
    Object value(byte[] bytes, PgType type, int column);
}
