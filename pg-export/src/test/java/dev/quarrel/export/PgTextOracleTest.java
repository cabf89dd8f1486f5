package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/// Texts written and read here, beside those of PostgreSQL itself.
final class PgTextOracleTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final Instant NOW = Instant.parse("2024-02-29T12:34:56.789Z");
    private static final int CASES = 20_000;

    private static Connection connection;
    private final Random random = new Random(SEED);

    @BeforeAll
    static void connect() throws SQLException {
        System.out.println("PgTextOracleTest: -Dquarrel.seed=" + SEED);
        connection = TestPostgres.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'UTC'");
            statement.execute("SET datestyle = 'ISO, MDY'");
            statement.execute("""
                    CREATE FUNCTION pg_temp.try_cast(value text, type text) RETURNS text LANGUAGE plpgsql AS $$
                    DECLARE result text;
                    BEGIN
                        EXECUTE format('SELECT CAST($1 AS %s)::text', type) INTO result USING value;
                        RETURN result;
                    EXCEPTION WHEN OTHERS THEN
                        RETURN SQLSTATE || ' ' || SQLERRM;
                    END $$
                    """);
            // Of a literal the input function sees the type's modifier, which says what a number without a unit counts.
            statement.execute("""
                    CREATE FUNCTION pg_temp.try_literal(value text, type text) RETURNS text LANGUAGE plpgsql AS $$
                    DECLARE result text;
                    BEGIN
                        EXECUTE format('SELECT CAST(%L AS %s)::text', value, type) INTO result;
                        RETURN result;
                    EXCEPTION WHEN OTHERS THEN
                        RETURN SQLSTATE || ' ' || SQLERRM;
                    END $$
                    """);
        }
    }

    @AfterAll
    static void disconnect() throws SQLException {
        connection.close();
    }

    @Test
    void doublesAreWrittenAsPostgresWritesThem() throws SQLException {
        double[] values = new double[CASES];
        for (int index = 0; index < CASES; index++) {
            values[index] = switch (index % 8) {
                case 0 -> Double.longBitsToDouble(random.nextLong());
                case 1 -> random.nextInt(1 << 20) / (double) (1 << random.nextInt(21));
                case 2 -> random.nextInt(100_000) * Math.pow(10, random.nextInt(40) - 25);
                case 3 -> random.nextLong(1L << 56);
                case 4 -> Math.pow(2, random.nextInt(2098) - 1074);
                case 5 -> Math.scalb((double) (random.nextInt(1 << 12) | 1), random.nextInt(2040) - 1060);
                case 6 -> Math.pow(10, random.nextInt(632) - 323);
                default -> random.nextGaussian();
            };
        }
        double[] edges = {
            0.0,
            -0.0,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            1e15,
            1e14,
            999999999999999.9,
            1e-4,
            1e-5,
            0.00012345,
            1e23,
            2e23,
            9007199254740993.0,
            123456789012345680.0,
            5e-324,
            2.2250738585072014E-308,
            100000,
            0.1,
            1.5,
            -2.5,
            4503599627370496.5,
            9.5e-5
        };
        System.arraycopy(edges, 0, values, 0, edges.length);
        List<String> expected = texts("float8", primitives("float8", values));
        TextBuffer out = new TextBuffer();
        for (int index = 0; index < CASES; index++) {
            out.clear();
            PgText.appendFloat8(values[index], out);
            assertThat(out.toString())
                    .as("bits %x", Double.doubleToRawLongBits(values[index]))
                    .isEqualTo(expected.get(index));
        }
    }

    @Test
    void floatsAreWrittenAsPostgresWritesThem() throws SQLException {
        float[] values = new float[CASES];
        for (int index = 0; index < CASES; index++) {
            values[index] = switch (index % 5) {
                case 0 -> Float.intBitsToFloat(random.nextInt());
                case 1 -> random.nextInt(1 << 12) / (float) (1 << random.nextInt(13));
                case 2 -> (float) (random.nextInt(1000) * Math.pow(10, random.nextInt(30) - 15));
                case 3 -> random.nextInt(1 << 28);
                default -> (float) Math.pow(2, random.nextInt(277) - 149);
            };
        }
        float[] edges = {
            0f,
            -0f,
            Float.NaN,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            Float.MIN_VALUE,
            Float.MAX_VALUE,
            1e6f,
            999999f,
            100000f,
            1e-4f,
            1e-5f,
            0.1f,
            16777216f,
            33554432f,
            8388608.5f
        };
        System.arraycopy(edges, 0, values, 0, edges.length);
        List<String> expected = texts("float4", primitives("float4", values));
        TextBuffer out = new TextBuffer();
        for (int index = 0; index < CASES; index++) {
            out.clear();
            PgText.appendFloat4(values[index], out);
            assertThat(out.toString())
                    .as("bits %x", Float.floatToRawIntBits(values[index]))
                    .isEqualTo(expected.get(index));
        }
    }

    @Test
    void numericsAreWrittenAsPostgresWritesThem() throws SQLException {
        List<BigDecimal> values = new ArrayList<>();
        for (int index = 0; index < CASES; index++) {
            BigInteger unscaled = new BigInteger(random.nextInt(127), random);
            if (unscaled.toString().length() > 38) {
                continue;
            }
            values.add(new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), random.nextInt(60)));
        }
        values.add(new BigDecimal(BigInteger.TEN.pow(38).subtract(BigInteger.ONE), 38));
        values.add(new BigDecimal(BigInteger.valueOf(Long.MIN_VALUE), 2));
        values.add(new BigDecimal(BigInteger.valueOf(Long.MAX_VALUE), 19));
        List<String> expected =
                texts("numeric", connection.createArrayOf("numeric", values.toArray(BigDecimal[]::new)));
        TextBuffer out = new TextBuffer();
        for (int index = 0; index < values.size(); index++) {
            BigInteger unscaled = values.get(index).unscaledValue();
            out.clear();
            PgText.appendDecimal(
                    unscaled.shiftRight(64).longValue(),
                    unscaled.longValue(),
                    values.get(index).scale(),
                    out);
            assertThat(out.toString()).isEqualTo(expected.get(index));
        }
    }

    @Test
    void datesAndTimestampsAreWrittenAsPostgresWritesThem() throws SQLException {
        List<Integer> days =
                new ArrayList<>(List.of(-2_440_588, 2_145_042_905, 0, -719_162, -719_163, -719_528, -719_529));
        List<Long> micros = new ArrayList<>(List.of(
                -210_866_803_200_000_000L,
                9_223_371_331_199_999_999L,
                0L,
                -1L,
                1L,
                100_000L,
                -62_135_596_800_000_001L));
        for (int index = 0; index < CASES; index++) {
            days.add(index % 2 == 0 ? random.nextInt(100_000) - 50_000 : random.nextInt(-2_440_588, 2_145_042_906));
            micros.add(
                    switch (index % 3) {
                        case 0 -> random.nextLong(-210_866_803_200_000_000L, 9_223_371_331_200_000_000L);
                        case 1 -> random.nextLong(4_000_000_000L) * 1_000_000;
                        default -> random.nextLong(4_000_000_000_000L) * 1000;
                    });
        }
        TextBuffer out = new TextBuffer();
        List<String> dateTexts = rows(
                "SELECT (date '1970-01-01' + d)::text FROM unnest(?) WITH ORDINALITY AS x(d, n) ORDER BY n",
                connection.createArrayOf("int4", days.toArray(Integer[]::new)));
        for (int index = 0; index < days.size(); index++) {
            out.clear();
            PgText.appendDate(days.get(index), out);
            assertThat(out.toString()).as("day %d", days.get(index)).isEqualTo(dateTexts.get(index));
        }
        // Days and the rest apart, since an interval takes 64 bits of microseconds only.
        String sql = "SELECT (timestamp%s '1970-01-01 00:00' + make_interval(days => (m / 86400000000)::int)"
                + " + (m %% 86400000000) * interval '1 microsecond')::text"
                + " FROM unnest(?) WITH ORDINALITY AS x(m, n) ORDER BY n";
        for (boolean withZone : new boolean[] {false, true}) {
            List<String> expected = rows(
                    sql.formatted(withZone ? "tz" : ""), connection.createArrayOf("int8", micros.toArray(Long[]::new)));
            for (int index = 0; index < micros.size(); index++) {
                out.clear();
                if (withZone) {
                    PgText.appendTimestampTz(micros.get(index), 0, out);
                } else {
                    PgText.appendTimestamp(micros.get(index), out);
                }
                assertThat(out.toString()).as("micros %d", micros.get(index)).isEqualTo(expected.get(index));
            }
        }
    }

    @Test
    void numbersAreReadAsPostgresReadsThem() throws SQLException {
        List<String> texts = new ArrayList<>(List.of(
                "",
                " ",
                "-",
                "+",
                "1",
                " 12 ",
                "\t-7\n",
                "+3",
                "- 3",
                "1.0",
                "1e3",
                "0x1F",
                "0X_1f",
                "0b101",
                "0o17",
                "0x",
                "1_000",
                "1__0",
                "_1",
                "1_",
                "32767",
                "32768",
                "-32768",
                "-32769",
                "2147483647",
                "2147483648",
                "-2147483648",
                "-2147483649",
                "9223372036854775807",
                "9223372036854775808",
                "-9223372036854775808",
                "-9223372036854775809",
                "99999999999999999999999",
                "4294967295",
                "4294967296",
                "-1",
                "abc",
                "12abc",
                "NaN",
                "nan",
                "-NaN",
                "inf",
                "-infinity",
                "Infinity",
                "+inf",
                "1e400",
                "-1e400",
                "1e-400",
                "0e999",
                "1e39",
                "1e-46",
                ".5",
                "5.",
                ".",
                "1.5e",
                "1e+2",
                "1E-2",
                "1.e5",
                "1d",
                "1f",
                "0.000",
                "-0",
                "123.4500",
                "1.5e-3",
                "1_000.5",
                "1_0e1_0",
                "１",
                "true",
                "t",
                "TRUE ",
                " yes",
                "y",
                "no",
                "of",
                "off",
                "on",
                "o",
                "0",
                "tru",
                "truee",
                "false",
                "F",
                "n"));
        String alphabet = "0123456789+-.eExX_ ";
        for (int index = 0; index < 3000; index++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(8) + 1; length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(random.nextBoolean() ? 10 : alphabet.length())));
            }
            texts.add(text.toString());
        }
        for (String type : List.of(
                "smallint",
                "integer",
                "bigint",
                "real",
                "double precision",
                "numeric",
                "numeric(7,3)",
                "numeric(3,-2)",
                "numeric(2,4)",
                "boolean")) {
            compare(type, texts, true);
        }
        // PostgreSQL 16 and later read a leading 0 as octal here, 15 and Quarrel do not.
        compare(
                "oid",
                List.of(
                        "",
                        "1",
                        " 12 ",
                        "-1",
                        "+3",
                        "- 3",
                        "4294967295",
                        "4294967296",
                        "-2147483648",
                        "1_0",
                        "12a",
                        "1.0"),
                true);
    }

    @Test
    void datesAndTimesAreReadAsPostgresReadsThem() throws SQLException {
        List<String> texts = new ArrayList<>(List.of(
                "",
                "2024-02-29",
                "2023-02-29",
                "2024-13-01",
                "2024-1-2",
                "20240229",
                "240229",
                "1/8/1999",
                "1/18/1999",
                "18/1/1999",
                "01/02/03",
                "1999-Jan-08",
                "Jan-08-1999",
                "08-Jan-1999",
                "99-Jan-08",
                "08-Jan-99",
                "Jan-08-99",
                "January 8, 1999",
                "8 January 1999",
                "1999.008",
                "J2451187",
                "January 8, 99 BC",
                "0001-01-01 BC",
                "0044-03-15 BC",
                "0000-01-01",
                "epoch",
                "infinity",
                "-infinity",
                "+infinity",
                " Infinity ",
                "today",
                "tomorrow",
                "yesterday",
                "5874897-12-31",
                "5874898-01-01",
                "4714-11-24 BC",
                "4714-11-23 BC",
                "294276-12-31 23:59:59.999999",
                "294277-01-01",
                "10000-01-01",
                "2024-02-29T12:34:56Z",
                "2024-02-29 12:34:56.789+05:30",
                "2024-02-29 12:34:56 -0800",
                "2024-02-29 24:00:00",
                "2024-02-29 24:00:01",
                "2024-02-29 23:59:60",
                "2024-02-29 23:60:00",
                "2024-02-29 12:00 PM",
                "2024-02-29 12:00 AM",
                "2024-02-29 13:00 PM",
                "2024-02-29 1 PM",
                "2024-02-29 040506",
                "20240229T040506",
                "20240229T040506.789-08",
                "2024-02-29 04:05:06 America/New_York",
                "2024-07-29 04:05:06 europe/berlin",
                "2024-02-29 04:05 EST",
                "2024-02-29 04:05 Mars/Phobos",
                "2024-02-29 +16",
                "2024-02-29 12:00 +15:59:59",
                "Thu Feb 29 2024",
                "Feb 29 04:05:06 2024",
                "Feb 29 04:05:06 2024 PST",
                "garbage",
                "2024-02-29 garbage",
                "2024",
                "12:34",
                "2024-02",
                "2024-02-30",
                "1.2.2024",
                "2024/02/29",
                "2024.02.29",
                "Feb-29-2024",
                "2024 Feb 29",
                "29 Feb 2024 AD",
                "2024-02-29 allballs",
                "2024-02-29 12:34:56.1234567",
                "2024-02-29 12:34:56.9999999",
                "2024-02-29 12:34:",
                "2024-02-29 12:34:56.",
                "2024-060",
                "2024-366",
                "2023-366",
                "02 29 2024",
                "2024 02 29",
                "99 01 01",
                "1 2 70",
                "1 2 69",
                "2024-02-29 at 10:00",
                "2024-02-29 10:00 on",
                "2024-02-29 00:00 z",
                "2024-02-29 zulu",
                "10Feb040506-08:30",
                "2024-02-29 J0512-0",
                "J2412329BC",
                "J2451187-08",
                "J2451187.5",
                "Jjan-08",
                "2024-02-29 T040506-08"));
        List<String> types = List.of(
                "date", "timestamp without time zone", "timestamp(2) without time zone", "timestamp with time zone");
        for (String type : types) {
            compare(type, texts, true);
        }
        texts.clear();
        String[] parts = {
            "2024",
            "1999",
            "02",
            "29",
            "7",
            "13",
            "99",
            "-",
            "-",
            "/",
            ".",
            ":",
            ":",
            " ",
            " ",
            "T",
            "Feb",
            "March",
            "12",
            "05",
            "59",
            "60",
            "24",
            "+05",
            "-08:30",
            "BC",
            "PM",
            "AM",
            "Z",
            "UTC",
            "J",
            "123",
            "20240229",
            "040506",
            ",",
            "Thu",
            ".5",
            "2024-02-29 ",
            "12:34:56",
            "Jan ",
            "+",
            "PST",
            "0",
            "1"
        };
        for (int index = 0; index < 6000; index++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(7) + 1; length > 0; length--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            texts.add(text.toString());
        }
        for (String type : types) {
            compare(type, texts, false);
        }
    }

    @Test
    void timesAndIntervalsAreWrittenAsPostgresWritesThem() throws SQLException {
        List<Long> micros = new ArrayList<>(List.of(0L, 1L, 86_400_000_000L, 86_399_999_999L, 3_600_000_000L));
        List<Interval> spans = new ArrayList<>(List.of(
                new Interval(0, 0, 0),
                new Interval(0, 0, -1),
                new Interval(-1, 1, 1),
                new Interval(1, -1, -1),
                new Interval(0, -1, 0),
                new Interval(-12, 0, 1),
                Interval.INFINITY,
                Interval.MINUS_INFINITY,
                new Interval(Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE + 1),
                new Interval(0, 0, Long.MAX_VALUE)));
        for (int index = 0; index < CASES; index++) {
            micros.add(random.nextLong(86_400_000_001L)
                    / (index % 2 == 0 ? 1 : 1_000_000)
                    * (index % 2 == 0 ? 1 : 1_000_000));
            spans.add(new Interval(
                    index % 3 == 0 ? 0 : random.nextInt(-40, 40),
                    index % 5 == 0 ? 0 : random.nextInt(-40, 40),
                    index % 7 == 0 ? 0 : random.nextLong(-200_000_000_000L, 200_000_000_000L)));
        }
        TextBuffer out = new TextBuffer();
        List<String> times = rows(
                "SELECT CASE m WHEN 86400000000 THEN '24:00:00' ELSE (time '00:00' + m * interval '1 us')::text END"
                        + " FROM unnest(?) WITH ORDINALITY AS x(m, n) ORDER BY n",
                connection.createArrayOf("int8", micros.toArray(Long[]::new)));
        for (int index = 0; index < micros.size(); index++) {
            out.clear();
            PgText.appendTime(micros.get(index), out);
            assertThat(out.toString()).isEqualTo(times.get(index));
        }
        // Every field in words, which PostgreSQL reads back into the same value.
        List<String> expected = rows(
                "SELECT x.s::interval::text FROM unnest(?) WITH ORDINALITY AS x(s, n) ORDER BY n",
                connection.createArrayOf(
                        "text",
                        spans.stream()
                                .map(span -> span.isFinite()
                                        ? span.months() + " mons " + span.days() + " days " + span.micros() + " us"
                                        : span.micros() > 0 ? "infinity" : "-infinity")
                                .toArray(String[]::new)));
        for (int index = 0; index < spans.size(); index++) {
            Interval span = spans.get(index);
            out.clear();
            PgText.appendInterval(span.calendar(), span.micros(), out);
            assertThat(out.toString()).as("%s", span).isEqualTo(expected.get(index));
            assertThat(PgParse.interval(out.toString())).isEqualTo(span);
        }
    }

    @Test
    void timesAndIntervalsAreReadAsPostgresReadsThem() throws SQLException {
        List<String> spans = new ArrayList<>(List.of(
                "",
                " ",
                "1 day",
                "-1 day",
                "+1 day",
                "1.5 days",
                "-1.5 mons",
                "1.25 years",
                "2 weeks",
                "1.5 weeks",
                "3 decades",
                "1 century",
                "1 mil",
                "1 us",
                "1500 ms",
                "1.0000005 s",
                "0.0000005 s",
                "@ 1 minute",
                "1 day ago",
                "1 day -2 hours ago",
                "ago",
                "1 ago",
                "1-2",
                "-1-2",
                "1-13",
                "1-2 3 4:05:06",
                "1:02",
                "1:02:03.5",
                "1:02.5",
                "-1:02:03",
                "1:60",
                "1:02:61",
                "1:2:3:4",
                "P1Y2M3DT4H5M6.7S",
                "P2W",
                "P-1Y",
                "P0001-02-03T04:05:06",
                "P00010203T040506",
                "P1.5M",
                "PT1.5H",
                "P",
                "PT",
                "P1",
                "PX",
                "P1D1",
                "PT1:2",
                "P1e1D",
                "p1d",
                "infinity",
                "-infinity",
                "+infinity",
                "infinity ago",
                "1 day infinity",
                "1 2 3",
                "1 day 1 day",
                "1 day day",
                "day 1",
                "1 quarter",
                "1d2h",
                "1d 2h",
                "04:05",
                "1",
                "1.5",
                "-1.5",
                "178000000 years",
                "178956970 years",
                "178956971 years",
                "2147483647 mons",
                "2147483648 mons",
                "9223372036854775807 us",
                "9223372036854775808 us",
                "-9223372036854775808 us",
                "1 at 2 hours",
                "1 microsecondly",
                "1 secondly",
                "1 min 30",
                "30 1 min",
                "1.2.3 d",
                "1 2:03",
                "2-3 4",
                "-2-3 4:05"));
        List<String> times = new ArrayList<>(List.of(
                "",
                "12:00",
                "24:00",
                "24:00:01",
                "25:00",
                "12:60",
                "23:59:60",
                "12:34:56.7894",
                "12:34:56.9999999",
                "040506",
                "0405",
                "040506.78",
                "T040506",
                "t04:05",
                "12 PM",
                "12:00 PM",
                "12:00 AM",
                "13:00 PM",
                "allballs",
                "12:00+02",
                "12:00 -08:00",
                "12:00 UTC",
                "12:00 z",
                "2024-02-29 12:34",
                "2024-02-29",
                "infinity",
                "12",
                "x",
                "12:00 x",
                "1:2:3",
                "1:2.5",
                "04:05:06 PST",
                "now x"));
        compareSpans(spans, times, true);
        spans.clear();
        times.clear();
        String[] parts = {
            "1",
            "2",
            "30",
            "-3",
            "+4",
            "1.5",
            "-.5",
            ".25",
            " ",
            " ",
            " ",
            " ",
            "day",
            "days",
            "mon",
            "y",
            "h",
            "m",
            "s",
            "ms",
            "weeks",
            "ago",
            "1:02",
            "-04:05:06.7",
            "1-2",
            "P",
            "T",
            "Y",
            "M",
            "D",
            "H",
            "S",
            "W",
            "infinity",
            "@",
            "dec",
            "c",
            "-",
            ":",
            "1e2",
            "millennia"
        };
        String[] timeParts = {
            "12",
            "05",
            "59",
            "24",
            "00",
            "7",
            ":",
            ":",
            ":",
            ".",
            " ",
            "PM",
            "AM",
            "T",
            "Z",
            "+02",
            "-08:30",
            "040506",
            "2024-02-29 ",
            "allballs",
            ".5",
            "12:34:56",
            "UTC",
            "60"
        };
        for (int index = 0; index < 6000; index++) {
            spans.add(randomText(parts));
            times.add(randomText(timeParts));
        }
        compareSpans(spans, times, false);
    }

    private String randomText(String[] parts) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(7) + 1; length > 0; length--) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    private void compareSpans(List<String> spans, List<String> times, boolean exactly) throws SQLException {
        for (String type : List.of(
                "interval",
                "interval(2)",
                "interval year",
                "interval month",
                "interval day",
                "interval hour",
                "interval minute",
                "interval second(0)",
                "interval year to month",
                "interval day to minute",
                "interval minute to second",
                "interval day to second(3)")) {
            compare(type, spans, exactly);
        }
        compare("time without time zone", times, exactly);
        compare("time(2) without time zone", times, exactly);
    }

    /// @param exactly whether errors must be the same too; otherwise a text may be refused that PostgreSQL takes,
    ///   but never taken with another value, or taken where PostgreSQL refuses it
    private void compare(String type, List<String> texts, boolean exactly) throws SQLException {
        String function = type.startsWith("interval") ? "pg_temp.try_literal" : "pg_temp.try_cast";
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT " + function + "(x, ?) FROM unnest(?) WITH ORDINALITY AS x(x, n) ORDER BY n")) {
            query.setString(1, type);
            query.setArray(2, connection.createArrayOf("text", texts.toArray(String[]::new)));
            try (ResultSet rows = query.executeQuery()) {
                List<String> differences = new ArrayList<>();
                for (String text : texts) {
                    rows.next();
                    String ours = cast(text, type);
                    String theirs = rows.getString(1);
                    boolean refused = !exactly && ours.startsWith("22") && ours.charAt(5) == ' ';
                    if (!ours.equals(theirs) && !refused && !isDeclaredDifference(text, ours, theirs)) {
                        differences.add("%s %s: %s, PostgreSQL: %s".formatted(type, text, ours, theirs));
                    }
                }
                assertThat(differences).isEmpty();
            }
        }
    }

    private static String cast(String text, String type) {
        try {
            String result =
                    PgText.text(PgParse.literal(text, PgType.parse(type), new PgParse.Moment(ZoneOffset.UTC, NOW)));
            // A cast of boolean to text spells it out.
            return type.equals("boolean") ? (result.equals("t") ? "true" : "false") : result;
        } catch (QueryException failure) {
            return failure.state().code() + " " + failure.getMessage();
        }
    }

    /// What the documentation of [PgParse] says is otherwise, and words whose meaning is the time of the test.
    private static boolean isDeclaredDifference(String text, String ours, String theirs) {
        String word = text.trim().toLowerCase(Locale.ROOT);
        return ours.contains("more than 38 digits")
                || (ours.startsWith("0A000 numeric") && !theirs.startsWith("22P02"))
                || (ours.startsWith("0A000 not supported: NaN of type numeric") && theirs.equals("NaN"))
                || (theirs.matches("-?[0-9.e+]+") && text.matches("(?i)\\s*[-+]?0x.*") && ours.startsWith("22P02"))
                || text.startsWith("294276-")
                || List.of("today", "tomorrow", "yesterday").contains(word);
    }

    private static Array primitives(String type, Object values) throws SQLException {
        return connection.unwrap(PGConnection.class).createArrayOf(type, values);
    }

    private static List<String> texts(String type, Array values) throws SQLException {
        return rows("SELECT x::text FROM unnest(?::" + type + "[]) WITH ORDINALITY AS x(x, n) ORDER BY n", values);
    }

    private static List<String> rows(String sql, Array values) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setArray(1, values);
            try (ResultSet rows = query.executeQuery()) {
                List<String> texts = new ArrayList<>();
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
                return texts;
            }
        }
    }
}
