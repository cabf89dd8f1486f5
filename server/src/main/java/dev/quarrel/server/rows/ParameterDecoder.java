package dev.quarrel.server.rows;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.NumericFormat;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.pg.ValueForm;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.NamedObjects;
import dev.quarrel.server.wire.MessageReader;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongBiFunction;

/// Reads the parameters of a Bind message, in text or binary form.
///
/// - Source: PostgreSQL's input and receive functions (`int4recv`, `numeric_recv`, `date_recv`, …).
public final class ParameterDecoder {
    private static final byte JSONB_VERSION = 1;
    private static final int MAX_DIMENSIONS = 6;
    private static final int MAX_ELEMENTS = 134_217_727;

    private ParameterDecoder() {}

    /// The type that a client declares by `oid` in Parse, or null where it leaves it to us.
    ///
    /// - Errors: `QueryException` 42704 for a type we do not have.
    public static PgType declaredType(int oid) {
        if (oid == 0 || oid == PgType.UNKNOWN.oid()) {
            return null;
        }
        return PgType.ofOid(oid)
                .orElseThrow(() -> new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "parameters of the type with OID " + Integer.toUnsignedString(oid) + " are not supported"));
    }

    /// Reads all parameters of one Bind.
    ///
    /// @param values null for NULL
    /// @param formats none = all text, one = for all, else one each
    /// @param moment how texts of times and intervals are read
    /// @param objects finds the oid of a regclass, regtype or regproc by its name, or -1
    public static List<Literal> decode(
            byte[][] values,
            short[] formats,
            List<PgType> types,
            PgParse.Moment moment,
            ToLongBiFunction<PgType, String> objects) {
        List<Literal> parameters = new ArrayList<>(values.length);
        for (int index = 0; index < values.length; index++) {
            PgType type = types.get(index);
            byte[] bytes = values[index];
            if (bytes == null) {
                parameters.add(Literal.ofNull(type.dataType()));
                continue;
            }
            short format = formats.length == 0 ? 0 : formats[formats.length == 1 ? 0 : index];
            parameters.add(format == 0 ? ofText(text(bytes), type, moment, objects) : binary(bytes, type, index + 1));
        }
        return parameters;
    }

    private static Literal ofText(
            String text, PgType type, PgParse.Moment moment, ToLongBiFunction<PgType, String> objects) {
        if (!type.isObjectName()
                || text.isEmpty()
                || text.equals("-")
                || text.chars().allMatch(Character::isDigit)) {
            return PgParse.literal(text, new PgType.Declared(type, PgType.NO_TYPMOD), moment);
        }
        long oid = objects.applyAsLong(type, text);
        if (oid < 0) {
            throw NamedObjects.missing(type, text);
        }
        return new Literal(type.dataType(), oid);
    }

    private static String text(byte[] bytes) {
        for (byte each : bytes) {
            if (each == 0) {
                throw new QueryException(
                        SqlState.CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\": 0x00");
            }
        }
        return MessageReader.decodeUtf8(ByteBuffer.wrap(bytes));
    }

    /// The value of one field in binary form.
    ///
    /// @param number that errors name
    public static Object binaryValue(byte[] bytes, PgType type, int number) {
        return binary(bytes, type, number).value();
    }

    private static Literal binary(byte[] bytes, PgType type, int number) {
        DataType dataType = type.dataType();
        return switch (type) {
            case BOOL -> new Literal(dataType, sized(bytes, 1, number).get() != 0);
            case INT2 -> new Literal(dataType, (long) sized(bytes, 2, number).getShort());
            case INT4 -> new Literal(dataType, (long) sized(bytes, 4, number).getInt());
            case OID, REGPROC, REGPROCEDURE, REGCLASS, REGTYPE, REGNAMESPACE, REGROLE, REGCOLLATION ->
                new Literal(
                        dataType, Integer.toUnsignedLong(sized(bytes, 4, number).getInt()));
            case INT8 -> new Literal(dataType, sized(bytes, 8, number).getLong());
            case FLOAT4 -> new Literal(dataType, sized(bytes, 4, number).getFloat());
            case FLOAT8 -> new Literal(dataType, sized(bytes, 8, number).getDouble());
            case DATE -> new Literal(dataType, shifted(sized(bytes, 4, number).getInt(), 4, PostgresEpoch.DAYS));
            case TIME -> {
                long micros = sized(bytes, 8, number).getLong();
                if (micros < 0 || micros > DataType.Time.MICROS_PER_DAY) {
                    throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "time out of range");
                }
                yield new Literal(dataType, micros);
            }
            case INTERVAL -> {
                ByteBuffer fields = sized(bytes, 16, number);
                long micros = fields.getLong();
                int days = fields.getInt();
                yield new Literal(dataType, new Interval(fields.getInt(), days, micros));
            }
            case TIMESTAMP, TIMESTAMPTZ ->
                new Literal(dataType, shifted(sized(bytes, 8, number).getLong(), 8, PostgresEpoch.MICROS));
            case NUMERIC -> new Literal(dataType, NumericFormat.parse(bytes));
            case UUID -> {
                ByteBuffer words = sized(bytes, 16, number);
                yield new Literal(dataType, new UUID(words.getLong(), words.getLong()));
            }
            case BYTEA -> new Literal(dataType, Bytes.of(bytes));
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN -> new Literal(dataType, text(bytes));
            case JSON -> PgParse.literal(text(bytes), new PgType.Declared(type, PgType.NO_TYPMOD));
            case JSONB, JSONPATH -> {
                if (bytes.length == 0 || bytes[0] != JSONB_VERSION) {
                    throw new QueryException(
                            SqlState.INVALID_BINARY_REPRESENTATION,
                            "unsupported " + type.typeName() + " version number in bind parameter " + number);
                }
                String text = text(Arrays.copyOfRange(bytes, 1, bytes.length));
                yield PgParse.literal(text, new PgType.Declared(type, PgType.NO_TYPMOD));
            }
            default -> {
                if (type.form() != null) {
                    yield new Literal(dataType, ValueForm.received(type, bytes, number));
                }
                if (!type.isArray()) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "no binary input function available for type " + type.formatName());
                }
                yield new Literal(dataType, array(bytes, type.element(), number));
            }
        };
    }

    /// The text of an array that comes as its dimensions, each with its length and first number, and its elements.
    private static String array(byte[] bytes, PgType element, int number) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            int dimensions = in.getInt();
            if (dimensions < 0) {
                throw new QueryException(
                        SqlState.INVALID_BINARY_REPRESENTATION, "invalid number of dimensions: " + dimensions);
            }
            if (dimensions > MAX_DIMENSIONS) {
                throw new QueryException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED,
                        "number of array dimensions (" + dimensions + ") exceeds the maximum allowed (6)");
            }
            int flags = in.getInt();
            if (flags != 0 && flags != 1) {
                throw new QueryException(SqlState.INVALID_BINARY_REPRESENTATION, "invalid array flags");
            }
            int oid = in.getInt();
            if (oid != element.oid()) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "binary data has array element type " + Integer.toUnsignedString(oid) + " instead of expected "
                                + element.oid() + " (" + element.formatName() + ")");
            }
            List<Integer> lengths = new ArrayList<>();
            List<Integer> firsts = new ArrayList<>();
            long count = dimensions == 0 ? 0 : 1;
            for (int dimension = 0; dimension < dimensions; dimension++) {
                lengths.add(in.getInt());
                firsts.add(in.getInt());
                count *= lengths.getLast();
                if (lengths.getLast() < 0 || count > MAX_ELEMENTS) {
                    throw new QueryException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "array size exceeds the maximum allowed (" + MAX_ELEMENTS + ")");
                }
            }
            return text(in, element, new ArrayText.Nested(lengths, firsts, new ArrayList<>()), (int) count, number);
        } catch (BufferUnderflowException _) {
            throw new QueryException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
        }
    }

    private static String text(ByteBuffer in, PgType element, ArrayText.Nested array, int count, int number) {
        for (int index = 0; index < count; index++) {
            int length = in.getInt();
            if (length < -1 || length > in.remaining()) {
                throw new QueryException(SqlState.INVALID_BINARY_REPRESENTATION, "insufficient data left in message");
            }
            byte[] bytes = length < 0 ? null : new byte[length];
            if (bytes != null) {
                in.get(bytes);
            }
            array.elements().add(bytes == null ? null : PgText.text(binary(bytes, element, number)));
        }
        if (in.hasRemaining()) {
            throw new QueryException(
                    SqlState.INVALID_BINARY_REPRESENTATION, "incorrect binary data format in bind parameter " + number);
        }
        if (count == 0) {
            return "{}";
        }
        TextBuffer out = new TextBuffer();
        array.append(out, each -> {
            byte[] text = each.getBytes(StandardCharsets.UTF_8);
            ArrayText.appendElement(text, text.length, out);
        });
        return out.toString();
    }

    private static long shifted(long value, int width, long epochShift) {
        if (PostgresEpoch.isInfinite(value, width)) {
            return value;
        }
        long moved = value + epochShift;
        if (moved < value || (width == 4 && moved > Integer.MAX_VALUE)) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW, width == 4 ? "date out of range" : "timestamp out of range");
        }
        return moved;
    }

    private static ByteBuffer sized(byte[] bytes, int length, int number) {
        if (bytes.length < length) {
            throw new QueryException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
        }
        if (bytes.length != length) {
            throw new QueryException(
                    SqlState.INVALID_BINARY_REPRESENTATION, "incorrect binary data format in bind parameter " + number);
        }
        return ByteBuffer.wrap(bytes);
    }
}
