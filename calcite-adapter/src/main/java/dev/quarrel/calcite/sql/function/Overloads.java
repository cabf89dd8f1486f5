package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlType.Category;
import dev.quarrel.calcite.sql.type.SqlType.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/// Resolves overloads: chooses among the signatures of one name by the types of the arguments.
///
/// - Source: PostgreSQL's `parse_func.c` (func_match_argtypes, func_select_candidate) and `parse_oper.c`.
public final class Overloads {
    private Overloads() {}

    /// @param signature null if none fits, or if several fit equally
    /// @param ambiguous whether several fit
    public record Choice(Signature signature, boolean ambiguous) {
        private static final Choice NONE = new Choice(null, false);
        private static final Choice AMBIGUOUS = new Choice(null, true);

        private static Choice of(Signature signature) {
            return new Choice(signature, false);
        }
    }

    /// An operator: an unknown operand is first taken to be of the other's type.
    public static Choice operator(List<Signature> signatures, List<SqlType> arguments) {
        if (arguments.contains(SqlType.WIDE_NUMERIC)) {
            return widened(operator(signatures, narrowed(arguments)), signatures);
        }
        List<SqlType> exact = new ArrayList<>(arguments);
        if (arguments.size() == 2) {
            if (arguments.get(0) == SqlType.UNKNOWN) {
                exact.set(0, arguments.get(1));
            } else if (arguments.get(1) == SqlType.UNKNOWN) {
                exact.set(1, arguments.get(0));
            }
        }
        for (Signature signature : signatures) {
            if (signature.arguments().equals(exact)) {
                return Choice.of(signature);
            }
        }
        return choose(signatures, arguments);
    }

    public static Choice function(List<Signature> signatures, List<SqlType> arguments) {
        if (arguments.contains(SqlType.WIDE_NUMERIC)) {
            return widened(function(signatures, narrowed(arguments)), signatures);
        }
        for (Signature signature : signatures) {
            if (signature.arguments().equals(arguments)) {
                return Choice.of(signature);
            }
        }
        return choose(signatures, arguments);
    }

    /// The types as PostgreSQL has them, whose numeric is one type.
    private static List<SqlType> narrowed(List<SqlType> types) {
        return types.stream()
                .map(type -> type == SqlType.WIDE_NUMERIC ? SqlType.NUMERIC : type)
                .toList();
    }

    /// The same overload for numerics of any number of digits, if there is one: others take those of 38 digits.
    private static Choice widened(Choice narrow, List<Signature> signatures) {
        Signature chosen = narrow.signature();
        return chosen == null || !chosen.arguments().contains(SqlType.NUMERIC)
                ? narrow
                : signatures.stream()
                        .filter(each -> each.arguments().contains(SqlType.WIDE_NUMERIC)
                                && narrowed(each.arguments()).equals(chosen.arguments()))
                        .findFirst()
                        .map(Choice::of)
                        .orElse(narrow);
    }

    private static Choice choose(List<Signature> signatures, List<SqlType> arguments) {
        List<Signature> candidates =
                signatures.stream().filter(each -> accepts(each, arguments)).toList();
        if (candidates.isEmpty()) {
            return Choice.NONE;
        }
        candidates = best(candidates, each -> count(each, arguments, false));
        if (candidates.size() == 1) {
            return Choice.of(candidates.get(0));
        }
        candidates = best(candidates, each -> count(each, arguments, true));
        if (candidates.size() == 1) {
            return Choice.of(candidates.get(0));
        }
        if (!arguments.contains(SqlType.UNKNOWN)) {
            return Choice.AMBIGUOUS;
        }
        candidates = byCategory(candidates, arguments);
        if (candidates.size() == 1) {
            return Choice.of(candidates.get(0));
        }
        return byKnownType(candidates, arguments);
    }

    private static boolean accepts(Signature signature, List<SqlType> arguments) {
        if (signature.arguments().size() != arguments.size()
                || signature.arguments().contains(SqlType.WIDE_NUMERIC)) {
            return false;
        }
        for (int index = 0; index < arguments.size(); index++) {
            if (!arguments.get(index).convertsTo(signature.arguments().get(index), Context.IMPLICIT)) {
                return false;
            }
        }
        return true;
    }

    private static List<Signature> best(List<Signature> candidates, ToIntFunction<Signature> score) {
        int best = candidates.stream().mapToInt(score).max().orElse(0);
        return candidates.stream()
                .filter(each -> score.applyAsInt(each) == best)
                .toList();
    }

    private static int count(Signature signature, List<SqlType> arguments, boolean preferredToo) {
        int count = 0;
        for (int index = 0; index < arguments.size(); index++) {
            SqlType argument = arguments.get(index);
            SqlType declared = signature.arguments().get(index);
            if (argument == SqlType.UNKNOWN) {
                continue;
            }
            boolean preferred = declared.isPreferred() && declared.category() == argument.category();
            if (declared == argument || preferredToo && preferred) {
                count++;
            }
        }
        return count;
    }

    /// Lets each unknown argument have the category that the candidates agree on, or text if one of them takes
    /// text.
    private static List<Signature> byCategory(List<Signature> candidates, List<SqlType> arguments) {
        Category[] categories = new Category[arguments.size()];
        boolean[] preferred = new boolean[arguments.size()];
        for (int index = 0; index < arguments.size(); index++) {
            if (arguments.get(index) != SqlType.UNKNOWN) {
                continue;
            }
            boolean conflict = false;
            for (Signature candidate : candidates) {
                SqlType declared = candidate.arguments().get(index);
                if (categories[index] == null || categories[index] == declared.category()) {
                    categories[index] = declared.category();
                    preferred[index] |= declared.isPreferred();
                } else if (declared.category() == Category.STRING) {
                    categories[index] = Category.STRING;
                    preferred[index] = declared.isPreferred();
                } else {
                    conflict = true;
                }
            }
            if (conflict && categories[index] != Category.STRING) {
                return candidates;
            }
        }
        List<Signature> left = candidates.stream()
                .filter(each -> fits(each, categories, preferred))
                .toList();
        return left.isEmpty() ? candidates : left;
    }

    private static boolean fits(Signature signature, Category[] categories, boolean[] preferred) {
        for (int index = 0; index < categories.length; index++) {
            SqlType declared = signature.arguments().get(index);
            if (categories[index] != null
                    && (declared.category() != categories[index] || preferred[index] && !declared.isPreferred())) {
                return false;
            }
        }
        return true;
    }

    /// If all known arguments have one type, the unknown ones may have it too.
    private static Choice byKnownType(List<Signature> candidates, List<SqlType> arguments) {
        SqlType known = null;
        for (SqlType argument : arguments) {
            if (argument != SqlType.UNKNOWN) {
                if (known != null && known != argument) {
                    return Choice.AMBIGUOUS;
                }
                known = argument;
            }
        }
        if (known == null) {
            return Choice.AMBIGUOUS;
        }
        SqlType[] assumed = new SqlType[arguments.size()];
        Arrays.fill(assumed, known);
        List<Signature> left = candidates.stream()
                .filter(each -> accepts(each, List.of(assumed)))
                .toList();
        return left.size() == 1 ? Choice.of(left.get(0)) : Choice.AMBIGUOUS;
    }
}
