package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;

/// A window function of a [Sink.Window]. Numbers are outputs of the pipeline's last program.
public sealed interface WindowCall {
    /// Whether the answer for a row is the same without the rows behind it and its peers.
    default boolean looksBack() {
        return this instanceof Position(PositionKind kind)
                && kind != PositionKind.PERCENT_RANK
                && kind != PositionKind.CUME_DIST;
    }

    /// The answer that [Position] gives: int64, or float64 for the last two.
    enum PositionKind {
        ROW_NUMBER,
        RANK,
        DENSE_RANK,
        PERCENT_RANK,
        CUME_DIST
    }

    /// The position of the row in its partition.
    record Position(PositionKind kind) implements WindowCall {}

    /// The number of the part that the row is in, of `buckets` parts of nearly equal size; int32. NULL buckets:
    /// NULL; below 1: 22014.
    ///
    /// @param buckets an int32
    record Ntile(int buckets) implements WindowCall {}

    /// LAG and LEAD: the argument some rows before or after.
    ///
    /// @param distance an int32 (NULL: NULL), or -1 for one row
    /// @param fallback of the argument's type, for rows outside the partition; -1 for NULL
    record Shift(int argument, int distance, int fallback, boolean forward) implements WindowCall {}

    /// The row of the frame that [Pick] takes.
    enum PickKind {
        FIRST_VALUE,
        LAST_VALUE,
        NTH_VALUE
    }

    /// The argument in one row of the frame, or NULL where there is none.
    ///
    /// @param place for NTH_VALUE an int32 (NULL: NULL; below 1: 22016), else -1
    record Pick(PickKind kind, int argument, int place, WindowFrame frame) implements WindowCall {}

    /// An aggregate over the frame, which it sees in the window's order: it has none of its own.
    record Aggregate(AggregateCall call, WindowFrame frame) implements WindowCall {}

    /// The type of the answer, or null where the function does not take such arguments.
    ///
    /// @param outputs types of the last program's outputs
    default DataType resultType(List<DataType> outputs) {
        return switch (this) {
            case Position(PositionKind kind) ->
                switch (kind) {
                    case ROW_NUMBER, RANK, DENSE_RANK -> DataType.INT64;
                    case PERCENT_RANK, CUME_DIST -> DataType.FLOAT64;
                };
            case Ntile _ -> DataType.INT32;
            case Shift shift -> outputs.get(shift.argument());
            case Pick pick -> outputs.get(pick.argument());
            case Aggregate(AggregateCall call, WindowFrame _) ->
                call.kind() == AggregateKind.SINGLE_VALUE
                                || call.kind() == AggregateKind.ARRAYS_AGG
                                || call.kind().isOrderedSet()
                        ? null
                        : call.resultType(call.argument() < 0 ? null : outputs.get(call.argument()));
        };
    }
}
