package dev.quarrel.tests;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random arithmetic on numerics of few and of many digits, on PostgreSQL and on Quarrel: texts, types and SQLSTATEs
/// must agree.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class RandomNumericTest {
    private static final String[] SCALAR = {
        "x + y",
        "x - y",
        "x * y",
        "x / y",
        "x %% y",
        "-x",
        "abs(x)",
        "sign(x)",
        "div(x, y)",
        "gcd(x, y)",
        "lcm(x, y)",
        "round(x, %d)",
        "trunc(x, %d)",
        "ceil(x)",
        "floor(y)",
        "x < y",
        "x = y",
        "x::numeric(200,40)",
        "x::numeric(60)",
        "x::float8",
        "x::int8",
        "sqrt(abs(x))",
        "ln(abs(x))",
        "log(abs(x) + 1)",
        "exp(x / 1e50)",
        "power(abs(x), 0.25)",
        "power(x, 3)",
        "power(y, -2)",
        "greatest(x, y)",
        "scale(x * y)",
        "min_scale(x)",
        "trim_scale(y)",
        "width_bucket(x, -1e60, 1e60, 17)",
        "x::text || y"
    };
    private static final String[] AGGREGATE = {
        "sum(x)",
        "avg(x)",
        "min(x) = min(y)",
        "count(DISTINCT x)",
        "variance(x)",
        "stddev_pop(y)",
        "sum(x * y)",
        "count(x)",
        "avg(y) * sum(x)"
    };
    private static final String[] SPECIAL = {"'NaN'", "'Infinity'", "'-Infinity'", "0", "1", "0.00", "-1", "NULL"};

    @Test
    void numericsAreThoseOfPostgresql() throws SQLException {
        compare(Integer.getInteger("count", 200), Long.getLong("quarrel.seed", 20_261_124));
    }

    @Test
    @Tag("nightly")
    void numericsAreThoseOfPostgresqlForLong() throws SQLException {
        compare(Integer.getInteger("count", 10_000), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        RandomStatements.compare(
                RandomNumericTest.class, count, seed, RandomNumericTest::statement, SqlAnswer::isSameByState);
    }

    private static String statement(Random random) {
        boolean isAggregate = random.nextInt(4) == 0;
        boolean isSafe = isAggregate || random.nextBoolean();
        String rows = IntStream.range(0, isAggregate ? 8 : 1 + random.nextInt(3))
                .mapToObj(_ -> "(" + number(random, isSafe) + "::numeric, " + number(random, isSafe) + "::numeric)")
                .collect(Collectors.joining(", "));
        String[] from = isAggregate ? AGGREGATE : SCALAR;
        String items = IntStream.range(0, isSafe ? 3 : 1)
                .mapToObj(_ -> from[random.nextInt(from.length)].formatted(random.nextInt(80) - 30))
                .collect(Collectors.joining(", "));
        return "SELECT " + items + " FROM (VALUES " + rows + ") AS v(x, y)"
                + (isAggregate ? "" : " ORDER BY x, y, x::text, y::text");
    }

    private static String number(Random random, boolean isSafe) {
        if (random.nextInt(8) == 0) {
            return SPECIAL[random.nextInt(isSafe ? 1 : SPECIAL.length) + (isSafe ? 4 : 0)];
        }
        int bits = random.nextInt(3) == 0 ? 20 : random.nextInt(400);
        BigInteger digits = new BigInteger(bits, random).add(BigInteger.ONE);
        String sign = random.nextInt(3) == 0 ? "-" : "";
        int scale = random.nextInt(60);
        return switch (random.nextInt(4)) {
            case 0 -> "'" + sign + digits + "'";
            case 1 -> "'" + sign + digits + "e-" + scale + "'";
            case 2 -> "'" + sign + digits + "." + new BigInteger(random.nextInt(150), random) + "'";
            default -> "'" + sign + random.nextInt(100) + "e" + random.nextInt(60) + "'";
        };
    }
}
