package dev.quarrel.cuda.vm;

/// How a column's values lie in device memory.
public enum Physical {
    /// One bit a row.
    BITS(0),
    /// Unsigned.
    U8(1),
    /// Unsigned.
    U16(2),
    I16(2),
    I32(4),
    I64(8);

    private final int bytes;

    Physical(int bytes) {
        this.bytes = bytes;
    }

    /// Bytes of the values of some rows.
    public long bytes(long rowCount) {
        return this == BITS ? (rowCount + 7) / 8 : rowCount * bytes;
    }

    public int width() {
        return bytes;
    }
}
