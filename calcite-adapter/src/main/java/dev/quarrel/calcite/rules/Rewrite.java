package dev.quarrel.calcite.rules;

import java.util.function.Function;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.RelRule;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.RelFactories;
import org.apache.calcite.tools.RelBuilderFactory;

/// A rule about nodes of one class: what a node may be instead.
final class Rewrite extends RelRule<Rewrite.Form> {
    /// @param rewrite from a node of the class; null where the rule does not say anything about it
    record Form(
            String description,
            RelBuilderFactory relBuilderFactory,
            OperandTransform operandSupplier,
            Function<RelNode, RelNode> rewrite)
            implements RelRule.Config {
        @Override
        public Rewrite toRule() {
            return new Rewrite(this);
        }

        @Override
        public Form withRelBuilderFactory(RelBuilderFactory factory) {
            return new Form(description, factory, operandSupplier, rewrite);
        }

        @Override
        public Form withDescription(String text) {
            return new Form(text, relBuilderFactory, operandSupplier, rewrite);
        }

        @Override
        public Form withOperandSupplier(OperandTransform supplier) {
            return new Form(description, relBuilderFactory, supplier, rewrite);
        }
    }

    private Rewrite(Form form) {
        super(form);
    }

    static <R extends RelNode> Rewrite of(String name, Class<R> type, Function<R, RelNode> rewrite) {
        return new Form(
                        "Quarrel:" + name,
                        RelFactories.LOGICAL_BUILDER,
                        builder -> builder.operand(type).anyInputs(),
                        node -> rewrite.apply(type.cast(node)))
                .toRule();
    }

    @Override
    public void onMatch(RelOptRuleCall call) {
        RelNode made = config.rewrite().apply(call.rel(0));
        if (made != null) {
            call.transformTo(made);
        }
    }

    /// An input of a node that a planner's rule is about: what stands there now.
    static RelNode input(RelNode rel, int index) {
        return rel.getInput(index).stripped();
    }
}
