package dev.quarrel.server.session;

import dev.quarrel.calcite.session.Settings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The settings that a startup packet asks for: its own parameters, and the `-c name=value` of `options`, which go
/// first.
///
/// - Errors: `QueryException` 42601 for options that are not understood, 0A000 for replication.
/// - Source: PostgreSQL's `process_startup_options` and `pg_split_opts`.
final class StartupSettings {
    private static final Set<String> NOT_SETTINGS = Set.of("user", "database", "options", "replication");

    private StartupSettings() {}

    static Map<String, String> of(Map<String, String> parameters) {
        if (Set.of("true", "on", "yes", "1", "database").contains(parameters.getOrDefault("replication", ""))) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "replication connections are not supported");
        }
        Map<String, String> settings = new LinkedHashMap<>();
        readOptions(words(parameters.getOrDefault("options", "")), settings);
        parameters.forEach((name, value) -> {
            if (!NOT_SETTINGS.contains(name) && !name.startsWith("_pq_.")) {
                settings.put(name, value);
            }
        });
        return settings;
    }

    /// Takes the run that the session is to read from among the settings.
    ///
    /// - Errors: `QueryException` 22023 for what is no run's number.
    ///
    /// @return null for the newest
    static Integer takeSnapshot(Map<String, String> settings) {
        for (String name : List.copyOf(settings.keySet())) {
            if (!name.equalsIgnoreCase(Settings.SNAPSHOT)) {
                continue;
            }
            String value = settings.remove(name).strip();
            if (value.isEmpty()) {
                return null;
            }
            try {
                return Integer.valueOf(value);
            } catch (NumberFormatException _) {
                throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "invalid value for parameter \"" + Settings.SNAPSHOT + "\": \"" + value + "\"")
                        .withHint(
                                "It is the number of a run, as _SUCCESS in the dataset's folder has the newest one's.");
            }
        }
        return null;
    }

    private static void readOptions(List<String> words, Map<String, String> settings) {
        for (int index = 0; index < words.size(); index++) {
            String word = words.get(index);
            String assignment;
            if (word.equals("-c") && index + 1 < words.size()) {
                index++;
                assignment = words.get(index);
            } else if (word.startsWith("-c")) {
                assignment = word.substring(2);
            } else if (word.startsWith("--")) {
                assignment = word.substring(2);
            } else {
                throw invalid(word);
            }
            int equals = assignment.indexOf('=');
            if (equals <= 0) {
                throw invalid(word);
            }
            settings.put(assignment.substring(0, equals).replace('-', '_'), assignment.substring(equals + 1));
        }
    }

    private static QueryException invalid(String word) {
        return new QueryException(SqlState.SYNTAX_ERROR, "invalid command-line argument for server process: " + word);
    }

    /// Splits at blanks; a backslash keeps the character after it.
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = null;
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (Character.isWhitespace(character)) {
                if (word != null) {
                    words.add(word.toString());
                    word = null;
                }
                continue;
            }
            if (word == null) {
                word = new StringBuilder();
            }
            if (character == '\\' && index + 1 < text.length()) {
                index++;
                character = text.charAt(index);
            }
            word.append(character);
        }
        if (word != null) {
            words.add(word.toString());
        }
        return words;
    }
}
