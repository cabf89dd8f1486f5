package dev.quarrel.tests;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What a query speaks of, by PostgreSQL's own analysis: the tables that Quarrel needs a copy of, or what it can have
/// none of.
///
/// A view of the query is made and rolled back; PostgreSQL writes down what a view depends on. What belongs to the
/// system is not written down, and known by its name.
final class RegressionScope {
    /// @param tables with their schemas, in quotes where they need them
    /// @param obstacle why the query cannot be asked of Quarrel; null where it can
    record Scope(Set<Table> tables, String obstacle) {}

    record Table(long oid, String name) implements Comparable<Table> {
        @Override
        public int compareTo(Table other) {
            return name.compareTo(other.name);
        }
    }

    // Catalogs, columns of the system, and what depends on the session, the moment or the place of a row.
    private static final Pattern OF_THE_SERVER =
            Pattern.compile("pg_.*|information_schema|reg(class|proc|procedure|type"
                    + "|oper|operator|role|namespace|config|dictionary|collation)|to_reg.*|has_.*_privilege|inet_(client|server)_.*"
                    + "|(obj|col|shobj)_description|txid_.*|current_(database|schema|schemas|catalog|query|setting|user|role)|version"
                    + "|session_user|system_user|getdatabaseencoding|tableoid|ctid|xmin|xmax|cmin|cmax|tablesample|row_security_active"
                    + "|format_type|currtid.*|lo_.*|.*_to_xml.*|current_timestamp|now|localtime.*|transaction_timestamp"
                    + "|statement_timestamp|current_(date|time)");

    private static final String PROBE = "public.quarrel_probe";

    // Each thing that the view's rule needs: what it is, and of tables their names.
    private static final String DEPENDENCIES = """
            SELECT DISTINCT d.refclassid::regclass::text, d.refobjid::int8,
                   CASE d.refclassid WHEN 'pg_class'::regclass THEN
                       (SELECT CASE WHEN c.relkind IN ('r', 'p') AND c.relpersistence <> 't' THEN 'table' ELSE
                               CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence'
                                    WHEN 'r' THEN 'temporary table' ELSE 'relation of kind ' || c.relkind END END
                        FROM pg_class c WHERE c.oid = d.refobjid)
                   WHEN 'pg_type'::regclass THEN
                       (SELECT CASE t.typtype WHEN 'e' THEN 'enum' ELSE 'type of kind ' || t.typtype END FROM pg_type t
                        WHERE t.oid = d.refobjid)
                   ELSE replace(d.refclassid::regclass::text, 'pg_', '') END,
                   CASE WHEN d.refclassid = 'pg_class'::regclass THEN
                       (SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c
                        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = d.refobjid) END
            FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
            WHERE r.ev_class = '%s'::regclass AND d.refobjid <> r.ev_class AND d.deptype = 'n'
            """.formatted(PROBE);

    private final Connection connection;
    private final Set<String> changingFunctions;
    private boolean isStale = true;
    private Set<String> userFunctions = Set.of();
    private Set<String> userTypes = Set.of();
    private Set<String> otherRelations = Set.of();

    RegressionScope(Connection connection) throws SQLException {
        this.connection = connection;
        this.changingFunctions = names("SELECT proname FROM pg_proc WHERE provolatile = 'v'"
                + " AND pronamespace = 'pg_catalog'::regnamespace");
    }

    /// Something was made or changed since the last question.
    void becomeStale() {
        isStale = true;
    }

    /// @param columns how many columns the answer has; negative: there was none
    Scope of(String sql, int columns, boolean isInTransaction) throws SQLException {
        List<SqlWords.Word> words = SqlWords.of(sql);
        for (SqlWords.Word word : words) {
            if (OF_THE_SERVER.matcher(word.name()).matches()) {
                return new Scope(Set.of(), "the server's own: " + word.name());
            }
            if (word.isCalled() && changingFunctions.contains(word.name())) {
                return new Scope(Set.of(), "a function that changes: " + word.name());
            }
        }
        Scope byView = columns < 0 ? null : byView(sql, columns, isInTransaction);
        return byView == null ? byNames(words) : byView;
    }

    private Scope byView(String sql, int columns, boolean isInTransaction) throws SQLException {
        // Names of the view's own: those of the answer may repeat.
        String names = IntStream.range(0, columns).mapToObj(each -> "c" + each).collect(Collectors.joining(", "));
        String list = columns == 0 ? "" : "(" + names + ")";
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(isInTransaction ? "SAVEPOINT quarrel_probe" : "BEGIN");
            try {
                statement.execute("CREATE VIEW " + PROBE + list + " AS " + sql);
                Set<Table> tables = new TreeSet<>();
                Set<String> obstacles = new TreeSet<>();
                try (ResultSet rows = statement.executeQuery(DEPENDENCIES)) {
                    while (rows.next()) {
                        switch (rows.getString(3)) {
                            case "table" -> tables.add(new Table(rows.getLong(2), rows.getString(4)));
                            case "enum", "namespace" -> {}
                            default -> obstacles.add(rows.getString(3));
                        }
                    }
                }
                return new Scope(tables, obstacles.isEmpty() ? null : String.join(", ", obstacles));
            } catch (SQLException noView) {
                return null;
            } finally {
                statement.execute(
                        isInTransaction
                                ? "ROLLBACK TO SAVEPOINT quarrel_probe; RELEASE SAVEPOINT quarrel_probe"
                                : "ROLLBACK");
            }
        }
    }

    /// For queries that cannot be a view: any name counts, wherever it stands.
    private Scope byNames(List<SqlWords.Word> words) throws SQLException {
        refresh();
        Set<String> all = words.stream().map(SqlWords.Word::name).collect(Collectors.toSet());
        for (SqlWords.Word word : words) {
            if (word.isCalled() && userFunctions.contains(word.name())) {
                return new Scope(Set.of(), "proc");
            }
            if (userTypes.contains(word.name()) || otherRelations.contains(word.name())) {
                return new Scope(Set.of(), "perhaps a view or type: " + word.name());
            }
        }
        Set<Table> tables = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT c.oid::int8, quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relname"
                                + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                                + " WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_|information_schema'"
                                + " AND pg_table_is_visible(c.oid)")) {
            while (rows.next()) {
                if (all.contains(rows.getString(3))) {
                    tables.add(new Table(rows.getLong(1), rows.getString(2)));
                }
            }
        }
        return new Scope(tables, null);
    }

    private void refresh() throws SQLException {
        if (!isStale) {
            return;
        }
        String user = " n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema'";
        userFunctions = names("SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE" + user);
        userTypes = names("SELECT typname FROM pg_type t JOIN pg_namespace n ON n.oid = typnamespace WHERE" + user
                + " AND typtype <> 'e' AND typcategory <> 'A' AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = typrelid"
                + " AND c.relkind <> 'c')");
        otherRelations = names("SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE" + user
                + " AND (relkind NOT IN ('r', 'p', 'i', 'I', 't') OR relpersistence = 't')");
        isStale = false;
    }

    private Set<String> names(String sql) throws SQLException {
        Set<String> names = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }
}
