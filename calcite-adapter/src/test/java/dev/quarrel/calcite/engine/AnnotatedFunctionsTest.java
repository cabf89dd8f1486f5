package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Java methods that are SQL functions by their annotation.
final class AnnotatedFunctionsTest {
    /// One of each type, and the rules of NULL, names and errors.
    static final class Functions {
        private final int step;

        Functions(int step) {
            this.step = step;
        }

        @SqlFunction
        public int addStep(int value) {
            return value + step;
        }

        @SqlFunction
        public static boolean opposite(boolean value) {
            return !value;
        }

        @SqlFunction
        public static short small(short value) {
            return (short) (value + 1);
        }

        @SqlFunction
        static long twice(long value) {
            return Math.multiplyExact(2L, value);
        }

        @SqlFunction(name = "twice")
        static double twiceOfFloats(double value) {
            return 2 * value;
        }

        @SqlFunction
        static float halfReal(float value) {
            return value / 2;
        }

        @SqlFunction
        static BigDecimal cents(BigDecimal value) {
            return value.movePointRight(2);
        }

        @SqlFunction
        static LocalDate nextDay(LocalDate day) {
            return day.equals(LocalDate.MAX) ? day : day.plusDays(1);
        }

        @SqlFunction
        static LocalTime noon(LocalTime time) {
            return time.equals(LocalTime.MAX) ? time : LocalTime.NOON;
        }

        @SqlFunction
        static LocalDateTime later(LocalDateTime time, Interval by) {
            return time.plusNanos(by.micros() * 1000);
        }

        @SqlFunction
        static Instant sooner(OffsetDateTime time) {
            return time.equals(OffsetDateTime.MIN)
                    ? Instant.MIN
                    : time.minusSeconds(1).toInstant();
        }

        @SqlFunction
        static UUID same(UUID id) {
            return id;
        }

        @SqlFunction
        static byte[] reversed(byte[] bytes) {
            byte[] result = new byte[bytes.length];
            for (int index = 0; index < bytes.length; index++) {
                result[index] = bytes[bytes.length - 1 - index];
            }
            return result;
        }

        @SqlFunction
        static int total(int[] values) {
            return IntStream.of(values).sum();
        }

        @SqlFunction
        static String[] twiceOver(String[] values) {
            List<String> result = new ArrayList<>(List.of("a,b"));
            result.addAll(Arrays.asList(values));
            return result.toArray(String[]::new);
        }

        @SqlFunction
        @SqlFunction.Type("jsonb")
        static String wrapped(@SqlFunction.Type("json") String document) {
            return "{\"b\": 1, \"a\":  " + document + "}";
        }

        @SqlFunction
        static long wide(@SqlFunction.Type("integer") long value) {
            return value * 1_000_000_000_000L;
        }

        @SqlFunction
        static String orElse(@SqlFunction.Nullable String value, String fallback) {
            return value == null ? fallback : value;
        }

        @SqlFunction
        static String joined(String separator, int... values) {
            return IntStream.of(values).mapToObj(String::valueOf).collect(Collectors.joining(separator));
        }

        @SqlFunction
        static String nothing(int value) {
            return value > 1 ? null : "one";
        }

        @SqlFunction
        static int failing(int value) throws IOException {
            throw new IOException("no " + value);
        }

        @SqlFunction(pure = false)
        static String asked(SqlSession session, @SqlFunction.Nullable Integer value) {
            return session.user() + ' ' + value;
        }

        @SqlFunction(pure = false)
        static int lost(int value) {
            throw new IllegalStateException("lost " + value);
        }

        @SqlFunction
        static int answer() {
            return 42;
        }
    }

    private final Engine engine = LocalEngine.open(
            TestCatalog.small(),
            EngineConfig.defaults().withThreads(2).withFunctions(ScalarFunction.annotated(new Functions(100))));
    private final SqlSession session = engine.openSession("tester");

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    add_step(1)                                              | 101
                    opposite(true)                                           | f
                    small(1::smallint)                                       | 2
                    twice(4)                                                 | 8
                    twice(1.5::float8)                                       | 3
                    half_real(3)                                             | 1.5
                    cents(1.5)                                               | 150
                    next_day('2024-02-28')                                   | 2024-02-29
                    next_day('infinity')                                     | infinity
                    noon('24:00')                                            | 24:00:00
                    noon('10:00')                                            | 12:00:00
                    later('2024-01-01 00:00:00.000001', interval '1 second') | 2024-01-01 00:00:01.000001
                    sooner('2024-01-01 00:00+00')                            | 2023-12-31 23:59:59+00
                    sooner('-infinity')                                      | -infinity
                    same('00000000-0000-0000-0000-000000000001')             | 00000000-0000-0000-0000-000000000001
                    reversed('\\x0102')                                      | \\x0201
                    total(array[1, 2, 3])                                    | 6
                    twice_over(array['x', null, 'NULL'])                     | {"a,b",x,NULL,"NULL"}
                    wrapped('[1, 2]')                                        | {"a": [1, 2], "b": 1}
                    wide(3)                                                  | 3000000000000
                    or_else(null, 'x')                                       | x
                    or_else('y', null)                                       | null
                    or_else('y', 'z')                                        | y
                    joined('-', 1, 2, 3)                                     | 1-2-3
                    joined('-', 1)                                           | 1
                    nothing(2)                                               | null
                    asked(7)                                                 | tester 7
                    asked(null)                                              | tester null
                    answer()                                                 | 42
                    pg_catalog.answer()                                      | 42
                    """)
    void typesAreThoseOfJava(String call, String expected) {
        assertThat(Answers.of(session, "select (" + call + ")::text"))
                .containsExactly(expected.equals("f") ? "false" : expected);
    }

    @Test
    void theyRunOverColumns() {
        assertThat(Answers.of(session, "select add_step(a), or_else(b, 'none'), nothing(a) from t order by a"))
                .containsExactly("101|x|one", "102|y|null", "103|x|null", "null|none|null");
        assertThat(Answers.of(session, "select joined(b, a, a) from t order by a"))
                .containsExactly("1x1", "2y2", "3x3", "null");
        assertThat(Answers.of(session, "explain select add_step(a) from t"))
                .noneMatch(line -> line.contains("Function"));
    }

    @Test
    void errorsNameTheFunction() {
        assertThat(Answers.of(session, "select failing(a) from t where a = 2"))
                .containsExactly("ERROR 38000 the function failing(integer) failed: java.io.IOException: no 2");
        assertThat(Answers.of(session, "select twice(9223372036854775807)"))
                .containsExactly(
                        "ERROR 38000 the function twice(bigint) failed: java.lang.ArithmeticException: long overflow");
        assertThat(Answers.of(session, "select lost(a) from t where a = 2"))
                .containsExactly(
                        "ERROR 38000 the function lost(integer) failed: java.lang.IllegalStateException: lost 2");
        assertThat(Answers.of(session, "select total(array[1, null])"))
                .containsExactly("ERROR 22004 an element is NULL, which int[] does not hold");
        assertThat(Answers.of(session, "select joined('x')"))
                .containsExactly("ERROR 42883 function joined(unknown) does not exist");
    }

    /// Methods that are none.
    static final class Wrong {
        private Wrong() {}

        /// A class without a SQL type.
        static final class OfType {
            @SqlFunction
            static Object any(int value) {
                return value;
            }
        }

        /// A value that the parameter cannot hold.
        static final class OfWidth {
            @SqlFunction
            static int narrow(@SqlFunction.Type("bigint") int value) {
                return value;
            }
        }

        /// A parameter that is never null.
        static final class OfNull {
            @SqlFunction
            static int nullable(@SqlFunction.Nullable int value) {
                return value;
            }
        }

        /// A type that is not there.
        static final class OfName {
            @SqlFunction
            static String named(@SqlFunction.Type("polygone") String value) {
                return value;
            }
        }
    }

    @Test
    void methodsThatAreNoneAreRefused() {
        assertRefused(Wrong.OfType.class, "any(int): java.lang.Object is no SQL type");
        assertRefused(Wrong.OfWidth.class, "narrow(int): int may not fit bigint");
        assertRefused(Wrong.OfNull.class, "nullable(int): it has a primitive parameter that is nullable");
        assertRefused(Wrong.OfName.class, "type \"polygone\" does not exist");
        assertRefused(Functions.class, "addStep(int): it is not static: register an object of its class");
        assertRefused(String.class, "no method that is marked");
    }

    private static void assertRefused(Class<?> holder, String why) {
        assertThatThrownBy(() -> ScalarFunction.annotated(holder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    /// A name that PostgreSQL has.
    static final class Shadow {
        private Shadow() {}

        @SqlFunction
        static String lower(String text) {
            return text;
        }
    }

    @Test
    void builtInOnesAreNotShadowed() {
        EngineConfig config = EngineConfig.defaults().withFunctions(ScalarFunction.annotated(Shadow.class));
        assertThatThrownBy(() -> LocalEngine.open(TestCatalog.small(), config))
                .isInstanceOf(QueryException.class)
                .hasMessage("function lower(text) already exists with same argument types");
    }
}
