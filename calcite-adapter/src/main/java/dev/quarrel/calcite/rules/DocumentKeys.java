package dev.quarrel.calcite.rules;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.rel.QuarrelAggregate;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// Groupings by values whose texts may differ though they are equal, such as jsonb with its numbers, and by rows: by
/// bytes that are the same where the values are equal. One of a group's values stands for all.
final class DocumentKeys {
    private DocumentKeys() {}

    static boolean isDocument(RelDataType type) {
        return SqlTypes.pgType(type) == PgType.JSONB
                || SqlTypes.isKeyedRow(type)
                || SqlTypes.isKeyed(type) && !SqlTypes.isEqualAsText(type);
    }

    /// The groups of an input's rows: the keys' columns, then the aggregates'.
    static RelNode group(
            Conversion conversion,
            RexBuilder rexBuilder,
            RelNode input,
            ImmutableBitSet keys,
            List<AggregateCall> calls) {
        List<Integer> documents = keys.asList().stream()
                .filter(key -> isDocument(type(input, key)))
                .toList();
        if (documents.isEmpty()) {
            return new QuarrelAggregate(
                    conversion.cluster(), conversion.traits(), input, keys, ImmutableList.of(keys), calls);
        }
        int width = input.getRowType().getFieldCount();
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < width; column++) {
            columns.add(rexBuilder.makeInputRef(input, column));
        }
        RexMaker maker = new RexMaker(rexBuilder);
        List<Integer> newKeys = new ArrayList<>(keys.asList());
        newKeys.removeAll(documents);
        int plainKeys = newKeys.size();
        List<AggregateCall> all = new ArrayList<>(calls);
        for (int document : documents) {
            newKeys.add(columns.size());
            columns.add(Operators.orderKey(maker, columns.get(document)));
            all.add(Conversion.aggregateOf(
                    AggregateTable.aggregate("any_value"), document, maker.nullable(type(input, document), true)));
        }
        RelNode wide = conversion.projectRows(input, columns);
        ImmutableBitSet groups = ImmutableBitSet.of(newKeys);
        RelNode grouped = new QuarrelAggregate(
                conversion.cluster(), conversion.traits(), wide, groups, ImmutableList.of(groups), all);
        List<RexNode> outputs = new ArrayList<>();
        int nextKey = 0;
        int nextDocument = newKeys.size() + calls.size();
        for (int key : keys) {
            outputs.add(
                    documents.contains(key)
                            ? asKey(rexBuilder, rexBuilder.makeInputRef(grouped, nextDocument++), type(input, key))
                            : rexBuilder.makeInputRef(grouped, nextKey++));
        }
        if (nextKey != plainKeys) {
            throw new IllegalStateException("keys are out of order");
        }
        for (int call = 0; call < calls.size(); call++) {
            outputs.add(rexBuilder.makeInputRef(grouped, newKeys.size() + call));
        }
        return conversion.projectRows(grouped, outputs);
    }

    /// A group has rows: some value of a column without NULLs is none either.
    private static RexNode asKey(RexBuilder rexBuilder, RexNode value, RelDataType type) {
        return type.isNullable() ? value : rexBuilder.makeAbstractCast(type, value, false);
    }

    private static RelDataType type(RelNode input, int column) {
        return input.getRowType().getFieldList().get(column).getType();
    }
}
