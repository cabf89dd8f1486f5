package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.TimestampString;

/// Evaluates constant expressions at planning time, with the same engine that would evaluate them row by row. It
/// leaves an expression that fails unchanged: the error is raised only if a row reaches the expression.
final class Folding extends RexShuttle {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

    /// Days of years 1 to 9999, which is all that Calcite's literals hold.
    private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();

    private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();

    private static final String MIDNIGHT = " 00:00:00";

    private static final Set<SqlKind> COMPARISONS = EnumSet.of(
            SqlKind.EQUALS,
            SqlKind.NOT_EQUALS,
            SqlKind.LESS_THAN,
            SqlKind.LESS_THAN_OR_EQUAL,
            SqlKind.GREATER_THAN,
            SqlKind.GREATER_THAN_OR_EQUAL);

    private final Writer writer;

    private Folding(RexBuilder rexBuilder) {
        this.writer = new Writer(rexBuilder);
    }

    static RelNode apply(RelNode root) {
        Folding folding = new Folding(root.getCluster().getRexBuilder());
        return root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode other) {
                return super.visit(other).accept(folding);
            }
        });
    }

    /// A condition, with its constants computed.
    static RexNode folded(RexNode condition, RexBuilder rexBuilder) {
        return condition.accept(new Folding(rexBuilder));
    }

    @Override
    public RexNode visitOver(RexOver over) {
        return over;
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery query) {
        RexSubQuery inner = (RexSubQuery) super.visitSubQuery(query);
        RelNode rel = Folding.apply(inner.rel);
        return rel == inner.rel ? inner : inner.clone(rel);
    }

    @Override
    public RexNode visitCall(RexCall call) {
        if (!isConstant(call)) {
            return withDates(super.visitCall(call));
        }
        Literal value = new Failing(List.of(), writer.rexBuilder).constant(call);
        RexNode literal = value == null ? null : writer.literal(value, call.getType());
        return literal == null ? call : literal;
    }

    /// A date beside a midnight is compared as a date: so batches can be skipped by the column's statistics.
    private RexNode withDates(RexNode node) {
        if (!(node instanceof RexCall call) || !COMPARISONS.contains(call.getKind())) {
            return node;
        }
        RexNode left = call.getOperands().get(0);
        RexNode right = call.getOperands().get(1);
        RexNode leftDate = asDate(left, right);
        RexNode rightDate = asDate(right, left);
        return leftDate == null || rightDate == null
                ? node
                : writer.rexBuilder.makeCall(call.getType(), call.getOperator(), List.of(leftDate, rightDate));
    }

    private RexNode asDate(RexNode node, RexNode other) {
        if (node instanceof RexCall cast
                && cast.getKind() == SqlKind.CAST
                && cast.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP
                && cast.getOperands().getFirst().getType().getSqlTypeName() == SqlTypeName.DATE
                && other instanceof RexLiteral) {
            return cast.getOperands().getFirst();
        }
        if (node instanceof RexLiteral literal
                && !literal.isNull()
                && literal.getTypeName() == SqlTypeName.TIMESTAMP
                && other.getKind() == SqlKind.CAST) {
            String text = literal.getValueAs(TimestampString.class).toString();
            return text.endsWith(MIDNIGHT)
                    ? writer.rexBuilder.makeDateLiteral(
                            new DateString(text.substring(0, text.length() - MIDNIGHT.length())))
                    : null;
        }
        return null;
    }

    private static boolean isConstant(RexNode node) {
        return switch (node) {
            case RexLiteral _ -> true;
            case RexOver _, RexSubQuery _ -> false;
            case RexCall call ->
                call.getOperator().isDeterministic()
                        && !call.getOperator().isDynamicFunction()
                        && !call.getOperator().getName().equals("NOW")
                        && call.getOperands().stream().allMatch(Folding::isConstant);
            default -> false;
        };
    }

    /// Gives access to the RexBuilder's protected method that makes literals of any type.
    private static final class Writer extends RexBuilder {
        private final RexBuilder rexBuilder;

        Writer(RexBuilder rexBuilder) {
            super(rexBuilder.getTypeFactory());
            this.rexBuilder = rexBuilder;
        }

        /// null where Calcite cannot hold the value.
        RexNode literal(Literal literal, RelDataType type) {
            if (literal.isNull()) {
                return rexBuilder.makeNullLiteral(type);
            }
            return switch (literal.value()) {
                case Boolean value -> makeLiteral(value, type, SqlTypeName.BOOLEAN);
                case BigDecimal value -> decimal(value, type);
                case Double value -> makeLiteral(value, type, SqlTypeName.DOUBLE);
                case Float value -> makeLiteral((double) value, type, SqlTypeName.DOUBLE);
                case String value -> makeLiteral(new NlsString(value, null, null), type, SqlTypeName.CHAR);
                // Calcite would order them otherwise than by bytes: they stay the text that is read.
                case UUID value -> read(value.toString(), type);
                case Bytes value -> read(value.toString(), type);
                case SpecialNumeric value -> read(value.toString(), type);
                case Long value -> whole(value, literal.type(), type);
                case Interval value -> read(PgText.constant(value), type);
                default -> throw new IllegalStateException("no literal for " + literal);
            };
        }

        private RexNode read(String text, RelDataType type) {
            RelDataType held = getTypeFactory().createSqlType(SqlTypeName.VARCHAR);
            return makeAbstractCast(type, makeLiteral(new NlsString(text, null, null), held, SqlTypeName.CHAR), false);
        }

        /// Calcite brings a literal to its type's scale; `numeric` has none, so there it keeps its own under a cast.
        private RexNode decimal(BigDecimal value, RelDataType type) {
            if (!SqlTypes.isNumeric(type)) {
                return makeLiteral(value, type, SqlTypeName.DECIMAL);
            }
            int precision = Math.max(value.precision(), Math.max(1, value.scale()));
            if (precision > DataType.Decimal.MAX_PRECISION) {
                return null;
            }
            RelDataType own = getTypeFactory().createSqlType(SqlTypeName.DECIMAL, precision, value.scale());
            return makeAbstractCast(type, makeLiteral(value, own, SqlTypeName.DECIMAL), false);
        }

        private RexNode whole(long value, DataType held, RelDataType type) {
            return switch (held) {
                case DataType.Date _ ->
                    isHeld(value)
                            ? makeLiteral(DateString.fromDaysSinceEpoch((int) value), type, SqlTypeName.DATE)
                            : null;
                case DataType.Timestamp(boolean withZone) -> {
                    long seconds = Math.floorDiv(value, 1_000_000L);
                    long micros = Math.floorMod(value, 1_000_000L);
                    if (!isHeld(Math.floorDiv(seconds, 86_400L))) {
                        yield null;
                    }
                    String text = SECONDS.format(LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC));
                    TimestampString moment = new TimestampString(text).withNanos((int) (micros * 1000));
                    yield makeLiteral(
                            moment,
                            type,
                            withZone ? SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE : SqlTypeName.TIMESTAMP);
                }
                case DataType.Time _ -> read(PgText.text(new Literal(held, value)), type);
                default -> makeLiteral(BigDecimal.valueOf(value), type, SqlTypeName.DECIMAL);
            };
        }

        private static boolean isHeld(long day) {
            return day >= FIRST_DAY && day <= LAST_DAY;
        }
    }
}
