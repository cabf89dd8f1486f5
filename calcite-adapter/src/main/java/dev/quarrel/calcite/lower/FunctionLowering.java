package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.OpcodeFunction;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/// Lowers function calls: to the opcode or kernel that the operator specifies, or else by the function's name.
final class FunctionLowering {
    private final ProgramBuilder program;
    private final ValueWriter values;
    private final ToIntFunction<RexNode> outerParameter;
    private final TextLowering texts;
    private final NumberLowering numbers;
    private final TimeLowering times;
    private final ConditionalLowering conditionals;

    /// @param outerParameter parameter number of the moment that a call such as now() answers
    FunctionLowering(
            ProgramBuilder program,
            ValueWriter values,
            ToIntFunction<RexNode> outerParameter,
            TextLowering texts,
            NumberLowering numbers,
            TimeLowering times,
            ConditionalLowering conditionals) {
        this.program = program;
        this.values = values;
        this.outerParameter = outerParameter;
        this.texts = texts;
        this.numbers = numbers;
        this.times = times;
        this.conditionals = conditionals;
    }

    int function(RexCall call, DataType type, int mask) {
        List<RexNode> operands = call.getOperands();
        if (call.getOperator() instanceof CatalogFunction function) {
            return catalogFunction(function.row(), operands, mask);
        }
        if (call.getOperator() instanceof OpcodeFunction one) {
            Integer[] registers = new Integer[operands.size()];
            for (int index = 0; index < registers.length; index++) {
                registers[index] =
                        values.lowerAs(operands.get(index), one.arguments().get(index), mask);
            }
            return program.value(one.opcode(), one.result(), mask, 0, registers);
        }
        String name = call.getOperator().getName().toLowerCase(Locale.ROOT);
        return switch (name) {
            case "||" -> texts.concat(operands, mask);
            case "concat" -> texts.concatPresent(operands, mask);
            case "~", "!~", "~*", "!~*", "posix regex case sensitive", "posix regex case insensitive" ->
                texts.regex(name, operands, mask);
            case "~~", "!~~", "~~*", "!~~*" -> texts.likeSymbol(name, operands, mask);
            case "like_escape" -> throw new Unlowerable("like_escape has no opcode");
            case "lower" -> texts.functionOf(Opcode.LOWER, DataType.UTF8, operands, mask);
            case "padded_text" -> values.lowerAs(operands.getFirst(), DataType.UTF8, mask);
            case "upper" -> texts.functionOf(Opcode.UPPER, DataType.UTF8, operands, mask);
            case "length", "char_length", "character_length" -> texts.length(name, operands, mask);
            case "substring", "substr" -> texts.substring(operands, mask);
            case "ltrim" -> texts.trimFunction(Opcode.LTRIM, operands, mask);
            case "rtrim" -> texts.trimFunction(Opcode.RTRIM, operands, mask);
            case "btrim", "trim" -> texts.trimFunction(Opcode.BTRIM, operands, mask);
            case "replace" -> texts.functionOf(Opcode.REPLACE, DataType.UTF8, operands, mask);
            case "strpos" -> texts.functionOf(Opcode.POSITION, DataType.INT32, operands, mask);
            case "left" -> texts.textAndCount(Opcode.LEFT, operands, mask);
            case "right" -> texts.textAndCount(Opcode.RIGHT, operands, mask);
            case "abs" -> numbers.abs(operands.getFirst(), type, mask);
            case "mod" -> numbers.binary(SqlKind.MOD, operands.get(0), operands.get(1), type, mask);
            case "round", "trunc", "truncate" -> numbers.rounding(name, operands, type, mask);
            case "floor" -> numbers.whole(Opcode.FLOOR_NUMERIC, Opcode.FLOOR_FLOAT64, operands, type, mask);
            case "ceil", "ceiling" -> numbers.whole(Opcode.CEIL_NUMERIC, Opcode.CEIL_FLOAT64, operands, type, mask);
            case "extract", "date_part" -> times.extract(operands, mask);
            case "date_trunc" -> times.dateTrunc(operands, mask);
            case "now", "current_timestamp", "current_date" ->
                values.parameter(outerParameter.applyAsInt(call), type, mask);
            case "greatest", "least" -> conditionals.extreme(name.equals("greatest"), operands, type, mask);
            case "nullif" -> conditionals.nullIf(operands, type, mask);
            case "coalesce" -> conditionals.coalesce(operands, 0, type, mask);
            default -> throw new Unlowerable(name + " has no opcode");
        };
    }

    private int catalogFunction(FunctionRow row, List<RexNode> operands, int mask) {
        List<Integer> registers = new ArrayList<>();
        for (int index = 0; index < operands.size(); index++) {
            DataType type =
                    index < row.arguments().size() ? row.arguments().get(index).dataType() : DataType.UTF8;
            registers.add(values.lowerAs(operands.get(index), type, mask));
        }
        return switch (row.kind()) {
            case FunctionRow.Kind.Instruction(Opcode opcode) ->
                program.value(opcode, row.result().dataType(), mask, 0, registers.toArray(Integer[]::new));
            case FunctionRow.Kind.Kernel _ -> program.call(row.callee(), mask, registers);
            default -> throw new Unlowerable(row.signature() + " is no instruction");
        };
    }
}
