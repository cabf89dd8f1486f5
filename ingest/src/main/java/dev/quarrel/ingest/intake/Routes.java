package dev.quarrel.ingest.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Which table a tag's events go to: that of the first pattern that the tag is of, or else the tag with its dots and
/// slashes as underscores.
///
/// Patterns are Fluentd's: `*` is one part of a tag between dots, `**` any number of parts, `{a,b}` one of these.
public final class Routes {
    private record Route(Pattern pattern, String table) {}

    private final List<Route> routes;

    private Routes(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /// - Errors: [IllegalArgumentException] for what is not `PATTERN=TABLE`.
    ///
    /// @param rules such as `app.*=logs`
    public static Routes of(List<String> rules) {
        List<Route> routes = new ArrayList<>();
        for (String rule : rules) {
            int equals = rule.lastIndexOf('=');
            if (equals <= 0 || equals == rule.length() - 1) {
                throw new IllegalArgumentException("a route is PATTERN=TABLE, not \"" + rule + "\"");
            }
            String table = rule.substring(equals + 1).strip();
            String fault = TableName.fault(table);
            if (fault != null) {
                throw new IllegalArgumentException(fault + ": \"" + rule + "\"");
            }
            routes.add(new Route(
                    Pattern.compile(expression(rule.substring(0, equals).strip())), table));
        }
        return new Routes(routes);
    }

    private static String expression(String pattern) {
        StringBuilder out = new StringBuilder();
        int depth = 0;
        for (int at = 0; at < pattern.length(); at++) {
            char each = pattern.charAt(at);
            if (pattern.startsWith(".**", at) && at + 3 == pattern.length()) {
                out.append("(\\..*)?"); // a.** is a, too
                at += 2;
            } else if (pattern.startsWith("**.", at)) {
                out.append("(.*\\.)?");
                at += 2;
            } else if (pattern.startsWith("**", at)) {
                out.append(".*");
                at++;
            } else if (each == '*') {
                out.append("[^.]*");
            } else if (each == '{') {
                out.append("(?:");
                depth++;
            } else if (each == '}' && depth > 0) {
                out.append(')');
                depth--;
            } else if (each == ',' && depth > 0) {
                out.append('|');
            } else {
                out.append(Pattern.quote(String.valueOf(each)));
            }
        }
        if (depth > 0) {
            throw new IllegalArgumentException("\"" + pattern + "\" has a { without }");
        }
        return out.toString();
    }

    public String table(String tag) {
        for (Route route : routes) {
            if (route.pattern().matcher(tag).matches()) {
                return route.table();
            }
        }
        String name = tag.replace('.', '_').replace('/', '_');
        return name.isEmpty() ? "events" : name;
    }
}
