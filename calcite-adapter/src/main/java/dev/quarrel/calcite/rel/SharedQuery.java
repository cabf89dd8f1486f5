package dev.quarrel.calcite.rel;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;

/// A part of a plan whose rows are made once and read by several [SharedRows]. It is a tree of its own, which phases of
/// the optimizer rewrite beside the tree that reads it.
///
/// One thread uses it, until the plan is made.
public final class SharedQuery {
    private final String name;
    private final RelDataType rowType;
    private RelNode rel;

    /// @param name for people; the object is the identity
    public SharedQuery(String name, RelNode rel) {
        this.name = name;
        this.rowType = rel.getRowType();
        this.rel = rel;
    }

    public String name() {
        return name;
    }

    /// Of the rows as their readers see them, whatever becomes of the tree.
    public RelDataType rowType() {
        return rowType;
    }

    public RelNode rel() {
        return rel;
    }

    @Override
    public String toString() {
        return name;
    }

    /// Takes another tree of the same rows.
    public void become(RelNode other) {
        rel = other;
    }
}
