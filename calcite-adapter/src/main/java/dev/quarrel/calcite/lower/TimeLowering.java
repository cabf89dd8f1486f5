package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/// Lowers arithmetic on dates and times, and the functions that work with their fields: EXTRACT and
/// date_trunc.
final class TimeLowering {
    private final ProgramBuilder program;
    private final ValueWriter values;

    TimeLowering(ProgramBuilder program, ValueWriter values) {
        this.program = program;
        this.values = values;
    }

    /// Whether a call of PLUS or another arithmetic operator is one of dates and times.
    static boolean isOfTimes(RexCall call) {
        List<RexNode> operands = call.getOperands();
        return operands.size() > 1
                && (isTime(operands.get(0)) || isTime(operands.get(1)) && call.getKind() == SqlKind.PLUS);
    }

    private static boolean isTime(RexNode node) {
        DataType type = RowTypes.orNull(node.getType());
        return type instanceof DataType.Date || type instanceof DataType.Timestamp;
    }

    private static boolean isInterval(RexNode node) {
        return SqlTypeName.INTERVAL_TYPES.contains(node.getType().getSqlTypeName());
    }

    int arithmetic(RexCall call, DataType type, int mask) {
        RexNode left = call.getOperands().get(0);
        RexNode right = call.getOperands().get(1);
        boolean plus = call.getKind() == SqlKind.PLUS;
        if (plus && !isTime(left)) {
            RexNode swapped = left;
            left = right;
            right = swapped;
        }
        DataType from = RowTypes.of(left.getType());
        if (isInterval(right)) {
            return addInterval(left, right, plus, mask);
        }
        if (from instanceof DataType.Date && isTime(right) && RowTypes.of(right.getType()) instanceof DataType.Date) {
            return program.value(
                    Opcode.SUB_DATE_DATE, DataType.INT32, mask, 0, values.lower(left, mask), values.lower(right, mask));
        }
        DataType by = RowTypes.of(right.getType());
        if (from instanceof DataType.Date && (by instanceof DataType.Int32 || by instanceof DataType.Int16)) {
            return program.value(
                    plus ? Opcode.ADD_DATE_INT32 : Opcode.SUB_DATE_INT32,
                    DataType.DATE,
                    mask,
                    0,
                    values.lower(left, mask),
                    values.lowerAs(right, DataType.INT32, mask));
        }
        throw new Unlowerable(from + " " + call.getKind().sql + " " + by + " giving " + type + " has no opcode");
    }

    /// Timestamp ± one of Calcite's own interval literals.
    private int addInterval(RexNode time, RexNode interval, boolean plus, int mask) {
        if (!(interval instanceof RexLiteral literal) || literal.isNull()) {
            throw new Unlowerable("arithmetic with an interval that is no constant has no opcode");
        }
        DataType type = RowTypes.of(time.getType()) instanceof DataType.Timestamp known ? known : DataType.TIMESTAMP;
        BigDecimal amount = literal.getValueAs(BigDecimal.class);
        boolean isYears =
                SqlTypeName.YEAR_INTERVAL_TYPES.contains(interval.getType().getSqlTypeName());
        Interval value = isYears
                ? new Interval(amount.intValueExact(), 0, 0)
                : new Interval(0, 0, amount.multiply(BigDecimal.valueOf(1000)).longValueExact());
        return program.value(
                plus ? Opcode.ADD_TIMESTAMP_INTERVAL : Opcode.SUB_TIMESTAMP_INTERVAL,
                type,
                mask,
                0,
                values.lowerAs(time, type, mask),
                values.constant(new Literal(DataType.INTERVAL, value), mask));
    }

    int extract(List<RexNode> operands, int mask) {
        DateField field = field(operands.get(0));
        RexNode operand = operands.get(1);
        return switch (RowTypes.of(operand.getType())) {
            case DataType.Date _ -> {
                if (isOfTime(field)) {
                    throw new Unlowerable("date units \"" + name(field) + "\" have no opcode");
                }
                yield program.value(
                        Opcode.EXTRACT_DATE, DataType.INT32, mask, field.ordinal(), values.lower(operand, mask));
            }
            case DataType.Timestamp _ ->
                program.value(
                        Opcode.EXTRACT_TIMESTAMP, DataType.NUMERIC, mask, field.ordinal(), values.lower(operand, mask));
            case DataType.Time _ ->
                program.value(
                        Opcode.EXTRACT_TIME, DataType.NUMERIC, mask, field.ordinal(), values.lower(operand, mask));
            case DataType.Interval _ ->
                program.value(
                        Opcode.EXTRACT_INTERVAL, DataType.NUMERIC, mask, field.ordinal(), values.lower(operand, mask));
            default -> throw new Unlowerable("extract from " + operand.getType() + " has no opcode");
        };
    }

    private static boolean isOfTime(DateField field) {
        return switch (field) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS, EPOCH -> true;
            default -> false;
        };
    }

    private static String name(DateField field) {
        return field.name().toLowerCase(Locale.ROOT);
    }

    private static DateField field(RexNode node) {
        if (!(node instanceof RexLiteral literal) || literal.isNull()) {
            throw new Unlowerable("a date field that is no constant has no opcode");
        }
        Object value = literal.getValue();
        String name = value instanceof TimeUnitRange range
                ? range.name()
                : literal.getTypeName() == SqlTypeName.SYMBOL ? value.toString() : literal.getValueAs(String.class);
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "YEAR", "YEARS" -> DateField.YEAR;
            case "QUARTER" -> DateField.QUARTER;
            case "MONTH", "MONTHS" -> DateField.MONTH;
            case "DAY", "DAYS" -> DateField.DAY;
            case "HOUR", "HOURS" -> DateField.HOUR;
            case "MINUTE", "MINUTES" -> DateField.MINUTE;
            case "SECOND", "SECONDS" -> DateField.SECOND;
            case "MILLISECOND", "MILLISECONDS" -> DateField.MILLISECONDS;
            case "MICROSECOND", "MICROSECONDS" -> DateField.MICROSECONDS;
            case "DOW" -> DateField.DOW;
            case "ISODOW" -> DateField.ISODOW;
            case "DOY" -> DateField.DOY;
            case "WEEK" -> DateField.WEEK;
            case "ISOYEAR" -> DateField.ISOYEAR;
            case "DECADE" -> DateField.DECADE;
            case "CENTURY" -> DateField.CENTURY;
            case "MILLENNIUM" -> DateField.MILLENNIUM;
            case "EPOCH" -> DateField.EPOCH;
            default -> throw new Unlowerable("date field " + name + " has no opcode");
        };
    }

    int dateTrunc(List<RexNode> operands, int mask) {
        if (operands.size() != 2) {
            throw new Unlowerable("date_trunc with a time zone has no opcode");
        }
        DateField field = field(operands.get(0));
        RexNode time = operands.get(1);
        if (RowTypes.of(time.getType()) instanceof DataType.Interval span) {
            return program.value(Opcode.TRUNC_INTERVAL, span, mask, field.ordinal(), values.lower(time, mask));
        }
        if (!(RowTypes.of(time.getType()) instanceof DataType.Timestamp type)) {
            throw new Unlowerable("date_trunc of " + time.getType() + " has no opcode");
        }
        return program.value(Opcode.TRUNC_TIMESTAMP, type, mask, field.ordinal(), values.lower(time, mask));
    }
}
