package dev.quarrel.core.device;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The layout of the columns in which devices, processes and spill files hand partial aggregates to each other:
/// the keys, then for each call:
///
/// | call | columns | none present |
/// |---|---|---|
/// | COUNT_STAR, COUNT | `count` int64 | 0 |
/// | SUM of int16, int32 | `sum` int64 | NULL |
/// | SUM of int64, decimal | `low`, `middle`, `high` int64: a two's complement integer of 192 bits, at the
/// argument's scale | `low` NULL |
/// | SUM of numeric | `low`, `high` int64: 128 bits, at `scale` int32, the greatest of the values' display
/// scales; where that is too
///     little, `big` utf8 has the integer in decimal digits instead; `specials` int32: a bit for each
/// [dev.quarrel.core.type.SpecialNumeric] present, by its ordinal, which the others leave out | `low` NULL |
/// | SUM of floats | `low`, `middle`, `high` int64: an integer of 192 bits in units of 2^`exponent` int16;
/// `flags` int16: 1 a value
///     is present, 2 NaN, 4 and 8 positive and negative infinity, 16 a value other than -0, 32 `exponent` is
///     set; `rest` utf8: more
///     to add, in units of 2⁻¹⁰⁷⁴, as hexadecimal digits, or NULL | `flags` 0 |
/// | SUM of interval | `months`, `days` int64; `low`, `high` int64: microseconds as 128 bits; `positive`, `negative`
/// int64: how many infinities, which the others leave out | `months` NULL |
/// | AVG | those of SUM, then `count` int64 | as SUM |
/// | MIN, MAX | `value`, of the argument's type | NULL |
/// | BOOL_AND, BOOL_OR | `value` bool | NULL |
/// | BIT_AND, BIT_OR, BIT_XOR | `value`, of the argument's type | NULL |
/// | VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP | those of AVG, then with the prefix `squares.` those of the sum of
/// the squares: of int16 to int64 and decimals of at most 18 digits as SUM of int64; of other decimals and numeric as
/// SUM of numeric; of floats as SUM of floats, of x² as the nearest float64 and the rest, which is exact where x² is
/// not below 2⁻⁹⁶⁸; beyond float64's range it is infinite | as SUM |
/// | REGR_COUNT | `count` int64 | 0 |
/// | COVAR, CORR and other REGR of (y, x) | `count` int64, then with their prefixes the sums that the result needs, as
/// SUM of floats, in this order: `x.`, `y.`, `xx.`, `yy.`, `xy.`; products as the squares above | `count` 0 |
/// | HLL_COUNT, HLL_SKETCH, HLL_COMBINE, HLL_MERGE | `sketch` utf8: base64 of the bytes that docs/sketches.md
/// describes | NULL |
/// | STRING_AGG, ARRAY_AGG, ARRAYS_AGG, PERCENTILE_…, PERCENTILES_…, MODE, ANY_VALUE with an order, other LOCAL |
/// `rows` utf8, of bytes that are no text: row behind row, each its place in the scan (int64), then the arguments
/// and the order's keys that are none of them: a byte that is 1 where the value is present, and the value,
/// little-endian (numeric: its 128 bits and int32 scale; text: int32 length and bytes) | NULL |
/// | ANY_VALUE | `place` int64: that of the value's row in the scan, `value` of the argument's type | `place` -1 |
/// | FIRST, LAST | `place` int64: that of the value's row in the scan; `time` int64: its second argument; `value` of
/// the argument's type | `place` -1 |
/// | LOCAL without an order, of an aggregate that merges | `state` utf8: nothing, for its states leave no process and
/// go to no file | NULL |
/// | SINGLE_VALUE | `rows` int64 (0 or 1), `value` of the argument's type | 0 |
///
/// Rows of equal keys may repeat: merging adds them up.
public final class AggregateLayout {
    private AggregateLayout() {}

    /// The partial columns of a pipeline that ends in a [Sink.Aggregate].
    public static Schema of(Pipeline pipeline) {
        Sink.Aggregate sink = (Sink.Aggregate) pipeline.sink();
        List<DataType> outputs = pipeline.lastProgram().outputTypes();
        List<Field> fields = new ArrayList<>();
        for (int key = 0; key < sink.keys().size(); key++) {
            fields.add(new Field("key" + key, outputs.get(sink.keys().get(key)), true));
        }
        for (int index = 0; index < sink.calls().size(); index++) {
            AggregateCall call = sink.calls().get(index);
            DataType argument = call.argument() < 0 ? null : outputs.get(call.argument());
            for (Field field : of(call, argument)) {
                fields.add(new Field("call" + index + "." + field.name(), field.type(), field.nullable()));
            }
        }
        return new Schema(fields);
    }

    /// The partial columns of one call.
    ///
    /// @param argument null for COUNT_STAR
    public static List<Field> of(AggregateCall call, DataType argument) {
        return switch (call.kind()) {
            case COUNT_STAR, COUNT -> List.of(int64("count"));
            case SUM -> sum(argument);
            case AVG -> {
                List<Field> fields = new ArrayList<>(sum(argument));
                fields.add(int64("count"));
                yield fields;
            }
            case MIN, MAX -> List.of(new Field("value", argument, true));
            case BOOL_AND, BOOL_OR -> List.of(new Field("value", DataType.BOOL, true));
            case BIT_AND, BIT_OR, BIT_XOR -> List.of(new Field("value", argument, true));
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> {
                List<Field> fields = new ArrayList<>(sum(argument));
                fields.add(int64("count"));
                addPrefixed(fields, "squares", sum(squareType(argument)));
                yield fields;
            }
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
                    REGR_R2 -> {
                List<Field> fields = new ArrayList<>();
                fields.add(int64("count"));
                for (PairSum part : PairSum.of(call.kind())) {
                    addPrefixed(fields, part.name().toLowerCase(Locale.ROOT), sum(DataType.FLOAT64));
                }
                yield fields;
            }
            case HLL_COUNT, HLL_SKETCH, HLL_COMBINE, HLL_MERGE -> List.of(new Field("sketch", DataType.UTF8, true));
            case STRING_AGG,
                    ARRAY_AGG,
                    ARRAYS_AGG,
                    PERCENTILE_CONT,
                    PERCENTILE_DISC,
                    PERCENTILES_CONT,
                    PERCENTILES_DISC,
                    MODE -> List.of(new Field("rows", DataType.UTF8, true));
            case ANY_VALUE ->
                call.gathersRows()
                        ? List.of(new Field("rows", DataType.UTF8, true))
                        : List.of(int64("place"), new Field("value", argument, true));
            case FIRST, LAST -> List.of(int64("place"), int64("time"), new Field("value", argument, true));
            case LOCAL -> List.of(new Field(call.gathersRows() ? "rows" : "state", DataType.UTF8, true));
            case SINGLE_VALUE -> List.of(int64("rows"), new Field("value", argument, true));
        };
    }

    /// The type as which squares of the argument are summed: see [#of(AggregateCall, DataType)].
    public static DataType squareType(DataType argument) {
        return switch (argument) {
            case DataType.Decimal(int precision, int _) when precision > 18 -> DataType.NUMERIC;
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Decimal _ -> DataType.INT64;
            case DataType.Float32 _, DataType.Float64 _ -> DataType.FLOAT64;
            default -> argument;
        };
    }

    private static void addPrefixed(List<Field> fields, String prefix, List<Field> part) {
        for (Field field : part) {
            fields.add(new Field(prefix + "." + field.name(), field.type(), field.nullable()));
        }
    }

    private static List<Field> sum(DataType argument) {
        return switch (argument) {
            case DataType.Int16 _, DataType.Int32 _ -> List.of(new Field("sum", DataType.INT64, true));
            case DataType.Int64 _, DataType.Decimal _ ->
                List.of(new Field("low", DataType.INT64, true), int64("middle"), int64("high"));
            case DataType.Numeric _ ->
                List.of(
                        new Field("low", DataType.INT64, true),
                        int64("high"),
                        new Field("scale", DataType.INT32, false),
                        new Field("big", DataType.UTF8, true),
                        new Field("specials", DataType.INT32, false));
            case DataType.Float32 _, DataType.Float64 _ ->
                List.of(
                        int64("low"),
                        int64("middle"),
                        int64("high"),
                        new Field("exponent", DataType.INT16, false),
                        new Field("flags", DataType.INT16, false),
                        new Field("rest", DataType.UTF8, true));
            case DataType.Interval _ ->
                List.of(
                        new Field("months", DataType.INT64, true),
                        int64("days"),
                        int64("low"),
                        int64("high"),
                        int64("positive"),
                        int64("negative"));
            case DataType.Bool _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _,
                    DataType.Uuid _,
                    DataType.Utf8 _,
                    DataType.Binary _ -> throw new IllegalArgumentException("sum of " + argument);
        };
    }

    private static Field int64(String name) {
        return new Field(name, DataType.INT64, false);
    }
}
