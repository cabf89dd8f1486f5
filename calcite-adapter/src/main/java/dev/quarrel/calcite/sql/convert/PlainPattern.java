package dev.quarrel.calcite.sql.convert;

import java.util.regex.Pattern;

/// Regular expressions that mean the same by every collation: they name no class of characters, and where case does not
/// count, their letters are ASCII's.
final class PlainPattern {
    private static final Pattern CLASS = Pattern.compile("\\\\[dswDSWyYmM]|\\[\\[?\\^?\\[|\\[\\[[.:=]|\\[[.:=]");
    private static final Pattern ANYTHING_BEYOND_ASCII = Pattern.compile("[^\\x00-\\x7F]|\\\\[0-9uUx]");

    private PlainPattern() {}

    static boolean is(String pattern, boolean ignoresCase) {
        if (CLASS.matcher(pattern).find()) {
            return false;
        }
        boolean mayIgnoreCase = ignoresCase || pattern.startsWith("(?") || pattern.startsWith("***");
        return !mayIgnoreCase || !ANYTHING_BEYOND_ASCII.matcher(pattern).find();
    }
}
