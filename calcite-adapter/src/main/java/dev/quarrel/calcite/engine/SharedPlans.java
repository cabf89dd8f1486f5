package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.StatementShape;
import dev.quarrel.calcite.sql.type.LiteralReader;
import dev.quarrel.calcite.sql.type.PostgresTypeFactory;
import dev.quarrel.calcite.sql.type.RexMaker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.calcite.rex.RexBuilder;

/// Plans by their statement's shape: a dashboard's query with another customer's number finds the plan that was made
/// for the first ones.
///
/// A statement's own plan is made first. One that its like can share is made when a second statement of the shape
/// comes, with other literals, so a statement that is alone of its shape gets a plan that knows all of its literals.
///
/// - Memory: at most [#SIZE] shapes, of [#MAX_PLANS] plans each; what was used longest ago goes first.
///
/// Threads share it.
final class SharedPlans {
    private static final int SIZE = 512;
    private static final int MAX_PLANS = 8;

    /// Makes literals; nothing of it depends on a statement.
    private static final RexMaker MAKER = new RexMaker(new RexBuilder(new PostgresTypeFactory()));

    private final Map<Key, Shape> shapes = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Shape> eldest) {
            return size() > SIZE;
        }
    };

    private record Key(String shape, PlanCache.Context context) {}

    /// What is known of a shape.
    private static final class Shape {
        private final List<SharedPlan> plans = new CopyOnWriteArrayList<>();
        private boolean isHopeless;
    }

    /// Whether statements of the shape may share a plan at all.
    static boolean isFor(StatementShape shape, Planner.Options options) {
        return !shape.literals().isEmpty() && !options.wideNumerics();
    }

    static LiteralReader reader(Planner.Options options) {
        return new LiteralReader(MAKER, options.moment());
    }

    /// The plan for these literals, or null.
    PlannedQuery find(StatementShape shape, PlanCache.Context context) {
        Shape entry = entry(shape, context);
        if (entry == null || entry.plans.isEmpty()) {
            return null;
        }
        LiteralReader reader = reader(context.options());
        for (SharedPlan plan : entry.plans) {
            PlannedQuery found = plan.with(shape.literals(), reader);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /// Whether a plan to share is worth making: another statement of the shape was planned before.
    boolean isWanted(StatementShape shape, PlanCache.Context context) {
        Key key = new Key(shape.key(), context);
        synchronized (shapes) {
            Shape known = shapes.putIfAbsent(key, new Shape());
            return known != null && !known.isHopeless;
        }
    }

    void keep(StatementShape shape, PlanCache.Context context, SharedPlan plan) {
        Shape entry = entry(shape, context);
        if (entry == null) {
            return;
        }
        synchronized (entry) {
            if (entry.plans.size() >= MAX_PLANS) {
                entry.plans.removeLast();
            }
            entry.plans.addFirst(plan);
        }
    }

    /// Notes that the plan hangs on all the literals.
    void giveUp(StatementShape shape, PlanCache.Context context) {
        Shape entry = entry(shape, context);
        if (entry != null) {
            entry.isHopeless = true;
        }
    }

    private Shape entry(StatementShape shape, PlanCache.Context context) {
        synchronized (shapes) {
            return shapes.get(new Key(shape.key(), context));
        }
    }

    void clear() {
        synchronized (shapes) {
            shapes.clear();
        }
    }
}
