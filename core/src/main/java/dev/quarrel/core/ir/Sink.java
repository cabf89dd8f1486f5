package dev.quarrel.core.ir;

import java.util.List;
import java.util.stream.Stream;

/// The end of a pipeline, which takes its rows. Numbers are outputs of its last program.
public sealed interface Sink {
    /// No bound on rows.
    long NO_LIMIT = -1;

    /// The statement's answer, batch by batch, in the source's order.
    ///
    /// @param names of the columns
    /// @param limit rows at most, or NO_LIMIT: the scan stops when they are there
    record Result(List<String> names, Bound offset, Bound limit) implements Sink {
        public Result {
            names = List.copyOf(names);
        }
    }

    /// A table for joins.
    ///
    /// @param nullKeys whether rows with a NULL key are kept, which match nothing; otherwise they are left out
    record HashBuild(List<Integer> keys, List<Integer> payload, boolean nullKeys) implements Sink {
        public HashBuild {
            keys = List.copyOf(keys);
            payload = List.copyOf(payload);
        }

        public HashBuild(List<Integer> keys, List<Integer> payload) {
            this(keys, payload, false);
        }
    }

    /// Groups: rows of keys, then of the calls' results. Without keys: one row, always. NULL keys are one group.
    ///
    /// With grouping sets the rows are those of each set, one set after another: NULL for a key that is not of the
    /// set, and behind the results the set's numbers. A set without keys is one row, always.
    ///
    /// @param sets none: one set of all keys, without numbers
    record Aggregate(List<Integer> keys, List<AggregateCall> calls, List<GroupingSet> sets) implements Sink {
        public Aggregate {
            keys = List.copyOf(keys);
            calls = List.copyOf(calls);
            sets = List.copyOf(sets);
        }

        public Aggregate(List<Integer> keys, List<AggregateCall> calls) {
            this(keys, calls, List.of());
        }
    }

    /// One of the sets of an [Aggregate].
    ///
    /// @param keys places among the aggregate's keys, ascending
    /// @param numbers int32s that its rows show: what GROUPING() answers there; every set of an aggregate has as
    /// many
    record GroupingSet(List<Integer> keys, List<Integer> numbers) {
        public GroupingSet {
            keys = List.copyOf(keys);
            numbers = List.copyOf(numbers);
        }
    }

    /// All outputs, in order; with a limit, the first rows of that order (top-N). Without keys: in the source's order.
    record Sort(List<SortKey> keys, Bound offset, Bound limit) implements Sink {
        public Sort {
            keys = List.copyOf(keys);
        }
    }

    /// All outputs, in any order: rows that several pipelines read.
    record Collect() implements Sink {}

    /// All outputs, straight to the pipeline whose [Source.Union] names this one.
    record Feed() implements Sink {}

    /// The last rows, in the source's order; the scan begins at the end and stops when they are there. No bound: all.
    record Last(Bound rows) implements Sink {}

    /// All outputs, and behind them the answers of window functions; rows come partition by partition, each in its
    /// order (rows equal in all keys in the source's order).
    ///
    /// @param partition outputs that are equal (NULLs are) in the rows of one partition; none: one partition
    /// @param first the rows of a partition that are wanted; others may be left out before the
    ///     functions are computed
    record Window(List<Integer> partition, List<SortKey> order, List<WindowCall> calls, First first) implements Sink {
        /// Rows of a partition that are equal in the order's keys: so many are wanted as are asked for, those with the
        /// keys of the last one too, or these and all of them count as one.
        public enum Ties {
            CUT,
            KEPT,
            COUNTED_ONCE
        }

        /// The first rows of each partition.
        ///
        /// @param rows how many, or [#NO_LIMIT]
        /// @param ties what is made of rows that are equal in the order's keys
        public record First(long rows, Ties ties) {
            public static final First ALL = new First(NO_LIMIT, Ties.KEPT);

            /// Whether rows with the keys of the last one belong to them.
            public boolean withPeers() {
                return ties != Ties.CUT;
            }

            public boolean isAll() {
                return rows == NO_LIMIT;
            }
        }

        /// With all rows.
        public Window(List<Integer> partition, List<SortKey> order, List<WindowCall> calls) {
            this(partition, order, calls, First.ALL);
        }

        public Window {
            partition = List.copyOf(partition);
            order = List.copyOf(order);
            calls = List.copyOf(calls);
        }

        /// Partition and order as one order.
        public List<SortKey> keys() {
            return Stream.concat(partition.stream().map(output -> new SortKey(output, false, false)), order.stream())
                    .toList();
        }
    }

    /// Whether the rows can be read more than once, by several pipelines. Those of a large sort are merged while they
    /// are read.
    default boolean isReadAgain() {
        return this instanceof Collect || this instanceof Aggregate;
    }

    /// A row count that is fixed, or comes in a slot (`LIMIT $1`).
    ///
    /// @param slot slot number of an Int64, whose NULL means "none"; -1 for a fixed one
    /// @param rows the fixed count, or NO_LIMIT
    record Bound(int slot, long rows) {
        public static final Bound NONE = new Bound(-1, NO_LIMIT);
        public static final Bound ZERO = new Bound(-1, 0);

        public static Bound of(long rows) {
            return new Bound(-1, rows);
        }

        public static Bound ofSlot(int slot) {
            return new Bound(slot, NO_LIMIT);
        }
    }
}
