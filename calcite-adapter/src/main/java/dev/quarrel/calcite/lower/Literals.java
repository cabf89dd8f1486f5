package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.LocalTime;
import java.util.Calendar;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;

/// Translates Calcite's literals to the engine's own.
final class Literals {
    private static final long DAY_MICROS = 86_400_000_000L;
    private static final BigInteger LIMIT = BigInteger.TEN.pow(DataType.Decimal.MAX_PRECISION);

    private Literals() {}

    /// - Errors: [Unlowerable] for a value that the type cannot hold.
    static Literal of(RexLiteral literal, DataType type) {
        if (literal.isNull()) {
            return Literal.ofNull(type);
        }
        Literal exact = exact(literal, type);
        if (exact == null) {
            throw new Unlowerable("no " + type + " is " + literal);
        }
        return exact;
    }

    /// A literal's value in another type, if that type has it exactly (numbers to float64: rounded, as
    /// PostgreSQL rounds them); null otherwise, and for what is no literal.
    static Literal as(RexNode node, DataType type) {
        if (node instanceof RexCall cast
                && cast.getKind() == SqlKind.CAST
                && isRead(type)
                && type.equals(RowTypes.orNull(cast.getType()))) {
            return as(cast.getOperands().getFirst(), type);
        }
        if (!(node instanceof RexLiteral literal)) {
            return null;
        }
        if (literal.isNull()) {
            return Literal.ofNull(type);
        }
        DataType from = RowTypes.orNull(literal.getType());
        boolean isNumber = from != null && isNumber(from) && isNumber(type);
        boolean isDay = type instanceof DataType.Date && DataType.TIMESTAMP.equals(from);
        boolean isText = from instanceof DataType.Utf8 && isRead(type);
        return from != null && (isNumber || isDay || isText || from.equals(type)) ? exact(literal, type) : null;
    }

    /// Whether constants of the type are texts under a cast.
    private static boolean isRead(DataType type) {
        return switch (type) {
            case DataType.Uuid _, DataType.Binary _, DataType.Time _, DataType.Interval _ -> true;
            default -> false;
        };
    }

    /// Whether a comparison with `type` may take the literal as `type`: the value is there without loss.
    static boolean fits(RexNode written, DataType type) {
        // The plan is for values that are there without loss, too, where this one is: see SlotFill.
        RexNode node = written instanceof LiftedLiteral lifted ? lifted.literal() : written;
        return switch (type) {
            case DataType.Date _ -> as(node, type) != null;
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Decimal _ -> {
                DataType from = RowTypes.orNull(node.getType());
                boolean isFloat = from instanceof DataType.Float32 || from instanceof DataType.Float64;
                yield !isFloat && as(node, type) != null;
            }
            default -> false;
        };
    }

    private static boolean isNumber(DataType type) {
        return switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Decimal _,
                    DataType.Numeric _ -> true;
            default -> false;
        };
    }

    /// The value of an exact number's literal, with the scale it was written with; null for others.
    static BigDecimal decimalOrNull(RexLiteral literal) {
        return switch (literal.getType().getSqlTypeName()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL -> {
                BigDecimal value = literal.getValueAs(BigDecimal.class);
                int scale = literal.getType().getSqlTypeName() == SqlTypeName.DECIMAL
                        ? Math.max(value.scale(), scaleOf(literal))
                        : Math.max(value.scale(), 0);
                yield value.setScale(scale, RoundingMode.UNNECESSARY);
            }
            default -> null;
        };
    }

    private static int scaleOf(RexLiteral literal) {
        return RowTypes.of(literal.getType()) instanceof DataType.Decimal(int _, int scale) ? scale : 0;
    }

    private static Literal exact(RexLiteral literal, DataType type) {
        return switch (type) {
            case DataType.Bool _ -> literal.getValue() instanceof Boolean value ? new Literal(type, value) : null;
            case DataType.Int16 _ -> integer(literal, type, Short.MIN_VALUE, Short.MAX_VALUE);
            case DataType.Int32 _ -> integer(literal, type, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case DataType.Int64 _ -> integer(literal, type, Long.MIN_VALUE, Long.MAX_VALUE);
            case DataType.Float32 _ -> {
                Double value = float64(literal);
                boolean same = value != null && (double) value.floatValue() == value;
                yield same || value != null && RowTypes.of(literal.getType()).equals(type)
                        ? new Literal(type, value.floatValue())
                        : null;
            }
            case DataType.Float64 _ -> {
                Double value = float64(literal);
                yield value == null ? null : new Literal(type, value);
            }
            case DataType.Decimal(int precision, int scale) -> {
                BigDecimal value = decimalOrNull(literal);
                if (value == null || value.stripTrailingZeros().scale() > scale) {
                    yield null;
                }
                BigDecimal scaled = value.setScale(scale, RoundingMode.UNNECESSARY);
                yield scaled.unscaledValue().abs().compareTo(BigInteger.TEN.pow(precision)) < 0
                        ? new Literal(type, scaled)
                        : null;
            }
            case DataType.Numeric _ -> {
                BigDecimal value = decimalOrNull(literal);
                yield value != null && value.unscaledValue().abs().compareTo(LIMIT) < 0
                        ? new Literal(type, value)
                        : null;
            }
            case DataType.Date _ -> date(literal, type);
            case DataType.Timestamp _ -> timestamp(literal, type);
            case DataType.Uuid _, DataType.Binary _, DataType.Interval _ -> read(literal, type);
            case DataType.Time _ ->
                literal.getTypeName() == SqlTypeName.TIME ? time(literal, type) : read(literal, type);
            case DataType.Utf8 _ -> text(literal, type);
        };
    }

    /// The value that PostgreSQL reads from the text; null for text that is an error of the rows that get there.
    private static Literal read(RexLiteral literal, DataType type) {
        Literal text = text(literal, DataType.UTF8);
        try {
            return text == null ? null : PgParse.literal((String) text.value(), PgType.Declared.of(type));
        } catch (QueryException _) {
            return null;
        }
    }

    private static Literal integer(RexLiteral literal, DataType type, long min, long max) {
        BigDecimal value = decimalOrNull(literal);
        if (value == null || value.stripTrailingZeros().scale() > 0) {
            return null;
        }
        boolean isIn = value.compareTo(BigDecimal.valueOf(min)) >= 0 && value.compareTo(BigDecimal.valueOf(max)) <= 0;
        return isIn ? new Literal(type, value.longValueExact()) : null;
    }

    private static Double float64(RexLiteral literal) {
        Object value = literal.getValue();
        return switch (value) {
            case BigDecimal number -> number.doubleValue();
            case Double number -> number;
            case Float number -> (double) number;
            case null, default -> null;
        };
    }

    private static Literal date(RexLiteral literal, DataType type) {
        if (literal.getTypeName() == SqlTypeName.TIMESTAMP) {
            // Midnight compares with a date as that date does.
            long micros = micros(literal.getValueAs(TimestampString.class));
            return Math.floorMod(micros, DAY_MICROS) == 0 ? new Literal(type, Math.floorDiv(micros, DAY_MICROS)) : null;
        }
        return literal.getTypeName() == SqlTypeName.DATE
                ? new Literal(type, (long) literal.getValueAs(DateString.class).getDaysSinceEpoch())
                : null;
    }

    private static Literal timestamp(RexLiteral literal, DataType type) {
        return switch (literal.getTypeName()) {
            case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                TimestampString value = literal.getValueAs(TimestampString.class);
                yield new Literal(type, micros(value));
            }
            default -> null;
        };
    }

    private static Literal time(RexLiteral literal, DataType type) {
        return new Literal(
                type,
                LocalTime.parse(literal.getValueAs(TimeString.class).toString()).toNanoOfDay() / 1_000);
    }

    private static long micros(TimestampString value) {
        // Whole seconds and the fraction apart: getMillisSinceEpoch drops microseconds.
        String text = value.toString();
        int point = text.indexOf('.');
        long millis = new TimestampString(point < 0 ? text : text.substring(0, point)).getMillisSinceEpoch();
        long fraction = point < 0 ? 0 : Long.parseLong((text.substring(point + 1) + "000000").substring(0, 6));
        return Math.addExact(Math.multiplyExact(millis, 1000L), fraction);
    }

    private static Literal text(RexLiteral literal, DataType type) {
        if (literal.getValue() instanceof Calendar) {
            return null;
        }
        return SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())
                ? new Literal(type, literal.getValueAs(String.class))
                : null;
    }
}
