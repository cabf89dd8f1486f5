package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.sql.type.PostgresTypeSystem;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.LocalAggregate;
import dev.quarrel.core.pg.PgType;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.util.Optionality;

/// An [AggregateKind] as a Calcite aggregate function with PostgreSQL's types: for the aggregates that Calcite
/// lacks or types differently.
public final class AggregateFunction extends SqlAggFunction {
    static final List<AggregateFunction> ALL = Stream.of(
                    AggregateKind.BIT_AND,
                    AggregateKind.BIT_OR,
                    AggregateKind.BIT_XOR,
                    AggregateKind.VAR_POP,
                    AggregateKind.VAR_SAMP,
                    AggregateKind.STDDEV_POP,
                    AggregateKind.STDDEV_SAMP,
                    AggregateKind.COVAR_POP,
                    AggregateKind.COVAR_SAMP,
                    AggregateKind.CORR,
                    AggregateKind.REGR_COUNT,
                    AggregateKind.REGR_AVGX,
                    AggregateKind.REGR_AVGY,
                    AggregateKind.REGR_SXX,
                    AggregateKind.REGR_SYY,
                    AggregateKind.REGR_SXY,
                    AggregateKind.REGR_SLOPE,
                    AggregateKind.REGR_INTERCEPT,
                    AggregateKind.REGR_R2,
                    AggregateKind.STRING_AGG,
                    AggregateKind.ARRAY_AGG,
                    AggregateKind.PERCENTILE_CONT,
                    AggregateKind.PERCENTILE_DISC,
                    AggregateKind.MODE,
                    AggregateKind.ANY_VALUE,
                    AggregateKind.FIRST,
                    AggregateKind.LAST,
                    AggregateKind.HLL_COUNT,
                    AggregateKind.HLL_SKETCH,
                    AggregateKind.HLL_COMBINE,
                    AggregateKind.HLL_MERGE)
            .map(kind -> new AggregateFunction(kind, List.of()))
            .toList();

    /// What a percentile of several fractions is: the function of the same name, with an array.
    public static final AggregateFunction PERCENTILES_CONT =
            new AggregateFunction(AggregateKind.PERCENTILES_CONT, List.of());
    public static final AggregateFunction PERCENTILES_DISC =
            new AggregateFunction(AggregateKind.PERCENTILES_DISC, List.of());

    public static final AggregateFunction ANY_VALUE = new AggregateFunction(AggregateKind.ANY_VALUE, List.of());

    /// What array_agg of arrays is.
    public static final AggregateFunction ARRAYS_AGG = new AggregateFunction(AggregateKind.ARRAYS_AGG, List.of());

    /// The direction of one key in an aggregate's ORDER BY.
    public record Direction(boolean descending, boolean nullsFirst) {
        /// What ORDER BY means where it says nothing else.
        public static final Direction ASCENDING = new Direction(false, false);
    }

    private final AggregateKind kind;
    private final List<Direction> order;
    private final transient Local local; // null for one of ours

    /// An application's aggregate, and the type of its result.
    private record Local(LocalAggregate code, PgType result) {}

    private AggregateFunction(AggregateKind kind, List<Direction> order) {
        this(kind, order, null);
    }

    private AggregateFunction(AggregateKind kind, List<Direction> order, Local local) {
        super(
                local == null ? name(kind) : local.code().name(),
                null,
                SqlKind.OTHER_FUNCTION,
                binding -> resultType(kind, local, binding.getTypeFactory(), binding.getOperandType(0)),
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION,
                false,
                false,
                Optionality.FORBIDDEN);
        this.kind = kind;
        this.order = List.copyOf(order);
        this.local = local;
    }

    /// An aggregate that an application added.
    static AggregateFunction of(JavaAggregate added) {
        LocalAggregate code = new LocalAggregate(
                FunctionRow.signature(added.name(), added.arguments()),
                added.name(),
                added.arguments().stream().map(PgType::dataType).toList(),
                added.result().dataType(),
                added.strict(),
                added.code());
        return new AggregateFunction(AggregateKind.LOCAL, List.of(), new Local(code, added.result()));
    }

    /// The code of an application; null for one of ours.
    public LocalAggregate local() {
        return local == null ? null : local.code();
    }

    /// Whether NULL arguments are not skipped.
    public boolean keepsNulls() {
        return local == null ? kind.keepsNulls() : !local.code().isStrict();
    }

    private static String name(AggregateKind kind) {
        return switch (kind) {
            case PERCENTILES_CONT -> "percentile_cont";
            case PERCENTILES_DISC -> "percentile_disc";
            case ARRAYS_AGG -> "array_agg";
            default -> kind.name().toLowerCase(Locale.ROOT);
        };
    }

    /// The function over rows in an order, whose keys follow its arguments: so whatever renumbers arguments renumbers
    /// keys as well.
    public AggregateFunction ordered(List<Direction> keys) {
        return new AggregateFunction(kind, keys, local);
    }

    /// The directions of the order's keys, which are the last arguments.
    public List<Direction> order() {
        return order;
    }

    /// Arguments of a call, without the order's keys.
    public int argumentCount() {
        return local == null ? kind.argumentCount() : local.code().arguments().size();
    }

    // Calls are the same only if their orders are.

    @Override
    public boolean equals(Object other) {
        return other instanceof AggregateFunction function
                && kind == function.kind
                && order.equals(function.order)
                && Objects.equals(local, function.local);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, order, local);
    }

    @Override
    public String toString() {
        return order.isEmpty() ? getName() : getName() + order;
    }

    public AggregateKind kind() {
        return kind;
    }

    /// The type of the result, which may be NULL unless it is a count.
    public RelDataType resultType(RelDataTypeFactory factory, RelDataType argument) {
        return resultType(kind, local, factory, argument);
    }

    /// Whether no row makes it 0, and not NULL.
    public boolean isCount() {
        return isCount(kind);
    }

    private static boolean isCount(AggregateKind kind) {
        return switch (kind) {
            case REGR_COUNT, HLL_COUNT, HLL_MERGE -> true;
            default -> false;
        };
    }

    private static RelDataType resultType(
            AggregateKind kind, Local local, RelDataTypeFactory factory, RelDataType argument) {
        RelDataType type =
                switch (kind) {
                    case LOCAL -> SqlTypes.relType(factory, local.result(), -1);
                    case BIT_AND,
                            BIT_OR,
                            BIT_XOR,
                            PERCENTILE_CONT,
                            PERCENTILE_DISC,
                            MODE,
                            ANY_VALUE,
                            FIRST,
                            LAST,
                            ARRAYS_AGG -> argument;
                    case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP ->
                        PostgresTypeSystem.INSTANCE.deriveAvgAggType(factory, argument);
                    case ARRAY_AGG, PERCENTILES_CONT, PERCENTILES_DISC ->
                        SqlTypes.relType(
                                factory, SqlTypes.pgType(argument).array().orElseThrow(), -1);
                    default -> SqlTypes.relType(factory, kind.resultType(SqlTypes.dataType(argument)));
                };
        return factory.createTypeWithNullability(type, !isCount(kind));
    }
}
