package dev.quarrel.core.cpu;

import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// Arrays of a store's values as PostgreSQL shows them: `{1,NULL,"a b"}`.
///
/// - Source: `array_out`: an element is quoted if it is empty or `NULL`, or has a quote, backslash, brace, comma or
///   blank.
/// - Memory: the text is reserved as it grows.
final class ArrayWriter {
    private static final int MAX_BYTES = 1 << 29;
    private static final int CHUNK = 1 << 16;
    private static final byte[] NULL = "NULL".getBytes(StandardCharsets.US_ASCII);

    private final ValueStore values;
    private final Reservation reservation;
    private final TextBuffer text = new TextBuffer();
    private final TextBuffer element = new TextBuffer();
    private long reserved;

    ArrayWriter(ValueStore values, Reservation reservation) {
        this.values = values;
        this.reservation = reservation;
    }

    MemorySegment segment() {
        return MemorySegment.ofArray(text.array());
    }

    int length() {
        return text.length();
    }

    /// Makes the array of rows `rows[from]` to `rows[end - 1]`.
    void write(int[] rows, int from, int end) {
        text.clear();
        text.append('{');
        for (int index = from; index < end; index++) {
            if (index > from) {
                text.append(',');
            }
            if (values.isPresent(rows[index])) {
                element.clear();
                appendElement(rows[index]);
                appendQuoted();
            } else {
                text.appendAscii("NULL");
            }
            account();
        }
        text.append('}');
    }

    /// The buffer doubles when it is full.
    private void account() {
        long held = 2L * (text.length() + element.length()) + CHUNK;
        if (held > reserved) {
            if (text.length() > MAX_BYTES) {
                throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                        .withDetail("An array of more than " + MAX_BYTES + " bytes would have to be held.");
            }
            long more = Math.max(CHUNK, reserved);
            reservation.grow(more);
            reserved += more;
        }
    }

    private void appendElement(int row) {
        switch (values) {
            case BoolStore bools -> PgText.appendBool(bools.get(row), element);
            case IntStore ints -> {
                if (ints.type() instanceof DataType.Date) {
                    PgText.appendDate(ints.values()[row], element);
                } else {
                    PgText.appendInt(ints.values()[row], element);
                }
            }
            case LongStore longs -> {
                if (longs.type() instanceof DataType.Timestamp) {
                    PgText.appendTimestamp(longs.values()[row], element);
                } else {
                    PgText.appendInt(longs.values()[row], element);
                }
            }
            case FloatStore floats -> PgText.appendFloat4(floats.values()[row], element);
            case DoubleStore doubles -> PgText.appendFloat8(doubles.values()[row], element);
            case DecimalStore numbers -> appendNumber(numbers, row);
            case TextStore texts -> element.append(texts.bytes(row), texts.start(row), texts.length(row));
        }
    }

    private void appendNumber(DecimalStore numbers, int row) {
        long high = numbers.high()[row];
        long low = numbers.low()[row];
        switch (numbers.type()) {
            case DataType.Uuid _ -> PgText.appendUuid(high, low, element);
            case DataType.Decimal(int _, int scale) -> PgText.appendDecimal(high, low, scale, element);
            default -> PgText.appendDecimal(high, low, numbers.scale()[row], element);
        }
    }

    private void appendQuoted() {
        byte[] bytes = element.array();
        int length = element.length();
        if (!needsQuotes(bytes, length)) {
            text.append(MemorySegment.ofArray(bytes), 0, length);
            return;
        }
        text.append('"');
        for (int index = 0; index < length; index++) {
            if (bytes[index] == '"' || bytes[index] == '\\') {
                text.append('\\');
            }
            text.append(bytes[index]);
        }
        text.append('"');
    }

    private static boolean needsQuotes(byte[] bytes, int length) {
        boolean isNull = length == NULL.length;
        for (int index = 0; index < length; index++) {
            byte each = bytes[index];
            switch (each) {
                case '"', '\\', '{', '}', ',', ' ', '\t', '\n', '\r', 0x0B, '\f' -> {
                    return true;
                }
                default -> isNull = isNull && (each & ~0x20) == NULL[index];
            }
        }
        return isNull || length == 0;
    }
}
