package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/// Rejects statements that would take the generated parser too long. The parser looks ahead to the end of a
/// parenthesis before it reads it, so its time is proportional to the sum of the depths of all lexemes; and it
/// orders a chain of operators by precedence in quadratic time.
final class ParseBounds {
    /// A megabyte of constants, nested as deep as anybody writes.
    private static final long MAX_DEPTHS = 20_000_000;

    /// Operators between two commas, parentheses or clauses. The tree of a longer chain is too deep to be walked.
    private static final int MAX_CHAIN = 10_000;

    private static final Set<String> OPERATORS = Set.of(
            "and", "or", "not", "is", "isnull", "notnull", "in", "like", "ilike", "similar", "between", "collate");

    /// Words that an expression does not reach past.
    private static final Set<String> CLAUSES = Set.of(
            "select",
            "from",
            "where",
            "group",
            "having",
            "order",
            "limit",
            "offset",
            "union",
            "intersect",
            "except",
            "join",
            "on",
            "using",
            "values",
            "with",
            "window",
            "as",
            "case",
            "when",
            "then",
            "else",
            "end");

    private ParseBounds() {}

    /// - Errors: 54001.
    static void require(List<Lexeme> lexemes) {
        Deque<Integer> outer = new ArrayDeque<>();
        long depths = 0;
        int chain = 0;
        for (Lexeme lexeme : lexemes) {
            depths += outer.size();
            if (depths > MAX_DEPTHS) {
                throw PlanningLimits.tooDeep();
            }
            if (lexeme.isSymbol("(") || lexeme.isSymbol("[")) {
                outer.push(chain);
                chain = 0;
            } else if (lexeme.isSymbol(")") || lexeme.isSymbol("]")) {
                chain = outer.isEmpty() ? 0 : outer.pop();
            } else if (lexeme.isSymbol(",") || isWordOf(lexeme, CLAUSES)) {
                chain = 0;
            } else if (lexeme.kind() == Lexeme.Kind.OPERATOR || lexeme.isSymbol("::") || isWordOf(lexeme, OPERATORS)) {
                chain++;
                if (chain > MAX_CHAIN) {
                    throw PlanningLimits.tooComplex(
                            "An expression has a chain of more than " + MAX_CHAIN + " operators.");
                }
            }
        }
    }

    private static boolean isWordOf(Lexeme lexeme, Set<String> words) {
        return lexeme.kind() == Lexeme.Kind.WORD && words.contains(lexeme.text());
    }
}
