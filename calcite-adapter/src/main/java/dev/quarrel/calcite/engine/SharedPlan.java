package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.calcite.lower.SlotFill;
import dev.quarrel.calcite.parse.StatementShape;
import dev.quarrel.calcite.parse.StatementShape.Written;
import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.calcite.rules.LiteralLifting;
import dev.quarrel.calcite.rules.RangeGuard;
import dev.quarrel.calcite.sql.type.LiteralReader;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.QueryPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rex.RexLiteral;

/// A plan for all statements of one shape whose literals differ only where the plan does not hang on them.
final class SharedPlan {
    private final PlannedQuery planned;
    private final List<Written> written;
    private final List<Integer> representatives;
    private final List<RangeGuard> guards;

    /// @param shape of the statement that it was made for
    SharedPlan(PlannedQuery planned, StatementShape shape, LiteralLifting.Lifted lifted) {
        this.planned = planned;
        this.written = shape.literals();
        this.representatives = lifted.representatives();
        this.guards = lifted.guards();
    }

    /// The plan for other literals; null where it is none for them, or may not be a good one.
    PlannedQuery with(List<Written> literals, LiteralReader reader) {
        for (int number = 0; number < literals.size(); number++) {
            int representative = representatives.get(number);
            Written like = representative < 0 ? written.get(number) : literals.get(representative);
            if (representative != number && !literals.get(number).isAs(like)) {
                return null;
            }
        }
        Map<LiftedLiteral, RexLiteral> values = new HashMap<>();
        Map<QueryPlan, List<SlotValue>> slots = new IdentityHashMap<>();
        for (PhysicalPlan.Device device : planned.placements().keySet()) {
            List<SlotValue> all = new ArrayList<>();
            for (SlotFill fill : device.fills()) {
                RexLiteral value = values.computeIfAbsent(fill.of(), lifted -> value(lifted, literals, reader));
                Literal held = value == null ? null : fill.value(value);
                if (held == null) {
                    return null;
                }
                all.add(new SlotValue(fill.slot(), held));
            }
            slots.put(device.plan(), all);
        }
        for (RangeGuard guard : guards) {
            if (!guard.holds(lifted -> values.computeIfAbsent(lifted, each -> value(each, literals, reader)))) {
                return null;
            }
        }
        return planned.with(slots);
    }

    private static RexLiteral value(LiftedLiteral lifted, List<Written> literals, LiteralReader reader) {
        Written literal = literals.get(lifted.number());
        return reader.read(lifted.literal(), literal.text(), literal.isNumber(), lifted.negated());
    }
}
