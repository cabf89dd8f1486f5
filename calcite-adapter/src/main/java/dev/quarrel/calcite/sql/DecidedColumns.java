package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.rel.OuterReferences;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Whole;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;

/// The columns that a grouped query may read although it does not group by them: those of a table that FROM names, all
/// of whose primary key's columns are in every grouping set. A row that an outer join leaves out has NULL in all.
///
/// They become further keys, which divide no group, or one value of each group where their type has no groups.
///
/// - Source: PostgreSQL's check_functional_grouping in `pg_constraint.c`.
final class DecidedColumns {
    private final Grouping grouping;
    private final RexBuilder rexBuilder;
    private final RelNode input;
    private final Set<CorrelationId> correlations;
    private final ImmutableBitSet decided;
    private final Set<RexNode> read = new LinkedHashSet<>();

    private DecidedColumns(
            Grouping grouping, FromItem from, RelNode input, Set<CorrelationId> correlations, RexBuilder rexBuilder) {
        this.grouping = grouping;
        this.rexBuilder = rexBuilder;
        this.input = input;
        this.correlations = correlations;
        this.decided = decided(grouping, from);
    }

    /// The grouping, also by what expressions read of such columns.
    ///
    /// @param select takes aggregates for what cannot be a key
    /// @param input FROM's rows
    /// @param correlations names by which sub-queries refer to them
    /// @param expressions over FROM's row, of all that is made of groups
    static Grouping added(
            Grouping grouping,
            Select select,
            FromItem from,
            RelNode input,
            Set<CorrelationId> correlations,
            List<RexNode> expressions) {
        RexBuilder rexBuilder = input.getCluster().getRexBuilder();
        DecidedColumns columns = new DecidedColumns(grouping, from, input, correlations, rexBuilder);
        if (columns.decided.isEmpty()) {
            return grouping;
        }
        Finder finder = columns.new Finder();
        expressions.forEach(expression -> expression.accept(finder));
        List<RexNode> keys = new ArrayList<>();
        Map<RexNode, Integer> picked = new LinkedHashMap<>();
        for (RexNode column : columns.read) {
            PgType type = SqlTypes.pgType(column.getType());
            if (type == PgType.OTHER || type.isDocument()) {
                Select.AggregateUse use =
                        new Select.AggregateUse(AggregateFunction.ANY_VALUE, false, List.of(column), null);
                picked.put(column, select.add(use, -1));
            } else {
                keys.add(column);
            }
        }
        return grouping.with(keys, picked);
    }

    private static ImmutableBitSet decided(Grouping grouping, FromItem from) {
        ImmutableBitSet grouped = ImmutableBitSet.of();
        for (int key = 0; key < grouping.keys().size(); key++) {
            int place = key;
            if (grouping.keys().get(key) instanceof RexInputRef column
                    && grouping.sets().stream().allMatch(set -> set.get(place))) {
                grouped = grouped.set(column.getIndex());
            }
        }
        ImmutableBitSet decided = ImmutableBitSet.of();
        for (Entry entry : from.entries()) {
            if (entry.row() instanceof Whole.OfTable table
                    && !table.primaryKey().isEmpty()) {
                List<Integer> fields = new ArrayList<>();
                entry.columns().forEach(column -> fields.add(column.index()));
                List<Integer> key = new ArrayList<>();
                table.primaryKey()
                        .forEach(name -> key.add(fields.get(table.columns().indexOf(name))));
                if (key.stream().allMatch(grouped::get)) {
                    decided = decided.union(ImmutableBitSet.of(fields));
                }
            }
        }
        return decided;
    }

    private final class Finder extends RexVisitorImpl<Void> {
        private final OuterReferences outer = new OuterReferences((access, id) -> {
            if (correlations.contains(id)) {
                found(access.getField().getIndex());
            }
            return access;
        });

        Finder() {
            super(true);
        }

        private void found(int field) {
            RexNode column = field < input.getRowType().getFieldCount() ? rexBuilder.makeInputRef(input, field) : null;
            if (column != null && decided.get(field) && grouping.key(column) < 0) {
                read.add(column);
            }
        }

        @Override
        public Void visitInputRef(RexInputRef column) {
            found(column.getIndex());
            return null;
        }

        @Override
        public Void visitFieldAccess(RexFieldAccess access) {
            if (access.getReferenceExpr() instanceof RexCorrelVariable variable && correlations.contains(variable.id)) {
                found(access.getField().getIndex());
            }
            return super.visitFieldAccess(access);
        }

        @Override
        public Void visitSubQuery(RexSubQuery query) {
            outer.visit(query.rel);
            return super.visitSubQuery(query);
        }
    }
}
