package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.host.HiddenParameters;
import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.calcite.sql.AnalyzedQuery;
import dev.quarrel.calcite.sql.type.CollationUse;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A query plan that any number of executions can share.
///
/// @param hidden parameters beyond the statement's own
/// @param placements a placement for each part that runs on devices, by identity
/// @param catalogVersion the version of the catalog that names were looked up in
/// @param isQuick see [QuickPlans]
/// @param slots what slots hold in place of the plan's own constants, by identity of the part that they are in: of a
///     [SharedPlan]
record PlannedQuery(
        List<AnalyzedQuery.OutputColumn> columns,
        List<PgType> parameterTypes,
        PhysicalPlan plan,
        List<HiddenParameters.Hidden> hidden,
        Map<PhysicalPlan.Device, Placement> placements,
        long catalogVersion,
        boolean isQuick,
        CollationUse collations,
        Map<QueryPlan, List<SlotValue>> slots) {
    PlannedQuery {
        columns = List.copyOf(columns);
        parameterTypes = List.copyOf(parameterTypes);
        hidden = List.copyOf(hidden);
    }

    PlannedQuery with(CollationUse use) {
        return new PlannedQuery(columns, parameterTypes, plan, hidden, placements, catalogVersion, isQuick, use, slots);
    }

    PlannedQuery with(Map<QueryPlan, List<SlotValue>> values) {
        return new PlannedQuery(
                columns, parameterTypes, plan, hidden, placements, catalogVersion, isQuick, collations, values);
    }

    PlannedQuery asQuick() {
        return new PlannedQuery(
                columns, parameterTypes, plan, hidden, placements, catalogVersion, true, collations, slots);
    }

    /// The values of one part's slots, where those of its constants and parameters are these.
    List<Literal> exchanged(QueryPlan part, List<Literal> values) {
        List<SlotValue> others = slots.get(part);
        if (others == null || others.isEmpty()) {
            return values;
        }
        List<Literal> exchanged = new ArrayList<>(values);
        others.forEach(each -> exchanged.set(each.slot(), each.value()));
        return exchanged;
    }
}
