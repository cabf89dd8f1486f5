package dev.quarrel.calcite;

import dev.quarrel.core.ir.LocalAggregate;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// An aggregate SQL function written in Java, which an application adds to the engine.
///
/// It takes GROUP BY, FILTER, DISTINCT, ORDER BY and OVER, as PostgreSQL's own do. With `merged` every worker has a
/// state of each group, and the order of rows is left open; without it, and with ORDER BY, DISTINCT or OVER, a group's
/// rows are kept and added one after another, in the order of the scan or in that which the call says.
///
/// ```java
/// JavaAggregate.named("geometric_mean")
///         .argument(double.class)
///         .result(Double.class)
///         .states(Logarithms::new, (state, row) -> state.add((Double) row[0]), Logarithms::mean)
///         .merged(Logarithms::plus)
///         .build();
/// ```
///
/// - Memory: states count against the query's bound, each as 64 bytes unless [States#sized] says otherwise. States that
///   are merged go to no temporary file: what exceeds the bound is 53200. Rows that are kept do.
/// - Errors: a `QueryException` of the code is the query's; any other exception is 38000.
///
/// @param name lower case; callable as `name(…)` and `pg_catalog.name(…)`
/// @param arguments types of the arguments, one at least; overloads are further aggregates of the same name
/// @param strict whether rows with a NULL among the arguments are left out; otherwise the code sees NULLs
/// @param code over values in canonical form ([dev.quarrel.core.ir.Literal]'s table)
public record JavaAggregate(
        String name, List<PgType> arguments, PgType result, boolean strict, LocalAggregate.Code code) {
    private static final long STATE_BYTES = 64;

    public JavaAggregate {
        arguments = List.copyOf(arguments);
        Objects.requireNonNull(result, "result");
        if (arguments.isEmpty()) {
            throw new IllegalArgumentException("the aggregate " + name + " has no argument");
        }
    }

    /// Begins the declaration of an aggregate by Java's types ([SqlFunction]'s table).
    public static Draft named(String name) {
        return new Draft(name);
    }

    /// An aggregate whose types are yet to be said.
    public static final class Draft {
        private final String name;
        private final List<JavaType> arguments = new ArrayList<>();
        private JavaType result;
        private boolean isStrict = true;

        private Draft(String name) {
            this.name = Objects.requireNonNull(name, "name");
        }

        /// The next argument. Values come boxed.
        public Draft argument(Class<?> javaClass) {
            return argument(javaClass, null);
        }

        /// The next argument, of that SQL type.
        public Draft argument(Class<?> javaClass, PgType type) {
            arguments.add(JavaType.ofArgument(javaClass, type));
            return this;
        }

        public Draft result(Class<?> javaClass) {
            return result(javaClass, null);
        }

        public Draft result(Class<?> javaClass, PgType type) {
            result = JavaType.ofResult(javaClass, type);
            return this;
        }

        /// Rows with NULLs count, too: they come as null.
        public Draft takesNull() {
            isStrict = false;
            return this;
        }

        /// What the aggregate does.
        ///
        /// @param start makes the state of no rows, a new one each time
        /// @param add gives the state after one row more, which may be the same object
        /// @param finish gives the result, or null for NULL, and leaves the state as it is: in windows rows are
        ///     added afterwards
        public <S> States<S> states(Supplier<S> start, Add<S> add, Function<S, ?> finish) {
            return new States<>(this, start, add, finish);
        }
    }

    /// One row more.
    @FunctionalInterface
    public interface Add<S> {
        /// @param arguments of the Java types declared, null for NULL
        S add(S state, Object[] arguments);
    }

    /// An aggregate in the making.
    public static final class States<S> {
        private final Draft draft;
        private final Supplier<S> start;
        private final Add<S> add;
        private final Function<S, ?> finish;
        private BinaryOperator<S> merge;
        private ToLongFunction<S> bytes;

        private States(Draft draft, Supplier<S> start, Add<S> add, Function<S, ?> finish) {
            this.draft = draft;
            this.start = Objects.requireNonNull(start, "start");
            this.add = Objects.requireNonNull(add, "add");
            this.finish = Objects.requireNonNull(finish, "finish");
        }

        /// Workers may have states of their own, which `newMerge` makes one of, in any order: the first that it
        /// is given may be changed, the second one is not used again.
        public States<S> merged(BinaryOperator<S> newMerge) {
            merge = newMerge;
            return this;
        }

        /// States differ in size: asked after each row, in bytes.
        public States<S> sized(ToLongFunction<S> newBytes) {
            bytes = newBytes;
            return this;
        }

        /// - Errors: [IllegalArgumentException] for an aggregate without an argument or a result.
        public JavaAggregate build() {
            if (draft.result == null) {
                throw new IllegalArgumentException("the aggregate " + draft.name + " has no result");
            }
            return new JavaAggregate(
                    draft.name,
                    draft.arguments.stream().map(JavaType::type).toList(),
                    draft.result.type(),
                    draft.isStrict,
                    new Lambdas<>(List.copyOf(draft.arguments), draft.result, start, add, finish, merge, bytes));
        }
    }

    /// The code made of an application's functions.
    ///
    /// @param merging null where rows are kept
    /// @param size null where all states are alike
    private record Lambdas<S>(
            List<JavaType> arguments,
            JavaType result,
            Supplier<S> starting,
            Add<S> adding,
            Function<S, ?> finishing,
            BinaryOperator<S> merging,
            ToLongFunction<S> size)
            implements LocalAggregate.Code {
        @Override
        public Object start() {
            return starting.get();
        }

        @Override
        public Object add(Object state, Object[] values) {
            for (int index = 0; index < values.length; index++) {
                values[index] = arguments.get(index).value(values[index]);
            }
            return adding.add(own(state), values);
        }

        @SuppressWarnings("unchecked") // states come from `starting`, `adding` and `merging` alone
        private S own(Object state) {
            return (S) state;
        }

        @Override
        public boolean canMerge() {
            return merging != null;
        }

        @Override
        public Object merge(Object state, Object other) {
            return merging.apply(own(state), own(other));
        }

        @Override
        public Object finish(Object state) {
            return result.canonical(finishing.apply(own(state)));
        }

        @Override
        public boolean isMeasured() {
            return size != null;
        }

        @Override
        public long bytes(Object state) {
            return size == null ? STATE_BYTES : size.applyAsLong(own(state));
        }
    }
}
