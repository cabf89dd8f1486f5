package dev.quarrel.calcite.rel;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Values;

/// Recognises relational expressions that cannot return a row, whatever else they contain.
///
/// Tables known to be empty are read as no rows at all, so clients may ask the system catalog, in terms that
/// nothing here can run, about things that do not exist here.
///
/// One object a statement: it is asked at every SELECT, about all that stands below, which may be shared.
public final class EmptyRows {
    private final Map<RelNode, Boolean> known = new IdentityHashMap<>();

    public boolean isEmpty(RelNode rel) {
        Boolean answer = known.get(rel);
        if (answer == null) {
            PlanningLimits.tick();
            answer = find(rel);
            known.put(rel, answer);
        }
        return answer;
    }

    private boolean find(RelNode rel) {
        return switch (rel) {
            case Values values -> values.getTuples().isEmpty();
            case Filter filter -> isEmpty(filter.getInput());
            case Project project -> isEmpty(project.getInput());
            case Sort sort -> isEmpty(sort.getInput());
            case Aggregate aggregate ->
                aggregate.getGroupSets().stream().noneMatch(each -> each.isEmpty()) && isEmpty(aggregate.getInput());
            case Join join ->
                switch (join.getJoinType()) {
                    case INNER -> isEmpty(join.getLeft()) || isEmpty(join.getRight());
                    case LEFT -> isEmpty(join.getLeft());
                    case RIGHT -> isEmpty(join.getRight());
                    default -> isEmpty(join.getLeft()) && isEmpty(join.getRight());
                };
            default -> false;
        };
    }
}
