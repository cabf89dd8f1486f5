package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;

/// The aggregate functions. They skip NULL arguments unless the constant says otherwise.
public enum AggregateKind {
    /// Rows, present or not; int64.
    COUNT_STAR,
    /// Present arguments; int64.
    COUNT,
    /// int16, int32 → int64; int64, numeric → numeric; decimal(p, s) → decimal(38, s); floats and intervals keep their
    /// type.
    /// No present
    /// argument: NULL. Exact; floats are summed exactly and rounded once.
    SUM,
    /// Integers, decimals → numeric with PostgreSQL's display scale; floats → float64; intervals → interval.
    AVG,
    /// The argument's type; floats order with NaN greatest.
    MIN,
    MAX,
    BOOL_AND,
    BOOL_OR,
    /// Integers: all bits at once; the argument's type.
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    /// Integers, decimals, numeric → numeric with PostgreSQL's display scale, from exact sums; floats → float64,
    /// rounded once from exact sums of the values and of their squares.
    VAR_POP,
    VAR_SAMP,
    STDDEV_POP,
    STDDEV_SAMP,
    /// Of pairs (y, x) of float64 that are both present; float64, from exact sums, rounded once.
    COVAR_POP,
    COVAR_SAMP,
    CORR,
    /// The number of pairs; int64.
    REGR_COUNT,
    REGR_AVGX,
    REGR_AVGY,
    REGR_SXX,
    REGR_SYY,
    REGR_SXY,
    REGR_SLOPE,
    REGR_INTERCEPT,
    REGR_R2,
    /// The estimated number of different arguments, by 2^`second` registers of a HyperLogLog; int64.
    HLL_COUNT,
    /// The registers themselves (docs/sketches.md); utf8.
    HLL_SKETCH,
    /// The sketch of all rows that the sketches given were made of; utf8.
    HLL_COMBINE,
    /// The estimated number of different values in all sketches given; int64.
    HLL_MERGE,
    /// The texts (or bytes) one behind the other, each but the first with its separator, the second argument, in
    /// front; a NULL separator is empty.
    STRING_AGG,
    /// All arguments, NULL or not, as PostgreSQL shows an array of them by default (time zone UTC, bytes in hex,
    /// IntervalStyle postgres); utf8.
    ARRAY_AGG,
    /// ARRAY_AGG of arrays, which must all have the same dimensions: an array of one dimension more; utf8.
    ARRAYS_AGG,
    /// The float64 or interval at `second` (0 to 1, a float64; NULL: NULL) of the way through the group's values in
    /// their order, between two of them as far as it lies between their places.
    PERCENTILE_CONT,
    /// The first of the group's values in their order at whose place at least `second` of them are past.
    PERCENTILE_DISC,
    /// PERCENTILE_CONT for each fraction of `second`, the text of an array of float64, the same in all rows; an
    /// array's text as ARRAY_AGG makes it.
    PERCENTILES_CONT,
    /// PERCENTILE_DISC for each fraction, in the same way.
    PERCENTILES_DISC,
    /// The value that comes most often; of several the first in the order.
    MODE,
    /// The first of the group's present values in their order; without an order, in the source's.
    ANY_VALUE,
    /// The argument of the row whose `second` (integers, dates, times or timestamps) is the least; of equal ones the
    /// one that comes first in the source's order. The argument may be NULL; rows whose `second` is NULL
    /// are skipped.
    FIRST,
    /// The argument of the row whose `second` is the greatest; of equal ones the last in the source's order.
    LAST,
    /// The argument of the only row; more than one row is 21000. For scalar sub-queries.
    SINGLE_VALUE,
    /// The code of an application ([AggregateCall#local]), over rows in the source's order unless it can merge states.
    LOCAL;

    /// The type of the result, or null where the aggregate does not take such an argument.
    ///
    /// @param argument null for COUNT_STAR
    public DataType resultType(DataType argument) {
        return switch (this) {
            case COUNT_STAR, COUNT -> DataType.INT64;
            case SUM ->
                switch (argument) {
                    case DataType.Int16 _, DataType.Int32 _ -> DataType.INT64;
                    case DataType.Int64 _, DataType.Numeric _ -> DataType.NUMERIC;
                    case DataType.Decimal(int _, int scale) ->
                        new DataType.Decimal(DataType.Decimal.MAX_PRECISION, scale);
                    case DataType.Float32 _, DataType.Float64 _, DataType.Interval _ -> argument;
                    case DataType.Bool _,
                            DataType.Date _,
                            DataType.Time _,
                            DataType.Timestamp _,
                            DataType.Uuid _,
                            DataType.Utf8 _,
                            DataType.Binary _ -> null;
                };
            case AVG ->
                switch (argument) {
                    case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Numeric _, DataType.Decimal _ ->
                        DataType.NUMERIC;
                    case DataType.Float32 _, DataType.Float64 _ -> DataType.FLOAT64;
                    case DataType.Interval _ -> argument;
                    case DataType.Bool _,
                            DataType.Date _,
                            DataType.Time _,
                            DataType.Timestamp _,
                            DataType.Uuid _,
                            DataType.Utf8 _,
                            DataType.Binary _ -> null;
                };
            case MIN, MAX -> argument instanceof DataType.Bool ? null : argument;
            case SINGLE_VALUE, PERCENTILE_DISC, MODE, ANY_VALUE, FIRST, LAST -> argument;
            case STRING_AGG ->
                argument instanceof DataType.Utf8 || argument instanceof DataType.Binary ? argument : null;
            case ARRAY_AGG, PERCENTILES_DISC -> DataType.UTF8;
            case ARRAYS_AGG -> argument instanceof DataType.Utf8 ? DataType.UTF8 : null;
            case PERCENTILE_CONT -> isContinuous(argument) ? argument : null;
            case PERCENTILES_CONT -> isContinuous(argument) ? DataType.UTF8 : null;
            case BOOL_AND, BOOL_OR -> argument instanceof DataType.Bool ? DataType.BOOL : null;
            case BIT_AND, BIT_OR, BIT_XOR ->
                argument instanceof DataType.Int16
                                || argument instanceof DataType.Int32
                                || argument instanceof DataType.Int64
                        ? argument
                        : null;
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP ->
                argument instanceof DataType.Interval ? null : AVG.resultType(argument);
            case HLL_COUNT -> DataType.INT64;
            case LOCAL -> throw new IllegalStateException("its call has the types");
            case HLL_SKETCH -> DataType.UTF8;
            case HLL_COMBINE -> argument instanceof DataType.Utf8 ? DataType.UTF8 : null;
            case HLL_MERGE -> argument instanceof DataType.Utf8 ? DataType.INT64 : null;
            case REGR_COUNT -> argument instanceof DataType.Float64 ? DataType.INT64 : null;
            case COVAR_POP,
                    COVAR_SAMP,
                    CORR,
                    REGR_AVGX,
                    REGR_AVGY,
                    REGR_SXX,
                    REGR_SYY,
                    REGR_SXY,
                    REGR_SLOPE,
                    REGR_INTERCEPT,
                    REGR_R2 -> argument instanceof DataType.Float64 ? DataType.FLOAT64 : null;
        };
    }

    private static boolean isContinuous(DataType type) {
        return type instanceof DataType.Float64 || type instanceof DataType.Interval;
    }

    /// Whether it is made of the moments of two float64 arguments: covariances, correlation and regressions.
    public boolean isPair() {
        return switch (this) {
            case COVAR_POP,
                    COVAR_SAMP,
                    CORR,
                    REGR_COUNT,
                    REGR_AVGX,
                    REGR_AVGY,
                    REGR_SXX,
                    REGR_SYY,
                    REGR_SXY,
                    REGR_SLOPE,
                    REGR_INTERCEPT,
                    REGR_R2 -> true;
            default -> false;
        };
    }

    /// The types of the arguments after the first.
    ///
    /// @param argument the first one's
    public List<DataType> furtherTypes(DataType argument) {
        if (isPair()) {
            return List.of(DataType.FLOAT64);
        }
        return switch (this) {
            case FIRST, LAST -> List.of(DataType.INT64);
            case HLL_COUNT, HLL_SKETCH -> List.of(DataType.INT32);
            case STRING_AGG -> List.of(argument);
            case PERCENTILE_CONT, PERCENTILE_DISC -> List.of(DataType.FLOAT64);
            case PERCENTILES_CONT, PERCENTILES_DISC -> List.of(DataType.UTF8);
            default -> List.of();
        };
    }

    /// Whether it takes arguments of a type where [#furtherTypes] says another.
    public boolean takesInPlace(DataType expected, DataType type) {
        return expected.equals(type) || isByTime() && Join.Range.takes(type);
    }

    /// Whether it takes the value of the row that is the first or last by another argument.
    public boolean isByTime() {
        return this == FIRST || this == LAST;
    }

    /// How many arguments it takes; 1 also for COUNT_STAR.
    public int argumentCount() {
        return 1 + furtherTypes(DataType.UTF8).size();
    }

    /// Whether the result depends on the order of rows.
    public boolean isOrdered() {
        return switch (this) {
            case STRING_AGG,
                    ARRAY_AGG,
                    ARRAYS_AGG,
                    PERCENTILE_CONT,
                    PERCENTILE_DISC,
                    PERCENTILES_CONT,
                    PERCENTILES_DISC,
                    MODE,
                    ANY_VALUE,
                    LOCAL -> true;
            default -> false;
        };
    }

    /// Whether the result is an array, and so its text.
    public boolean isArray() {
        return this == ARRAY_AGG || this == ARRAYS_AGG || this == PERCENTILES_CONT || this == PERCENTILES_DISC;
    }

    /// Whether NULL arguments are not skipped.
    public boolean keepsNulls() {
        return this == ARRAY_AGG || this == ARRAYS_AGG || isByTime();
    }

    /// Whether the order is of the aggregate's values themselves (WITHIN GROUP), and so must be one key.
    public boolean isOrderedSet() {
        return isOrdered() && this != STRING_AGG && !keepsNulls() && this != ANY_VALUE && this != LOCAL;
    }

    /// Whether equal arguments count once all the same, so that DISTINCT changes nothing.
    public boolean ignoresRepeats() {
        return switch (this) {
            case MIN, MAX, BOOL_AND, BOOL_OR, BIT_AND, BIT_OR, HLL_COUNT, HLL_SKETCH, HLL_COMBINE, HLL_MERGE -> true;
            default -> false;
        };
    }
}
