package dev.quarrel.calcite.sql.function;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlOperator;

/// Looks for expressions that answer anew each time: a tree that has one gives other rows wherever it stands.
public final class Volatile {
    private Volatile() {}

    /// Functions that ask the session are not: during one statement they answer the same.
    private static boolean isRandom(SqlOperator operator) {
        return operator instanceof ScalarFunctionOperator function ? function.isRandom() : !operator.isDeterministic();
    }

    public static boolean in(RelNode root) {
        boolean[] found = {false};
        RexShuttle look = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                found[0] |= isRandom(call.getOperator());
                return super.visitCall(call);
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                found[0] |= in(query.rel);
                return super.visitSubQuery(query);
            }
        };
        new RelVisitor() {
            @Override
            public void visit(RelNode node, int ordinal, RelNode parent) {
                node.accept(look);
                super.visit(node, ordinal, parent);
            }
        }.go(root);
        return found[0];
    }
}
