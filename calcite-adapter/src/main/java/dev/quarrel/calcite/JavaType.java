package dev.quarrel.calcite;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.MethodBody;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A Java class as a SQL type: values of the class, and the canonical form that the engine has of them.
///
/// @param javaClass as it was written: primitive, or not
record JavaType(Class<?> javaClass, PgType type) {
    private static final Map<Class<?>, PgType> TYPES = Map.ofEntries(
            Map.entry(Boolean.class, PgType.BOOL),
            Map.entry(Short.class, PgType.INT2),
            Map.entry(Integer.class, PgType.INT4),
            Map.entry(Long.class, PgType.INT8),
            Map.entry(Float.class, PgType.FLOAT4),
            Map.entry(Double.class, PgType.FLOAT8),
            Map.entry(BigDecimal.class, PgType.NUMERIC),
            Map.entry(String.class, PgType.TEXT),
            Map.entry(LocalDate.class, PgType.DATE),
            Map.entry(LocalTime.class, PgType.TIME),
            Map.entry(LocalDateTime.class, PgType.TIMESTAMP),
            Map.entry(Instant.class, PgType.TIMESTAMPTZ),
            Map.entry(OffsetDateTime.class, PgType.TIMESTAMPTZ),
            Map.entry(Interval.class, PgType.INTERVAL),
            Map.entry(UUID.class, PgType.UUID),
            Map.entry(byte[].class, PgType.BYTEA));

    /// An argument's type.
    ///
    /// @param wanted the SQL type, null for that of the class
    static JavaType ofArgument(Class<?> javaClass, PgType wanted) {
        JavaType type = of(javaClass, wanted);
        require(type.isWideEnough(), type, "may not fit");
        return type;
    }

    /// A result's type.
    static JavaType ofResult(Class<?> javaClass, PgType wanted) {
        JavaType type = of(javaClass, wanted);
        require(type.isNarrowEnough(), type, "may not fit");
        return type;
    }

    /// - Errors: [IllegalArgumentException] for a class that is no SQL type, or not that one.
    private static JavaType of(Class<?> javaClass, PgType wanted) {
        PgType own = typeOf(javaClass);
        if (own == null) {
            throw new IllegalArgumentException(javaClass.getTypeName() + " is no SQL type");
        }
        JavaType type = new JavaType(javaClass, wanted == null ? own : wanted);
        boolean isSame = type.type == own;
        boolean isNumber = rank(own) >= 0 && rank(type.type) >= 0 && rank(own) / 8 == rank(type.type) / 8;
        boolean isText = javaClass == String.class
                && !type.type.isPolymorphic()
                && type.type != PgType.OTHER
                && type.type != PgType.UNKNOWN;
        require(isSame || isNumber || isText, type, "does not stand for");
        return type;
    }

    private static void require(boolean holds, JavaType type, String what) {
        if (!holds) {
            throw new IllegalArgumentException(
                    type.javaClass.getTypeName() + " " + what + " " + type.type.formatName());
        }
    }

    private static PgType typeOf(Class<?> javaClass) {
        PgType known = TYPES.get(boxed(javaClass));
        if (known != null || !javaClass.isArray()) {
            return known;
        }
        PgType element = javaClass.getComponentType().isArray() && javaClass.getComponentType() != byte[].class
                ? null
                : typeOf(javaClass.getComponentType());
        return element == null ? null : element.array().orElse(null);
    }

    private static Class<?> boxed(Class<?> javaClass) {
        return MethodType.methodType(javaClass).wrap().returnType();
    }

    /// How wide a number is, in steps of 1; integers from 0, floats from 8; negative for other types.
    private static int rank(PgType type) {
        return switch (type) {
            case INT2 -> 0;
            case INT4 -> 1;
            case INT8 -> 2;
            case FLOAT4 -> 8;
            case FLOAT8 -> 9;
            default -> -1;
        };
    }

    private boolean isWideEnough() {
        return rank(typeOf(javaClass)) < 0 || rank(typeOf(javaClass)) >= rank(type);
    }

    private boolean isNarrowEnough() {
        return rank(typeOf(javaClass)) < 0 || rank(typeOf(javaClass)) <= rank(type);
    }

    /// Whether null is no value of the class.
    boolean isPrimitive() {
        return javaClass.isPrimitive();
    }

    /// From what a device passes to the class, as a handle from one to the other.
    MethodHandle reader() {
        if (isPrimitive()) {
            return MethodHandles.explicitCastArguments(
                    MethodHandles.identity(javaClass),
                    MethodType.methodType(javaClass, MethodBody.primitive(type.dataType())));
        }
        return handle("value").asType(MethodType.methodType(javaClass, Object.class));
    }

    /// From the class to what a device takes.
    MethodHandle writer() {
        if (isPrimitive()) {
            Class<?> to = MethodBody.primitive(type.dataType());
            return MethodHandles.explicitCastArguments(
                    MethodHandles.identity(to), MethodType.methodType(to, javaClass));
        }
        return handle("canonical").asType(MethodType.methodType(Object.class, javaClass));
    }

    private MethodHandle handle(String name) {
        try {
            return MethodHandles.lookup()
                    .findVirtual(JavaType.class, name, MethodType.methodType(Object.class, Object.class))
                    .bindTo(this);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /// A value of the class.
    ///
    /// - Errors: 0A000 for a value that the class does not have: NaN of numeric, arrays of several dimensions.
    ///
    /// @param canonical null for null
    Object value(Object canonical) {
        if (canonical == null) {
            return null;
        }
        if (javaClass.isArray() && javaClass != byte[].class) {
            return array((String) canonical);
        }
        return switch (boxed(javaClass).getSimpleName()) {
            case "Short" -> ((Long) canonical).shortValue();
            case "Integer" -> ((Long) canonical).intValue();
            case "Double" -> ((Number) canonical).doubleValue();
            case "BigDecimal" -> {
                if (!(canonical instanceof BigDecimal)) {
                    throw lacking("NaN or an infinite numeric as a BigDecimal");
                }
                yield canonical;
            }
            case "String" -> canonical instanceof String ? canonical : text(canonical);
            case "LocalDate" -> date((Long) canonical);
            case "LocalTime" -> time((Long) canonical);
            case "LocalDateTime" -> timestamp((Long) canonical);
            case "Instant" -> instant((Long) canonical);
            case "OffsetDateTime" -> offset((Long) canonical);
            case "byte[]" -> ((Bytes) canonical).toArray();
            default -> canonical;
        };
    }

    private String text(Object canonical) {
        TextBuffer text = new TextBuffer();
        PgText.append(new Literal(type.dataType(), canonical), text);
        return text.toString();
    }

    private static LocalDate date(long day) {
        if (CivilDate.isInfinite((int) day)) {
            return day > 0 ? LocalDate.MAX : LocalDate.MIN;
        }
        return LocalDate.ofEpochDay(day);
    }

    private static LocalTime time(long micros) {
        return micros == DataType.Time.MICROS_PER_DAY ? LocalTime.MAX : LocalTime.ofNanoOfDay(micros * 1000);
    }

    private static LocalDateTime timestamp(long micros) {
        if (CivilDate.isInfinite(micros)) {
            return micros > 0 ? LocalDateTime.MAX : LocalDateTime.MIN;
        }
        return LocalDateTime.ofInstant(finite(micros), ZoneOffset.UTC);
    }

    private static Instant instant(long micros) {
        if (CivilDate.isInfinite(micros)) {
            return micros > 0 ? Instant.MAX : Instant.MIN;
        }
        return finite(micros);
    }

    private static OffsetDateTime offset(long micros) {
        if (CivilDate.isInfinite(micros)) {
            return micros > 0 ? OffsetDateTime.MAX : OffsetDateTime.MIN;
        }
        return finite(micros).atOffset(ZoneOffset.UTC);
    }

    private static Instant finite(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private Object array(String text) {
        ArrayText.Nested read = ArrayText.parseNested(text);
        if (read.lengths().size() > 1) {
            throw lacking("an array of several dimensions as " + javaClass.getTypeName());
        }
        JavaType element = new JavaType(javaClass.getComponentType(), type.element());
        PgType.Declared declared = new PgType.Declared(type.element(), PgType.NO_TYPMOD);
        Object array =
                Array.newInstance(javaClass.getComponentType(), read.elements().size());
        for (int index = 0; index < read.elements().size(); index++) {
            String item = read.elements().get(index);
            if (item == null && element.isPrimitive()) {
                throw new QueryException(
                        SqlState.NULL_VALUE_NOT_ALLOWED,
                        "an element is NULL, which " + javaClass.getTypeName() + " does not hold");
            }
            if (item != null) {
                Array.set(
                        array,
                        index,
                        element.value(PgParse.literal(item, declared).value()));
            }
        }
        return array;
    }

    /// The canonical form of a value of the class.
    ///
    /// - Errors: those of the type's input, 22008 for dates out of its range, 22021 for a text with a zero.
    ///
    /// @param value null for null
    Object canonical(Object value) {
        return switch (value) {
            case null -> null;
            case Number number
            when rank(type) >= 8 ->
                type == PgType.FLOAT4 ? (Object) number.floatValue() : (Object) number.doubleValue();
            case Number number when rank(type) >= 0 -> number.longValue();
            case BigDecimal number -> number.scale() < 0 ? number.setScale(0) : number;
            case String text -> ofText(text);
            case LocalDate date -> day(date);
            case LocalTime time -> time.equals(LocalTime.MAX) ? DataType.Time.MICROS_PER_DAY : micros(time);
            case LocalDateTime time when time.equals(LocalDateTime.MAX) -> CivilDate.TIMESTAMP_INFINITY;
            case LocalDateTime time when time.equals(LocalDateTime.MIN) -> CivilDate.TIMESTAMP_MINUS_INFINITY;
            case LocalDateTime time -> micros(time.toInstant(ZoneOffset.UTC));
            case Instant time when time.equals(Instant.MAX) -> CivilDate.TIMESTAMP_INFINITY;
            case Instant time when time.equals(Instant.MIN) -> CivilDate.TIMESTAMP_MINUS_INFINITY;
            case Instant time -> micros(time);
            case OffsetDateTime time when time.equals(OffsetDateTime.MAX) -> CivilDate.TIMESTAMP_INFINITY;
            case OffsetDateTime time when time.equals(OffsetDateTime.MIN) -> CivilDate.TIMESTAMP_MINUS_INFINITY;
            case OffsetDateTime time -> micros(time.toInstant());
            case byte[] bytes -> Bytes.of(bytes.clone());
            default -> value.getClass().isArray() ? arrayText(value) : value;
        };
    }

    private Object ofText(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new QueryException(
                    SqlState.CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\": 0x00");
        }
        return type == PgType.TEXT
                ? text
                : PgParse.literal(text, new PgType.Declared(type, PgType.NO_TYPMOD))
                        .value();
    }

    private static long day(LocalDate date) {
        if (date.equals(LocalDate.MAX) || date.equals(LocalDate.MIN)) {
            return date.equals(LocalDate.MAX) ? CivilDate.INFINITY : CivilDate.MINUS_INFINITY;
        }
        if (!CivilDate.isValidDay(date.toEpochDay())) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range: \"" + date + "\"");
        }
        return date.toEpochDay();
    }

    private static long micros(LocalTime time) {
        return (time.toNanoOfDay() + 500) / 1000;
    }

    private static long micros(Instant time) {
        try {
            long micros =
                    Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000L), (time.getNano() + 500) / 1000);
            if (CivilDate.isValidTimestamp(micros)) {
                return micros;
            }
        } catch (ArithmeticException _) {
            // Out of range, as below.
        }
        throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range: \"" + time + "\"");
    }

    private String arrayText(Object array) {
        JavaType element = new JavaType(javaClass.getComponentType(), type.element());
        List<String> texts = new ArrayList<>();
        for (int index = 0; index < Array.getLength(array); index++) {
            Object canonical = element.canonical(Array.get(array, index));
            texts.add(canonical == null ? null : canonical instanceof String text ? text : element.text(canonical));
        }
        return ArrayText.format(texts);
    }

    private static QueryException lacking(String what) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + what);
    }
}
