package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.calcite.rel.Prevailing;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.sql.function.OpcodeFunction;
import dev.quarrel.core.function.TimeRows;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// The values of its left side between which a join's conditions have one expression over its right side.
///
/// A bound is computed once for a left row that has right rows with equal keys, where the condition is asked of each
/// of these: so what fails there fails here. What may fail before a condition is asked, must be asked before.
///
/// In `l.ts >= r.ts - interval '1 minute'` the constant moves to the bound, so that one order of `r.ts` serves this and
/// `l.ts <= r.ts`.
///
/// @param column over the right side's columns
/// @param lower over the left side's columns; null for none
/// @param upper over the left side's columns; null for none
/// @param type that they are compared in
/// @param prevailing as of [Join.Range]
/// @param taken places of the conditions that this says
record JoinRange(
        RexNode column,
        QuarrelJoin.Range.Bound lower,
        QuarrelJoin.Range.Bound upper,
        DataType type,
        boolean prevailing,
        BitSet taken) {

    private static final Set<Opcode> SUMS = Set.of(
            Opcode.ADD_TIMESTAMP_INTERVAL,
            Opcode.SUB_TIMESTAMP_INTERVAL,
            Opcode.ADD_INTERVAL,
            Opcode.SUB_INTERVAL,
            Opcode.NEG_INTERVAL,
            Opcode.MUL_INTERVAL);

    /// Sums of a moment and an interval in the session's time zone.
    private static final Set<String> MOMENTS = Set.of(TimeRows.DATE_ADD.name(), TimeRows.DATE_SUBTRACT.name());

    /// Far from where sums of two would be too large: some 70,000 years.
    private static final long MAX_SHIFT = 1L << 61;

    private static final int MAX_DAYS = 1 << 24;

    private record Side(RexNode column, DataType type) {}

    /// An expression over the right side: `column + shift`.
    private record Shifted(RexNode column, long shift) {}

    /// A condition that bounds an expression over the right side.
    private record Bounded(int place, Side side, QuarrelJoin.Range.Bound bound, boolean prevailing) {
        boolean isLower() {
            Relation relation = bound.end().relation();
            return relation == Relation.GE || relation == Relation.GT;
        }
    }

    /// null where there is no such expression.
    ///
    /// @param conditions over both sides' columns, in the order in which they are asked
    /// @param isMark whether it matters if they are NULL or false
    static JoinRange of(
            RelDataType left, RelDataType right, List<RexNode> conditions, boolean isMark, RexBuilder rexBuilder) {
        Reader reader = new Reader(left, right, rexBuilder);
        Map<String, List<Bounded>> bySide = new LinkedHashMap<>();
        for (int place = 0; place < conditions.size(); place++) {
            RexNode condition = conditions.get(place);
            Bounded bounded = isMark && condition.getType().isNullable() ? null : reader.read(condition, place);
            if (bounded != null
                    && (!reader.leftFailing.canFail(bounded.bound.value())
                            || place == 0
                            || reader.failsByRangeAlone(bounded.bound.value()))) {
                bySide.computeIfAbsent(bounded.side.column + " " + bounded.side.type, _ -> new ArrayList<>())
                        .add(bounded);
            } else if (bounded == null && reader.pairFailing.canFail(condition)) {
                break;
            }
        }
        JoinRange best = null;
        for (List<Bounded> all : bySide.values()) {
            JoinRange range = of(all);
            if (best == null || range.rank() > best.rank()) {
                best = range;
            }
        }
        return best;
    }

    private static JoinRange of(List<Bounded> all) {
        Bounded lower = null;
        Bounded upper = null;
        for (Bounded each : all) {
            if (each.isLower() && (lower == null || each.prevailing)) {
                lower = each;
            } else if (!each.isLower() && upper == null) {
                upper = each;
            }
        }
        BitSet taken = new BitSet();
        if (lower != null) {
            taken.set(lower.place);
        }
        if (upper != null) {
            taken.set(upper.place);
        }
        Side side = all.getFirst().side;
        return new JoinRange(
                side.column,
                lower == null ? null : lower.bound,
                upper == null ? null : upper.bound,
                side.type,
                lower != null && lower.prevailing,
                taken);
    }

    private int rank() {
        return (prevailing ? 2 : 0) + (hasBothEnds() ? 1 : 0);
    }

    boolean hasBothEnds() {
        return lower != null && upper != null;
    }

    /// The conditions that are left.
    List<RexNode> rest(List<RexNode> conditions) {
        return IntStream.range(0, conditions.size())
                .filter(place -> !taken.get(place))
                .mapToObj(conditions::get)
                .toList();
    }

    private static final class Reader {
        private final ImmutableBitSet left;
        private final ImmutableBitSet right;
        private final Failing leftFailing;
        private final Failing rightFailing;
        private final Failing pairFailing;

        Reader(RelDataType leftType, RelDataType rightType, RexBuilder rexBuilder) {
            int leftCount = leftType.getFieldCount();
            int count = leftCount + rightType.getFieldCount();
            this.left = ImmutableBitSet.range(leftCount);
            this.right = ImmutableBitSet.range(leftCount, count);
            this.leftFailing = Failing.over(leftType, rexBuilder);
            this.rightFailing = Failing.over(rightType, rexBuilder);
            RelDataType pair = rexBuilder
                    .getTypeFactory()
                    .builder()
                    .addAll(leftType.getFieldList())
                    .addAll(rightType.getFieldList())
                    .uniquify()
                    .build();
            this.pairFailing = Failing.over(pair, rexBuilder);
        }

        /// null where it bounds nothing.
        Bounded read(RexNode condition, int place) {
            boolean prevailing = Prevailing.is(condition);
            if (!(condition instanceof RexCall call) || call.getOperands().size() != 2 && !prevailing) {
                return null;
            }
            RexNode one = call.getOperands().get(0);
            RexNode other = call.getOperands().get(1);
            Relation relation = prevailing ? Relation.GE : relation(call.getKind());
            if (relation == null) {
                return null;
            }
            ImmutableBitSet ofOne = RelOptUtil.InputFinder.bits(one);
            ImmutableBitSet ofOther =
                    RelOptUtil.InputFinder.bits(prevailing ? call.getOperands().getLast() : other);
            if (ofOne.isEmpty() || ofOther.isEmpty()) {
                return null;
            }
            if (right.contains(ofOne) && left.contains(ofOther)) {
                return bounded(one, relation, other, prevailing, place);
            }
            return !prevailing && left.contains(ofOne) && right.contains(ofOther)
                    ? bounded(other, relation.turned(), one, false, place)
                    : null;
        }

        private Bounded bounded(RexNode column, Relation relation, RexNode value, boolean prevailing, int place) {
            DataType type = PipelineEmitter.comparedType(column, value);
            if (type == null || !Join.Range.takes(type) || leftFailing.obstacle(value) != null) {
                return null;
            }
            Shifted own = new Shifted(JoinKeys.shiftFrom(column, 0, -left.cardinality()), 0);
            if (!prevailing && Join.Range.shifts(type)) {
                own = unshifted(own, type);
            }
            if (rightFailing.canFail(own.column)) {
                return null;
            }
            Join.Range.Bound end = new Join.Range.Bound(relation, own.shift);
            return new Bounded(place, new Side(own.column, type), new QuarrelJoin.Range.Bound(value, end), prevailing);
        }

        /// The same with constants taken off, as long as each moves it on in one direction: a sum on the way then fails
        /// only where the last one does.
        private Shifted unshifted(Shifted sum, DataType type) {
            Shifted rest = sum;
            while (rest.column instanceof RexCall call
                    && call.getOperands().size() >= 2
                    && type.equals(PipelineEmitter.typeOf(call))
                    && type.equals(PipelineEmitter.typeOf(call.getOperands().getFirst()))) {
                long more = shift(call);
                long all = rest.shift + more;
                boolean isBack = Long.signum(more) == -Long.signum(rest.shift);
                if (more == 0 || isBack || Math.abs(more) > MAX_SHIFT || Math.abs(all) > MAX_SHIFT) {
                    break;
                }
                rest = new Shifted(call.getOperands().getFirst(), all);
            }
            return rest;
        }

        /// By what a call moves its first operand, always the same; 0 where it does something else.
        private long shift(RexCall call) {
            int sign = sign(call);
            if (sign == 0 || !isFixed(call.getOperands().get(1))) {
                return 0;
            }
            Literal literal = rightFailing.constant(call.getOperands().get(1));
            if (literal == null || literal.isNull()) {
                return 0;
            }
            // Of a moment in a time zone, days are not all as long.
            boolean hasDays = !MOMENTS.contains(call.getOperator().getName());
            long shift =
                    switch (literal.value()) {
                        case Long number -> Math.clamp(number, -MAX_SHIFT - 1, MAX_SHIFT + 1);
                        case Interval(int months, int days, long micros)
                        when months == 0 && (days == 0 || hasDays) && Math.abs((long) days) < MAX_DAYS ->
                            Math.clamp(micros, -MAX_SHIFT - 1, MAX_SHIFT + 1) + days * CivilDate.MICROS_PER_DAY;
                        default -> 0;
                    };
            return sign * shift;
        }

        /// Whether an expression has one value for all rows and all statements that share the plan.
        private static boolean isFixed(RexNode node) {
            return switch (node) {
                case RexLiteral _ -> true;
                case RexCall call ->
                    call.getOperator().isDeterministic()
                            && !call.getOperator().isDynamicFunction()
                            && call.getOperands().stream().allMatch(Reader::isFixed);
                default -> false;
            };
        }

        /// 1 for a call that adds to its first operand, -1 for one that subtracts from it, 0 for others.
        private static int sign(RexCall call) {
            String name = call.getOperator().getName();
            if (call.getOperator() instanceof OpcodeFunction function) {
                return switch (function.opcode()) {
                    case ADD_TIMESTAMP_INTERVAL -> 1;
                    case SUB_TIMESTAMP_INTERVAL -> -1;
                    default -> 0;
                };
            }
            if (MOMENTS.contains(name)) {
                return name.equals(TimeRows.DATE_ADD.name()) ? 1 : -1;
            }
            return switch (call.getKind()) {
                case PLUS -> 1;
                case MINUS -> -1;
                default -> 0;
            };
        }

        private static Relation relation(SqlKind kind) {
            return switch (kind) {
                case LESS_THAN -> Relation.LT;
                case LESS_THAN_OR_EQUAL -> Relation.LE;
                case GREATER_THAN -> Relation.GT;
                case GREATER_THAN_OR_EQUAL -> Relation.GE;
                default -> null;
            };
        }

        /// Whether an expression fails only where its value is out of its type's range: then the conditions before
        /// it are not there to keep it from failing.
        boolean failsByRangeAlone(RexNode node) {
            return switch (node) {
                case RexInputRef _, RexLiteral _, LiftedLiteral _, RexDynamicParam _ -> true;
                case RexCall call
                when RelOptUtil.InputFinder.bits(call).isEmpty() -> leftFailing.constant(call) != null;
                case RexCall call -> isSum(call) && call.getOperands().stream().allMatch(this::failsByRangeAlone);
                default -> false;
            };
        }

        private static boolean isSum(RexCall call) {
            return switch (call.getKind()) {
                case PLUS, MINUS, TIMES, MINUS_PREFIX, PLUS_PREFIX -> true;
                case CAST ->
                    Join.Range.takes(PipelineEmitter.typeOf(call.getOperands().getFirst()));
                default ->
                    call.getOperator() instanceof OpcodeFunction function && SUMS.contains(function.opcode())
                            || MOMENTS.contains(call.getOperator().getName());
            };
        }
    }
}
