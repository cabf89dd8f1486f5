package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;

/// Functions that give rows, in a select list: takes their calls out of its expressions, innermost first. Those that
/// hold no other are called side by side, then those that hold them, and so on.
///
/// - Source: PostgreSQL's split_pathtarget_at_srfs in `tlist.c`, and `nodeProjectSet.c`.
final class RowsInSelect {
    private final RexMaker maker;
    private final Set<CorrelationId> correlations;
    private RelNode rel;
    private List<RexNode> expressions;

    private RowsInSelect(RexMaker maker, RelNode rel, List<RexNode> expressions, Set<CorrelationId> correlations) {
        this.maker = maker;
        this.rel = rel;
        this.expressions = expressions;
        this.correlations = correlations;
    }

    /// Whether a function that gives rows is called in an expression.
    static boolean in(RexNode node) {
        boolean[] found = {false};
        node.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
                found[0] |= call.getOperator() instanceof RowsOperator;
                return super.visitCall(call);
            }
        });
        return found[0];
    }

    /// Expressions that call no such function, over rows that have their results.
    ///
    /// @param sorted whether the rows are in order now
    /// @param isDistinct whether of rows that are alike in what DISTINCT ON lists only the first is there now
    record Expanded(RelNode rel, List<RexNode> expressions, boolean sorted, boolean isDistinct) {}

    /// @param isDistinct whether rows that are alike will be one
    /// @param distinctOn the expressions that DISTINCT ON lists, if there is one
    /// @param order over the expressions: it is made first if there is one and it needs no result of the
    /// functions, and so is DISTINCT ON if neither does
    static Expanded of(
            RexMaker maker,
            RelNode input,
            List<RexNode> expressions,
            Set<CorrelationId> correlations,
            boolean isDistinct,
            ImmutableBitSet distinctOn,
            List<RelFieldCollation> order) {
        if (expressions.stream().noneMatch(RowsInSelect::in)) {
            return new Expanded(input, expressions, false, false);
        }
        RowsInSelect rows = new RowsInSelect(maker, input, expressions, correlations);
        rows.takeWindows();
        boolean isOrderedBefore =
                !order.isEmpty() && order.stream().noneMatch(key -> in(expressions.get(key.getFieldIndex())));
        boolean distinctFirst = !distinctOn.isEmpty()
                && isOrderedBefore
                && distinctOn.asList().stream().noneMatch(field -> in(expressions.get(field)));
        if (distinctFirst) {
            rows.distinct(distinctOn, order);
        }
        boolean sortsFirst = (!isDistinct || distinctFirst) && isOrderedBefore;
        if (sortsFirst) {
            rows.sort(order);
        }
        while (rows.expressions.stream().anyMatch(RowsInSelect::in)) {
            rows.takeInnermost();
        }
        return new Expanded(rows.rel, rows.expressions, sortsFirst, distinctFirst);
    }

    /// Window functions see the rows before there are more of them.
    private void takeWindows() {
        Set<RexNode> windows = new LinkedHashSet<>();
        for (RexNode expression : expressions) {
            expression.accept(new RexVisitorImpl<Void>(true) {
                @Override
                public Void visitOver(RexOver over) {
                    windows.add(over);
                    return null;
                }
            });
        }
        if (!windows.isEmpty()) {
            replace(beside(List.copyOf(windows)));
        }
    }

    private void distinct(ImmutableBitSet fields, List<RelFieldCollation> order) {
        Map<RexNode, Integer> places =
                beside(fields.asList().stream().map(expressions::get).toList());
        List<RelFieldCollation> collations = collations(order);
        ImmutableBitSet keys = ImmutableBitSet.of(fields.asList().stream()
                .map(field -> places.get(expressions.get(field)))
                .toList());
        rel = Places.first(maker, rel, keys, collations);
    }

    /// An order over the expressions, as one over columns.
    private List<RelFieldCollation> collations(List<RelFieldCollation> order) {
        Map<RexNode, Integer> places = beside(
                order.stream().map(key -> expressions.get(key.getFieldIndex())).toList());
        return order.stream()
                .map(key -> key.withFieldIndex(places.get(expressions.get(key.getFieldIndex()))))
                .toList();
    }

    private void sort(List<RelFieldCollation> order) {
        List<RelFieldCollation> collations = collations(order);
        rel = LogicalSort.create(rel, RelCollations.of(collations), null, null);
    }

    private void takeInnermost() {
        Map<RexCall, List<RexNode>> calls = new LinkedHashMap<>();
        expressions.forEach(expression -> expression.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
                if (call.getOperator() instanceof RowsOperator
                        && call.getOperands().stream().noneMatch(RowsInSelect::in)) {
                    calls.put(call, call.getOperands());
                    return null;
                }
                return super.visitCall(call);
            }
        }));
        int width = rel.getRowType().getFieldCount();
        Map<RexNode, Integer> arguments =
                beside(calls.values().stream().flatMap(List::stream).toList());
        var rowType = maker.factory().builder();
        rowType.addAll(rel.getRowType().getFieldList().subList(0, width));
        List<QuarrelFunctions.Call> made = new ArrayList<>();
        Map<RexNode, Integer> results = new LinkedHashMap<>();
        calls.forEach((call, operands) -> {
            results.put(call, width + made.size());
            made.add(new QuarrelFunctions.Call(
                    ((RowsOperator) call.getOperator()).row(),
                    operands.stream().map(arguments::get).toList()));
            rowType.add("rows$", maker.nullable(call.getType(), true));
        });
        rel = new QuarrelFunctions(
                rel.getCluster(),
                rel.getCluster().traitSetOf(Convention.NONE),
                rel,
                width,
                made,
                false,
                false,
                rowType.uniquify().build());
        replace(results);
    }

    /// Puts expressions beside the columns that are there; tells where each is.
    private Map<RexNode, Integer> beside(List<RexNode> added) {
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < rel.getRowType().getFieldCount(); column++) {
            columns.add(maker.builder().makeInputRef(rel, column));
        }
        int width = columns.size();
        Map<RexNode, Integer> places = new LinkedHashMap<>();
        for (RexNode expression : added) {
            if (expression instanceof RexInputRef column) {
                places.put(expression, column.getIndex());
            } else if (!places.containsKey(expression)) {
                places.put(expression, columns.size());
                columns.add(expression);
            }
        }
        if (columns.size() > width) {
            rel = LogicalProject.create(rel, List.of(), columns, (List<String>) null, correlations);
        }
        return places;
    }

    private void replace(Map<RexNode, Integer> places) {
        RexShuttle shuttle = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                Integer place = places.get(call);
                return place == null ? super.visitCall(call) : column(place);
            }

            @Override
            public RexNode visitOver(RexOver over) {
                Integer place = places.get(over);
                return place == null ? super.visitOver(over) : column(place);
            }
        };
        expressions = expressions.stream().map(each -> each.accept(shuttle)).toList();
    }

    private RexNode column(int place) {
        RelDataType type = rel.getRowType().getFieldList().get(place).getType();
        return new RexInputRef(place, type);
    }
}
