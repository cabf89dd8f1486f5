package dev.quarrel.tests;

import dev.quarrel.tests.RegressionReport.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/// One file of PostgreSQL's regression tests: its statements run on PostgreSQL, its queries on Quarrel, too.
final class RegressionFile {
    private static final Set<String> QUERIES = Set.of("select", "with", "values", "table");
    private static final Set<String> WITHOUT_WRITES = Set.of(
            "set",
            "reset",
            "show",
            "begin",
            "start",
            "commit",
            "end",
            "rollback",
            "abort",
            "savepoint",
            "release",
            "explain",
            "declare",
            "fetch",
            "move",
            "close",
            "analyze",
            "prepare",
            "deallocate",
            "discard");
    private static final Set<String> ENDINGS = Set.of("commit", "end", "rollback", "abort", "set", "reset", "discard");
    private static final Pattern TEMPORARY = Pattern.compile(
            "(?is)^(create\\s+)(?:(?:local|global)\\s+)?temp(?:orary)?(\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?([a-z_][a-z_0-9]*)\\b(?!\\.).*)$");
    private static final Pattern INTO_TEMPORARY =
            Pattern.compile("(?is)^(.*\\binto\\s+)temp(?:orary)?\\s+(?:table\\s+)?(([a-z_][a-z_0-9]*)\\b.*)$");
    // The driver ends its connection then.
    private static final Pattern CLIENT_ENCODING = Pattern.compile("(?i)^set\\s+(?:client_encoding|names)\\b");
    private static final Pattern DATE_STYLE =
            Pattern.compile("(?is)^(set\\s+(?:local\\s+|session\\s+)?datestyle\\s*(?:to|=)\\s*)(.*)$");

    private final Path root;
    private final String file;
    private final String url;
    private final RegressionReport report;
    private final Map<String, String> variables = new HashMap<>();
    private final List<String> temporaries = new ArrayList<>();
    private Connection postgres;
    private RegressionCopy quarrel;
    private RegressionScope scope;
    private boolean hasWritten;

    RegressionFile(Path root, String file, String url, RegressionReport report) {
        this.root = root;
        this.file = file;
        this.url = url;
        this.report = report;
        variables.put("abs_srcdir", root.toString());
        variables.put("env PG_ABS_SRCDIR", root.toString());
        variables.put("env PG_ABS_BUILDDIR", System.getProperty("java.io.tmpdir"));
        variables.put("env PG_LIBDIR", "/nowhere");
        variables.put("env PG_DLSUFFIX", ".so");
        variables.put("ENCODING", "UTF8");
        variables.put("DBNAME", "regression");
        variables.put("USER", "postgres");
    }

    void run() throws SQLException, IOException {
        PsqlScript script = new PsqlScript(
                new String(Files.readAllBytes(root.resolve("sql/" + file + ".sql")), StandardCharsets.UTF_8),
                variables);
        postgres = DriverManager.getConnection(url + "&preferQueryMode=simple&ApplicationName=regress");
        try (RegressionCopy copy = new RegressionCopy(url, postgres)) {
            quarrel = copy;
            scope = new RegressionScope(postgres);
            command("SET statement_timeout = '30s'");
            for (PsqlScript.Read read = script.next(); read != null; read = script.next()) {
                statement(read, script);
            }
        } catch (SQLException ended) {
            System.out.println(file + ": " + ended.getMessage());
        } finally {
            cleanUp();
            postgres.close();
        }
    }

    private void cleanUp() {
        command("ROLLBACK");
        command("RESET SESSION AUTHORIZATION");
        command("RESET ALL");
        temporaries.forEach(table -> command("DROP TABLE IF EXISTS " + table + " CASCADE"));
    }

    private SqlAnswer command(String sql) {
        return SqlAnswer.of(postgres, sql);
    }

    private void statement(PsqlScript.Read read, PsqlScript script) throws SQLException, IOException {
        if (read.end() == PsqlScript.End.OTHER
                || CLIENT_ENCODING.matcher(read.sql()).find()) {
            return;
        }
        String sql = read.sql();
        List<SqlWords.Word> words = SqlWords.of(sql);
        String first = words.isEmpty() ? "" : words.getFirst().name();
        if (first.equals("copy")) {
            copy(sql, words, script);
            return;
        }
        boolean isQuery = QUERIES.contains(first) && !writes(words);
        if (!isQuery) {
            SqlAnswer answer = command(rewritten(sql));
            if (!WITHOUT_WRITES.contains(first) || first.equals("explain") && writes(words)) {
                noteWrite();
            }
            if (ENDINGS.contains(first)) {
                noteEnd();
            }
            if (read.end() == PsqlScript.End.GSET) {
                setVariables(answer, read.prefix());
            }
            return;
        }
        SqlAnswer right = command(sql);
        if (read.end() == PsqlScript.End.GSET) {
            setVariables(right, read.prefix());
        } else if (read.end() == PsqlScript.End.GEXEC && right instanceof SqlAnswer.Rows rows) {
            rows.rows().stream().flatMap(List::stream).filter(Objects::nonNull).forEach(this::command);
            noteWrite();
            return;
        }
        query(read, sql, right);
    }

    private void noteWrite() {
        quarrel.noteWrite();
        scope.becomeStale();
        hasWritten = hasWritten || isInTransaction();
    }

    private void noteEnd() throws SQLException {
        if (!isInTransaction()) {
            if (hasWritten) {
                quarrel.noteWrite();
                scope.becomeStale();
            }
            hasWritten = false;
        }
        if (state() != TransactionState.FAILED) {
            quarrel.followSettings();
        }
    }

    private TransactionState state() {
        return ((BaseConnection) postgres).getTransactionState();
    }

    private boolean isInTransaction() {
        return state() != TransactionState.IDLE;
    }

    private static boolean writes(List<SqlWords.Word> words) {
        for (int index = 0; index < words.size(); index++) {
            SqlWords.Word word = words.get(index);
            String next = index + 1 < words.size() ? words.get(index + 1).name() : "";
            String before = index > 0 ? words.get(index - 1).name() : "";
            boolean writes =
                    switch (word.name()) {
                        case "into" -> word.depth() == 0 && !word.isCalled();
                        case "insert", "merge" -> next.equals("into");
                        case "delete" -> next.equals("from");
                        // FOR UPDATE, FOR NO KEY UPDATE
                        case "update" -> !before.equals("for") && !before.equals("key");
                        default -> false;
                    };
            if (writes) {
                return true;
            }
        }
        return false;
    }

    /// Tables that the exporter can see, instead of temporary ones; and dates in the one style that the driver reads.
    private String rewritten(String sql) throws SQLException {
        Matcher style = DATE_STYLE.matcher(sql);
        if (style.matches() && !style.group(2).toLowerCase().contains("iso")) {
            String order = style.group(2).replaceAll("[\"']", "").replaceAll("(?i).*(ymd|dmy|mdy).*", "$1");
            return style.group(1) + (order.length() == 3 ? "'ISO, " + order + "'" : "'ISO'");
        }
        Matcher temporary = TEMPORARY.matcher(sql);
        boolean isTable = temporary.matches();
        if (!isTable) {
            temporary = INTO_TEMPORARY.matcher(sql);
        }
        if (!isTable && !temporary.matches() || sql.toLowerCase().contains("on commit")) {
            return sql;
        }
        String name = temporary.group(3);
        if (state() == TransactionState.FAILED
                || !(command("SELECT to_regclass('" + name + "')") instanceof SqlAnswer.Rows rows)
                || rows.rows().getFirst().getFirst() != null) {
            return sql;
        }
        temporaries.add(name);
        return temporary.group(1) + temporary.group(2);
    }

    private void copy(String sql, List<SqlWords.Word> words, PsqlScript script) throws SQLException, IOException {
        List<String> names = words.stream().map(SqlWords.Word::name).toList();
        if (names.contains("stdout")) {
            return;
        }
        noteWrite();
        if (!names.contains("stdin")) {
            command(sql);
            return;
        }
        var api = ((BaseConnection) postgres).getCopyAPI();
        try {
            var in = api.copyIn(sql);
            byte[] data = script.data().getBytes(StandardCharsets.UTF_8);
            in.writeToCopy(data, 0, data.length);
            in.endCopy();
        } catch (SQLException refused) {
            // As some of them shall be.
        }
    }

    private void setVariables(SqlAnswer answer, String prefix) {
        if (answer instanceof SqlAnswer.Rows(List<String> columns, List<List<String>> rows) && rows.size() == 1) {
            for (int column = 0; column < columns.size(); column++) {
                String name = columns.get(column).replaceAll(" \\S+$", "");
                String value = rows.getFirst().get(column);
                if (value == null) {
                    variables.remove(prefix + name);
                } else {
                    variables.put(prefix + name, value);
                }
            }
        }
    }

    private void query(PsqlScript.Read read, String sql, SqlAnswer right) throws SQLException {
        if (state() == TransactionState.FAILED
                && (!(right instanceof SqlAnswer.Failure failure)
                        || failure.sqlState().equals("25P02"))) {
            return;
        }
        boolean isFailed = state() == TransactionState.FAILED;
        int columns = right instanceof SqlAnswer.Rows rows ? rows.columns().size() : -1;
        if (isFailed) {
            return; // nothing can be asked of PostgreSQL any more
        }
        RegressionScope.Scope named = scope.of(sql, columns, isInTransaction());
        String obstacle = named.obstacle();
        if (obstacle != null) {
            // What it calls may write.
            noteWrite();
        } else {
            obstacle = quarrel.follow(named.tables(), hasWritten);
        }
        if (obstacle == null) {
            obstacle = quarrel.refusedSetting();
        }
        if (obstacle != null) {
            report.add(file, read.line(), Outcome.NOT_APPLICABLE, obstacle, sql);
            return;
        }
        SqlAnswer answer = quarrel.ask(sql);
        RegressionVerdict verdict = RegressionVerdict.of(right, answer);
        report.add(file, read.line(), verdict.outcome(), verdict.message(), sql);
    }
}
