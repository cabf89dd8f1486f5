package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.parse.SeriesJoin;
import dev.quarrel.calcite.rel.AsofJoin;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.series.DesignatedTimestamp;
import dev.quarrel.calcite.sql.series.NearestCondition;
import dev.quarrel.calcite.sql.series.SpliceJoin;
import dev.quarrel.calcite.sql.series.TimeSteps;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.util.ImmutableBitSet;

/// Analyses ASOF, LT and SPLICE joins: each left row with the nearest right row of equal keys.
///
/// With an inequality in ON it is DuckDB's: an inner join unless LEFT is written. Without one it is QuestDB's: by the
/// designated timestamps of both sides, not later (ASOF) or earlier (LT), and a left join unless INNER is written.
final class NearestJoin {
    private final Analysis analysis;
    private final Scope scope;
    private final RexMaker maker;
    private final RexNode leftTime;

    /// @param leftTime when the left side's rows happened; null for its designated timestamp
    NearestJoin(Analysis analysis, Scope scope, RexNode leftTime) {
        this.analysis = analysis;
        this.scope = scope;
        this.maker = analysis.maker();
        this.leftTime = leftTime;
    }

    /// The join's rows: the left columns, then the right ones.
    ///
    /// @param time when they happened, for rows that are of both sides; null for those of the left side
    record Joined(RelNode rel, RexNode time) {}

    /// @param condition over the columns of both sides
    Joined of(SeriesJoin join, FromItem left, FromItem right, RexNode condition) {
        SeriesJoin.Form form = join.form();
        int at = Positions.start(join);
        requireTaken(form, at);
        int leftCount = left.rel().getRowType().getFieldCount();
        int count = leftCount + right.rel().getRowType().getFieldCount();
        NearestCondition parts = NearestCondition.of(condition, leftCount, count);
        if (parts.obstacle() != null) {
            throw analysis.unsupported(
                    at,
                    "an ASOF join's condition that is neither an equality of the two sides nor "
                            + "its one inequality");
        }
        List<NearestCondition.Sides> keys = new ArrayList<>(parts.keys());
        NearestCondition.Order order = parts.order();
        boolean isSplice = form.word().equals("splice");
        if (isSplice && (order != null || form.isUsing())) {
            throw analysis.unsupported(at, "SPLICE JOIN with " + (form.isUsing() ? "USING" : "an inequality"))
                    .withHint("It is by the designated timestamps, with ON (columns) for equal keys.");
        }
        boolean isExplicit = order != null || form.isUsing();
        if (form.isUsing()) {
            order = new NearestCondition.Order(keys.removeLast(), Relation.GE);
        } else if (order == null) {
            order = new NearestCondition.Order(
                    new NearestCondition.Sides(leftTime == null ? designated(left) : leftTime, designated(right)),
                    form.word().equals("lt") ? Relation.GT : Relation.GE);
            order = new NearestCondition.Order(alike(order.sides(), at), order.relation());
        } else if (form.word().equals("lt")) {
            throw analysis.unsupported(at, "LT JOIN with an inequality (ASOF JOIN has it)");
        }
        if (order.relation() == Relation.EQ || order.relation() == Relation.NE) {
            throw analysis.unsupported(at, "an ASOF join by " + order.relation().symbol());
        }
        RexNode time = order.sides().left();
        if (!SqlTypes.dataType(time.getType())
                        .equals(SqlTypes.dataType(order.sides().right().getType()))
                || !Join.Nearest.takes(SqlTypes.dataType(time.getType()))) {
            throw analysis.unsupported(
                    at,
                    "an ASOF join in the order of " + shown(time) + " and "
                            + shown(order.sides().right()));
        }
        if (isSplice) {
            return spliced(left.rel(), right.rel(), keys, order.sides());
        }
        boolean keepsLeft = form.isLeft() || !isExplicit && !form.isInner();
        RelNode rel = joined(left.rel(), right.rel(), keys, order, bound(form.tolerance(), order, at), keepsLeft);
        return new Joined(rel, leftTime);
    }

    private void requireTaken(SeriesJoin.Form form, int at) {
        if (form.word().equals("splice") && (form.isLeft() || form.isInner() || form.tolerance() != null)) {
            throw analysis.unsupported(at, "SPLICE JOIN with LEFT, INNER or TOLERANCE")
                    .withHint("It keeps all rows of both sides.");
        }
        if (form.isWindow()) {
            throw analysis.unsupported(at, "WINDOW JOIN beside another one with a left side of its own")
                    .withHint("Write the query with WINDOW JOIN as a sub-query.");
        }
        if (form.window() != null) {
            throw analysis.unsupported(at, "RANGE with " + form.word().toUpperCase(java.util.Locale.ROOT) + " JOIN");
        }
        if (form.isAmbiguous()) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "\"" + form.word() + " JOIN\" may be a join, or a table's alias and JOIN")
                    .withPosition(Positions.of(analysis.text(), at))
                    .withHint("For the join, give the table before it an alias, or write its name before a column "
                            + "of ON. For the alias, write AS before it.");
        }
    }

    private static String shown(RexNode node) {
        return SqlType.of(SqlTypes.pgType(node.getType())).displayName();
    }

    /// The designated timestamp of a side; of a join's, that of the first table.
    private RexNode designated(FromItem side) {
        Visible column = designatedColumn(analysis, side);
        return maker.builder().makeInputRef(side.rel(), column.firstIndex());
    }

    static Visible designatedColumn(Analysis analysis, FromItem side) {
        Entry entry = side.entries().isEmpty() ? null : side.entries().getFirst();
        List<Visible> columns = entry == null ? side.visible() : entry.columns();
        Visible named = analysis.designated(side);
        if (named != null) {
            return named;
        }
        List<Integer> sortedBy =
                entry != null && entry.row() instanceof Scope.Whole.OfTable(var schema, var table, var _, var _)
                        ? analysis.sortedBy(schema, table)
                        : List.of();
        List<DesignatedTimestamp.Candidate> candidates = columns.stream()
                .map(each -> new DesignatedTimestamp.Candidate(each.name(), each.type()))
                .toList();
        return columns.get(DesignatedTimestamp.of(entry == null ? "" : entry.shownAlias(), candidates, sortedBy));
    }

    /// Timestamps of two types as PostgreSQL would compare them.
    private NearestCondition.Sides alike(NearestCondition.Sides sides, int at) {
        if (SqlTypes.dataType(sides.left().getType())
                .equals(SqlTypes.dataType(sides.right().getType()))) {
            return sides;
        }
        RexNode compared = new ExpressionAnalyzer(analysis, scope)
                .operators()
                .call(">=", value(sides.left(), at), value(sides.right(), at), () -> at)
                .rex();
        return compared instanceof RexCall call && call.getOperands().size() == 2
                ? new NearestCondition.Sides(
                        call.getOperands().get(0), call.getOperands().get(1))
                : sides;
    }

    private static Expr.Value value(RexNode node, int at) {
        return new Expr.Value(node, SqlType.of(SqlTypes.pgType(node.getType())), at);
    }

    /// The value that the right row's must not be beyond; null without TOLERANCE.
    private RexNode bound(SeriesClauses.Step tolerance, NearestCondition.Order order, int at) {
        if (tolerance == null) {
            return null;
        }
        RexNode time = order.sides().left();
        SqlType type = SqlType.of(SqlTypes.pgType(time.getType()));
        if (type != SqlType.TIMESTAMP && type != SqlType.TIMESTAMPTZ) {
            throw analysis.unsupported(at, "TOLERANCE of " + type.displayName());
        }
        TimeSteps step = TimeSteps.of(tolerance, analysis.text());
        ExpressionAnalyzer expressions = new ExpressionAnalyzer(analysis, scope);
        boolean isBefore = order.relation() == Relation.GE || order.relation() == Relation.GT;
        return expressions
                .operators()
                .call(
                        isBefore ? "-" : "+",
                        value(time, at),
                        expressions.analyze(interval(step.text(), tolerance.pos())),
                        () -> at)
                .rex();
    }

    static SqlNode interval(String text, SqlParserPos pos) {
        PostgresTypeName name = new PostgresTypeName(new SqlIdentifier("interval", pos), List.of(), null, 0, pos);
        return PostgresOperators.TYPED_LITERAL.createCall(
                pos, new SqlDataTypeSpec(name, pos), SqlLiteral.createCharString(text, pos));
    }

    /// Its rows come in the order of a column behind those of both sides.
    private Joined spliced(
            RelNode left, RelNode right, List<NearestCondition.Sides> keys, NearestCondition.Sides times) {
        List<RexNode> leftColumns = references(left);
        List<RexNode> rightColumns = references(right);
        List<Integer> leftKeys = new ArrayList<>();
        List<Integer> rightKeys = new ArrayList<>();
        for (NearestCondition.Sides key : keys) {
            leftKeys.add(columnOf(leftColumns, key.left()));
            rightKeys.add(columnOf(rightColumns, key.right()));
        }
        int leftCount = left.getRowType().getFieldCount();
        int rightCount = right.getRowType().getFieldCount();
        int ownTime = columnOf(leftColumns, times.left());
        int otherTime = columnOf(rightColumns, times.right());
        RelNode numberedLeft = numbered(widened(left, leftColumns), leftKeys, ownTime);
        RelNode numberedRight = numbered(widened(right, rightColumns), rightKeys, otherTime);
        RelNode rel = new SpliceJoin(maker)
                .of(
                        new SpliceJoin.Side(numberedLeft, leftKeys, ownTime, leftCount),
                        new SpliceJoin.Side(numberedRight, rightKeys, otherTime, rightCount));
        return new Joined(rel, maker.builder().makeInputRef(rel, leftCount + rightCount));
    }

    private RelNode numbered(RelNode rel, List<Integer> keys, int time) {
        return Places.of(maker, rel, ImmutableBitSet.of(keys).set(time), List.of(), "row_number");
    }

    private RelNode joined(
            RelNode left,
            RelNode right,
            List<NearestCondition.Sides> keys,
            NearestCondition.Order order,
            RexNode bound,
            boolean keepsLeft) {
        List<RexNode> leftColumns = references(left);
        List<RexNode> rightColumns = references(right);
        List<Integer> leftKeys = new ArrayList<>();
        List<Integer> rightKeys = new ArrayList<>();
        for (NearestCondition.Sides key : keys) {
            leftKeys.add(columnOf(leftColumns, key.left()));
            rightKeys.add(columnOf(rightColumns, key.right()));
        }
        int leftTime = columnOf(leftColumns, order.sides().left());
        int rightTime = columnOf(rightColumns, order.sides().right());
        int boundColumn = bound == null ? -1 : columnOf(leftColumns, bound);
        RelNode wideLeft = widened(left, leftColumns);
        RelNode wideRight = widened(right, rightColumns);
        RexNode time = maker.builder().makeInputRef(wideRight, rightTime);
        if (time.getType().isNullable()) {
            wideRight =
                    LogicalFilter.create(wideRight, maker.call(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), time));
        }
        RelNode joined = AsofJoin.of(
                wideLeft,
                wideRight,
                new AsofJoin.Match(leftKeys, rightKeys, leftTime, rightTime, order.relation(), boundColumn, keepsLeft));
        int leftCount = left.getRowType().getFieldCount();
        int rightCount = right.getRowType().getFieldCount();
        if (leftColumns.size() == leftCount && rightColumns.size() == rightCount) {
            return joined;
        }
        List<RexNode> kept = new ArrayList<>();
        for (int column = 0; column < leftCount + rightCount; column++) {
            kept.add(maker.builder()
                    .makeInputRef(joined, column < leftCount ? column : leftColumns.size() + column - leftCount));
        }
        return LogicalProject.create(joined, List.of(), kept, (List<String>) null, Set.of());
    }

    private List<RexNode> references(RelNode rel) {
        List<RexNode> references = new ArrayList<>();
        for (int column = 0; column < rel.getRowType().getFieldCount(); column++) {
            references.add(maker.builder().makeInputRef(rel, column));
        }
        return references;
    }

    private static int columnOf(List<RexNode> columns, RexNode value) {
        int known = columns.indexOf(value);
        if (known < 0) {
            columns.add(value);
        }
        return known < 0 ? columns.size() - 1 : known;
    }

    private static RelNode widened(RelNode rel, List<RexNode> columns) {
        return columns.size() == rel.getRowType().getFieldCount()
                ? rel
                : LogicalProject.create(rel, List.of(), columns, (List<String>) null, Set.of());
    }
}
