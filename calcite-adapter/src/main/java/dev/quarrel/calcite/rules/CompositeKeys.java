package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// Groups and sorts by a table's composites as by the columns of their fields, and by where they are NULL themselves:
/// no key is made of a row's text then. One of a group's composites stands for all.
///
/// Composites that are no table's columns, or have many fields, are left to [DocumentKeys] and [Conversion].
final class CompositeKeys extends RelHomogeneousShuttle {
    private static final int MAX_COLUMNS = 8;

    private final RexBuilder rexBuilder;
    private final RexMaker maker;

    private CompositeKeys(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
        this.maker = new RexMaker(rexBuilder);
    }

    static RelNode apply(RelNode root) {
        return new CompositeKeys(root.getCluster().getRexBuilder()).visit(root);
    }

    @Override
    public RelNode visit(RelNode node) {
        RelNode rel = super.visit(node);
        return switch (rel) {
            case Aggregate aggregate when aggregate.getGroupType() == Aggregate.Group.SIMPLE -> grouped(aggregate);
            case Sort sort -> sorted(sort);
            default -> rel;
        };
    }

    private RelNode sorted(Sort sort) {
        RelNode input = sort.getInput();
        int width = input.getRowType().getFieldCount();
        List<RelFieldCollation> keys = new ArrayList<>();
        for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
            int first = input.getRowType().getFieldCount();
            boolean isOrdered = areOrdered(SqlTypes.other(type(sort, key.getFieldIndex())));
            RelNode wide = isOrdered ? withFields(input, key.getFieldIndex()) : null;
            if (wide == null) {
                keys.add(key);
                continue;
            }
            input = wide;
            keys.add(key.withFieldIndex(first)); // there, or NULL
            RelFieldCollation.NullDirection nulls = key.getDirection().isDescending()
                    ? RelFieldCollation.NullDirection.FIRST
                    : RelFieldCollation.NullDirection.LAST;
            for (int column = first + 1; column < wide.getRowType().getFieldCount(); column++) {
                keys.add(new RelFieldCollation(column, key.getDirection(), nulls));
            }
        }
        if (input == sort.getInput()) {
            return sort;
        }
        RelNode sorted = LogicalSort.create(input, RelCollations.of(keys), sort.offset, sort.fetch);
        List<RexNode> outputs = new ArrayList<>();
        for (int column = 0; column < width; column++) {
            outputs.add(rexBuilder.makeInputRef(sorted, column));
        }
        return LogicalProject.create(
                sorted, List.of(), outputs, sort.getRowType().getFieldNames(), Set.of());
    }

    /// Whether the columns of a composite's fields order as its fields do: labels and texts of a collation do not.
    private static boolean areOrdered(OtherType composite) {
        return composite != null
                && composite.fields().stream().allMatch(field -> {
                    boolean isByBytes =
                            field.collation() == null || field.collation().isByBytes();
                    OtherType other = field.other();
                    return isByBytes && (other == null || !other.isEnum() && (!other.isRow() || areOrdered(other)));
                });
    }

    private RelNode grouped(Aggregate aggregate) {
        RelNode input = aggregate.getInput();
        List<Integer> keys = new ArrayList<>();
        Map<Integer, Integer> composites = new HashMap<>();
        List<AggregateCall> calls = new ArrayList<>(aggregate.getAggCallList());
        for (int key : aggregate.getGroupSet()) {
            int width = input.getRowType().getFieldCount();
            RelNode wide = withFields(input, key);
            if (wide == null) {
                keys.add(key);
                continue;
            }
            input = wide;
            keys.addAll(ImmutableBitSet.range(width, wide.getRowType().getFieldCount())
                    .asList());
            composites.put(key, calls.size());
            calls.add(Conversion.aggregateOf(
                    AggregateTable.aggregate("any_value"), key, maker.nullable(type(aggregate.getInput(), key), true)));
        }
        if (composites.isEmpty()) {
            return aggregate;
        }
        ImmutableBitSet groups = ImmutableBitSet.of(keys);
        RelNode grouped = LogicalAggregate.create(input, List.of(), groups, null, calls);
        List<RexNode> outputs = new ArrayList<>();
        for (int key : aggregate.getGroupSet()) {
            Integer call = composites.get(key);
            RexNode value =
                    rexBuilder.makeInputRef(grouped, call == null ? groups.indexOf(key) : groups.cardinality() + call);
            RelDataType type = type(aggregate.getInput(), key);
            outputs.add(value.getType().equals(type) ? value : rexBuilder.makeAbstractCast(type, value, false));
        }
        for (int call = 0; call < aggregate.getAggCallList().size(); call++) {
            outputs.add(rexBuilder.makeInputRef(grouped, groups.cardinality() + call));
        }
        return LogicalProject.create(
                grouped, List.of(), outputs, aggregate.getRowType().getFieldNames(), Set.of());
    }

    private static RelDataType type(RelNode rel, int column) {
        return rel.getRowType().getFieldList().get(column).getType();
    }

    /// The rows with the columns of a composite's fields behind them; null where there is no way to have them so.
    private static RelNode withFields(RelNode rel, int column) {
        RelDataType type = type(rel, column);
        String name = SqlTypes.isKeyedRow(type) && SqlTypes.other(type).isRow() ? columnName(rel, column) : null;
        List<String> names = new ArrayList<>();
        if (name == null || !addFields(pathOf(name), SqlTypes.other(type), names) || names.size() > MAX_COLUMNS) {
            return null;
        }
        RelNode wide = rel;
        for (String each : names) {
            wide = wide == null ? null : CompositeFields.carried(wide, column, each);
        }
        return wide;
    }

    private static FieldPath pathOf(String column) {
        FieldPath path = FieldPath.parse(column);
        return path == null ? new FieldPath(column) : path;
    }

    /// @return whether files have each field as a column of its type would have it
    private static boolean addFields(FieldPath path, OtherType composite, List<String> names) {
        names.add(FilePart.Kind.STRUCT.of(path.toString()));
        for (Field field : composite.fields()) {
            FieldPath own = path.child(field.name());
            boolean isComposite = field.other() != null
                    && field.other().isRow()
                    && !field.other().fields().isEmpty();
            if (field.type() instanceof DataType.Interval || isComposite && !addFields(own, field.other(), names)) {
                return false;
            }
            if (!isComposite) {
                names.add(own.toString());
            }
        }
        return true;
    }

    /// As the table has it; null for what is none's column.
    private static String columnName(RelNode rel, int column) {
        return switch (rel) {
            case TableScan scan -> scan.getRowType().getFieldNames().get(column);
            case Filter filter -> columnName(filter.getInput(), column);
            case Sort sort -> columnName(sort.getInput(), column);
            case Project project ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? columnName(project.getInput(), input.getIndex())
                        : null;
            case Join join
            when join.getJoinType().projectsRight() -> {
                int width = join.getLeft().getRowType().getFieldCount();
                yield column < width ? columnName(join.getLeft(), column) : columnName(join.getRight(), column - width);
            }
            default -> null;
        };
    }
}
