package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.Select.AggregateUse;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// The aggregation of a SELECT: a projection of keys and arguments, and the aggregate over it; and the way of
/// expressions over FROM's row to its result.
final class Aggregation {
    private final Analysis analysis;
    private final Select select;
    private final Grouping grouping;
    private final RelNode input;
    private final RelNode rel;

    /// Fields of the aggregate by place in the grouping: it puts keys first.
    Aggregation(Analysis analysis, Select select, Grouping grouping, RelNode input) {
        this.analysis = analysis;
        this.select = select;
        this.grouping = grouping;
        this.input = input;
        this.rel = make();
    }

    RelNode rel() {
        return rel;
    }

    private RelNode make() {
        RexMaker maker = analysis.maker();
        List<RexNode> fields = new ArrayList<>(grouping.keys());
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
        RelNode projected = input;
        boolean plain = fields.size() == input.getRowType().getFieldCount();
        for (int index = 0; plain && index < fields.size(); index++) {
            plain = fields.get(index) instanceof RexInputRef reference && reference.getIndex() == index;
        }
        if (fields.isEmpty()) {
            // count(*) alone: no field is needed, but a projection of none is not allowed everywhere.
            plain = true;
        }
        if (!plain) {
            projected = LogicalProject.create(input, List.of(), fields, (List<String>) null, Set.of());
        }
        ImmutableBitSet keys = ImmutableBitSet.range(grouping.keys().size());
        List<AggregateCall> calls = new ArrayList<>();
        for (int index = 0; index < places.size(); index++) {
            AggregateUse use = select.aggregates().get(index);
            Place place = places.get(index);
            boolean hasEmptyGroup = grouping.sets().contains(ImmutableBitSet.of());
            calls.add(AggregateCall.create(
                    use.function(),
                    use.distinct(),
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
                    null));
        }
        if (grouping.isSimple()) {
            return LogicalAggregate.create(projected, List.of(), keys, null, calls);
        }
        // An aggregate has each set once; sets that are there again make their rows again.
        List<RelNode> parts = new ArrayList<>();
        List<ImmutableBitSet> rest = new ArrayList<>(grouping.sets());
        while (!rest.isEmpty()) {
            Set<ImmutableBitSet> once = new LinkedHashSet<>(rest);
            once.forEach(rest::remove);
            parts.add(LogicalAggregate.create(
                    projected, List.of(), keys, ImmutableBitSet.ORDERING.immutableSortedCopy(once), calls));
        }
        return parts.size() == 1 ? parts.getFirst() : LogicalUnion.create(parts, true);
    }

    /// The argument, computed for the filter's rows alone: in others it may not fail.
    private static RexNode counted(RexMaker maker, RexNode argument, RexNode filter) {
        if (filter == null || !(argument instanceof RexCall)) {
            return argument;
        }
        RelDataType type = maker.nullable(argument.getType(), true);
        return maker.builder().makeCall(type, SqlStdOperatorTable.CASE, List.of(filter, argument, maker.nullOf(type)));
    }

    /// Where an aggregate finds its arguments and its filter.
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

    /// An expression over FROM's row (and its aggregates) as one over the aggregation's result.
    ///
    /// - Errors: 42803 for a column that is not grouped by.
    RexNode above(RexNode rex) {
        return rex.accept(new Mapper());
    }

    private final class Mapper extends RexShuttle {
        private RexNode key(RexNode rex) {
            if (rex instanceof RexLiteral) {
                return null;
            }
            int index = grouping.keys().indexOf(rex);
            return index < 0 ? null : analysis.maker().builder().makeInputRef(rel, index);
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
            int place = grouping.keys().size() + reference.getIndex() - select.fieldCount();
            return analysis.maker().builder().makeInputRef(rel, place);
        }

        @Override
        public RexNode visitCall(RexCall call) {
            RexNode key = key(call);
            if (key != null) {
                return key;
            }
            boolean wasNullable =
                    call.getOperands().stream().anyMatch(each -> each.getType().isNullable());
            RexNode mapped = super.visitCall(call);
            if (!(mapped instanceof RexCall result) || result.getType().isNullable()) {
                return mapped;
            }
            boolean isNullable = result.getOperands().stream()
                    .anyMatch(each -> each.getType().isNullable());
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
            if (strict && isNullable && !wasNullable) {
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
            RelDataType row = input.getRowType();
            RelNode inner = mapped.rel.accept(new RelHomogeneousShuttle() {
                @Override
                public RelNode visit(RelNode other) {
                    RelNode visited = super.visit(other);
                    return visited.accept(new Correlations(row));
                }
            });
            return inner == mapped.rel ? mapped : mapped.clone(inner);
        }
    }

    /// Turns references of sub-queries to FROM's row into references to the aggregation's result.
    private final class Correlations extends RexShuttle {
        private final RelDataType row;

        Correlations(RelDataType row) {
            this.row = row;
        }

        @Override
        public RexNode visitFieldAccess(RexFieldAccess access) {
            if (access.getReferenceExpr() instanceof RexCorrelVariable variable
                    && variable.getType().equals(row)) {
                RexNode field = analysis.maker()
                        .builder()
                        .makeInputRef(input, access.getField().getIndex());
                int key = grouping.keys().indexOf(field);
                if (key < 0) {
                    throw subQueryUngrouped(access.getField().getIndex());
                }
                return analysis.maker()
                        .builder()
                        .makeFieldAccess(analysis.maker().builder().makeCorrel(rel.getRowType(), variable.id), key);
            }
            return super.visitFieldAccess(access);
        }
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
        return new QueryException(SqlState.GROUPING_ERROR, "subquery uses an ungrouped column from outer query");
    }

    private QueryException message(Select.ColumnUse use, String what) {
        return analysis.error(SqlState.GROUPING_ERROR, use.at(), "column \"" + use.name() + "\" " + what);
    }
}
