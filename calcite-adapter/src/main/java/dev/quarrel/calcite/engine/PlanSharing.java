package dev.quarrel.calcite.engine;

/// With what other statements a statement shares its plan: those that differ in literals on which the plan does not
/// hang.
enum PlanSharing {
    /// With none.
    NONE,
    /// A plan to share is made for the second statement of a shape.
    SECOND_TIME,
    /// It is made for the first one.
    AT_ONCE
}
