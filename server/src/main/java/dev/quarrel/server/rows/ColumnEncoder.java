package dev.quarrel.server.rows;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.ByteaFormat;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.NumericFormat;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.RangeForm;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.pg.VectorText;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.function.BiConsumer;

/// Writes one column's values in one format: one encoder a type and format, chosen once a portal, opened once a
/// batch.
///
/// `append` writes the bytes of a present value, without length.
///
/// - Source: PostgreSQL's output and send functions (`int4send`, `numeric_send`, `timestamp_send`, …).
abstract sealed class ColumnEncoder {
    /// Takes the column of the next batch.
    abstract void open(Column column);

    abstract void append(int row, TextBuffer out);

    static ColumnEncoder text(PgType type, TextStyle style) {
        if (type.isVector()) {
            return new OfText((array, out) -> out.append(VectorText.shown(array)));
        }
        if (type.isArray()) {
            return isHeldIn(style, type.element()) ? new Text() : new ArrayRestyled(type.element(), style);
        }
        return switch (type) {
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN, JSON, JSONB -> new Text();
            case JSONPATH -> new OfText((text, out) -> out.append(JsonPathExpression.shown(text)));
            case INT2, INT4, INT8, OID, REGPROC, REGPROCEDURE, REGCLASS, REGTYPE, REGNAMESPACE, REGROLE, REGCOLLATION ->
                new IntegerText();
            case TIMESTAMPTZ -> new ZonedText(style.zone().getRules());
            case BYTEA -> style.escapesBytes() ? new EscapedText() : new AnyText();
            case INTERVAL -> new IntervalAsText(style.intervals());
            case FLOAT4, FLOAT8 -> style.floatDigits() > 0 ? new AnyText() : new FloatText(style.floatDigits());
            case TSTZRANGE, TSTZMULTIRANGE -> {
                RangeForm form = (RangeForm) type.form();
                yield isHeldIn(style, type)
                        ? new Text()
                        : new OfText((text, out) -> out.append(form.shown(text, style.zone())));
            }
            default -> type.form() != null ? new Text() : new AnyText();
        };
    }

    /// Whether arrays are held as the text that they have in this style.
    private static boolean isHeldIn(TextStyle style, PgType element) {
        return switch (element) {
            case TIMESTAMPTZ, TSTZRANGE, TSTZMULTIRANGE ->
                ZonedText.isUtc(style.zone().getRules());
            case BYTEA -> !style.escapesBytes();
            case INTERVAL -> style.intervals() == IntervalStyle.POSTGRES;
            case FLOAT4, FLOAT8 -> style.floatDigits() > 0;
            default -> true;
        };
    }

    /// - Errors: `QueryException` 0A000 for a type without a binary form here.
    static ColumnEncoder binary(PgType type) {
        if (type.isArray()) {
            return new ArrayBinary(type.element() == PgType.NUMERIC ? PgType.WIDE_NUMERIC : type.element());
        }
        if (type.form() != null) {
            return new OfText(type.form()::send);
        }
        return switch (type) {
            case BOOL -> new BoolBinary();
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN, JSON -> new Text();
            case JSONB -> new OfText(OtherBinary.JSONB::append);
            case JSONPATH -> new OfText((text, out) -> OtherBinary.JSONB.append(JsonPathExpression.shown(text), out));
            case INT2 -> new IntegerBinary(2, 0);
            case INT4, OID, REGPROC, REGPROCEDURE, REGCLASS, REGTYPE, REGNAMESPACE, REGROLE, REGCOLLATION ->
                new IntegerBinary(4, 0);
            case INT8 -> new IntegerBinary(8, 0);
            // bits of a float go over the wire like those of an integer
            case FLOAT4 -> new IntegerBinary(4, 0);
            case FLOAT8 -> new IntegerBinary(8, 0);
            case DATE -> new IntegerBinary(4, PostgresEpoch.DAYS);
            case TIME -> new IntegerBinary(8, 0);
            case INTERVAL -> new IntervalBinary();
            case TIMESTAMP, TIMESTAMPTZ -> new IntegerBinary(8, PostgresEpoch.MICROS);
            case NUMERIC -> new NumericBinary();
            // The bytes are sent as a column has them.
            case UUID -> new FixedBytes(16);
            case BYTEA -> new Text();
            default ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "no binary output function available for type " + type.formatName());
        };
    }

    /// - Errors: `QueryException` 0A000 for a type without a binary form here.
    static ColumnEncoder binary(OtherType type) {
        OtherBinary form = OtherBinary.of(type);
        if (form == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "no binary output function available for type " + type.name());
        }
        return form == OtherBinary.TEXT ? new Text() : new OfText(form::append);
    }

    /// Values that are held as text, in their binary form.
    static final class OfText extends ColumnEncoder {
        private final BiConsumer<String, TextBuffer> form;
        private final Text texts = new Text();
        private final TextBuffer text = new TextBuffer();

        OfText(BiConsumer<String, TextBuffer> form) {
            this.form = form;
        }

        @Override
        void open(Column column) {
            texts.open(column);
        }

        @Override
        void append(int row, TextBuffer out) {
            text.clear();
            texts.append(row, text);
            form.accept(text.toString(), out);
        }
    }

    /// Character types: the bytes as they are, in both formats.
    static final class Text extends ColumnEncoder {
        private Utf8Column plain;
        private DictionaryColumn coded;

        @Override
        void open(Column column) {
            if (column instanceof DictionaryColumn dictionary) {
                coded = dictionary;
                plain = dictionary.dictionary().values();
            } else {
                coded = null;
                plain = (Utf8Column) column;
            }
        }

        @Override
        void append(int row, TextBuffer out) {
            int index = coded == null ? row : coded.code(row);
            long start = plain.offset(index);
            out.append(plain.data(), start, plain.offset(index + 1) - start);
        }
    }

    /// Values whose bytes go over the wire as they are.
    static final class FixedBytes extends ColumnEncoder {
        private final int width;
        private MemorySegment values;

        FixedBytes(int width) {
            this.width = width;
        }

        @Override
        void open(Column column) {
            values = ((FixedColumn) column).values();
        }

        @Override
        void append(int row, TextBuffer out) {
            out.append(values, (long) row * width, width);
        }
    }

    static final class IntegerText extends ColumnEncoder {
        private MemorySegment values;
        private int width;

        @Override
        void open(Column column) {
            FixedColumn fixed = (FixedColumn) column;
            values = fixed.values();
            width = fixed.type().byteWidth();
        }

        @Override
        void append(int row, TextBuffer out) {
            PgText.appendInt(integer(values, width, row), out);
        }
    }

    /// Timestamps with time zone, in the session's zone.
    static final class ZonedText extends ColumnEncoder {

        private final ZoneRules zone;
        private final boolean isUtc;
        private MemorySegment values;

        ZonedText(ZoneRules zone) {
            this.zone = zone;
            this.isUtc = isUtc(zone);
        }

        static boolean isUtc(ZoneRules zone) {
            return zone.isFixedOffset() && zone.getOffset(Instant.EPOCH).equals(ZoneOffset.UTC);
        }

        @Override
        void open(Column column) {
            values = ((FixedColumn) column).values();
        }

        @Override
        void append(int row, TextBuffer out) {
            long micros = values.get(INT64, row * 8L);
            int offset = isUtc
                    ? 0
                    : zone.getOffset(Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND)))
                            .getTotalSeconds();
            PgText.appendTimestampTz(micros, offset, out);
        }
    }

    /// Bytes with what is not printable in octal.
    static final class EscapedText extends ColumnEncoder {
        private final Text bytes = new Text();
        private final TextBuffer value = new TextBuffer();

        @Override
        void open(Column column) {
            bytes.open(column);
        }

        @Override
        void append(int row, TextBuffer out) {
            value.clear();
            bytes.append(row, value);
            ByteaFormat.escape(value.array(), 0, value.length(), false, out);
        }
    }

    static final class IntervalAsText extends ColumnEncoder {
        private final IntervalStyle style;
        private MemorySegment values;

        IntervalAsText(IntervalStyle style) {
            this.style = style;
        }

        @Override
        void open(Column column) {
            values = ((FixedColumn) column).values();
        }

        @Override
        void append(int row, TextBuffer out) {
            PgText.appendInterval(values.get(INT64, row * 16L), values.get(INT64, row * 16L + 8), style, out);
        }
    }

    /// Floats in fewer digits than they hold.
    static final class FloatText extends ColumnEncoder {
        private final int extraDigits;
        private FixedColumn column;

        FloatText(int extraDigits) {
            this.extraDigits = extraDigits;
        }

        @Override
        void open(Column opened) {
            column = (FixedColumn) opened;
        }

        @Override
        void append(int row, TextBuffer out) {
            if (column.type() instanceof DataType.Float32) {
                float value = Float.intBitsToFloat(column.values().get(INT32, row * 4L));
                PgText.appendFloat4(value, extraDigits, out);
            } else {
                double value = Double.longBitsToDouble(column.values().get(INT64, row * 8L));
                PgText.appendFloat8(value, extraDigits, out);
            }
        }
    }

    static final class AnyText extends ColumnEncoder {
        private Column column;

        @Override
        void open(Column next) {
            column = next;
        }

        @Override
        void append(int row, TextBuffer out) {
            PgText.append(column, row, out);
        }
    }

    static final class BoolBinary extends ColumnEncoder {
        private MemorySegment bits;

        @Override
        void open(Column column) {
            bits = ((BoolColumn) column).bits();
        }

        @Override
        void append(int row, TextBuffer out) {
            out.append((byte) (bits.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1));
        }
    }

    /// Integers, and what travels like one: most significant byte first.
    static final class IntegerBinary extends ColumnEncoder {
        private final int sentWidth;
        private final long epochShift;
        private MemorySegment values;
        private int width;

        /// @param sentWidth bytes on the wire
        /// @param epochShift what our zero lies before PostgreSQL's; infinities are not moved
        IntegerBinary(int sentWidth, long epochShift) {
            this.sentWidth = sentWidth;
            this.epochShift = epochShift;
        }

        @Override
        void open(Column column) {
            FixedColumn fixed = (FixedColumn) column;
            values = fixed.values();
            width = fixed.type().byteWidth();
        }

        @Override
        void append(int row, TextBuffer out) {
            long value = integer(values, width, row);
            if (epochShift != 0 && !PostgresEpoch.isInfinite(value, width)) {
                value -= epochShift;
            }
            bigEndian(value, sentWidth, out);
        }
    }

    static final class NumericBinary extends ColumnEncoder {
        private final OfText wide = new OfText(PgType.WIDE_NUMERIC.form()::send);
        /// Null where values have any number of digits.
        private FixedColumn column;

        private int scale;
        private int width;

        @Override
        void open(Column next) {
            if (next.type() instanceof DataType.Utf8) {
                column = null;
                wide.open(next);
                return;
            }
            column = (FixedColumn) next;
            width = next.type().byteWidth();
            scale = next.type() instanceof DataType.Decimal(int _, int declared) ? declared : -1;
        }

        @Override
        void append(int row, TextBuffer out) {
            if (column == null) {
                wide.append(row, out);
                return;
            }
            long at = (long) row * width;
            long low = column.values().get(INT64, at);
            long high = column.values().get(INT64, at + 8);
            NumericFormat.append(high, low, scale >= 0 ? scale : column.values().get(INT32, at + 16), out);
        }
    }

    /// An array, which is held as text, read element by element.
    private static final class ArrayReader {
        private final PgType element;
        private final ColumnEncoder encoder;
        private final Text texts = new Text();
        private final TextBuffer text = new TextBuffer();
        private final TextBuffer value = new TextBuffer();

        /// @param encoder of elements
        ArrayReader(PgType element, ColumnEncoder encoder) {
            this.element = element;
            this.encoder = encoder;
        }

        void open(Column column) {
            texts.open(column);
        }

        ArrayText.Nested read(int row) {
            text.clear();
            texts.append(row, text);
            return ArrayText.parseNested(text.toString());
        }

        /// An element as the encoder writes it; valid until the next.
        TextBuffer encoded(String each) {
            ColumnWriter writer = new ColumnWriter(
                    element.dataType(), bytes -> MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]), 1);
            writer.append(PgParse.literal(each, new PgType.Declared(element, PgType.NO_TYPMOD))
                    .value());
            encoder.open(writer.finish());
            value.clear();
            encoder.append(0, value);
            return value;
        }
    }

    /// Arrays sent element by element.
    ///
    /// - Source: PostgreSQL's `array_send`.
    static final class ArrayBinary extends ColumnEncoder {
        private final PgType element;
        private final ArrayReader reader;

        ArrayBinary(PgType element) {
            this.element = element;
            this.reader = new ArrayReader(element, binary(element));
        }

        @Override
        void open(Column column) {
            reader.open(column);
        }

        @Override
        void append(int row, TextBuffer out) {
            ArrayText.Nested read = reader.read(row);
            appendInt(read.lengths().size(), out); // dimensions
            appendInt(read.elements().contains(null) ? 1 : 0, out);
            appendInt(element.oid(), out);
            for (int dimension = 0; dimension < read.lengths().size(); dimension++) {
                appendInt(read.lengths().get(dimension), out);
                appendInt(read.firsts().get(dimension), out);
            }
            for (String each : read.elements()) {
                if (each == null) {
                    appendInt(-1, out);
                } else {
                    TextBuffer value = reader.encoded(each);
                    appendInt(value.length(), out);
                    out.append(MemorySegment.ofArray(value.array()), 0, value.length());
                }
            }
        }

        private static void appendInt(int number, TextBuffer out) {
            bigEndian(number, 4, out);
        }
    }

    /// Arrays as text in a style other than the one they are held in.
    static final class ArrayRestyled extends ColumnEncoder {
        private final ArrayReader reader;

        ArrayRestyled(PgType element, TextStyle style) {
            this.reader = new ArrayReader(element, text(element, style));
        }

        @Override
        void open(Column column) {
            reader.open(column);
        }

        @Override
        void append(int row, TextBuffer out) {
            ArrayText.Nested read = reader.read(row);
            read.append(out, each -> {
                TextBuffer value = reader.encoded(each);
                ArrayText.appendElement(value.array(), value.length(), out);
            });
        }
    }

    /// Microseconds, days, months.
    static final class IntervalBinary extends ColumnEncoder {
        private MemorySegment values;

        @Override
        void open(Column column) {
            values = ((FixedColumn) column).values();
        }

        @Override
        void append(int row, TextBuffer out) {
            long calendar = values.get(INT64, row * 16L);
            bigEndian(values.get(INT64, row * 16L + 8), 8, out);
            bigEndian(Interval.days(calendar), 4, out);
            bigEndian(Interval.months(calendar), 4, out);
        }
    }

    private static void bigEndian(long value, int width, TextBuffer out) {
        for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
            out.append((byte) (value >>> shift));
        }
    }

    static long integer(MemorySegment values, int width, int row) {
        return switch (width) {
            case 2 -> values.get(INT16, row * 2L);
            case 4 -> values.get(INT32, row * 4L);
            case 8 -> values.get(INT64, row * 8L);
            default -> throw new IllegalStateException("an integer of " + width + " bytes");
        };
    }
}
