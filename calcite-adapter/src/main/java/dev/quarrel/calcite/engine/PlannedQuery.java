package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.host.HiddenParameters;
import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.calcite.sql.AnalyzedQuery;
import dev.quarrel.calcite.sql.CollationUse;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.pg.PgType;
import java.util.List;
import java.util.Map;

/// A query plan that any number of executions can share.
///
/// @param hidden parameters beyond the statement's own
/// @param placements a placement for each part that runs on devices, by identity
/// @param catalogVersion the version of the catalog that names were looked up in
/// @param isQuick see [QuickPlans]
record PlannedQuery(
        List<AnalyzedQuery.OutputColumn> columns,
        List<PgType> parameterTypes,
        PhysicalPlan plan,
        List<HiddenParameters.Hidden> hidden,
        Map<PhysicalPlan.Device, Placement> placements,
        long catalogVersion,
        boolean isQuick,
        CollationUse collations) {
    PlannedQuery {
        columns = List.copyOf(columns);
        parameterTypes = List.copyOf(parameterTypes);
        hidden = List.copyOf(hidden);
    }

    PlannedQuery with(CollationUse use) {
        return new PlannedQuery(columns, parameterTypes, plan, hidden, placements, catalogVersion, isQuick, use);
    }

    PlannedQuery asQuick() {
        return new PlannedQuery(columns, parameterTypes, plan, hidden, placements, catalogVersion, true, collations);
    }
}
