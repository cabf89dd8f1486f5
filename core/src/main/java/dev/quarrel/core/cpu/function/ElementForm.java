package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.json.JsonOrder;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.pg.KeyBytes;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/// The elements of arrays of one type: their texts, their values, and keys whose bytes order as the values do.
///
/// - Threads: belongs to one kernel.
final class ElementForm {
    private static final PgParse.Moment UTC = PgParse.Moment.utc();

    private final PgType type;
    private final DataType dataType;
    private final PgType.Declared declared;
    private final boolean isEqualAsText;

    ElementForm(PgType type) {
        this.type = type;
        this.dataType = type.dataType();
        this.declared = new PgType.Declared(type, PgType.NO_TYPMOD);
        this.isEqualAsText = type.array().orElseThrow().isEqualAsText();
    }

    PgType type() {
        return type;
    }

    DataType dataType() {
        return dataType;
    }

    /// Whether equal elements have equal texts.
    boolean isEqualAsText() {
        return isEqualAsText;
    }

    /// Appends the text of an argument of the element type, which is not NULL, as an array shows it but for quotes.
    void appendText(Arguments in, int argument, TextBuffer out) {
        switch (dataType) {
            case DataType.Utf8 _ -> append(in.text(argument), out);
            case DataType.Int16 _, DataType.Int32 _ -> PgText.appendInt(in.int32(argument), out);
            case DataType.Int64 _ -> PgText.appendInt(in.int64(argument), out);
            default -> appendText(in.value(argument), out);
        }
    }

    void appendText(Object value, TextBuffer out) {
        PgText.append(new Literal(dataType, value), out);
    }

    private static void append(TextReader text, TextBuffer out) {
        out.append(MemorySegment.ofArray(text.bytes), text.start, text.length);
    }

    /// The value of the element that `from` stands at, which is not NULL.
    Object value(ArrayElements from) {
        return switch (dataType) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> integer(from.bytes, from.start, from.length);
            default -> value(text(from));
        };
    }

    Object value(String text) {
        boolean isNumber = declared.type() == PgType.NUMERIC && Character.isDigit(text.charAt(text.length() - 1));
        // Elements are compared whatever number of digits they have.
        return isNumber
                ? new BigDecimal(text)
                : PgParse.literal(text, declared, UTC).value();
    }

    static String text(ArrayElements from) {
        return new String(from.bytes, from.start, from.length, StandardCharsets.UTF_8);
    }

    private static long integer(byte[] bytes, int start, int length) {
        boolean isNegative = bytes[start] == '-';
        long value = 0;
        for (int index = start + (isNegative ? 1 : 0); index < start + length; index++) {
            value = 10 * value + bytes[index] - '0';
        }
        return isNegative ? -value : value;
    }

    /// Makes the element that `from` stands at a row of a result of its type.
    void put(ArrayElements from, Vector out, int row) {
        if (from.isNull) {
            Results.set(out, row, null);
        } else if (dataType instanceof DataType.Utf8) {
            ((TextVector) out).append(row, from.bytes, from.start, from.length);
        } else {
            Results.set(out, row, value(from));
        }
    }

    void appendKey(ArrayElements from, TextBuffer out) {
        if (dataType instanceof DataType.Utf8) {
            textKey(from.bytes, from.start, from.length, out);
        } else {
            appendKey(value(from), out);
        }
    }

    void appendKey(Arguments in, int argument, TextBuffer out) {
        if (dataType instanceof DataType.Utf8) {
            TextReader text = in.text(argument);
            textKey(text.bytes, text.start, text.length, out);
        } else {
            appendKey(in.value(argument), out);
        }
    }

    /// Appends the key of the value that has this text.
    void appendKey(byte[] bytes, int start, int length, TextBuffer out) {
        switch (dataType) {
            case DataType.Utf8 _ -> textKey(bytes, start, length, out);
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> word(integer(bytes, start, length), out);
            default -> appendKey(value(new String(bytes, start, length, StandardCharsets.UTF_8)), out);
        }
    }

    /// Appends a key: of two values the lesser has the lesser bytes, equal ones have the same, and none begins another.
    void appendKey(Object value, TextBuffer out) {
        switch (dataType) {
            case DataType.Bool _ -> out.append((byte) ((Boolean) value ? 1 : 0));
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> word((Long) value, out);
            case DataType.Float32 _ -> floatKey((Float) value, out);
            case DataType.Float64 _ -> floatKey((Double) value, out);
            case DataType.Decimal _, DataType.Numeric _ -> KeyBytes.number(value, out);
            case DataType.Uuid _ -> {
                word(UuidWords.high((UUID) value), out);
                unsigned(UuidWords.low((UUID) value), out);
            }
            case DataType.Interval _ -> {
                Interval interval = (Interval) value;
                word(Interval.spanDays(interval.calendar(), interval.micros()), out);
                word(Interval.spanMicros(interval.micros()), out);
            }
            case DataType.Utf8 _ -> {
                byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
                textKey(bytes, 0, bytes.length, out);
            }
            case DataType.Binary _ -> bytesKey(((dev.quarrel.core.type.Bytes) value).toArray(), out);
        }
    }

    private void textKey(byte[] bytes, int start, int length, TextBuffer out) {
        if (type.form() != null) {
            type.form().appendKey(new String(bytes, start, length, StandardCharsets.UTF_8), out);
            return;
        }
        if (type == PgType.JSONB) {
            bytesKey(JsonOrder.key(JsonValue.read(new String(bytes, start, length, StandardCharsets.UTF_8))), out);
            return;
        }
        int kept = length;
        while (type == PgType.BPCHAR && kept > 0 && bytes[start + kept - 1] == ' ') {
            kept--;
        }
        out.append(MemorySegment.ofArray(bytes), start, kept);
        out.append((byte) 0); // no text has this byte
    }

    private static void bytesKey(byte[] bytes, TextBuffer out) {
        for (byte each : bytes) {
            out.append(each);
            if (each == 0) {
                out.append((byte) 1);
            }
        }
        out.append((byte) 0);
        out.append((byte) 0);
    }

    /// Java's order of floats is PostgreSQL's, but for -0 = 0.
    private static void floatKey(double value, TextBuffer out) {
        long bits = Double.doubleToLongBits(value + 0.0);
        word(bits < 0 ? bits ^ Long.MAX_VALUE : bits, out);
    }

    static void word(long value, TextBuffer out) {
        unsigned(value ^ Long.MIN_VALUE, out);
    }

    private static void unsigned(long value, TextBuffer out) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            out.append((byte) (value >>> shift));
        }
    }

    static int compare(TextBuffer left, TextBuffer right) {
        return Arrays.compareUnsigned(left.array(), 0, left.length(), right.array(), 0, right.length());
    }
}
