package dev.quarrel.calcite;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a Java method as a SQL function: [ScalarFunction#annotated] reads its name and types.
///
/// | Java | SQL |
/// |---|---|
/// | `boolean`, `Boolean` | boolean |
/// | `short`, `int`, `long`, and their boxes | smallint, integer, bigint |
/// | `float`, `double`, and their boxes | real, double precision |
/// | `BigDecimal` | numeric |
/// | `String` | text |
/// | `LocalDate`, `LocalTime`, `LocalDateTime` | date, time, timestamp |
/// | `Instant`, `OffsetDateTime` | timestamp with time zone |
/// | `Interval` | interval |
/// | `UUID`, `byte[]` | uuid, bytea |
/// | arrays of these, but `byte[]` | their arrays, of one dimension |
///
/// [Type] names another type: a wider Java number takes a narrower SQL one as argument (`long` for integer), and a
/// narrower one may be a wider result; `String` stands for any type as the text that PostgreSQL shows of it.
/// Infinite dates and times are `MIN` and `MAX` of their Java classes, 24:00 is `LocalTime.MAX`.
///
/// A NULL argument makes the result NULL without a call, unless its parameter is annotated as [Nullable] (by any
/// annotation of that simple name that is there at run time); a result of null is NULL. A method with a variable number
/// of arguments takes one at least for its last parameter.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface SqlFunction {
    /// The function's name; by default the method's, in lower case, with `_` between its words.
    String name() default "";

    /// Whether the same arguments give the same result for ever, and any thread may call it. Then it runs in pipelines,
    /// on all workers, is called once for equal texts of a dictionary, and while planning for constants.
    /// Otherwise it runs row by row above the scan, and its first parameter may be a [SqlSession].
    boolean pure() default true;

    /// The SQL type of a parameter, or of the result if it stands on the method.
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.PARAMETER, ElementType.METHOD})
    @interface Type {
        /// A type's name, such as `jsonb` or `integer`.
        String value();
    }

    /// A parameter that takes NULL, as null.
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface Nullable {}
}
