package dev.quarrel.calcite.sql.function;

import static dev.quarrel.calcite.sql.type.SqlType.BOOL;
import static dev.quarrel.calcite.sql.type.SqlType.BYTEA;
import static dev.quarrel.calcite.sql.type.SqlType.DATE;
import static dev.quarrel.calcite.sql.type.SqlType.FLOAT4;
import static dev.quarrel.calcite.sql.type.SqlType.FLOAT8;
import static dev.quarrel.calcite.sql.type.SqlType.INT2;
import static dev.quarrel.calcite.sql.type.SqlType.INT4;
import static dev.quarrel.calcite.sql.type.SqlType.INT8;
import static dev.quarrel.calcite.sql.type.SqlType.INTERVAL;
import static dev.quarrel.calcite.sql.type.SqlType.NUMERIC;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT;
import static dev.quarrel.calcite.sql.type.SqlType.TIME;
import static dev.quarrel.calcite.sql.type.SqlType.TIMESTAMP;
import static dev.quarrel.calcite.sql.type.SqlType.TIMESTAMPTZ;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.ir.AggregateKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// The table of PostgreSQL's aggregates and window functions that Quarrel supports, with their overloads.
///
/// - Source: PostgreSQL's `pg_aggregate.dat` and `pg_proc.dat`.
public final class AggregateTable {
    private AggregateTable() {}

    /// An aggregate function for one type of argument; null stands for `*` and for `count` of anything.
    record Aggregate(SqlAggFunction function, SqlType argument, SqlType result) {}

    /// Registers of a sketch, as a power of two, where a call does not say.
    public static final int SKETCH_REGISTER_BITS = 12;

    private static final Map<String, SqlAggFunction> AGGREGATES = aggregates();

    private static Map<String, SqlAggFunction> aggregates() {
        Map<String, SqlAggFunction> functions = new HashMap<>(Map.of(
                "count", SqlStdOperatorTable.COUNT,
                "sum", SqlStdOperatorTable.SUM,
                "avg", SqlStdOperatorTable.AVG,
                "min", SqlStdOperatorTable.MIN,
                "max", SqlStdOperatorTable.MAX,
                "bool_and", SqlLibraryOperators.BOOL_AND,
                "every", SqlLibraryOperators.BOOL_AND,
                "bool_or", SqlLibraryOperators.BOOL_OR));
        for (AggregateFunction function : AggregateFunction.ALL) {
            functions.put(function.getName(), function);
        }
        // What computes them is a function of all values.
        functions.put("range_agg", functions.get("array_agg"));
        functions.put("range_intersect_agg", functions.get("array_agg"));
        functions.put("variance", functions.get("var_samp"));
        functions.put("stddev", functions.get("stddev_samp"));
        return Map.copyOf(functions);
    }

    private static final Map<String, SqlAggFunction> WINDOW_ONLY = Map.ofEntries(
            Map.entry("row_number", SqlStdOperatorTable.ROW_NUMBER),
            Map.entry("rank", SqlStdOperatorTable.RANK),
            Map.entry("dense_rank", SqlStdOperatorTable.DENSE_RANK),
            Map.entry("percent_rank", SqlStdOperatorTable.PERCENT_RANK),
            Map.entry("cume_dist", SqlStdOperatorTable.CUME_DIST),
            Map.entry("ntile", SqlStdOperatorTable.NTILE),
            Map.entry("lag", SqlStdOperatorTable.LAG),
            Map.entry("lead", SqlStdOperatorTable.LEAD),
            Map.entry("first_value", SqlStdOperatorTable.FIRST_VALUE),
            Map.entry("last_value", SqlStdOperatorTable.LAST_VALUE),
            Map.entry("nth_value", SqlStdOperatorTable.NTH_VALUE));

    /// Whether a window function has a value in every row.
    public static boolean isNeverNull(String name) {
        return switch (name) {
            case "count", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist" -> true;
            default -> false;
        };
    }

    public static SqlAggFunction aggregate(String name) {
        return AGGREGATES.get(name);
    }

    public static SqlAggFunction windowOnly(String name) {
        return WINDOW_ONLY.get(name);
    }

    /// The overloads of an aggregate but count, as signatures without `build`.
    public static List<Signature> aggregateSignatures(String name) {
        List<Signature> signatures = new ArrayList<>();
        switch (name) {
            case "sum" -> {
                addAggregate(signatures, name, INT2, INT8);
                addAggregate(signatures, name, INT4, INT8);
                addAggregate(signatures, name, INT8, NUMERIC);
                addAggregate(signatures, name, FLOAT4, FLOAT4);
                addAggregate(signatures, name, FLOAT8, FLOAT8);
                addAggregate(signatures, name, NUMERIC, NUMERIC);
                addAggregate(signatures, name, SqlType.WIDE_NUMERIC, SqlType.WIDE_NUMERIC);
                addAggregate(signatures, name, INTERVAL, INTERVAL);
                addAggregate(signatures, name, SqlType.MONEY, SqlType.MONEY);
            }
            case "avg" -> {
                addAggregate(signatures, name, INTERVAL, INTERVAL);
                addAggregate(signatures, name, INT2, NUMERIC);
                addAggregate(signatures, name, INT4, NUMERIC);
                addAggregate(signatures, name, INT8, NUMERIC);
                addAggregate(signatures, name, NUMERIC, NUMERIC);
                addAggregate(signatures, name, SqlType.WIDE_NUMERIC, SqlType.WIDE_NUMERIC);
                addAggregate(signatures, name, FLOAT4, FLOAT8);
                addAggregate(signatures, name, FLOAT8, FLOAT8);
            }
            case "min", "max" -> {
                for (SqlType type : List.of(
                        INT2,
                        INT4,
                        INT8,
                        FLOAT4,
                        FLOAT8,
                        NUMERIC,
                        TEXT,
                        SqlType.BPCHAR,
                        SqlType.OID,
                        DATE,
                        TIMESTAMP,
                        TIMESTAMPTZ,
                        TIME,
                        INTERVAL,
                        BYTEA)) {
                    addAggregate(signatures, name, type, type);
                }
                Arrays.stream(SqlType.values())
                        .filter(type -> type.isArray()
                                || type == SqlType.INET
                                || type == SqlType.MONEY
                                || type == SqlType.WIDE_NUMERIC
                                || type == SqlType.TIMETZ)
                        .forEach(type -> addAggregate(signatures, name, type, type));
            }
            case "range_agg", "range_intersect_agg" -> {
                for (SqlType type : SqlType.values()) {
                    if (type.rangeOf() != null) {
                        SqlType multi = SqlType.of(type.rangeOf().pgType().multirange());
                        addAggregate(signatures, name, type, name.equals("range_agg") ? multi : type);
                    }
                }
            }
            default -> {
                if (aggregate(name) instanceof AggregateFunction function) {
                    addAggregates(signatures, name, function.kind());
                } else {
                    addAggregate(signatures, name, BOOL, BOOL);
                }
            }
        }
        return signatures;
    }

    private static void addSketches(List<Signature> signatures, String name, SqlType result) {
        for (SqlType type : List.of(
                BOOL,
                INT2,
                INT4,
                INT8,
                FLOAT4,
                FLOAT8,
                NUMERIC,
                TEXT,
                SqlType.OID,
                DATE,
                TIMESTAMP,
                TIMESTAMPTZ,
                TIME,
                INTERVAL)) {
            addAggregate(signatures, name, type, result);
            addAggregates(signatures, name, List.of(type, INT4), result);
        }
    }

    private static void addAggregates(List<Signature> signatures, String name, AggregateKind kind) {
        switch (kind) {
            case BIT_AND, BIT_OR, BIT_XOR -> {
                for (SqlType type : List.of(INT2, INT4, INT8, SqlType.BIT)) {
                    addAggregate(signatures, name, type, type);
                }
            }
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> {
                for (SqlType type : List.of(INT2, INT4, INT8, NUMERIC)) {
                    addAggregate(signatures, name, type, NUMERIC);
                }
                addAggregate(signatures, name, SqlType.WIDE_NUMERIC, SqlType.WIDE_NUMERIC);
                addAggregate(signatures, name, FLOAT4, FLOAT8);
                addAggregate(signatures, name, FLOAT8, FLOAT8);
            }
            case HLL_COUNT -> addSketches(signatures, name, INT8);
            case HLL_SKETCH -> addSketches(signatures, name, TEXT);
            case HLL_COMBINE -> addAggregate(signatures, name, TEXT, TEXT);
            case HLL_MERGE -> addAggregate(signatures, name, TEXT, INT8);
            case STRING_AGG -> {
                addAggregates(signatures, name, List.of(TEXT, TEXT), TEXT);
                addAggregates(signatures, name, List.of(BYTEA, BYTEA), BYTEA);
            }
            // The first is the fraction.
            case PERCENTILE_CONT -> addAggregates(signatures, name, List.of(FLOAT8, FLOAT8), FLOAT8);
            // The first argument may be of any type.
            case PERCENTILE_DISC, PERCENTILES_CONT, PERCENTILES_DISC, MODE, ARRAY_AGG, ANY_VALUE, FIRST, LAST -> {}
            default ->
                addAggregates(
                        signatures, name, List.of(FLOAT8, FLOAT8), kind == AggregateKind.REGR_COUNT ? INT8 : FLOAT8);
        }
    }

    /// Whether an aggregate is computed by a function of the array of all values.
    public static boolean isFold(String name, SqlType argument) {
        return argument == SqlType.WIDE_NUMERIC && !name.equals("min") && !name.equals("max")
                || argument == SqlType.BIT && name.startsWith("bit_")
                || argument.category() == SqlType.Category.RANGE && name.startsWith("range_");
    }

    private static void addAggregate(List<Signature> signatures, String name, SqlType argument, SqlType result) {
        addAggregates(signatures, name, List.of(argument), result);
    }

    private static void addAggregates(
            List<Signature> signatures, String name, List<SqlType> arguments, SqlType result) {
        signatures.add(new Signature(name, arguments, result, (_, _) -> {
            throw new IllegalStateException(name + " is an aggregate");
        }));
    }
}
