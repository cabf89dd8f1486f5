package dev.quarrel.calcite.explain;

/// The forms that EXPLAIN's answer may have.
public enum PlanFormat {
    TEXT,
    JSON,
    YAML,
    XML
}
