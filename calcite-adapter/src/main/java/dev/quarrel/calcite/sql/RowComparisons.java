package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.convert.RecordFields;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Compares rows as values, of which a table's row or a composite is one at least: fields of the same types, of which
/// NULLs are equal to each other and greater than anything else. (Fields of `ROW(…)` and `ROW(…)` are compared as by
/// operators.)
///
/// A composite is a column, or a field of one; it may be compared with `ROW(…)`, also with a cast to its type.
///
/// - Nulls: the comparison is NULL where a composite is NULL, which is another thing than a row of NULLs.
/// - Source: PostgreSQL's `rowtypes.c` (record_cmp, record_eq).
final class RowComparisons {
    private static final int MAX_COLUMNS = 8;

    private final Analysis analysis;
    private final RexMaker maker;
    private final OperatorCalls operators;
    private final ExpressionAnalyzer expressions;

    RowComparisons(Analysis analysis, OperatorCalls operators) {
        this(analysis, operators, null);
    }

    /// @param expressions analyses operands that are composites; null for other rows
    RowComparisons(Analysis analysis, OperatorCalls operators, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.operators = operators;
        this.expressions = expressions;
    }

    /// A composite, or what is in one.
    ///
    /// @param value null for a row that is written out
    /// @param isNull whether it is NULL, of a composite; null for what is none
    /// @param parts of a composite
    record Part(Expr value, RexNode isNull, List<Part> parts) {
        Part {
            parts = List.copyOf(parts);
        }

        private boolean isComposite() {
            return isNull != null;
        }

        private int leaves() {
            return isComposite() ? parts.stream().mapToInt(Part::leaves).sum() : 1;
        }
    }

    /// Whether an operand may be a row that is written out for a composite beside it.
    static boolean isWritten(SqlNode node) {
        SqlNode inner = node.getKind() == SqlKind.CAST ? ((SqlCall) node).operand(0) : node;
        boolean isNull = inner != node && inner instanceof SqlLiteral literal && literal.getValue() == null;
        return isNull || inner instanceof SqlCall call && isRow(call);
    }

    /// Whether both operands may be composites.
    static boolean maybe(Expr left, Expr right) {
        return left instanceof Expr.Value one
                && right instanceof Expr.Value two
                && one.type() == SqlType.OTHER
                && two.type() == SqlType.OTHER;
    }

    /// Null where neither operand is a composite whose fields are known, or the other is no row.
    ///
    /// - Errors: 42804 for rows of different lengths or types.
    Expr.Value of(String symbol, SqlNode leftNode, SqlNode rightNode, OperatorCalls.Place place) {
        Pair pair = pair(leftNode, rightNode);
        if (pair == null) {
            return null;
        }
        RexNode compared = compared(symbol, pair.left.parts, pair.right.parts, place);
        if (compared == null) {
            return null;
        }
        RexNode isUnknown = maker.or(List.of(pair.left.isNull, pair.right.isNull));
        RexNode known =
                maker.cases(maker.nullable(maker.bool(), true), isUnknown, maker.nullOf(maker.bool()), compared);
        return Expr.Value.bool(known, Positions.start(leftNode));
    }

    /// Null for an operator that is no comparison.
    ///
    /// - Errors: 42804 for rows of different lengths or types, 0A000 for one that an outer join may not have.
    Expr.Value of(String symbol, Expr.Row left, Expr.Row right, OperatorCalls.Place place) {
        if (left.mayBeMissing() || right.mayBeMissing()) {
            throw analysis.unsupported(place.find(), "comparing a row that an outer join may not have");
        }
        RexNode compared = compared(symbol, parts(left), parts(right), place);
        return compared == null ? null : Expr.Value.bool(compared, left.at());
    }

    private List<Part> parts(Expr.Row row) {
        List<Part> parts = new ArrayList<>();
        for (Expr item : row.items()) {
            parts.add(
                    item instanceof Expr.Row inner
                            ? new Part(null, maker.literal(false), parts(inner))
                            : new Part(
                                    item.type() == SqlType.UNKNOWN
                                            ? analysis.conversions().resolved(item)
                                            : item,
                                    null,
                                    List.of()));
        }
        return parts;
    }

    private RexNode compared(String symbol, List<Part> left, List<Part> right, OperatorCalls.Place place) {
        return switch (symbol) {
            case "=" -> equal(left, right, place);
            case "<>" -> maker.not(equal(left, right, place));
            case "<" -> less(left, right, place);
            case ">" -> less(right, left, place);
            case "<=" -> maker.not(less(right, left, place));
            case ">=" -> maker.not(less(left, right, place));
            default -> null;
        };
    }

    /// IS NOT DISTINCT FROM; null as of a comparison.
    RexNode same(SqlNode leftNode, SqlNode rightNode, OperatorCalls.Place place) {
        Pair pair = pair(leftNode, rightNode);
        return pair == null ? null : equal(pair.left, pair.right, place);
    }

    private static boolean haveKeys(Part left, Part right) {
        return left.value instanceof Expr.Value one
                && right.value instanceof Expr.Value two
                && SqlTypes.isKeyedRow(one.rex().getType())
                && SqlTypes.isKeyedRow(two.rex().getType());
    }

    private record Pair(Part left, Part right) {}

    private Part whole(SqlNode node) {
        Part column = expressions.composites().whole(node, expressions::analyze, maker);
        return column != null || isWritten(node) || node.isA(SqlKind.QUERY) ? column : whole(expressions.analyze(node));
    }

    /// A composite that is no column; null for anything else.
    private Part whole(Expr value) {
        Expr.Row fields = analysis.recordFields().row(value);
        if (fields == null) {
            return null;
        }
        List<Part> parts = new ArrayList<>();
        for (Expr field : fields.items()) {
            Part inner = whole(field);
            parts.add(inner == null ? new Part(field, null, List.of()) : inner);
        }
        RexNode itself = RecordFields.itself(maker, ((Expr.Value) value).rex());
        return new Part(value, maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), itself), parts);
    }

    private Pair pair(SqlNode leftNode, SqlNode rightNode) {
        Part left = whole(leftNode);
        Part right = whole(rightNode);
        if (left == null && right == null) {
            return null;
        }
        // Keys of the whole are compared faster than so many columns.
        if (left != null
                && right != null
                && left.leaves() + right.leaves() > 2 * MAX_COLUMNS
                && haveKeys(left, right)) {
            return null;
        }
        left = left == null ? written(leftNode, right) : left;
        right = right == null ? written(rightNode, left) : right;
        return left == null || right == null ? null : new Pair(left, right);
    }

    // Rows that are written out

    /// A row that is compared with a composite; null for what is none.
    private Part written(SqlNode node, Part like) {
        boolean isTyped = node.getKind() == SqlKind.CAST && isTypeOf(((SqlCall) node).operand(1), like.value);
        SqlNode row = isTyped ? ((SqlCall) node).operand(0) : node;
        if (isTyped && row instanceof SqlLiteral literal && literal.getValue() == null) {
            return missing(like);
        }
        if (!(row instanceof SqlCall call) || !isRow(call)) {
            return null;
        }
        if (call.operandCount() != like.parts.size()) {
            throw isTyped
                    ? analysis.error(
                            SqlState.CANNOT_COERCE,
                            analysis.operatorAfter(row),
                            "cannot cast type record to " + typeOf(like.value).name())
                    : differentLengths();
        }
        List<Part> parts = new ArrayList<>();
        for (int index = 0; index < like.parts.size(); index++) {
            Part part = field(call.operand(index), like.parts.get(index), isTyped);
            if (part == null) {
                return null;
            }
            parts.add(part);
        }
        return new Part(null, maker.literal(false), parts);
    }

    private static boolean isRow(SqlCall call) {
        return (call.getKind() == SqlKind.ROW || call.getOperator().getName().equals("row"))
                && call.getOperandList().stream()
                        .noneMatch(each -> each instanceof SqlIdentifier name && name.isStar());
    }

    private Part field(SqlNode node, Part like, boolean isTyped) {
        if (like.isComposite()) {
            Part own = whole(node);
            boolean isMissing = isTyped && node instanceof SqlLiteral literal && literal.getValue() == null;
            return own != null ? own : isMissing ? missing(like) : written(node, like);
        }
        Expr value = expressions.analyze(node);
        if (isTyped) {
            Expr.Value typed = (Expr.Value) like.value;
            TypeNames.Target target = new TypeNames.Target(typed.type(), typed.typmod(), null, typeOf(typed));
            value = analysis.conversions().cast(value, target, Positions.start(node));
        }
        return new Part(value, null, List.of());
    }

    private Part missing(Part like) {
        List<Part> parts = new ArrayList<>();
        for (Part part : like.parts) {
            parts.add(
                    part.isComposite()
                            ? missing(part)
                            : new Part(
                                    ((Expr.Value) part.value).type() == SqlType.OTHER
                                            ? part.value
                                            : analysis.conversions().implicit(new Expr.Null(-1), part.value.type()),
                                    null,
                                    List.of()));
        }
        return new Part(null, maker.literal(true), parts);
    }

    private static OtherType typeOf(Expr value) {
        return value instanceof Expr.Value typed ? SqlTypes.other(typed.rex().getType()) : null;
    }

    /// Files do not tell the type of a composite within another one.
    private static boolean isTypeOf(SqlNode type, Expr composite) {
        OtherType known = typeOf(composite);
        return known != null
                && type instanceof SqlDataTypeSpec spec
                && spec.getTypeNameSpec() instanceof PostgresTypeName written
                && written.dimensions() == 0
                && (known.equals(OtherType.RECORD)
                        || known.name()
                                .equals(
                                        written.schema() == null
                                                ? written.name()
                                                : written.schema() + "." + written.name()));
    }

    // Comparisons

    private RexNode equal(List<Part> left, List<Part> right, OperatorCalls.Place place) {
        requireAlike(left, right);
        List<RexNode> equal = new ArrayList<>();
        for (int index = 0; index < left.size(); index++) {
            equal.add(equal(left.get(index), right.get(index), place));
        }
        return equal.isEmpty() ? maker.literal(true) : maker.and(equal);
    }

    private RexNode equal(Part left, Part right, OperatorCalls.Place place) {
        if (left.isComposite()) {
            RexNode equal = equal(left.parts, right.parts, place);
            boolean areThere = left.isNull.isAlwaysFalse() && right.isNull.isAlwaysFalse();
            return areThere ? equal : maker.and(List.of(same(left.isNull, right.isNull), equal));
        }
        List<RexNode> operands =
                ((RexCall) operators.call("=", left.value, right.value, place).rex()).getOperands();
        return same(operands.get(0), operands.get(1));
    }

    private RexNode same(RexNode left, RexNode right) {
        return maker.notNull(SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, maker.bool(), left, right);
    }

    /// `a < c`, or they are equal and `b < d`, and so on.
    private RexNode less(List<Part> left, List<Part> right, OperatorCalls.Place place) {
        requireAlike(left, right);
        RexNode less = maker.literal(false);
        for (int index = left.size() - 1; index >= 0; index--) {
            Part one = left.get(index);
            Part two = right.get(index);
            less = maker.or(List.of(less(one, two, place), maker.and(List.of(equal(one, two, place), less))));
        }
        return less;
    }

    private RexNode less(Part left, Part right, OperatorCalls.Place place) {
        if (left.isComposite() && left.isNull.isAlwaysFalse() && right.isNull.isAlwaysFalse()) {
            return less(left.parts, right.parts, place);
        }
        RexNode isLess;
        RexNode isLeft;
        RexNode isRight;
        if (left.isComposite()) {
            isLeft = maker.not(left.isNull);
            isRight = right.isNull;
            isLess = maker.and(List.of(isLeft, maker.not(right.isNull), less(left.parts, right.parts, place)));
        } else {
            isLeft = isNull(left.value, SqlStdOperatorTable.IS_NOT_NULL);
            isRight = isNull(right.value, SqlStdOperatorTable.IS_NULL);
            isLess = maker.notNull(
                    SqlStdOperatorTable.IS_TRUE,
                    maker.bool(),
                    operators.call("<", left.value, right.value, place).rex());
        }
        return maker.or(List.of(isLess, maker.and(List.of(isLeft, isRight))));
    }

    private RexNode isNull(Expr value, SqlOperator operator) {
        return maker.notNull(
                operator, maker.bool(), analysis.conversions().resolved(value).rex());
    }

    private static void requireAlike(List<Part> left, List<Part> right) {
        if (left.size() != right.size()) {
            throw differentLengths();
        }
        for (int index = 0; index < left.size(); index++) {
            Part one = left.get(index);
            Part two = right.get(index);
            boolean isAlike = one.isComposite() == two.isComposite()
                    && (one.isComposite() || typeName(one).equals(typeName(two)));
            if (!isAlike) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "cannot compare dissimilar column types " + typeName(one) + " and " + typeName(two)
                                + " at record column " + (index + 1));
            }
        }
    }

    private static String typeName(Part part) {
        return part.value == null ? SqlType.RECORD.displayName() : OtherTypes.displayName(part.value);
    }

    private static QueryException differentLengths() {
        return new QueryException(
                SqlState.DATATYPE_MISMATCH, "cannot compare record types with different numbers of columns");
    }
}
