package dev.quarrel.cuda.vm;

/// The physical type of a column's values in device memory.
public enum Physical {
    /// One bit a row.
    BITS(0),
    /// Unsigned.
    U8(1),
    /// Unsigned.
    U16(2),
    I8(1),
    I16(2),
    /// By tiles of [ParameterBlock#PADDED_ROWS] rows: the lower 16 bits of all of them, then the upper 8.
    I24(3),
    I32(4),
    I64(8),
    /// A record a tile of 256 rows: the address of the first text's first byte, a word that is unused, one that is 0,
    /// and where each text ends, as int32 counted from that byte. The texts lie elsewhere, with
    /// [#TEXT_PADDING] bytes behind them.
    TEXT(-1);

    /// Bytes of a record of text.
    public static final int TEXT_RECORD = 16 + 4 * ParameterBlock.PADDED_ROWS;

    /// Bytes behind texts that kernels may read.
    public static final int TEXT_PADDING = 16;

    private final int bytes;

    Physical(int bytes) {
        this.bytes = bytes;
    }

    /// Bytes of the values of some rows; of text, without the texts.
    public long bytes(long rowCount) {
        return switch (this) {
            case BITS -> (rowCount + 7) / 8;
            case TEXT -> (rowCount + ParameterBlock.PADDED_ROWS - 1) / ParameterBlock.PADDED_ROWS * TEXT_RECORD;
            default -> rowCount * bytes;
        };
    }

    public int width() {
        return bytes;
    }

    /// Whether it is a signed integer of 32 bits at most, which opcodes load and test in one.
    public boolean isFused() {
        return this == I8 || this == I16 || this == I24 || this == I32;
    }
}
