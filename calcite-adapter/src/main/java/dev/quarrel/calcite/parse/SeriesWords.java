package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.calcite.parse.generated.GeneratedParser;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.Token;
import java.util.List;
import java.util.Set;

/// The words of the syntax for time series, which are no keywords of PostgreSQL: each counts in places alone where
/// PostgreSQL would have a syntax error, or, for joins, where the statement shows that it names no table.
public final class SeriesWords {
    private static final Set<String> JOINS = Set.of("asof", "lt", "splice");
    private static final Set<String> UNITS = Set.of("n", "u", "U", "us", "T", "ms", "s", "m", "h", "d", "w", "M", "y");
    private static final int NO_TOKEN = -1;

    private SeriesWords() {}

    /// The token that the lexeme at a place is, or null where it is none of these words.
    static Word of(List<Lexeme> lexemes, int at) {
        Lexeme word = lexemes.get(at);
        if (word.kind() != Kind.WORD) {
            return null;
        }
        String name = word.text();
        if (name.equals("in") || name.equals("not")) {
            return in(lexemes, at);
        }
        if (JOINS.contains(name)) {
            return join(lexemes, at);
        }
        // A window's name is no reserved word, so that PostgreSQL has no WINDOW JOIN.
        if (name.equals("window")) {
            return is(lexemes, at + 1, "join") ? new Word(GeneratedParserConstants.PG_SERIES_JOIN, name) : null;
        }
        if (name.equals("range")) {
            JoinWindow.Found window = JoinWindow.find(lexemes, at);
            return window == null
                    ? null
                    : new Word(GeneratedParserConstants.PG_WINDOW_RANGE, window.image(), window.count());
        }
        int kind =
                switch (name) {
                    case "sample" -> is(lexemes, at + 1, "by") ? GeneratedParserConstants.PG_SAMPLE : NO_TOKEN;
                    case "latest" -> isLatest(lexemes, at + 1) ? GeneratedParserConstants.PG_LATEST : NO_TOKEN;
                    case "tolerance" ->
                        at + 1 < lexemes.size() && lexemes.get(at + 1).kind() == Kind.INTEGER
                                ? GeneratedParserConstants.PG_TOLERANCE
                                : NO_TOKEN;
                    default -> NO_TOKEN;
                };
        return kind == NO_TOKEN ? null : new Word(kind, name);
    }

    /// A token of the parser.
    ///
    /// @param count lexemes that it is made of
    record Word(int kind, String image, int count) {
        Word(int kind, String image) {
            this(kind, image, 1);
        }
    }

    /// `IN 'text'`, unless that is POSITION's.
    private static Word in(List<Lexeme> lexemes, int at) {
        boolean isNot = is(lexemes, at, "not");
        int next = isNot ? at + 2 : at + 1;
        boolean isInterval = is(lexemes, next - 1, "in")
                && next < lexemes.size()
                && lexemes.get(next).kind() == Kind.STRING
                && at > 0
                && !isInPosition(lexemes, at);
        return isInterval
                ? new Word(
                        GeneratedParserConstants.PG_OPERATOR,
                        isNot ? PostgresOperators.NOT_IN_INTERVAL : PostgresOperators.IN_INTERVAL,
                        isNot ? 2 : 1)
                : null;
    }

    /// Whether the innermost parentheses around a place are POSITION's.
    private static boolean isInPosition(List<Lexeme> lexemes, int at) {
        int depth = 0;
        for (int before = at - 1; before > 0; before--) {
            if (isSymbol(lexemes, before, ")")) {
                depth++;
            } else if (isSymbol(lexemes, before, "(") && depth-- == 0) {
                return is(lexemes, before - 1, "position");
            }
        }
        return false;
    }

    private static boolean is(List<Lexeme> lexemes, int at, String word) {
        return at >= 0 && at < lexemes.size() && lexemes.get(at).isWord(word);
    }

    private static boolean isSymbol(List<Lexeme> lexemes, int at, String symbol) {
        return at >= 0 && at < lexemes.size() && lexemes.get(at).isSymbol(symbol);
    }

    private static boolean isName(List<Lexeme> lexemes, int at) {
        return at >= 0
                && at < lexemes.size()
                && (lexemes.get(at).kind() == Kind.QUOTED
                        || lexemes.get(at).kind() == Kind.WORD
                                && !Words.isReserved(lexemes.get(at).text()));
    }

    /// ON name [. name] PARTITION BY, or ON that alone.
    private static boolean isLatest(List<Lexeme> lexemes, int at) {
        if (is(lexemes, at, "by")) {
            return true;
        }
        if (!is(lexemes, at, "on") || !isName(lexemes, at + 1)) {
            return false;
        }
        int next = at + 2;
        while (isSymbol(lexemes, next, ".")) {
            next += 2;
        }
        return is(lexemes, next, "partition") && is(lexemes, next + 1, "by");
    }

    /// ASOF between a FROM item and JOIN.
    private static Word join(List<Lexeme> lexemes, int at) {
        String word = lexemes.get(at).text();
        int next = at + 1;
        if (is(lexemes, next, "left")) {
            next += is(lexemes, next + 1, "outer") ? 2 : 1;
        } else if (is(lexemes, next, "inner")) {
            next++;
        }
        boolean isBehindItem = isName(lexemes, at - 1) || isSymbol(lexemes, at - 1, ")");
        if (!is(lexemes, next, "join") || !isBehindItem) {
            return null;
        }
        // `a b ASOF JOIN`, `a AS b ASOF JOIN`: two aliases are none of PostgreSQL's. `(…) b ASOF JOIN` is alike.
        boolean hasAlias = isName(lexemes, at - 1)
                && (isName(lexemes, at - 2) || is(lexemes, at - 2, "as") || isSymbol(lexemes, at - 2, ")"));
        if (hasAlias) {
            return new Word(GeneratedParserConstants.PG_SERIES_JOIN, word);
        }
        if (qualifies(lexemes, word)) {
            return null; // the alias
        }
        boolean isNamed = isName(lexemes, at - 1)
                && qualifies(lexemes, lexemes.get(at - 1).text());
        return new Word(GeneratedParserConstants.PG_SERIES_JOIN, isNamed ? word : word + SeriesJoin.AMBIGUOUS);
    }

    /// Whether a name stands in front of a dot somewhere.
    private static boolean qualifies(List<Lexeme> lexemes, String name) {
        for (int at = 0; at + 1 < lexemes.size(); at++) {
            Lexeme lexeme = lexemes.get(at);
            if (lexeme.isName()
                    && lexeme.text().equals(name)
                    && lexemes.get(at + 1).isSymbol(".")
                    && !isSymbol(lexemes, at - 1, ".")
                    && !is(lexemes, at - 1, "from")
                    && !is(lexemes, at - 1, "join")) {
                return true;
            }
        }
        return false;
    }

    /// Whether a number and a unit without a blank between stand here, which is an error elsewhere: behind SAMPLE BY
    /// and TOLERANCE.
    ///
    /// @param before the lexemes before it
    static boolean takesUnit(List<Lexeme> before) {
        int last = before.size() - 1;
        return is(before, last, "tolerance") || is(before, last, "by") && is(before, last - 1, "sample");
    }

    /// How many units are written; a number without end is refused where the step is read.
    public static long count(String digits) {
        return digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    /// Whether this is a unit of time, as SAMPLE BY has them.
    static boolean isUnit(String text) {
        return UNITS.contains(text);
    }

    /// Whether the next tokens are a list of names in parentheses and no condition: `(a)`, `(a, b)`.
    public static boolean isNameListNext(GeneratedParser parser) {
        if (parser.getToken(1).kind != GeneratedParserConstants.LPAREN) {
            return false;
        }
        int at = 2;
        while (isNameToken(parser.getToken(at))) {
            int next = parser.getToken(at + 1).kind;
            if (next == GeneratedParserConstants.RPAREN) {
                return endsCondition(parser.getToken(at + 2));
            }
            if (next != GeneratedParserConstants.COMMA) {
                return false;
            }
            at += 2;
        }
        return false;
    }

    private static boolean isNameToken(Token token) {
        return token.kind == GeneratedParserConstants.IDENTIFIER
                || token.kind == GeneratedParserConstants.QUOTED_IDENTIFIER;
    }

    private static boolean endsCondition(Token token) {
        return switch (token.kind) {
            case GeneratedParserConstants.AND,
                    GeneratedParserConstants.OR,
                    GeneratedParserConstants.IS,
                    GeneratedParserConstants.EQ,
                    GeneratedParserConstants.NE,
                    GeneratedParserConstants.LT,
                    GeneratedParserConstants.LE,
                    GeneratedParserConstants.GT,
                    GeneratedParserConstants.GE,
                    GeneratedParserConstants.INFIX_CAST,
                    GeneratedParserConstants.PG_OPERATOR -> false;
            default -> true;
        };
    }
}
