package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/// What an OR says in all of its branches: `a AND b OR a AND c` is `a AND (b OR c)`, and implies `b' OR c'` for
/// what the branches say of one relation. So equalities in it join, and the rest filters before the join.
///
/// A condition that can fail stays where it is: what stands before it in its branch guards it.
final class Disjunctions {
    private final RexBuilder rexBuilder;
    private final Predicate<RexNode> canFail;

    /// @param canFail whether a condition, over the row that those given are over, may raise an error
    Disjunctions(RexBuilder rexBuilder, Predicate<RexNode> canFail) {
        this.rexBuilder = rexBuilder;
        this.canFail = canFail;
    }

    /// The conjuncts of a condition, those that are in every branch of an OR among them. In three-valued logic, too,
    /// AND distributes over OR.
    List<RexNode> conjuncts(RexNode condition) {
        List<RexNode> conjuncts = new ArrayList<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            if (conjunct.getKind() == SqlKind.OR) {
                addFactored(conjunct, conjuncts);
            } else {
                conjuncts.add(conjunct);
            }
        }
        return conjuncts;
    }

    private void addFactored(RexNode or, List<RexNode> conjuncts) {
        List<List<RexNode>> branches = branches(or);
        Set<RexNode> common = new LinkedHashSet<>(branches.isEmpty() ? List.of() : branches.getFirst());
        for (List<RexNode> branch : branches) {
            common.retainAll(branch);
        }
        common.removeIf(each -> !isFree(each));
        if (common.isEmpty()) {
            conjuncts.add(or);
            return;
        }
        conjuncts.addAll(common);
        List<RexNode> rests = new ArrayList<>();
        for (List<RexNode> branch : branches) {
            List<RexNode> rest =
                    branch.stream().filter(each -> !common.contains(each)).toList();
            if (rest.isEmpty()) {
                // This branch asks for nothing else, so none does.
                return;
            }
            rests.add(RexUtil.composeConjunction(rexBuilder, rest));
        }
        conjuncts.add(RexUtil.composeDisjunction(rexBuilder, rests));
    }

    /// What follows from an OR for a part of the columns; null if nothing does. Where the OR is true, it is true.
    ///
    /// @param isPart whether a condition reads only that part
    RexNode implied(RexNode condition, Predicate<RexNode> isPart) {
        if (condition.getKind() != SqlKind.OR) {
            return null;
        }
        List<RexNode> parts = new ArrayList<>();
        for (List<RexNode> branch : branches(condition)) {
            PlanningLimits.tick();
            List<RexNode> part = branch.stream()
                    .filter(each -> isPart.test(each) && isFree(each))
                    .toList();
            if (part.isEmpty()) {
                return null;
            }
            parts.add(RexUtil.composeConjunction(rexBuilder, part));
        }
        return parts.isEmpty() ? null : RexUtil.composeDisjunction(rexBuilder, parts);
    }

    private boolean isFree(RexNode condition) {
        return RexUtil.isDeterministic(condition) && !canFail.test(condition);
    }

    /// The branches that are not the constant FALSE, each as its conjuncts: none for the constant TRUE.
    private static List<List<RexNode>> branches(RexNode or) {
        return RelOptUtil.disjunctions(or).stream()
                .map(RelOptUtil::conjunctions)
                .toList();
    }
}
