package dev.quarrel.core.pg;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Names as PostgreSQL writes and reads them: in quotes where they would not stand for themselves without.
///
/// - Source: PostgreSQL's `ruleutils.c` (quote_identifier) and `kwlist.h`.
public final class Identifiers {
    /// Keywords that are no names, or not everywhere.
    private static final Set<String> KEYWORDS =
            Set.of(("all analyse analyze and any array as asc asymmetric authorization between bigint "
                            + "binary bit boolean both case cast char character check coalesce collate collation "
                            + "column concurrently constraint create cross current_catalog current_date "
                            + "current_role current_schema current_time current_timestamp current_user dec decimal "
                            + "default deferrable desc distinct do else end except exists extract false fetch float "
                            + "for foreign freeze from full grant greatest group grouping having ilike in initially "
                            + "inner inout int integer intersect interval into is isnull join json json_array "
                            + "json_arrayagg json_exists json_object json_objectagg json_query json_scalar "
                            + "json_serialize json_table json_value lateral leading least left like limit localtime "
                            + "localtimestamp merge_action national natural nchar none normalize not notnull null "
                            + "nullif numeric offset on only or order out outer overlaps overlay placing position "
                            + "precision primary real references returning right row select session_user setof "
                            + "similar smallint some substring symmetric system_user table tablesample then time "
                            + "timestamp to trailing treat trim true union unique user using values varchar "
                            + "variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists "
                            + "xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable ")
                    .split(" "));

    private Identifiers() {}

    /// The name, in quotes if it needs them.
    public static String quoted(String name) {
        return isPlain(name) ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    private static boolean isPlain(String name) {
        if (name.isEmpty() || !isLower(name.charAt(0))) {
            return false;
        }
        for (int index = 1; index < name.length(); index++) {
            char character = name.charAt(index);
            if (!isLower(character) && !(character >= '0' && character <= '9')) {
                return false;
            }
        }
        return !KEYWORDS.contains(name);
    }

    private static boolean isLower(char character) {
        return character >= 'a' && character <= 'z' || character == '_';
    }

    /// Splits `a . "B c"` as the parser would, folding what is not quoted.
    public static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean quoted = false;
        int blanks = 0; // that belong to the part if more of it follows
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (!quoted && Character.isWhitespace(character)) {
                blanks += part.isEmpty() ? 0 : 1;
                continue;
            }
            if (character != '.' || quoted) {
                part.append(" ".repeat(blanks));
            }
            blanks = 0;
            if (character == '"') {
                if (quoted && index + 1 < text.length() && text.charAt(index + 1) == '"') {
                    part.append('"');
                    index++;
                } else {
                    quoted = !quoted;
                }
            } else if (character == '.' && !quoted) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(quoted ? character : Character.toLowerCase(character));
            }
        }
        parts.add(part.toString());
        return parts;
    }
}
