package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds the kernel of a function by the id that the function's row in the catalog names.
public final class Kernels {
    private static final Map<String, Supplier<BatchFunction>> BATCH = new HashMap<>();
    private static final Map<String, RowsFunction> ROWS = new HashMap<>();
    private static final Map<String, List<Callee>> CALLEES = Stream.concat(
                    FunctionCatalog.all().stream(), FunctionCatalog.internal().stream())
            .filter(row -> row.kind() instanceof FunctionRow.Kind.Kernel)
            .map(FunctionRow::callee)
            .collect(Collectors.groupingBy(Callee::id));

    static {
        StringKernels.register(BATCH);
        RegexKernels.register(BATCH);
        FloatKernels.register(BATCH);
        NumericKernels.register(BATCH);
        IntegerKernels.register(BATCH);
        UuidKernels.register(BATCH);
        ZoneKernels.register(BATCH);
        PartKernels.register(BATCH);
        FormatKernels.register(BATCH);
        SeriesKernels.register(ROWS);
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
        if (kernel == null || !CALLEES.getOrDefault(callee.id(), List.of()).contains(callee)) {
            throw new IllegalArgumentException(
                    "no function " + callee.id() + " takes " + callee.arguments() + " and gives " + callee.result());
        }
        return kernel.get();
    }

    /// The kernel of a function that gives rows.
    ///
    /// - Errors: [IllegalArgumentException] for one that does not, or whose id no kernel has.
    public static RowsFunction rows(FunctionRow row) {
        RowsFunction kernel = row.kind() instanceof FunctionRow.Kind.Rows(String id) ? ROWS.get(id) : null;
        if (kernel == null) {
            throw new IllegalArgumentException("no kernel gives the rows of " + row.signature());
        }
        return kernel;
    }

    /// The ids of all kernels.
    public static Collection<String> ids() {
        Set<String> ids = new TreeSet<>(BATCH.keySet());
        ids.addAll(ROWS.keySet());
        return ids;
    }

    private static BatchFunction ofBody(Callee callee) {
        return BatchFunction.eachRow((in, out, row) -> Results.set(out, row, call(callee, values(in))));
    }

    private static Object call(Callee callee, Object[] arguments) {
        try {
            return callee.body().call(arguments);
        } catch (QueryException failure) {
            throw failure;
        } catch (RuntimeException problem) {
            throw new QueryException(
                    SqlState.EXTERNAL_ROUTINE_EXCEPTION,
                    "the function " + callee.id() + " failed: " + problem,
                    problem);
        }
    }

    private static Object[] values(Arguments in) {
        Object[] values = new Object[in.count()];
        for (int argument = 0; argument < values.length; argument++) {
            values[argument] = in.value(argument);
        }
        return values;
    }
}
