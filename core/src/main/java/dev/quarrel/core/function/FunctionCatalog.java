package dev.quarrel.core.function;

import dev.quarrel.core.pg.PgType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The catalog of functions: every function that has a row, and the names of those that PostgreSQL has and
/// Quarrel declines.
///
/// Not here: aggregates and window functions, and what the grammar treats apart (COALESCE, EXTRACT, array functions).
public final class FunctionCatalog {
    private static final Map<String, FunctionRow> BY_SIGNATURE = new LinkedHashMap<>();
    private static final Map<String, List<FunctionRow>> BY_NAME;

    private static final List<FunctionRow> INTERNAL = Stream.of(
                    TimeRows.INTERNAL,
                    JsonRows.INTERNAL,
                    JsonBuildingRows.INTERNAL,
                    VariadicRows.INTERNAL,
                    EnumRows.INTERNAL,
                    RecordRows.INTERNAL,
                    HalfFloatRows.INTERNAL,
                    BitStringRows.INTERNAL,
                    NetworkRows.INTERNAL,
                    MoneyRows.INTERNAL,
                    RangeRows.INTERNAL,
                    WideRows.INTERNAL,
                    CollationRows.INTERNAL)
            .flatMap(List::stream)
            .toList();
    private static final Map<String, FunctionRow> INTERNAL_BY_KERNEL = new LinkedHashMap<>();

    static {
        Stream.of(
                        TextRows.ALL,
                        RegexRows.ALL,
                        VariadicRows.ALL,
                        BytesRows.ALL,
                        NumberRows.ALL,
                        FloatRows.ALL,
                        BitRows.ALL,
                        BitStringRows.ALL,
                        NetworkRows.ALL,
                        TimeTzRows.ALL,
                        MoneyRows.ALL,
                        RangeRows.ALL,
                        TimeRows.ALL,
                        JsonRows.ALL,
                        JsonBuildingRows.ALL,
                        ArrayRows.ALL,
                        FormatRows.ALL,
                        SetRows.ALL,
                        HashRows.ALL,
                        RandomRows.ALL,
                        ExtremeRows.ALL,
                        OperatorRows.ALL)
                .flatMap(List::stream)
                .forEach(FunctionCatalog::add);
        for (FunctionRow row : JsonBuildingRows.INTERNAL) {
            String kernel = row.kind() instanceof FunctionRow.Kind.Rows(String rows, String _)
                    ? rows
                    : row.callee().id();
            INTERNAL_BY_KERNEL.put(kernel, row);
        }
        BY_NAME = BY_SIGNATURE.values().stream().collect(Collectors.groupingBy(FunctionRow::name));
    }

    private FunctionCatalog() {}

    private static void add(FunctionRow row) {
        if (BY_SIGNATURE.put(row.signature(), row) != null) {
            throw new IllegalStateException(row.signature() + " has two rows");
        }
    }

    /// All rows, in the order in which they are declared.
    public static List<FunctionRow> all() {
        return List.copyOf(BY_SIGNATURE.values());
    }

    /// Rows that no statement can call by name: the planner makes them of casts and operators.
    public static List<FunctionRow> internal() {
        return INTERNAL;
    }

    /// What computes `f(a, VARIADIC array)` of values of any types, for so many arguments; the array comes as its
    /// text. Null where nothing does.
    public static FunctionRow ofArray(String name, int argumentCount) {
        return VariadicRows.ofArray(name, argumentCount);
    }

    /// The internal row of that kernel, of those that make documents.
    ///
    /// - Errors: [java.util.NoSuchElementException] if there is none.
    public static FunctionRow internal(String kernel) {
        return Optional.ofNullable(INTERNAL_BY_KERNEL.get(kernel)).orElseThrow();
    }

    /// The overloads of a name, in lower case.
    public static List<FunctionRow> named(String name) {
        return BY_NAME.getOrDefault(name, List.of());
    }

    /// The row of a name and of just these arguments, internal ones among them.
    public static Optional<FunctionRow> find(String name, List<PgType> arguments) {
        return Stream.concat(named(name).stream(), INTERNAL.stream())
                .filter(row -> row.name().equals(name) && row.arguments().equals(arguments))
                .findFirst();
    }

    /// The polymorphic functions that one kernel computes.
    public static List<FunctionRow> polymorphic(String kernel) {
        return BY_SIGNATURE.values().stream()
                .filter(row -> row.isPolymorphic()
                        && row.kind() instanceof FunctionRow.Kind.Kernel(String id, var _)
                        && id.equals(kernel))
                .toList();
    }

    /// Why a function of this name is not supported; null for a name that PostgreSQL does not have either.
    public static String reasonDeclined(String name) {
        String reason = DeclinedFunctions.REASONS.get(name);
        return reason == null && PostgresNames.ALL.contains(name) ? "Quarrel does not have this function yet." : reason;
    }

    /// Names whose absence has a reason of its own, with the reason.
    public static Map<String, String> declined() {
        return DeclinedFunctions.REASONS;
    }

    /// The lines of a file that lies beside this class, without comments.
    static List<String> lines(String name) {
        InputStream resource = FunctionCatalog.class.getResourceAsStream(name);
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(Objects.requireNonNull(resource), StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.startsWith("#")).toList();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /// The names of PostgreSQL's own functions and aggregates: of version 18, those that an SQL statement can call.
    private static final class PostgresNames {
        private static final Set<String> ALL = read();

        private static Set<String> read() {
            return Set.copyOf(lines("postgres-functions.txt"));
        }
    }
}
