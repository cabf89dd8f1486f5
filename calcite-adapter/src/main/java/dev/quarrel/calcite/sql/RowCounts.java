package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableSet;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.rel.LastRows;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// ORDER BY, LIMIT, OFFSET and FETCH over the rows of a query.
///
/// Numbers that are constants or parameters of type bigint are the sort's own. Any other number, a parameter of
/// another type too, is computed first, as a row of its own, for which the sort is then asked.
///
/// - Source: PostgreSQL's transformLimitClause in `parse_clause.c`, and `nodeLimit.c`.
final class RowCounts {
    private static final Set<SqlKind> FOLDED =
            EnumSet.of(SqlKind.PLUS, SqlKind.MINUS, SqlKind.TIMES, SqlKind.MINUS_PREFIX, SqlKind.CAST);

    private final Analysis analysis;
    private final RexMaker maker;
    private final Scope scope;
    private final QueryAnalyzer.Outer outer;
    private final Set<CorrelationId> correlations = new LinkedHashSet<>();

    /// @param scope of the query
    RowCounts(Analysis analysis, Scope scope, QueryAnalyzer.Outer outer) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.scope = scope;
        this.outer = outer;
    }

    /// The rows in order that OFFSET and LIMIT leave.
    RelNode of(RelNode rel, List<RelFieldCollation> collations) {
        List<RexNode> columns = new ArrayList<>();
        int width = rel.getRowType().getFieldCount();
        for (int column = 0; column < width; column++) {
            columns.add(maker.builder().makeInputRef(rel, column));
        }
        List<RelFieldCollation> keys = new ArrayList<>();
        for (RelFieldCollation collation : collations) {
            RexNode place = OtherTypes.place(maker, columns.get(collation.getFieldIndex()));
            keys.add(place == null ? collation : collation.withFieldIndex(columns.size()));
            if (place != null) {
                columns.add(place);
            }
        }
        if (columns.size() == width) {
            return sorted(rel, collations);
        }
        // Enums stand in the order of their labels.
        RelNode placed = LogicalProject.create(rel, List.of(), columns, (List<String>) null, Set.of());
        return Places.without(maker, sorted(placed, keys), width);
    }

    private RelNode sorted(RelNode rel, List<RelFieldCollation> collations) {
        RelNode part = part(rel, collations);
        if (part != null) {
            return part;
        }
        RexNode offset = count(outer.offset(), Select.Clause.OFFSET);
        if (outer.tiesAt() >= 0) {
            requireTies();
        }
        RexNode fetch = count(outer.fetch(), Select.Clause.LIMIT);
        if (collations.isEmpty() && offset == null && fetch == null) {
            return rel;
        }
        if (outer.tiesAt() >= 0 && fetch != null) {
            return withTies(rel, collations, offset, fetch);
        }
        if (isFixed(offset) && isFixed(fetch)) {
            return LogicalSort.create(rel, RelCollations.of(collations), offset, fetch);
        }
        return asked(rel, collations, offset, fetch);
    }

    /// `LIMIT -n`, the last n rows, and `LIMIT a, b`, those behind the first a up to the b-th, where a negative number
    /// is counted from the end; null for any other LIMIT.
    private RelNode part(RelNode rel, List<RelFieldCollation> collations) {
        boolean isLimit = outer.fetchAt() >= 0 && analysis.text().regionMatches(true, outer.fetchAt(), "limit", 0, 5);
        if (!isLimit) {
            return null; // FETCH is PostgreSQL's alone
        }
        Long first = negative(outer.fetch());
        if (outer.to() == null && first == null) {
            return null;
        }
        int at = Positions.start(outer.fetch());
        if (outer.offset() != null) {
            throw analysis.unsupported(at, "OFFSET beside a LIMIT of the last rows, or of two numbers");
        }
        if (outer.to() == null) {
            return last(rel, collations, -first, 0);
        }
        Long from = first == null ? constant(outer.fetch()) : first;
        Long behind = negative(outer.to());
        Long to = behind == null ? constant(outer.to()) : behind;
        if (from < 0 != to < 0 && from != 0) {
            throw analysis.unsupported(at, "a LIMIT from one end to the other");
        }
        if (to < from) {
            throw new QueryException(SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE, "LIMIT must not end before it begins");
        }
        if (from < 0) {
            return last(rel, collations, -from, -to);
        }
        if (to < 0) {
            throw analysis.unsupported(at, "a LIMIT from one end to the other");
        }
        return LogicalSort.create(
                rel,
                RelCollations.of(collations),
                maker.integer(from, SqlType.INT8),
                maker.integer(to - from, SqlType.INT8));
    }

    /// The last rows but those behind them.
    private RelNode last(RelNode rel, List<RelFieldCollation> collations, long count, long behind) {
        if (collations.isEmpty()) {
            if (behind > 0) {
                throw analysis.unsupported(
                        Positions.start(outer.fetch()), "a LIMIT of two negative numbers without ORDER BY");
            }
            return LastRows.of(rel, count);
        }
        List<RelFieldCollation> turned = collations.stream()
                .map(key -> new RelFieldCollation(
                        key.getFieldIndex(),
                        key.direction.isDescending()
                                ? RelFieldCollation.Direction.ASCENDING
                                : RelFieldCollation.Direction.DESCENDING,
                        key.nullDirection == RelFieldCollation.NullDirection.FIRST
                                ? RelFieldCollation.NullDirection.LAST
                                : RelFieldCollation.NullDirection.FIRST))
                .toList();
        RelNode kept = LogicalSort.create(
                rel,
                RelCollations.of(turned),
                maker.integer(behind, SqlType.INT8),
                maker.integer(count - behind, SqlType.INT8));
        return LogicalSort.create(kept, RelCollations.of(collations), null, null);
    }

    /// A number below zero that is written as one; null for any other.
    private static Long negative(SqlNode node) {
        if (node instanceof SqlNumericLiteral written
                && written.isInteger()
                && written.bigDecimalValue().signum() < 0
                && written.bigDecimalValue().precision() < 18) {
            return written.bigDecimalValue().longValueExact();
        }
        return node instanceof SqlCall call
                        && call.getKind() == SqlKind.MINUS_PREFIX
                        && call.operand(0) instanceof SqlNumericLiteral number
                        && number.isInteger()
                        && number.bigDecimalValue().signum() > 0
                        && number.bigDecimalValue().precision() < 18
                ? -number.bigDecimalValue().longValueExact()
                : null;
    }

    private long constant(SqlNode node) {
        if (node instanceof SqlNumericLiteral number
                && number.isInteger()
                && number.bigDecimalValue().precision() < 18) {
            return number.bigDecimalValue().longValueExact();
        }
        throw analysis.unsupported(Positions.start(node), "LIMIT of two numbers that are no constants");
    }

    /// - Errors: 42601, 2201W
    private void requireTies() {
        if (outer.orderBy().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR, outer.tiesAt(), "WITH TIES cannot be specified without ORDER BY clause");
        }
        if (outer.locks().stream().anyMatch(lock -> lock.skips())) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR, outer.tiesAt(), "SKIP LOCKED and WITH TIES options cannot be used together");
        }
        if (outer.fetch() instanceof SqlLiteral literal && literal.getValue() == null) {
            throw new QueryException(
                    SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE,
                    "row count cannot be null in FETCH FIRST ... WITH TIES clause");
        }
    }

    /// Rows up to the last one that is asked for, and those that stand in one place with it.
    private RelNode withTies(RelNode rel, List<RelFieldCollation> collations, RexNode offset, RexNode fetch) {
        if (!(fetch instanceof RexLiteral literal) || offset != null && !(offset instanceof RexLiteral)) {
            throw analysis.unsupported(outer.tiesAt(), "WITH TIES of a number that is no constant");
        }
        if (literal.getValueAs(BigDecimal.class).signum() == 0) {
            return LogicalSort.create(rel, RelCollations.of(collations), offset, fetch);
        }
        int width = rel.getRowType().getFieldCount();
        RelNode placed = Places.of(maker, rel, ImmutableBitSet.of(), collations, "row_number", "rank");
        RexNode skipped = offset == null ? maker.integer(0, SqlType.INT8) : offset;
        RexNode rank = maker.builder().makeInputRef(placed, width + 1);
        RexNode rest = maker.call(SqlStdOperatorTable.MINUS, maker.rel(SqlType.INT8), rank, skipped);
        RexNode isAsked = maker.call(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, maker.bool(), rest, fetch);
        RexNode isBehind = maker.call(
                SqlStdOperatorTable.GREATER_THAN, maker.bool(), maker.builder().makeInputRef(placed, width), skipped);
        RelNode kept = LogicalFilter.create(placed, maker.and(List.of(isBehind, isAsked)));
        return LogicalSort.create(Places.without(maker, kept, width), RelCollations.of(collations), null, null);
    }

    /// Whether a number is known when the statement begins.
    private static boolean isFixed(RexNode count) {
        return switch (count) {
            case null -> true;
            case RexLiteral _ -> true;
            case RexDynamicParam _ -> true;
            case RexCall call -> isConstant(call);
            default -> false;
        };
    }

    /// Whether planning folds it; what may fail is left to the execution.
    private static boolean isConstant(RexNode node) {
        return node instanceof RexLiteral
                || node instanceof RexCall call
                        && call.isA(FOLDED)
                        && call.getOperands().stream().allMatch(RowCounts::isConstant);
    }

    /// The sort as LATERAL to a row of its numbers.
    private RelNode asked(RelNode rel, List<RelFieldCollation> collations, RexNode offset, RexNode fetch) {
        RelOptCluster cluster = analysis.context().cluster();
        RexNode none = maker.nullOf(maker.rel(SqlType.INT8));
        RelNode counts = LogicalProject.create(
                LogicalValues.createOneRow(cluster),
                List.of(),
                List.of(offset == null ? none : offset, fetch == null ? none : fetch),
                List.of("offset", "fetch"),
                ImmutableSet.copyOf(correlations));
        CorrelationId id = cluster.createCorrel();
        RexNode row = maker.builder().makeCorrel(counts.getRowType(), id);
        RelNode sorted = LogicalSort.create(
                rel,
                RelCollations.of(collations),
                maker.builder().makeFieldAccess(row, 0),
                maker.builder().makeFieldAccess(row, 1));
        RelNode both =
                LogicalCorrelate.create(counts, sorted, List.of(), id, ImmutableBitSet.of(0, 1), JoinRelType.INNER);
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < rel.getRowType().getFieldCount(); column++) {
            columns.add(maker.builder().makeInputRef(both, column + 2));
        }
        RelNode narrow =
                LogicalProject.create(both, List.of(), columns, rel.getRowType().getFieldNames(), Set.of());
        return collations.isEmpty() ? narrow : LogicalSort.create(narrow, RelCollations.of(collations), null, null);
    }

    /// LIMIT's or OFFSET's number, a bigint. null for none: LIMIT NULL is no limit.
    private RexNode count(SqlNode node, Select.Clause clause) {
        if (node == null) {
            return null;
        }
        int at = Positions.start(node);
        Scope empty = new Scope(scope.parent(), scope.link(), scope.withQueries());
        Select select = new Select(0, null);
        select.enter(clause);
        empty.setSelect(select);
        empty.setFrom(scope.from());
        Expr expr = new ExpressionAnalyzer(analysis, empty).analyze(node);
        if (!select.columnUses().isEmpty()) {
            throw analysis.error(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    select.columnUses().get(0).at(),
                    "argument of " + clause.text() + " must not contain variables");
        }
        if (!expr.type().convertsTo(SqlType.INT8, SqlType.Context.ASSIGNMENT) || expr.type() == SqlType.TEXT) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    at,
                    "argument of " + clause.text() + " must be type bigint, not type "
                            + expr.type().displayName());
        }
        correlations.addAll(select.takeCorrelations());
        RexNode value =
                rounded(analysis.conversions().convert(expr, SqlType.INT8, -1).rex());
        if (value instanceof RexLiteral literal) {
            if (literal.isNull()) {
                return null;
            }
            if (literal.getValueAs(BigDecimal.class).signum() < 0) {
                throw new QueryException(
                        clause == Select.Clause.LIMIT
                                ? SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE
                                : SqlState.INVALID_ROW_COUNT_IN_OFFSET_CLAUSE,
                        clause.text() + " must not be negative");
            }
        }
        return value;
    }

    /// A numeric literal that CAST would round.
    private RexNode rounded(RexNode value) {
        if (value.getKind() == SqlKind.CAST
                && ((RexCall) value).getOperands().get(0) instanceof RexLiteral literal
                && literal.getTypeName() == SqlTypeName.DECIMAL
                && !literal.isNull()) {
            BigDecimal whole = literal.getValueAs(BigDecimal.class).setScale(0, RoundingMode.HALF_UP);
            if (whole.toBigInteger().bitLength() <= 63) {
                return maker.integer(whole.longValueExact(), SqlType.INT8);
            }
        }
        if (value instanceof RexCall call
                && call.getOperator() == SqlStdOperatorTable.UNARY_MINUS
                && call.getOperands().get(0) instanceof RexLiteral literal) {
            return maker.integer(literal.getValueAs(BigDecimal.class).negate().longValueExact(), SqlType.INT8);
        }
        return value;
    }
}
