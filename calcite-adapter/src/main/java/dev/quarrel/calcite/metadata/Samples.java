package dev.quarrel.calcite.metadata;

import dev.quarrel.calcite.lower.ScanProgram;
import dev.quarrel.core.cpu.scan.TableSample;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexNode;

/// What samples of tables have said, so that each question is asked once as long as the table's files stand.
///
/// - Memory: some hundred answers a table, for tables that somebody holds.
final class Samples {
    private static final int MAX_ANSWERS = 512;

    private static final Map<Table, Map<String, Optional<Object>>> KNOWN =
            Collections.synchronizedMap(new WeakHashMap<>());

    private Samples() {}

    /// The share of a table's sample that meets all conditions; null where it cannot be said.
    static TableSample.Share share(TableScan scan, List<RexNode> conditions) {
        Table table = Lineage.table(scan);
        return (TableSample.Share) known(table, "share " + conditions, () -> {
            ScanProgram program = ScanProgram.filter(
                    conditions, types(table), scan.getCluster().getRexBuilder());
            return program == null
                    ? null
                    : TableSample.share(table, program.columns(), program.program(), program.slotValues());
        });
    }

    /// How many different rows some expressions are in a table's sample, of rows that meet all conditions; null where
    /// it cannot be said.
    static TableSample.Distinct distinct(TableScan scan, List<RexNode> expressions, List<RexNode> conditions) {
        Table table = Lineage.table(scan);
        return (TableSample.Distinct) known(table, "distinct " + expressions + " where " + conditions, () -> {
            ScanProgram program = ScanProgram.of(
                    conditions, expressions, types(table), scan.getCluster().getRexBuilder());
            return program == null
                    ? null
                    : TableSample.distinct(table, program.columns(), program.program(), program.slotValues());
        });
    }

    private static List<DataType> types(Table table) {
        return table.schema().fields().stream().map(Field::type).toList();
    }

    private static Object known(Table table, String question, Supplier<Object> asked) {
        Map<String, Optional<Object>> answers = KNOWN.computeIfAbsent(
                table,
                _ -> Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Optional<Object>> eldest) {
                        return size() > MAX_ANSWERS;
                    }
                }));
        Optional<Object> answer = answers.get(question);
        if (answer == null) {
            answer = Optional.ofNullable(asked.get());
            answers.put(question, answer);
        }
        return answer.orElse(null);
    }
}
