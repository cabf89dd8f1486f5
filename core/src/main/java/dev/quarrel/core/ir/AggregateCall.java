package dev.quarrel.core.ir;

import java.util.List;
import java.util.Objects;

/// One aggregate of a grouping.
///
/// @param arguments outputs of the pipeline's last program; none for COUNT_STAR
/// @param filter Bool output whose true rows alone count (FILTER (WHERE …)), or -1
/// @param order the order in which the aggregate sees its rows, those equal in all keys in the source's order; for
///     aggregates that care ([AggregateKind#isOrdered])
public record AggregateCall(AggregateKind kind, List<Integer> arguments, int filter, List<SortKey> order) {
    public AggregateCall {
        Objects.requireNonNull(kind, "kind");
        arguments = List.copyOf(arguments);
        order = List.copyOf(order);
    }

    public AggregateCall(AggregateKind kind, List<Integer> arguments, int filter) {
        this(kind, arguments, filter, List.of());
    }

    /// @param argument -1 for none
    public AggregateCall(AggregateKind kind, int argument, int filter) {
        this(kind, argument < 0 ? List.of() : List.of(argument), filter);
    }

    /// Whether it needs all rows of a group together, not only a state.
    public boolean gathersRows() {
        return kind.isOrdered() && (kind != AggregateKind.ANY_VALUE || !order.isEmpty());
    }

    /// The first argument, or -1.
    public int argument() {
        return arguments.isEmpty() ? -1 : arguments.getFirst();
    }
}
