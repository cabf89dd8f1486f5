package dev.quarrel.export.mysql;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/// The rows of one statement, as the server streams them.
///
/// - Memory: owns the statement; the driver holds some hundred rows at a time.
/// - Errors: 22008 naming the column for a date that no calendar knows, unless such ones become NULL.
public final class MySqlRows implements AutoCloseable {
    private static final int FETCHED_ROWS = 1000;

    private final String tableName;
    private final List<MySqlColumn> columns;
    private final boolean badDatesAreNull;
    private final PreparedStatement statement;
    private final ResultSet rows;
    private boolean isEnded;

    /// @param badDatesAreNull whether a date such as 0000-00-00 becomes NULL instead of an error
    MySqlRows(Connection connection, String sql, String tableName, List<MySqlColumn> columns, boolean badDatesAreNull)
            throws SQLException {
        this.tableName = tableName;
        this.columns = columns;
        this.badDatesAreNull = badDatesAreNull;
        this.statement = connection.prepareStatement(sql);
        try {
            statement.setFetchSize(FETCHED_ROWS);
            this.rows = statement.executeQuery();
        } catch (SQLException failure) {
            statement.close();
            throw failure;
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
            case DECIMAL -> {
                BigDecimal value = rows.getBigDecimal(place);
                if (!appendedNull(out)) {
                    DataType.Decimal type = (DataType.Decimal) column.dataType();
                    BigInteger unscaled = value.setScale(type.scale()).unscaledValue();
                    out.appendDecimal(unscaled.shiftRight(Long.SIZE).longValue(), unscaled.longValue());
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
                if (!appendedNull(out) && !appendedBadDate(value == MySqlColumn.NO_DATE, column, out)) {
                    out.appendInt32(value);
                }
            }
            case MOMENT -> {
                long value = rows.getLong(place);
                if (!appendedNull(out) && !appendedBadDate(value == MySqlColumn.NO_MOMENT, column, out)) {
                    out.appendInt64(value);
                }
            }
            case SPAN -> {
                long value = rows.getLong(place);
                if (!appendedNull(out)) {
                    out.appendDecimal(value, Interval.calendar(0, 0));
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

    private boolean appendedBadDate(boolean isBad, MySqlColumn column, ColumnWriter out) {
        if (!isBad) {
            return false;
        }
        String name = tableName + "." + column.name();
        if (!badDatesAreNull) {
            throw new QueryException(
                            SqlState.DATETIME_FIELD_OVERFLOW,
                            "column " + name + " has a date that no calendar knows, such as 0000-00-00")
                    .withHint("make such dates NULL with --infinity null, or leave the column out with --exclude "
                            + name);
        }
        out.appendNull();
        return true;
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
