package dev.quarrel.server.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The words of one line that gives something: names, keywords, dots, commas and stars. A name in double quotes is as
/// it stands; others are lower case, as in SQL.
///
/// - Errors: [IllegalArgumentException] saying what was expected.
final class GrantWords {
    private final List<String> words = new ArrayList<>();
    private final List<Boolean> quoted = new ArrayList<>();
    private int next;

    GrantWords(String line) {
        StringBuilder word = new StringBuilder();
        for (int index = 0; index < line.length(); index++) {
            char character = line.charAt(index);
            if (character == '"') {
                int end = endOfQuoted(line, index);
                add(line.substring(index + 1, end).replace("\"\"", "\""), true);
                index = end;
            } else if (".,*;".indexOf(character) >= 0) {
                flush(word);
                add(String.valueOf(character), false);
            } else if (Character.isWhitespace(character)) {
                flush(word);
            } else {
                word.append(character);
                if (index + 1 == line.length() || line.charAt(index + 1) == '"') {
                    flush(word);
                }
            }
        }
        flush(word);
        if (!words.isEmpty() && is(words.size() - 1, ";")) {
            words.removeLast();
            quoted.removeLast();
        }
    }

    private static int endOfQuoted(String line, int start) {
        int index = start + 1;
        while (index < line.length()) {
            if (line.charAt(index) != '"') {
                index++;
            } else if (index + 1 < line.length() && line.charAt(index + 1) == '"') {
                index += 2;
            } else {
                return index;
            }
        }
        throw new IllegalArgumentException("a quoted name does not end");
    }

    private void flush(StringBuilder word) {
        if (!word.isEmpty()) {
            add(word.toString().toLowerCase(Locale.ROOT), false);
            word.setLength(0);
        }
    }

    private void add(String word, boolean isQuoted) {
        words.add(word);
        quoted.add(isQuoted);
    }

    private boolean is(int index, String word) {
        return index < words.size() && !quoted.get(index) && words.get(index).equals(word);
    }

    /// Takes these words if they come next.
    boolean takes(String... expected) {
        for (int index = 0; index < expected.length; index++) {
            if (!is(next + index, expected[index])) {
                return false;
            }
        }
        next += expected.length;
        return true;
    }

    void expect(String word) {
        if (!takes(word)) {
            throw new IllegalArgumentException(
                    "expected " + word + (next < words.size() ? " before \"" + words.get(next) + "\"" : " at the end"));
        }
    }

    String name() {
        if (next >= words.size() || (!quoted.get(next) && ".,*;".contains(words.get(next)))) {
            throw new IllegalArgumentException(
                    "expected a name" + (next < words.size() ? " before \"" + words.get(next) + "\"" : " at the end"));
        }
        return words.get(next++);
    }

    /// Names between commas.
    List<String> names() {
        List<String> names = new ArrayList<>();
        do {
            names.add(name());
        } while (takes(","));
        return names;
    }

    void expectEnd() {
        if (next < words.size()) {
            throw new IllegalArgumentException("\"" + words.get(next) + "\" is not understood");
        }
    }
}
