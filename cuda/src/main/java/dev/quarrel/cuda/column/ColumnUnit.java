package dev.quarrel.cuda.column;

/// The unit that the device keeps or evicts as a whole: a stretch of one column of one batch of a file, in one
/// encoding.
///
/// @param file whatever identifies it: its path, or its device and inode
/// @param modified its time of change: a file that was written again is another one
/// @param part which stretch of the batch's column, when all of it would be more than [#MAX_BYTES]
/// @param encoding how the bytes stand on the device: `plain`, `int16 from 7`
public record ColumnUnit(String file, long modified, int column, int batch, int part, String encoding) {
    /// Small enough for evicting one not to hurt, large enough for the bus.
    public static final long MAX_BYTES = 64L << 20;

    /// All units of one column in one encoding.
    record Whole(String file, long modified, int column, String encoding) {}

    Whole whole() {
        return new Whole(file, modified, column, encoding);
    }
}
