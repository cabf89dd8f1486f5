package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyInput;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/// The binary format of COPY as batches of typed columns.
///
/// - Errors: `QueryException` 22P04 for what is none, 22P03 for values; the context says the row and the column.
/// - Source: PostgreSQL's `copyfromparse.c`, ReceiveCopyBinaryHeader and CopyFromBinaryOneRow.
final class BinaryRows {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0};
    private static final int OIDS_FLAG = 1 << 16;
    private static final int MAX_FIELD_BYTES = (1 << 30) - 1;
    private static final String PARAMETER = " in bind parameter ";
    private static final int STEP_BYTES = 1 << 20;

    private final String table;
    private final InputStream in;
    private final Schema schema;
    private final CopyInput values;
    private final List<PgType.Declared> types;
    private long row;
    private boolean isOver;

    BinaryRows(String table, InputStream in, Schema schema, CopyInput values) throws IOException {
        this.table = table;
        this.in = in;
        this.schema = schema;
        this.values = values;
        this.types = schema.fields().stream().map(PgType.Declared::held).toList();
        byte[] signature = in.readNBytes(SIGNATURE.length);
        if (!Arrays.equals(signature, SIGNATURE)) {
            throw wrong("COPY file signature not recognized");
        }
        int flags = int32("invalid COPY file header (missing flags)");
        if ((flags & OIDS_FLAG) != 0) {
            throw wrong("invalid COPY file header (WITH OIDS)");
        }
        if ((flags & ~OIDS_FLAG) >>> 16 != 0) {
            throw wrong("unrecognized critical flags in COPY file header");
        }
        int length = int32("invalid COPY file header (missing length)");
        if (length < 0) {
            throw wrong("invalid COPY file header (missing length)");
        }
        for (long left = length; left > 0; left--) {
            if (in.read() < 0) {
                throw wrong("invalid COPY file header (wrong length)");
            }
        }
    }

    /// The next rows; null where there are none.
    ///
    /// - Memory: the caller closes the batch.
    Batch next(int maxRows) throws IOException {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            List<ColumnWriter> writers = schema.fields().stream()
                    .map(field -> new ColumnWriter(field.type(), memory))
                    .toList();
            int count = 0;
            while (count < maxRows && !isOver && nextRow(writers)) {
                count++;
            }
            if (count > 0) {
                batch = Batch.owning(schema, ColumnWriter.finishAll(writers), count, memory::close);
            }
            return batch;
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }

    private boolean nextRow(List<ColumnWriter> writers) throws IOException {
        row++;
        int high = in.read();
        if (high < 0) {
            isOver = true; // PostgreSQL lets the trailer be missing
            return false;
        }
        int low = in.read();
        int count = (short) (high << 8 | low & 0xFF);
        if (low < 0) {
            throw wrong("unexpected EOF in COPY data");
        }
        if (count == -1) {
            isOver = true;
            if (in.read() >= 0) {
                throw wrong("received copy data after EOF marker");
            }
            return false;
        }
        if (count != schema.size()) {
            throw wrong("row field count is " + count + ", expected " + schema.size());
        }
        for (int column = 0; column < count; column++) {
            try {
                append(writers.get(column), schema.field(column), column);
            } catch (QueryException e) {
                throw ofCopy(e)
                        .withContext("COPY " + table + ", line " + row + ", column "
                                + schema.field(column).name());
            }
        }
        return true;
    }

    /// A message without the parameter's number that it has where a value is one.
    private static QueryException ofCopy(QueryException wrong) {
        String message = wrong.getMessage();
        int end = message.indexOf(PARAMETER);
        return end < 0 ? wrong : new QueryException(wrong.state(), message.substring(0, end));
    }

    private void append(ColumnWriter writer, Field field, int column) throws IOException {
        int length = int32("unexpected EOF in COPY data");
        if (length == -1) {
            if (!field.nullable()) {
                throw new QueryException(
                        SqlState.NOT_NULL_VIOLATION,
                        "null value in column \"" + field.name() + "\" violates not-null constraint");
            }
            writer.appendNull();
            return;
        }
        if (length < 0 || length > MAX_FIELD_BYTES) {
            throw wrong("invalid field size");
        }
        Object value = values.value(bytes(length), types.get(column).type(), column + 1);
        writer.append(Assigned.value(value, types.get(column), field.type()));
    }

    /// Memory is taken as bytes come, whatever a length says.
    private byte[] bytes(int length) throws IOException {
        if (length <= STEP_BYTES) {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw wrong("unexpected EOF in COPY data");
            }
            return bytes;
        }
        byte[] bytes = new byte[STEP_BYTES];
        int end = 0;
        while (end < length) {
            if (end == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(length, bytes.length * 2L));
            }
            int read = in.read(bytes, end, Math.min(length, bytes.length) - end);
            if (read < 0) {
                throw wrong("unexpected EOF in COPY data");
            }
            end += read;
        }
        return end == bytes.length ? bytes : Arrays.copyOf(bytes, end);
    }

    private int int32(String missing) throws IOException {
        byte[] bytes = in.readNBytes(4);
        if (bytes.length < 4) {
            throw wrong(missing);
        }
        return bytes[0] << 24 | (bytes[1] & 0xFF) << 16 | (bytes[2] & 0xFF) << 8 | bytes[3] & 0xFF;
    }

    private QueryException wrong(String message) {
        QueryException wrong = new QueryException(SqlState.BAD_COPY_FILE_FORMAT, message);
        return row == 0 ? wrong : wrong.withContext("COPY " + table + ", line " + row);
    }
}
