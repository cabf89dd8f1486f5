package dev.quarrel.server.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/// The console's pages: one document with its style and its script, which are resources here.
final class ConsolePages {
    private static final String HTML = "text/html; charset=utf-8";

    private final Map<String, ConsoleResponse> pages = Map.of(
            "/console", page("console.html", HTML),
            "/console/", page("console.html", HTML),
            "/console/console.css", page("console.css", "text/css; charset=utf-8"),
            "/console/console.js", page("console.js", "text/javascript; charset=utf-8"));

    /// The page of a path, or null.
    ConsoleResponse at(String path) {
        return pages.get(path);
    }

    private static ConsoleResponse page(String name, String type) {
        try (InputStream in = ConsolePages.class.getResourceAsStream(name)) {
            return ConsoleResponse.page(type, in.readAllBytes());
        } catch (IOException impossible) {
            throw new UncheckedIOException("a resource of this program: " + name, impossible);
        }
    }
}
