package dev.quarrel.core.json.search;

import dev.quarrel.core.json.BinaryLayout;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.LikePattern;
import dev.quarrel.core.json.path.PathItem;
import dev.quarrel.core.json.path.PathItem.Kind;
import dev.quarrel.core.json.path.PathItem.Levels;
import dev.quarrel.core.json.path.PathItem.Range;
import dev.quarrel.core.regex.Regex;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// One search of a path in a document. Where only existence is asked for, nothing is collected, and what comes
/// behind the first find is not looked at.
///
/// - Source: PostgreSQL's `jsonpath_exec.c`.
final class PathRun {
    /// What ids of objects count by: greater than any offset in a jsonb.
    private static final long BASE_FACTOR = 10_000_000_000L;

    private final PathSearch search;
    private final JsonValue root;
    private final PathVariables variables;
    private final PathClock clock;
    private final boolean isLax;
    private boolean ignoresStructure;
    /// Whether an error that may be suppressed will not be: PostgreSQL throws it at once then.
    private boolean isLoud;
    private JsonValue current;
    private int innermostSize = -1;
    private Base base = new Base(null, 0);
    private long lastBase;

    /// The value in whose bytes keyvalue() counts objects.
    private static final class Base {
        private final JsonValue value;
        private final long id;
        private BinaryLayout layout;

        Base(JsonValue value, long id) {
            this.value = value;
            this.id = id;
        }

        /// What the objects of this document have for an id.
        long id(JsonValue object) {
            if (layout == null) {
                layout = BinaryLayout.of(value);
            }
            return id * BASE_FACTOR + layout.offset(object);
        }
    }

    /// An error that `silent` and predicates suppress.
    private static final class Suppressible extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient QueryException error;

        Suppressible(QueryException error) {
            super(null, null, false, false);
            this.error = error;
        }
    }

    PathRun(PathSearch search, JsonValue document, PathVariables variables, PathClock clock) {
        this.search = search;
        this.root = document;
        this.variables = variables;
        this.clock = clock;
        this.isLax = search.path().isLax();
        this.ignoresStructure = isLax;
        this.current = document;
        this.lastBase = 1L + variables.baseCount();
    }

    List<JsonValue> find(boolean isSilent) {
        isLoud = !isSilent;
        List<JsonValue> found = new ArrayList<>();
        try {
            run(search.path().root(), root, found);
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
            run(search.path().root(), root, found);
            return found;
        } catch (Suppressible failure) {
            return null;
        }
    }

    Boolean exists(boolean isSilent) {
        isLoud = !isSilent;
        try {
            if (isLax) {
                return run(search.path().root(), root, null);
            }
            List<JsonValue> found = new ArrayList<>();
            run(search.path().root(), root, found);
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
            case VARIABLE -> {
                PathVariables.Found variable = variable((String) item.value());
                yield nextIn(variable.base(), variable.id(), item, variable.value(), found);
            }
            case ROOT -> nextIn(root, 0, item, root, found);
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
                yield kind == Kind.KEYVALUE ? keyValues(item, value, found) : next(item, method(item, value), found);
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

    private PathVariables.Found variable(String name) {
        PathVariables.Found found = variables.find(name);
        if (found == null) {
            throw new QueryException(SqlState.UNDEFINED_OBJECT, "could not find jsonpath variable \"" + name + "\"");
        }
        return found;
    }

    /// Goes on with a value that objects are counted in from here on.
    private boolean nextIn(JsonValue newBase, long id, PathItem item, JsonValue value, List<JsonValue> found) {
        Base outer = base;
        base = new Base(newBase, id);
        try {
            return next(item, value, found);
        } finally {
            base = outer;
        }
    }

    /// The members of an object, each as an object of its own.
    private boolean keyValues(PathItem item, JsonValue value, List<JsonValue> found) {
        if (!(value instanceof JsonValue.Members(SortedMap<String, JsonValue> members))) {
            throw failure(
                    SqlState.SQL_JSON_OBJECT_NOT_FOUND,
                    "jsonpath item method .keyvalue() can only be applied to an object");
        }
        if (members.isEmpty() || item.next() == null && found == null) {
            return !members.isEmpty();
        }
        JsonValue id = new JsonValue.Number(BigDecimal.valueOf(base.id(value)));
        boolean isFound = false;
        for (Map.Entry<String, JsonValue> member : members.entrySet()) {
            SortedMap<String, JsonValue> made = new TreeMap<>(JsonValue.KEY_ORDER);
            made.put("key", new JsonValue.Text(member.getKey()));
            made.put("value", member.getValue());
            made.put("id", id);
            JsonValue object = new JsonValue.Members(made);
            isFound = nextIn(object, lastBase++, item, object, found);
            if (isFound && found == null) {
                return true;
            }
        }
        return isFound;
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
        boolean isFound = levels.first() == 0 && thisLevel(item, value, found);
        if (isFound && found == null) {
            return true;
        }
        return value.isScalar() ? isFound : descend(item.next(), value, found, 1, levels);
    }

    /// PostgreSQL forgets an error of this level that is suppressed where there are levels below it.
    private boolean thisLevel(PathItem item, JsonValue value, List<JsonValue> found) {
        try {
            return ignoringStructure(() -> next(item, value, found));
        } catch (Suppressible error) {
            if (isLoud || value.isScalar()) {
                throw error;
            }
            return false;
        }
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

    private boolean ignoringStructure(BooleanSupplier steps) {
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
            case PathTime time -> time.kind().title();
            case JsonValue.Moment _ -> throw new IllegalStateException(value.toString());
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
            case LIKE_REGEX -> testEach(item, value);
            default -> testPairs(item, value);
        };
    }

    private Boolean testExists(PathItem item, JsonValue value) {
        return quietly(() -> {
            if (isLax) {
                return run(item, value, null);
            }
            List<JsonValue> found = new ArrayList<>();
            run(item, value, found);
            return !found.isEmpty();
        });
    }

    /// Null where an error ends it.
    private <T> T quietly(Supplier<T> steps) {
        boolean before = isLoud;
        isLoud = false;
        try {
            return steps.get();
        } catch (Suppressible _) {
            return null;
        } finally {
            isLoud = before;
        }
    }

    private Boolean testEach(PathItem item, JsonValue value) {
        List<JsonValue> values = quietly(() -> unwrapped(item.left(), value, true));
        if (values == null) {
            return null;
        }
        Regex regex = search.regex((LikePattern) item.value());
        PathVerdict verdict = new PathVerdict(isLax);
        for (JsonValue each : values) {
            if (verdict.isSettledBy(PathVerdict.matches(regex, each))) {
                break;
            }
        }
        return verdict.truth();
    }

    private Boolean testPairs(PathItem item, JsonValue value) {
        List<JsonValue> left = quietly(() -> unwrapped(item.left(), value, true));
        if (left == null) {
            return null;
        }
        List<JsonValue> right = quietly(() -> unwrapped(item.right(), value, item.kind() != Kind.STARTS_WITH));
        if (right == null) {
            return null;
        }
        PathVerdict verdict = new PathVerdict(isLax);
        for (JsonValue one : left) {
            for (JsonValue other : right) {
                Boolean truth = item.kind() == Kind.STARTS_WITH
                        ? PathVerdict.startsWith(one, other)
                        : PathVerdict.compare(item.kind(), one, other, clock);
                if (verdict.isSettledBy(truth)) {
                    return verdict.truth();
                }
            }
        }
        return verdict.truth();
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

    // Arithmetic

    private boolean arithmetic(PathItem item, JsonValue value, List<JsonValue> found) {
        List<JsonValue> leftFound = unwrapped(item.left(), value, true);
        List<JsonValue> rightFound = unwrapped(item.right(), value, true);
        BigDecimal left = operand("left", item, leftFound);
        BigDecimal right = operand("right", item, rightFound);
        return next(item, new JsonValue.Number(PathNumbers.computed(item.kind(), left, right)), found);
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

    private JsonValue method(PathItem item, JsonValue value) {
        return switch (item.kind()) {
            case ABS, FLOOR, CEILING -> new JsonValue.Number(PathNumbers.rounded(item.kind(), value));
            case DOUBLE -> PathNumbers.float8(value);
            case BIGINT -> PathNumbers.int8(value);
            case INTEGER -> PathNumbers.int4(value);
            case NUMBER_METHOD -> new JsonValue.Number(PathNumbers.numeric(value, "number"));
            case DECIMAL -> PathNumbers.decimal(value, item);
            case BOOLEAN -> PathNumbers.bool(value);
            case STRING_METHOD -> string(value);
            default -> PathTimes.of(item, value, clock);
        };
    }

    private static JsonValue string(JsonValue value) {
        return switch (value) {
            case JsonValue.Text _ -> value;
            case JsonValue.Number _, JsonValue.Bool _ -> new JsonValue.Text(value.text());
            case JsonValue.Moment moment -> new JsonValue.Text(moment.written());
            default ->
                throw failure(
                        SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                        "jsonpath item method .string() can only be applied to a boolean, string, numeric, or"
                                + " datetime value");
        };
    }

    static RuntimeException failure(SqlState state, String message) {
        return failure(new QueryException(state, message));
    }

    static RuntimeException failure(QueryException error) {
        return new Suppressible(error);
    }

    private void requireIgnored(SqlState state, String message) {
        if (!ignoresStructure) {
            throw failure(state, message);
        }
    }
}
