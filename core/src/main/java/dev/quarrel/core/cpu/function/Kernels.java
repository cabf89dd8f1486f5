package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.function.ValueOperation;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.ir.MethodBody;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds the kernel of a function by the id that the function's row in the catalog names.
public final class Kernels {
    private static final Map<String, Supplier<BatchFunction>> BATCH = new HashMap<>();
    private static final Map<String, RowsFunction> ROWS = new HashMap<>();
    /// The kernels of functions of arrays, by the type of the elements: `array_append:int4` is the id of one of them.
    private static final Map<String, Function<PgType, BatchFunction>> OF_ARRAYS = new HashMap<>();
    private static final Map<String, Function<PgType, RowsFunction>> ROWS_OF_ARRAYS = new HashMap<>();
    private static final Map<String, List<FunctionRow>> CALLED = Stream.concat(
                    FunctionCatalog.all().stream(), FunctionCatalog.internal().stream())
            .filter(row -> row.kind() instanceof FunctionRow.Kind.Kernel && !row.isPolymorphic())
            .collect(Collectors.groupingBy(row -> row.callee().id()));

    static {
        StringKernels.register(BATCH);
        HalfFloatKernels.register(BATCH);
        RegexKernels.register(BATCH);
        VariadicKernels.register(BATCH);
        IdentifierKernels.register(BATCH);
        SplitKernels.register(BATCH);
        UnicodeKernels.register(BATCH);
        CollationKernels.register(BATCH);
        HashKernels.register(BATCH);
        ByteImageKernels.register(BATCH);
        FloatKernels.register(BATCH);
        DegreeKernels.register(BATCH);
        NumericKernels.register(BATCH);
        WideKernels.register(BATCH);
        IntegerKernels.register(BATCH);
        UuidKernels.register(BATCH);
        EnumKernels.register(BATCH);
        BitKernels.register(BATCH);
        NetworkKernels.register(BATCH);
        TimeTzKernels.register(BATCH);
        MoneyKernels.register(BATCH);
        RangeKernels.register(BATCH);
        JsonKernels.register(BATCH);
        JsonBuildingKernels.register(BATCH);
        JsonAggregateKernels.register(BATCH);
        JsonQueryKernels.register(BATCH);
        JsonRecordKernels.register(BATCH);
        JsonRecordKernels.registerRows(ROWS);
        JsonTableKernels.registerRows(ROWS);
        JsonPathKernels.register(BATCH);
        ZoneKernels.register(BATCH);
        PartKernels.register(BATCH);
        FormatKernels.register(BATCH);
        SeriesKernels.register(ROWS);
        JsonKernels.registerRows(ROWS);
        JsonPathKernels.registerRows(ROWS);
        ArrayKernels.register(OF_ARRAYS);
        ValueKernels.register(OF_ARRAYS);
        RangeKernels.registerOfValues(OF_ARRAYS);
        RangeKernels.registerRows(ROWS_OF_ARRAYS);
        ArrayParts.register(OF_ARRAYS);
        ArrayComparisons.register(OF_ARRAYS);
        ArrayMatches.register(OF_ARRAYS);
        ArrayCasts.register(OF_ARRAYS);
        ArrayRowsKernels.register(ROWS_OF_ARRAYS);
        PackedArrayKernels.register(OF_ARRAYS);
        RegexKernels.registerRows(ROWS);
        SplitKernels.registerRows(ROWS);
    }

    private Kernels() {}

    /// A new kernel for the CALL of a function.
    ///
    /// - Errors: [IllegalArgumentException] for a callee that is not the function of its id: a plan from elsewhere.
    public static BatchFunction of(Callee callee) {
        if (callee.body() != null) {
            return ofBody(callee);
        }
        Supplier<BatchFunction> kernel = BATCH.get(callee.id());
        boolean isCalled = CALLED.getOrDefault(callee.id(), List.of()).stream()
                .anyMatch(row -> row.of(callee.arguments().size()).callee().equals(callee));
        if (kernel != null && isCalled) {
            return kernel.get();
        }
        BatchFunction ofArrays = ofArrays(callee);
        if (ofArrays == null) {
            throw new IllegalArgumentException(
                    "no function " + callee.id() + " takes " + callee.arguments() + " and gives " + callee.result());
        }
        return ofArrays;
    }

    /// The kernel for the type of elements that the id ends in; null where there is none.
    private static BatchFunction ofArrays(Callee callee) {
        int colon = callee.id().lastIndexOf(':');
        PgType element = colon < 0 ? null : element(callee.id().substring(colon + 1));
        if (element == null || element.array().isEmpty() && !element.isArray()) {
            return null;
        }
        String id = callee.id().substring(0, colon);
        boolean isKnown = !element.isArray() && ArrayOperation.isCallee(callee, id, element)
                || PackedArrays.isCallee(callee, id, element)
                || ValueOperation.isCallee(callee, id, element)
                || !element.isArray()
                        && FunctionCatalog.polymorphic(id).stream()
                                .anyMatch(row -> row.of(element).callee().equals(callee));
        if (!isKnown) {
            return null;
        }
        if (id.startsWith("array_cast:")) {
            return ArrayCasts.of(element(id.substring("array_cast:".length())), element);
        }
        return OF_ARRAYS.get(id).apply(element);
    }

    /// The type that an id names, or null: char is the type of one byte there, while in SQL it is another.
    private static PgType element(String name) {
        return name.equals(PgType.CHAR.typeName())
                ? PgType.CHAR
                : PgType.named(name).orElse(null);
    }

    /// The kernel of a function that gives rows.
    ///
    /// - Errors: [IllegalArgumentException] for one that does not, or whose id no kernel has.
    public static RowsFunction rows(FunctionRow row) {
        String id = row.kind() instanceof FunctionRow.Kind.Rows(String rows, String _) ? rows : "";
        RowsFunction kernel = ROWS.get(id);
        int colon = id.lastIndexOf(':');
        if (colon >= 0 && ROWS_OF_ARRAYS.containsKey(id.substring(0, colon))) {
            kernel = ROWS_OF_ARRAYS.get(id.substring(0, colon)).apply(element(id.substring(colon + 1)));
        }
        if (kernel == null) {
            throw new IllegalArgumentException("no kernel gives the rows of " + row.signature());
        }
        return kernel;
    }

    /// The ids of all kernels of the catalog's functions.
    public static Collection<String> ids() {
        Set<String> ids = new TreeSet<>(BATCH.keySet());
        ids.addAll(ROWS.keySet());
        ids.addAll(ROWS_OF_ARRAYS.keySet());
        ids.addAll(OF_ARRAYS.keySet());
        ids.removeAll(ArrayOperation.ids());
        ids.removeAll(PackedArrays.ids());
        ids.removeAll(ValueOperation.ids());
        return ids;
    }

    private static BatchFunction ofBody(Callee callee) {
        return callee.body() instanceof MethodBody method
                ? new MethodKernel(callee, method)
                : BatchFunction.eachRow((in, out, row) -> call(callee, in, out, row));
    }

    private static void call(Callee callee, Arguments in, Vector out, int row) {
        try {
            Results.set(out, row, callee.body().call(values(in)));
        } catch (RuntimeException problem) {
            throw failed(callee, problem);
        }
    }

    /// An application's exception as the query's error.
    static QueryException failed(Callee callee, RuntimeException problem) {
        return problem instanceof QueryException failure
                ? failure
                : new QueryException(
                        SqlState.EXTERNAL_ROUTINE_EXCEPTION,
                        "the function " + callee.id() + " failed: " + problem,
                        problem);
    }

    private static Object[] values(Arguments in) {
        Object[] values = new Object[in.count()];
        for (int argument = 0; argument < values.length; argument++) {
            values[argument] = in.value(argument);
        }
        return values;
    }
}
