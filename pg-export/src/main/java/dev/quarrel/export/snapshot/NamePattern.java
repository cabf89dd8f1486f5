package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Locale;

/// A name with wildcards, as regular expressions that PostgreSQL matches.
///
/// Outside of double quotes letters fold to lower case, `*` is any characters, `?` one, `.` ends the schema's name, and
/// what else regular expressions know (`[0-9]`, `|`, `(…)`) keeps its meaning, but `$`; inside all is literal.
///
/// @param text as it was written
/// @param schema for a schema's name, anchored; or null where the text has none
/// @param name for the name, anchored
/// @param isExact whether it is one name, without wildcards
/// @source PostgreSQL documentation, psql, "Patterns"
record NamePattern(String text, String schema, String name, boolean isExact) {
    private static final String WILDCARDS = "*?|+()[]{}^\\";
    private static final String SPECIAL = "|*+?()[]{}.^$\\";

    /// A table's pattern: `name` or `schema.name`.
    static NamePattern ofTable(String text) {
        return parse(text);
    }

    /// A schema's pattern, which has no dot.
    static NamePattern ofSchema(String text) {
        NamePattern pattern = parse(text);
        if (pattern.schema != null) {
            throw invalid(text, "a schema's name has no dot outside of quotes");
        }
        return pattern;
    }

    private static NamePattern parse(String text) {
        StringBuilder part = new StringBuilder("^(");
        String schema = null;
        boolean quoted = false;
        boolean exact = true;
        String stripped = text.strip();
        for (int at = 0; at < stripped.length(); at++) {
            char next = stripped.charAt(at);
            if (next == '"') {
                if (quoted && at + 1 < stripped.length() && stripped.charAt(at + 1) == '"') {
                    part.append('"');
                    at++;
                } else {
                    quoted = !quoted;
                }
            } else if (quoted) {
                literal(next, part);
            } else if (next == '.') {
                if (schema != null) {
                    // A database's name in front is for exact names, which the server reads.
                    exact &= stripped.chars().noneMatch(each -> WILDCARDS.indexOf(each) >= 0);
                    if (!exact) {
                        throw invalid(text, "it has too many dots");
                    }
                }
                schema = part.append(")$").toString();
                part = new StringBuilder("^(");
            } else {
                exact &= WILDCARDS.indexOf(next) < 0;
                switch (next) {
                    case '*' -> part.append(".*");
                    case '?' -> part.append('.');
                    case '$' -> part.append("\\$");
                    default -> part.append(Character.toString(next).toLowerCase(Locale.ROOT));
                }
            }
        }
        if (quoted) {
            throw invalid(text, "a quote is not closed");
        }
        if (part.length() == 2 || "^()$".equals(schema)) {
            throw invalid(text, "a name is missing");
        }
        return new NamePattern(text, schema, part.append(")$").toString(), exact);
    }

    private static void literal(char letter, StringBuilder part) {
        if (SPECIAL.indexOf(letter) >= 0) {
            part.append('\\');
        }
        part.append(letter);
    }

    private static QueryException invalid(String text, String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid pattern " + text + ": " + why)
                .withHint("write name or schema.name, with * and ? for what may vary");
    }
}
