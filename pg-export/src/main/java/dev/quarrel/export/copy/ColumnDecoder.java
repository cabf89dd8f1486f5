package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;

/// Appends one column's fields of many rows at once: a loop without calls for the types that most columns have, and
/// the column's [FieldReader] for the rest, and for values that need a second look.
///
/// - Errors: those of the field reader.
sealed interface ColumnDecoder {
    /// @param positions where each row's field is; the four bytes before it are its length, -1 for NULL. Both are
    ///     checked to lie in `bytes`.
    /// @param lengthBits every row's length exclusive-or `width`, or-ed together: 0 where all are `width`, negative
    ///     where there is a NULL
    void decode(byte[] bytes, int[] positions, int count, int lengthBits, ColumnWriter out);

    /// How long every field of the column is, or 0 where they differ.
    default int width() {
        return 0;
    }

    static ColumnDecoder of(PgType type, DataType target, FieldReader reader, boolean checkUtf8) {
        return switch (type) {
            case INT2 -> target instanceof DataType.Int16 ? new Int16s(reader) : new Fields(reader);
            case INT4 -> target instanceof DataType.Int32 ? new Int32s(reader, false) : new Fields(reader);
            case FLOAT4 -> target instanceof DataType.Float32 ? new Int32s(reader, false) : new Fields(reader);
            case DATE -> target instanceof DataType.Date ? new Int32s(reader, true) : new Fields(reader);
            case INT8 -> target instanceof DataType.Int64 ? new Int64s(reader, false) : new Fields(reader);
            case FLOAT8 -> target instanceof DataType.Float64 ? new Int64s(reader, false) : new Fields(reader);
            case TIME -> target instanceof DataType.Time ? new Int64s(reader, false) : new Fields(reader);
            case TIMESTAMP, TIMESTAMPTZ ->
                target instanceof DataType.Timestamp ? new Int64s(reader, true) : new Fields(reader);
            case TEXT, VARCHAR, BPCHAR, NAME ->
                target instanceof DataType.Utf8 && !checkUtf8 ? new Texts() : new Fields(reader);
            case BYTEA -> target instanceof DataType.Binary ? new Texts() : new Fields(reader);
            default -> new Fields(reader);
        };
    }

    /// Field by field, for every type.
    record Fields(FieldReader reader) implements ColumnDecoder {
        @Override
        public void decode(byte[] bytes, int[] positions, int count, int lengthBits, ColumnWriter out) {
            for (int row = 0; row < count; row++) {
                int at = positions[row];
                int length = (int) FieldReader.INT32.get(bytes, at - 4);
                if (length >= 0) {
                    reader.read(bytes, at, length, out);
                } else {
                    out.appendNull();
                }
            }
        }
    }

    /// Marks the rows that have a value.
    ///
    /// @return false where one has another length than `width`
    private static boolean present(byte[] bytes, int[] positions, int count, int width, long[] present) {
        boolean regular = true;
        for (int row = 0; row < count; row++) {
            int length = (int) FieldReader.INT32.get(bytes, positions[row] - 4);
            regular &= length == width || length == -1;
            long bit = 1L << row;
            present[row >>> 6] = (row & 63) == 0 ? 0 : present[row >>> 6];
            present[row >>> 6] |= length == -1 ? 0 : bit;
        }
        return regular;
    }

    private static boolean isPresent(long[] present, int row) {
        return (present[row >>> 6] >>> row & 1) != 0;
    }

    final class Int16s implements ColumnDecoder {
        private final Fields fields;
        private final short[] values = new short[CopyFrames.MAX_FRAMES];
        private final long[] present = new long[CopyFrames.MAX_FRAMES / 64];

        Int16s(FieldReader reader) {
            this.fields = new Fields(reader);
        }

        @Override
        public int width() {
            return 2;
        }

        @Override
        public void decode(byte[] bytes, int[] positions, int count, int lengthBits, ColumnWriter out) {
            if (lengthBits == 0) {
                for (int row = 0; row < count; row++) {
                    values[row] = (short) FieldReader.INT16.get(bytes, positions[row]);
                }
                out.appendInt16s(values, null, count);
                return;
            }
            if (!present(bytes, positions, count, 2, present)) {
                fields.decode(bytes, positions, count, lengthBits, out);
                return;
            }
            for (int row = 0; row < count; row++) {
                values[row] = isPresent(present, row) ? (short) FieldReader.INT16.get(bytes, positions[row]) : 0;
            }
            out.appendInt16s(values, present, count);
        }
    }

    /// Four bytes; dates are moved to Arrow's epoch.
    final class Int32s implements ColumnDecoder {
        private final Fields fields;
        private final boolean isDate;
        private final int nothing; // what a NULL is before dates are moved, so that it is 0 in the file
        private final int[] values = new int[CopyFrames.MAX_FRAMES];
        private final long[] present = new long[CopyFrames.MAX_FRAMES / 64];

        Int32s(FieldReader reader, boolean isDate) {
            this.fields = new Fields(reader);
            this.isDate = isDate;
            this.nothing = isDate ? -FieldReader.EPOCH_DAYS : 0;
        }

        @Override
        public int width() {
            return 4;
        }

        @Override
        public void decode(byte[] bytes, int[] positions, int count, int lengthBits, ColumnWriter out) {
            boolean isFull = lengthBits == 0;
            if (isFull) {
                for (int row = 0; row < count; row++) {
                    values[row] = (int) FieldReader.INT32.get(bytes, positions[row]);
                }
            } else {
                if (!present(bytes, positions, count, 4, present)) {
                    fields.decode(bytes, positions, count, lengthBits, out);
                    return;
                }
                for (int row = 0; row < count; row++) {
                    values[row] =
                            isPresent(present, row) ? (int) FieldReader.INT32.get(bytes, positions[row]) : nothing;
                }
            }
            if (isDate && !shiftDates(count)) {
                fields.decode(bytes, positions, count, lengthBits, out);
                return;
            }
            out.appendInt32s(values, isFull ? null : present, count);
        }

        /// @return false where one of them is an infinity, or out of range
        private boolean shiftDates(int count) {
            int min = Integer.MAX_VALUE;
            int max = Integer.MIN_VALUE;
            for (int row = 0; row < count; row++) {
                min = Math.min(min, values[row]);
                max = Math.max(max, values[row]);
                values[row] += FieldReader.EPOCH_DAYS;
            }
            return min != Integer.MIN_VALUE && (long) max + FieldReader.EPOCH_DAYS < PgText.DATE_INFINITY;
        }
    }

    /// Eight bytes; timestamps are moved to Arrow's epoch.
    final class Int64s implements ColumnDecoder {
        private final Fields fields;
        private final boolean isTimestamp;
        private final long nothing; // as above
        private final long[] values = new long[CopyFrames.MAX_FRAMES];
        private final long[] present = new long[CopyFrames.MAX_FRAMES / 64];

        Int64s(FieldReader reader, boolean isTimestamp) {
            this.fields = new Fields(reader);
            this.isTimestamp = isTimestamp;
            this.nothing = isTimestamp ? -FieldReader.EPOCH_MICROS : 0;
        }

        @Override
        public int width() {
            return 8;
        }

        @Override
        public void decode(byte[] bytes, int[] positions, int count, int lengthBits, ColumnWriter out) {
            boolean isFull = lengthBits == 0;
            if (isFull) {
                for (int row = 0; row < count; row++) {
                    values[row] = (long) FieldReader.INT64.get(bytes, positions[row]);
                }
            } else {
                if (!present(bytes, positions, count, 8, present)) {
                    fields.decode(bytes, positions, count, lengthBits, out);
                    return;
                }
                for (int row = 0; row < count; row++) {
                    values[row] =
                            isPresent(present, row) ? (long) FieldReader.INT64.get(bytes, positions[row]) : nothing;
                }
            }
            if (isTimestamp && !shiftTimestamps(count)) {
                fields.decode(bytes, positions, count, lengthBits, out);
                return;
            }
            out.appendInt64s(values, isFull ? null : present, count);
        }

        /// @return false where one of them is an infinity, or out of range
        private boolean shiftTimestamps(int count) {
            long min = Long.MAX_VALUE;
            long max = Long.MIN_VALUE;
            for (int row = 0; row < count; row++) {
                min = Math.min(min, values[row]);
                max = Math.max(max, values[row]);
                values[row] += FieldReader.EPOCH_MICROS;
            }
            return min != Long.MIN_VALUE && max < Long.MAX_VALUE - FieldReader.EPOCH_MICROS;
        }
    }

    /// Texts and byte strings, as they come.
    final class Texts implements ColumnDecoder {
        private final int[] lengths = new int[CopyFrames.MAX_FRAMES];
        private final long[] present = new long[CopyFrames.MAX_FRAMES / 64];

        @Override
        public void decode(byte[] bytes, int[] positions, int count, int lengthBits, ColumnWriter out) {
            boolean isFull = lengthBits >= 0;
            for (int row = 0; row < count; row++) {
                lengths[row] = Math.max(0, (int) FieldReader.INT32.get(bytes, positions[row] - 4));
            }
            if (!isFull) {
                present(bytes, positions, count, 0, present);
            }
            out.appendTexts(bytes, positions, lengths, isFull ? null : present, count);
        }
    }
}
