package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ByteaFormat;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.UuidWords;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/// Casts to text and from it, by PostgreSQL's output and input functions.
final class TextCasts {
    private TextCasts() {}

    static void toText(Vector from, TextVector to, Mask rows, TextBuffer buffer) {
        to.copyValidity(from, rows.wordCount());
        to.startBuffer();
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (to.isPresent(row)) {
                buffer.clear();
                append(from, row, buffer);
                to.append(row, buffer.array(), 0, buffer.length());
            }
        }
    }

    private static void append(Vector from, int row, TextBuffer buffer) {
        switch (from) {
            // A cast writes the word; the output function's "t" is for results.
            case BoolVector bools -> buffer.appendAscii(bools.get(row) ? "true" : "false");
            case IntVector ints -> {
                if (ints.type() instanceof DataType.Date) {
                    PgText.appendDate(ints.values()[row], buffer);
                } else {
                    PgText.appendInt(ints.values()[row], buffer);
                }
            }
            case LongVector longs -> {
                if (longs.type() instanceof DataType.Time) {
                    PgText.appendTime(longs.values()[row], buffer);
                } else if (longs.type() instanceof DataType.Timestamp(boolean withZone)) {
                    if (withZone) {
                        PgText.appendTimestampTz(longs.values()[row], 0, buffer);
                    } else {
                        PgText.appendTimestamp(longs.values()[row], buffer);
                    }
                } else {
                    PgText.appendInt(longs.values()[row], buffer);
                }
            }
            case FloatVector floats -> PgText.appendFloat4(floats.values()[row], buffer);
            case DoubleVector doubles -> PgText.appendFloat8(doubles.values()[row], buffer);
            case DecimalVector uuids
            when uuids.type() instanceof DataType.Uuid ->
                PgText.appendUuid(uuids.high()[row], uuids.low()[row], buffer);
            case DecimalVector spans
            when spans.type() instanceof DataType.Interval ->
                PgText.appendInterval(spans.low()[row], spans.high()[row], buffer);
            case DecimalVector decimals ->
                PgText.appendDecimal(decimals.high()[row], decimals.low()[row], decimals.scale(row), buffer);
            case TextVector _ -> throw new IllegalArgumentException("text is text already");
        }
    }

    /// The kernel that reads text as a value of `type`.
    static RowFunction parser(DataType type) {
        WideNumber scratch = new WideNumber();
        return switch (type) {
            case DataType.Bool _ -> (in, out, row) -> Bits.set(((BoolVector) out).bits(), row, PgParse.bool(text(in)));
            case DataType.Int16 _ -> (in, out, row) -> ((IntVector) out).values()[row] = PgParse.int2(text(in));
            case DataType.Int32 _ -> (in, out, row) -> ((IntVector) out).values()[row] = PgParse.int4(text(in));
            case DataType.Int64 _ -> (in, out, row) -> ((LongVector) out).values()[row] = PgParse.int8(text(in));
            case DataType.Float32 _ -> (in, out, row) -> ((FloatVector) out).values()[row] = PgParse.float4(text(in));
            case DataType.Float64 _ -> (in, out, row) -> ((DoubleVector) out).values()[row] = PgParse.float8(text(in));
            case DataType.Decimal _, DataType.Numeric _ ->
                (in, out, row) -> {
                    DecimalVector decimals = (DecimalVector) out;
                    decimals.setNarrow(false);
                    NumberCasts.storeParsed(PgParse.numeric(text(in)), decimals, row, scratch);
                };
            case DataType.Date _ -> (in, out, row) -> ((IntVector) out).values()[row] = PgParse.date(text(in));
            case DataType.Timestamp(boolean withZone) ->
                withZone
                        ? (in, out, row) -> ((LongVector) out).values()[row] = PgParse.timestampTz(text(in))
                        : (in, out, row) -> ((LongVector) out).values()[row] = PgParse.timestamp(text(in));
            case DataType.Uuid _ ->
                (in, out, row) -> {
                    UUID uuid = PgParse.uuid(text(in));
                    DecimalVector words = (DecimalVector) out;
                    words.setNarrow(false);
                    words.high()[row] = UuidWords.high(uuid);
                    words.low()[row] = UuidWords.low(uuid);
                };
            case DataType.Binary _ ->
                (in, out, row) -> {
                    byte[] bytes = PgParse.bytea(text(in));
                    ((TextVector) out).append(row, bytes, 0, bytes.length);
                };
            case DataType.Time _ -> (in, out, row) -> ((LongVector) out).values()[row] = PgParse.time(text(in));
            case DataType.Interval _ ->
                (in, out, row) -> {
                    DecimalVector spans = (DecimalVector) out;
                    Interval span = PgParse.interval(text(in));
                    spans.low()[row] = span.calendar();
                    spans.high()[row] = span.micros();
                };
            case DataType.Utf8 _ -> throw new IllegalArgumentException("text is text already");
        };
    }

    /// Bytes in PostgreSQL's hex form.
    static void hex(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        TextVector text = (TextVector) out;
        int place = text.begin(row, TextVector.checkedLength(2L * bytes.length + 2));
        byte[] to = text.buffer();
        to[place] = '\\';
        to[place + 1] = 'x';
        ByteaFormat.hex(bytes.bytes, bytes.start, bytes.length, to, place + 2);
    }

    private static String text(Arguments in) {
        TextReader text = in.text(0);
        return new String(text.bytes, text.start, text.length, StandardCharsets.UTF_8);
    }
}
