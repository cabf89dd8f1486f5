package dev.quarrel.ingest.table;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Utf8Text;
import dev.quarrel.ingest.intake.IsoTime;
import dev.quarrel.ingest.msgpack.Msgpack;
import dev.quarrel.ingest.msgpack.Msgpack.Kind;
import java.nio.charset.StandardCharsets;

/// Puts one value of an event into its column.
///
/// A value that is not of a learned column's type goes to a column beside it: `NAME_float` a float where integers came
/// first, `NAME_text` any other, as its text. In a declared column it is an error of the event.
final class ValueSetter {
    private static final long MOST_EXACT = 1L << 53;

    private final EventColumns columns;

    ValueSetter(EventColumns columns) {
        this.columns = columns;
    }

    /// Sets the value at `at`.
    ///
    /// - Errors: [RejectedException] for an event that the table does not take.
    ///
    /// @param column where values of the field go, or null: it is new
    /// @return the place behind the value
    int set(
            OpenBlock block,
            int row,
            EventColumn column,
            byte[] names,
            int nameStart,
            int nameLength,
            byte[] bytes,
            int at) {
        byte first = bytes[at];
        Kind kind = Msgpack.kind(first);
        int head = Msgpack.head(first);
        if (kind == Kind.NIL) {
            return at + head;
        }
        EventColumn target = column;
        if (target == null) {
            target = columns.learn(
                    new String(names, nameStart, nameLength, StandardCharsets.UTF_8), learnedKind(kind, bytes, at));
        }
        if (target.kind() == ColumnKind.OTHER || !put(block.column(target), target, row, kind, bytes, at)) {
            putBeside(block, row, target, kind, bytes, at);
        }
        return switch (kind) {
            case STR, BIN, EXT -> at + head + (int) Msgpack.length(bytes, at);
            case ARRAY, MAP -> Msgpack.skip(bytes, at, bytes.length);
            case NIL, BOOL, INT, FLOAT -> at + head;
        };
    }

    private static ColumnKind learnedKind(Kind kind, byte[] bytes, int at) {
        return switch (kind) {
            case BOOL -> ColumnKind.BOOL;
            case INT -> Msgpack.isBeyondInt64(bytes, at) ? ColumnKind.TEXT : ColumnKind.INT64;
            case FLOAT -> ColumnKind.FLOAT64;
            case BIN -> ColumnKind.BYTEA;
            case ARRAY, MAP -> ColumnKind.JSONB;
            case EXT -> EventTime.micros(bytes, at) == EventTime.NONE ? ColumnKind.TEXT : ColumnKind.TIMESTAMPTZ;
            case STR, NIL -> ColumnKind.TEXT;
        };
    }

    private void putBeside(OpenBlock block, int row, EventColumn column, Kind kind, byte[] bytes, int at) {
        String name = column.field().name();
        if (column.isDeclared()) {
            throw new RejectedException(
                    "column \"" + name + "\" is of type " + typeName(column) + ", its value is " + shown(bytes, at));
        }
        if (column.kind() == ColumnKind.INT64 && kind == Kind.FLOAT) {
            EventColumn floats = columns.learn(name + "_float", ColumnKind.FLOAT64);
            if (floats.kind() != ColumnKind.OTHER && put(block.column(floats), floats, row, kind, bytes, at)) {
                return;
            }
        }
        EventColumn texts = columns.learn(name + "_text", ColumnKind.TEXT);
        if (texts.kind() == ColumnKind.OTHER || !put(block.column(texts), texts, row, kind, bytes, at)) {
            throw new RejectedException("columns \"" + name + "\" and \""
                    + texts.field().name() + "\" are both not of the type of " + shown(bytes, at));
        }
    }

    private static String typeName(EventColumn column) {
        return PgType.Declared.of(column.field()).text();
    }

    private static String shown(byte[] bytes, int at) {
        String text = MsgpackJson.text(bytes, at);
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }

    /// Whether the column takes the value; if not, nothing was set.
    private static boolean put(OpenColumn out, EventColumn column, int row, Kind kind, byte[] bytes, int at) {
        switch (column.kind()) {
            case TEXT -> {
                putText(out, row, kind, bytes, at);
                return true;
            }
            case INT64 -> {
                long value;
                if (kind == Kind.INT && !Msgpack.isBeyondInt64(bytes, at)) {
                    value = Msgpack.integer(bytes, at);
                } else if (kind == Kind.FLOAT && isWhole(Msgpack.real(bytes, at))) {
                    value = (long) Msgpack.real(bytes, at);
                } else {
                    return false;
                }
                out.setInt64(row, value);
                return true;
            }
            case FLOAT64 -> {
                double value;
                if (kind == Kind.FLOAT) {
                    value = Msgpack.real(bytes, at);
                } else if (kind == Kind.INT && isExact(bytes, at)) {
                    value = Msgpack.integer(bytes, at);
                } else {
                    return false;
                }
                out.setInt64(row, Double.doubleToRawLongBits(value));
                return true;
            }
            case BOOL -> {
                if (kind == Kind.BOOL) {
                    out.setBool(row, Msgpack.bool(bytes, at));
                }
                return kind == Kind.BOOL;
            }
            case JSONB -> {
                byte[] text = MsgpackJson.jsonb(bytes, at);
                out.setText(row, text, 0, text.length);
                return true;
            }
            case JSON -> {
                byte[] text = MsgpackJson.text(bytes, at).getBytes(StandardCharsets.UTF_8);
                out.setText(row, text, 0, text.length);
                return true;
            }
            case BYTEA -> {
                if (kind == Kind.BIN || kind == Kind.STR) {
                    out.setText(row, bytes, at + Msgpack.head(bytes[at]), (int) Msgpack.length(bytes, at));
                }
                return kind == Kind.BIN || kind == Kind.STR;
            }
            case INT16, INT32 -> {
                return putSmall(out, column.kind(), row, kind, bytes, at);
            }
            case FLOAT32 -> {
                boolean fits = kind == Kind.FLOAT || (kind == Kind.INT && isExact(bytes, at));
                if (fits) {
                    double value = kind == Kind.FLOAT ? Msgpack.real(bytes, at) : Msgpack.integer(bytes, at);
                    out.setInt32(row, Float.floatToRawIntBits((float) value));
                }
                return fits;
            }
            case TIMESTAMPTZ, TIMESTAMP, DATE -> {
                return putTime(out, column, row, kind, bytes, at);
            }
            case OTHER -> {
                return false;
            }
        }
        throw new IllegalStateException(column.kind().toString());
    }

    private static boolean isWhole(double value) {
        return value == Math.rint(value) && Math.abs(value) <= MOST_EXACT;
    }

    private static boolean isExact(byte[] bytes, int at) {
        long value = Msgpack.integer(bytes, at);
        return !Msgpack.isBeyondInt64(bytes, at) && value <= MOST_EXACT && value >= -MOST_EXACT;
    }

    private static boolean putSmall(OpenColumn out, ColumnKind column, int row, Kind kind, byte[] bytes, int at) {
        if (kind != Kind.INT || Msgpack.isBeyondInt64(bytes, at)) {
            return false;
        }
        long value = Msgpack.integer(bytes, at);
        if (column == ColumnKind.INT16 && value == (short) value) {
            out.setInt16(row, (short) value);
            return true;
        }
        if (column == ColumnKind.INT32 && value == (int) value) {
            out.setInt32(row, (int) value);
            return true;
        }
        return false;
    }

    /// EventTimes and, where the column is declared so, texts such as `2026-11-27T02:11:03.5Z`.
    private static boolean putTime(OpenColumn out, EventColumn column, int row, Kind kind, byte[] bytes, int at) {
        long micros;
        if (kind == Kind.EXT) {
            micros = EventTime.micros(bytes, at);
        } else if (kind == Kind.STR && column.isDeclared()) {
            micros = IsoTime.micros(bytes, at + Msgpack.head(bytes[at]), (int) Msgpack.length(bytes, at));
        } else {
            return false;
        }
        if (micros == EventTime.NONE) {
            return false;
        }
        if (column.kind() == ColumnKind.DATE) {
            out.setInt32(row, (int) Math.floorDiv(micros, 24 * Partition.HOUR_MICROS));
        } else {
            out.setInt64(row, micros);
        }
        return true;
    }

    private static void putText(OpenColumn out, int row, Kind kind, byte[] bytes, int at) {
        if (kind == Kind.STR) {
            int start = at + Msgpack.head(bytes[at]);
            int length = (int) Msgpack.length(bytes, at);
            if (Utf8Text.is(bytes, start, length)) {
                out.setText(row, bytes, start, length);
                return;
            }
            byte[] text = MsgpackJson.string(bytes, start, length).getBytes(StandardCharsets.UTF_8);
            out.setText(row, text, 0, text.length);
            return;
        }
        byte[] text = MsgpackJson.text(bytes, at).getBytes(StandardCharsets.UTF_8);
        if (kind == Kind.BIN) { // the base64 without quotes
            out.setText(row, text, 1, text.length - 2);
        } else {
            out.setText(row, text, 0, text.length);
        }
    }
}
