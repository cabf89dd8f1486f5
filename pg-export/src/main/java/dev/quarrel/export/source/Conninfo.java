package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What people write to say where a database is, read into libpq's keywords.
///
/// A URI (`postgresql://…`, also after `jdbc:`), `keyword=value` pairs, or the name of a database alone.
///
/// - Errors: `QueryException` 22023 that does not repeat the text, since it may hold a password.
/// - Source: PostgreSQL documentation, "Connection Strings".
final class Conninfo {
    private Conninfo() {}

    static Map<String, String> parse(String text) {
        String rest = text.startsWith("jdbc:") ? text.substring(5) : text;
        if (rest.startsWith("postgresql:") || rest.startsWith("postgres:")) {
            return uri(rest.substring(rest.indexOf(':') + 1));
        }
        if (rest.contains("://")) {
            throw invalid("it does not begin with postgresql://");
        }
        if (rest.indexOf('=') >= 0) {
            return pairs(rest);
        }
        return rest.isBlank() ? new LinkedHashMap<>() : new LinkedHashMap<>(Map.of("dbname", rest));
    }

    private static Map<String, String> uri(String text) {
        Map<String, String> found = new LinkedHashMap<>();
        String rest = text;
        String query = "";
        int question = rest.indexOf('?');
        if (question >= 0) {
            query = rest.substring(question + 1);
            rest = rest.substring(0, question);
        }
        String authority = "";
        String path = rest;
        if (rest.startsWith("//")) {
            int slash = rest.indexOf('/', 2);
            authority = rest.substring(2, slash < 0 ? rest.length() : slash);
            path = slash < 0 ? "" : rest.substring(slash + 1);
        }
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            String login = authority.substring(0, at);
            int colon = login.indexOf(':');
            put(found, "user", decoded(colon < 0 ? login : login.substring(0, colon)));
            if (colon >= 0) {
                put(found, "password", decoded(login.substring(colon + 1)));
            }
        }
        addresses(authority.substring(at + 1), found);
        put(found, "dbname", decoded(path));
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                found.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
            } else if (!pair.isEmpty()) {
                throw invalid("a parameter has no value");
            }
        }
        return found;
    }

    /// `host:port,host:port`, where both may be left out.
    private static void addresses(String text, Map<String, String> found) {
        List<String> hosts = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (String address : text.split(",", -1)) {
            int bracket = address.startsWith("[") ? address.indexOf(']') : 0;
            if (bracket < 0) {
                throw invalid("a bracket is not closed");
            }
            int colon = address.indexOf(':', bracket);
            String host = decoded(colon < 0 ? address : address.substring(0, colon));
            hosts.add(bracket > 0 ? host.substring(1, host.indexOf(']')) : host);
            ports.add(colon < 0 ? "" : address.substring(colon + 1));
        }
        if (hosts.stream().anyMatch(host -> !host.isEmpty())) {
            found.put("host", String.join(",", hosts));
        }
        if (ports.stream().anyMatch(port -> !port.isEmpty())) {
            found.put("port", String.join(",", ports));
        }
    }

    private static void put(Map<String, String> found, String keyword, String value) {
        if (!value.isEmpty()) {
            found.put(keyword, value);
        }
    }

    /// A part of a URI as it is meant.
    static String decoded(String text) {
        try {
            // URLDecoder is for forms, where + is a blank; in a URI it is itself.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw invalid("it has a broken % escape");
        }
    }

    /// `keyword = value`, where a value with blanks stands in single quotes, and `\` takes the meaning from
    /// what follows.
    private static Map<String, String> pairs(String text) {
        Map<String, String> found = new LinkedHashMap<>();
        int at = 0;
        while (true) {
            at = skipBlanks(text, at);
            if (at == text.length()) {
                return found;
            }
            int start = at;
            while (at < text.length() && text.charAt(at) != '=' && !Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            String keyword = text.substring(start, at);
            at = skipBlanks(text, at);
            if (at == text.length() || text.charAt(at) != '=') {
                throw invalid("a keyword has no =");
            }
            at = skipBlanks(text, at + 1);
            StringBuilder value = new StringBuilder();
            boolean quoted = at < text.length() && text.charAt(at) == '\'';
            if (quoted) {
                at++;
            }
            boolean open = true;
            while (open) {
                if (at == text.length()) {
                    if (quoted) {
                        throw invalid("a quote is not closed");
                    }
                    open = false;
                } else if (quoted ? text.charAt(at) == '\'' : Character.isWhitespace(text.charAt(at))) {
                    at++;
                    open = false;
                } else {
                    if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                        at++;
                    }
                    value.append(text.charAt(at++));
                }
            }
            found.put(keyword, value.toString());
        }
    }

    private static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    static QueryException invalid(String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid connection string: " + why)
                .withHint("write postgresql://user@host:port/database, or host=… dbname=…, or a database's name");
    }
}
