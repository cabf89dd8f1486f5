package dev.quarrel.core.pg;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.ByteBuffer;

/// Times of day with their zone's offset, held as `12:34:56+02`: they order by the time in Greenwich, then from east
/// to west.
///
/// - Source: PostgreSQL's `date.c`.
record TimeTzForm() implements ValueForm {
    private static final int ZONE_LIMIT = 16 * 3600;

    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        TimeTz time = TimeTz.parse(text, moment);
        return (typmod < 0 ? time : time.rounded(Math.min(typmod, SecondDigits.MAX))).text();
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        TimeTz time = TimeTz.of(text);
        KeyBytes.word(time.utcMicros(), out);
        KeyBytes.word(time.west(), out);
    }

    @Override
    public void send(String text, TextBuffer out) {
        TimeTz time = TimeTz.of(text);
        KeyBytes.int64(time.micros(), out);
        KeyBytes.int32(time.west(), out);
    }

    @Override
    public String receive(ByteBuffer bytes) {
        long micros = bytes.getLong();
        int west = bytes.getInt();
        if (micros < 0 || micros > DataType.Time.MICROS_PER_DAY) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "time out of range");
        }
        if (Math.abs((long) west) >= ZONE_LIMIT) {
            throw new QueryException(
                    SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE, "time zone displacement out of range");
        }
        return new TimeTz(micros, west).text();
    }

    @Override
    public boolean isReadInZone() {
        return true;
    }
}
