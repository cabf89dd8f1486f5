package dev.quarrel.server.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.TextBuffer;
import java.util.List;

/// Writes a row's values as messages have them: how many, then each with its length in front, -1 for NULL.
///
/// - Memory: borrows the batch given to `open` until the next `open`.
final class RowValues {
    private static final int NULL_LENGTH = -1;

    private final ColumnEncoder[] columns;
    private final Validity[] validities;

    private RowValues(ColumnEncoder[] columns) {
        this.columns = columns;
        this.validities = new Validity[columns.length];
    }

    /// @param formats one a column: 0 text, 1 binary
    static RowValues of(List<ResultColumn> columns, short[] formats, TextStyle style) {
        ColumnEncoder[] encoders = new ColumnEncoder[columns.size()];
        for (int index = 0; index < encoders.length; index++) {
            ResultColumn column = columns.get(index);
            encoders[index] = RowEncoder.encoder(column, formats[index] == 0, style);
        }
        return new RowValues(encoders);
    }

    /// Takes the batch whose rows are written next.
    void open(Batch batch) {
        for (int index = 0; index < columns.length; index++) {
            columns[index].open(batch.column(index));
            validities[index] = batch.column(index).validity();
        }
    }

    void append(int rowIndex, TextBuffer out) {
        out.append((byte) (columns.length >>> 8));
        out.append((byte) columns.length);
        for (int index = 0; index < columns.length; index++) {
            if (!validities[index].isPresent(rowIndex)) {
                int32(NULL_LENGTH, out);
                continue;
            }
            int lengthAt = out.length();
            int32(0, out);
            columns[index].append(rowIndex, out);
            putInt32(lengthAt, out.length() - lengthAt - 4, out);
        }
    }

    byte[][] all(Batch batch, int rowIndex) {
        open(batch);
        byte[][] all = new byte[columns.length][];
        for (int index = 0; index < columns.length; index++) {
            if (validities[index].isPresent(rowIndex)) {
                TextBuffer value = new TextBuffer();
                columns[index].append(rowIndex, value);
                all[index] = value.toByteArray();
            }
        }
        return all;
    }

    static void int32(int value, TextBuffer out) {
        out.append((byte) (value >>> 24));
        out.append((byte) (value >>> 16));
        out.append((byte) (value >>> 8));
        out.append((byte) value);
    }

    static void putInt32(int at, int value, TextBuffer out) {
        byte[] bytes = out.array();
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }
}
