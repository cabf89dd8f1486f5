package dev.quarrel.calcite.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Parses the value of `search_path`: names separated by commas, each either quoted or folded to lower case.
final class SearchPath {
    private SearchPath() {}

    static List<String> split(String text) {
        List<String> names = new ArrayList<>();
        StringBuilder name = new StringBuilder();
        boolean isQuoted = false;
        boolean wasQuoted = false;
        for (int index = 0; index <= text.length(); index++) {
            char character = index < text.length() ? text.charAt(index) : ',';
            if (character == '"') {
                if (isQuoted && index + 1 < text.length() && text.charAt(index + 1) == '"') {
                    name.append('"');
                    index++;
                } else {
                    isQuoted = !isQuoted;
                    wasQuoted = true;
                }
            } else if (character == ',' && !isQuoted) {
                String part =
                        wasQuoted ? name.toString() : name.toString().strip().toLowerCase(Locale.ROOT);
                if (!part.isEmpty()) {
                    names.add(part);
                }
                name.setLength(0);
                wasQuoted = false;
            } else if (isQuoted || !Character.isWhitespace(character)) {
                name.append(character);
            }
        }
        return names;
    }
}
