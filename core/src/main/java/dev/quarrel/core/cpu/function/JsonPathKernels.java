package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.json.search.PathClock;
import dev.quarrel.core.json.search.PathSearch;
import dev.quarrel.core.json.search.PathVariables;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Functions that search a jsonb by a path. Arguments are the document, the path, and, if they are given, variables and
/// whether errors are suppressed; behind them the session's time zone.
///
/// - Source: PostgreSQL's `jsonpath_exec.c`.
final class JsonPathKernels {
    /// The default of the argument, an empty object.
    private static final PathVariables NO_VARIABLES =
            PathVariables.of(new JsonValue.Members(new TreeMap<>(JsonValue.KEY_ORDER)));

    private static final int MOST_ARGUMENTS = 4;

    private JsonPathKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put(
                "jsonpath_in",
                () -> BatchFunction.eachRow((in, out, row) -> Results.set(
                        out, row, JsonPathExpression.stored(in.text(0).string()))));
        kernels.put(
                "jsonpath_shown",
                () -> BatchFunction.eachRow((in, out, row) -> Results.set(
                        out, row, JsonPathExpression.shown(in.text(0).string()))));
        Search exists = PathSearch::exists;
        Search match = (path, document, variables, clock, isSilent) ->
                match(path.find(document, variables, clock, isSilent), isSilent);
        kernels.put("jsonb_path_exists_opr", () -> BatchFunction.eachRow(new Searching(true, false, exists)));
        kernels.put("jsonb_path_match_opr", () -> BatchFunction.eachRow(new Searching(true, false, match)));
        put(kernels, "jsonb_path_exists", exists);
        put(kernels, "jsonb_path_match", match);
        put(
                kernels,
                "jsonb_path_query_array",
                (path, document, variables, clock, isSilent) ->
                        new JsonValue.Elements(path.find(document, variables, clock, isSilent)).text());
        put(kernels, "jsonb_path_query_first", (path, document, variables, clock, isSilent) -> {
            List<JsonValue> found = path.find(document, variables, clock, isSilent);
            return found.isEmpty() ? null : found.getFirst().text();
        });
    }

    static void registerRows(Map<String, RowsFunction> kernels) {
        kernels.put("jsonb_path_query", arguments -> query(arguments, false));
        kernels.put("jsonb_path_query_tz", arguments -> query(arguments, true));
    }

    private interface Search {
        /// The result, null for NULL.
        Object run(PathSearch path, JsonValue document, PathVariables variables, PathClock clock, boolean isSilent);
    }

    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, Search search) {
        for (int count = 2; count <= MOST_ARGUMENTS; count++) {
            kernels.put(id + ":" + count, () -> BatchFunction.eachRow(new Searching(false, false, search)));
            kernels.put(id + "_tz:" + count, () -> BatchFunction.eachRow(new Searching(false, true, search)));
        }
    }

    /// A search whose path is mostly the same from row to row. The last argument is the session's time zone.
    private static final class Searching implements RowFunction {
        private final boolean isOperator;
        private final boolean convertsZones;
        private final Search search;
        private final ZoneCache zones = new ZoneCache();
        private byte[] text;
        private PathSearch path;

        Searching(boolean isOperator, boolean convertsZones, Search search) {
            this.isOperator = isOperator;
            this.convertsZones = convertsZones;
            this.search = search;
        }

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader wanted = in.text(1);
            if (path == null || !wanted.isSame(text)) {
                path = null;
                path = new PathSearch(JsonPathExpression.ofStored(wanted.string()));
                text = wanted.copyOfBytes();
            }
            int count = in.count() - 1;
            TextReader document = in.text(0);
            PathVariables variables = isOperator ? PathVariables.NONE : NO_VARIABLES;
            if (count > 2) {
                TextReader given = in.text(2);
                variables = PathVariables.of(JsonValue.read(given.bytes, given.start, given.length));
            }
            boolean isSilent = count > 3 ? in.bool(3) : isOperator;
            JsonValue value = JsonValue.read(document.bytes, document.start, document.length);
            TextReader zone = in.text(count);
            PathClock clock = new PathClock(zones.id(zone), zones.session(zone), convertsZones);
            Results.set(out, row, search.run(path, value, variables, clock, isSilent));
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

    private static Iterator<?> query(Object[] arguments, boolean convertsZones) {
        int count = arguments.length - 1;
        PathSearch path = new PathSearch(JsonPathExpression.ofStored((String) arguments[1]));
        PathVariables variables = count > 2 ? PathVariables.of(JsonValue.read((String) arguments[2])) : NO_VARIABLES;
        boolean isSilent = count > 3 && (Boolean) arguments[3];
        ZoneId zone = ZoneId.of((String) arguments[count]);
        PathClock clock = new PathClock(zone, PgZone.of(zone), convertsZones);
        return path.find(JsonValue.read((String) arguments[0]), variables, clock, isSilent).stream()
                .map(JsonValue::text)
                .iterator();
    }
}
