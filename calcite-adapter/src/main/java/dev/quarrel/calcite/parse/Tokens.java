package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.Token;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Turns lexemes into the generated parser's tokens.
///
/// A word that PostgreSQL does not reserve is an identifier unless its neighbours make it a keyword: so `date`,
/// `year`, `value`, `over` or `filter` name tables and columns without quotes. Strings, typed literals, decimal
/// numbers and parameters become whole nodes.
final class Tokens {
    private static final List<String> FORMS = List.of("nfc", "nfd", "nfkc", "nfkd");

    private static final Set<String> INTERVAL_UNITS = Set.of("year", "month", "day", "hour", "minute", "second");

    /// Unreserved words that a string may follow without being its type.
    private static final Set<String> NO_TYPE =
            Set.of("by", "escape", "values", "between", "over", "range", "rows", "zone", "nested");

    /// Words that a string may follow where they stand behind an operand: of SQL/JSON.
    private static final Set<String> BEHIND_OPERAND = Set.of("value", "passing", "path");

    private final String text;
    private final List<Lexeme> lexemes;
    private final Lexeme end;
    private final List<Token> tokens = new ArrayList<>();
    private final Deque<Inside> open = new ArrayDeque<>(); // by open parenthesis
    private int at;
    private int parameterCount;
    /// Whether a SIMILAR without TO waits for its ESCAPE.
    private boolean isSimilarOpen;

    private Tokens(String text, List<Lexeme> lexemes, Lexeme end) {
        this.text = text;
        this.lexemes = lexemes;
        this.end = end;
    }

    record Result(List<Token> tokens, int parameterCount) {}

    /// @param end what follows the statement: a semicolon or the end of the text
    static Result of(String text, List<Lexeme> lexemes, Lexeme end) {
        Tokens result = new Tokens(text, lexemes, end);
        while (result.at < lexemes.size()) {
            result.convert();
        }
        result.add(GeneratedParserConstants.EOF, "", end.start(), end.start());
        return new Result(List.copyOf(result.tokens), result.parameterCount);
    }

    private void convert() {
        Lexeme lexeme = lexemes.get(at);
        if (JoinWindow.isStep(lexemes, at)) {
            convertStep(lexeme);
            return;
        }
        switch (lexeme.kind()) {
            case WORD -> convertWord(lexeme);
            case QUOTED -> {
                at++;
                addQuoted(lexeme);
            }
            case STRING -> {
                if (previous(1).isSymbol("(") && previous(2).isWord("extract")) {
                    at++;
                    addQuoted(lexeme);
                } else {
                    at++;
                    addAtom(string(lexeme), lexeme.start(), lexeme.end());
                }
            }
            case BIT_STRING -> {
                at++;
                addAtom(bits(lexeme), lexeme.start(), lexeme.end());
            }
            case INTEGER -> {
                at++;
                add(GeneratedParserConstants.UNSIGNED_INTEGER_LITERAL, lexeme);
            }
            case DECIMAL -> {
                at++;
                addAtom(decimal(lexeme), lexeme.start(), lexeme.end());
            }
            case PARAMETER -> {
                at++;
                addAtom(parameter(lexeme), lexeme.start(), lexeme.end());
            }
            case OPERATOR -> {
                boolean isPrefix = !isOperandEnd(previous(1));
                at++;
                addOperator(lexeme, isPrefix);
            }
            case PUNCTUATION -> {
                at++;
                addPunctuation(lexeme);
            }
            case END -> throw new IllegalStateException("END inside a statement");
        }
    }

    /// `10 seconds` before PRECEDING or FOLLOWING: the literal of an interval.
    private void convertStep(Lexeme count) {
        int to = next(1).end();
        SqlParserPos pos = Positions.parserPos(count.start(), to);
        PostgresTypeName type = new PostgresTypeName(new SqlIdentifier("interval", pos), List.of(), null, 0, pos);
        // Not at the number's place: what stands there is a literal of the statement, and this another one.
        SqlNode value = SqlLiteral.createCharString(
                count.text() + " " + next(1).text(), Positions.parserPos(next(1).start(), to));
        addAtom(
                PostgresOperators.TYPED_LITERAL.createCall(pos, new SqlDataTypeSpec(type, pos), value),
                count.start(),
                to);
        at += 2;
    }

    private void convertWord(Lexeme word) {
        if (previous(1).isSymbol(".")) {
            at++;
            add(GeneratedParserConstants.IDENTIFIER, word);
            return;
        }
        SeriesWords.Word ofSeries = SeriesWords.of(lexemes, at);
        if (ofSeries != null) {
            at += ofSeries.count();
            add(ofSeries.kind(), ofSeries.image(), word.start(), previous(1).end());
            return;
        }
        if (convertTypedLiteral(word) || convertIntervalFields(word) || convertPhrase(word)) {
            return;
        }
        at++;
        String name = word.text();
        if (Words.WITHOUT_PARENTHESES.contains(name)
                && !(name.equals("current_schema") && next(0).isSymbol("("))
                && !previous(1).isWord("as")) {
            addCallWithoutParentheses(word);
        } else if (Words.isReserved(name)) {
            addReserved(word);
        } else if (name.equals("groups") && isFrameStart(previous(2), next(0))) {
            add(GeneratedParserConstants.ROWS, word); // the analysis sees which of the two it is
        } else if (isKeywordHere(word)) {
            boolean ofSimilar = isSimilarOpen && name.equals("escape");
            isSimilarOpen &= !ofSimilar;
            add(ofSimilar ? GeneratedParserConstants.FOR : Words.kind(name), word);
        } else {
            add(GeneratedParserConstants.IDENTIFIER, word);
        }
    }

    private void addReserved(Lexeme word) {
        String name = word.text();
        // After AS any word is a label; a function may be named as a join is.
        boolean label = previous(2).isWord("as") && !next(0).isSymbol("(");
        boolean function = next(0).isSymbol("(")
                && Words.isFunctionOrType(name)
                && (name.equals("left") || name.equals("right") || name.equals("current_schema"));
        if (label || function) {
            add(GeneratedParserConstants.IDENTIFIER, word);
            return;
        }
        switch (name) {
            case "order" -> {
                if (next(0).isWord("by") && open.peek() == Inside.ARGUMENTS) {
                    addWithinGroup(word);
                }
                add(Words.kind(name), word);
            }
            case "similar" -> {
                // substring(a SIMILAR b ESCAPE c), which the grammar takes as with FROM and FOR
                isSimilarOpen = !next(0).isWord("to") && hasInside(0, 0, Set.of("escape"));
                add(isSimilarOpen ? GeneratedParserConstants.FROM : Words.kind(name), word);
            }
            case "variadic" -> {
                boolean isArgument = previous(2).isSymbol("(") || previous(2).isSymbol(",");
                add(
                        isArgument && open.peek() == Inside.ARGUMENTS
                                ? GeneratedParserConstants.PG_PREFIX_OPERATOR
                                : Words.kind(name),
                        word);
            }
            case "isnull" -> addIsNull(word, false);
            case "notnull" -> addIsNull(word, true);
            case "returning" -> add(GeneratedParserConstants.PG_RETURNING, word);
            case "collate" -> add(GeneratedParserConstants.PG_COLLATE, word);
            case "is" -> {
                if (!convertNormalized(word)) {
                    add(Words.kind(name), word);
                }
            }
            default -> add(Words.kind(name), word);
        }
    }

    /// The grammar knows ORDER BY among a function's arguments for some names alone, but WITHIN GROUP for all: the
    /// one is handed on as the other, and the analysis tells them apart by what stands in the text where
    /// WITHIN begins.
    private void addWithinGroup(Lexeme order) {
        add(GeneratedParserConstants.RPAREN, ")", order.start(), order.start());
        add(GeneratedParserConstants.WITHIN, "within", order.start(), order.end());
        add(GeneratedParserConstants.GROUP, "group", order.start(), order.end());
        add(GeneratedParserConstants.LPAREN, "(", order.start(), order.start());
    }

    /// The kind of content between two parentheses.
    private enum Inside {
        ARGUMENTS,
        WINDOW,
        OTHER
    }

    /// What a parenthesis, `at` behind it, opens.
    private Inside opened() {
        Lexeme before = previous(2);
        boolean isName = before.kind() == Kind.QUOTED
                || before.kind() == Kind.WORD
                        && (!Words.isReserved(before.text()) || Words.isFunctionOrType(before.text()));
        Lexeme after = next(0);
        boolean isQuery = after.isWord("select") || after.isWord("with") || after.isWord("values");
        // JOIN ((SELECT … and AS MATERIALIZED ((SELECT … are no calls, whose arguments may have an order.
        boolean isCalled = !before.isWord("join") && !(before.isWord("materialized") && isOfWith(previous(3)));
        if (isQuery || !isCalled || before.isWord("json_arrayagg")) {
            return Inside.OTHER;
        }
        // WINDOW w AS (…)
        return before.isWord("over") || before.isWord("as") ? Inside.WINDOW : isName ? Inside.ARGUMENTS : Inside.OTHER;
    }

    /// Whether it stands before MATERIALIZED of a WITH query.
    private static boolean isOfWith(Lexeme before) {
        return before.isWord("as") || before.isWord("not");
    }

    private void addIsNull(Lexeme word, boolean not) {
        add(GeneratedParserConstants.IS, "is", word.start(), word.end());
        if (not) {
            add(GeneratedParserConstants.NOT, "not", word.start(), word.end());
        }
        add(GeneratedParserConstants.NULL, "null", word.start(), word.end());
    }

    /// `IS [NOT] [NFC | NFD | NFKC | NFKD] NORMALIZED`: an operator before the form's name.
    private boolean convertNormalized(Lexeme is) {
        boolean isNot = next(0).isWord("not");
        int form = isNot ? 1 : 0;
        boolean isFormed = FORMS.stream().anyMatch(next(form)::isWord);
        Lexeme last = next(isFormed ? form + 1 : form);
        if (!last.isWord("normalized")) {
            return false;
        }
        String name = isFormed ? next(form).text().toUpperCase(Locale.ROOT) : "NFC";
        add(
                GeneratedParserConstants.PG_OPERATOR,
                isNot ? PostgresOperators.IS_NOT_NORMALIZED : PostgresOperators.IS_NORMALIZED,
                is.start(),
                last.start());
        addAtom(
                SqlLiteral.createCharString(name, Positions.parserPos(last.start(), last.end())),
                last.start(),
                last.end());
        at += (isNot ? 2 : 1) + (isFormed ? 1 : 0);
        return true;
    }

    /// Several words that are one token: `double precision`, `with time zone`, `at time zone`, `operator(…)`.
    private boolean convertPhrase(Lexeme word) {
        switch (word.text()) {
            case "double" -> {
                if (next(1).isWord("precision")) {
                    joined(word, 2);
                    return true;
                }
            }
            case "character", "char", "bit", "national" -> {
                int words = 1;
                if (word.isWord("national") && (next(1).isWord("character") || next(1).isWord("char"))) {
                    words++;
                } else if (word.isWord("national")) {
                    return false;
                }
                if (next(words).isWord("varying")) {
                    words++;
                }
                if (words > 1) {
                    joined(word, words);
                    return true;
                }
            }
            case "with", "without" -> {
                if (word.isWord("with") && next(1).isWord("ordinality")) {
                    add(GeneratedParserConstants.ORDINALITY, word.text(), word.start(), next(1).end());
                    at += 2;
                    return true;
                }
                if (next(1).isWord("time") && next(2).isWord("zone")) {
                    int kind = word.isWord("with")
                            ? GeneratedParserConstants.PG_WITH_TIME_ZONE
                            : GeneratedParserConstants.PG_WITHOUT_TIME_ZONE;
                    add(kind, word.text(), word.start(), next(2).end());
                    at += 3;
                    return true;
                }
            }
            case "at" -> {
                if (next(1).isWord("time") && next(2).isWord("zone")) {
                    add(GeneratedParserConstants.PG_AT_TIME_ZONE, "at time zone", word.start(), next(2).end());
                    at += 3;
                    return true;
                }
                if (next(1).isWord("local")) {
                    Lexeme local = next(1);
                    add(GeneratedParserConstants.PG_AT_TIME_ZONE, "at", word.start(), word.end());
                    addAtom(
                            SqlLiteral.createSymbol(
                                    PostgresOperators.SessionZone.LOCAL,
                                    Positions.parserPos(local.start(), local.end())),
                            local.start(),
                            local.end());
                    at += 2;
                    return true;
                }
            }
            case "is" -> {
                return convertIsJson(word);
            }
            case "operator" -> {
                return next(1).isSymbol("(") && convertOperatorCall(word);
            }
            default -> {}
        }
        return false;
    }

    private void joined(Lexeme first, int words) {
        StringBuilder name = new StringBuilder(first.text());
        for (int index = 1; index < words; index++) {
            name.append(' ').append(next(index).text());
        }
        int to = next(words - 1).end();
        at += words;
        Lexeme type = new Lexeme(Kind.WORD, name.toString(), first.start(), to);
        if (next(0).kind() == Kind.STRING) {
            Lexeme value = lexemes.get(at++);
            addAtom(typed(name.toString(), type, List.of(), null, value), first.start(), value.end());
        } else {
            add(GeneratedParserConstants.IDENTIFIER, type);
        }
    }

    /// `IS [NOT] JSON [VALUE | ARRAY | OBJECT | SCALAR] [WITH | WITHOUT UNIQUE [KEYS]]`, as an operator with a text.
    private boolean convertIsJson(Lexeme is) {
        int index = next(1).isWord("not") ? 2 : 1;
        if (!next(index).isWord("json")) {
            return false;
        }
        boolean isNot = index == 2;
        String kind = "value";
        index++;
        for (String each : List.of("value", "array", "object", "scalar")) {
            if (next(index).isWord(each)) {
                kind = each;
                index++;
                break;
            }
        }
        boolean isUnique = next(index).isWord("with");
        if ((isUnique || next(index).isWord("without")) && next(index + 1).isWord("unique")) {
            index += next(index + 2).isWord("keys") ? 3 : 2;
        } else {
            isUnique = false;
        }
        int to = next(index - 1).end();
        add(
                GeneratedParserConstants.PG_OPERATOR,
                isNot ? PostgresOperators.IS_NOT_JSON.getName() : PostgresOperators.IS_JSON.getName(),
                is.start(),
                to);
        addAtom(
                SqlLiteral.createCharString(isUnique ? kind + " unique" : kind, Positions.parserPos(is.start(), to)),
                is.start(),
                to);
        at += index;
        return true;
    }

    private boolean convertOperatorCall(Lexeme word) {
        int index = 2;
        while (next(index).isName() && next(index + 1).isSymbol(".")) {
            index += 2;
        }
        Lexeme symbol = next(index);
        if (symbol.kind() != Kind.OPERATOR || !next(index + 1).isSymbol(")")) {
            return false;
        }
        add(
                GeneratedParserConstants.PG_OPERATOR,
                symbol.text(),
                word.start(),
                next(index + 1).end());
        at += index + 2;
        return true;
    }

    /// `date '1998-09-02'`, `interval '1' day`, `timestamp(3) with time zone '…'`, `numeric(5, 2) '1.5'`.
    private boolean convertTypedLiteral(Lexeme word) {
        String name = word.text();
        if (Words.isReserved(name) || NO_TYPE.contains(name) || previous(1).isSymbol(".")) {
            return false;
        }
        boolean isBehindOperand =
                isOperandEnd(previous(1)) || name.equals("path") && previous(1).isWord("exists");
        if (BEHIND_OPERAND.contains(name) && isBehindOperand) {
            return false;
        }
        int index = typeWords(word);
        StringBuilder typeName = new StringBuilder(name);
        for (int further = 1; further < index; further++) {
            typeName.append(' ').append(next(further).text());
        }
        List<SqlNode> modifiers = new ArrayList<>();
        if (next(index).isSymbol("(") && next(index + 1).kind() == Kind.INTEGER) {
            modifiers.add(integer(next(index + 1)));
            index += 2;
            if (next(index).isSymbol(",") && next(index + 1).kind() == Kind.INTEGER) {
                modifiers.add(integer(next(index + 1)));
                index += 2;
            }
            if (!next(index).isSymbol(")")) {
                return false;
            }
            index++;
        }
        Boolean zone = null;
        if ((next(index).isWord("with") || next(index).isWord("without"))
                && next(index + 1).isWord("time")
                && next(index + 2).isWord("zone")) {
            zone = next(index).isWord("with");
            index += 3;
        }
        Lexeme value = next(index);
        if (value.kind() != Kind.STRING) {
            return false;
        }
        index++;
        int to = value.end();
        if (name.equals("interval") && isUnit(next(index))) {
            modifiers.add(unit(next(index)));
            to = next(index).end();
            index++;
            if (next(index).isWord("to") && isUnit(next(index + 1))) {
                modifiers.add(unit(next(index + 1)));
                to = next(index + 1).end();
                index += 2;
            }
            if (isDigits(next(index), next(index + 1), next(index + 2))) {
                modifiers.add(integer(next(index + 1)));
                to = next(index + 2).end();
                index += 3;
            }
        }
        at += index;
        boolean isBits = word.isWord("bit") && typeName.length() == name.length() && modifiers.isEmpty();
        addAtom(
                isBits ? bits(word, value) : typed(typeName.toString(), word, modifiers, zone, value),
                word.start(),
                to);
        return true;
    }

    /// How many words a type's name has that begins with this one.
    private int typeWords(Lexeme word) {
        return switch (word.text()) {
            case "double" -> next(1).isWord("precision") ? 2 : 1;
            case "bit", "character", "char", "nchar" -> next(1).isWord("varying") ? 2 : 1;
            case "national" -> {
                boolean isCharacter = next(1).isWord("character") || next(1).isWord("char");
                yield isCharacter ? next(2).isWord("varying") ? 3 : 2 : 1;
            }
            default -> 1;
        };
    }

    /// `interval day to second(3)` in a cast: the fields are handed on as the type's modifiers.
    private boolean convertIntervalFields(Lexeme word) {
        boolean isCast = previous(1).isSymbol("::") || previous(1).isWord("as");
        if (!word.isWord("interval") || !isCast || !isUnit(next(1))) {
            return false;
        }
        Lexeme first = next(1);
        at += 2;
        add(GeneratedParserConstants.IDENTIFIER, word);
        add(GeneratedParserConstants.LPAREN, "(", first.start(), first.start());
        add(GeneratedParserConstants.IDENTIFIER, first);
        if (next(0).isWord("to") && isUnit(next(1))) {
            add(GeneratedParserConstants.COMMA, ",", next(0).start(), next(0).end());
            add(GeneratedParserConstants.IDENTIFIER, next(1));
            at += 2;
        }
        if (isDigits(next(0), next(1), next(2))) {
            add(GeneratedParserConstants.COMMA, ",", next(0).start(), next(0).end());
            add(GeneratedParserConstants.UNSIGNED_INTEGER_LITERAL, next(1));
            at += 3;
        }
        add(GeneratedParserConstants.RPAREN, ")", previous(1).end(), previous(1).end());
        return true;
    }

    /// `(3)`
    private static boolean isDigits(Lexeme open, Lexeme number, Lexeme close) {
        return open.isSymbol("(") && number.kind() == Kind.INTEGER && close.isSymbol(")");
    }

    private static boolean isUnit(Lexeme lexeme) {
        return lexeme.kind() == Kind.WORD && INTERVAL_UNITS.contains(lexeme.text());
    }

    private static SqlNode unit(Lexeme lexeme) {
        return new SqlIdentifier(lexeme.text(), Positions.parserPos(lexeme.start(), lexeme.end()));
    }

    private static SqlNode integer(Lexeme lexeme) {
        return SqlLiteral.createExactNumeric(lexeme.text(), Positions.parserPos(lexeme.start(), lexeme.end()));
    }

    /// Whether the neighbours of an unreserved word make it a keyword. `at` is behind the word.
    private boolean isKeywordHere(Lexeme word) {
        Lexeme before = previous(2);
        Lexeme after = next(0);
        return switch (word.text()) {
            case "by" -> before.isWord("group") || before.isWord("order") || before.isWord("partition");
            case "recursive" -> before.isWord("with");
            case "values" -> after.isSymbol("(") && !before.isSymbol(",") || before == NONE;
            case "between" -> isOperandEnd(before) || before.isWord("not");
            case "escape" -> isOperandEnd(before) && isOperandStart(after);
            case "exists", "extract", "position" -> after.isSymbol("(");
            // With commas alone they are functions like any other.
            case "substring" -> after.isSymbol("(") && hasInside(Set.of("from", "for", "similar"));
            case "overlay" -> after.isSymbol("(") && hasInside(Set.of("placing"));
            case "trim" -> after.isSymbol("(");
            // ROW(…) is read as a call: the grammar would take (ROW(…)) for a row of VALUES.
            case "row" -> isRowsHere(before);
            case "rows" -> isRowsHere(before) || isRowsFrom(before) || isFrameStart(before, after);
            case "range" -> isFrameStart(before, after);
            case "first" -> before.isWord("fetch") || before.isWord("nulls");
            case "next" -> before.isWord("fetch");
            case "last" -> before.isWord("nulls");
            case "nulls" -> after.isWord("first") || after.isWord("last");
            case "over" -> before.isSymbol(")") && (after.isSymbol("(") || after.isName());
            case "filter" -> before.isSymbol(")") && after.isSymbol("(") && next(1).isWord("where");
            case "within" -> before.isSymbol(")") && after.isWord("group");
            case "partition" -> after.isWord("by");
            case "unbounded" -> after.isWord("preceding") || after.isWord("following");
            case "preceding", "following" -> isOperandEnd(before);
            case "current" -> after.isWord("row");
            case "exclude" ->
                after.isWord("current") || after.isWord("group") || after.isWord("ties") || after.isWord("no");
            case "no" -> before.isWord("exclude");
            case "others", "ties" -> before.isWord("no") || before.isWord("exclude");
            case "grouping" -> after.isWord("sets");
            case "sets" -> before.isWord("grouping");
            case "rollup", "cube" -> after.isSymbol("(") && beginsGroupingSet(before);
            case "unknown" ->
                before.isWord("is") || before.isWord("not") && previous(3).isWord("is");
            default -> false;
        };
    }

    private boolean beginsGroupingSet(Lexeme before) {
        return before.isWord("by")
                || before.isSymbol(",")
                || before.isSymbol("(") && previous(3).isWord("sets")
                || (before.isWord("all") || before.isWord("distinct"))
                        && previous(3).isWord("by");
    }

    /// Whether one of these words stands in the parentheses that open next, and in none within them.
    private boolean hasInside(Set<String> words) {
        return hasInside(1, 1, words);
    }

    /// Whether one of these words stands in the parentheses that are open `from` words further, and in none
    /// within them.
    ///
    /// @param opened parentheses that are open there, of those that count
    private boolean hasInside(int from, int opened, Set<String> words) {
        int depth = opened;
        for (int index = from; next(index) != end; index++) {
            Lexeme lexeme = next(index);
            if (lexeme.isSymbol("(") || lexeme.isSymbol("[")) {
                depth++;
            } else if (lexeme.isSymbol(")") || lexeme.isSymbol("]")) {
                depth--;
            } else if (depth == opened && lexeme.kind() == Kind.WORD && words.contains(lexeme.text())) {
                return true;
            }
            if (depth < opened) {
                return false;
            }
        }
        return false;
    }

    /// Whether an operand, which is not an operator's, may begin here.
    private static boolean isOperandStart(Lexeme lexeme) {
        return switch (lexeme.kind()) {
            case STRING, PARAMETER, QUOTED -> true;
            case WORD -> lexeme.text().equals("null") || !Words.isReserved(lexeme.text());
            case PUNCTUATION -> lexeme.isSymbol("(");
            default -> false;
        };
    }

    private boolean isRowsHere(Lexeme before) {
        return before.isWord("current")
                || before.isWord("first")
                || before.isWord("next")
                || next(0).isWord("only")
                || next(0).isWord("with") && next(1).isWord("ties")
                || previous(3).isWord("offset")
                || previous(4).isWord("fetch");
    }

    /// Whether ROWS FROM (f(…), …) begins here, in FROM.
    private boolean isRowsFrom(Lexeme before) {
        return (before.isWord("from") || before.isWord("join") || before.isWord("lateral") || before.isSymbol(","))
                && next(0).isWord("from")
                && next(1).isSymbol("(")
                && (next(3).isSymbol("(") || next(3).isSymbol(".") && next(5).isSymbol("("));
    }

    private boolean isFrameStart(Lexeme before, Lexeme after) {
        boolean isBehindKey =
                !before.isWord("by") && (isOperandEnd(before) || before.isWord("asc") || before.isWord("desc"));
        return open.peek() == Inside.WINDOW && (isEdgeStart(after) || isBehindKey);
    }

    private static boolean isEdgeStart(Lexeme after) {
        return after.isWord("between")
                || after.isWord("unbounded")
                || after.isWord("current")
                || after.kind() == Kind.INTEGER
                || after.kind() == Kind.PARAMETER;
    }

    /// Whether an expression may end here.
    private static boolean isOperandEnd(Lexeme lexeme) {
        return switch (lexeme.kind()) {
            case WORD -> !Words.isReserved(lexeme.text()) || isOperandWord(lexeme.text());
            case QUOTED, STRING, BIT_STRING, INTEGER, DECIMAL, PARAMETER -> true;
            case PUNCTUATION -> lexeme.isSymbol(")") || lexeme.isSymbol("]");
            case OPERATOR, END -> false;
        };
    }

    private static boolean isOperandWord(String word) {
        return word.equals("end")
                || word.equals("null")
                || word.equals("true")
                || word.equals("false")
                || Words.WITHOUT_PARENTHESES.contains(word);
    }

    /// @param isPrefix whether no operand stands before it
    private void addOperator(Lexeme operator, boolean isPrefix) {
        int kind =
                switch (operator.text()) {
                    case "=" -> GeneratedParserConstants.EQ;
                    case "<>" -> GeneratedParserConstants.NE;
                    case "<" -> GeneratedParserConstants.LT;
                    case "<=" -> GeneratedParserConstants.LE;
                    case ">" -> GeneratedParserConstants.GT;
                    case ">=" -> GeneratedParserConstants.GE;
                    case "+" -> GeneratedParserConstants.PLUS;
                    case "-" -> GeneratedParserConstants.MINUS;
                    case "*" -> GeneratedParserConstants.STAR;
                    case "/" -> GeneratedParserConstants.SLASH;
                    case "%" -> GeneratedParserConstants.PERCENT_REMAINDER;
                    default ->
                        isPrefix ? GeneratedParserConstants.PG_PREFIX_OPERATOR : GeneratedParserConstants.PG_OPERATOR;
                };
        add(kind, operator.text(), operator.start(), operator.end());
    }

    private void addPunctuation(Lexeme symbol) {
        if (symbol.isSymbol("(")) {
            open.push(opened());
        } else if (symbol.isSymbol(")")) {
            open.poll();
        }
        int kind =
                switch (symbol.text()) {
                    case "(" -> GeneratedParserConstants.LPAREN;
                    case ")" -> GeneratedParserConstants.RPAREN;
                    case "[" -> GeneratedParserConstants.LBRACKET;
                    case "]" -> GeneratedParserConstants.RBRACKET;
                    case "," -> GeneratedParserConstants.COMMA;
                    case "." -> GeneratedParserConstants.DOT;
                    case ":" -> GeneratedParserConstants.COLON;
                    case "::" -> GeneratedParserConstants.INFIX_CAST;
                    case "=>", ":=" -> GeneratedParserConstants.NAMED_ARGUMENT_ASSIGNMENT;
                    default -> GeneratedParserConstants.BEL;
                };
        add(kind, symbol.text(), symbol.start(), symbol.end());
    }

    private static SqlNode string(Lexeme lexeme) {
        return SqlLiteral.createCharString(lexeme.text(), Positions.parserPos(lexeme.start(), lexeme.end()));
    }

    private SqlNode parameter(Lexeme lexeme) {
        int number;
        try {
            number = Integer.parseInt(lexeme.text());
        } catch (NumberFormatException e) {
            number = 0;
        }
        if (number < 1 || number > 65_535) {
            throw new QueryException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $" + lexeme.text())
                    .withPosition(Positions.of(text, lexeme.start()));
        }
        parameterCount = Math.max(parameterCount, number);
        return new SqlDynamicParam(number - 1, Positions.parserPos(lexeme.start(), lexeme.end()));
    }

    private SqlNode decimal(Lexeme lexeme) {
        BigDecimal value = new BigDecimal(lexeme.text());
        if (value.scale() > 0 && value.scale() <= 1_000) {
            return SqlLiteral.createExactNumeric(
                    value.toPlainString(), Positions.parserPos(lexeme.start(), lexeme.end()));
        }
        // "1." and "1e3" have no digits behind the point and are numeric all the same.
        return PostgresOperators.NUMERIC_LITERAL.createCall(
                Positions.parserPos(lexeme.start(), lexeme.end()), string(lexeme));
    }

    private static SqlNode bits(Lexeme lexeme) {
        return PostgresOperators.BIT_LITERAL.createCall(
                Positions.parserPos(lexeme.start(), lexeme.end()), string(lexeme));
    }

    /// `bit '101'`: of as many bits as are written, which the name without quotes would not say.
    private static SqlNode bits(Lexeme first, Lexeme value) {
        SqlParserPos pos = Positions.parserPos(first.start(), value.end());
        SqlIdentifier name = new SqlIdentifier(List.of("bit"), null, pos, List.of(pos.withQuoting(true)));
        return PostgresOperators.TYPED_LITERAL.createCall(
                pos, new SqlDataTypeSpec(new PostgresTypeName(name, List.of(), null, 0, pos), pos), string(value));
    }

    private static SqlNode typed(String typeName, Lexeme type, List<SqlNode> modifiers, Boolean zone, Lexeme value) {
        SqlParserPos typePos = Positions.parserPos(type.start(), type.end());
        PostgresTypeName name = new PostgresTypeName(new SqlIdentifier(typeName, typePos), modifiers, zone, 0, typePos);
        return PostgresOperators.TYPED_LITERAL.createCall(
                Positions.parserPos(Math.min(type.start(), value.start()), value.end()),
                new SqlDataTypeSpec(name, typePos),
                string(value));
    }

    /// `current_timestamp`, and `current_timestamp(3)`.
    private void addCallWithoutParentheses(Lexeme word) {
        boolean isPrecise = isDigits(next(0), next(1), next(2));
        List<SqlNode> operands = isPrecise ? List.of(integer(next(1))) : List.of();
        at += isPrecise ? 3 : 0;
        int to = isPrecise ? previous(1).end() : word.end();
        addAtom(callWithoutParentheses(word, operands), word.start(), to);
    }

    private static SqlNode callWithoutParentheses(Lexeme word, List<SqlNode> operands) {
        SqlParserPos pos = Positions.parserPos(word.start(), word.end());
        SqlUnresolvedFunction function = new SqlUnresolvedFunction(
                new SqlIdentifier(word.text(), pos), null, null, null, null, SqlFunctionCategory.USER_DEFINED_FUNCTION);
        return new SqlBasicCall(function, operands, pos);
    }

    private void addQuoted(Lexeme lexeme) {
        add(
                GeneratedParserConstants.QUOTED_IDENTIFIER,
                "\"" + lexeme.text().replace("\"", "\"\"") + "\"",
                lexeme.start(),
                lexeme.end());
    }

    private void addAtom(SqlNode node, int start, int to) {
        place(new Atoms.AtomToken(GeneratedParserConstants.PG_ATOM, text.substring(start, to), node), start, to);
    }

    private void add(int kind, Lexeme lexeme) {
        add(kind, lexeme.text(), lexeme.start(), lexeme.end());
    }

    private void add(int kind, String image, int start, int to) {
        Token token = new Token();
        token.kind = kind;
        token.image = image;
        place(token, start, to);
    }

    private void place(Token token, int start, int to) {
        token.beginLine = 1;
        token.beginColumn = start + 1;
        token.endLine = 1;
        token.endColumn = Math.max(to, start + 1);
        tokens.add(token);
    }

    /// The lexeme that many before `at`; while a word is being converted and `at` is behind it, previous(1) is
    /// the word itself.
    private Lexeme previous(int distance) {
        return at - distance >= 0 ? lexemes.get(at - distance) : NONE;
    }

    private Lexeme next(int distance) {
        return at + distance < lexemes.size() ? lexemes.get(at + distance) : end;
    }

    private static final Lexeme NONE = new Lexeme(Kind.END, "", 0, 0);
}
