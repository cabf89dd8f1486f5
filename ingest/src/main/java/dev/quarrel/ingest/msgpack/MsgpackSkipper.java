package dev.quarrel.ingest.msgpack;

/// Finds the end of a value whose bytes come in pieces, looking at each byte once.
///
/// Nothing is allocated by a length that the bytes claim: what is claimed beyond the limit is an error at once.
public final class MsgpackSkipper {
    private final int mostBytes;
    private long left; // values to come
    private long done; // bytes of the value that are skipped, some of which may not have come yet

    /// @param mostBytes of one value
    public MsgpackSkipper(int mostBytes) {
        this.mostBytes = mostBytes;
        begin();
    }

    /// Starts with the next value.
    public void begin() {
        left = 1;
        done = 0;
    }

    /// Goes on with a value that begins at `start`, as far as there are bytes.
    ///
    /// - Errors: [MsgpackException] for what is no MessagePack, and beyond the limit.
    ///
    /// @param end of the bytes that have come
    /// @return the place behind the value, or -1 where it has not come yet
    public int end(byte[] bytes, int start, int end) {
        int size = end - start;
        while (left > 0 && done < size) {
            int at = start + (int) done;
            byte first = bytes[at];
            if (!Msgpack.isUsed(first)) {
                throw new MsgpackException("byte 0xc1 begins no value");
            }
            int head = Msgpack.head(first);
            if (head > size - done) {
                return -1;
            }
            left--;
            done += head;
            switch (Msgpack.kind(first)) {
                case STR, BIN, EXT -> done += Msgpack.length(bytes, at);
                case ARRAY -> left += Msgpack.length(bytes, at);
                case MAP -> left += 2 * Msgpack.length(bytes, at);
                default -> {}
            }
            if (done + left > mostBytes) { // each value has a byte at least
                throw new MsgpackException("a message of more than " + mostBytes + " bytes");
            }
        }
        return left == 0 && done <= size ? start + (int) done : -1;
    }
}
