package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.lower.Aggregates;
import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.type.SqlTypeName;

/// What the engine computes as Calcite's Enumerable does, so that it is the same wherever an application's planner has
/// it done. The rest differs somewhere, and is Calcite's: floats (NaN and -0 are equal and ordered otherwise), the
/// order of texts (Calcite's is that of UTF-16), `char(n)`, integers that may overflow (Java's wrap around), division,
/// LIKE, functions.
final class Pushable {
    private static final int MAX_DIGITS = 38;

    private Pushable() {}

    static boolean isFilter(Filter filter) {
        return filter.getVariablesSet().isEmpty()
                && isCondition(
                        filter.getInput().getRowType(),
                        filter.getCondition(),
                        filter.getCluster().getRexBuilder());
    }

    static boolean isProject(Project project) {
        RelDataType input = project.getInput().getRowType();
        RexBuilder builder = project.getCluster().getRexBuilder();
        return project.getVariablesSet().isEmpty()
                && project.getProjects().stream()
                        .allMatch(node -> node instanceof RexInputRef
                                || !isPadded(node.getType()) && isComputed(input, node, builder));
    }

    /// One with keys: a product of all rows is no smaller anywhere else.
    static boolean isJoin(Join join) {
        boolean isKnown =
                switch (join.getJoinType()) {
                    case INNER, LEFT, RIGHT, FULL, SEMI, ANTI -> true;
                    default -> false;
                };
        if (!isKnown
                || !join.getVariablesSet().isEmpty()
                || join.analyzeCondition().leftKeys.isEmpty()) {
            return false;
        }
        RelDataTypeFactory.Builder both = join.getCluster().getTypeFactory().builder();
        both.addAll(join.getLeft().getRowType().getFieldList());
        both.addAll(join.getRight().getRowType().getFieldList());
        return isCondition(
                both.uniquify().build(), join.getCondition(), join.getCluster().getRexBuilder());
    }

    static boolean isAggregate(Aggregate aggregate) {
        RelDataType input = aggregate.getInput().getRowType();
        return aggregate.getGroupType() == Aggregate.Group.SIMPLE
                && aggregate.getGroupSet().asList().stream().allMatch(key -> isEqualAlike(type(input, key)))
                && aggregate.getAggCallList().stream().allMatch(call -> isCall(call, input));
    }

    static boolean isSort(Sort sort) {
        RelDataType input = sort.getInput().getRowType();
        return isCount(sort.offset)
                && isCount(sort.fetch)
                && sort.getCollation().getFieldCollations().stream()
                        .allMatch(key -> key.nullDirection != RelFieldCollation.NullDirection.UNSPECIFIED
                                && isOrderedAlike(type(input, key.getFieldIndex())));
    }

    private static boolean isCount(RexNode node) {
        return node == null || node instanceof RexLiteral || node instanceof RexDynamicParam;
    }

    private static boolean isCall(AggregateCall call, RelDataType input) {
        if (Aggregates.obstacle(call.withDistinct(false), input) != null
                || !call.getCollation().getFieldCollations().isEmpty()
                || call.distinctKeys != null
                || call.rexList.stream().anyMatch(each -> !(each instanceof RexLiteral))) {
            return false;
        }
        List<RelDataType> arguments =
                call.getArgList().stream().map(each -> type(input, each)).toList();
        return switch (call.getAggregation().getKind()) {
            case COUNT -> arguments.size() <= 1 && (!call.isDistinct() || isEqualAlike(arguments.getFirst()));
            case MIN, MAX -> isOrderedAlike(arguments.getFirst());
            case SUM, SUM0 -> !call.isDistinct() && isSum(call, arguments.getFirst(), input);
            default -> false;
        };
    }

    /// A sum that cannot overflow.
    private static boolean isSum(AggregateCall call, RelDataType argument, RelDataType input) {
        DataType ours = Aggregates.resultType(call, input);
        DataType theirs = SqlTypes.dataType(call.getType());
        boolean isShort =
                switch (SqlTypes.dataType(argument)) {
                    case DataType.Int16 _, DataType.Int32 _ -> theirs instanceof DataType.Int64;
                    case DataType.Decimal(int _, int scale) ->
                        theirs instanceof DataType.Decimal(int precision, int theirScale)
                                && precision == MAX_DIGITS
                                && theirScale == scale;
                    case null, default -> false;
                };
        return isShort && theirs.equals(ours);
    }

    private static RelDataType type(RelDataType row, int column) {
        return row.getFieldList().get(column).getType();
    }

    private static boolean isCondition(RelDataType row, RexNode condition, RexBuilder builder) {
        return row.getFieldList().stream().map(RelDataTypeField::getType).allMatch(Pushable::isHeld)
                && isComputed(row, condition, builder);
    }

    private static boolean isHeld(RelDataType type) {
        return SqlTypes.dataType(type) != null;
    }

    /// Whether a program computes an expression over a row, with Calcite's values.
    private static boolean isComputed(RelDataType row, RexNode node, RexBuilder builder) {
        RexNode expanded = RexUtil.expandSearch(builder, null, node);
        return isValue(expanded) && Failing.over(row, builder).obstacle(expanded) == null;
    }

    private static boolean isValue(RexNode node) {
        return switch (node) {
            case RexInputRef _, RexLiteral _ -> isHeld(node.getType());
            case RexDynamicParam parameter -> isEqualAlike(parameter.getType());
            case RexCall call -> isSame(call) && call.getOperands().stream().allMatch(Pushable::isValue);
            default -> false;
        };
    }

    private static boolean isSame(RexCall call) {
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case AND, OR, NOT, IS_NULL, IS_NOT_NULL, IS_TRUE, IS_FALSE, IS_NOT_TRUE, IS_NOT_FALSE -> true;
            case EQUALS, NOT_EQUALS -> isComparable(operands.get(0), operands.get(1), false);
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
                isComparable(operands.get(0), operands.get(1), true);
            case PLUS, MINUS, TIMES -> operands.size() == 2 && isExact(call, operands.get(0), operands.get(1));
            case CAST -> isWidening(operands.getFirst().getType(), call.getType());
            case CASE -> isChoice(call, operands);
            case COALESCE -> operands.stream().allMatch(each -> isSameType(each.getType(), call.getType()));
            default -> false;
        };
    }

    private static boolean isChoice(RexCall call, List<RexNode> operands) {
        for (int index = 0; index < operands.size(); index++) {
            boolean isCondition = index % 2 == 0 && index < operands.size() - 1;
            if (!isCondition && !isSameType(operands.get(index).getType(), call.getType())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSameType(RelDataType one, RelDataType other) {
        DataType held = SqlTypes.dataType(one);
        return held != null && held.equals(SqlTypes.dataType(other)) && !isPadded(one) && !isPadded(other);
    }

    private static boolean isComparable(RexNode left, RexNode right, boolean isOrder) {
        RelDataType one = left.getType();
        RelDataType other = right.getType();
        boolean isText = isText(one) && isText(other);
        if (isText) {
            // Calcite's literals are all CHAR(n): beside a text that is none, blanks count.
            boolean isOnePadded = isPadded(one) && !(left instanceof RexLiteral);
            boolean isOtherPadded = isPadded(other) && !(right instanceof RexLiteral);
            return !isOrder && !isOnePadded && !isOtherPadded && !(isPadded(one) && isPadded(other));
        }
        return isExactNumber(one) && isExactNumber(other)
                || one.getSqlTypeName() == other.getSqlTypeName() && isOrderedAlike(one);
    }

    private static boolean isText(RelDataType type) {
        return SqlTypeName.CHAR_TYPES.contains(type.getSqlTypeName()) && isPlain(type);
    }

    /// Of PostgreSQL's types that Calcite has, too.
    private static boolean isPlain(RelDataType type) {
        return switch (SqlTypes.pgType(type)) {
            case TEXT, VARCHAR, BPCHAR, INT2, INT4, INT8, NUMERIC, DATE, TIMESTAMP, BOOL -> true;
            default -> false;
        };
    }

    private static boolean isPadded(RelDataType type) {
        return SqlTypes.pgType(type) == PgType.BPCHAR;
    }

    private static boolean isExactNumber(RelDataType type) {
        return isPlain(type)
                && switch (SqlTypes.dataType(type)) {
                    case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Decimal _ -> true;
                    case null, default -> false;
                };
    }

    /// Types whose values Java orders as PostgreSQL does.
    private static boolean isOrderedAlike(RelDataType type) {
        return isPlain(type)
                && switch (SqlTypes.dataType(type)) {
                    case DataType.Int16 _,
                            DataType.Int32 _,
                            DataType.Int64 _,
                            DataType.Decimal _,
                            DataType.Date _,
                            DataType.Bool _ -> true;
                    case DataType.Timestamp(boolean withZone) -> !withZone;
                    case null, default -> false;
                };
    }

    private static boolean isEqualAlike(RelDataType type) {
        return isOrderedAlike(type) || isText(type) && !isPadded(type);
    }

    /// Decimals of as many digits as there may be, so nothing overflows or is rounded.
    private static boolean isExact(RexCall call, RexNode left, RexNode right) {
        if (!(SqlTypes.dataType(call.getType()) instanceof DataType.Decimal(int precision, int scale))
                || !isExactNumber(left.getType())
                || !isExactNumber(right.getType())) {
            return false;
        }
        DataType.Decimal one = digits(left.getType());
        DataType.Decimal other = digits(right.getType());
        int most = Math.max(one.scale(), other.scale());
        int whole = Math.max(one.precision() - one.scale(), other.precision() - other.scale());
        return switch (call.getKind()) {
            case TIMES -> scale == one.scale() + other.scale() && precision >= one.precision() + other.precision();
            default -> scale == most && precision >= whole + most + 1;
        };
    }

    private static DataType.Decimal digits(RelDataType type) {
        return switch (SqlTypes.dataType(type)) {
            case DataType.Int16 _ -> new DataType.Decimal(5, 0);
            case DataType.Int32 _ -> new DataType.Decimal(10, 0);
            case DataType.Int64 _ -> new DataType.Decimal(19, 0);
            case DataType.Decimal decimal -> decimal;
            case null, default -> throw new IllegalArgumentException(type + " is no exact number");
        };
    }

    /// Casts that change no value.
    private static boolean isWidening(RelDataType from, RelDataType to) {
        if (isSameType(from, to) && !isPadded(from)) {
            return !isText(from)
                    || to.getPrecision() < 0
                    || from.getPrecision() >= 0 && from.getPrecision() <= to.getPrecision();
        }
        if (!isExactNumber(from) || !isExactNumber(to)) {
            return false;
        }
        DataType.Decimal one = digits(from);
        DataType.Decimal other = digits(to);
        boolean isShorter = SqlTypes.dataType(to) instanceof DataType.Decimal;
        return one.scale() == other.scale()
                && (isShorter
                        ? one.precision() <= other.precision()
                        : one.precision() < other.precision() && one.scale() == 0);
    }
}
