package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.type.SqlState.ARRAY_SUBSCRIPT_ERROR;
import static dev.quarrel.core.type.SqlState.PROGRAM_LIMIT_EXCEEDED;

import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/// What statements do with arrays other than by calling functions: rows for constructors, subscripts, slices, ANY and
/// ALL, comparisons and casts. They are in no catalog, since no name calls them.
public final class ArrayOperation {
    private ArrayOperation() {}

    /// A comparison of a value with each element.
    public enum Comparison {
        EQUAL("="),
        NOT_EQUAL("<>"),
        LESS("<"),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        GREATER_OR_EQUAL(">=");

        private final String symbol;

        Comparison(String symbol) {
            this.symbol = symbol;
        }

        /// - Returns: null for another operator
        public static Comparison of(String symbol) {
            for (Comparison each : values()) {
                if (each.symbol.equals(symbol)) {
                    return each;
                }
            }
            return null;
        }

        public boolean isEquality() {
            return this == EQUAL || this == NOT_EQUAL;
        }

        /// Whether it holds for two values of that order: negative, 0 or positive.
        public boolean holds(int order) {
            return switch (this) {
                case EQUAL -> order == 0;
                case NOT_EQUAL -> order != 0;
                case LESS -> order < 0;
                case LESS_OR_EQUAL -> order <= 0;
                case GREATER -> order > 0;
                case GREATER_OR_EQUAL -> order >= 0;
            };
        }

        public String id(boolean all) {
            return quantified(this, all);
        }
    }

    /// A match of a text with each element, a pattern of LIKE.
    public enum Match {
        LIKE("~~", false, false),
        NOT_LIKE("!~~", true, false),
        ILIKE("~~*", false, true),
        NOT_ILIKE("!~~*", true, true);

        private final String symbol;
        private final boolean isNegated;
        private final boolean ignoresCase;

        Match(String symbol, boolean isNegated, boolean ignoresCase) {
            this.symbol = symbol;
            this.isNegated = isNegated;
            this.ignoresCase = ignoresCase;
        }

        /// - Returns: null for another operator
        public static Match of(String symbol) {
            for (Match each : values()) {
                if (each.symbol.equals(symbol)) {
                    return each;
                }
            }
            return null;
        }

        public boolean isNegated() {
            return isNegated;
        }

        public boolean ignoresCase() {
            return ignoresCase;
        }

        public String id(boolean all) {
            return quantified(this, all);
        }
    }

    private static String quantified(Enum<?> operator, boolean all) {
        return (all ? "array_all_" : "array_any_") + operator.name().toLowerCase(java.util.Locale.ROOT);
    }

    /// `ARRAY[a, b, …]`.
    public static FunctionRow make(PgType element, int count) {
        return row("array_make", Collections.nCopies(count, element), array(element))
                .takesNull()
                .fails(PROGRAM_LIMIT_EXCEEDED)
                .kernel(id("array_make", element));
    }

    /// `ARRAY[a, b, …]` of arrays.
    public static FunctionRow nest(PgType element, int count) {
        return row("array_nest", Collections.nCopies(count, array(element)), array(element))
                .takesNull()
                .fails(PROGRAM_LIMIT_EXCEEDED, ARRAY_SUBSCRIPT_ERROR)
                .kernel(id("array_nest", element));
    }

    /// `a[i][j]`.
    public static FunctionRow get(PgType element, int subscripts) {
        return row("array_get", subscripted(element, subscripts), element)
                .givesNull()
                .kernel(id("array_get", element));
    }

    /// `a[i:j][k:l]`: two bounds a subscript.
    public static FunctionRow slice(PgType element, int subscripts) {
        return row("array_slice", subscripted(element, 2 * subscripts), array(element))
                .kernel(id("array_slice", element));
    }

    private static List<PgType> subscripted(PgType element, int subscripts) {
        List<PgType> types = new java.util.ArrayList<>();
        types.add(array(element));
        types.addAll(Collections.nCopies(subscripts, PgType.INT4));
        return types;
    }

    /// Bytes that order as arrays do.
    public static FunctionRow key(PgType element) {
        return row("array_key", List.of(array(element)), PgType.BYTEA).kernel(id("array_key", element));
    }

    /// `value op ANY (array)`, or ALL.
    public static FunctionRow test(PgType element, Comparison comparison, boolean all) {
        String id = comparison.id(all);
        return row(id, List.of(element, array(element)), PgType.BOOL)
                .takesNull()
                .givesNull()
                .kernel(id(id, element));
    }

    /// `text LIKE ANY (patterns)`, or ALL.
    public static FunctionRow match(Match match, boolean all) {
        String id = match.id(all);
        return row(id, List.of(PgType.TEXT, PgType.TEXT_ARRAY), PgType.BOOL)
                .takesNull()
                .givesNull()
                .fails(SqlState.INVALID_ESCAPE_SEQUENCE)
                .kernel(id(id, PgType.TEXT));
    }

    /// The array that a text is, as a cast reads it.
    public static FunctionRow read(PgType element) {
        FunctionRow.Draft draft = row("array_in", List.of(PgType.TEXT), array(element))
                .fails(SqlState.INVALID_TEXT_REPRESENTATION, PROGRAM_LIMIT_EXCEEDED, ARRAY_SUBSCRIPT_ERROR)
                .fails(ElementCast.ERRORS);
        return (element == PgType.TIMESTAMPTZ ? draft.zoned() : draft).kernel(id("array_in", element));
    }

    /// An array of other elements, each of them cast; null where [ElementCast] has no such cast.
    public static FunctionRow cast(PgType from, PgType to) {
        return ElementCast.of(from, to) == null
                ? null
                : row("array_cast_" + from.typeName(), List.of(array(from)), array(to))
                        .fails(ElementCast.ERRORS)
                        .kernel(id("array_cast:" + from.typeName(), to));
    }

    private static FunctionRow.Draft row(String name, List<PgType> arguments, PgType result) {
        return function(name, arguments.toArray(PgType[]::new)).gives(result);
    }

    private static String id(String operation, PgType element) {
        return operation + ":" + element.typeName();
    }

    private static PgType array(PgType element) {
        return element.array().orElseThrow();
    }

    /// Whether a callee is what the operation of its id is for elements of that type.
    ///
    /// @param operation the id without the element's type
    public static boolean isCallee(Callee callee, String operation, PgType element) {
        int count = callee.arguments().size();
        FunctionRow row =
                switch (operation) {
                    case "array_make" -> make(element, count);
                    case "array_nest" -> nest(element, count);
                    case "array_get" -> get(element, count - 1);
                    case "array_slice" -> slice(element, (count - 1) / 2);
                    case "array_key" -> key(element);
                    case "array_in" -> read(element);
                    default -> null;
                };
        for (Comparison comparison : row == null ? Comparison.values() : new Comparison[0]) {
            for (boolean all : new boolean[] {false, true}) {
                row = comparison.id(all).equals(operation) ? test(element, comparison, all) : row;
            }
        }
        for (Match match : element == PgType.TEXT ? Match.values() : new Match[0]) {
            for (boolean all : new boolean[] {false, true}) {
                row = match.id(all).equals(operation) ? match(match, all) : row;
            }
        }
        if (operation.startsWith("array_cast:")) {
            row = PgType.named(operation.substring("array_cast:".length()))
                    .map(from -> cast(from, element))
                    .orElse(null);
        }
        return row != null && row.callee().equals(callee);
    }

    /// Ids of the operations, without the elements' types.
    public static Set<String> ids() {
        Set<String> ids = new java.util.TreeSet<>(
                Set.of("array_make", "array_nest", "array_get", "array_slice", "array_key", "array_in", "array_cast"));
        for (Comparison comparison : Comparison.values()) {
            ids.add(comparison.id(false));
            ids.add(comparison.id(true));
        }
        for (Match match : Match.values()) {
            ids.add(match.id(false));
            ids.add(match.id(true));
        }
        return ids;
    }
}
