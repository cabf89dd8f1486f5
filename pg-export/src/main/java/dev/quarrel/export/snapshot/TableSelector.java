package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.Selection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Finds the tables that a selection means.
///
/// A partition, or a child, is part of its parent's rows: found by a pattern beside its parent, it is not exported once
/// more. Named, it is.
final class TableSelector {
    private static final String ANY_KIND = "'r', 'p', 'm', 'v', 'f'";
    private static final String WITH_ROWS = "'r', 'p', 'm'";
    private static final String NO_SYSTEM =
            "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relpersistence <> 't'";
    private static final String COLUMNS = """
            SELECT c.oid::int8, quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind::text,
                   c.relispopulated, c.relpersistence = 'u' AND pg_is_in_recovery(),
                   EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
                   n.nspname ~ '^pg_' OR n.nspname = 'information_schema'
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE\s""";

    private final Connection connection;
    private final Consumer<String> notices;
    private final Map<Long, SelectedTable> found = new LinkedHashMap<>();

    private TableSelector(Connection connection, Consumer<String> notices) {
        this.connection = connection;
        this.notices = notices;
    }

    /// @param notices hears what is left out although a pattern matched it
    static List<SelectedTable> select(Connection connection, Selection selection, Consumer<String> notices)
            throws SQLException {
        return new TableSelector(connection, notices).select(selection);
    }

    private List<SelectedTable> select(Selection selection) throws SQLException {
        for (String text : selection.tables()) {
            NamePattern pattern = NamePattern.ofTable(text);
            if (pattern.isExact()) {
                addNamed(text);
            } else {
                addMatching(pattern);
            }
        }
        for (String text : selection.schemas()) {
            addSchemas(NamePattern.ofSchema(text));
        }
        if (selection.everything()) {
            addAll("true", List.of());
        }
        Set<Long> excluded = excluded(selection.excluded());
        boolean arePatterns = found.values().stream().anyMatch(table -> !table.isNamed());
        if (!arePatterns && excluded.isEmpty()) {
            return List.copyOf(found.values());
        }
        Map<Long, Set<Long>> ancestors = ancestors();
        List<SelectedTable> selected = new ArrayList<>();
        for (SelectedTable table : found.values()) {
            Set<Long> above = ancestors.getOrDefault(table.oid(), Set.of());
            boolean isExcluded =
                    excluded.contains(table.oid()) || above.stream().anyMatch(excluded::contains);
            boolean isPart = !table.isNamed() && above.stream().anyMatch(found::containsKey);
            if (!isExcluded && !isPart) {
                Set<Long> leftOut = new HashSet<>();
                ancestors.forEach((child, parents) -> {
                    if (parents.contains(table.oid())
                            && (excluded.contains(child) || parents.stream().anyMatch(excluded::contains))) {
                        leftOut.add(child);
                    }
                });
                selected.add(new SelectedTable(table.oid(), table.relation(), table.kind(), table.isNamed(), leftOut));
            }
        }
        return selected;
    }

    private void addNamed(String text) throws SQLException {
        // The server itself reads the name, so quotes, folding and the search path are as it has them.
        try (PreparedStatement query = connection.prepareStatement(COLUMNS + "c.oid = to_regclass(?)")) {
            query.setString(1, text);
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + text + "\" does not exist");
                }
                String relation = rows.getString(2);
                if (!"rpmvf".contains(rows.getString(3))) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "\"" + text + "\" is not a table and not a view");
                }
                if (rows.getBoolean(7)) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, relation + " is one of the system's tables");
                }
                if (rows.getBoolean(5)) {
                    throw new QueryException(
                                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                                    relation + " is unlogged, and a standby has no rows of such tables")
                            .withHint("export it from the primary");
                }
                SelectedTable table = new SelectedTable(rows.getLong(1), relation, rows.getString(3), true, Set.of());
                SelectedTable before = found.put(table.oid(), table);
                if (before != null && before.isNamed()) {
                    throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "table " + relation + " is named twice");
                }
            }
        }
    }

    private void addMatching(NamePattern pattern) throws SQLException {
        if (addAll(condition(pattern), arguments(pattern), ANY_KIND) == 0) {
            throw nothing("table", pattern.text());
        }
    }

    private static String condition(NamePattern pattern) {
        return pattern.schema() == null
                ? "c.relname ~ ? AND pg_table_is_visible(c.oid)"
                : "c.relname ~ ? AND n.nspname ~ ?";
    }

    private static List<String> arguments(NamePattern pattern) {
        return pattern.schema() == null ? List.of(pattern.name()) : List.of(pattern.name(), pattern.schema());
    }

    private static QueryException nothing(String what, String pattern) {
        return new QueryException(SqlState.UNDEFINED_TABLE, "no " + what + " matches " + pattern)
                .withHint("without a schema, the search path is searched; the system's schemas never are");
    }

    private void addSchemas(NamePattern pattern) throws SQLException {
        String sql = "SELECT count(*) FROM pg_namespace n WHERE n.nspname ~ ? AND n.nspname !~ '^pg_'"
                + " AND n.nspname <> 'information_schema'";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, pattern.name());
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                if (rows.getLong(1) == 0) {
                    throw new QueryException(SqlState.INVALID_SCHEMA_NAME, "no schema matches " + pattern.text())
                            .withHint("the system's schemas are not exported");
                }
            }
        }
        addAll("n.nspname ~ ?", List.of(pattern.name()));
    }

    private void addAll(String condition, List<String> arguments) throws SQLException {
        String noExtension = " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass"
                + " AND d.objid = c.oid AND d.deptype = 'e')";
        addAll(condition + noExtension, arguments, WITH_ROWS);
    }

    /// @return how many match, whether they can be read or not
    private int addAll(String condition, List<String> arguments, String kinds) throws SQLException {
        String sql = COLUMNS + condition + " AND " + NO_SYSTEM + " AND c.relkind IN (" + kinds
                + ") ORDER BY n.nspname, c.relname";
        int count = 0;
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int index = 0; index < arguments.size(); index++) {
                query.setString(index + 1, arguments.get(index));
            }
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    count++;
                    String relation = rows.getString(2);
                    String why = !rows.getBoolean(4)
                            ? "it is a materialized view without rows: REFRESH it first"
                            : rows.getBoolean(5)
                                    ? "it is unlogged, and this server a standby"
                                    : !rows.getBoolean(6) ? "it has no columns" : null;
                    if (why == null) {
                        found.putIfAbsent(
                                rows.getLong(1),
                                new SelectedTable(rows.getLong(1), relation, rows.getString(3), false, Set.of()));
                    } else {
                        notices.accept(relation + " is left out: " + why);
                    }
                }
            }
        }
        return count;
    }

    private Set<Long> excluded(List<String> texts) throws SQLException {
        Set<Long> excluded = new HashSet<>();
        for (String text : texts) {
            NamePattern pattern = NamePattern.ofTable(text);
            String sql = "SELECT c.oid::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE "
                    + condition(pattern) + " AND " + NO_SYSTEM + " AND c.relkind IN (" + ANY_KIND + ")";
            boolean any = false;
            try (PreparedStatement query = connection.prepareStatement(sql)) {
                for (int index = 0; index < arguments(pattern).size(); index++) {
                    query.setString(index + 1, arguments(pattern).get(index));
                }
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        any = true;
                        excluded.add(rows.getLong(1));
                    }
                }
            }
            if (!any) {
                throw nothing("table to exclude", text);
            }
        }
        return excluded;
    }

    /// Of every partition and child, all that it is part of.
    private Map<Long, Set<Long>> ancestors() throws SQLException {
        String sql = """
                WITH RECURSIVE up(oid, parent) AS (
                    SELECT inhrelid, inhparent FROM pg_inherits
                    UNION
                    SELECT up.oid, i.inhparent FROM up JOIN pg_inherits i ON i.inhrelid = up.parent)
                SELECT up.oid::int8, up.parent::int8 FROM up JOIN pg_class c ON c.oid = up.parent
                WHERE c.relkind IN ('r', 'p', 'f')""";
        Map<Long, Set<Long>> ancestors = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                ancestors.computeIfAbsent(rows.getLong(1), _ -> new HashSet<>()).add(rows.getLong(2));
            }
        }
        return ancestors;
    }

    /// What LOCK takes, in one statement; empty if there is nothing to lock.
    static String lockStatement(List<SelectedTable> tables) {
        String names = tables.stream()
                .filter(SelectedTable::isLockable)
                .map(SelectedTable::relation)
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : "LOCK TABLE " + names + " IN ACCESS SHARE MODE";
    }
}
