package dev.quarrel.samples.ssb;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The benchmark's 13 queries, in the paper's wording.
public final class SsbQueries {
    /// In four flights, by what they restrict: `1.1` … `4.3`.
    public static final List<String> NAMES =
            List.of("1.1", "1.2", "1.3", "2.1", "2.2", "2.3", "3.1", "3.2", "3.3", "3.4", "4.1", "4.2", "4.3");

    private SsbQueries() {}

    /// The text of query `name`, without a semicolon; the table of days is called `date`.
    ///
    /// - Errors: [IllegalArgumentException] for a name that is not in [#NAMES].
    public static String sql(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("the queries are " + NAMES + ", not " + name);
        }
        String resource = "q" + name + ".sql";
        try (InputStream text = SsbQueries.class.getResourceAsStream(resource)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException unreadable) {
            throw new UncheckedIOException("resource " + resource, unreadable);
        }
    }
}
