package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.json.JsonOutcome;
import dev.quarrel.core.json.JsonPath;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.json.search.PathClock;
import dev.quarrel.core.json.search.PathSearch;
import dev.quarrel.core.json.search.PathTime;
import dev.quarrel.core.json.search.PathVariables;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// JSON_EXISTS, JSON_VALUE, JSON_QUERY and IS JSON. What a search finds is handed on as the text that the result's type
/// reads, and was read here to see that it can be.
///
/// - Source: PostgreSQL's `execExprInterp.c` (ExecEvalJsonExprPath), `jsonpath_exec.c`.
final class JsonQueryKernels {
    /// What a modifier is more than the characters that it allows.
    private static final int LENGTH_OFFSET = 4;

    private static final String SCALAR = " must return single scalar item";

    private JsonQueryKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (String search : new String[] {"json_exists", "json_value", "json_query"}) {
            kernels.put(search, () -> BatchFunction.eachRow(new Query(search(search))));
        }
        put(
                kernels,
                "json_outcome",
                (in, out, row) -> Results.set(out, row, in.text(0).string().substring(0, 1)));
        put(
                kernels,
                "json_found",
                (in, out, row) -> Results.set(out, row, in.text(0).string().substring(1)));
        put(kernels, "is_json", (in, out, row) -> Results.bool(out, row, isJson(in)));
        put(kernels, "json_unique", (in, out, row) -> {
            TextReader text = in.text(0);
            JsonScanner.check(text.bytes, text.start, text.length);
            JsonScanner.checkEscapes(text.bytes, text.start, text.length);
            if (!new JsonPath(text.bytes, text.start, text.length).hasUniqueKeys()) {
                throw new QueryException(SqlState.DUPLICATE_JSON_OBJECT_KEY_VALUE, "duplicate JSON object key value");
            }
            Results.set(out, row, text.string());
        });
    }

    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, RowFunction function) {
        kernels.put(id, () -> BatchFunction.eachRow(function));
    }

    private static boolean isJson(Arguments in) {
        TextReader text = in.text(0);
        String kind = in.text(1).string();
        boolean isUnique = kind.endsWith(" unique");
        try {
            JsonScanner.check(text.bytes, text.start, text.length);
            if (isUnique) {
                JsonScanner.checkEscapes(text.bytes, text.start, text.length);
            }
        } catch (QueryException noJson) {
            if (noJson.state() == SqlState.STATEMENT_TOO_COMPLEX) {
                throw noJson;
            }
            return false;
        }
        JsonPath path = new JsonPath(text.bytes, text.start, text.length);
        boolean isKind =
                switch (isUnique ? kind.substring(0, kind.indexOf(' ')) : kind) {
                    case "object" -> path.isObject();
                    case "array" -> path.isArray();
                    case "scalar" -> path.isScalar();
                    default -> true;
                };
        return isKind && (!isUnique || path.hasUniqueKeys());
    }

    static Search search(String name) {
        return switch (name) {
            case "json_exists" -> JsonQueryKernels::exists;
            case "json_value" -> JsonQueryKernels::value;
            default -> JsonQueryKernels::query;
        };
    }

    /// A search by a path.
    interface Search {
        /// The result, null for NULL.
        Object run(PathSearch path, Asked asked, JsonOutcome outcome);
    }

    /// What is searched, and by what.
    record Asked(JsonValue document, PathVariables variables, PathClock clock) {}

    /// `(document, path, variables, outcome, zone)`, of which the path and the outcome are mostly the same from row to
    /// row.
    private static final class Query implements RowFunction {
        private final Search search;
        private final ZoneCache zones = new ZoneCache();
        private byte[] pathText;
        private PathSearch path;
        private byte[] outcomeText;
        private JsonOutcome outcome;

        Query(Search search) {
            this.search = search;
        }

        @Override
        public void compute(Arguments in, Vector out, int row) {
            if (path == null || !in.text(1).isSame(pathText)) {
                path = null;
                path = new PathSearch(JsonPathExpression.ofStored(in.text(1).string()));
                pathText = in.text(1).copyOfBytes();
            }
            if (outcome == null || !in.text(3).isSame(outcomeText)) {
                outcome = JsonOutcome.of(in.text(3).string());
                outcomeText = in.text(3).copyOfBytes();
            }
            JsonValue document = JsonValue.read(in.text(0).string());
            TextReader zone = in.text(4);
            PathClock clock = new PathClock(zones.id(zone), zones.session(zone), true);
            PathVariables variables = variables(JsonValue.read(in.text(2).string()));
            Results.set(out, row, search.run(path, new Asked(document, variables, clock), outcome));
        }
    }

    /// What PASSING names: an array of name, type and value, one after the other. The type is null but for dates and
    /// times, whose values are texts that it reads.
    static PathVariables variables(JsonValue passed) {
        if (!(passed instanceof JsonValue.Elements(List<JsonValue> parts))) {
            return PathVariables.of(passed);
        }
        List<PathVariables.Variable> variables = new ArrayList<>();
        for (int index = 0; index < parts.size(); index += 3) {
            String name = ((JsonValue.Text) parts.get(index)).value();
            JsonValue value = parts.get(index + 2);
            boolean isTime = parts.get(index + 1) instanceof JsonValue.Text && value instanceof JsonValue.Text;
            variables.add(new PathVariables.Variable(
                    name,
                    isTime
                            ? PathTime.of(
                                    ((JsonValue.Text) parts.get(index + 1)).value(), ((JsonValue.Text) value).value())
                            : value));
        }
        return new PathVariables.Listed(variables);
    }

    private static Boolean exists(PathSearch path, Asked asked, JsonOutcome outcome) {
        boolean isSilent = outcome.onError() != JsonOutcome.ERROR;
        Boolean found = path.exists(asked.document(), asked.variables(), asked.clock(), isSilent);
        if (found != null) {
            return found;
        }
        return switch (outcome.onError()) {
            case JsonOutcome.TRUE -> true;
            case JsonOutcome.FALSE -> false;
            default -> null;
        };
    }

    /// What the path finds; null for an error that ON ERROR stands for.
    private static List<JsonValue> found(PathSearch path, Asked asked, JsonOutcome outcome) {
        return outcome.onError() == JsonOutcome.ERROR
                ? path.find(asked.document(), asked.variables(), asked.clock(), false)
                : path.findOrNull(asked.document(), asked.variables(), asked.clock());
    }

    private static String value(PathSearch path, Asked asked, JsonOutcome outcome) {
        List<JsonValue> found = found(path, asked, outcome);
        if (found == null) {
            return instead(outcome, outcome.onError(), JsonOutcome.WANTS_ERROR);
        }
        if (found.isEmpty()) {
            return nothing(outcome);
        }
        if (found.size() > 1) {
            return failed(
                    outcome,
                    new QueryException(SqlState.MORE_THAN_ONE_SQL_JSON_ITEM, path(outcome, "JSON_VALUE") + SCALAR));
        }
        return switch (found.getFirst()) {
            case JsonValue.Null _ -> null;
            case JsonValue.Members _, JsonValue.Elements _ ->
                failed(
                        outcome,
                        new QueryException(SqlState.SQL_JSON_SCALAR_REQUIRED, path(outcome, "JSON_VALUE") + SCALAR));
            case JsonValue scalar when isDocument(outcome) -> read(scalar.text(), outcome);
            case JsonValue.Text(String text) -> read(text, outcome);
            case PathTime time -> read(time.text(asked.clock()), outcome);
            case JsonValue.Moment moment -> read(moment.written(), outcome);
            case JsonValue.Number(BigDecimal number) -> read(number.toPlainString(), outcome);
            case JsonValue.Bool(boolean bool) -> read(bool ? "t" : "f", outcome);
        };
    }

    private static String query(PathSearch path, Asked asked, JsonOutcome outcome) {
        List<JsonValue> found = found(path, asked, outcome);
        if (found == null) {
            return instead(outcome, outcome.onError(), JsonOutcome.WANTS_ERROR);
        }
        if (found.isEmpty()) {
            return nothing(outcome);
        }
        boolean isWrapped = outcome.wrapper() == JsonOutcome.ALWAYS
                || outcome.wrapper() == JsonOutcome.CONDITIONALLY && found.size() > 1;
        if (found.size() > 1 && !isWrapped) {
            return failed(
                    outcome,
                    new QueryException(
                                    SqlState.MORE_THAN_ONE_SQL_JSON_ITEM,
                                    path(outcome, "JSON_QUERY")
                                            + " must return single item when no wrapper is requested")
                            .withHint("Use the WITH WRAPPER clause to wrap SQL/JSON items into an array."));
        }
        JsonValue result = isWrapped ? new JsonValue.Elements(found) : found.getFirst();
        if (outcome.omitsQuotes()) {
            return read(bare(result), outcome);
        }
        if (!type(outcome).isArray()) {
            return read(result.text(), outcome);
        }
        try {
            return read(JsonRecordKernels.arrayText(result.text()), outcome);
        } catch (QueryException noArray) {
            return failed(outcome, noArray);
        }
    }

    /// What messages call the path.
    private static String path(JsonOutcome outcome, String function) {
        return "JSON path expression "
                + (outcome.column().isEmpty() ? "in " + function : "for column \"" + outcome.column() + "\"");
    }

    /// A string without its quotes; anything else as it stands.
    private static String bare(JsonValue value) {
        return switch (value) {
            case JsonValue.Text(String text) -> text;
            case JsonValue.Moment moment -> moment.written();
            default -> value.text();
        };
    }

    private static boolean isDocument(JsonOutcome outcome) {
        return outcome.type().equals("json") || outcome.type().equals("jsonb");
    }

    /// The text, if the type can read it.
    private static String read(String text, JsonOutcome outcome) {
        try {
            checkType(text, outcome);
        } catch (QueryException failure) {
            requireNoLimit(failure, outcome);
            return failed(outcome, failure);
        }
        try {
            checkModifier(text, outcome);
        } catch (QueryException failure) {
            return failed(outcome, failure);
        }
        return outcome.isTagged() ? JsonOutcome.FOUND + text : text;
    }

    /// ON ERROR stands for what PostgreSQL cannot read, not for what we cannot: a numeric of many digits.
    ///
    /// - Errors: 0A000.
    private static void requireNoLimit(QueryException failure, JsonOutcome outcome) {
        boolean isTooLong = outcome.type().equals("numeric") && failure.state() == SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
        if (isTooLong) {
            throw Results.tooLong();
        }
        if (failure.state() == SqlState.FEATURE_NOT_SUPPORTED) {
            throw failure;
        }
    }

    private static PgType type(JsonOutcome outcome) {
        return PgType.named(outcome.type()).orElseThrow();
    }

    /// - Errors: those of the type's input for what it, or its modifier, refuses.
    static void check(String text, JsonOutcome outcome) {
        checkType(text, outcome);
        checkModifier(text, outcome);
    }

    private static void checkType(String text, JsonOutcome outcome) {
        switch (outcome.type()) {
            case "text" -> {}
            case "varchar", "bpchar" -> requireLength(text, outcome);
            case "json", "jsonb" -> JsonValue.read(text);
            default -> PgParse.literal(text, new PgType.Declared(type(outcome), -1));
        }
    }

    /// What the modifier refuses of what the type can read.
    private static void checkModifier(String text, JsonOutcome outcome) {
        if (outcome.type().equals("numeric") && outcome.typmod() >= 0) {
            PgParse.literal(text, new PgType.Declared(PgType.NUMERIC, outcome.typmod()));
        }
    }

    /// - Errors: 22001 for more characters than there may be, but for blanks.
    private static void requireLength(String text, JsonOutcome outcome) {
        int length = outcome.typmod() < 0 ? Integer.MAX_VALUE : outcome.typmod() - LENGTH_OFFSET;
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        if (text.codePointCount(0, end) > length) {
            throw new QueryException(
                    SqlState.STRING_DATA_RIGHT_TRUNCATION,
                    "value too long for type " + PgType.format(type(outcome), outcome.typmod()));
        }
    }

    private static String failed(JsonOutcome outcome, QueryException failure) {
        if (outcome.onError() == JsonOutcome.ERROR) {
            throw failure;
        }
        return instead(outcome, outcome.onError(), JsonOutcome.WANTS_ERROR);
    }

    private static String nothing(JsonOutcome outcome) {
        if (outcome.onEmpty() == JsonOutcome.ERROR) {
            String column = outcome.column().isEmpty() ? "" : " of column \"" + outcome.column() + "\"";
            throw new QueryException(SqlState.NO_SQL_JSON_ITEM, "no SQL/JSON item found for specified path" + column);
        }
        return instead(outcome, outcome.onEmpty(), JsonOutcome.WANTS_EMPTY);
    }

    private static String instead(JsonOutcome outcome, char behavior, char tag) {
        if (behavior == JsonOutcome.DEFAULT) {
            return String.valueOf(tag);
        }
        String text = JsonOutcome.BEHAVIORS.get(behavior);
        return text == null ? null : outcome.isTagged() ? JsonOutcome.FOUND + text : text;
    }
}
