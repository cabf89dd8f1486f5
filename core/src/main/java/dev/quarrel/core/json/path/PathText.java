package dev.quarrel.core.json.path;

import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.json.path.PathItem.Kind;
import dev.quarrel.core.json.path.PathItem.Levels;
import dev.quarrel.core.json.path.PathItem.Range;
import java.math.BigDecimal;

/// Writes a path as `jsonpath_out` does.
///
/// - Source: PostgreSQL's `jsonpath.c`.
final class PathText {
    private final StringBuilder out = new StringBuilder();
    private final boolean isExact;

    private PathText(boolean isExact) {
        this.isExact = isExact;
    }

    /// As PostgreSQL shows it, which leaves out parentheses around some of what a step follows.
    static String of(JsonPathExpression path) {
        return of(path, false);
    }

    /// With those.
    static String exact(JsonPathExpression path) {
        return of(path, true);
    }

    private static String of(JsonPathExpression path, boolean isExact) {
        PathText text = new PathText(isExact);
        text.out.append(path.isLax() ? "" : "strict ");
        text.append(path.root(), false, true);
        return text.out.toString();
    }

    /// @param inKey whether it stands behind another step
    /// @param inBrackets whether an operation is put into parentheses
    private void append(PathItem item, boolean inKey, boolean inBrackets) {
        Kind kind = item.kind();
        boolean isOperation = kind.isPredicate() || kind.isBinary() || kind == Kind.PLUS || kind == Kind.MINUS;
        if (isExact && isOperation && item.next() != null) {
            out.append('(');
            append(item.withoutNext(), false, false);
            out.append(')');
            append(item.next(), true, true);
            return;
        }
        if (kind.isBinary()) {
            bracket(inBrackets, () -> {
                operand(item.left(), kind);
                out.append(' ').append(kind.text()).append(' ');
                operand(item.right(), kind);
            });
        } else if (kind.isMethod()) {
            method(item);
        } else {
            switch (kind) {
                case PLUS, MINUS ->
                    bracket(inBrackets, () -> {
                        out.append(kind.text());
                        operand(item.left(), kind);
                    });
                case NOT -> inside("!(", item.left(), ")");
                case IS_UNKNOWN -> inside("(", item.left(), ") is unknown");
                case LIKE_REGEX ->
                    bracket(inBrackets, () -> {
                        operand(item.left(), kind);
                        out.append(" like_regex ");
                        like((LikePattern) item.value());
                    });
                case EXISTS -> inside("exists (", item.left(), ")");
                case FILTER -> inside("?(", item.left(), ")");
                case STRING -> JsonStrings.append((String) item.value(), out);
                case NUMBER ->
                    bracket(item.next() != null, () -> out.append(((BigDecimal) item.value()).toPlainString()));
                case BOOL -> out.append(item.value());
                case VARIABLE -> {
                    out.append('$');
                    JsonStrings.append((String) item.value(), out);
                }
                case KEY -> {
                    out.append(inKey ? "." : "");
                    JsonStrings.append((String) item.value(), out);
                }
                case ANY_KEY -> out.append(inKey ? ".*" : "*");
                case ANY -> levels((Levels) item.value(), inKey);
                case SUBSCRIPTS -> subscripts(item);
                default -> out.append(kind.text());
            }
        }
        if (item.next() != null) {
            append(item.next(), true, true);
        }
    }

    private void like(LikePattern pattern) {
        JsonStrings.append(pattern.pattern(), out);
        if (!pattern.flags().isEmpty()) {
            out.append(" flag \"").append(pattern.flags()).append('"');
        }
    }

    private void operand(PathItem operand, Kind kind) {
        append(operand, false, operand.kind().priority() <= kind.priority());
    }

    private void bracket(boolean isBracketed, Runnable content) {
        out.append(isBracketed ? "(" : "");
        content.run();
        out.append(isBracketed ? ")" : "");
    }

    private void inside(String opening, PathItem content, String closing) {
        out.append(opening);
        append(content, false, false);
        out.append(closing);
    }

    private void method(PathItem item) {
        out.append('.').append(item.kind().text()).append('(');
        if (item.left() != null) {
            append(item.left(), false, false);
        }
        if (item.right() != null) {
            out.append(',');
            append(item.right(), false, false);
        }
        out.append(')');
    }

    private void levels(Levels levels, boolean inKey) {
        out.append(inKey ? "." : "").append("**");
        if (levels.first() == 0 && levels.last() == PathItem.LAST) {
            return;
        }
        out.append('{').append(level(levels.first()));
        if (levels.first() != levels.last()) {
            out.append(" to ").append(level(levels.last()));
        }
        out.append('}');
    }

    private static String level(int level) {
        return level == PathItem.LAST ? "last" : Integer.toString(level);
    }

    private void subscripts(PathItem item) {
        String separator = "[";
        for (Range range : item.ranges()) {
            out.append(separator);
            append(range.from(), false, false);
            if (range.to() != null) {
                out.append(" to ");
                append(range.to(), false, false);
            }
            separator = ",";
        }
        out.append(']');
    }
}
