package dev.quarrel.core.device;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// The columns of partial aggregates, in which devices, processes and spill files hand them to each other: the
/// keys, then
/// for each call:
///
/// | call | columns | none present |
/// |---|---|---|
/// | COUNT_STAR, COUNT | `count` int64 | 0 |
/// | SUM of int16, int32 | `sum` int64 | NULL |
/// | SUM of int64, decimal | `low`, `middle`, `high` int64: a two's complement integer of 192 bits, at the
/// argument's scale | `low` NULL |
/// | SUM of numeric | `low`, `high` int64: 128 bits, at `scale` int32, the greatest of the values' display
/// scales; where that is too
///     little, `big` utf8 has the integer in decimal digits instead | `low` NULL |
/// | SUM of floats | `low`, `middle`, `high` int64: an integer of 192 bits in units of 2^`exponent` int16;
/// `flags` int16: 1 a value
///     is present, 2 NaN, 4 and 8 positive and negative infinity, 16 a value other than -0, 32 `exponent` is
///     set; `rest` utf8: more
///     to add, in units of 2⁻¹⁰⁷⁴, as hexadecimal digits, or NULL | `flags` 0 |
/// | AVG | those of SUM, then `count` int64 | as SUM |
/// | MIN, MAX | `value`, of the argument's type | NULL |
/// | BOOL_AND, BOOL_OR | `value` bool | NULL |
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
            case SINGLE_VALUE -> List.of(int64("rows"), new Field("value", argument, true));
        };
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
                        new Field("big", DataType.UTF8, true));
            case DataType.Float32 _, DataType.Float64 _ ->
                List.of(
                        int64("low"),
                        int64("middle"),
                        int64("high"),
                        new Field("exponent", DataType.INT16, false),
                        new Field("flags", DataType.INT16, false),
                        new Field("rest", DataType.UTF8, true));
            case DataType.Bool _, DataType.Date _, DataType.Timestamp _, DataType.Utf8 _ ->
                throw new IllegalArgumentException("sum of " + argument);
        };
    }

    private static Field int64(String name) {
        return new Field(name, DataType.INT64, false);
    }
}
