package dev.quarrel.calcite.metadata;

import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.rel.QuarrelShared;
import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.core.cpu.scan.TableSample;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// How many different values columns are expected to have.
final class Distincts {
    private final RowCounts rows;

    Distincts(RowCounts rows) {
        this.rows = rows;
    }

    /// Different rows of some columns, where `there` rows of the node are left.
    double of(RelNode rel, List<Integer> columns, double there) {
        Map<TableScan, List<Lineage>> ofTables = new LinkedHashMap<>();
        double product = 1;
        for (int column : columns) {
            Lineage lineage = Lineage.of(rel, column);
            if (lineage == null) {
                product *= computed(rel, column, there);
            } else {
                ofTables.computeIfAbsent(lineage.scan(), _ -> new ArrayList<>()).add(lineage);
            }
        }
        for (List<Lineage> each : ofTables.values()) {
            product *= ofTable(each, there);
        }
        // So many draws of so many combinations.
        double seen = columns.size() < 2 || product > 1e15 ? product : product * -Math.expm1(-there / product);
        return Math.max(1, Math.min(Math.min(seen, product), there));
    }

    /// Of columns of one table, of which no more rows are left than the smallest node on the way has.
    private double ofTable(List<Lineage> columns, double there) {
        Lineage first = columns.getFirst();
        TableScan scan = first.scan();
        List<RexNode> nodes = columns.stream().map(Lineage::node).toList();
        double all = rows.rows(scan);
        double most = there;
        for (RelNode node : first.path()) {
            most = Math.min(most, rows.rows(node));
        }
        double base = ofTable(scan, nodes);
        List<RexNode> given = first.given();
        if (base <= 1 || given.isEmpty()) {
            return left(base, all, most);
        }
        // Conditions over the columns themselves leave fewer values; those over others fewer rows of each.
        ImmutableBitSet own = bits(nodes);
        List<RexNode> onOwn = given.stream()
                .filter(each -> own.intersects(RelOptUtil.InputFinder.bits(each)))
                .toList();
        if (onOwn.isEmpty()) {
            return left(base, all, most);
        }
        double share = rows.selectivities().ofTable(scan, onOwn);
        TableSample.Distinct sample = Samples.distinct(scan, nodes, onOwn);
        double rest = Math.max(1, all * share);
        boolean isSeen = sample != null && sample.rows() >= 30 && sample.once() * 4 < sample.rows();
        double filtered = isSeen ? Math.min(base, scaled(sample, rest)) : Math.max(1, base * share);
        return left(filtered, rest, most);
    }

    private static ImmutableBitSet bits(List<RexNode> nodes) {
        ImmutableBitSet.Builder bits = ImmutableBitSet.builder();
        nodes.forEach(node -> bits.addAll(RelOptUtil.InputFinder.bits(node)));
        return bits.build();
    }

    /// What is left of so many different values of `all` rows when some of the rows are.
    static double left(double distinct, double all, double some) {
        if (some >= all || distinct <= 1) {
            return distinct;
        }
        // Values of as many rows each, of which each is there with the same chance.
        double perValue = Math.max(1, all / distinct);
        return Math.max(1, distinct * -Math.expm1(perValue * Math.log1p(-some / all)));
    }

    /// Different rows that expressions over a table have in all of its rows.
    double ofTable(TableScan scan, List<RexNode> expressions) {
        Table table = Lineage.table(scan);
        double all = Math.max(1, table.stats().rowCount());
        double product = 1;
        double most = 1;
        for (RexNode expression : expressions) {
            double one = one(scan, table, expression, all);
            most = Math.max(most, one);
            product *= one;
        }
        if (expressions.size() < 2 || most >= all * 0.9 || product <= most) {
            return Math.min(product, all);
        }
        TableSample.Distinct sample = Samples.distinct(scan, expressions, List.of());
        return sample == null ? Math.min(product, all) : Math.clamp(scaled(sample, all), most, Math.min(product, all));
    }

    private double one(TableScan scan, Table table, RexNode expression, double all) {
        if (expression instanceof RexInputRef column) {
            double known = column(table, column.getIndex());
            if (known > 0) {
                return known;
            }
        }
        double product = 1;
        for (int column : RelOptUtil.InputFinder.bits(expression)) {
            double known = column(table, column);
            product *= known > 0 ? known : all;
        }
        if (product <= 2) {
            return product;
        }
        TableSample.Distinct sample = Samples.distinct(scan, List.of(expression), List.of());
        return sample == null ? Math.min(product, all) : Math.min(product, scaled(sample, all));
    }

    /// Of a column by the table's statistics; -1 where they do not say. NULL counts as a value.
    private static double column(Table table, int column) {
        ColumnStats stats = table.stats().columns().get(column);
        double values = stats.distinctCount();
        if (values < 0) {
            if (table.schema().type(column) instanceof DataType.Bool) {
                values = 2;
            } else if (stats.min() instanceof Long least
                    && stats.max() instanceof Long greatest
                    && greatest - least >= 0
                    && greatest - least < table.stats().rowCount()) {
                values = greatest - least + 1;
            } else {
                return -1;
            }
        }
        return Math.max(1, values + (stats.nullCount() > 0 ? 1 : 0));
    }

    /// - Source: Charikar and others, "Towards Estimation Error Guarantees for Distinct Values": what came once stands
    ///   for as many values as the root of the sample's share.
    static double scaled(TableSample.Distinct sample, double all) {
        if (sample.isWhole() || sample.rows() == 0) {
            return Math.max(1, sample.distinct());
        }
        if (sample.once() >= sample.rows() * 0.9) {
            // Hardly anything came twice: so many pairs of n rows are equal by chance among n * n / 2.
            double pairs = sample.rows() - sample.distinct();
            return pairs < 3 ? all : Math.min(all, sample.rows() * (double) sample.rows() / 2 / pairs);
        }
        double scale = Math.sqrt(all / sample.rows());
        return Math.min(all, scale * sample.once() + sample.distinct() - sample.once());
    }

    private double computed(RelNode rel, int column, double there) {
        if (rel.getRowType().getFieldList().get(column).getType().getSqlTypeName() == SqlTypeName.BOOLEAN) {
            return Math.min(there, 3);
        }
        return switch (rel) {
            case SetOp set -> {
                double sum = 0;
                for (RelNode input : set.getInputs()) {
                    sum += of(input, List.of(column), rows.rows(input));
                }
                yield Math.min(there, sum);
            }
            case QuarrelWindow window ->
                column < window.getInput().getRowType().getFieldCount()
                        ? computed(window.getInput(), column, there)
                        : overPartitions(window.getInput(), window.partition(), there);
            case Join join -> ofSide(join.getLeft(), join.getRight(), column, there);
            case QuarrelJoin join
            when join.kind().hasCarried() -> ofSide(join.getLeft(), join.getRight(), column, there);
            case QuarrelJoin join -> computed(join.getRight(), column, there);
            case Filter filter -> computed(filter.getInput(), column, there);
            case Sort sort -> computed(sort.getInput(), column, there);
            case SharedRows shared -> computed(shared.query().rel(), column, there);
            case QuarrelShared shared -> computed(shared.getInput(), column, there);
            case Project project -> {
                yield Math.min(
                        there, of(project.getInput(), project.getProjects().get(column), there));
            }
            case Aggregate aggregate
            when column >= aggregate.getGroupCount()
                    && isOfOne(aggregate.getAggCallList().get(column - aggregate.getGroupCount())) -> {
                int argument = aggregate
                        .getAggCallList()
                        .get(column - aggregate.getGroupCount())
                        .getArgList()
                        .getFirst();
                yield Math.min(there, of(aggregate.getInput(), List.of(argument), rows.rows(aggregate.getInput())));
            }
            case Aggregate aggregate
            when column >= aggregate.getGroupCount()
                    && aggregate
                                    .getAggCallList()
                                    .get(column - aggregate.getGroupCount())
                                    .getAggregation()
                                    .getKind()
                            == SqlKind.COUNT -> {
                // Most groups have about as many rows; the root of all rows is the most that there can be.
                double input = rows.rows(aggregate.getInput());
                yield Math.min(there, Math.min(Math.sqrt(2 * input), 4 * input / rows.rows(aggregate)));
            }
            case Aggregate aggregate
            when column < aggregate.getGroupCount() ->
                Math.min(
                        there,
                        of(
                                aggregate.getInput(),
                                List.of(aggregate.getGroupSet().nth(column)),
                                rows.rows(aggregate.getInput())));
            default -> there;
        };
    }

    /// MIN, MAX: a value of one of the rows.
    private static boolean isOfOne(AggregateCall call) {
        return (call.getAggregation().getKind() == SqlKind.MIN
                        || call.getAggregation().getKind() == SqlKind.MAX)
                && !call.getArgList().isEmpty();
    }

    private double ofSide(RelNode left, RelNode right, int column, double there) {
        int leftCount = left.getRowType().getFieldCount();
        if (column < leftCount) {
            return Math.min(there, of(left, List.of(column), rows.rows(left)));
        }
        int place = column - leftCount;
        return place < right.getRowType().getFieldCount()
                ? Math.min(there, of(right, List.of(place), rows.rows(right)))
                : 2;
    }

    /// Numbers within partitions.
    private double overPartitions(RelNode input, List<Integer> partition, double there) {
        double all = rows.rows(input);
        return partition.isEmpty() ? there : Math.max(1, Math.min(there, all / of(input, partition, all)));
    }

    /// Of an expression that comes from no table alone.
    private double of(RelNode input, RexNode node, double there) {
        return switch (node) {
            case RexLiteral _ -> 1;
            case RexOver over ->
                overPartitions(
                        input,
                        over.getWindow().partitionKeys.stream()
                                .filter(RexInputRef.class::isInstance)
                                .map(key -> ((RexInputRef) key).getIndex())
                                .toList(),
                        there);
            case RexCall call
            when call.getKind() == SqlKind.CASE -> {
                double sum = 0;
                List<RexNode> operands = call.getOperands();
                for (int operand = 1; operand < operands.size(); operand += 2) {
                    sum += of(input, operands.get(operand), there);
                }
                yield sum + of(input, operands.getLast(), there);
            }
            default -> {
                ImmutableBitSet inputs = RelOptUtil.InputFinder.bits(node);
                yield inputs.isEmpty() ? 1 : of(input, inputs.asList(), there);
            }
        };
    }

    /// Different keys of one side, before conditions on other columns left some of them out.
    double domain(RelNode rel, List<Integer> keys, double there) {
        Map<TableScan, List<Lineage>> ofTables = new LinkedHashMap<>();
        double product = 1;
        for (int key : keys) {
            Lineage lineage = Lineage.of(rel, key);
            if (lineage == null) {
                product *= of(rel, List.of(key), there);
            } else {
                ofTables.computeIfAbsent(lineage.scan(), _ -> new ArrayList<>()).add(lineage);
            }
        }
        for (Map.Entry<TableScan, List<Lineage>> each : ofTables.entrySet()) {
            List<RexNode> nodes = each.getValue().stream().map(Lineage::node).toList();
            ImmutableBitSet own = bits(nodes);
            List<RexNode> onKeys = each.getValue().getFirst().given().stream()
                    .filter(condition -> own.contains(RelOptUtil.InputFinder.bits(condition)))
                    .toList();
            double base = ofTable(each.getKey(), nodes);
            product *= onKeys.isEmpty()
                    ? base
                    : Math.max(1, base * rows.selectivities().ofTable(each.getKey(), onKeys));
        }
        return product;
    }
}
