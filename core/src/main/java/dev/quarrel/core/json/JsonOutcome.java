package dev.quarrel.core.json;

import java.util.Map;

/// What becomes of the result of JSON_EXISTS, JSON_VALUE or JSON_QUERY, as a kernel takes it: a text.
///
/// @param type `pg_type.typname` of the result, whose input takes the text
/// @param typmod its modifier, -1 for none
/// @param wrapper `n`ever, `c`onditionally or `a`lways in an array
/// @param omitsQuotes whether a string stands without its quotes
/// @param onEmpty what stands for nothing, one of [#BEHAVIORS]
/// @param onError what stands for an error
/// @param column the column of JSON_TABLE whose value the result is, as messages name it; empty for none
public record JsonOutcome(
        String type, int typmod, char wrapper, boolean omitsQuotes, char onEmpty, char onError, String column) {
    public static final char NEVER = 'n';
    public static final char CONDITIONALLY = 'c';
    public static final char ALWAYS = 'a';

    public static final char ERROR = 'e';
    public static final char NULL = 'n';
    public static final char TRUE = 't';
    public static final char FALSE = 'f';
    public static final char EMPTY_ARRAY = 'a';
    public static final char EMPTY_OBJECT = 'o';
    /// The planner has the value: the kernel tells that it is wanted.
    public static final char DEFAULT = 'd';

    /// The texts that stand for a behaviour.
    public static final Map<Character, String> BEHAVIORS = Map.of(EMPTY_ARRAY, "[]", EMPTY_OBJECT, "{}");

    /// Whether the kernel says before the text what it is: [#FOUND], [#WANTS_EMPTY] or [#WANTS_ERROR].
    public boolean isTagged() {
        return onEmpty == DEFAULT || onError == DEFAULT;
    }

    public static final char FOUND = 'v';
    public static final char WANTS_EMPTY = 'e';
    public static final char WANTS_ERROR = 'x';

    public String text() {
        return "" + wrapper + (omitsQuotes ? 'o' : 'k') + onEmpty + onError + type + ":" + typmod + ":" + column;
    }

    public static JsonOutcome of(String text) {
        String[] parts = text.substring(4).split(":", 3);
        return new JsonOutcome(
                parts[0],
                Integer.parseInt(parts[1]),
                text.charAt(0),
                text.charAt(1) == 'o',
                text.charAt(2),
                text.charAt(3),
                parts[2]);
    }
}
