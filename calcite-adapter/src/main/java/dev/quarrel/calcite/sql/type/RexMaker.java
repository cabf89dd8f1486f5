package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.TimestampString;

/// Makes RexNodes exactly as requested: it simplifies and folds nothing except exact conversions of number
/// literals.
public final class RexMaker {
    private static final int MAX_DIGITS = 38;

    /// Days of years 1 to 9999, which is all that Calcite's date literals hold.
    private static final long FIRST_DAY = -719_162;

    private static final long LAST_DAY = 2_932_896;

    private final RexBuilder rex;
    private final Literals literals;
    private final LiteralOrigins origins = new LiteralOrigins();
    private int volatileCalls;

    public RexMaker(RexBuilder rex) {
        this.rex = rex;
        this.literals = new Literals(rex.getTypeFactory());
    }

    /// Exposes the RexBuilder's protected method that makes literals of any type; its public ones go through
    /// casts.
    private static final class Literals extends RexBuilder {
        Literals(RelDataTypeFactory factory) {
            super(factory);
        }

        RexLiteral literal(Comparable<?> value, RelDataType type, SqlTypeName valueClass) {
            return makeLiteral(value, type, valueClass);
        }
    }

    public RexBuilder builder() {
        return rex;
    }

    public LiteralOrigins origins() {
        return origins;
    }

    public RelDataTypeFactory factory() {
        return rex.getTypeFactory();
    }

    public RelDataType nullable(RelDataType type, boolean nullable) {
        return factory().createTypeWithNullability(type, nullable);
    }

    /// The NOT NULL type that values of `type` have where nothing more is known.
    public RelDataType rel(SqlType type, int typmod) {
        return SqlTypes.relType(factory(), type.pgType(), typmod);
    }

    public RelDataType rel(SqlType type) {
        return rel(type, -1);
    }

    public RelDataType decimal(int precision, int scale) {
        int digits = Math.min(Math.max(precision, Math.max(scale, 1)), MAX_DIGITS);
        return scale > MAX_DIGITS
                ? SqlTypes.numeric(factory())
                : factory().createSqlType(SqlTypeName.DECIMAL, digits, scale);
    }

    public RexNode call(SqlOperator operator, RelDataType type, RexNode... arguments) {
        return call(operator, type, List.of(arguments));
    }

    /// A call of a function that answers anew each time: a number tells it from its like, with which it would be
    /// taken for one.
    public RexNode volatileCall(SqlOperator operator, RelDataType type, List<RexNode> arguments) {
        List<RexNode> all = new ArrayList<>();
        all.add(integer(++volatileCalls, SqlType.INT4));
        all.addAll(arguments);
        return rex.makeCall(nullable(type, true), operator, all);
    }

    /// A call that is NULL if any argument is.
    public RexNode call(SqlOperator operator, RelDataType type, List<RexNode> arguments) {
        boolean nullable = arguments.stream().anyMatch(each -> each.getType().isNullable());
        return rex.makeCall(nullable(type, nullable), operator, arguments);
    }

    public RexNode notNull(SqlOperator operator, RelDataType type, RexNode... arguments) {
        return rex.makeCall(nullable(type, false), operator, List.of(arguments));
    }

    /// CASE: conditions and values by turns, and what holds otherwise.
    public RexNode cases(RelDataType type, RexNode... operands) {
        return rex.makeCall(type, SqlStdOperatorTable.CASE, List.of(operands));
    }

    public RelDataType bool() {
        return rel(SqlType.BOOL);
    }

    public RexNode not(RexNode condition) {
        return call(SqlStdOperatorTable.NOT, bool(), condition);
    }

    public RexNode and(List<RexNode> conditions) {
        return conditions.size() == 1
                ? conditions.get(0)
                : call(SqlStdOperatorTable.AND, bool(), flat(SqlStdOperatorTable.AND, conditions));
    }

    public RexNode or(List<RexNode> conditions) {
        return conditions.size() == 1
                ? conditions.get(0)
                : call(SqlStdOperatorTable.OR, bool(), flat(SqlStdOperatorTable.OR, conditions));
    }

    private static List<RexNode> flat(SqlOperator operator, List<RexNode> conditions) {
        return conditions.stream()
                .flatMap(each -> each instanceof org.apache.calcite.rex.RexCall call && call.getOperator() == operator
                        ? call.getOperands().stream()
                        : java.util.stream.Stream.of(each))
                .toList();
    }

    public RexLiteral literal(boolean value) {
        return rex.makeLiteral(value);
    }

    public RexNode flag(TimeUnitRange unit) {
        return rex.makeFlag(unit);
    }

    public RexLiteral integer(long value, SqlType type) {
        return literals.literal(BigDecimal.valueOf(value), rel(type), SqlTypeName.DECIMAL);
    }

    /// A numeric literal: DECIMAL of its digits, or NUMERIC beyond 38.
    public RexLiteral decimal(BigDecimal value) {
        BigDecimal exact = value.scale() < 0 ? value.setScale(0) : value;
        return literals.literal(exact, decimal(exact.precision(), exact.scale()), SqlTypeName.DECIMAL);
    }

    /// Calcite brings a literal to its type's scale, and `numeric` has none: there the literal keeps its own
    /// under a cast.
    RexNode decimal(BigDecimal value, RelDataType type) {
        if (SqlTypes.isNumeric(type)) {
            return rex.makeAbstractCast(nullable(type, false), decimal(value), false);
        }
        return literals.literal(value, type, SqlTypeName.DECIMAL);
    }

    public RexNode float8(double value) {
        return literals.literal(value, rel(SqlType.FLOAT8), SqlTypeName.DOUBLE);
    }

    public RexNode float4(float value) {
        return literals.literal((double) value, rel(SqlType.FLOAT4), SqlTypeName.DOUBLE);
    }

    public RexNode string(String value, RelDataType type) {
        return literals.literal(new NlsString(value, null, null), type, SqlTypeName.CHAR);
    }

    /// null where Calcite cannot hold the day.
    public RexNode date(long days) {
        return days < FIRST_DAY || days > LAST_DAY
                ? null
                : literals.literal(DateString.fromDaysSinceEpoch((int) days), rel(SqlType.DATE), SqlTypeName.DATE);
    }

    /// null where Calcite cannot hold the moment.
    public RexNode timestamp(long micros, SqlType type) {
        long days = Math.floorDiv(micros, Interval.MICROS_PER_DAY);
        if (days < FIRST_DAY || days > LAST_DAY) {
            return null;
        }
        TimestampString text = timestampString(micros);
        return literals.literal(
                text,
                rel(type),
                type == SqlType.TIMESTAMP ? SqlTypeName.TIMESTAMP : SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE);
    }

    private static TimestampString timestampString(long micros) {
        long seconds = Math.floorDiv(micros, 1_000_000L);
        int nanos = (int) Math.floorMod(micros, 1_000_000L) * 1_000;
        LocalDateTime moment = LocalDateTime.ofEpochSecond(seconds, nanos, ZoneOffset.UTC);
        return new TimestampString(
                        moment.getYear(),
                        moment.getMonthValue(),
                        moment.getDayOfMonth(),
                        moment.getHour(),
                        moment.getMinute(),
                        moment.getSecond())
                .withNanos(nanos);
    }

    public RexNode nullOf(RelDataType type) {
        return rex.makeNullLiteral(nullable(type, true));
    }

    /// CAST to a NOT NULL type; the result is NULL where the value is. Number literals become literals where
    /// that is exact.
    public RexNode cast(RelDataType target, RexNode value) {
        RelDataType type = nullable(target, value.getType().isNullable());
        if (type.equals(value.getType())) {
            return value;
        }
        if (value instanceof RexLiteral literal) {
            if (literal.isNull()) {
                return nullOf(target);
            }
            if (literal.getTypeName() == SqlTypeName.DECIMAL) {
                RexNode exact = exact(literal.getValueAs(BigDecimal.class), target);
                if (exact != null) {
                    origins.converted(value, exact);
                    return exact;
                }
            }
        }
        return rex.makeAbstractCast(type, value, false);
    }

    private RexNode exact(BigDecimal number, RelDataType target) {
        if (SqlTypes.isNumeric(target)) {
            return number.precision() <= MAX_DIGITS && number.scale() <= MAX_DIGITS ? decimal(number, target) : null;
        }
        if (target instanceof PostgresRelType) {
            return null;
        }
        return switch (target.getSqlTypeName()) {
            case SMALLINT, INTEGER, BIGINT -> {
                int bits = target.getSqlTypeName() == SqlTypeName.SMALLINT
                        ? 15
                        : target.getSqlTypeName() == SqlTypeName.INTEGER ? 31 : 63;
                yield number.scale() == 0 && number.unscaledValue().bitLength() <= bits
                        ? decimal(number, target)
                        : null;
            }
            case DECIMAL ->
                number.scale() <= target.getScale()
                                && number.precision() - number.scale() <= target.getPrecision() - target.getScale()
                        ? decimal(number.setScale(target.getScale()), target)
                        : null;
            case DOUBLE -> {
                double value = number.doubleValue();
                yield Double.isInfinite(value) || value == 0 && number.signum() != 0 ? null : float8(value);
            }
            default -> null;
        };
    }
}
