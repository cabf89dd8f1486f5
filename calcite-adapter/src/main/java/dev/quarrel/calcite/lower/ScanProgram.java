package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;

/// Expressions over a table's columns as a program that can be run at planning time: without parameters.
///
/// @param columns of the table that are the program's inputs
public record ScanProgram(int[] columns, Program program, List<Literal> slotValues) {
    /// One that selects the rows for which all conditions are true; null where it cannot be known now.
    ///
    /// @param types of the table's columns
    public static ScanProgram filter(List<RexNode> conditions, List<DataType> types, RexBuilder rexBuilder) {
        return of(conditions, List.of(), types, rexBuilder);
    }

    /// One that selects the rows for which all conditions are true, and whose outputs are the values of expressions;
    /// null where they cannot be known now.
    public static ScanProgram of(
            List<RexNode> conditions, List<RexNode> expressions, List<DataType> types, RexBuilder rexBuilder) {
        int[] columns = Stream.concat(conditions.stream(), expressions.stream())
                .flatMapToInt(node ->
                        RelOptUtil.InputFinder.bits(node).asList().stream().mapToInt(Integer::intValue))
                .distinct()
                .sorted()
                .toArray();
        if (columns.length == 0 || columns[columns.length - 1] >= types.size()) {
            return null;
        }
        List<DataType> inputs = Arrays.stream(columns).mapToObj(types::get).toList();
        ProgramBuilder builder = new ProgramBuilder(inputs);
        Slots slots = new Slots();
        try {
            RexLowering lowering = new RexLowering(
                    builder,
                    slots,
                    rexBuilder,
                    column -> Arrays.binarySearch(columns, column),
                    ScanProgram::unknown,
                    new Failing(types, rexBuilder),
                    true);
            int rows = lowering.filter(conditions, ProgramBuilder.ALL_ROWS);
            List<Integer> outputs = expressions.stream()
                    .map(node -> lowering.lower(node, rows))
                    .distinct()
                    .toList();
            Program program = builder.build(rows, outputs, slots.all());
            if (!slots.all().stream().allMatch(slot -> slot instanceof Slot.Constant)) {
                return null;
            }
            List<Literal> values = slots.all().stream()
                    .map(slot -> ((Slot.Constant) slot).literal())
                    .toList();
            return new ScanProgram(columns, program, values);
        } catch (Unlowerable _) {
            return null;
        }
    }

    private static int unknown(RexNode node) {
        throw new Unlowerable(node + " is known when the statement runs");
    }
}
