package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.apache.calcite.rel.type.RelDataType;

/// Checks window functions and translates them from columns of a node's input to outputs of a pipeline.
public final class WindowCalls {
    private WindowCalls() {}

    /// Why no device computes the function, or null.
    ///
    /// @param call over columns of `input`
    /// @param result the type that SQL gives it
    public static String obstacle(WindowCall call, RelDataType input, RelDataType result) {
        List<DataType> columns = PipelineEmitter.types(input);
        DataType made = call.resultType(columns);
        DataType wanted = RowTypes.orNull(result);
        return made == null || wanted == null || !CastLowering.isAllowed(made, wanted)
                ? "window function that gives " + made + " where " + result + " is due"
                : null;
    }

    /// The call with other numbers in the places of its columns.
    static WindowCall renumbered(WindowCall call, IntUnaryOperator numbers) {
        IntUnaryOperator map = number -> number < 0 ? number : numbers.applyAsInt(number);
        return switch (call) {
            case WindowCall.Position position -> position;
            case WindowCall.Ntile(int buckets) -> new WindowCall.Ntile(map.applyAsInt(buckets));
            case WindowCall.Shift(int argument, int distance, int fallback, boolean forward) ->
                new WindowCall.Shift(
                        map.applyAsInt(argument), map.applyAsInt(distance), map.applyAsInt(fallback), forward);
            case WindowCall.Pick(WindowCall.PickKind kind, int argument, int place, WindowFrame frame) ->
                new WindowCall.Pick(kind, map.applyAsInt(argument), map.applyAsInt(place), renumbered(frame, map));
            case WindowCall.Aggregate(AggregateCall aggregate, WindowFrame frame) ->
                new WindowCall.Aggregate(
                        new AggregateCall(
                                aggregate.kind(),
                                aggregate.arguments().stream()
                                        .map(map::applyAsInt)
                                        .toList(),
                                map.applyAsInt(aggregate.filter()),
                                List.of(),
                                aggregate.local()),
                        renumbered(frame, map));
        };
    }

    private static WindowFrame renumbered(WindowFrame frame, IntUnaryOperator map) {
        return new WindowFrame(
                frame.mode(), renumbered(frame.start(), map), renumbered(frame.end(), map), frame.exclusion());
    }

    private static WindowFrame.Edge renumbered(WindowFrame.Edge edge, IntUnaryOperator map) {
        return new WindowFrame.Edge(edge.kind(), map.applyAsInt(edge.offset()), map.applyAsInt(edge.value()));
    }
}
