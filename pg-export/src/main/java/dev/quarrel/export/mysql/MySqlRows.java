package dev.quarrel.export.mysql;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.HalfReader;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.source.MySqlError;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// The rows of one statement, as the server streams them.
///
/// - Memory: owns the statement; the driver holds some hundred rows at a time.
/// - Errors: 22008 naming the column for a date that no calendar knows, 22003 for a decimal that the column
///   cannot hold, unless such ones become NULL.
public final class MySqlRows implements AutoCloseable {
    private static final int FETCHED_ROWS = 1000;
    private static final int SYSTEM_BYTES = 4;

    // 0000-03-01: MySQL's year 0 has no 29th of February, so that what is before it is counted a day later.
    private static final int FIRST_REGULAR_DAY = -719_468;
    private static final long DAY_MICROS = 86_400_000_000L;

    private static final LocalDateTime EPOCH = LocalDateTime.of(1970, 1, 1, 0, 0);

    private final String tableName;
    private final List<MySqlColumn> columns;
    private final List<HalfReader> halves; // by column, null for others
    private final Unfit unfit;
    private final PreparedStatement statement;
    private final ResultSet rows;
    private boolean isEnded;

    /// - Errors: `QueryException` 42804 when a query's rows have other columns than the server has said.
    MySqlRows(Connection connection, String sql, ExportTable table, MySqlCatalog.Sent sent, ExportConfig config)
            throws SQLException {
        this.tableName = table.qualifiedName();
        this.columns = sent.columns();
        this.unfit = config.unfit();
        this.halves = new ArrayList<>();
        for (MySqlColumn column : columns) {
            boolean turnsToNull = unfit.numeric() == Unfit.Overflow.NULL;
            halves.add(
                    column.form() == MySqlColumn.Form.HALF
                            ? new HalfReader(table.name() + "." + column.name(), turnsToNull)
                            : null);
        }
        this.statement = connection.prepareStatement(sql);
        try {
            statement.setFetchSize(FETCHED_ROWS);
            this.rows = statement.executeQuery();
            if (sent.described() != null) {
                check(sent.described(), MySqlQueries.columns(rows.getMetaData(), config));
            }
        } catch (SQLException | RuntimeException failure) {
            statement.close();
            throw failure;
        }
    }

    private void check(List<MySqlColumn> described, List<MySqlColumn> found) {
        if (!described.equals(MySqlQueries.merged(described, found))) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH,
                    "the query of table " + tableName + " has other columns than the server has said");
        }
    }

    /// Appends the next rows, `most` of them at most.
    ///
    /// @return their number: less than `most` at the end
    public int read(ColumnWriter[] writers, int most) {
        int count = 0;
        try {
            while (count < most && !isEnded && rows.next()) {
                for (int index = 0; index < writers.length; index++) {
                    append(index, writers[index]);
                }
                count++;
            }
        } catch (SQLException failure) {
            throw MySqlError.of("could not read " + tableName, failure);
        }
        isEnded |= count < most;
        return count;
    }

    private void append(int index, ColumnWriter out) throws SQLException {
        MySqlColumn column = columns.get(index);
        int place = index + 1;
        switch (column.form()) {
            case INT16 -> {
                short value = rows.getShort(place);
                if (!appendedNull(out)) {
                    out.appendInt16(value);
                }
            }
            case INT32 -> {
                int value = rows.getInt(place);
                if (!appendedNull(out)) {
                    out.appendInt32(value);
                }
            }
            case INT64 -> {
                long value = rows.getLong(place);
                if (!appendedNull(out)) {
                    out.appendInt64(value);
                }
            }
            case SMALL_DECIMAL -> {
                long value = rows.getLong(place);
                if (!appendedNull(out)) {
                    out.appendDecimal(value >> 63, value);
                }
            }
            case DECIMAL, WIDE_DECIMAL -> {
                BigDecimal value = rows.getBigDecimal(place);
                if (!appendedNull(out)) {
                    appendDecimal(value, column, out);
                }
            }
            case HALF -> {
                double value = rows.getDouble(place);
                if (!appendedNull(out)) {
                    halves.get(index).append(value, out);
                }
            }
            case FLOAT32 -> {
                float value = rows.getFloat(place);
                if (!appendedNull(out)) {
                    out.appendFloat32(value);
                }
            }
            case FLOAT64 -> {
                double value = rows.getDouble(place);
                if (!appendedNull(out)) {
                    out.appendFloat64(value);
                }
            }
            case DATE -> {
                int value = rows.getInt(place);
                if (!appendedNull(out)) {
                    int day = value < FIRST_REGULAR_DAY ? value - 1 : value;
                    appendDate(value == MySqlColumn.NO_DATE, day, column, out);
                }
            }
            case MOMENT -> {
                long value = rows.getLong(place);
                if (!appendedNull(out)) {
                    long micros = value < FIRST_REGULAR_DAY * DAY_MICROS ? value - DAY_MICROS : value;
                    appendMoment(value == MySqlColumn.NO_MOMENT, micros, column, out);
                }
            }
            case SPAN -> {
                long value = rows.getLong(place);
                if (!appendedNull(out)) {
                    out.appendDecimal(value, Interval.calendar(0, 0));
                }
            }
            case SENT_DATE -> {
                LocalDate value = calendar(place, LocalDate.class);
                if (value != null) {
                    appendDate(false, Math.toIntExact(value.toEpochDay()), column, out);
                } else if (isNull(place)) {
                    out.appendNull();
                } else {
                    appendDate(true, 0, column, out);
                }
            }
            case SENT_MOMENT -> {
                LocalDateTime value = calendar(place, LocalDateTime.class);
                if (value != null) {
                    appendMoment(false, ChronoUnit.MICROS.between(EPOCH, value), column, out);
                } else if (isNull(place)) {
                    out.appendNull();
                } else {
                    appendMoment(true, 0, column, out);
                }
            }
            case SENT_SPAN -> {
                Duration value = rows.getObject(place, Duration.class);
                if (!appendedNull(out)) {
                    out.appendDecimal(value.toNanos() / 1000, Interval.calendar(0, 0));
                }
            }
            case SENT_BITS -> {
                byte[] value = rows.getBytes(place);
                if (!appendedNull(out)) {
                    byte[] text = bits(value, column.bits());
                    out.appendUtf8(MemorySegment.ofArray(text), 0, text.length);
                }
            }
            case SENT_SHAPE -> {
                byte[] value = rows.getBytes(place);
                if (!appendedNull(out)) {
                    out.appendUtf8(MemorySegment.ofArray(value), SYSTEM_BYTES, value.length - SYSTEM_BYTES);
                }
            }
            case UUID -> {
                String value = rows.getString(place);
                if (!appendedNull(out)) {
                    out.appendUuid(UUID.fromString(value));
                }
            }
            case TEXT, BYTES -> {
                byte[] value = rows.getBytes(place);
                if (!appendedNull(out)) {
                    out.appendUtf8(MemorySegment.ofArray(value), 0, value.length);
                }
            }
        }
    }

    private boolean appendedNull(ColumnWriter out) throws SQLException {
        if (!rows.wasNull()) {
            return false;
        }
        out.appendNull();
        return true;
    }

    /// A date or moment as the server has it; null for NULL, and for what no calendar knows.
    private <T> T calendar(int place, Class<T> type) throws SQLException {
        try {
            return rows.getObject(place, type);
        } catch (SQLDataException _) {
            return null; // such as 2024-02-00
        }
    }

    /// Whether the value is NULL, where the driver takes 0000-00-00 and the like for NULL, too.
    private boolean isNull(int place) throws SQLException {
        try {
            return rows.getString(place) == null;
        } catch (SQLDataException _) {
            return false;
        }
    }

    /// The lowest `count` bits, as text.
    private static byte[] bits(byte[] value, int count) {
        byte[] text = new byte[count];
        for (int bit = 0; bit < count; bit++) {
            int at = value.length - 1 - bit / Byte.SIZE;
            text[count - 1 - bit] = (byte) (at >= 0 && (value[at] >>> bit % Byte.SIZE & 1) != 0 ? '1' : '0');
        }
        return text;
    }

    private void appendDecimal(BigDecimal value, MySqlColumn column, ColumnWriter out) {
        DataType.Decimal type = column.dataType() instanceof DataType.Decimal decimal ? decimal : null;
        BigDecimal scaled = type == null ? value : scaled(value, type.scale());
        int most = type == null ? DataType.Decimal.MAX_PRECISION : type.precision();
        if (scaled == null || scaled.precision() > most) {
            if (unfit.numeric() == Unfit.Overflow.NULL) {
                out.appendNull();
                return;
            }
            throw new QueryException(
                            SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                            "column " + tableName + "." + column.name() + " has a value "
                                    + (type == null
                                            ? "of more than 38 digits"
                                            : "that numeric(" + most + "," + type.scale() + ") cannot hold"))
                    .withHint("export the column as text with --numeric-overflow text, or such values as NULL with"
                            + " --numeric-overflow null");
        }
        BigInteger unscaled = scaled.unscaledValue();
        long high = unscaled.shiftRight(Long.SIZE).longValue();
        if (type == null) {
            out.appendNumeric(high, unscaled.longValue(), scaled.scale());
        } else {
            out.appendDecimal(high, unscaled.longValue());
        }
    }

    /// The same value with `scale` digits after the point; null where it has more.
    private static BigDecimal scaled(BigDecimal value, int scale) {
        if (value.scale() <= scale) {
            return value.setScale(scale);
        }
        BigDecimal cut = value.setScale(scale, RoundingMode.DOWN);
        return cut.compareTo(value) == 0 ? cut : null;
    }

    private void appendDate(boolean isBad, int day, MySqlColumn column, ColumnWriter out) {
        if (isBad) {
            appendBadDate(column, out);
        } else {
            out.appendInt32(day);
        }
    }

    private void appendMoment(boolean isBad, long micros, MySqlColumn column, ColumnWriter out) {
        if (isBad) {
            appendBadDate(column, out);
        } else {
            out.appendInt64(micros);
        }
    }

    private void appendBadDate(MySqlColumn column, ColumnWriter out) {
        String name = tableName + "." + column.name();
        if (unfit.infinity() != Unfit.Infinity.NULL) {
            throw new QueryException(
                            SqlState.DATETIME_FIELD_OVERFLOW,
                            "column " + name + " has a date that no calendar knows, such as 0000-00-00")
                    .withHint("make such dates NULL with --infinity null, or leave the column out with --exclude "
                            + name);
        }
        out.appendNull();
    }

    @Override
    public void close() {
        try (PreparedStatement closed = statement) {
            rows.close();
        } catch (SQLException failure) {
            // Rows that were not fetched are of no interest, nor is a connection that was cut off.
        }
    }
}
