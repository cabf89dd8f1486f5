package dev.quarrel.calcite.joinorder;

/// A tree of joins: the left side streams and is called the probe, a hash table is built of the right one.
///
/// @param set of relations
/// @param cost nanoseconds, roughly
/// @param left null for a relation
/// @param right null for a relation
public record JoinPlan(long set, double rows, double cost, JoinPlan left, JoinPlan right) {
    public boolean isRelation() {
        return left == null;
    }

    /// Of a relation.
    public int relation() {
        return Long.numberOfTrailingZeros(set);
    }
}
