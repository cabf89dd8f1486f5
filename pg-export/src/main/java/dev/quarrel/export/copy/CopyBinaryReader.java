package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.List;

/// Decodes one stream of `COPY … TO STDOUT (FORMAT binary)`, in pieces of any size, into column writers.
///
/// A row is looked through before its first value is appended, so the columns never differ in length. PostgreSQL
/// sends a row a message, and such messages are decoded where they lie; rows cut by a message's end are put together
/// first.
///
/// - Memory: at most one row is kept between pieces.
/// - Errors: `QueryException` 22P03 naming table and row for a stream that is no such COPY: wrong signature, wrong
///   number of fields, a length below -1, data after the end, no end. After an error the reader is of no more use.
/// - Source: PostgreSQL documentation, COPY, "Binary Format".
public final class CopyBinaryReader {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0};
    private static final int FIXED_HEADER_BYTES = SIGNATURE.length + 8;
    private static final int CRITICAL_FLAGS = 0xFFFF_0000;

    // PostgreSQL builds a row in a buffer of 1 GiB; nothing larger can come.
    private static final int MAX_ROW_BYTES = 1 << 30;

    private static final int INCOMPLETE = -1;

    private enum State {
        HEADER,
        ROWS,
        ENDED
    }

    private final String tableName;
    private final FieldReader[] readers;
    private final boolean[] nullable;
    private final String[] columnNames;
    private State state = State.HEADER;
    private byte[] pending = new byte[0];
    private int pendingBytes;
    private long rowCount;

    /// @param columnNames one a field, for messages
    /// @param nullable whether each field may be NULL
    public CopyBinaryReader(
            String tableName, List<String> columnNames, List<FieldReader> readers, List<Boolean> nullable) {
        this.tableName = tableName;
        this.columnNames = columnNames.toArray(String[]::new);
        this.readers = readers.toArray(FieldReader[]::new);
        this.nullable = new boolean[nullable.size()];
        for (int index = 0; index < this.nullable.length; index++) {
            this.nullable[index] = nullable.get(index);
        }
        if (this.columnNames.length != this.readers.length || this.nullable.length != this.readers.length) {
            throw new IllegalArgumentException(columnNames + " with " + readers.size() + " readers");
        }
    }

    /// Rows decoded so far.
    public long rowCount() {
        return rowCount;
    }

    /// Takes the next piece of the stream and appends its whole rows.
    ///
    /// @param writers one a field
    /// @return the number of rows appended
    public int accept(byte[] piece, ColumnWriter[] writers) {
        byte[] bytes = piece;
        int limit = piece.length;
        if (pendingBytes > 0) {
            keep(piece, 0, piece.length);
            bytes = pending;
            limit = pendingBytes;
        }
        long rowsBefore = rowCount;
        int at = 0;
        while (at < limit) {
            int end =
                    switch (state) {
                        case HEADER -> readHeader(bytes, at, limit);
                        case ROWS -> readRow(bytes, at, limit, writers);
                        case ENDED -> throw broken("data after its end");
                    };
            if (end == INCOMPLETE) {
                break;
            }
            at = end;
        }
        if (bytes == pending) {
            System.arraycopy(pending, at, pending, 0, limit - at);
            pendingBytes = limit - at;
        } else if (at < limit) {
            keep(piece, at, limit - at);
        }
        return (int) (rowCount - rowsBefore);
    }

    /// Says that the stream has ended.
    ///
    /// - Errors: 22P03 when it ended too early.
    public void finish() {
        if (state != State.ENDED || pendingBytes > 0) {
            throw broken("it ends in the middle");
        }
    }

    private void keep(byte[] piece, int offset, int length) {
        int needed = pendingBytes + length;
        if (needed < 0 || needed > MAX_ROW_BYTES) {
            throw broken("a row of more than 1 GiB");
        }
        if (needed > pending.length) {
            pending = Arrays.copyOf(pending, (int) Math.max(needed, Math.min(MAX_ROW_BYTES, pending.length * 2L)));
        }
        System.arraycopy(piece, offset, pending, pendingBytes, length);
        pendingBytes = needed;
    }

    private int readHeader(byte[] bytes, int start, int limit) {
        int known = Math.min(SIGNATURE.length, limit - start);
        if (!Arrays.equals(bytes, start, start + known, SIGNATURE, 0, known)) {
            throw broken("it does not begin with COPY's signature");
        }
        if (limit - start < FIXED_HEADER_BYTES) {
            return INCOMPLETE;
        }
        int flags = (int) FieldReader.INT32.get(bytes, start + SIGNATURE.length);
        if ((flags & CRITICAL_FLAGS) != 0) {
            throw broken("its header has unknown flags " + Integer.toHexString(flags));
        }
        int extensionBytes = (int) FieldReader.INT32.get(bytes, start + SIGNATURE.length + 4);
        if (extensionBytes < 0 || extensionBytes > MAX_ROW_BYTES - FIXED_HEADER_BYTES) {
            throw broken("its header has an extension of " + extensionBytes + " bytes");
        }
        if (limit - start - FIXED_HEADER_BYTES < extensionBytes) {
            return INCOMPLETE;
        }
        state = State.ROWS;
        return start + FIXED_HEADER_BYTES + extensionBytes;
    }

    private int readRow(byte[] bytes, int start, int limit, ColumnWriter[] writers) {
        if (limit - start < 2) {
            return INCOMPLETE;
        }
        int fieldCount = (short) FieldReader.INT16.get(bytes, start);
        if (fieldCount == -1) {
            state = State.ENDED;
            return start + 2;
        }
        if (fieldCount != readers.length) {
            throw broken("a row of " + fieldCount + " fields instead of " + readers.length);
        }
        int end = rowEnd(bytes, start + 2, limit);
        if (end == INCOMPLETE) {
            return INCOMPLETE;
        }
        int at = start + 2;
        for (int field = 0; field < fieldCount; field++) {
            int length = (int) FieldReader.INT32.get(bytes, at);
            at += 4;
            if (length >= 0) {
                readers[field].read(bytes, at, length, writers[field]);
                at += length;
            } else {
                writers[field].appendNull();
            }
        }
        rowCount++;
        return end;
    }

    /// Walks over the fields' lengths and checks them.
    private int rowEnd(byte[] bytes, int start, int limit) {
        int at = start;
        for (int field = 0; field < readers.length; field++) {
            if (limit - at < 4) {
                return INCOMPLETE;
            }
            int length = (int) FieldReader.INT32.get(bytes, at);
            at += 4;
            if (length < -1 || length > MAX_ROW_BYTES) {
                throw broken("a field of " + length + " bytes in column " + columnNames[field]);
            }
            if (length == -1) {
                if (!nullable[field]) {
                    throw broken("NULL in column " + columnNames[field] + ", which is declared not null");
                }
            } else if (length > limit - at) {
                return INCOMPLETE;
            } else {
                at += length;
            }
        }
        return at;
    }

    private QueryException broken(String what) {
        return new QueryException(
                SqlState.INVALID_BINARY_REPRESENTATION,
                "the COPY stream of " + tableName + " is broken after row " + rowCount + ": " + what);
    }
}
