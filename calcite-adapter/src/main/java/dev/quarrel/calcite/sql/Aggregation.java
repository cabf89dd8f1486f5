package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.rel.OuterReferences;
import dev.quarrel.calcite.sql.Select.AggregateUse;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// The aggregation step of a SELECT: a projection of the grouping keys and the arguments, with the aggregate on
/// top. It also rewrites expressions over FROM's row into expressions over the aggregate's result.
final class Aggregation {
    private final Analysis analysis;
    private final Select select;
    private final Grouping grouping;
    private final RelNode input;
    private final Set<CorrelationId> correlations;
    private final RelNode rel;

    /// Fields of the aggregate by place in the grouping: it puts keys first.
    ///
    /// @param correlations names by which sub-queries of the SELECT refer to FROM's row
    Aggregation(Analysis analysis, Select select, Grouping grouping, RelNode input, Set<CorrelationId> correlations) {
        this.analysis = analysis;
        this.select = select;
        this.grouping = grouping;
        this.input = input;
        this.correlations = Set.copyOf(correlations);
        this.rel = make();
        select.directArguments().forEach(this::above);
    }

    RelNode rel() {
        return rel;
    }

    private RelNode make() {
        RexMaker maker = analysis.maker();
        if (grouping.keys().isEmpty()
                && grouping.isSimple()
                && select.aggregates().isEmpty()) {
            // One group whatever the rows are: PostgreSQL reads none.
            return LogicalValues.createOneRow(input.getCluster());
        }
        // Keys that call functions that give rows: there are more rows before they are grouped.
        RowsInSelect.Expanded rows =
                RowsInSelect.of(maker, input, grouping.keys(), correlations, false, ImmutableBitSet.of(), List.of());
        List<RexNode> fields = new ArrayList<>(rows.expressions());
        List<Place> places = new ArrayList<>();
        for (AggregateUse use : select.aggregates()) {
            List<Integer> arguments = new ArrayList<>();
            for (RexNode argument : use.arguments()) {
                int index = use.function() == SqlStdOperatorTable.GROUPING
                        ? groupingKey(argument)
                        : place(fields, grouping.keys().size(), counted(maker, argument, use.filter()));
                arguments.add(index);
            }
            int filter =
                    use.filter() == null ? -1 : place(fields, grouping.keys().size(), use.filter());
            places.add(new Place(arguments, filter));
        }
        RelNode projected = rows.rel();
        boolean plain = fields.size() == projected.getRowType().getFieldCount();
        for (int index = 0; plain && index < fields.size(); index++) {
            plain = fields.get(index) instanceof RexInputRef reference && reference.getIndex() == index;
        }
        if (fields.isEmpty()) {
            // count(*) alone: no field is needed, but a projection of none is not allowed everywhere.
            plain = true;
        }
        if (!plain) {
            projected = LogicalProject.create(projected, List.of(), fields, (List<String>) null, correlations);
        }
        ImmutableBitSet keys = ImmutableBitSet.range(grouping.keys().size());
        boolean hasEmptyGroup = grouping.sets().contains(ImmutableBitSet.of());
        if (grouping.isSimple()) {
            return LogicalAggregate.create(projected, List.of(), keys, null, calls(projected, places, hasEmptyGroup));
        }
        // An aggregate has each set once; sets that are there again make their rows again.
        List<RelNode> parts = new ArrayList<>();
        List<ImmutableBitSet> rest = new ArrayList<>(grouping.sets());
        while (!rest.isEmpty()) {
            Set<ImmutableBitSet> once = new LinkedHashSet<>(rest);
            once.forEach(rest::remove);
            // Whether min of a column without NULLs may be NULL is a question of the part's own sets.
            parts.add(LogicalAggregate.create(
                    projected,
                    List.of(),
                    keys,
                    ImmutableBitSet.ORDERING.immutableSortedCopy(once),
                    calls(projected, places, once.contains(ImmutableBitSet.of()))));
        }
        return parts.size() == 1 ? parts.getFirst() : LogicalUnion.create(parts, true);
    }

    private List<AggregateCall> calls(RelNode projected, List<Place> places, boolean hasEmptyGroup) {
        List<AggregateCall> calls = new ArrayList<>();
        for (int index = 0; index < places.size(); index++) {
            AggregateUse use = select.aggregates().get(index);
            calls.add(call(use.function(), use.distinct(), places.get(index), hasEmptyGroup, projected));
        }
        if (!grouping.isSimple() && grouping.hasConstantOfNoRow()) {
            calls.add(call(SqlStdOperatorTable.COUNT, false, new Place(List.of(), -1), true, projected));
        }
        return calls;
    }

    private static AggregateCall call(
            SqlAggFunction function, boolean isDistinct, Place place, boolean hasEmptyGroup, RelNode projected) {
        return AggregateCall.create(
                function,
                isDistinct,
                false,
                false,
                List.of(),
                place.arguments(),
                place.filter(),
                null,
                RelCollations.EMPTY,
                hasEmptyGroup,
                projected,
                null,
                null);
    }

    /// The argument, computed for the filter's rows alone: in others it may not fail.
    private static RexNode counted(RexMaker maker, RexNode argument, RexNode filter) {
        if (filter == null || !(argument instanceof RexCall)) {
            return argument;
        }
        RelDataType type = maker.nullable(argument.getType(), true);
        return maker.cases(type, filter, argument, maker.nullOf(type));
    }

    /// The fields in which an aggregate finds its arguments and its filter.
    private record Place(List<Integer> arguments, int filter) {}

    private static int place(List<RexNode> fields, int keyCount, RexNode value) {
        int known = fields.indexOf(value);
        if (known >= 0) {
            return known;
        }
        fields.add(value);
        return fields.size() - 1;
    }

    private int groupingKey(RexNode argument) {
        int index = grouping.keys().indexOf(argument);
        if (index < 0) {
            throw new QueryException(
                    SqlState.GROUPING_ERROR,
                    "arguments to GROUPING must be grouping expressions of the associated query level");
        }
        return index;
    }

    /// The select list's item over the aggregation's result.
    RexNode item(int index, RexNode rex) {
        int key = grouping.keyOfItem(index);
        return key < 0 ? above(rex) : analysis.maker().builder().makeInputRef(rel, key);
    }

    /// An expression over FROM's row (and its aggregates) as one over the aggregation's result.
    ///
    /// - Errors: 42803 for a column that is not grouped by.
    RexNode above(RexNode rex) {
        return rex.accept(new Mapper());
    }

    private final class Mapper extends RexShuttle {
        private final OuterReferences outer = new OuterReferences(
                (access, id) -> correlations.contains(id) ? Aggregation.this.key(access, id) : access);
        private boolean isInWindow;

        private RexNode key(RexNode rex) {
            if (grouping.hasConstantOfNoRow() && grouping.isConstantKey(rex)) {
                return ofSomeRow(rex);
            }
            int index = grouping.key(rex);
            if (index < 0) {
                return grouping.picked().containsKey(rex) ? picked(rex) : null;
            }
            return analysis.maker().builder().makeInputRef(rel, index);
        }

        private RexNode picked(RexNode column) {
            RexBuilder rexBuilder = analysis.maker().builder();
            RexNode value = rexBuilder.makeInputRef(rel, place(grouping.picked().get(column)));
            return value.getType().equals(column.getType())
                    ? value
                    : rexBuilder.makeAbstractCast(column.getType(), value, false);
        }

        /// A constant for a group that has rows, else NULL.
        private RexNode ofSomeRow(RexNode constant) {
            return ofSomeRow(
                    constant,
                    analysis.maker()
                            .builder()
                            .makeInputRef(rel, rel.getRowType().getFieldCount() - 1));
        }

        private RexNode ofSomeRow(RexNode constant, RexNode rows) {
            RexMaker maker = analysis.maker();
            RexNode none = maker.builder()
                    .makeCall(SqlStdOperatorTable.EQUALS, rows, maker.builder().makeZeroRexNode(rows.getType()));
            RelDataType type = maker.nullable(constant.getType(), true);
            return maker.cases(type, none, maker.nullOf(type), constant);
        }

        /// The rows of a sub-query that compares a row with them: the row's constants are those of this query.
        private RelNode comparedRow(RexSubQuery subQuery, RelNode inner) {
            if (!grouping.hasConstantOfNoRow() || !(inner instanceof LogicalProject project)) {
                return inner;
            }
            for (Select.SubQuery compared : select.comparedRows()) {
                if (compared.rex() == subQuery) {
                    RexBuilder rexBuilder = analysis.maker().builder();
                    RexNode rows = rexBuilder.makeFieldAccess(
                            rexBuilder.makeCorrel(rel.getRowType(), compared.row()),
                            rel.getRowType().getFieldCount() - 1);
                    List<RexNode> comparison = new RexShuttle() {
                        @Override
                        public RexNode visitLiteral(RexLiteral literal) {
                            return grouping.isConstantKey(literal) ? ofSomeRow(literal, rows) : literal;
                        }
                    }.visitList(project.getProjects());
                    return LogicalProject.create(
                            project.getInput(),
                            List.of(),
                            comparison,
                            project.getRowType().getFieldNames(),
                            project.getVariablesSet());
                }
            }
            return inner;
        }

        @Override
        public RexNode visitLiteral(RexLiteral literal) {
            RexNode key = isInWindow ? null : key(literal);
            return key != null ? key : literal;
        }

        /// A frame's bounds are constants as they stand.
        @Override
        public RexWindow visitWindow(RexWindow window) {
            if (grouping.hasConstantOfNoRow()
                    && (hasConstantKey(window.partitionKeys)
                            || window.orderKeys.stream().anyMatch(key -> hasConstantKey(List.of(key.left))))) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: a window over a constant that grouping sets leave out");
            }
            isInWindow = true;
            RexWindow mapped = super.visitWindow(window);
            isInWindow = false;
            return mapped;
        }

        private boolean hasConstantKey(List<RexNode> expressions) {
            boolean[] found = {false};
            expressions.forEach(expression -> expression.accept(new RexShuttle() {
                @Override
                public RexNode visitLiteral(RexLiteral literal) {
                    found[0] |= grouping.isConstantKey(literal);
                    return literal;
                }
            }));
            return found[0];
        }

        @Override
        public RexNode visitInputRef(RexInputRef reference) {
            RexNode key = key(reference);
            if (key != null) {
                return key;
            }
            if (reference.getIndex() < select.fieldCount()) {
                throw ungrouped(reference.getIndex());
            }
            return analysis.maker().builder().makeInputRef(rel, place(reference.getIndex()));
        }

        @Override
        public RexNode visitCall(RexCall call) {
            RexNode key = key(call);
            if (key != null) {
                return key;
            }
            RexNode mapped = super.visitCall(call);
            if (!(mapped instanceof RexCall result) || result.getType().isNullable()) {
                return mapped;
            }
            boolean isNullable = false;
            for (int index = 0; index < result.getOperands().size(); index++) {
                isNullable |= result.getOperands().get(index).getType().isNullable()
                        && !call.getOperands().get(index).getType().isNullable();
            }
            boolean strict = !result.isA(Set.of(
                    SqlKind.IS_NULL,
                    SqlKind.IS_NOT_NULL,
                    SqlKind.IS_TRUE,
                    SqlKind.IS_NOT_TRUE,
                    SqlKind.IS_FALSE,
                    SqlKind.IS_NOT_FALSE,
                    SqlKind.IS_DISTINCT_FROM,
                    SqlKind.IS_NOT_DISTINCT_FROM));
            // Grouping sets make keys NULL that never were.
            if (strict && isNullable) {
                RelDataType type = analysis.maker().nullable(result.getType(), true);
                return result.getKind() == SqlKind.CAST
                        ? analysis.maker()
                                .builder()
                                .makeAbstractCast(type, result.getOperands().get(0), false)
                        : analysis.maker().builder().makeCall(type, result.getOperator(), result.getOperands());
            }
            return mapped;
        }

        @Override
        public RexNode visitFieldAccess(RexFieldAccess access) {
            RexNode key = key(access);
            return key != null ? key : super.visitFieldAccess(access);
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery subQuery) {
            RexNode key = key(subQuery);
            if (key != null) {
                return key;
            }
            RexSubQuery mapped = (RexSubQuery) super.visitSubQuery(subQuery);
            RelNode inner = comparedRow(subQuery, outer.visit(mapped.rel));
            if (mapped == subQuery && inner == mapped.rel) {
                return mapped;
            }
            // Grouping sets make values NULL that never were, and then the answer may be.
            return switch (mapped.getKind()) {
                case IN -> RexSubQuery.in(inner, ImmutableList.copyOf(mapped.getOperands()));
                case SOME ->
                    RexSubQuery.some(inner, ImmutableList.copyOf(mapped.getOperands()), (SqlQuantifyOperator)
                            mapped.getOperator());
                default -> mapped.clone(inner);
            };
        }
    }

    /// Where the result has an aggregate that is a field behind FROM's row.
    private int place(int field) {
        return grouping.keys().size() + field - select.fieldCount();
    }

    /// A reference that a sub-query makes to FROM's row, as one to the aggregation's result.
    private RexNode key(RexFieldAccess access, CorrelationId id) {
        RexMaker maker = analysis.maker();
        int index = access.getField().getIndex();
        int place;
        if (index >= select.fieldCount()) {
            place = place(index);
        } else {
            RexNode field = maker.builder().makeInputRef(input, index);
            Integer picked = grouping.picked().get(field);
            place = picked == null ? grouping.key(field) : place(picked);
            if (place < 0) {
                throw subQueryUngrouped(index);
            }
        }
        RexNode column = maker.builder().makeFieldAccess(maker.builder().makeCorrel(rel.getRowType(), id), place);
        return column.getType().equals(access.getType())
                ? column
                : maker.builder().makeAbstractCast(access.getType(), column, false);
    }

    private QueryException ungrouped(int index) {
        for (Select.ColumnUse use : select.columnUses()) {
            if (use.index() == index) {
                return use.outer()
                        ? subQueryUngrouped(index)
                        : message(use, "must appear in the GROUP BY clause or be used in an aggregate function");
            }
        }
        return new QueryException(
                SqlState.GROUPING_ERROR,
                "column \"" + input.getRowType().getFieldNames().get(index)
                        + "\" must appear in the GROUP BY clause or be used in an aggregate function");
    }

    private QueryException subQueryUngrouped(int index) {
        for (Select.ColumnUse use : select.columnUses()) {
            if (use.index() == index && use.outer()) {
                return analysis.error(
                        SqlState.GROUPING_ERROR,
                        use.at(),
                        "subquery uses ungrouped column \"" + use.name() + "\" from outer query");
            }
        }
        for (Select.ColumnUse use : select.columnUses()) {
            if (use.index() == index) {
                return message(use, "must appear in the GROUP BY clause or be used in an aggregate function");
            }
        }
        return new QueryException(SqlState.GROUPING_ERROR, "subquery uses an ungrouped column from outer query");
    }

    private QueryException message(Select.ColumnUse use, String what) {
        return analysis.error(SqlState.GROUPING_ERROR, use.at(), "column \"" + use.name() + "\" " + what);
    }
}
