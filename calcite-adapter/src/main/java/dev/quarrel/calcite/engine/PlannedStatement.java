package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.DataType;
import java.util.List;
import org.apache.calcite.rel.RelNode;

/// A statement planned outside a session from a tree of relational expressions, for applications that build such
/// trees and for Calcite's JDBC driver.
public final class PlannedStatement {
    private final PlannedQuery planned;
    private final List<DataType> parameterTypes;

    private PlannedStatement(PlannedQuery planned, List<DataType> parameterTypes) {
        this.planned = planned;
        this.parameterTypes = parameterTypes;
    }

    /// - Errors: 0A000 when no device can run a part of it.
    ///
    /// @param root a tree of Quarrel's nodes over tables of the engine's catalog
    public static PlannedStatement of(Engine engine, RelNode root) {
        LocalEngine local = (LocalEngine) engine;
        PlannedQuery planned = local.plan(root);
        return new PlannedStatement(planned, Planner.parameterTypes(planned));
    }

    /// The type of each parameter; null for one that nothing reads.
    public List<DataType> parameterTypes() {
        return parameterTypes;
    }

    /// Starts one execution.
    ///
    /// - Errors: as [SqlSession#execute].
    ///
    /// @param parameters one a parameter; null where the type is null
    public Execution execute(SqlSession session, List<Literal> parameters, Cancellation cancellation) {
        return ((LocalSession) session).run(planned, parameters, cancellation);
    }
}
