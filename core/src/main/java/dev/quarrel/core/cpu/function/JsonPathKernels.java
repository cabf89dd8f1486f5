package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Functions that search a jsonb by a path. Arguments are the document, the path, and, if they are given, variables and
/// whether errors are suppressed.
///
/// - Source: PostgreSQL's `jsonpath_exec.c`.
final class JsonPathKernels {
    private static final JsonValue NO_VARIABLES = new JsonValue.Members(new TreeMap<>(JsonValue.KEY_ORDER));

    private static final int MOST_ARGUMENTS = 4;

    private JsonPathKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put(
                "jsonpath_in",
                () -> BatchFunction.eachRow((in, out, row) -> Results.set(
                        out, row, JsonPathExpression.parse(in.text(0).string()).text())));
        for (boolean isOperator : new boolean[] {false, true}) {
            String suffix = isOperator ? "_opr" : "";
            put(
                    kernels,
                    "jsonb_path_exists" + suffix,
                    isOperator,
                    (path, document, variables, isSilent) -> path.exists(document, variables, isSilent));
            put(
                    kernels,
                    "jsonb_path_match" + suffix,
                    isOperator,
                    (path, document, variables, isSilent) -> match(path.find(document, variables, isSilent), isSilent));
        }
        put(
                kernels,
                "jsonb_path_query_array",
                false,
                (path, document, variables, isSilent) ->
                        new JsonValue.Elements(path.find(document, variables, isSilent)).text());
        put(kernels, "jsonb_path_query_first", false, (path, document, variables, isSilent) -> {
            List<JsonValue> found = path.find(document, variables, isSilent);
            return found.isEmpty() ? null : found.getFirst().text();
        });
    }

    static void registerRows(Map<String, RowsFunction> kernels) {
        kernels.put("jsonb_path_query", JsonPathKernels::query);
    }

    private interface Search {
        /// The result, null for NULL.
        Object run(JsonPathExpression path, JsonValue document, JsonValue variables, boolean isSilent);
    }

    private static void put(
            Map<String, Supplier<BatchFunction>> kernels, String id, boolean isOperator, Search search) {
        if (isOperator) {
            kernels.put(id, () -> BatchFunction.eachRow(new Searching(true, search)));
            return;
        }
        for (int count = 2; count <= MOST_ARGUMENTS; count++) {
            kernels.put(id + ":" + count, () -> BatchFunction.eachRow(new Searching(false, search)));
        }
    }

    /// A search whose path is mostly the same from row to row.
    private static final class Searching implements RowFunction {
        private final boolean isSilent;
        private final Search search;
        private byte[] text;
        private JsonPathExpression path;

        Searching(boolean isSilent, Search search) {
            this.isSilent = isSilent;
            this.search = search;
        }

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader wanted = in.text(1);
            if (path == null || !wanted.isSame(text)) {
                path = null;
                path = JsonPathExpression.parse(wanted.string());
                text = wanted.copyOfBytes();
            }
            TextReader document = in.text(0);
            JsonValue variables = NO_VARIABLES;
            if (in.count() > 2) {
                TextReader given = in.text(2);
                variables = JsonValue.read(given.bytes, given.start, given.length);
            }
            boolean suppresses = in.count() > 3 ? in.bool(3) : isSilent;
            JsonValue value = JsonValue.read(document.bytes, document.start, document.length);
            Results.set(out, row, search.run(path, value, variables, suppresses));
        }
    }

    private static Boolean match(List<JsonValue> found, boolean isSilent) {
        if (found.size() == 1 && found.getFirst() instanceof JsonValue.Bool(boolean value)) {
            return value;
        }
        boolean isNull = found.size() == 1 && found.getFirst() instanceof JsonValue.Null;
        if (!isNull && !isSilent) {
            throw new QueryException(SqlState.SINGLETON_SQL_JSON_ITEM_REQUIRED, "single boolean result is expected");
        }
        return null;
    }

    private static Iterator<?> query(Object[] arguments) {
        JsonPathExpression path = JsonPathExpression.parse((String) arguments[1]);
        JsonValue variables = arguments.length > 2 ? JsonValue.read((String) arguments[2]) : NO_VARIABLES;
        boolean isSilent = arguments.length > 3 && (Boolean) arguments[3];
        return path.find(JsonValue.read((String) arguments[0]), variables, isSilent).stream()
                .map(JsonValue::text)
                .iterator();
    }
}
