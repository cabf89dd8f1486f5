package dev.quarrel.export.snapshot;

/// A part of a table's rows, which one worker reads by one COPY.
///
/// All ranges of a table together hold every row once.
public sealed interface RowRange {
    /// Its place among the table's ranges, from 0.
    int index();

    /// A condition of SQL on the rows; empty for all of them.
    String condition();

    /// How much there is to read, in pages; [#UNKNOWN] where nobody knows.
    long weight();

    long UNKNOWN = Long.MAX_VALUE;

    /// Whether a scan without indexes sends the rows in the same order each time: that of their places.
    default boolean hasOrder() {
        return this instanceof OfRelation && weight() != UNKNOWN;
    }

    /// Those of its rows that meet another condition, too.
    RowRange withCondition(String more);

    /// @param from what FROM takes: a table or view, quoted
    record OfRelation(int index, String from, String condition, long weight) implements RowRange {
        @Override
        public OfRelation withCondition(String more) {
            return new OfRelation(index, from, TableTree.both(condition, more), weight);
        }

        OfRelation withoutWeight() {
            return new OfRelation(index, from, condition, UNKNOWN);
        }
    }

    /// @param query a SELECT, or what else COPY takes in parentheses
    record OfQuery(int index, String query, String condition) implements RowRange {
        @Override
        public long weight() {
            return UNKNOWN;
        }

        @Override
        public OfQuery withCondition(String more) {
            return new OfQuery(index, query, TableTree.both(condition, more));
        }
    }
}
