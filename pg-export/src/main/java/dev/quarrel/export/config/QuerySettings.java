package dev.quarrel.export.config;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/// The queries among `ExportMain`'s settings: `query.NAME`, and what goes with it, `keys.NAME`, `innerJoin.NUMBER.NAME`
/// and `outerJoin.NUMBER.NAME`.
public final class QuerySettings {
    private static final String QUERY = "query.";
    private static final String KEYS = "keys.";
    private static final String INNER_JOIN = "innerJoin.";
    private static final String OUTER_JOIN = "outerJoin.";

    private final Map<String, String> statements = new TreeMap<>();
    private final Map<String, List<String>> keys = new TreeMap<>();
    private final Map<String, TreeMap<Integer, ExportConfig.Join>> joins = new TreeMap<>();

    private QuerySettings() {}

    /// Whether a setting is one of those that are read here.
    public static boolean isOne(String setting) {
        return List.of(QUERY, KEYS, INNER_JOIN, OUTER_JOIN).stream().anyMatch(setting::startsWith);
    }

    /// The queries, in the order of their names.
    ///
    /// - Errors: `QueryException` 22023 for keys and joins of a query that is not there, and for joins without a
    ///   place of their own among the query's.
    public static List<ExportConfig.Query> queries(Properties settings) {
        QuerySettings found = new QuerySettings();
        for (String setting : settings.stringPropertyNames()) {
            found.add(setting, settings.getProperty(setting));
        }
        found.keys.keySet().forEach(found::checkThere);
        found.joins.keySet().forEach(found::checkThere);
        List<ExportConfig.Query> queries = new ArrayList<>();
        found.statements.forEach((name, sql) -> queries.add(new ExportConfig.Query(
                name,
                sql,
                found.keys.getOrDefault(name, List.of()),
                List.copyOf(found.joins.getOrDefault(name, new TreeMap<>()).values()))));
        return queries;
    }

    private void add(String setting, String value) {
        if (setting.startsWith(QUERY)) {
            statements.put(setting.substring(QUERY.length()), value);
        } else if (setting.startsWith(KEYS)) {
            keys.put(
                    setting.substring(KEYS.length()),
                    Arrays.stream(value.split(",", -1)).map(String::strip).toList());
        } else if (setting.startsWith(INNER_JOIN)) {
            addJoin(setting, INNER_JOIN.length(), new ExportConfig.Join(value, false));
        } else if (setting.startsWith(OUTER_JOIN)) {
            addJoin(setting, OUTER_JOIN.length(), new ExportConfig.Join(value, true));
        }
    }

    private void addJoin(String setting, int start, ExportConfig.Join join) {
        // The query's name may have dots of its own.
        int dot = setting.indexOf('.', start);
        String number = dot < 0 ? "" : setting.substring(start, dot);
        if (!number.matches("\\d{1,9}")) {
            throw wrong("the setting " + setting + " does not say which of the query's joins it is");
        }
        TreeMap<Integer, ExportConfig.Join> ofQuery =
                joins.computeIfAbsent(setting.substring(dot + 1), _ -> new TreeMap<>());
        if (ofQuery.put(Integer.parseInt(number), join) != null) {
            throw wrong("the setting " + setting + " is the second of its number");
        }
    }

    private void checkThere(String name) {
        if (!statements.containsKey(name)) {
            throw wrong("there are keys or joins of the query " + name + ", and no such query");
        }
    }

    private static QueryException wrong(String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, why);
    }
}
