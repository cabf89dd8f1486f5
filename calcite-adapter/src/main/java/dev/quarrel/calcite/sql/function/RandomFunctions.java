package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.calcite.rex.RexNode;

/// The functions that answer anew in every row: they are called once for each row of the place where they are written,
/// and never where a plan would have more or fewer of them.
final class RandomFunctions {
    private static final ScalarFunctionOperator RANDOM = operator(
            "random", List.of(), PgType.FLOAT8, _ -> ThreadLocalRandom.current().nextDouble());

    private static final ScalarFunctionOperator NORMAL = operator(
            "random_normal",
            List.of(PgType.FLOAT8, PgType.FLOAT8),
            PgType.FLOAT8,
            values -> (double) values[1]
                    + (double) values[2] * ThreadLocalRandom.current().nextGaussian());

    private static final ScalarFunctionOperator CLOCK = operator(
            "clock_timestamp",
            List.of(),
            PgType.TIMESTAMPTZ,
            _ -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));

    private static final ScalarFunctionOperator RANDOM_UUID =
            operator("gen_random_uuid", List.of(), PgType.UUID, _ -> UUID.randomUUID());

    private static final ScalarFunctionOperator ORDERED_UUID =
            operator("uuidv7", List.of(), PgType.UUID, _ -> ordered(nextNanos()));

    private static final ScalarFunctionOperator ORDERED_UUID_AT =
            operator("uuidv7", List.of(PgType.TIMESTAMPTZ), PgType.UUID, values -> {
                long nanos = nextNanos();
                return ordered(Math.addExact(Math.multiplyExact((long) values[1], 1_000L), nanos % 1_000));
            });

    /// One 4096th of a millisecond, which an identifier tells from the next.
    private static final long UUID_STEP_NANOS = 1_000_000 / 4_096 + 1;

    private static final AtomicLong LAST_NANOS = new AtomicLong();

    private RandomFunctions() {}

    /// The builders of the rows in `core.function.RandomRows`.
    static List<Signature> builds() {
        List<Signature> builds = new ArrayList<>();
        builds.add(new Signature(
                "random", List.of(), SqlType.FLOAT8, (maker, _) -> call(maker, RANDOM, SqlType.FLOAT8, List.of())));
        builds.add(between(SqlType.INT4));
        builds.add(between(SqlType.INT8));
        builds.add(betweenNumerics());
        for (int count = 0; count <= 2; count++) {
            builds.add(new Signature(
                    "random_normal",
                    List.of(SqlType.FLOAT8, SqlType.FLOAT8).subList(0, count),
                    SqlType.FLOAT8,
                    RandomFunctions::normal));
        }
        for (String name : List.of("gen_random_uuid", "uuidv4")) {
            builds.add(new Signature(
                    name, List.of(), SqlType.UUID, (maker, _) -> call(maker, RANDOM_UUID, SqlType.UUID, List.of())));
        }
        builds.add(new Signature(
                "uuidv7", List.of(), SqlType.UUID, (maker, _) -> call(maker, ORDERED_UUID, SqlType.UUID, List.of())));
        builds.add(new Signature("uuidv7", List.of(SqlType.INTERVAL), SqlType.UUID, (maker, values) -> {
            RexNode moment = Operators.exact("+", List.of(SqlType.TIMESTAMPTZ, SqlType.INTERVAL))
                    .orElseThrow()
                    .build()
                    .apply(maker, List.of(clock(maker), values.getFirst()));
            return call(maker, ORDERED_UUID_AT, SqlType.UUID, List.of(moment));
        }));
        builds.add(new Signature("clock_timestamp", List.of(), SqlType.TIMESTAMPTZ, (maker, _) -> clock(maker)));
        builds.add(new Signature(
                "timeofday",
                List.of(),
                SqlType.TEXT,
                (maker, _) -> FunctionTable.builtIn("to_char", List.of(SqlType.TIMESTAMPTZ, SqlType.TEXT))
                        .build()
                        .apply(
                                maker,
                                List.of(
                                        clock(maker),
                                        maker.string("Dy Mon DD HH24:MI:SS.US YYYY TZ", maker.rel(SqlType.TEXT))))));
        return builds;
    }

    private static RexNode normal(RexMaker maker, List<RexNode> values) {
        RexNode mean = values.isEmpty() ? maker.float8(0) : values.getFirst();
        RexNode deviation = values.size() < 2 ? maker.float8(1) : values.get(1);
        return call(maker, NORMAL, SqlType.FLOAT8, List.of(mean, deviation));
    }

    private static RexNode clock(RexMaker maker) {
        return call(maker, CLOCK, SqlType.TIMESTAMPTZ, List.of());
    }

    /// - Errors: 22023 for a lower bound above the upper one.
    private static Signature between(SqlType type) {
        List<PgType> bounds = List.of(type.pgType(), type.pgType());
        ScalarFunctionOperator operator = operator("random", bounds, type.pgType(), RandomFunctions::between);
        return new Signature(
                "random", List.of(type, type), type, (maker, values) -> call(maker, operator, type, values));
    }

    private static Object between(Object[] values) {
        long least = (long) values[1];
        long most = (long) values[2];
        requireOrder(least <= most);
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (most < Long.MAX_VALUE) {
            return random.nextLong(least, most + 1);
        }
        return least > Long.MIN_VALUE ? random.nextLong(least - 1, most) + 1 : random.nextLong();
    }

    /// As many digits behind the point as the bound that has more of them.
    ///
    /// - Errors: 22023 for a lower bound above the upper one, and for bounds that are no numbers.
    private static Signature betweenNumerics() {
        List<PgType> bounds = List.of(PgType.NUMERIC, PgType.NUMERIC);
        ScalarFunctionOperator operator = operator("random", bounds, PgType.NUMERIC, values -> {
            BigDecimal least = bound(values[1], "lower");
            BigDecimal most = bound(values[2], "upper");
            requireOrder(least.compareTo(most) <= 0);
            int scale = Math.max(least.scale(), most.scale());
            BigInteger from = least.setScale(scale).unscaledValue();
            BigInteger steps = most.setScale(scale).unscaledValue().subtract(from);
            return new BigDecimal(from.add(upTo(steps)), scale);
        });
        return new Signature(
                "random",
                List.of(SqlType.NUMERIC, SqlType.NUMERIC),
                SqlType.NUMERIC,
                (maker, values) -> maker.volatileCall(
                        operator,
                        SqlTypes.numeric(maker.factory()),
                        values.stream()
                                .map(value -> maker.cast(
                                        maker.nullable(
                                                SqlTypes.numeric(maker.factory()),
                                                value.getType().isNullable()),
                                        value))
                                .toList()));
    }

    private static BigDecimal bound(Object value, String which) {
        if (value instanceof BigDecimal number) {
            return number;
        }
        throw new QueryException(
                SqlState.INVALID_PARAMETER_VALUE,
                which + " bound cannot be " + (value == SpecialNumeric.NAN ? "NaN" : "infinity"));
    }

    private static void requireOrder(boolean isOrdered) {
        if (!isOrdered) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "lower bound must be less than or equal to upper bound");
        }
    }

    /// Evenly spread, from zero: of more bits than are needed, those that are too large are drawn again.
    private static BigInteger upTo(BigInteger most) {
        BigInteger drawn;
        do {
            drawn = new BigInteger(most.bitLength(), ThreadLocalRandom.current());
        } while (drawn.compareTo(most) > 0);
        return drawn;
    }

    private static RexNode call(
            RexMaker maker, ScalarFunctionOperator operator, SqlType type, List<RexNode> arguments) {
        return maker.volatileCall(operator, maker.rel(type), arguments);
    }

    /// @param body gets the number of the call before the arguments
    private static ScalarFunctionOperator operator(String name, List<PgType> arguments, PgType result, Body body) {
        List<PgType> all = new ArrayList<>();
        all.add(PgType.INT4);
        all.addAll(arguments);
        return ScalarFunctionOperator.random(
                new ScalarFunction(name, all, result, true, (_, values) -> body.answer(values)));
    }

    @FunctionalInterface
    private interface Body {
        Object answer(Object[] values);
    }

    /// The clock's nanoseconds, later each time.
    private static long nextNanos() {
        long now = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
        return LAST_NANOS.updateAndGet(last -> Math.max(now, last + UUID_STEP_NANOS));
    }

    /// - Source: RFC 9562, section 5.7, with method 3 of section 6.2: 12 bits tell the part of the millisecond.
    private static UUID ordered(long nanos) {
        long milliseconds = Math.floorDiv(nanos, 1_000_000L);
        long part = Math.floorMod(nanos, 1_000_000L) * 4_096 / 1_000_000;
        long random = ThreadLocalRandom.current().nextLong();
        return new UUID(milliseconds << 16 | 0x7000 | part, random >>> 2 | Long.MIN_VALUE);
    }
}
