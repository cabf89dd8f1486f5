package dev.quarrel.core.csv;

import dev.quarrel.core.arrow.OtherTypeMetadata;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Reads columns as CREATE TABLE has them: `id bigint not null, "Price" numeric(10, 2)`.
public final class ColumnList {
    private static final String NOT_NULL = " not null";

    private ColumnList() {}

    /// - Errors: `QueryException` 42601 for what is no list of columns, 42704 for a type that is none.
    public static List<Field> parse(String text) {
        List<Field> fields = new ArrayList<>();
        int start = 0;
        int depth = 0;
        boolean isQuoted = false;
        for (int at = 0; at <= text.length(); at++) {
            char each = at == text.length() ? ',' : text.charAt(at);
            isQuoted ^= each == '"';
            depth += isQuoted ? 0 : each == '(' ? 1 : each == ')' ? -1 : 0;
            if (each == ',' && depth == 0 && !isQuoted || at == text.length()) {
                fields.add(column(text.substring(start, at).strip()));
                start = at + 1;
            }
        }
        return fields;
    }

    private static Field column(String text) {
        int end = 0;
        String name;
        if (text.startsWith("\"")) {
            StringBuilder quoted = new StringBuilder();
            for (end = 1; end < text.length(); end++) {
                if (text.charAt(end) == '"') {
                    if (end + 1 == text.length() || text.charAt(end + 1) != '"') {
                        break;
                    }
                    end++;
                }
                quoted.append(text.charAt(end));
            }
            end = Math.min(text.length(), end + 1);
            name = quoted.toString();
        } else {
            while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
                end++;
            }
            name = text.substring(0, end).toLowerCase(Locale.ROOT);
        }
        String type = text.substring(end).strip();
        if (name.isEmpty() || type.isEmpty()) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "\"" + text + "\" is no column: a name and a type");
        }
        boolean isNotNull = type.toLowerCase(Locale.ROOT).endsWith(NOT_NULL);
        PgType.Declared declared =
                PgType.parse(isNotNull ? type.substring(0, type.length() - NOT_NULL.length()) : type);
        return OtherTypeMetadata.field(name, declared.dataType(), !isNotNull, Map.of("pg.type", declared.text()));
    }
}
