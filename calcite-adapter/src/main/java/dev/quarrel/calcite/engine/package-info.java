/// The engine inside this process: `LocalEngine` opens it, `LocalSession` is a session's state (its transaction's too),
/// `Planner` makes a `PlannedQuery` of a statement, `PlanCache` keeps it, and `QueryExecution` runs it.
///
/// A device is chosen where `Planner` emits pipelines, by `core.device.Placement`.
package dev.quarrel.calcite.engine;
