package dev.quarrel.calcite.joinorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JoinSearchTest {
    private static final int MANY = 30;

    /// Rows of a set are the product of its relations' and of its edges' shares, so that they hang on no order.
    private static JoinGraph graph(double[] rows, List<JoinGraph.Edge> edges, JoinGraph.Attachment[] attached) {
        return new JoinGraph(rows, edges, attached, (set, _, _, _, _) -> rowsOf(rows, edges, attached, set));
    }

    private static double rowsOf(double[] rows, List<JoinGraph.Edge> edges, JoinGraph.Attachment[] attached, long set) {
        double product = 1;
        for (long rest = set; rest != 0; rest &= rest - 1) {
            int relation = Long.numberOfTrailingZeros(rest);
            product *= attached[relation] == null ? rows[relation] : 0.5;
        }
        for (JoinGraph.Edge edge : edges) {
            boolean isInside = ((edge.left() | edge.right()) & ~set) == 0;
            boolean isInner =
                    Long.bitCount(edge.right()) != 1 || attached[Long.numberOfTrailingZeros(edge.right())] == null;
            product *= isInside && isInner ? 0.01 : 1;
        }
        return Math.max(1, product);
    }

    private static JoinGraph.Edge edge(int one, int other) {
        return new JoinGraph.Edge(1L << one, 1L << other, true);
    }

    private static JoinGraph shape(String shape, int count) {
        double[] rows = new double[count];
        List<JoinGraph.Edge> edges = new ArrayList<>();
        for (int relation = 0; relation < count; relation++) {
            rows[relation] = 100 + 37 * (relation * 7919L % 101);
            switch (shape) {
                case "chain" -> {
                    if (relation > 0) {
                        edges.add(edge(relation - 1, relation));
                    }
                }
                case "cycle" -> edges.add(edge(relation, (relation + 1) % count));
                case "star" -> {
                    if (relation > 0) {
                        edges.add(edge(0, relation));
                    }
                }
                default -> {
                    for (int other = 0; other < relation; other++) {
                        edges.add(edge(other, relation));
                    }
                }
            }
        }
        return graph(rows, edges, new JoinGraph.Attachment[count]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"chain", "cycle", "star", "clique"})
    void thirtyRelationsTakeBoundedWork(String shape) {
        int[] steps = new int[1];
        JoinSearch.Found found = JoinSearch.find(shape(shape, MANY), () -> steps[0]++);
        assertThat(found.tree().set()).isEqualTo((1L << MANY) - 1);
        // All pairs up to the bound, and what the greedy order tries beyond it.
        assertThat(steps[0]).isLessThanOrEqualTo(JoinSearch.MAX_PAIRS + 1 + MANY * MANY * MANY / 3);
        assertThat(found.isComplete()).isEqualTo(shape.equals("chain") || shape.equals("cycle"));
    }

    /// A chain of n has (n³ - n) / 6 pairs, a star (n - 1) 2ⁿ⁻², a clique (3ⁿ - 2ⁿ⁺¹ + 1) / 2.
    @Test
    void triesEachPairOnce() {
        assertThat(JoinSearch.find(shape("chain", 10), () -> {}).pairs()).isEqualTo(165);
        assertThat(JoinSearch.find(shape("star", 8), () -> {}).pairs()).isEqualTo(448);
        assertThat(JoinSearch.find(shape("clique", 7), () -> {}).pairs()).isEqualTo(966);
        assertThat(JoinSearch.find(shape("cycle", 8), () -> {}).pairs()).isEqualTo(196);
    }

    @Test
    void findsTheCheapestTreeOfRandomGraphs() {
        long seed = System.nanoTime();
        System.out.println("JoinSearchTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            JoinGraph graph = random(random);
            JoinSearch.Found found = JoinSearch.find(graph, () -> {});
            assertThat(found.isComplete()).as("seed %d round %d", seed, round).isTrue();
            Double least = cheapest(graph, (1L << graph.size()) - 1, new HashMap<>());
            assertThat(found.tree().cost())
                    .as("seed %d round %d %s", seed, round, graph)
                    .isCloseTo(least, within(least * 1e-9 + 1e-9));
            requireValid(graph, found.tree());
            requireValid(graph, JoinSearch.find(graph, () -> {}, 0).tree());
        }
    }

    /// Inner relations that are connected, some that are attached to them or to each other.
    private static JoinGraph random(Random random) {
        int count = 2 + random.nextInt(6);
        double[] rows = new double[count];
        List<JoinGraph.Edge> edges = new ArrayList<>();
        JoinGraph.Attachment[] attached = new JoinGraph.Attachment[count];
        for (int relation = 0; relation < count; relation++) {
            rows[relation] = Math.ceil(Math.pow(10, 1 + 5 * random.nextDouble()));
            if (relation == 0) {
                continue;
            }
            long before = (1L << relation) - 1;
            boolean isAttached = random.nextInt(3) == 0;
            if (isAttached) {
                long needs = needs(attached, 1L << random.nextInt(relation));
                needs |= random.nextInt(3) == 0 ? needs(attached, 1L << random.nextInt(relation)) : 0;
                JoinGraph.Kind kind = JoinGraph.Kind.values()[random.nextInt(4)];
                attached[relation] = new JoinGraph.Attachment(kind, needs, 1);
                edges.add(new JoinGraph.Edge(needs, 1L << relation, true));
            } else {
                List<Integer> inner = new ArrayList<>();
                for (int other = 0; other < relation; other++) {
                    if (attached[other] == null) {
                        inner.add(other);
                    }
                }
                edges.add(edge(inner.get(random.nextInt(inner.size())), relation));
                for (int other : inner) {
                    if (random.nextInt(4) == 0) {
                        edges.add(edge(other, relation));
                    }
                }
                assertThat(before).isPositive();
            }
        }
        return graph(rows, edges.stream().distinct().toList(), attached);
    }

    private static long needs(JoinGraph.Attachment[] attached, long set) {
        long all = set;
        for (int relation = attached.length - 1; relation >= 0; relation--) {
            if ((all >> relation & 1) != 0 && attached[relation] != null) {
                all |= attached[relation].needs();
            }
        }
        return all;
    }

    /// Tries all trees, the plain way; null where there is none.
    private static Double cheapest(JoinGraph graph, long set, Map<Long, Double> known) {
        if (Long.bitCount(set) == 1) {
            return 0.0;
        }
        if (known.containsKey(set)) {
            return known.get(set);
        }
        Double least = null;
        for (long part = set & -set; part != set; part = part - set & set) {
            long one = part;
            long other = set & ~one;
            Double left = cheapest(graph, one, known);
            Double right = cheapest(graph, other, known);
            if (left != null && right != null && mayJoin(graph, one, other)) {
                double rows = graph.estimate().rows(set, one, 0, other, 0);
                double oneRows = rows(graph, one);
                double otherRows = rows(graph, other);
                JoinGraph.Attachment attachment = attachment(graph, other);
                int keys = attachment != null
                        ? attachment.keys()
                        : (int) graph.edges().stream()
                                .filter(edge -> edge.connects(one, other))
                                .count();
                double cost = JoinCost.join(oneRows, otherRows, rows, Long.bitCount(other) > 1, keys);
                if (attachment != null
                        && attachment.kind() != JoinGraph.Kind.MARK
                        && JoinCost.isTurned(oneRows, otherRows, rows)) {
                    cost = JoinCost.join(otherRows, oneRows, rows, Long.bitCount(one) > 1, keys);
                }
                double all = left + right + cost;
                least = least == null ? all : Math.min(least, all);
            }
        }
        known.put(set, least);
        return least;
    }

    private static double rows(JoinGraph graph, long set) {
        return Long.bitCount(set) == 1
                ? graph.rows()[Long.numberOfTrailingZeros(set)]
                : graph.estimate().rows(set, 0, 0, 0, 0);
    }

    private static JoinGraph.Attachment attachment(JoinGraph graph, long set) {
        return Long.bitCount(set) == 1 ? graph.attached()[Long.numberOfTrailingZeros(set)] : null;
    }

    /// `one` probes `other`.
    private static boolean mayJoin(JoinGraph graph, long one, long other) {
        boolean isTied = graph.edges().stream().anyMatch(edge -> edge.connects(one, other));
        JoinGraph.Attachment attachment = attachment(graph, other);
        if (attachment != null) {
            return isTied && (attachment.needs() & ~one) == 0;
        }
        return isTied && attachment(graph, one) == null;
    }

    private static void requireValid(JoinGraph graph, JoinPlan plan) {
        if (!plan.isRelation()) {
            assertThat(mayJoin(graph, plan.left().set(), plan.right().set()))
                    .as("%s", plan)
                    .isTrue();
            requireValid(graph, plan.left());
            requireValid(graph, plan.right());
        }
    }
}
