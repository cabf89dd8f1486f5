package dev.quarrel.calcite.limits;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.calcite.util.CancelFlag;

/// What Calcite's planners ask before they apply a rule: here they pass [PlanningLimits] instead, and its errors.
public final class BoundedCancelFlag extends CancelFlag {
    public BoundedCancelFlag() {
        super(new AtomicBoolean());
    }

    @Override
    public boolean isCancelRequested() {
        PlanningLimits.tick();
        return false;
    }
}
