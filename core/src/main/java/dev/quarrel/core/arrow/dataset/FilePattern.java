package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A pattern of files' paths below a folder, as PG-Strom's Arrow_Fdw has it: in a name, `*` stands for any characters,
/// `?` for one, `${key}` for the text of a key and `@{key}` for a number's digits; `**` between slashes stands for
/// folders in any depth.
///
/// A key takes as few characters as the rest of the pattern lets it.
final class FilePattern {
    private static final Pattern KEY = Pattern.compile("([$@])\\{([^{}/]*)\\}");
    private static final Pattern KEY_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final String ANY_FOLDERS = "**";

    private final String text;
    private final List<Pattern> steps; // null for any folders
    private final Pattern whole;
    private final SequencedMap<String, Boolean> keys = new LinkedHashMap<>();
    private final List<String> groups = new ArrayList<>(); // the keys of the whole pattern's groups

    /// - Errors: `QueryException` 22023 for a pattern that makes no sense.
    FilePattern(String text) {
        this.text = text;
        this.steps = new ArrayList<>();
        StringBuilder all = new StringBuilder();
        String[] parts = text.split("/", -1);
        for (int index = 0; index < parts.length; index++) {
            String part = parts[index];
            boolean isLast = index == parts.length - 1;
            if (part.isEmpty() || part.equals("..") || part.equals(".")) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "\"" + text + "\" is no pattern of files below a folder");
            }
            if (part.equals(ANY_FOLDERS)) {
                steps.add(null);
                all.append(isLast ? ".*" : "(?:[^/]+/)*");
                continue;
            }
            steps.add(Pattern.compile(step(part, null)));
            all.append(step(part, groups)).append(isLast ? "" : "/");
        }
        this.whole = Pattern.compile(all.toString());
    }

    /// Whether a path has anything of a pattern in it.
    static boolean isIn(String path) {
        return path.indexOf('*') >= 0
                || path.indexOf('?') >= 0
                || KEY.matcher(path).find();
    }

    /// @param names where the groups of keys are named; null where none is wanted
    private String step(String part, List<String> names) {
        StringBuilder regex = new StringBuilder();
        Matcher key = KEY.matcher(part);
        int index = 0;
        while (index < part.length()) {
            char character = part.charAt(index);
            if ((character == '$' || character == '@') && key.find(index) && key.start() == index) {
                boolean isNumber = character == '@';
                String name = key.group(2);
                if (!KEY_NAME.matcher(name).matches()) {
                    throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "\"" + name + "\" in pattern \"" + text + "\" is no name of a key");
                }
                if (names != null) {
                    if (keys.put(name, isNumber) != null) {
                        throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "key \"" + name + "\" is twice in pattern \"" + text + "\"");
                    }
                    names.add(name);
                }
                String values = isNumber ? "[0-9]{1,18}?" : "[^/]+?";
                regex.append(names == null ? values : "(" + values + ")");
                index = key.end();
                continue;
            }
            switch (character) {
                case '*' -> regex.append("[^/]*");
                case '?' -> regex.append("[^/]");
                default -> regex.append(Pattern.quote(String.valueOf(character)));
            }
            index++;
        }
        return regex.toString();
    }

    /// Its keys in their order, and whether each is a number.
    SequencedMap<String, Boolean> keys() {
        return keys;
    }

    /// The values of the keys in a path below the folder, with `/`; null for a path that the pattern does not have.
    Map<String, String> match(String path) {
        Matcher matcher = whole.matcher(path);
        if (!matcher.matches()) {
            return null;
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int group = 0; group < groups.size(); group++) {
            values.put(groups.get(group), matcher.group(group + 1));
        }
        return values;
    }

    /// Whether files of the pattern may lie below such a folder.
    ///
    /// @param folders the names that lead to it
    boolean mayHold(List<String> folders) {
        for (int depth = 0; depth < folders.size(); depth++) {
            if (depth >= steps.size() - 1 && steps.get(Math.min(depth, steps.size() - 1)) != null) {
                return false;
            }
            Pattern step = steps.get(depth);
            if (step == null) {
                return true;
            }
            if (!step.matcher(folders.get(depth)).matches()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return text;
    }
}
