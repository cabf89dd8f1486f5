package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.type.PostgresRelType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;

/// What follows from conditions that are all true of a row: `a = b` and `b < 5` imply `a < 5`, and `a = 1` and
/// `a > 2` are true of no row.
///
/// It reasons about simple conditions alone: comparisons of columns with columns of the same type or with constants,
/// tests for NULL, and AND and OR of them. None of these can fail, so each may be asked anywhere.
final class Implications {
    /// Of more conditions no more is concluded: planning time is bounded.
    private static final int MAX_CONDITIONS = 200;

    private final RexBuilder rexBuilder;
    private final List<RelDataTypeField> fields;
    private final Set<RexNode> conditions = new LinkedHashSet<>();
    /// For each column that equals another: all that it equals, itself among them.
    private final Map<Integer, ImmutableBitSet> equals = new HashMap<>();

    /// @param conditions others than simple ones among them are left aside
    Implications(RexBuilder rexBuilder, RelDataType rowType, Collection<RexNode> conditions) {
        this.rexBuilder = rexBuilder;
        this.fields = rowType.getFieldList();
        for (RexNode condition : conditions) {
            if (this.conditions.size() < MAX_CONDITIONS && isSimple(condition)) {
                this.conditions.add(condition);
            }
        }
        this.conditions.forEach(this::addEquality);
    }

    private void addEquality(RexNode condition) {
        if (condition.getKind() != SqlKind.EQUALS) {
            return;
        }
        List<RexNode> sides = ((RexCall) condition).getOperands();
        if (sides.get(0) instanceof RexInputRef one
                && sides.get(1) instanceof RexInputRef other
                && SqlTypeUtil.equalSansNullability(one.getType(), other.getType())) {
            ImmutableBitSet all = classOf(one.getIndex()).union(classOf(other.getIndex()));
            all.forEachInt(column -> equals.put(column, all));
        }
    }

    private ImmutableBitSet classOf(int column) {
        return equals.getOrDefault(column, ImmutableBitSet.of(column));
    }

    // What may be reasoned about

    /// Whether a condition is one that this class understands; it cannot fail.
    static boolean isSimple(RexNode condition) {
        return switch (condition.getKind()) {
            case AND, OR -> ((RexCall) condition).getOperands().stream().allMatch(Implications::isSimple);
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {
                List<RexNode> sides = ((RexCall) condition).getOperands();
                yield isTerm(sides.get(0))
                        && isTerm(sides.get(1))
                        && (isColumn(sides.get(0)) || isColumn(sides.get(1)))
                        && areComparable(sides.get(0), sides.get(1));
            }
            case SEARCH -> isColumn(((RexCall) condition).getOperands().getFirst());
            case IS_NULL, IS_NOT_NULL ->
                isColumn(((RexCall) condition).getOperands().getFirst());
            default -> false;
        };
    }

    private static boolean isColumn(RexNode node) {
        return node instanceof RexInputRef column && !SqlTypes.isKeyed(column.getType());
    }

    static boolean isConstant(RexNode node) {
        return node instanceof RexLiteral || node instanceof RexDynamicParam;
    }

    private static boolean isTerm(RexNode node) {
        return isColumn(node) || isConstant(node);
    }

    /// Comparisons of numbers with texts, and the like, convert one of them, which may fail.
    private static boolean areComparable(RexNode one, RexNode other) {
        return one.getType().getSqlTypeName().getFamily()
                == other.getType().getSqlTypeName().getFamily();
    }

    // What follows

    /// Whether no row meets all of the conditions.
    boolean areContradictory() {
        Map<Integer, Interval> intervals = new HashMap<>();
        for (RexNode condition : conditions) {
            if (isNeverTrue(condition)
                    || condition instanceof RexCall call && !isIn(call, intervals)
                    || condition.getKind() == SqlKind.IS_NULL && isKnownPresent(condition)) {
                return true;
            }
        }
        return false;
    }

    private boolean isKnownPresent(RexNode isNull) {
        RexInputRef column = (RexInputRef) ((RexCall) isNull).getOperands().getFirst();
        return conditions.stream().anyMatch(other -> isStrictIn(other, column.getIndex()));
    }

    /// Whether a condition is not true where a column is NULL, for a simple one that says so directly.
    private static boolean isStrictIn(RexNode condition, int column) {
        return switch (condition.getKind()) {
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL, IS_NOT_NULL ->
                RelOptUtil.InputFinder.bits(condition).get(column);
            default -> false;
        };
    }

    /// Whether a comparison is true of no row whatever its columns are.
    static boolean isNeverTrue(RexNode condition) {
        return switch (condition.getKind()) {
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {
                List<RexNode> sides = ((RexCall) condition).getOperands();
                boolean isStrict = condition.getKind() == SqlKind.NOT_EQUALS
                        || condition.getKind() == SqlKind.LESS_THAN
                        || condition.getKind() == SqlKind.GREATER_THAN;
                yield sides.stream().anyMatch(side -> side instanceof RexLiteral literal && literal.isNull())
                        || isStrict && isColumn(sides.get(0)) && sides.get(0).equals(sides.get(1));
            }
            case LITERAL -> condition.isAlwaysFalse() || ((RexLiteral) condition).isNull();
            default -> false;
        };
    }

    /// Between two bounds, both of which may be missing.
    private record Interval(BigDecimal low, boolean lowIn, BigDecimal high, boolean highIn) {
        static final Interval ALL = new Interval(null, false, null, false);

        Interval and(SqlKind kind, BigDecimal bound) {
            return switch (kind) {
                case EQUALS -> above(bound, true).below(bound, true);
                case LESS_THAN -> below(bound, false);
                case LESS_THAN_OR_EQUAL -> below(bound, true);
                case GREATER_THAN -> above(bound, false);
                case GREATER_THAN_OR_EQUAL -> above(bound, true);
                default -> this;
            };
        }

        private Interval above(BigDecimal bound, boolean isIn) {
            int order = low == null ? -1 : low.compareTo(bound);
            return order > 0 ? this : new Interval(bound, isIn && (order < 0 || lowIn), high, highIn);
        }

        private Interval below(BigDecimal bound, boolean isIn) {
            int order = high == null ? 1 : high.compareTo(bound);
            return order < 0 ? this : new Interval(low, lowIn, bound, isIn && (order > 0 || highIn));
        }

        boolean isEmpty() {
            int order = low == null || high == null ? -1 : low.compareTo(high);
            return order > 0 || order == 0 && !(lowIn && highIn);
        }
    }

    /// Narrows the interval of a comparison's column, and those that equal it; false where nothing is left.
    private boolean isIn(RexCall comparison, Map<Integer, Interval> intervals) {
        switch (comparison.getKind()) {
            case EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {}
            default -> {
                return true;
            }
        }
        RexNode left = comparison.getOperands().get(0);
        RexNode right = comparison.getOperands().get(1);
        boolean isTurned = right instanceof RexInputRef;
        BigDecimal bound = number(isTurned ? left : right);
        if (!((isTurned ? right : left) instanceof RexInputRef column) || bound == null || !isExact(column.getType())) {
            return true;
        }
        SqlKind kind = isTurned ? comparison.getKind().reverse() : comparison.getKind();
        int first = classOf(column.getIndex()).nth(0);
        Interval narrowed = intervals.getOrDefault(first, Interval.ALL).and(kind, bound);
        intervals.put(first, narrowed);
        return !narrowed.isEmpty();
    }

    private static boolean isExact(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case SMALLINT, INTEGER, BIGINT, DATE -> !(type instanceof PostgresRelType);
            case DECIMAL -> !(type instanceof PostgresRelType) || SqlTypes.isNumeric(type);
            default -> false;
        };
    }

    /// The number, or the day, that a literal is; null for another one.
    private static BigDecimal number(RexNode node) {
        if (!(node instanceof RexLiteral literal) || literal.isNull() || !isExact(literal.getType())) {
            return null;
        }
        return switch (literal.getType().getSqlTypeName()) {
            case DATE ->
                BigDecimal.valueOf(literal.getValueAs(org.apache.calcite.util.DateString.class)
                        .getDaysSinceEpoch());
            default -> literal.getValueAs(BigDecimal.class);
        };
    }

    /// Conditions that follow and are not among those given, each of which reads columns of a part of the row alone.
    List<RexNode> derived(ImmutableBitSet part) {
        if (equals.isEmpty()) {
            return List.of();
        }
        Set<RexNode> derived = new LinkedHashSet<>();
        for (RexNode condition : conditions) {
            ImmutableBitSet columns = RelOptUtil.InputFinder.bits(condition);
            if (columns.cardinality() != 1 || !isTransferred(condition)) {
                continue;
            }
            for (int other : classOf(columns.nth(0))) {
                if (other != columns.nth(0) && part.get(other) && derived.size() < MAX_CONDITIONS) {
                    derived.add(of(condition, other));
                }
            }
        }
        derived.removeIf(each -> conditions.contains(each) || isImplied(each));
        return List.copyOf(derived);
    }

    /// A column that equals a constant needs no range beside it.
    private boolean isImplied(RexNode derived) {
        int column = RelOptUtil.InputFinder.bits(derived).nth(0);
        return derived.getKind() != SqlKind.EQUALS
                && conditions.stream()
                        .anyMatch(each -> each.getKind() == SqlKind.EQUALS
                                && ((RexCall) each).getOperands().stream().anyMatch(Implications::isConstant)
                                && RelOptUtil.InputFinder.bits(each).equals(ImmutableBitSet.of(column)));
    }

    /// An inequality, and what is true of all values but NULL, would leave out little.
    private static boolean isTransferred(RexNode condition) {
        return switch (condition.getKind()) {
            case EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL, SEARCH -> true;
            case OR -> ((RexCall) condition).getOperands().stream().allMatch(Implications::isTransferred);
            case AND -> ((RexCall) condition).getOperands().stream().allMatch(Implications::isTransferred);
            default -> false;
        };
    }

    /// A condition over one column as one over another.
    private RexNode of(RexNode condition, int column) {
        return condition.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return new RexInputRef(column, fields.get(column).getType());
            }

            @Override
            public RexNode visitCall(RexCall call) {
                List<RexNode> operands = visitList(call.getOperands(), new boolean[1]);
                return rexBuilder.makeCall(call.getOperator(), operands);
            }
        });
    }

    /// `x = x` is whether x is there; others stay as they are.
    static RexNode simplified(RexNode condition, RexBuilder rexBuilder) {
        switch (condition.getKind()) {
            case EQUALS, LESS_THAN_OR_EQUAL, GREATER_THAN_OR_EQUAL -> {
                List<RexNode> sides = ((RexCall) condition).getOperands();
                return isColumn(sides.get(0)) && sides.get(0).equals(sides.get(1))
                        ? rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, sides.get(0))
                        : condition;
            }
            default -> {
                return condition;
            }
        }
    }

    /// The columns that no row may have NULL in if it meets a condition, for one that says so directly.
    static List<RexNode> present(RexNode condition, RexBuilder rexBuilder) {
        List<RexNode> present = new ArrayList<>();
        switch (condition.getKind()) {
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {
                for (RexNode side : ((RexCall) condition).getOperands()) {
                    if (isColumn(side) && side.getType().isNullable()) {
                        present.add(rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, side));
                    }
                }
            }
            default -> {}
        }
        return present;
    }
}
