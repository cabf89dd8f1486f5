package dev.quarrel.ingest;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Columns of tables of events that somebody has said, as `CREATE TABLE` does:
///
/// ```sql
/// CREATE TABLE logs (
///     status integer NOT NULL,
///     took double precision,
///     seen timestamptz
/// );
/// ```
///
/// `time timestamptz` and `tag text` are there anyway. Fields that are not declared are learned.
public final class TableDeclarations {
    private static final Set<PgType> TYPES = EnumSet.of(
            PgType.BOOL,
            PgType.INT2,
            PgType.INT4,
            PgType.INT8,
            PgType.FLOAT4,
            PgType.FLOAT8,
            PgType.TEXT,
            PgType.VARCHAR,
            PgType.JSON,
            PgType.JSONB,
            PgType.BYTEA,
            PgType.DATE,
            PgType.TIMESTAMP,
            PgType.TIMESTAMPTZ);

    private final String text;
    private int at;

    private TableDeclarations(String text) {
        this.text = text;
    }

    /// The columns by table.
    ///
    /// - Errors: `QueryException` 42601 with a position, 0A000 for a type that events have no values of, 42701,
    /// 42P07.
    public static Map<String, List<Field>> read(String text) {
        TableDeclarations reader = new TableDeclarations(text);
        Map<String, List<Field>> tables = new LinkedHashMap<>();
        for (String word = reader.word(); !word.isEmpty(); word = reader.word()) {
            if (word.equals(";")) {
                continue;
            }
            reader.expect(word, "create");
            reader.expect(reader.word(), "table");
            String name = reader.word();
            if (name.equals("if")) {
                reader.expect(reader.word(), "not");
                reader.expect(reader.word(), "exists");
                name = reader.word();
            }
            if (tables.put(reader.name(name), reader.columns()) != null) {
                throw reader.wrong(SqlState.DUPLICATE_TABLE, "relation \"" + name + "\" is declared twice");
            }
        }
        return tables;
    }

    private List<Field> columns() {
        expect(word(), "(");
        List<Field> fields = new ArrayList<>();
        String end = "";
        while (!end.equals(")")) {
            String name = name(word());
            if (fields.stream().anyMatch(field -> field.name().equals(name))) {
                throw wrong(SqlState.DUPLICATE_COLUMN, "column \"" + name + "\" specified more than once");
            }
            StringBuilder type = new StringBuilder();
            boolean nullable = true;
            end = word();
            while (!end.equals(",") && !end.equals(")")) {
                if (end.equals("not")) {
                    expect(word(), "null");
                    nullable = false;
                } else if (end.isEmpty() || end.equals(";")) {
                    throw wrong(SqlState.SYNTAX_ERROR, "syntax error: a type or \")\" is expected");
                } else if (!end.equals("null")) {
                    type.append(type.isEmpty() ? "" : " ").append(end);
                }
                end = word();
            }
            fields.add(field(name, type.toString(), nullable));
        }
        return fields;
    }

    private Field field(String name, String type, boolean nullable) {
        PgType found = PgType.named(type).orElse(null);
        if (found == null || !TYPES.contains(found)) {
            throw wrong(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "column \"" + name + "\" is of type \"" + type + "\", which events have no values of");
        }
        boolean isDefault = PgType.of(found.dataType()) == found;
        return new Field(name, found.dataType(), nullable, isDefault ? null : found.formatName());
    }

    private String name(String word) {
        if (word.isEmpty() || "(),;".contains(word)) {
            throw wrong(SqlState.SYNTAX_ERROR, "syntax error: a name is expected");
        }
        return word;
    }

    private void expect(String word, String wanted) {
        if (!word.equals(wanted)) {
            throw wrong(
                    SqlState.SYNTAX_ERROR,
                    word.isEmpty()
                            ? "syntax error at end of input"
                            : "syntax error at or near \"" + word + "\": " + wanted.toUpperCase(Locale.ROOT)
                                    + " is expected");
        }
    }

    private QueryException wrong(SqlState state, String message) {
        return new QueryException(state, message).withPosition(text.codePointCount(0, at) + 1);
    }

    /// The next word, in lower case unless it is quoted, or one of the signs; empty at the end.
    private String word() {
        skipBlanks();
        if (at >= text.length()) {
            return "";
        }
        char first = text.charAt(at);
        if (first == '"') {
            return quoted();
        }
        int from = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
            at++;
        }
        if (at == from) {
            at++;
        }
        return text.substring(from, at).toLowerCase(Locale.ROOT);
    }

    private String quoted() {
        StringBuilder name = new StringBuilder();
        at++;
        while (at < text.length()) {
            char each = text.charAt(at++);
            if (each != '"') {
                name.append(each);
            } else if (at < text.length() && text.charAt(at) == '"') {
                name.append(each);
                at++;
            } else {
                return name.toString();
            }
        }
        throw wrong(SqlState.SYNTAX_ERROR, "unterminated quoted identifier");
    }

    private void skipBlanks() {
        while (at < text.length()) {
            if (text.startsWith("--", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (Character.isWhitespace(text.charAt(at))) {
                at++;
            } else {
                return;
            }
        }
    }
}
