package dev.quarrel.core.json.path;

import dev.quarrel.core.json.path.PathItem.Kind;
import dev.quarrel.core.json.path.PathItem.Levels;
import dev.quarrel.core.json.path.PathItem.Range;
import dev.quarrel.core.json.path.PathLexer.Token;
import dev.quarrel.core.json.path.PathLexer.Type;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Reads the text of a SQL/JSON path.
///
/// - Source: PostgreSQL's `jsonpath_gram.y`.
final class PathParser {
    private static final Map<String, Kind> METHODS = Arrays.stream(Kind.values())
            .filter(Kind::isMethod)
            .collect(Collectors.toMap(Kind::text, Function.identity()));
    private static final int MAX_DEPTH = 1000;

    private final PathLexer lexer;
    /// Those read so far: an error in the text stands behind an error in what precedes it.
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int depth;

    private PathParser(PathLexer lexer) {
        this.lexer = lexer;
    }

    /// - Errors: as [JsonPathExpression#parse].
    static JsonPathExpression parse(String text) {
        PathParser parser = new PathParser(new PathLexer(text));
        boolean isStrict = parser.acceptWord("strict");
        if (!isStrict) {
            parser.acceptWord("lax");
        }
        if (parser.peek().type() == Type.END && parser.at == 0) {
            throw new QueryException(
                    SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type jsonpath: \"" + text + "\"");
        }
        PathItem root = parser.or();
        if (parser.peek().type() != Type.END) {
            throw parser.syntax();
        }
        checkPlaces(root, 0, false);
        return new JsonPathExpression(root, !isStrict);
    }

    /// - Errors: 42601 where `@` stands in no filter or `last` in no subscript.
    private static void checkPlaces(PathItem item, int filters, boolean inSubscript) {
        if (item == null) {
            return;
        }
        if (item.kind() == Kind.CURRENT && filters == 0) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "@ is not allowed in root expressions");
        }
        if (item.kind() == Kind.LAST && !inSubscript) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "LAST is allowed only in array subscripts");
        }
        int inner = item.kind() == Kind.FILTER ? filters + 1 : filters;
        checkPlaces(item.left(), inner, inSubscript);
        checkPlaces(item.right(), inner, inSubscript);
        for (Range range : item.ranges()) {
            checkPlaces(range.from(), filters, true);
            checkPlaces(range.to(), filters, true);
        }
        checkPlaces(item.next(), filters, inSubscript);
    }

    private PathItem or() {
        requireDepth();
        PathItem left = and();
        while (peek().is("||")) {
            left = logical(Kind.OR, left, this::and);
        }
        depth--;
        return left;
    }

    private PathItem value() {
        requireDepth();
        PathItem value = requireValue(sum());
        depth--;
        return value;
    }

    private void requireDepth() {
        if (++depth > MAX_DEPTH) {
            throw new QueryException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded");
        }
    }

    private PathItem and() {
        PathItem left = comparison();
        while (peek().is("&&")) {
            left = logical(Kind.AND, left, this::comparison);
        }
        return left;
    }

    private PathItem logical(Kind kind, PathItem left, java.util.function.Supplier<PathItem> operand) {
        requirePredicate(left);
        at++;
        return PathItem.of(kind, left, requirePredicate(operand.get()));
    }

    private PathItem comparison() {
        if (peek().is("!")) {
            at++;
            return PathItem.of(Kind.NOT, delimited(), null);
        }
        PathItem left = sum();
        Kind kind = comparisonKind();
        if (kind != null) {
            requireValue(left);
            at++;
            return PathItem.of(kind, left, requireValue(sum()));
        }
        if (peek().isWord("starts")) {
            requireValue(left);
            at++;
            requireWord("with");
            Token initial = next();
            PathItem right =
                    switch (initial.type()) {
                        case STRING -> PathItem.of(Kind.STRING, initial.text());
                        case VARIABLE -> PathItem.of(Kind.VARIABLE, initial.text());
                        default -> {
                            at--;
                            throw syntax();
                        }
                    };
            return PathItem.of(Kind.STARTS_WITH, left, right);
        }
        if (peek().isWord("like_regex")) {
            requireValue(left);
            at++;
            String pattern = require(Type.STRING).text();
            String flags = acceptWord("flag") ? require(Type.STRING).text() : "";
            return new PathItem(Kind.LIKE_REGEX, LikePattern.of(pattern, flags), left, null, List.of(), null);
        }
        return left;
    }

    /// What `!` may stand before.
    private PathItem delimited() {
        if (peek().isWord("exists")) {
            return primary();
        }
        requireSymbol("(");
        PathItem inner = requirePredicate(or());
        requireSymbol(")");
        return inner;
    }

    private Kind comparisonKind() {
        if (peek().type() != Type.SYMBOL) {
            return null;
        }
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.isComparison() && kind.text().equals(peek().text()))
                .findFirst()
                .orElse(null);
    }

    private PathItem sum() {
        PathItem left = product();
        while (peek().is("+") || peek().is("-")) {
            requireValue(left);
            Kind kind = next().is("+") ? Kind.ADD : Kind.SUBTRACT;
            left = PathItem.of(kind, left, requireValue(product()));
        }
        return left;
    }

    private PathItem product() {
        PathItem left = unary();
        while (peek().is("*") || peek().is("/") || peek().is("%")) {
            requireValue(left);
            Token symbol = next();
            Kind kind = symbol.is("*") ? Kind.MULTIPLY : symbol.is("/") ? Kind.DIVIDE : Kind.MODULO;
            left = PathItem.of(kind, left, requireValue(unary()));
        }
        return left;
    }

    private PathItem unary() {
        if (!peek().is("+") && !peek().is("-")) {
            return primary();
        }
        boolean isMinus = next().is("-");
        requireDepth();
        PathItem operand = requireValue(unary());
        depth--;
        if (operand.kind() == Kind.NUMBER && operand.next() == null) {
            return isMinus ? PathItem.of(Kind.NUMBER, ((BigDecimal) operand.value()).negate()) : operand;
        }
        return PathItem.of(isMinus ? Kind.MINUS : Kind.PLUS, operand, null);
    }

    private PathItem primary() {
        Token token = next();
        if (token.is("(")) {
            PathItem inner = or();
            requireSymbol(")");
            if (isAccessor()) {
                return accessors(inner);
            }
            if (inner.kind().isPredicate() && inner.next() == null && peek().isWord("is")) {
                at++;
                requireWord("unknown");
                return PathItem.of(Kind.IS_UNKNOWN, inner, null);
            }
            return inner;
        }
        if (token.isWord("exists")) {
            requireSymbol("(");
            PathItem operand = value();
            requireSymbol(")");
            return PathItem.of(Kind.EXISTS, operand, null);
        }
        return accessors(scalar(token));
    }

    private PathItem scalar(Token token) {
        return switch (token.type()) {
            case STRING -> PathItem.of(Kind.STRING, token.text());
            case VARIABLE -> PathItem.of(Kind.VARIABLE, token.text());
            case INTEGER, NUMBER -> PathItem.of(Kind.NUMBER, token.number());
            case WORD -> word(token);
            case SYMBOL -> {
                if (token.is("$")) {
                    yield PathItem.of(Kind.ROOT);
                }
                if (token.is("@")) {
                    yield PathItem.of(Kind.CURRENT);
                }
                at--;
                throw syntax();
            }
            case END -> {
                at--;
                throw syntax();
            }
        };
    }

    private PathItem word(Token token) {
        if (token.isWord("null")) {
            return PathItem.of(Kind.NULL);
        }
        if (token.isWord("true") || token.isWord("false")) {
            return PathItem.of(Kind.BOOL, token.isWord("true"));
        }
        if (token.isWord("last")) {
            return PathItem.of(Kind.LAST);
        }
        at--;
        throw syntax();
    }

    private boolean isAccessor() {
        return peek().is(".") || peek().is("[") || peek().is("?");
    }

    private PathItem accessors(PathItem first) {
        List<PathItem> steps = new ArrayList<>();
        while (isAccessor()) {
            Token token = next();
            steps.add(token.is(".") ? member() : token.is("[") ? subscript() : filter());
        }
        PathItem tail = null;
        for (PathItem step : steps.reversed()) {
            tail = tail == null ? step : step.append(tail);
        }
        return tail == null ? first : first.append(tail);
    }

    private PathItem filter() {
        requireSymbol("(");
        PathItem condition = requirePredicate(or());
        requireSymbol(")");
        return PathItem.of(Kind.FILTER, condition, null);
    }

    private PathItem member() {
        Token token = next();
        if (token.is("*")) {
            return PathItem.of(Kind.ANY_KEY);
        }
        if (token.is("**")) {
            return levels();
        }
        if (token.type() == Type.WORD && peek().is("(")) {
            Kind method = METHODS.get(token.text().toLowerCase(java.util.Locale.ROOT));
            if (method != null) {
                at++;
                return method(method);
            }
        }
        if (token.type() != Type.WORD && token.type() != Type.STRING) {
            at--;
            throw syntax();
        }
        return PathItem.of(Kind.KEY, token.text());
    }

    private PathItem method(Kind method) {
        PathItem first = null;
        PathItem second = null;
        if (!peek().is(")")) {
            switch (method) {
                case DECIMAL -> {
                    first = argument();
                    if (peek().is(",")) {
                        at++;
                        second = argument();
                    }
                    if (peek().is(",")) {
                        at++;
                        throw tooManyArguments();
                    }
                }
                case DATETIME ->
                    first = PathItem.of(Kind.STRING, require(Type.STRING).text());
                case TIME, TIME_TZ, TIMESTAMP, TIMESTAMP_TZ ->
                    first = PathItem.of(Kind.NUMBER, require(Type.INTEGER).number());
                default -> throw syntax();
            }
        }
        requireSymbol(")");
        return PathItem.of(method, first, second);
    }

    private QueryException tooManyArguments() {
        argument();
        while (peek().is(",")) {
            at++;
            argument();
        }
        requireSymbol(")");
        return new QueryException(SqlState.SYNTAX_ERROR, "invalid input syntax for type jsonpath")
                .withDetail(".decimal() can only have an optional precision[,scale].");
    }

    private PathItem argument() {
        boolean isMinus = peek().is("-");
        at += isMinus || peek().is("+") ? 1 : 0;
        BigDecimal number = require(Type.INTEGER).number();
        return PathItem.of(Kind.NUMBER, isMinus ? number.negate() : number);
    }

    private PathItem levels() {
        if (!peek().is("{")) {
            return PathItem.of(Kind.ANY, new Levels(0, PathItem.LAST));
        }
        at++;
        int first = level();
        int last = first;
        if (peek().isWord("to")) {
            at++;
            last = level();
        }
        requireSymbol("}");
        return PathItem.of(Kind.ANY, new Levels(first, last));
    }

    private int level() {
        if (acceptWord("last")) {
            return PathItem.LAST;
        }
        try {
            return require(Type.INTEGER).number().intValueExact();
        } catch (ArithmeticException beyondInt) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value is out of range for type integer");
        }
    }

    private PathItem subscript() {
        if (peek().is("*")) {
            at++;
            requireSymbol("]");
            return PathItem.of(Kind.ANY_ELEMENT);
        }
        List<Range> ranges = new ArrayList<>();
        do {
            at += ranges.isEmpty() ? 0 : 1;
            PathItem from = value();
            PathItem to = null;
            if (peek().isWord("to")) {
                at++;
                to = value();
            }
            ranges.add(new Range(from, to));
        } while (peek().is(","));
        requireSymbol("]");
        return new PathItem(Kind.SUBSCRIPTS, null, null, null, List.copyOf(ranges), null);
    }

    private PathItem requirePredicate(PathItem item) {
        if (!item.kind().isPredicate() || item.next() != null) {
            throw syntax();
        }
        return item;
    }

    private PathItem requireValue(PathItem item) {
        if (item.kind().isPredicate() && item.next() == null) {
            throw syntax();
        }
        return item;
    }

    private Token peek() {
        while (tokens.size() <= at) {
            tokens.add(lexer.next());
        }
        return tokens.get(at);
    }

    private Token next() {
        Token token = peek();
        at++;
        return token;
    }

    private boolean acceptWord(String word) {
        boolean isNext = peek().isWord(word);
        at += isNext ? 1 : 0;
        return isNext;
    }

    private void requireWord(String word) {
        if (!acceptWord(word)) {
            throw syntax();
        }
    }

    private void requireSymbol(String symbol) {
        if (!peek().is(symbol)) {
            throw syntax();
        }
        at++;
    }

    private Token require(Type type) {
        if (peek().type() != type) {
            throw syntax();
        }
        return next();
    }

    private QueryException syntax() {
        return PathLexer.fault("syntax error", peek().near());
    }
}
