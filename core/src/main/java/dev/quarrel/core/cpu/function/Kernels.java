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

/// Finds the kernel of a function by the id that the function's row in the catalog names.
public final class Kernels {
    private static final Map<String, Supplier<BatchFunction>> BATCH = new HashMap<>();
    private static final Map<String, RowsFunction> ROWS = new HashMap<>();
    private static final Map<String, List<FunctionRow>> CALLED = FunctionCatalog.all().stream()
            .filter(row -> row.kind() instanceof FunctionRow.Kind.Kernel)
            .collect(Collectors.groupingBy(row -> row.callee().id()));

    static {
        StringKernels.register(BATCH);
        RegexKernels.register(BATCH);
        FormatKernels.register(BATCH);
        IdentifierKernels.register(BATCH);
        SplitKernels.register(BATCH);
        UnicodeKernels.register(BATCH);
        HashKernels.register(BATCH);
        ByteImageKernels.register(BATCH);
        FloatKernels.register(BATCH);
        NumericKernels.register(BATCH);
        IntegerKernels.register(BATCH);
        UuidKernels.register(BATCH);
        SeriesKernels.register(ROWS);
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
        if (kernel == null || !isCalled) {
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
