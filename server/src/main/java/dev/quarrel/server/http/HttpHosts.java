package dev.quarrel.server.http;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The names under which the HTTP port may be asked.
///
/// A page in a browser can have a name of its own lead to an address of this machine, and then read what it answers
/// (DNS rebinding); the request's Host still says that name. So it must be an address, or a name that is known.
final class HttpHosts {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]+(%25[0-9a-z]+)?\\]");
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");

    private final List<String> names;

    /// @param more names beside localhost, with commas between them
    HttpHosts(String more) {
        names = Arrays.stream(more.toLowerCase(Locale.ROOT).split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    /// @param host as the request says it, with or without a port
    boolean isKnown(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        String name = PORT.matcher(lower).replaceFirst("");
        return name.equals("localhost")
                || IPV4.matcher(name).matches()
                || IPV6.matcher(name).matches()
                || names.contains(name);
    }
}
