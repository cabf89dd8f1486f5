package dev.quarrel.calcite.explain;

import dev.quarrel.core.collate.PatternPreface;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Translates a program's registers back into readable SQL expressions, which EXPLAIN shows as filters, outputs
/// and keys.
final class PlanExpressions {
    private final Program program;
    private final List<Slot> slots;
    private final List<String> inputs;
    private final Map<Integer, Instruction> writers = new HashMap<>();

    /// @param inputs an expression for each of the program's inputs
    PlanExpressions(Program program, List<Slot> slots, List<String> inputs) {
        this.program = program;
        this.slots = slots;
        this.inputs = inputs;
        program.code().forEach(instruction -> writers.put(instruction.result(), instruction));
    }

    /// An expression for each output.
    List<String> outputs() {
        return program.outputs().stream().map(this::value).toList();
    }

    /// What the program keeps rows by, in the order of its checks; empty when it keeps all.
    List<String> filters() {
        List<String> filters = new ArrayList<>();
        for (int mask = program.selection(); mask != 0; mask = writers.get(mask).mask()) {
            filters.add(condition(mask));
        }
        Collections.reverse(filters);
        return filters;
    }

    /// What holds in a mask's rows, beside what holds in those of the mask it was derived from.
    private String condition(int mask) {
        Instruction writer = writers.get(mask);
        int argument = writer.arguments().getFirst();
        return switch (writer.op()) {
            case MASK_TRUE -> value(argument);
            case MASK_NOT_TRUE -> "(" + value(argument) + " IS NOT TRUE)";
            case MASK_NOT_FALSE -> "(" + value(argument) + " IS NOT FALSE)";
            case MASK_PRESENT -> "(" + value(argument) + " IS NOT NULL)";
            case MASK_MINUS -> "(NOT " + condition(argument) + ")";
            default -> throw new IllegalStateException(writer.op() + " makes no mask");
        };
    }

    private String value(int register) {
        Instruction writer = writers.get(register);
        List<Integer> arguments = writer.arguments();
        Opcode op = writer.op();
        return switch (op) {
            case LOAD -> inputs.get(writer.immediate());
            case CONST -> constant(slots.get(writer.immediate()));
            case SELECT -> {
                String chosen = condition(arguments.get(0));
                yield "CASE WHEN " + chosen + " THEN " + value(arguments.get(1)) + " ELSE " + value(arguments.get(2))
                        + " END";
            }
            case NOT -> "(NOT " + value(arguments.getFirst()) + ")";
            case IS_NULL -> "(" + value(arguments.getFirst()) + " IS NULL)";
            case IS_NOT_NULL -> "(" + value(arguments.getFirst()) + " IS NOT NULL)";
            case IS_TRUE -> "(" + value(arguments.getFirst()) + " IS TRUE)";
            case IS_FALSE -> "(" + value(arguments.getFirst()) + " IS FALSE)";
            case CAST -> "(" + value(arguments.getFirst()) + ")::" + PgType.defaultName(program.valueType(register));
            case LIKE -> "(" + value(arguments.get(0)) + " ~~ " + value(arguments.get(1)) + ")";
            case ILIKE -> "(" + value(arguments.get(0)) + " ~~* " + value(arguments.get(1)) + ")";
            case EXTRACT_DATE, EXTRACT_TIMESTAMP ->
                "EXTRACT(" + field(writer) + " FROM " + value(arguments.getFirst()) + ")";
            case TRUNC_TIMESTAMP ->
                "date_trunc('" + field(writer).toLowerCase(Locale.ROOT) + "', " + value(arguments.getFirst()) + ")";
            default -> operation(writer);
        };
    }

    private String operation(Instruction instruction) {
        Opcode op = instruction.op();
        List<String> values = instruction.arguments().stream().map(this::value).toList();
        boolean isWord = Character.isLetter(instruction.symbol().charAt(0)) && op != Opcode.AND && op != Opcode.OR;
        if (isWord || values.size() > 2) {
            return instruction.symbol() + "(" + String.join(", ", values) + ")";
        }
        String symbol = op.symbol().toUpperCase(Locale.ROOT);
        return values.size() == 1
                ? "(" + symbol + " " + values.getFirst() + ")"
                : "(" + values.get(0) + " " + symbol + " " + values.get(1) + ")";
    }

    private static String field(Instruction instruction) {
        return DateField.of(instruction.immediate()).name();
    }

    static String constant(Slot slot) {
        return switch (slot) {
            case Slot.Parameter(int number, var _) -> "$" + number;
            case Slot.Constant(Literal literal) -> constant(literal);
        };
    }

    private static String constant(Literal literal) {
        if (literal.isNull()) {
            return "NULL";
        }
        return switch (literal.type()) {
            case DataType.Date _ -> "'" + LocalDate.ofEpochDay((Long) literal.value()) + "'";
            case DataType.Timestamp _ ->
                "'"
                        + LocalDateTime.ofEpochSecond(
                                Math.floorDiv((Long) literal.value(), 1_000_000L),
                                (int) Math.floorMod((Long) literal.value(), 1_000_000L) * 1000,
                                ZoneOffset.UTC)
                        + "'";
            case DataType.Time _, DataType.Interval _ -> "'" + PgText.text(literal) + "'";
            case DataType.Utf8 _ ->
                "'" + PatternPreface.written((String) literal.value()).replace("'", "''") + "'";
            case DataType.Uuid _, DataType.Binary _ -> "'" + literal.value() + "'";
            case DataType.Bool _,
                    DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Decimal _,
                    DataType.Numeric _ ->
                switch (literal.value()) {
                    case BigDecimal number -> number.toPlainString();
                    case SpecialNumeric special -> "'" + special + "'";
                    case Object other -> other.toString();
                };
        };
    }
}
