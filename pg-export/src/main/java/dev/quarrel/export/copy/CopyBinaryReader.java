package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Decodes one stream of `COPY … TO STDOUT (FORMAT binary)`, in pieces of any size, into column writers.
///
/// A row is looked through before its first value is appended, so the columns never differ in length. PostgreSQL
/// sends a row a message: such rows are decoded where they lie, column by column, some hundred at once. Rows cut by a
/// message's end are put together first.
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

    // The rows of one tile: where each row's next field begins; by column, where the values lie; and what is known of
    // their lengths, for `ColumnDecoder.decode`.
    private final ColumnDecoder[] decoders;
    private final int[] cursors = new int[CopyFrames.MAX_FRAMES];
    private final int[][] positions;
    private final int[] lengthBits;

    private final Values values = new Values();

    private State state = State.HEADER;
    private byte[] pending = new byte[0];
    private int pendingBytes;
    private long rowCount;
    private long rowsToSkip;

    /// @param columnNames one a field, for messages
    /// @param nullable whether each field may be NULL
    public CopyBinaryReader(
            String tableName, List<String> columnNames, List<FieldReader> readers, List<Boolean> nullable) {
        this(
                tableName,
                columnNames,
                readers,
                nullable,
                readers.stream().<ColumnDecoder>map(ColumnDecoder.Fields::new).toList());
    }

    /// A reader of columns as their types are.
    ///
    /// @param checkUtf8 whether text may be anything but UTF-8
    public static CopyBinaryReader of(
            String tableName,
            List<String> columnNames,
            List<FieldReader> readers,
            List<Boolean> nullable,
            List<PgType> types,
            List<DataType> targets,
            boolean checkUtf8) {
        List<ColumnDecoder> decoders = new ArrayList<>();
        for (int column = 0; column < types.size(); column++) {
            decoders.add(ColumnDecoder.of(types.get(column), targets.get(column), readers.get(column), checkUtf8));
        }
        return new CopyBinaryReader(tableName, columnNames, readers, nullable, decoders);
    }

    private CopyBinaryReader(
            String tableName,
            List<String> columnNames,
            List<FieldReader> readers,
            List<Boolean> nullable,
            List<ColumnDecoder> decoders) {
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
        this.decoders = decoders.toArray(ColumnDecoder[]::new);
        this.positions = new int[this.readers.length][CopyFrames.MAX_FRAMES];
        this.lengthBits = new int[this.readers.length];
    }

    /// What becomes of rows unless they are wanted as they are: their values are appended.
    private final class Values implements CopyRowSink {
        private ColumnWriter[] writers = {};

        @Override
        public void row(byte[] bytes, int start, int end) {
            int at = start;
            for (int field = 0; field < readers.length; field++) {
                int length = (int) FieldReader.INT32.get(bytes, at);
                at += 4;
                if (length >= 0) {
                    readers[field].read(bytes, at, length, writers[field]);
                    at += length;
                } else {
                    writers[field].appendNull();
                }
            }
        }

        /// Of the messages that `wholeRows` has looked through.
        @Override
        public void rows(CopyFrames frames, int first, int count) {
            for (int column = 0; column < decoders.length; column++) {
                decoders[column].decode(frames.bytes(), positions[column], count, lengthBits[column], writers[column]);
            }
        }
    }

    /// Goes on in the middle of a stream: the next byte is a row's first.
    public void beginWithRows() {
        state = State.ROWS;
    }

    /// Rows of the stream so far, those passed over included.
    public long rowCount() {
        return rowCount;
    }

    /// Passes over the next `rows` rows: the stream is one that was read before, up to there.
    public void skip(long rows) {
        rowsToSkip = rows;
    }

    /// Takes the next messages of the stream and appends their whole rows.
    ///
    /// @param writers one a field
    /// @return the number of rows appended
    public int accept(CopyFrames frames, ColumnWriter[] writers) {
        values.writers = writers;
        return accept(frames, values);
    }

    /// Takes the next messages of the stream and hands their whole rows on.
    ///
    /// @return the number of rows handed on
    public int accept(CopyFrames frames, CopyRowSink sink) {
        int accepted = 0;
        int next = 0;
        while (next < frames.count()) {
            int rows = state == State.ROWS && pendingBytes == 0 ? wholeRows(frames, next) : 0;
            if (rows == 0) {
                accepted += accept(frames.bytes(), frames.start(next), frames.end(next), sink);
                next++;
            } else if (rowsToSkip > 0) {
                rows = (int) Math.min(rows, rowsToSkip);
                rowsToSkip -= rows;
                rowCount += rows;
                next += rows;
            } else {
                sink.rows(frames, next, rows);
                rowCount += rows;
                accepted += rows;
                next += rows;
            }
        }
        return accepted;
    }

    /// Looks through messages from `first` on, one field of all after another, and notes where their values are.
    ///
    /// @return how many of them are a whole row each; what is wrong with the next one, if anything, is not said
    private int wholeRows(CopyFrames frames, int first) {
        byte[] bytes = frames.bytes();
        int count = 0;
        for (int frame = first; frame < frames.count(); frame++) {
            int start = frames.start(frame);
            if (frames.end(frame) - start < 2 || (short) FieldReader.INT16.get(bytes, start) != readers.length) {
                break;
            }
            cursors[count++] = start + 2;
        }
        for (int column = 0; column < decoders.length; column++) {
            count = fields(frames, first, count, column);
        }
        for (int row = 0; row < count; row++) {
            if (cursors[row] != frames.end(first + row)) {
                return row;
            }
        }
        return count;
    }

    /// Goes on over one field of `count` rows. A method of its own, which the JIT compiles once.
    ///
    /// @return how many rows have it whole
    private int fields(CopyFrames frames, int first, int count, int column) {
        byte[] bytes = frames.bytes();
        int width = decoders[column].width();
        int[] places = positions[column];
        int bits = 0;
        int whole = count;
        for (int row = 0; row < whole; row++) {
            int at = cursors[row] + 4;
            int left = frames.end(first + row) - at;
            int length = left < 0 ? Integer.MAX_VALUE : (int) FieldReader.INT32.get(bytes, at - 4);
            if (length > left || length < -1) {
                whole = row;
                break;
            }
            places[row] = at;
            cursors[row] = at + Math.max(length, 0);
            bits |= length ^ width;
        }
        // Bits of rows given up since do no harm: they only send the others the slower way.
        lengthBits[column] = bits;
        return bits < 0 && !nullable[column] ? Math.min(whole, firstNull(bytes, places, whole)) : whole;
    }

    private static int firstNull(byte[] bytes, int[] places, int count) {
        int row = 0;
        while (row < count && (int) FieldReader.INT32.get(bytes, places[row] - 4) != -1) {
            row++;
        }
        return row;
    }

    /// Takes the next piece of the stream and appends its whole rows.
    ///
    /// @param writers one a field
    /// @return the number of rows appended
    public int accept(byte[] piece, ColumnWriter[] writers) {
        values.writers = writers;
        return accept(piece, 0, piece.length, values);
    }

    private int accept(byte[] piece, int start, int end, CopyRowSink sink) {
        byte[] bytes = piece;
        int limit = end;
        int at = start;
        if (pendingBytes > 0) {
            keep(piece, start, end - start);
            bytes = pending;
            limit = pendingBytes;
            at = 0;
        }
        int appended = 0;
        while (at < limit) {
            long skippable = rowsToSkip;
            long rowsBefore = rowCount;
            int next =
                    switch (state) {
                        case HEADER -> readHeader(bytes, at, limit);
                        case ROWS -> readRow(bytes, at, limit, sink);
                        case ENDED -> throw broken("data after its end");
                    };
            if (next == INCOMPLETE) {
                break;
            }
            at = next;
            appended += skippable == 0 ? (int) (rowCount - rowsBefore) : 0;
        }
        if (bytes == pending) {
            System.arraycopy(pending, at, pending, 0, limit - at);
            pendingBytes = limit - at;
        } else if (at < limit) {
            keep(bytes, at, limit - at);
        }
        return appended;
    }

    /// Says that the stream has ended.
    ///
    /// - Errors: 22P03 when it ended too early.
    public void finish() {
        if (state != State.ENDED || pendingBytes > 0) {
            throw broken("it ends in the middle");
        }
        if (rowsToSkip > 0) {
            throw broken("it has " + rowsToSkip + " rows less than when it was read first");
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

    private int readRow(byte[] bytes, int start, int limit, CopyRowSink sink) {
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
        if (rowsToSkip > 0) {
            rowsToSkip--;
            rowCount++;
            return end;
        }
        sink.row(bytes, start + 2, end);
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
