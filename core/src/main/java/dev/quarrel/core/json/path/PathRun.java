package dev.quarrel.core.json.path;

import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.PathItem.Kind;
import dev.quarrel.core.json.path.PathItem.Levels;
import dev.quarrel.core.json.path.PathItem.Range;
import dev.quarrel.core.type.NumericScales;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;

/// One search of a path in a document. Where only existence is asked for, nothing is collected, and what comes behind
// the
/// first find is not looked at.
///
/// - Source: PostgreSQL's `jsonpath_exec.c`.
final class PathRun {
    private static final int MAX_SCALE = 16_383;

    private final JsonPathExpression path;
    private final JsonValue root;
    private final JsonValue variables;
    private final boolean isLax;
    private boolean ignoresStructure;
    private JsonValue current;
    private int innermostSize = -1;

    /// An error that `silent` and predicates suppress.
    private static final class Suppressible extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient QueryException error;

        Suppressible(QueryException error) {
            super(null, null, false, false);
            this.error = error;
        }
    }

    PathRun(JsonPathExpression path, JsonValue document, JsonValue variables) {
        this.path = path;
        this.root = document;
        this.variables = variables;
        this.isLax = path.isLax();
        this.ignoresStructure = isLax;
        this.current = document;
        if (!(variables instanceof JsonValue.Members)) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "\"vars\" argument is not an object")
                    .withDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.");
        }
    }

    List<JsonValue> find(boolean isSilent) {
        List<JsonValue> found = new ArrayList<>();
        try {
            run(path.root(), root, found);
        } catch (Suppressible failure) {
            if (!isSilent) {
                throw failure.error;
            }
        }
        return found;
    }

    /// Null where a suppressible error ends the search.
    List<JsonValue> findOrNull() {
        List<JsonValue> found = new ArrayList<>();
        try {
            run(path.root(), root, found);
            return found;
        } catch (Suppressible failure) {
            return null;
        }
    }

    Boolean exists(boolean isSilent) {
        try {
            if (isLax) {
                return run(path.root(), root, null);
            }
            List<JsonValue> found = new ArrayList<>();
            run(path.root(), root, found);
            return !found.isEmpty();
        } catch (Suppressible failure) {
            if (!isSilent) {
                throw failure.error;
            }
            return null;
        }
    }

    /// Takes a step from a value, and those behind it.
    ///
    /// @param found gets what is found; null to stop at the first find
    /// @return whether something was found
    private boolean run(PathItem item, JsonValue value, List<JsonValue> found) {
        return run(item, value, found, isLax);
    }

    /// @param unwraps whether a step that needs no array goes on to an array's elements
    private boolean run(PathItem item, JsonValue value, List<JsonValue> found, boolean unwraps) {
        Kind kind = item.kind();
        if (kind.isPredicate()) {
            Boolean truth = test(item, value);
            return next(item, truth == null ? JsonValue.NULL : new JsonValue.Bool(truth), found);
        }
        return switch (kind) {
            case NULL -> next(item, JsonValue.NULL, found);
            case STRING -> next(item, new JsonValue.Text((String) item.value()), found);
            case NUMBER -> next(item, new JsonValue.Number((BigDecimal) item.value()), found);
            case BOOL -> next(item, new JsonValue.Bool((Boolean) item.value()), found);
            case VARIABLE -> next(item, variable((String) item.value()), found);
            case ROOT -> next(item, root, found);
            case CURRENT -> next(item, current, found);
            case LAST -> next(item, new JsonValue.Number(BigDecimal.valueOf(innermostSize - 1)), found);
            case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> arithmetic(item, value, found);
            case PLUS, MINUS -> sign(item, value, found);
            case KEY -> key(item, value, found, unwraps);
            case ANY_KEY -> anyKey(item, value, found, unwraps);
            case ANY_ELEMENT -> anyElement(item, value, found);
            case SUBSCRIPTS -> subscripts(item, value, found);
            case ANY -> anyLevel(item, value, found);
            case FILTER -> filter(item, value, found, unwraps);
            case TYPE -> next(item, new JsonValue.Text(typeName(value)), found);
            case SIZE -> size(item, value, found);
            default -> {
                if (unwraps && value instanceof JsonValue.Elements(List<JsonValue> elements)) {
                    yield each(item, elements, found, false);
                }
                yield next(item, method(item, value), found);
            }
        };
    }

    private boolean next(PathItem item, JsonValue value, List<JsonValue> found) {
        if (item.next() != null) {
            return run(item.next(), value, found);
        }
        if (found != null) {
            found.add(value);
        }
        return true;
    }

    /// Takes a step from each of some values.
    ///
    /// @param item null to find the values themselves
    private boolean each(PathItem item, Collection<JsonValue> values, List<JsonValue> found, boolean unwraps) {
        boolean isFound = false;
        for (JsonValue value : values) {
            isFound |= item == null ? add(value, found) : run(item, value, found, unwraps);
            if (isFound && found == null) {
                return true;
            }
        }
        return isFound;
    }

    private static boolean add(JsonValue value, List<JsonValue> found) {
        if (found != null) {
            found.add(value);
        }
        return true;
    }

    private JsonValue variable(String name) {
        JsonValue value = ((JsonValue.Members) variables).items().get(name);
        if (value == null) {
            throw new QueryException(SqlState.UNDEFINED_OBJECT, "could not find jsonpath variable \"" + name + "\"");
        }
        return value;
    }

    // Steps

    private boolean key(PathItem item, JsonValue value, List<JsonValue> found, boolean unwraps) {
        switch (value) {
            case JsonValue.Members(SortedMap<String, JsonValue> members) -> {
                JsonValue member = members.get((String) item.value());
                if (member != null) {
                    return next(item, member, found);
                }
                requireIgnored(
                        SqlState.SQL_JSON_MEMBER_NOT_FOUND,
                        "JSON object does not contain key \"" + item.value() + "\"");
            }
            case JsonValue.Elements(List<JsonValue> elements)
            when unwraps -> {
                return each(item, elements, found, false);
            }
            default ->
                requireIgnored(
                        SqlState.SQL_JSON_MEMBER_NOT_FOUND,
                        "jsonpath member accessor can only be applied to an object");
        }
        return false;
    }

    private boolean anyKey(PathItem item, JsonValue value, List<JsonValue> found, boolean unwraps) {
        switch (value) {
            case JsonValue.Members(SortedMap<String, JsonValue> members) -> {
                return each(item.next(), members.values(), found, isLax);
            }
            case JsonValue.Elements(List<JsonValue> elements)
            when unwraps -> {
                return each(item, elements, found, false);
            }
            default ->
                requireIgnored(
                        SqlState.SQL_JSON_OBJECT_NOT_FOUND,
                        "jsonpath wildcard member accessor can only be applied to an object");
        }
        return false;
    }

    private boolean anyElement(PathItem item, JsonValue value, List<JsonValue> found) {
        if (value instanceof JsonValue.Elements(List<JsonValue> elements)) {
            return each(item.next(), elements, found, isLax);
        }
        if (isLax) {
            return next(item, value, found);
        }
        requireIgnored(
                SqlState.SQL_JSON_ARRAY_NOT_FOUND, "jsonpath wildcard array accessor can only be applied to an array");
        return false;
    }

    private boolean subscripts(PathItem item, JsonValue value, List<JsonValue> found) {
        if (!(value instanceof JsonValue.Elements) && !isLax) {
            requireIgnored(
                    SqlState.SQL_JSON_ARRAY_NOT_FOUND, "jsonpath array accessor can only be applied to an array");
            return false;
        }
        List<JsonValue> elements = value instanceof JsonValue.Elements(List<JsonValue> own) ? own : List.of(value);
        int outerSize = innermostSize;
        innermostSize = elements.size();
        try {
            boolean isFound = false;
            for (Range range : item.ranges()) {
                int from = index(range.from(), value);
                int to = range.to() == null ? from : index(range.to(), value);
                if (!ignoresStructure && (from < 0 || from > to || to >= elements.size())) {
                    throw failure(SqlState.INVALID_SQL_JSON_SUBSCRIPT, "jsonpath array subscript is out of bounds");
                }
                isFound = false;
                for (int index = Math.max(from, 0); index <= Math.min(to, elements.size() - 1); index++) {
                    isFound = next(item, elements.get(index), found);
                    if (isFound && found == null) {
                        return true;
                    }
                }
            }
            return isFound;
        } finally {
            innermostSize = outerSize;
        }
    }

    private int index(PathItem subscript, JsonValue value) {
        List<JsonValue> found = new ArrayList<>();
        run(subscript, value, found);
        if (found.size() != 1 || !(found.getFirst() instanceof JsonValue.Number(BigDecimal number))) {
            throw failure(
                    SqlState.INVALID_SQL_JSON_SUBSCRIPT, "jsonpath array subscript is not a single numeric value");
        }
        BigInteger whole = number.toBigInteger();
        if (whole.bitLength() > 31) {
            throw failure(SqlState.INVALID_SQL_JSON_SUBSCRIPT, "jsonpath array subscript is out of integer range");
        }
        return whole.intValue();
    }

    private boolean anyLevel(PathItem item, JsonValue value, List<JsonValue> found) {
        Levels levels = (Levels) item.value();
        boolean isFound = false;
        if (levels.first() == 0) {
            isFound = ignoringStructure(() -> next(item, value, found));
            if (isFound && found == null) {
                return true;
            }
        }
        return value.isScalar() ? isFound : descend(item.next(), value, found, 1, levels);
    }

    private boolean descend(PathItem item, JsonValue value, List<JsonValue> found, int level, Levels levels) {
        if (level > levels.last()) {
            return false;
        }
        Collection<JsonValue> inner =
                switch (value) {
                    case JsonValue.Members(SortedMap<String, JsonValue> members) -> members.values();
                    case JsonValue.Elements(List<JsonValue> elements) -> elements;
                    default -> List.of();
                };
        boolean isFound = false;
        for (JsonValue each : inner) {
            boolean isWanted = level >= levels.first()
                    || levels.first() == PathItem.LAST && levels.last() == PathItem.LAST && each.isScalar();
            if (isWanted) {
                isFound = item == null ? add(each, found) : ignoringStructure(() -> run(item, each, found, isLax));
                if (isFound && found == null) {
                    return true;
                }
            }
            if (level < levels.last() && !each.isScalar()) {
                isFound = descend(item, each, found, level + 1, levels);
                if (isFound && found == null) {
                    return true;
                }
            }
        }
        return isFound;
    }

    private boolean ignoringStructure(java.util.function.BooleanSupplier steps) {
        boolean before = ignoresStructure;
        ignoresStructure = true;
        try {
            return steps.getAsBoolean();
        } finally {
            ignoresStructure = before;
        }
    }

    private boolean filter(PathItem item, JsonValue value, List<JsonValue> found, boolean unwraps) {
        if (unwraps && value instanceof JsonValue.Elements(List<JsonValue> elements)) {
            return each(item, elements, found, false);
        }
        JsonValue outer = current;
        current = value;
        Boolean truth;
        try {
            truth = test(item.left(), value);
        } finally {
            current = outer;
        }
        return Boolean.TRUE.equals(truth) && next(item, value, found);
    }

    private boolean size(PathItem item, JsonValue value, List<JsonValue> found) {
        int size = 1;
        if (value instanceof JsonValue.Elements(List<JsonValue> elements)) {
            size = elements.size();
        } else if (!isLax) {
            requireIgnored(
                    SqlState.SQL_JSON_ARRAY_NOT_FOUND, "jsonpath item method .size() can only be applied to an array");
            return false;
        }
        return next(item, new JsonValue.Number(BigDecimal.valueOf(size)), found);
    }

    private static String typeName(JsonValue value) {
        return switch (value) {
            case JsonValue.Null _ -> "null";
            case JsonValue.Bool _ -> "boolean";
            case JsonValue.Number _ -> "number";
            case JsonValue.Text _ -> "string";
            case JsonValue.Elements _ -> "array";
            case JsonValue.Members _ -> "object";
        };
    }

    // Predicates

    /// True, false, or null for unknown.
    private Boolean test(PathItem item, JsonValue value) {
        return switch (item.kind()) {
            case AND -> {
                Boolean left = test(item.left(), value);
                if (Boolean.FALSE.equals(left)) {
                    yield false;
                }
                Boolean right = test(item.right(), value);
                yield Boolean.TRUE.equals(right) ? left : right;
            }
            case OR -> {
                Boolean left = test(item.left(), value);
                if (Boolean.TRUE.equals(left)) {
                    yield true;
                }
                Boolean right = test(item.right(), value);
                yield Boolean.FALSE.equals(right) ? left : right;
            }
            case NOT -> {
                Boolean truth = test(item.left(), value);
                yield truth == null ? null : !truth;
            }
            case IS_UNKNOWN -> test(item.left(), value) == null;
            case EXISTS -> testExists(item.left(), value);
            default -> testPairs(item, value);
        };
    }

    private Boolean testExists(PathItem item, JsonValue value) {
        try {
            if (isLax) {
                return run(item, value, null);
            }
            List<JsonValue> found = new ArrayList<>();
            run(item, value, found);
            return !found.isEmpty();
        } catch (Suppressible _) {
            return null;
        }
    }

    private Boolean testPairs(PathItem item, JsonValue value) {
        List<JsonValue> left;
        List<JsonValue> right;
        try {
            left = unwrapped(item.left(), value, true);
            right = unwrapped(item.right(), value, item.kind() != Kind.STARTS_WITH);
        } catch (Suppressible _) {
            return null;
        }
        boolean isUnknown = false;
        boolean isFound = false;
        for (JsonValue one : left) {
            for (JsonValue other : right) {
                Boolean truth =
                        item.kind() == Kind.STARTS_WITH ? startsWith(one, other) : compare(item.kind(), one, other);
                if (truth == null) {
                    if (!isLax) {
                        return null;
                    }
                    isUnknown = true;
                } else if (truth) {
                    if (isLax) {
                        return true;
                    }
                    isFound = true;
                }
            }
        }
        return isFound ? Boolean.TRUE : isUnknown ? null : Boolean.FALSE;
    }

    /// What an operand finds; of arrays, in lax mode, the elements.
    private List<JsonValue> unwrapped(PathItem item, JsonValue value, boolean unwraps) {
        List<JsonValue> found = new ArrayList<>();
        run(item, value, found);
        if (!unwraps || !isLax) {
            return found;
        }
        List<JsonValue> items = new ArrayList<>();
        for (JsonValue each : found) {
            if (each instanceof JsonValue.Elements(List<JsonValue> elements)) {
                items.addAll(elements);
            } else {
                items.add(each);
            }
        }
        return items;
    }

    private static Boolean startsWith(JsonValue whole, JsonValue initial) {
        return whole instanceof JsonValue.Text(String text) && initial instanceof JsonValue.Text(String start)
                ? text.startsWith(start)
                : null;
    }

    private static Boolean compare(Kind kind, JsonValue one, JsonValue other) {
        if (one.getClass() != other.getClass()) {
            return one instanceof JsonValue.Null || other instanceof JsonValue.Null
                    ? Boolean.valueOf(kind == Kind.NOT_EQUAL)
                    : null;
        }
        int order;
        switch (one) {
            case JsonValue.Null _ -> order = 0;
            case JsonValue.Bool(boolean value) -> order = Boolean.compare(value, ((JsonValue.Bool) other).value());
            case JsonValue.Number(BigDecimal value) -> order = value.compareTo(((JsonValue.Number) other).value());
            case JsonValue.Text(String value) ->
                order = Arrays.compareUnsigned(
                        value.getBytes(StandardCharsets.UTF_8),
                        ((JsonValue.Text) other).value().getBytes(StandardCharsets.UTF_8));
            default -> {
                return null;
            }
        }
        return switch (kind) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order < 0;
            case GREATER -> order > 0;
            case LESS_OR_EQUAL -> order <= 0;
            default -> order >= 0;
        };
    }

    // Arithmetic

    private boolean arithmetic(PathItem item, JsonValue value, List<JsonValue> found) {
        BigDecimal left = operand("left", item, unwrapped(item.left(), value, true));
        BigDecimal right = operand("right", item, unwrapped(item.right(), value, true));
        if (right.signum() == 0 && (item.kind() == Kind.DIVIDE || item.kind() == Kind.MODULO)) {
            throw failure(SqlState.DIVISION_BY_ZERO, "division by zero");
        }
        BigDecimal result =
                switch (item.kind()) {
                    case ADD -> left.add(right);
                    case SUBTRACT -> left.subtract(right);
                    case MULTIPLY -> {
                        BigDecimal product = left.multiply(right);
                        yield product.scale() > MAX_SCALE ? product.setScale(MAX_SCALE, RoundingMode.HALF_UP) : product;
                    }
                    case DIVIDE -> quotient(left, right);
                    default -> {
                        BigDecimal rest = left.remainder(right);
                        yield rest.setScale(Math.max(left.scale(), right.scale()), RoundingMode.UNNECESSARY);
                    }
                };
        return next(item, new JsonValue.Number(result), found);
    }

    private static BigDecimal quotient(BigDecimal left, BigDecimal right) {
        return left.divide(right, NumericScales.ofQuotient(left, right), RoundingMode.HALF_UP);
    }

    private static BigDecimal operand(String side, PathItem item, List<JsonValue> values) {
        if (values.size() != 1 || !(values.getFirst() instanceof JsonValue.Number(BigDecimal number))) {
            throw failure(
                    SqlState.SINGLETON_SQL_JSON_ITEM_REQUIRED,
                    side + " operand of jsonpath operator " + item.kind().text() + " is not a single numeric value");
        }
        return number;
    }

    private boolean sign(PathItem item, JsonValue value, List<JsonValue> found) {
        boolean isLast = item.next() == null && found == null;
        boolean isFound = false;
        for (JsonValue each : unwrapped(item.left(), value, true)) {
            if (!(each instanceof JsonValue.Number(BigDecimal number))) {
                if (isLast) {
                    continue;
                }
                throw failure(
                        SqlState.SQL_JSON_NUMBER_NOT_FOUND,
                        "operand of unary jsonpath operator " + item.kind().text() + " is not a numeric value");
            }
            BigDecimal signed = item.kind() == Kind.MINUS ? number.negate() : number;
            isFound |= next(item, new JsonValue.Number(signed), found);
            if (isFound && found == null) {
                return true;
            }
        }
        return isFound;
    }

    // Methods

    private static JsonValue method(PathItem item, JsonValue value) {
        return switch (item.kind()) {
            case ABS, FLOOR, CEILING -> new JsonValue.Number(rounded(item.kind(), value));
            case DOUBLE -> PathNumbers.float8(value);
            case BIGINT -> PathNumbers.whole(value, Long.SIZE, "bigint", "bigint");
            case INTEGER -> PathNumbers.whole(value, Integer.SIZE, "integer", "integer");
            case NUMBER_METHOD -> new JsonValue.Number(PathNumbers.numeric(value, "number"));
            case DECIMAL -> PathNumbers.decimal(value, item);
            case BOOLEAN -> PathNumbers.bool(value);
            case STRING_METHOD -> string(value);
            default ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: jsonpath item method ." + item.kind().text() + "()");
        };
    }

    private static BigDecimal rounded(Kind kind, JsonValue value) {
        if (!(value instanceof JsonValue.Number(BigDecimal number))) {
            throw failure(
                    SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                    "jsonpath item method ." + kind.text() + "() can only be applied to a numeric value");
        }
        return switch (kind) {
            case ABS -> number.abs();
            case FLOOR -> number.setScale(0, RoundingMode.FLOOR);
            default -> number.setScale(0, RoundingMode.CEILING);
        };
    }

    private static JsonValue string(JsonValue value) {
        return switch (value) {
            case JsonValue.Text _ -> value;
            case JsonValue.Number _, JsonValue.Bool _ -> new JsonValue.Text(value.text());
            default ->
                throw failure(
                        SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                        "jsonpath item method .string() can only be applied to a boolean, string, numeric, or"
                                + " datetime value");
        };
    }

    static RuntimeException failure(SqlState state, String message) {
        return new Suppressible(new QueryException(state, message));
    }

    private void requireIgnored(SqlState state, String message) {
        if (!ignoresStructure) {
            throw failure(state, message);
        }
    }
}
