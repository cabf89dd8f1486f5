package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.StatementShape.Written;
import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.calcite.sql.type.LiteralOrigins;
import dev.quarrel.calcite.sql.type.LiteralReader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/// Makes parameters of the literals that conditions compare something with, so that one plan serves all their values.
///
/// A literal is lifted only if that is all that became of it: each node that the analyser made of it stands in such a
/// place, and none anywhere else. So whatever reads a literal's value otherwise (LIMIT, a position in ORDER BY, the
/// unit of date_trunc, a list) leaves it as it is, whether it is known here or not.
public final class LiteralLifting {
    private final LiteralOrigins origins;
    private final LiteralReader reader;
    private final List<Written> written;
    private final Map<Integer, Integer> numbers = new HashMap<>();
    private final Set<RexNode> compared = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<RexNode> elsewhere = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<RexNode, LiftedLiteral> lifted = new IdentityHashMap<>();

    private LiteralLifting(LiteralOrigins origins, LiteralReader reader, List<Written> written) {
        this.origins = origins;
        this.reader = reader;
        this.written = written;
        for (int number = 0; number < written.size(); number++) {
            numbers.put(written.get(number).at(), number);
            if (written.get(number).signAt() >= 0) {
                numbers.put(written.get(number).signAt(), number);
            }
        }
    }

    /// A tree with parameters for some of its literals.
    ///
    /// @param representatives by the text's literal: the one that stands for it, itself or an earlier one of the
    ///     same value; -1 for one whose value the plan depends on
    /// @param guards which must hold for other values, or another plan may be better
    public record Lifted(RelNode rel, List<Integer> representatives, List<RangeGuard> guards) {
        public Lifted {
            representatives = List.copyOf(representatives);
            guards = List.copyOf(guards);
        }

        public boolean isAny() {
            return representatives.stream().anyMatch(each -> each >= 0);
        }
    }

    /// @param written the literals of the statement's text, at places of the text that `origins` points into
    public static Lifted apply(RelNode root, LiteralOrigins origins, LiteralReader reader, List<Written> written) {
        LiteralLifting lifting = new LiteralLifting(origins, reader, written);
        lifting.new Finder().walk(root);
        return lifting.lifted(root);
    }

    private Lifted lifted(RelNode root) {
        BitSet fixed = new BitSet();
        BitSet read = new BitSet();
        origins.last().forEach((node, origin) -> {
            Integer number = numbers.get(origin.at());
            if (number != null) {
                read.set(number);
                if (!compared.contains(node) || !isAsRead((RexLiteral) node, number, isNegated(origin, number))) {
                    fixed.set(number);
                }
            }
        });
        for (RexNode node : elsewhere) {
            Integer number = numbers.get(origins.of(node).at());
            if (number != null) {
                fixed.set(number);
            }
        }
        List<Integer> representatives = new ArrayList<>();
        Map<Object, Integer> firsts = new HashMap<>();
        for (int number = 0; number < written.size(); number++) {
            Written literal = written.get(number);
            boolean isFree = read.get(number) && !fixed.get(number);
            representatives.add(
                    isFree ? firsts.computeIfAbsent(List.of(literal.isNumber(), literal.text()), valueOf(number)) : -1);
        }
        for (RexNode node : compared) {
            LiteralOrigins.Origin origin = origins.of(node);
            Integer number = numbers.get(origin.at());
            int representative = number == null ? -1 : representatives.get(number);
            if (representative >= 0) {
                lifted.put(node, new LiftedLiteral(representative, isNegated(origin, number), (RexLiteral) node));
            }
        }
        List<RangeGuard> guards = new ArrayList<>();
        return new Lifted(lifted.isEmpty() ? root : new Exchange(guards).walk(root), representatives, guards);
    }

    private static java.util.function.Function<Object, Integer> valueOf(int number) {
        return _ -> number;
    }

    /// Whether the sign belongs to the literal: the parser makes one node of both, or the analyser does.
    private boolean isNegated(LiteralOrigins.Origin origin, int number) {
        return origin.negated() || origin.at() == written.get(number).signAt();
    }

    /// Whether reading the text once more gives the literal: so other texts are read rightly, too.
    private boolean isAsRead(RexLiteral literal, int number, boolean negated) {
        Written text = written.get(number);
        RexLiteral again = reader.read(literal, text.text(), text.isNumber(), negated);
        return again != null
                && again.getTypeName() == literal.getTypeName()
                && java.util.Objects.equals(again.getValue(), literal.getValue());
    }

    /// Walks a tree and its sub-queries, nodes that stand in several places once.
    private abstract static class Walk extends RelHomogeneousShuttle {
        private final Map<RelNode, RelNode> walked = new IdentityHashMap<>();

        RelNode walk(RelNode root) {
            return root.accept(this);
        }

        abstract RexShuttle expressions(RelNode rel);

        /// A node with its expressions changed.
        RelNode changed(RelNode rel) {
            return rel;
        }

        @Override
        public RelNode visit(RelNode rel) {
            RelNode known = walked.get(rel);
            if (known == null) {
                PlanningLimits.tick();
                known = changed(super.visit(rel).accept(expressions(rel)));
                walked.put(rel, known);
            }
            return known;
        }
    }

    /// Finds out where the literals are.
    private final class Finder extends Walk {
        @Override
        RexShuttle expressions(RelNode rel) {
            boolean isCondition = rel instanceof Filter || rel instanceof Join;
            return new RexShuttle() {
                private boolean inCondition = isCondition;

                @Override
                public RexNode visitLiteral(RexLiteral literal) {
                    if (origins.of(literal) != null) {
                        elsewhere.add(literal);
                    }
                    return literal;
                }

                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    boolean was = inCondition;
                    inCondition = false;
                    query.getOperands().forEach(operand -> operand.accept(this));
                    inCondition = was;
                    walk(query.rel);
                    return query;
                }

                @Override
                public RexNode visitCall(RexCall call) {
                    boolean was = inCondition;
                    if (was && isComparison(call)) {
                        inCondition = false;
                        compared(call.getOperands().get(0), call.getOperands().get(1));
                        compared(call.getOperands().get(1), call.getOperands().get(0));
                    } else {
                        inCondition = was && hasConditions(call);
                        call.getOperands().forEach(operand -> operand.accept(this));
                    }
                    inCondition = was;
                    return call;
                }

                private void compared(RexNode node, RexNode other) {
                    boolean isFree = node instanceof RexLiteral literal
                            && origins.of(literal) != null
                            && !RexUtil.isConstant(other)
                            && !(other instanceof RexInputRef column && isSaid(rel.getInputs(), column.getIndex()))
                            && !mayBeDate(literal, other);
                    if (isFree) {
                        compared.add(node);
                    } else {
                        node.accept(this);
                    }
                }
            };
        }
    }

    /// Whether some branch of a UNION says a constant for a column, or it is a window function's: which branches have
    /// rows, or how many rows of a partition are wanted, depends on the value then.
    ///
    /// @param inputs whose columns stand one behind the other
    private static boolean isSaid(List<RelNode> inputs, int column) {
        int first = 0;
        for (RelNode input : inputs) {
            int width = input.getRowType().getFieldCount();
            if (column < first + width) {
                return isSaid(input, column - first);
            }
            first += width;
        }
        return false;
    }

    private static boolean isSaid(RelNode rel, int column) {
        return switch (rel) {
            case Project project ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? isSaid(project.getInput(), input.getIndex())
                        : project.getProjects().get(column) instanceof RexLiteral
                                || project.getProjects().get(column) instanceof RexOver;
            case Aggregate aggregate ->
                column < aggregate.getGroupCount()
                        && isSaid(aggregate.getInput(), aggregate.getGroupSet().nth(column));
            case Filter filter -> isSaid(filter.getInput(), column);
            case Sort sort -> isSaid(sort.getInput(), column);
            case Join join -> isSaid(join.getInputs(), column);
            case Union union -> union.getInputs().stream().anyMatch(input -> isSaid(input, column));
            default -> false;
        };
    }

    private static boolean isComparison(RexCall call) {
        return switch (call.getKind()) {
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> true;
            default -> false;
        };
    }

    /// A list of values is one condition, whose plan goes by all of them.
    private static boolean hasConditions(RexCall call) {
        return switch (call.getKind()) {
            case AND, NOT -> true;
            case OR -> call.getOperands().stream().noneMatch(each -> each.getKind() == SqlKind.EQUALS);
            default -> false;
        };
    }

    /// A date beside a timestamp: whether they are compared as dates depends on the value.
    private static boolean mayBeDate(RexLiteral literal, RexNode other) {
        return literal.getTypeName() == SqlTypeName.TIMESTAMP && other.getKind() == SqlKind.CAST;
    }

    private final class Exchange extends Walk {
        private final List<RangeGuard> guards;

        Exchange(List<RangeGuard> guards) {
            this.guards = guards;
        }

        @Override
        RelNode changed(RelNode rel) {
            if (rel instanceof Filter filter) {
                guards.addAll(RangeGuard.of(filter));
            }
            return rel;
        }

        @Override
        RexShuttle expressions(RelNode rel) {
            return new RexShuttle() {
                @Override
                public RexNode visitLiteral(RexLiteral literal) {
                    LiftedLiteral free = lifted.get(literal);
                    return free == null ? literal : free;
                }

                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    RexSubQuery inner = (RexSubQuery) super.visitSubQuery(query);
                    RelNode rel = walk(inner.rel);
                    return rel == inner.rel ? inner : inner.clone(rel);
                }
            };
        }
    }
}
