package dev.quarrel.core.function;

import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// A function of SQL for given types of arguments: the one declaration that operators, overload resolution, `pg_proc`
/// and the documentation are made from.
///
/// A row is written as a sentence:
/// `function("lpad", TEXT, INT4, TEXT).gives(TEXT).fails(PROGRAM_LIMIT_EXCEEDED).kernel("lpad")`.
///
/// @param arguments types of the arguments; overloads are further rows of the same name
/// @param isVariadic whether any number of values of any types follow the arguments; they come as their texts
/// @param isStrict whether the result is NULL wherever an argument is; otherwise the kernel sees NULLs
/// @param givesNull whether the result may be NULL where no argument is
/// @param isZoned whether the result depends on the session's time zone, which the planner adds as the last argument
/// @param fails the errors a row may raise; of a function that is an opcode, or an expression of others, theirs
/// @param kind what computes the function
public record FunctionRow(
        String name,
        List<PgType> arguments,
        PgType result,
        boolean isVariadic,
        boolean isStrict,
        boolean givesNull,
        Volatility volatility,
        boolean isZoned,
        Set<SqlState> fails,
        Kind kind) {
    public FunctionRow {
        arguments = List.copyOf(arguments);
        fails = Set.copyOf(fails);
    }

    /// The volatility of a function, that is, how long an answer holds, as in PostgreSQL's `provolatile`.
    public enum Volatility {
        /// The same arguments give the same result for ever: constant calls are folded.
        IMMUTABLE,
        /// The same result during one statement.
        STABLE,
        /// Another result in every row.
        VOLATILE
    }

    /// The way in which a function is computed.
    public sealed interface Kind {
        /// An instruction of its own, for functions that are hot or that several devices compute.
        record Instruction(Opcode opcode) implements Kind {}

        /// A batch function in Java, which CALL calls: one of ours (`core.cpu.function`), found by its id, or the code
        /// of an application.
        ///
        /// @param body null for one of ours
        record Kernel(String id, Callee.Body body) implements Kind {}

        /// A set-returning function, which stands in FROM and is found by its id.
        ///
        /// @param column the name of the column where the function declares one, which no alias changes; else
        ///     null
        record Rows(String id, String column) implements Kind {}

        /// An expression of other functions and operators, which the planner writes in place of the call.
        record Expression() implements Kind {}

        /// A function that is an operator: the planner writes the operator of this symbol for the same types.
        record Operator(String symbol) implements Kind {}

        /// A function that Quarrel declines: calling it is 0A000 with this reason.
        record Declined(String reason) implements Kind {}
    }

    /// `name(type, type)`, with PostgreSQL's names of the types; unique among functions.
    public String signature() {
        String known = signature(name, arguments);
        return isVariadic ? known.replaceFirst("\\)$", (arguments.isEmpty() ? "" : ", ") + "\"any\")") : known;
    }

    /// The row of a call of that many values: as it is, unless any number of values may follow.
    ///
    /// - Errors: [IllegalArgumentException] for too few.
    public FunctionRow of(int valueCount) {
        if (!isVariadic) {
            return this;
        }
        List<PgType> values = new ArrayList<>(arguments);
        values.addAll(Collections.nCopies(valueCount - arguments.size(), PgType.TEXT));
        return new FunctionRow(name, values, result, false, isStrict, givesNull, volatility, isZoned, fails, kind);
    }

    /// The same of a function of that name and those types.
    public static String signature(String name, List<PgType> arguments) {
        return arguments.stream().map(PgType::formatName).collect(Collectors.joining(", ", name + "(", ")"));
    }

    /// Whether it takes arguments of many types, or elements of them, as PostgreSQL's polymorphic types say.
    public boolean isPolymorphic() {
        return arguments.stream().anyMatch(PgType::isPolymorphic);
    }

    /// A polymorphic function for arrays of `element`: what a call that has decided so calls.
    public FunctionRow of(PgType element) {
        Kind bound =
                switch (kind) {
                    case Kind.Kernel(String id, Callee.Body body) -> new Kind.Kernel(boundId(id, element), body);
                    case Kind.Rows(String id, String column) -> new Kind.Rows(boundId(id, element), column);
                    default -> kind;
                };
        return new FunctionRow(
                name,
                arguments.stream().map(type -> decided(type, element)).toList(),
                decided(result, element),
                isVariadic,
                isStrict,
                givesNull,
                volatility,
                isZoned,
                fails,
                bound);
    }

    private static String boundId(String id, PgType element) {
        return id + ":" + element.typeName();
    }

    private static PgType decided(PgType type, PgType element) {
        return switch (type) {
            case ANYARRAY, ANYCOMPATIBLEARRAY -> element.array().orElseThrow();
            case ANYELEMENT, ANYCOMPATIBLE -> element;
            case ANYRANGE -> element.range();
            case ANYMULTIRANGE -> element.multirange();
            default -> type;
        };
    }

    /// The function as a CALL instruction names it.
    ///
    /// - Errors: [IllegalStateException] if it is not called so.
    public Callee callee() {
        if (!(kind instanceof Kind.Kernel(String id, Callee.Body body))) {
            throw new IllegalStateException(signature() + " has no kernel");
        }
        List<DataType> types =
                new ArrayList<>(arguments.stream().map(PgType::dataType).toList());
        if (isZoned) {
            types.add(DataType.UTF8);
        }
        return new Callee(id, name, types, result.dataType(), isStrict, fails, body);
    }

    /// A function of an application, which depends on its arguments alone.
    public static FunctionRow local(
            String name, List<PgType> arguments, PgType result, boolean isStrict, Callee.Body body) {
        Draft draft = new Draft(name, arguments).gives(result).givesNull().fails(SqlState.EXTERNAL_ROUTINE_EXCEPTION);
        return (isStrict ? draft : draft.takesNull()).of(new Kind.Kernel(signature(name, arguments), body));
    }

    /// Begins a row.
    static Draft function(String name, PgType... arguments) {
        return new Draft(name, List.of(arguments));
    }

    /// A row in the making. Unless it says otherwise, the function is strict, immutable and cannot fail.
    static final class Draft {
        private final String name;
        private final List<PgType> arguments;
        private PgType result;
        private boolean isVariadic;
        private boolean isStrict = true;
        private boolean givesNull;
        private Volatility volatility = Volatility.IMMUTABLE;
        private boolean isZoned;
        private final Set<SqlState> fails = EnumSet.noneOf(SqlState.class);

        private Draft(String name, List<PgType> arguments) {
            this.name = name;
            this.arguments = arguments;
        }

        Draft gives(PgType type) {
            result = type;
            return this;
        }

        /// NULLs are arguments like any other.
        Draft takesNull() {
            isStrict = false;
            return this;
        }

        /// Any number of values of any types follow.
        Draft variadic() {
            isVariadic = true;
            return takesNull();
        }

        Draft givesNull() {
            givesNull = true;
            return this;
        }

        Draft stable() {
            volatility = Volatility.STABLE;
            return this;
        }

        /// Answers anew in every row.
        Draft random() {
            volatility = Volatility.VOLATILE;
            return this;
        }

        /// Depends on the session's time zone: the kernel has its id as a further argument, the last one. An
        /// opcode knows UTC alone, and `ZoneBinding` has to know what to call in other zones.
        Draft zoned() {
            isZoned = true;
            return this;
        }

        Draft fails(SqlState... states) {
            fails.addAll(Arrays.asList(states));
            return this;
        }

        FunctionRow opcode(Opcode opcode) {
            fails.addAll(opcode.fails());
            return of(new Kind.Instruction(opcode));
        }

        FunctionRow kernel(String id) {
            return of(new Kind.Kernel(id, null));
        }

        FunctionRow rows(String id) {
            return rows(id, null);
        }

        FunctionRow rows(String id, String column) {
            return of(new Kind.Rows(id, column));
        }

        FunctionRow expression() {
            return of(new Kind.Expression());
        }

        FunctionRow operator(String symbol) {
            return of(new Kind.Operator(symbol));
        }

        FunctionRow declined(String reason) {
            return of(new Kind.Declined(reason));
        }

        private FunctionRow of(Kind kind) {
            return new FunctionRow(
                    name, arguments, result, isVariadic, isStrict, givesNull, volatility, isZoned, fails, kind);
        }
    }
}
