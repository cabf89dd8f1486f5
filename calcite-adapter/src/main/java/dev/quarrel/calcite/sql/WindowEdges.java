package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.PostgresFunctions;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/// The frame of a window function's OVER clause. A bound with an offset appends operands to the function's
/// arguments: for ROWS and GROUPS, the offset; for RANGE, the order key plus or minus the offset, then the
/// offset. The bound's own expression holds the index of the first of these operands or, for GROUPS, the bitwise
/// complement of that index: Calcite has no GROUPS frames. A GROUPS frame without offsets means the same as a
/// RANGE frame.
///
/// - Source: PostgreSQL's `parse_clause.c` (transformFrameOffset) and `gram.y` (frame_extent).
public final class WindowEdges {
    private static final int IS_ROWS = 4; // operand of a SqlWindow

    private final Analysis analysis;
    private final Conversions conversions;
    private final RexMaker maker;
    private final Function<SqlNode, Expr> analyze;
    private final SqlWindow window;
    private final boolean isGroups;

    WindowEdges(
            Analysis analysis,
            Conversions conversions,
            RexMaker maker,
            Function<SqlNode, Expr> analyze,
            SqlWindow window) {
        this.analysis = analysis;
        this.conversions = conversions;
        this.maker = maker;
        this.analyze = analyze;
        this.window = window;
        this.isGroups = isGroups(analysis.text(), window);
    }

    /// The grammar reads GROUPS as ROWS; the place of the word tells them apart.
    private static boolean isGroups(String text, SqlWindow window) {
        int start = rowsOf(window).getParserPosition().getColumnNum() - 1;
        return window.isRows() && text.regionMatches(true, start, "groups", 0, "groups".length());
    }

    /// The literal that says whether a window's frame counts rows.
    static SqlLiteral rowsOf(SqlWindow window) {
        return (SqlLiteral) window.getOperandList().get(IS_ROWS);
    }

    /// The number in a bound with an offset.
    public static int placeOf(RexWindowBound bound) {
        return ((RexLiteral) bound.getOffset()).getValueAs(Integer.class);
    }

    /// Whether edges are rows, and not values or groups.
    boolean isRows() {
        return window.isRows() && !isGroups;
    }

    boolean hasRangeOffset() {
        return !window.isRows() && (hasOffset(window.getLowerBound()) || hasOffset(window.getUpperBound()));
    }

    private static boolean hasOffset(SqlNode bound) {
        return bound != null
                && (bound.getKind() == SqlKind.PRECEDING || bound.getKind() == SqlKind.FOLLOWING)
                && !SqlWindow.isUnboundedPreceding(bound)
                && !SqlWindow.isUnboundedFollowing(bound);
    }

    /// - Errors: 42P20 for a frame that begins behind its end, or a RANGE offset without its one order key.
    void check() {
        SqlNode lower = window.getLowerBound();
        SqlNode upper = window.getUpperBound();
        if (lower != null && SqlWindow.isUnboundedFollowing(lower)) {
            throw error(lower, "frame start cannot be UNBOUNDED FOLLOWING");
        }
        if (upper != null && SqlWindow.isUnboundedPreceding(upper)) {
            throw error(upper, "frame end cannot be UNBOUNDED PRECEDING");
        }
        boolean endsBefore = hasOffset(upper) && upper.getKind() == SqlKind.PRECEDING;
        boolean endsHere = upper == null || SqlWindow.isCurrentRow(upper);
        if (lower != null && SqlWindow.isCurrentRow(lower) && endsBefore) {
            throw error(upper, "frame starting from current row cannot have preceding rows");
        }
        if (hasOffset(lower) && lower.getKind() == SqlKind.FOLLOWING && (endsBefore || endsHere)) {
            throw error(upper == null ? lower : upper, "frame starting from following row cannot have preceding rows");
        }
        if (isGroups && window.getOrderList().isEmpty()) {
            throw error(window, "GROUPS mode requires an ORDER BY clause");
        }
        if (hasRangeOffset() && window.getOrderList().size() != 1) {
            throw error(window, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column");
        }
    }

    private QueryException error(SqlNode at, String message) {
        return analysis.error(SqlState.WINDOWING_ERROR, Positions.start(at), message);
    }

    RexWindowExclusion exclusion() {
        SqlLiteral exclusion = window.getExclude();
        if (SqlWindow.isExcludeCurrentRow(exclusion)) {
            return RexWindowExclusion.EXCLUDE_CURRENT_ROW;
        }
        if (SqlWindow.isExcludeGroup(exclusion)) {
            return RexWindowExclusion.EXCLUDE_GROUP;
        }
        return SqlWindow.isExcludeTies(exclusion)
                ? RexWindowExclusion.EXCLUDE_TIES
                : RexWindowExclusion.EXCLUDE_NO_OTHER;
    }

    /// @param isStart whether it is the frame's start
    RexWindowBound bound(SqlNode bound, boolean isStart, RexWindowBound absent, List<RexNode> operands) {
        if (bound == null) {
            return absent;
        }
        if (SqlWindow.isUnboundedPreceding(bound)) {
            return RexWindowBounds.UNBOUNDED_PRECEDING;
        }
        if (SqlWindow.isUnboundedFollowing(bound)) {
            return RexWindowBounds.UNBOUNDED_FOLLOWING;
        }
        if (SqlWindow.isCurrentRow(bound)) {
            return RexWindowBounds.CURRENT_ROW;
        }
        boolean isPreceding = bound.getKind() == SqlKind.PRECEDING;
        SqlNode distance = ((SqlCall) bound).operand(0);
        RexNode place = maker.integer(isGroups ? ~operands.size() : operands.size(), SqlType.INT4);
        if (window.isRows()) {
            RexNode offset =
                    conversions.implicit(analyze.apply(distance), SqlType.INT8).rex();
            requireConstant(offset, distance, isGroups ? "GROUPS" : "ROWS");
            operands.add(offset);
        } else {
            addRange(distance, isPreceding, isStart, operands);
        }
        return isPreceding ? RexWindowBounds.preceding(place) : RexWindowBounds.following(place);
    }

    private void requireConstant(RexNode offset, SqlNode at, String mode) {
        if (RexUtil.containsInputRef(offset)) {
            throw analysis.error(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    Positions.start(at),
                    "argument of " + mode + " must not contain variables");
        }
    }

    private SortItem order() {
        return SortItem.of(analysis, window.getOrderList().get(0));
    }

    /// The only order key, in the type in which keys and edges are compared.
    RexNode orderKey() {
        Expr.Value key = conversions.resolved(analyze.apply(order().node()));
        RelDataType type = comparedType(key.type());
        if (type != null) {
            return maker.cast(type, key.rex());
        }
        return switch (key.type()) {
            case DATE -> maker.cast(maker.rel(SqlType.TIMESTAMP), key.rex());
            case TIME -> conversions.implicit(key, SqlType.INTERVAL).rex();
            default -> key.rex();
        };
    }

    /// Integers grow into numbers, so that no edge overflows; null for moments and spans, which take intervals.
    private RelDataType comparedType(SqlType type) {
        return switch (type) {
            // Edges of more than 38 digits are errors.
            case INT2, INT4, INT8, NUMERIC, WIDE_NUMERIC -> SqlTypes.numeric(maker.factory());
            case FLOAT4, FLOAT8 -> maker.rel(SqlType.FLOAT8);
            default -> null;
        };
    }

    private void addRange(SqlNode distance, boolean isPreceding, boolean isStart, List<RexNode> operands) {
        Expr.Value key = conversions.resolved(analyze.apply(order().node()));
        Expr offset = analyze.apply(distance);
        SqlOperator operator =
                isPreceding != order().descending() ? SqlStdOperatorTable.MINUS : SqlStdOperatorTable.PLUS;
        RelDataType type = comparedType(key.type());
        if (type != null && offset.type() != SqlType.INTERVAL) {
            SqlType wanted =
                    switch (key.type()) {
                        case INT2, INT4, INT8 -> SqlType.INT8;
                        case NUMERIC, WIDE_NUMERIC -> SqlType.NUMERIC;
                        default -> SqlType.FLOAT8;
                    };
            boolean isNumeric = wanted == SqlType.NUMERIC && offset.type() == SqlType.WIDE_NUMERIC;
            if (!isNumeric && !offset.type().convertsTo(wanted, SqlType.Context.IMPLICIT)) {
                throw unsupported(key, offset, distance);
            }
            RexNode value = conversions.implicit(offset, wanted).rex();
            requireConstant(value, distance, "RANGE");
            RexNode compared = maker.cast(type, value);
            RexNode base = maker.cast(type, key.rex());
            RexNode edge = maker.call(operator, type, base, compared);
            operands.add(
                    wanted == SqlType.INT8
                            ? edge
                            : withInfinity(new Expr.Value(base, wanted, key.at()), compared, operator, edge, isStart));
            operands.add(compared);
            return;
        }
        boolean isMoment = key.type() == SqlType.DATE
                || key.type() == SqlType.TIMESTAMP
                || key.type() == SqlType.TIMESTAMPTZ
                || key.type() == SqlType.TIME
                || key.type() == SqlType.INTERVAL;
        if (!isMoment || !offset.type().convertsTo(SqlType.INTERVAL, SqlType.Context.IMPLICIT)) {
            throw unsupported(key, offset, distance);
        }
        Expr.Value value = conversions.implicit(offset, SqlType.INTERVAL);
        requireConstant(value.rex(), distance, "RANGE");
        if (key.type() == SqlType.TIME) {
            // An edge may lie beyond midnight; days and months of the distance do not count.
            key = conversions.implicit(key, SqlType.INTERVAL);
            value = new Expr.Value(hours(value.rex()), SqlType.INTERVAL, value.at());
        }
        List<SqlType> types = List.of(key.type(), SqlType.INTERVAL);
        RexNode edge = moved(operator == SqlStdOperatorTable.PLUS ? "+" : "-", types, key.rex(), value.rex());
        Expr.Value base = key.type() == SqlType.DATE ? conversions.implicit(key, SqlType.TIMESTAMP) : key;
        operands.add(withInfinity(base, value.rex(), operator, edge, isStart));
        operands.add(value.rex());
    }

    private RexNode moved(String symbol, List<SqlType> types, RexNode left, RexNode right) {
        Signature signature = Operators.binary(symbol).stream()
                .filter(each -> each.arguments().equals(types))
                .findFirst()
                .orElseThrow();
        return signature.build().apply(maker, List.of(left, right));
    }

    /// What is less than a day of an interval.
    private RexNode hours(RexNode interval) {
        RexNode days = maker.call(
                PostgresFunctions.DATE_TRUNC, maker.rel(SqlType.INTERVAL), maker.flag(TimeUnitRange.DAY), interval);
        RexNode hours = moved("-", List.of(SqlType.INTERVAL, SqlType.INTERVAL), interval, days);
        if (isFinite(interval)) {
            return hours;
        }
        RexNode infinite = maker.or(List.of(
                equal(interval, constant("infinity", SqlType.INTERVAL)),
                equal(interval, constant("-infinity", SqlType.INTERVAL))));
        return maker.cases(maker.nullable(hours.getType(), true), infinite, interval, hours);
    }

    private RexNode equal(RexNode left, RexNode right) {
        return maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), left, right);
    }

    /// An infinite distance from the infinity on the other side reaches all values: PostgreSQL takes neither NaN nor an
    /// error for it. One that is less than all has its own error, whatever it is from.
    private RexNode withInfinity(
            Expr.Value base, RexNode distance, SqlOperator operator, RexNode edge, boolean isStart) {
        boolean isNumber = base.type() == SqlType.FLOAT8 || base.type() == SqlType.NUMERIC;
        SqlType span = isNumber ? base.type() : SqlType.INTERVAL;
        if (isFinite(distance)) {
            return edge;
        }
        RexNode infinite = constant("infinity", span);
        RexNode far = constant(operator == SqlStdOperatorTable.MINUS ? "infinity" : "-infinity", base.type());
        RexNode all = constant(isStart == order().descending() ? "infinity" : "-infinity", base.type());
        RexNode reachesAll = maker.or(List.of(
                equal(distance, constant("-infinity", span)),
                maker.and(List.of(equal(distance, infinite), equal(base.rex(), far)))));
        RelDataType type = maker.nullable(edge.getType(), true);
        return maker.cases(type, reachesAll, all, edge);
    }

    /// Whether a constant is known not to be infinite.
    private static boolean isFinite(RexNode distance) {
        return switch (distance) {
            case RexLiteral literal ->
                !literal.isNull()
                        && literal.getValueAs(Double.class) instanceof Double number
                        && !Double.isInfinite(number);
            // An interval is its text under a cast, and so is an infinite number.
            case RexCall call ->
                call.isA(SqlKind.CAST)
                        && call.getOperands().getFirst() instanceof RexLiteral text
                        && !text.isNull()
                        && SqlTypeName.CHAR_TYPES.contains(text.getType().getSqlTypeName())
                        && !text.getValueAs(String.class)
                                .toLowerCase(Locale.ROOT)
                                .contains("inf");
            default -> false;
        };
    }

    private RexNode constant(String text, SqlType type) {
        return conversions.implicit(new Expr.Text(text, 0), type).rex();
    }

    private QueryException unsupported(Expr.Value key, Expr offset, SqlNode at) {
        return analysis.error(
                SqlState.FEATURE_NOT_SUPPORTED,
                Positions.start(at),
                "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
                        + key.type().displayName() + " and offset type "
                        + offset.type().displayName());
    }
}
