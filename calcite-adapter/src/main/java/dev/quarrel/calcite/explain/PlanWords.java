package dev.quarrel.calcite.explain;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowCall;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/// What EXPLAIN calls a pipeline's parts: PostgreSQL's words where it has some.
final class PlanWords {
    private PlanWords() {}

    /// PostgreSQL's word for what a sink does.
    static String type(Sink sink) {
        return switch (sink) {
            case Sink.Result(var _, Sink.Bound offset, Sink.Bound limit) ->
                isBounded(offset, limit) ? "Limit" : "Result";
            case Sink.Aggregate _ -> "Aggregate";
            case Sink.Sort(List<SortKey> keys, var _, var _) -> keys.isEmpty() ? "Limit" : "Sort";
            case Sink.Feed _ -> "Result";
            case Sink.Window _ -> "WindowAgg";
            case Sink.HashBuild _, Sink.Last _, Sink.Collect _ -> name(sink);
        };
    }

    static SequencedMap<String, String> identity(Sink sink) {
        return sink instanceof Sink.Aggregate aggregate
                ? PlanNode.named("Strategy", aggregate.keys().isEmpty() ? "Plain" : "Hashed", "Partial Mode", "Simple")
                : PlanNode.named();
    }

    static String name(Sink sink) {
        return switch (sink) {
            case Sink.Result _ -> "Result";
            case Sink.HashBuild _ -> "Hash";
            case Sink.Aggregate(List<Integer> keys, var _, var _) -> keys.isEmpty() ? "Aggregate" : "HashAggregate";
            case Sink.Sort(List<SortKey> keys, Sink.Bound _, Sink.Bound limit) ->
                keys.isEmpty() ? "Limit" : limit.equals(Sink.Bound.NONE) ? "Sort" : "Top-N Sort";
            case Sink.Last _ -> "Last Rows";
            case Sink.Collect _ -> "Materialize";
            case Sink.Feed _ -> "Feed";
            case Sink.Window _ -> "Window";
        };
    }

    static String name(WindowCall call) {
        String name =
                switch (call) {
                    case WindowCall.Position(WindowCall.PositionKind kind) -> kind.name();
                    case WindowCall.Ntile _ -> "ntile";
                    case WindowCall.Shift shift -> shift.forward() ? "lead" : "lag";
                    case WindowCall.Pick pick -> pick.kind().name();
                    case WindowCall.Aggregate(AggregateCall aggregate, var _) ->
                        aggregate.kind().name();
                };
        return name.toLowerCase(Locale.ROOT) + "()";
    }

    static String joinKind(JoinKind kind) {
        return switch (kind) {
            case INNER -> "Inner";
            case LEFT -> "Left";
            case RIGHT -> "Right";
            case FULL -> "Full";
            case SEMI -> "Semi";
            case ANTI -> "Anti";
            case RIGHT_SEMI -> "Right Semi";
            case RIGHT_ANTI -> "Right Anti";
            case MARK, MARK_IN -> "Mark";
        };
    }

    static boolean isLoop(Join join) {
        return join.nearest() == null && join.keys().isEmpty() && join.range() == null;
    }

    static String joinMethod(Join join) {
        return join.nearest() != null
                ? "Asof"
                : isLoop(join) ? "Nested Loop" : join.keys().isEmpty() ? "Range" : "Hash";
    }

    static String joinType(Join join) {
        return isLoop(join) ? joinMethod(join) : joinMethod(join) + " Join";
    }

    static String joinName(Join join) {
        // As PostgreSQL has it: an inner nested loop is one, all others are joins.
        return join.kind() == JoinKind.INNER
                ? joinType(join)
                : joinMethod(join) + " " + joinKind(join.kind()) + " Join";
    }

    static String sortKey(SortKey key, List<String> outputs) {
        String nulls = key.nullsFirst() == key.descending() ? "" : key.nullsFirst() ? " NULLS FIRST" : " NULLS LAST";
        return outputs.get(key.output()) + (key.descending() ? " DESC" : "") + nulls;
    }

    static String call(AggregateCall call, List<String> outputs) {
        String name = call.kind().name().toLowerCase(Locale.ROOT);
        String order = call.order().isEmpty()
                ? ""
                : call.order().stream()
                        .map(key -> sortKey(key, outputs))
                        .collect(Collectors.joining(", ", " ORDER BY ", ""));
        String text = call.argument() < 0 ? "count(*)" : name + "(" + outputs.get(call.argument()) + order + ")";
        return call.filter() < 0 ? text : text + " FILTER (WHERE " + outputs.get(call.filter()) + ")";
    }

    /// Whether all rows that come to a sink leave it as they are.
    static boolean isOpen(Sink sink) {
        return switch (sink) {
            case Sink.Result(var _, Sink.Bound offset, Sink.Bound limit) -> !isBounded(offset, limit);
            case Sink.Feed _ -> true;
            default -> false;
        };
    }

    static boolean isBounded(Sink.Bound offset, Sink.Bound limit) {
        return !limit.equals(Sink.Bound.NONE) || !offset.equals(Sink.Bound.ZERO) && !offset.equals(Sink.Bound.NONE);
    }

    /// Whether the first row comes after all those that it takes in.
    static boolean waits(Sink sink) {
        return switch (sink) {
            case Sink.Result _, Sink.Feed _ -> false;
            case Sink.HashBuild _, Sink.Aggregate _, Sink.Sort _, Sink.Last _, Sink.Collect _, Sink.Window _ -> true;
        };
    }
}
