package dev.quarrel.core.cpu;

import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// Canonical values of a type, with the edges often among them.
public final class RandomValues {
    private static final List<Double> FLOATS = List.of(
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            1e-5,
            123456.789,
            1e15,
            1e22,
            3e38,
            1e300,
            -1e300,
            1e-300,
            1e-45,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            -Double.MAX_VALUE,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            32767.5,
            32768.0,
            -32768.5,
            2147483647.5,
            2147483648.0,
            9.223372036854775807e18,
            -9.223372036854775808e18,
            0.1,
            100.0);
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "a",
            "A",
            "abc",
            "ABC",
            "aBc def",
            "  padded  ",
            "xx-abc-xx",
            "äöü",
            "ÄÖÜ",
            "日本語",
            "a日b本c",
            "😀",
            "x😀y",
            "100%",
            "a_b",
            "a\\b",
            "%",
            "_",
            "\\",
            "ab\ncd",
            "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "ASIA",
            "MFGR#12",
            "é",
            "0123456789",
            "tab\there");
    private static final List<String> PARSED = List.of(
            "1",
            "-17",
            "32768",
            "2147483648",
            "1.5",
            "1e3",
            "-0",
            "NaN",
            "true",
            "off",
            "maybe",
            "",
            " 12 ",
            "2024-02-29",
            "2023-02-29",
            "2024-02-29 12:34:56.789",
            "infinity",
            "1999-12-31T23:59:59+02",
            "12345678901234567890123456789012345678",
            "12:34:56.7",
            "1 day 02:03:04",
            "-1 year 2 mons",
            "0.000000000000000000001",
            "9999999.995",
            "x",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "{A0EEBC999C0B4EF8-BB6D6BB9-BD380A11}",
            "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1",
            "\\x00fF 0a",
            "\\x0",
            "\\xzz",
            "a\\\\b\\377",
            "\\4");
    private static final List<String> PATTERNS = List.of(
            "%",
            "_", "", "a%", "%a", "%a%", "a_c", "%b_", "_%_", "a%c", "%%", "\\%", "%\\%", "%\\_%", "a\\", "%\\", "x%y%z",
            "%日%", "_本_", "%😀%", "ABC", "%é", "z%z%z%z", "%_\\", "#%%", "%#_%", "äöü", "%c", "a%b%c");
    private static final List<String> ESCAPES = List.of("\\", "\\", "\\", "#", "", "ab", "é");
    private static final List<String> REGEXES = List.of(
            "a",
            "^a",
            "c$",
            "a.c",
            "[a-c]+",
            "x{2}",
            "(ab|cd)",
            "^$",
            "日",
            "a|b|c",
            "[^a-z]",
            "^[A-Z]+$",
            "b*c",
            "[0-9]{3,}",
            "(a)(b)?",
            "\\.",
            "\\\\",
            "z+$");

    private static final List<String> CODED = List.of(
            "",
            "00ff",
            " 0a 0B\n",
            "0",
            "zz",
            "AA==",
            "AAA=",
            "/+8A\nQUJD",
            "A",
            "AA=",
            "====",
            "a\\\\b\\101",
            "\\8",
            "é",
            "0 a");
    private static final List<Integer> EDGE_BYTES = List.of(0, 1, 0x7F, 0x80, 0xFF, (int) '\\', (int) 'a');
    private static final List<Long> WORDS =
            List.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 0x0123_4567_89AB_CDEFL, 0xFEDC_BA98_7654_3210L);

    private RandomValues() {}

    public enum TextKind {
        PLAIN,
        CODED,
        FORMAT,
        PARSED,
        PATTERN,
        ESCAPE,
        REGEX,
        SHORT,
        ARRAY
    }

    public static Object of(DataType type, TextKind kind, RandomGenerator random) {
        return switch (type) {
            case DataType.Bool _ -> random.nextBoolean();
            case DataType.Int16 _ -> (long) (short) integer(random, Short.MIN_VALUE, Short.MAX_VALUE);
            case DataType.Int32 _ -> (long) (int) integer(random, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case DataType.Int64 _ -> integer(random, Long.MIN_VALUE, Long.MAX_VALUE);
            case DataType.Float32 _ -> (float) (double) pick(FLOATS, random);
            case DataType.Float64 _ -> random.nextInt(4) == 0 ? random.nextGaussian() * 1000 : pick(FLOATS, random);
            case DataType.Decimal(int precision, int scale) -> new BigDecimal(unscaled(random, precision), scale);
            case DataType.Numeric _ -> new BigDecimal(unscaled(random, 38), scale(random));
            case DataType.Date _ -> day(random);
            case DataType.Timestamp _ -> micros(random);
            case DataType.Uuid _ ->
                new UUID(pick(WORDS, random), random.nextInt(3) == 0 ? random.nextLong() : pick(WORDS, random));
            case DataType.Time _ -> time(random);
            case DataType.Interval _ -> interval(random);
            case DataType.Utf8 _ -> text(kind, random);
            case DataType.Binary _ -> Bytes.of(bytes(random));
        };
    }

    private static byte[] bytes(RandomGenerator random) {
        byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(100) : random.nextInt(5)];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) (random.nextBoolean() ? pick(EDGE_BYTES, random) : random.nextInt());
        }
        return bytes;
    }

    private static <T> T pick(List<T> values, RandomGenerator random) {
        return values.get(random.nextInt(values.size()));
    }

    private static long integer(RandomGenerator random, long min, long max) {
        return switch (random.nextInt(8)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> 0;
            case 3 -> -1;
            case 4 -> min + random.nextInt(3);
            case 5 -> random.nextLong();
            default -> random.nextInt(-50, 50);
        };
    }

    private static BigInteger unscaled(RandomGenerator random, int precision) {
        BigInteger limit = BigInteger.TEN.pow(random.nextInt(3) == 0 ? precision : random.nextInt(1, precision + 1));
        BigInteger value =
                switch (random.nextInt(8)) {
                    case 0 -> BigInteger.ZERO;
                    case 1 -> limit.subtract(BigInteger.ONE);
                    case 2 -> limit.divide(BigInteger.TEN);
                    case 3 -> BigInteger.valueOf(5).multiply(limit.divide(BigInteger.TEN));
                    default -> new BigInteger(127, new java.util.Random(random.nextLong())).mod(limit);
                };
        return random.nextBoolean() ? value : value.negate();
    }

    private static int scale(RandomGenerator random) {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextInt(38);
            case 2 -> random.nextInt(60);
            default -> random.nextInt(6);
        };
    }

    private static long day(RandomGenerator random) {
        return switch (random.nextInt(12)) {
            case 0 -> Integer.MAX_VALUE;
            case 1 -> Integer.MIN_VALUE;
            case 2 -> -2_440_588 + random.nextInt(400);
            case 3 -> 2_145_042_905 - random.nextInt(400);
            case 4 -> -719_528 + random.nextInt(-800, 800);
            case 5 -> 0;
            case 6 -> 106_751_991 - random.nextInt(2);
            case 7 -> random.nextInt(-2_440_588, 10_000_000);
            default -> random.nextInt(-30_000, 30_000);
        };
    }

    private static long micros(RandomGenerator random) {
        return switch (random.nextInt(10)) {
            case 0 -> Long.MAX_VALUE;
            case 1 -> Long.MIN_VALUE;
            case 2 -> -210_866_803_200_000_000L + random.nextInt(1_000_000_000);
            case 3 -> Long.MAX_VALUE - 1 - random.nextInt(1_000_000_000);
            case 4 -> random.nextLong(-210_866_803_200_000_000L, Long.MAX_VALUE);
            case 5 -> -62_135_596_800_000_000L + random.nextInt(-1_000_000_000, 1_000_000_000);
            case 6 -> 0;
            default -> random.nextLong(-4_000_000_000_000_000L, 4_000_000_000_000_000L);
        };
    }

    private static long time(RandomGenerator random) {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> DataType.Time.MICROS_PER_DAY;
            case 2 -> DataType.Time.MICROS_PER_DAY - 1;
            case 3 -> random.nextInt(86_400) * 1_000_000L;
            default -> random.nextLong(DataType.Time.MICROS_PER_DAY);
        };
    }

    /// Some of one span in several forms, some infinite, some at the ranges' ends.
    private static Interval interval(RandomGenerator random) {
        return switch (random.nextInt(12)) {
            case 0 -> Interval.INFINITY;
            case 1 -> Interval.MINUS_INFINITY;
            case 2 -> new Interval(random.nextInt(-2, 3), 0, 0);
            case 3 -> new Interval(0, 30 * random.nextInt(-2, 3), 0);
            case 4 -> new Interval(0, 0, 24 * 3_600_000_000L * random.nextInt(-60, 60));
            case 5 -> new Interval((int) integer(random, Integer.MIN_VALUE, Integer.MAX_VALUE), 0, 0);
            case 6 -> new Interval(0, (int) integer(random, Integer.MIN_VALUE, Integer.MAX_VALUE), 0);
            case 7 -> new Interval(0, 0, integer(random, Long.MIN_VALUE, Long.MAX_VALUE));
            case 8 -> new Interval(random.nextInt(), random.nextInt(), random.nextLong());
            case 9 -> new Interval(0, random.nextInt(-3, 4), random.nextLong(-400_000_000_000L, 400_000_000_000L));
            default ->
                new Interval(
                        random.nextInt(-50, 50),
                        random.nextInt(-100, 100),
                        random.nextLong(-90_000_000_000L, 90_000_000_000L));
        };
    }

    private static String text(TextKind kind, RandomGenerator random) {
        return switch (kind) {
            case PLAIN -> random.nextInt(5) == 0 ? pick(TEXTS, random) + pick(TEXTS, random) : pick(TEXTS, random);
            case PARSED -> pick(PARSED, random);
            case CODED -> pick(CODED, random);
            case FORMAT -> pick(List.of("hex", "hex", "base64", "base64", "escape", "escape", "none"), random);
            case PATTERN -> pick(PATTERNS, random);
            case ESCAPE -> pick(ESCAPES, random);
            case REGEX -> pick(REGEXES, random);
            case SHORT -> pick(List.of("", "a", " ", "x", "ab", "日", "é😀", "z"), random);
            case ARRAY -> array(random);
        };
    }

    private static String array(RandomGenerator random) {
        List<String> elements = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            elements.add(
                    random.nextInt(4) == 0
                            ? null
                            : text(random.nextBoolean() ? TextKind.SHORT : TextKind.PLAIN, random));
        }
        return ArrayText.format(elements);
    }
}
