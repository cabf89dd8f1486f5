package dev.quarrel.core.pg;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.ValueOrder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneId;

/// The values that a type of ranges has ranges of: how they are read, compared, shown and sent.
///
/// - Source: PostgreSQL's `rangetypes.c`.
///
/// @param type int4, int8, numeric, date, timestamp or timestamptz
public record RangeValues(PgType type) {
    // PostgreSQL counts days and microseconds from 2000-01-01.
    private static final long EPOCH_DAYS = 10_957;
    private static final long EPOCH_MICROS = EPOCH_DAYS * CivilDate.MICROS_PER_DAY;

    int compare(Object left, Object right) {
        return ValueOrder.compare(left, right);
    }

    Object read(String text, PgParse.Moment moment) {
        return PgParse.literal(text, new PgType.Declared(type, PgType.NO_TYPMOD), moment)
                .value();
    }

    /// Reads what [#text] wrote in UTC.
    Object of(String text) {
        boolean isPlainNumber = type == PgType.NUMERIC && Character.isDigit(text.charAt(text.length() - 1));
        return isPlainNumber ? new BigDecimal(text) : read(text, PgParse.Moment.utc());
    }

    /// @param zone of timestamps with time zone
    String text(Object value, ZoneId zone) {
        if (type != PgType.TIMESTAMPTZ) {
            return PgText.text(new Literal(type.dataType(), value));
        }
        TextBuffer out = new TextBuffer();
        Instant instant = Instant.ofEpochSecond(Math.floorDiv((Long) value, CivilDate.MICROS_PER_SECOND));
        int offset = CivilDate.isInfinite((Long) value)
                ? 0
                : zone.getRules().getOffset(instant).getTotalSeconds();
        PgText.appendTimestampTz((Long) value, offset, out);
        return out.toString();
    }

    /// Whether every value but the last has one that comes next, so that `[1,2]` is `[1,3)`.
    boolean isDiscrete() {
        return type == PgType.INT4 || type == PgType.INT8 || type == PgType.DATE;
    }

    /// The value behind another; of an infinite date that date.
    ///
    /// - Errors: 22003 or 22008 behind the last.
    Object next(Object value) {
        long number = (Long) value;
        switch (type) {
            case INT4 -> {
                if (number == Integer.MAX_VALUE) {
                    throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range");
                }
            }
            case INT8 -> {
                if (number == Long.MAX_VALUE) {
                    throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range");
                }
            }
            default -> {
                if (isInfiniteDate(value)) {
                    return value;
                }
                if (number + 1 >= CivilDate.END_DAY) {
                    throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range");
                }
            }
        }
        return number + 1;
    }

    boolean isInfiniteDate(Object value) {
        return type == PgType.DATE
                && ((Long) value == PgText.DATE_INFINITY || (Long) value == PgText.DATE_MINUS_INFINITY);
    }

    void appendKey(Object value, TextBuffer out) {
        if (value instanceof Long number) {
            KeyBytes.word(number, out);
        } else {
            KeyBytes.number(value, out);
        }
    }

    void send(Object value, TextBuffer out) {
        switch (type) {
            case INT4 -> {
                KeyBytes.int32(4, out);
                KeyBytes.int32(((Long) value).intValue(), out);
            }
            case DATE -> {
                KeyBytes.int32(4, out);
                long days = (Long) value;
                KeyBytes.int32((int) (isInfiniteDate(value) ? days : days - EPOCH_DAYS), out);
            }
            case INT8 -> {
                KeyBytes.int32(8, out);
                KeyBytes.int64((Long) value, out);
            }
            case NUMERIC -> {
                TextBuffer number = new TextBuffer();
                append(value, number);
                KeyBytes.int32(number.length(), out);
                for (byte each : number.toByteArray()) {
                    out.append(each);
                }
            }
            default -> {
                KeyBytes.int32(8, out);
                long micros = (Long) value;
                KeyBytes.int64(CivilDate.isInfinite(micros) ? micros : micros - EPOCH_MICROS, out);
            }
        }
    }

    private static void append(Object value, TextBuffer out) {
        if (value instanceof SpecialNumeric special) {
            NumericFormat.append(special, out);
            return;
        }
        BigDecimal number = (BigDecimal) value;
        BigInteger unscaled = number.unscaledValue();
        NumericFormat.append(unscaled.shiftRight(Long.SIZE).longValue(), unscaled.longValue(), number.scale(), out);
    }

    Object receive(ByteBuffer in) {
        byte[] bytes = new byte[Math.clamp(in.getInt(), 0, in.remaining())];
        in.get(bytes);
        ByteBuffer value = ByteBuffer.wrap(bytes);
        return switch (type) {
            case INT4 -> (long) value.getInt();
            case INT8 -> value.getLong();
            case DATE -> {
                int days = value.getInt();
                boolean isInfinite = days == Integer.MAX_VALUE || days == Integer.MIN_VALUE;
                yield isInfinite ? (long) days : days + EPOCH_DAYS;
            }
            case NUMERIC -> NumericFormat.parse(bytes);
            default -> {
                long micros = value.getLong();
                yield CivilDate.isInfinite(micros) ? micros : micros + EPOCH_MICROS;
            }
        };
    }
}
