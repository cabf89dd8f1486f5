package dev.quarrel.calcite.joinorder;

import java.util.List;

/// Relations and what joins them. A set of relations is the bits of a long: there are at most 64.
///
/// A relation that an [Attachment] brings in (the right side of a semi, anti, outer or mark join) comes in by it alone:
/// all relations that its condition needs are there before it. Since it is one relation, all such joins commute with
/// each other and with inner ones (Moerkotte and others, "On the Correct and Complete Enumeration of the Core Search
/// Space": l-asscom holds for all of them, assoc for an inner join below), so long as whatever needs its columns waits
/// for it.
///
/// @param rows expected of each relation
/// @param edges what ties sets of relations to each other; together they connect all relations
/// @param attached for each relation what brings it in; null for a relation of inner joins
/// @param estimate of the rows of joined relations
public record JoinGraph(double[] rows, List<Edge> edges, Attachment[] attached, Estimate estimate) {
    public static final int MAX_RELATIONS = 64;

    /// A condition, or several, between two sets of relations that have none in common.
    ///
    /// @param isKey whether it is an equality that a hash table can be built for
    public record Edge(long left, long right, boolean isKey) {
        boolean connects(long one, long other) {
            return isWithin(left, one) && isWithin(right, other) || isWithin(left, other) && isWithin(right, one);
        }
    }

    public enum Kind {
        SEMI,
        ANTI,
        LEFT,
        MARK
    }

    /// @param needs relations that must be there before
    /// @param keys equalities of its condition that a hash table can be built for
    public record Attachment(Kind kind, long needs, int keys) {}

    /// The rows expected of sets of relations.
    public interface Estimate {
        /// Of a set that is joined from two.
        double rows(long set, long one, double oneRows, long other, double otherRows);
    }

    public int size() {
        return rows.length;
    }

    static boolean isWithin(long inner, long outer) {
        return (inner & ~outer) == 0;
    }
}
