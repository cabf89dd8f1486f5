package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.rel.SharedRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;

/// Finds the shared queries of a tree.
public final class SharedQueries {
    private final List<SharedQuery> found = new ArrayList<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private SharedQueries() {}

    /// Those that the tree reads, and those that these read: each after all that it reads.
    public static List<SharedQuery> of(RelNode root) {
        SharedQueries queries = new SharedQueries();
        queries.visit(root);
        return queries.found;
    }

    private void visit(RelNode rel) {
        if (!seen.add(rel)) {
            return;
        }
        if (rel instanceof SharedRows rows && seen.add(rows.query())) {
            visit(rows.query().rel());
            found.add(rows.query());
        }
        rel.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                visit(query.rel);
                return super.visitSubQuery(query);
            }
        });
        rel.getInputs().forEach(this::visit);
    }
}
