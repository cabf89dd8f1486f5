package dev.quarrel.calcite.joinorder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Searches the cheapest tree of a graph's joins: all of them that have no product, as long as these are few enough;
/// otherwise it joins, again and again, the two parts of which fewest rows come.
///
/// - Source: Moerkotte and Neumann, "Dynamic Programming Strikes Back" (DPhyp); Fegaras, "A New Heuristic for
///   Optimizing Large Queries" (GOO).
public final class JoinSearch {
    /// Pairs of parts that are tried at most: some ten milliseconds.
    public static final int MAX_PAIRS = 13_000;

    /// Orders that cost the same differ by the rounding of their sums: the first one found stays, on every machine.
    private static final double SURELY_LESS = 1 - 1e-9;

    private final JoinGraph graph;
    private final Runnable tick;
    private final int maxPairs;
    private final Map<Long, JoinPlan> best = new HashMap<>();
    private int pairs;
    private boolean isOver;

    private JoinSearch(JoinGraph graph, Runnable tick, int maxPairs) {
        this.graph = graph;
        this.tick = tick;
        this.maxPairs = maxPairs;
    }

    /// @param tree of all relations
    /// @param pairs that were tried
    /// @param isComplete whether those were all
    public record Found(JoinPlan tree, int pairs, boolean isComplete) {}

    /// @param tick run for each pair that is tried; what it throws ends the search
    public static Found find(JoinGraph graph, Runnable tick) {
        return find(graph, tick, MAX_PAIRS);
    }

    static Found find(JoinGraph graph, Runnable tick, int maxPairs) {
        JoinSearch search = new JoinSearch(graph, tick, maxPairs);
        search.start();
        search.enumerate();
        long all = graph.size() == JoinGraph.MAX_RELATIONS ? -1 : (1L << graph.size()) - 1;
        JoinPlan found = search.best.get(all);
        if (!search.isOver && found != null) {
            return new Found(found, search.pairs, true);
        }
        int tried = search.pairs;
        search.best.clear();
        search.start();
        return new Found(search.greedy(), tried, false);
    }

    private void start() {
        for (int relation = 0; relation < graph.size(); relation++) {
            best.put(1L << relation, new JoinPlan(1L << relation, graph.rows()[relation], 0, null, null));
        }
    }

    private void enumerate() {
        for (int relation = graph.size() - 1; relation >= 0 && !isOver; relation--) {
            long set = 1L << relation;
            complements(set);
            grow(set, set | (set - 1));
        }
    }

    /// Sets that contain `set`, and none of `excluded` beside it.
    private void grow(long set, long excluded) {
        long neighbours = neighbours(set, excluded);
        for (long part = lowest(neighbours); part != 0 && !isOver; part = part - neighbours & neighbours) {
            if (best.containsKey(set | part)) {
                complements(set | part);
            }
        }
        for (long part = lowest(neighbours); part != 0 && !isOver; part = part - neighbours & neighbours) {
            grow(set | part, excluded | neighbours);
        }
    }

    private static long lowest(long set) {
        return set & -set;
    }

    /// Pairs `set` with all sets beside it that a condition ties to it.
    private void complements(long set) {
        long least = lowest(set);
        long excluded = set | (least - 1);
        long neighbours = neighbours(set, excluded);
        for (long rest = neighbours; rest != 0 && !isOver; ) {
            long other = Long.highestOneBit(rest);
            rest &= ~other;
            if (isTied(set, other)) {
                pair(set, other);
            }
            growComplement(set, other, excluded | neighbours & (other - 1) | other);
        }
    }

    private void growComplement(long set, long other, long excluded) {
        long neighbours = neighbours(other, excluded);
        for (long part = lowest(neighbours); part != 0 && !isOver; part = part - neighbours & neighbours) {
            if (best.containsKey(other | part) && isTied(set, other | part)) {
                pair(set, other | part);
            }
        }
        for (long part = lowest(neighbours); part != 0 && !isOver; part = part - neighbours & neighbours) {
            growComplement(set, other | part, excluded | neighbours);
        }
    }

    /// Of each set that a condition ties to `set`, one relation.
    private long neighbours(long set, long excluded) {
        long found = 0;
        long never = set | excluded;
        for (JoinGraph.Edge edge : graph.edges()) {
            if (JoinGraph.isWithin(edge.left(), set) && (edge.right() & never) == 0) {
                found |= lowest(edge.right());
            }
            if (JoinGraph.isWithin(edge.right(), set) && (edge.left() & never) == 0) {
                found |= lowest(edge.left());
            }
        }
        return found;
    }

    private boolean isTied(long one, long other) {
        for (JoinGraph.Edge edge : graph.edges()) {
            if (edge.connects(one, other)) {
                return true;
            }
        }
        return false;
    }

    private void pair(long one, long other) {
        tick.run();
        if (++pairs > maxPairs) {
            isOver = true;
            return;
        }
        JoinPlan joined = joined(best.get(one), best.get(other));
        if (joined != null) {
            best.merge(one | other, joined, (known, made) -> isCheaper(made, known) ? made : known);
        }
    }

    /// The cheaper of the two ways to join two parts; null where there is none.
    private JoinPlan joined(JoinPlan one, JoinPlan other) {
        if (one == null || other == null) {
            return null;
        }
        JoinGraph.Attachment ofOther = attachment(one, other);
        JoinGraph.Attachment ofOne = attachment(other, one);
        if (ofOther == null && ofOne == null) {
            boolean isInner = !isAttached(one) && !isAttached(other);
            return isInner ? inner(one, other) : null;
        }
        return ofOther != null ? attached(one, other, ofOther) : attached(other, one, ofOne);
    }

    /// What brings `part`, a relation, to `base`; null where it cannot.
    private JoinGraph.Attachment attachment(JoinPlan base, JoinPlan part) {
        if (!part.isRelation()) {
            return null;
        }
        JoinGraph.Attachment attachment = graph.attached()[part.relation()];
        return attachment != null && JoinGraph.isWithin(attachment.needs(), base.set()) ? attachment : null;
    }

    private boolean isAttached(JoinPlan part) {
        return part.isRelation() && graph.attached()[part.relation()] != null;
    }

    private JoinPlan inner(JoinPlan one, JoinPlan other) {
        double rows = rows(one, other);
        int keys = keys(one.set(), other.set());
        double forward = cost(keys, one, other, rows);
        double backward = cost(keys, other, one, rows);
        double sides = one.cost() + other.cost();
        return forward <= backward
                ? new JoinPlan(one.set() | other.set(), rows, sides + forward, one, other)
                : new JoinPlan(one.set() | other.set(), rows, sides + backward, other, one);
    }

    private static double cost(int keys, JoinPlan probe, JoinPlan build, double rows) {
        boolean isJoined = !build.isRelation();
        return keys > 0
                ? JoinCost.join(probe.rows(), build.rows(), rows, isJoined, keys)
                : JoinCost.product(probe.rows(), build.rows(), rows, isJoined);
    }

    private int keys(long one, long other) {
        int keys = 0;
        for (JoinGraph.Edge edge : graph.edges()) {
            keys += edge.isKey() && edge.connects(one, other) ? 1 : 0;
        }
        return keys;
    }

    private JoinPlan attached(JoinPlan base, JoinPlan part, JoinGraph.Attachment attachment) {
        double rows = rows(base, part);
        boolean mayTurn = attachment.kind() != JoinGraph.Kind.MARK;
        boolean isTurned = mayTurn && JoinCost.isTurned(base.rows(), part.rows(), rows);
        double cost = isTurned ? cost(attachment.keys(), part, base, rows) : cost(attachment.keys(), base, part, rows);
        return new JoinPlan(base.set() | part.set(), rows, base.cost() + part.cost() + cost, base, part);
    }

    private double rows(JoinPlan one, JoinPlan other) {
        JoinPlan known = best.get(one.set() | other.set());
        return known != null
                ? known.rows()
                : Math.max(
                        1,
                        graph.estimate()
                                .rows(one.set() | other.set(), one.set(), one.rows(), other.set(), other.rows()));
    }

    private JoinPlan greedy() {
        List<JoinPlan> parts = new ArrayList<>(best.values());
        parts.sort((one, other) -> Long.compareUnsigned(one.set(), other.set()));
        Map<Long, JoinPlan> tried = new HashMap<>();
        while (parts.size() > 1) {
            JoinPlan chosen = null;
            for (int one = 0; one < parts.size(); one++) {
                for (int other = one + 1; other < parts.size(); other++) {
                    JoinPlan left = parts.get(one);
                    JoinPlan right = parts.get(other);
                    long set = left.set() | right.set();
                    if (!tried.containsKey(set)) {
                        tick.run();
                        tried.put(set, isTied(left.set(), right.set()) ? joined(left, right) : null);
                    }
                    JoinPlan joined = tried.get(set);
                    if (joined != null && (chosen == null || isBetter(joined, chosen))) {
                        chosen = joined;
                    }
                }
            }
            if (chosen == null) {
                throw new IllegalStateException("nothing connects " + parts);
            }
            JoinPlan made = chosen;
            parts.removeIf(part -> JoinGraph.isWithin(part.set(), made.set()));
            parts.add(made);
        }
        return parts.getFirst();
    }

    private static boolean isBetter(JoinPlan one, JoinPlan other) {
        return one.rows() < other.rows() || one.rows() == other.rows() && isCheaper(one, other);
    }

    private static boolean isCheaper(JoinPlan one, JoinPlan other) {
        return one.cost() < other.cost() * SURELY_LESS;
    }
}
