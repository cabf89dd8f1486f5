package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.StatementShape;
import java.util.List;
import java.util.regex.Pattern;

/// Words that mean another time whenever they are read: `'today'::date`, `'[now,infinity)'::tstzrange`, also before
/// digits, `'today12:00'`.
final class TimeWords {
    private static final Pattern WORD =
            Pattern.compile("(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])", Pattern.CASE_INSENSITIVE);

    private TimeWords() {}

    static boolean isIn(String text) {
        return WORD.matcher(text).find();
    }

    /// Whether one is in a string, of whatever type it will be.
    static boolean areIn(List<StatementShape.Written> literals) {
        for (StatementShape.Written literal : literals) {
            if (!literal.isNumber() && isIn(literal.text())) {
                return true;
            }
        }
        return false;
    }
}
