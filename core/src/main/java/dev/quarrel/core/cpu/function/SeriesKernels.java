package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.pg.NumericForm;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// `generate_series`: from the first argument to the second, in steps of the third, or of 1.
///
/// - Source: PostgreSQL's `int8.c`, `numeric.c` and `timestamp.c`.
final class SeriesKernels {
    private SeriesKernels() {}

    static void register(Map<String, RowsFunction> kernels) {
        kernels.put("no_rows", _ -> Collections.emptyIterator());
        kernels.put(
                "generate_series_int8",
                arguments -> ofIntegers(
                        (Long) arguments[0], (Long) arguments[1], arguments.length > 2 ? (Long) arguments[2] : 1));
        kernels.put(
                "generate_series_numeric",
                arguments -> ofNumerics(
                        SpecialFunctions.requireNumber(arguments[0], "start value"),
                        SpecialFunctions.requireNumber(arguments[1], "stop value"),
                        arguments.length > 2
                                ? SpecialFunctions.requireNumber(arguments[2], "step size")
                                : BigDecimal.ONE));
        kernels.put("generate_series_wide", arguments -> {
            Object[] numbers = new Object[arguments.length];
            for (int index = 0; index < numbers.length; index++) {
                numbers[index] = NumericForm.value((String) arguments[index]);
            }
            Iterator<?> series = ofNumerics(
                    SpecialFunctions.requireNumber(numbers[0], "start value"),
                    SpecialFunctions.requireNumber(numbers[1], "stop value"),
                    numbers.length > 2 ? SpecialFunctions.requireNumber(numbers[2], "step size") : BigDecimal.ONE);
            return Stream.iterate(series, Iterator::hasNext, each -> each)
                    .map(each -> NumericForm.text(each.next()))
                    .iterator();
        });
        kernels.put(
                "generate_series_timestamp",
                arguments -> ofTimes((Long) arguments[0], (Long) arguments[1], (Interval) arguments[2], null));
        kernels.put(
                "generate_series_timestamptz",
                arguments -> ofTimes(
                        (Long) arguments[0], (Long) arguments[1], (Interval) arguments[2], PgZone.of(ZoneId.of((String)
                                arguments[3]))));
        kernels.put(
                "generate_series_timestamptz_at_zone",
                arguments -> ofTimes(
                        (Long) arguments[0],
                        (Long) arguments[1],
                        (Interval) arguments[2],
                        PgZone.named((String) arguments[3], ZoneId.of((String) arguments[4]))));
    }

    private static Iterator<?> ofIntegers(long first, long last, long step) {
        requireStep(step == 0);
        if (step > 0 ? first > last : first < last) {
            return Collections.emptyIterator();
        }
        long count = Long.divideUnsigned(step > 0 ? last - first : first - last, Math.abs(step));
        return LongStream.rangeClosed(0, count)
                .map(index -> first + index * step)
                .iterator();
    }

    /// Every number has the digits of the first plus those that the steps add.
    private static Iterator<?> ofNumerics(BigDecimal first, BigDecimal last, BigDecimal step) {
        requireStep(step.signum() == 0);
        return series(
                first,
                number -> step.signum() > 0 ? number.compareTo(last) <= 0 : number.compareTo(last) >= 0,
                number -> number.add(step));
    }

    /// @param zone null for times without one
    private static Iterator<?> ofTimes(long first, long last, Interval step, PgZone zone) {
        int sign = Interval.compareSpans(step.calendar(), step.micros(), 0, 0);
        requireStep(sign == 0);
        if (!Interval.isFinite(step.calendar(), step.micros())) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "step size cannot be infinite");
        }
        boolean isUniform = step.calendar() == 0 && !CivilDate.isInfinite(first) && !CivilDate.isInfinite(last);
        if (isUniform) { // in any zone: days and months alone depend on it
            return ofIntegers(first, last, step.micros());
        }
        IntervalMath span = new IntervalMath();
        span.set(step.calendar(), step.micros());
        return series(
                first,
                time -> sign > 0 ? time <= last : time >= last,
                time -> zone == null ? span.addTo(time) : ZoneKernels.moved(time, span, zone));
    }

    /// The value after the last one is not computed: it may be out of range.
    private static <T> Iterator<T> series(T first, Predicate<T> isWithin, UnaryOperator<T> next) {
        return Stream.iterate(first, isWithin, next).iterator();
    }

    private static void requireStep(boolean isZero) {
        if (isZero) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "step size cannot equal zero");
        }
    }
}
