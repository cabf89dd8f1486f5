package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Objects;

/// One aggregate of a grouping.
///
/// @param arguments outputs of the pipeline's last program; none for COUNT_STAR
/// @param filter Bool output whose true rows alone count (FILTER (WHERE …)), or -1
/// @param order the order in which the aggregate sees its rows, those equal in all keys in the source's order; for
///     aggregates that care ([AggregateKind#isOrdered])
/// @param local the code of a [AggregateKind#LOCAL]; null for all others
public record AggregateCall(
        AggregateKind kind, List<Integer> arguments, int filter, List<SortKey> order, LocalAggregate local) {
    public AggregateCall {
        Objects.requireNonNull(kind, "kind");
        arguments = List.copyOf(arguments);
        order = List.copyOf(order);
        if ((kind == AggregateKind.LOCAL) != (local != null)) {
            throw new IllegalArgumentException(kind + " with " + local);
        }
    }

    public AggregateCall(AggregateKind kind, List<Integer> arguments, int filter, List<SortKey> order) {
        this(kind, arguments, filter, order, null);
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
        return switch (kind) {
            case ANY_VALUE -> !order.isEmpty();
            case LOCAL -> !order.isEmpty() || !local.canMerge();
            default -> kind.isOrdered();
        };
    }

    /// Whether its states are objects that no file holds.
    public boolean staysInMemory() {
        return kind == AggregateKind.LOCAL && !gathersRows();
    }

    /// Whether rows with a NULL among the arguments count.
    public boolean keepsNulls() {
        return local == null ? kind.keepsNulls() : !local.isStrict();
    }

    /// The type of the result, or null where the aggregate does not take such an argument.
    ///
    /// @param argument null for COUNT_STAR
    public DataType resultType(DataType argument) {
        return local == null
                ? kind.resultType(argument)
                : local.arguments().getFirst().equals(argument) ? local.result() : null;
    }

    /// The types of the arguments after the first.
    ///
    /// @param argument the first one's
    public List<DataType> furtherTypes(DataType argument) {
        return local == null
                ? kind.furtherTypes(argument)
                : local.arguments().subList(1, local.arguments().size());
    }

    /// The first argument, or -1.
    public int argument() {
        return arguments.isEmpty() ? -1 : arguments.getFirst();
    }
}
