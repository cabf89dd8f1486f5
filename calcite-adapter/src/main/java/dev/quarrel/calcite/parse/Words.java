package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// PostgreSQL's reserved words, and the mapping from words to the generated parser's tokens.
///
/// - Source: PostgreSQL 18's `kwlist.h`, categories RESERVED_KEYWORD and TYPE_FUNC_NAME_KEYWORD.
final class Words {
    private static final Set<String> RESERVED = Set.of(
            "all",
            "analyse",
            "analyze",
            "and",
            "any",
            "array",
            "as",
            "asc",
            "asymmetric",
            "both",
            "case",
            "cast",
            "check",
            "collate",
            "column",
            "constraint",
            "create",
            "current_catalog",
            "current_date",
            "current_role",
            "current_time",
            "current_timestamp",
            "current_user",
            "default",
            "deferrable",
            "desc",
            "distinct",
            "do",
            "else",
            "end",
            "except",
            "false",
            "fetch",
            "for",
            "foreign",
            "from",
            "grant",
            "group",
            "having",
            "in",
            "initially",
            "intersect",
            "into",
            "lateral",
            "leading",
            "limit",
            "localtime",
            "localtimestamp",
            "not",
            "null",
            "offset",
            "on",
            "only",
            "or",
            "order",
            "placing",
            "primary",
            "references",
            "returning",
            "select",
            "session_user",
            "some",
            "symmetric",
            "system_user",
            "table",
            "then",
            "to",
            "trailing",
            "true",
            "union",
            "unique",
            "user",
            "using",
            "variadic",
            "when",
            "where",
            "window",
            "with");

    /// Reserved but as names of functions and types.
    private static final Set<String> FUNCTION_OR_TYPE = Set.of(
            "authorization",
            "binary",
            "collation",
            "concurrently",
            "cross",
            "current_schema",
            "freeze",
            "full",
            "ilike",
            "inner",
            "is",
            "isnull",
            "join",
            "left",
            "like",
            "natural",
            "notnull",
            "outer",
            "overlaps",
            "right",
            "similar",
            "tablesample",
            "verbose");

    /// Functions that are called without parentheses.
    static final Set<String> WITHOUT_PARENTHESES = Set.of(
            "current_catalog",
            "current_date",
            "current_role",
            "current_schema",
            "current_time",
            "current_timestamp",
            "current_user",
            "localtime",
            "localtimestamp",
            "session_user",
            "system_user",
            "user");

    private static final Map<String, Integer> KINDS = kinds();

    private Words() {}

    static boolean isReserved(String word) {
        return RESERVED.contains(word) || FUNCTION_OR_TYPE.contains(word);
    }

    static boolean isFunctionOrType(String word) {
        return FUNCTION_OR_TYPE.contains(word);
    }

    /// The token kind of a keyword of the grammar; a kind that fits nowhere where the grammar has no such word.
    static int kind(String word) {
        return KINDS.getOrDefault(word, GeneratedParserConstants.BEL);
    }

    private static Map<String, Integer> kinds() {
        Map<String, Integer> kinds = new HashMap<>();
        String[] images = GeneratedParserConstants.tokenImage;
        for (int kind = 0; kind < images.length; kind++) {
            String image = images[kind];
            if (image.length() > 2 && image.startsWith("\"") && Character.isLetter(image.charAt(1))) {
                kinds.putIfAbsent(image.substring(1, image.length() - 1).toLowerCase(Locale.ROOT), kind);
            }
        }
        return Map.copyOf(kinds);
    }
}
