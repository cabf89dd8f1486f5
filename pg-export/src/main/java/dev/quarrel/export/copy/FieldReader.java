package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// Reads one column's fields from rows of `COPY … (FORMAT binary)` and appends their values, without an object
/// in between.
///
/// - Errors: `QueryException` 22P03 for a field of a wrong length or content, 22008 for a date or timestamp, 22003
///   for a numeric that the column cannot hold; each names the column. Nothing is appended then.
/// - Source: PostgreSQL's `*send` functions.
@FunctionalInterface
public interface FieldReader {
    VarHandle INT16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /// PostgreSQL counts days from 2000-01-01, Arrow from 1970-01-01.
    int EPOCH_DAYS = CivilDate.POSTGRES_EPOCH_DAY;

    long EPOCH_MICROS = CivilDate.POSTGRES_EPOCH_MICROS;

    /// Appends the value in `row[offset, offset + length)`, a range that the caller has checked.
    void read(byte[] row, int offset, int length, ColumnWriter out);

    /// The reader for fields of `type` into a column of `target`.
    ///
    /// @param column how errors name the column: `lineorder.lo_tax`
    /// @param unfit what becomes of values that the column cannot hold
    /// @param checkUtf8 whether text may be anything but UTF-8 (a database in SQL_ASCII)
    /// - Errors: `QueryException` 0A000 for a type that has no reader.
    static FieldReader of(PgType type, DataType target, String column, boolean checkUtf8, Unfit unfit) {
        return switch (type) {
            case BOOL ->
                (row, offset, length, out) -> {
                    expect(1, length, column, type);
                    out.appendBool(row[offset] != 0);
                };
            case INT2 ->
                (row, offset, length, out) -> {
                    expect(2, length, column, type);
                    out.appendInt16((short) INT16.get(row, offset));
                };
            case INT4 ->
                (row, offset, length, out) -> {
                    expect(4, length, column, type);
                    out.appendInt32((int) INT32.get(row, offset));
                };
            case INT8 ->
                (row, offset, length, out) -> {
                    expect(8, length, column, type);
                    out.appendInt64((long) INT64.get(row, offset));
                };
            case OID ->
                (row, offset, length, out) -> {
                    expect(4, length, column, type);
                    out.appendInt64((int) INT32.get(row, offset) & 0xFFFF_FFFFL);
                };
            // The bits of a float travel as they are, NaN's payload and -0 included.
            case FLOAT4 ->
                (row, offset, length, out) -> {
                    expect(4, length, column, type);
                    out.appendInt32((int) INT32.get(row, offset));
                };
            case FLOAT8 ->
                target instanceof DataType.Float32
                        ? new HalfReader(column, unfit.numeric() == Unfit.Overflow.NULL)
                        : (row, offset, length, out) -> {
                            expect(8, length, column, type);
                            out.appendInt64((long) INT64.get(row, offset));
                        };
            case DATE ->
                (row, offset, length, out) -> {
                    expect(4, length, column, type);
                    int days = (int) INT32.get(row, offset);
                    if (days != Integer.MAX_VALUE && days != Integer.MIN_VALUE) {
                        out.appendInt32(date(days, column));
                    } else if (unfit.keepsInfinity(days > 0, column)) {
                        out.appendInt32(days);
                    } else {
                        out.appendNull();
                    }
                };
            case TIME ->
                (row, offset, length, out) -> {
                    expect(8, length, column, type);
                    out.appendInt64((long) INT64.get(row, offset));
                };
            case INTERVAL ->
                (row, offset, length, out) -> {
                    expect(16, length, column, type);
                    int days = (int) INT32.get(row, offset + 8);
                    int months = (int) INT32.get(row, offset + 12);
                    out.appendDecimal((long) INT64.get(row, offset), Interval.calendar(months, days));
                };
            case TIMESTAMP, TIMESTAMPTZ ->
                (row, offset, length, out) -> {
                    expect(8, length, column, type);
                    long micros = (long) INT64.get(row, offset);
                    if (micros != Long.MAX_VALUE && micros != Long.MIN_VALUE) {
                        out.appendInt64(timestamp(micros, column));
                    } else if (unfit.keepsInfinity(micros > 0, column)) {
                        out.appendInt64(micros);
                    } else {
                        out.appendNull();
                    }
                };
            case NUMERIC ->
                target instanceof DataType.Utf8
                        ? text(column, checkUtf8)
                        : new NumericReader(target, column, unfit.numeric() == Unfit.Overflow.NULL);
            case TEXT, VARCHAR, BPCHAR, NAME, OTHER -> text(column, checkUtf8);
            case UUID ->
                (row, offset, length, out) -> {
                    expect(16, length, column, type);
                    out.appendUuid((long) INT64.get(row, offset) ^ Long.MIN_VALUE, (long) INT64.get(row, offset + 8));
                };
            case BYTEA -> (row, offset, length, out) -> out.appendUtf8(MemorySegment.ofArray(row), offset, length);
            case CHAR ->
                (row, offset, length, out) -> {
                    expect(1, length, column, type);
                    appendChar(row, offset, out);
                };
            default -> {
                if (type.isArray() || type.form() != null) {
                    yield text(column, checkUtf8);
                }
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "column " + column + " has type " + type.formatName() + ", which the exporter cannot write");
            }
        };
    }

    private static FieldReader text(String column, boolean checkUtf8) {
        return checkUtf8
                ? (row, offset, length, out) -> {
                    checkUtf8(row, offset, length, column);
                    out.appendUtf8(MemorySegment.ofArray(row), offset, length);
                }
                : (row, offset, length, out) -> out.appendUtf8(MemorySegment.ofArray(row), offset, length);
    }

    private static void expect(int expected, int length, String column, PgType type) {
        if (length != expected) {
            throw new QueryException(
                    SqlState.INVALID_BINARY_REPRESENTATION,
                    "column " + column + " of type " + type.formatName() + " came with " + length + " bytes instead of "
                            + expected);
        }
    }

    private static int date(int days, String column) {
        long shifted = (long) days + EPOCH_DAYS;
        if (shifted >= PgText.DATE_INFINITY) {
            throw new QueryException(
                    SqlState.INVALID_BINARY_REPRESENTATION, "column " + column + " came with a date out of range");
        }
        return (int) shifted;
    }

    private static long timestamp(long micros, String column) {
        if (micros >= Long.MAX_VALUE - EPOCH_MICROS) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW,
                    "column " + column + " has a timestamp after 294247-01-09, which Arrow's microseconds cannot hold");
        }
        return micros + EPOCH_MICROS;
    }

    /// PostgreSQL writes the byte 0 as no text, and bytes above 127 as an octal escape.
    private static void appendChar(byte[] row, int offset, ColumnWriter out) {
        int value = row[offset] & 0xFF;
        if (value == 0) {
            out.appendUtf8(MemorySegment.ofArray(row), offset, 0);
        } else if (value < 128) {
            out.appendUtf8(MemorySegment.ofArray(row), offset, 1);
        } else {
            byte[] escaped = {
                '\\', (byte) ('0' + (value >> 6)), (byte) ('0' + (value >> 3 & 7)), (byte) ('0' + (value & 7))
            };
            out.appendUtf8(MemorySegment.ofArray(escaped), 0, escaped.length);
        }
    }

    private static void checkUtf8(byte[] row, int offset, int length, String column) {
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(row, offset, length));
        } catch (CharacterCodingException _) {
            throw new QueryException(
                            SqlState.CHARACTER_NOT_IN_REPERTOIRE,
                            "column " + column + " has a text that is not valid UTF-8")
                    .withHint(
                            "The database's encoding is SQL_ASCII; convert the column, or leave it out with --exclude "
                                    + column + ".");
        }
    }
}
