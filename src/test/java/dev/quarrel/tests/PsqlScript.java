package dev.quarrel.tests;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// A script for psql, read statement by statement as psql reads it.
///
/// Variables (`:x`, `:'x'`, `:"x"`), `\set`, `\if` groups and `\quit` are followed; commands that show something are
/// left out. A statement is read when it is asked for, since those before it may set variables or take lines as data.
final class PsqlScript {
    /// What follows a statement: a semicolon, or a command that runs it.
    enum End {
        SEMICOLON,
        GSET,
        GEXEC,
        /// With parameters, in a pipeline, or only described.
        OTHER
    }

    /// @param line 1-based, of the first word
    /// @param prefix of the variables that `\gset` sets
    record Read(int line, String sql, End end, String prefix) {}

    private static final Set<String> RUNNING = Set.of("g", "gx", "crosstabview", "watch");
    private static final Set<String> TRUE = Set.of("t", "true", "on", "1", "yes", "y");

    private final String text;
    private final Map<String, String> variables;
    private final StringBuilder pending = new StringBuilder();

    // One entry an \if that is open: whether its current branch is read, and whether one was.
    private final Deque<Branch> branches = new ArrayDeque<>();
    private int at;
    private int start;
    private boolean isBound;
    private boolean isEnded;
    private int parentheses;
    private int atomicDepth;
    private final List<String> firstWords = new ArrayList<>();

    private record Branch(boolean isRead, boolean wasRead) {}

    PsqlScript(String text, Map<String, String> variables) {
        this.text = text;
        this.variables = variables;
    }

    /// The next statement, or null.
    Read next() {
        clear();
        while (at < text.length() && !isEnded) {
            Read read = step();
            if (read != null) {
                return read;
            }
        }
        String rest = pending.toString().strip();
        clear();
        return rest.isEmpty() ? null : new Read(lineOf(start), rest, End.SEMICOLON, "");
    }

    /// The lines up to `\.`, which COPY reads.
    String data() {
        int line = text.indexOf('\n', at) + 1;
        int end = line;
        while (end < text.length()) {
            int next = text.indexOf('\n', end);
            next = next < 0 ? text.length() : next;
            if (text.substring(end, next).stripTrailing().equals("\\.")) {
                at = Math.min(next + 1, text.length());
                return text.substring(line, end);
            }
            end = next + 1;
        }
        at = text.length();
        return text.substring(Math.min(line, text.length()));
    }

    private Read step() {
        char here = text.charAt(at);
        if (here == '\\') {
            return command();
        }
        boolean isRead = isReading();
        int skipped = SqlWords.endOfQuoted(text, at);
        if (skipped > at) {
            boolean isComment = text.startsWith("--", at) || text.startsWith("/*", at);
            if (isRead && !(isComment && pending.isEmpty())) {
                append(text.substring(at, skipped));
            }
            at = skipped;
            return null;
        }
        if (SqlWords.isNameStart(here)) {
            int end = SqlWords.endOfName(text, at);
            if (isRead) {
                countWord(text.substring(at, end).toLowerCase(Locale.ROOT));
                append(text.substring(at, end));
            }
            at = end;
            return null;
        }
        if (isRead && here == ':' && substitute()) {
            return null;
        }
        if (here == ':' && text.startsWith("::", at)) {
            if (isRead) {
                append("::");
            }
            at += 2;
            return null;
        }
        if (isRead && here == ';' && parentheses == 0 && atomicDepth == 0) {
            at++;
            return taken(End.SEMICOLON, "");
        }
        if (isRead) {
            parentheses = Math.max(0, parentheses + (here == '(' ? 1 : here == ')' ? -1 : 0));
            if (!pending.isEmpty() || !Character.isWhitespace(here)) {
                append(String.valueOf(here));
            }
        }
        at++;
        return null;
    }

    private Read taken(End end, String prefix) {
        Read read = new Read(lineOf(start), pending.toString().strip(), isBound ? End.OTHER : end, prefix);
        clear();
        return read.sql().isEmpty() ? null : read;
    }

    private void clear() {
        pending.setLength(0);
        firstWords.clear();
        parentheses = 0;
        atomicDepth = 0;
        isBound = false;
    }

    private void append(String part) {
        if (pending.isEmpty()) {
            start = at;
        }
        pending.append(part);
    }

    private int lineOf(int index) {
        return 1
                + (int) text.substring(0, index)
                        .chars()
                        .filter(each -> each == '\n')
                        .count();
    }

    /// The body of a function in SQL has semicolons of its own, from BEGIN ATOMIC to its END.
    private void countWord(String word) {
        if (parentheses > 0) {
            return;
        }
        if (firstWords.size() < 4) {
            firstWords.add(word);
        }
        boolean makesRoutine = firstWords.getFirst().equals("create")
                && (firstWords.contains("function") || firstWords.contains("procedure"));
        if (makesRoutine && (word.equals("begin") || word.equals("case") && atomicDepth > 0)) {
            atomicDepth++;
        } else if (word.equals("end") && atomicDepth > 0) {
            atomicDepth--;
        }
    }

    private boolean substitute() {
        int name = at + 1;
        char quote = name < text.length() ? text.charAt(name) : ' ';
        boolean isQuoted = quote == '\'' || quote == '"';
        int from = isQuoted ? name + 1 : name;
        int end = from;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        String value = variables.get(text.substring(from, end));
        if (value == null || isQuoted && (end >= text.length() || text.charAt(end) != quote)) {
            return false;
        }
        append(isQuoted ? quote + value.replace(String.valueOf(quote), "" + quote + quote) + quote : value);
        at = isQuoted ? end + 1 : end;
        return true;
    }

    private boolean isReading() {
        return branches.stream().allMatch(Branch::isRead);
    }

    private Read command() {
        if (text.startsWith("\\;", at)) {
            at += 2;
            return isReading() ? taken(End.SEMICOLON, "") : null;
        }
        if (text.startsWith("\\\\", at)) {
            at += 2;
            return null;
        }
        int end = at + 1;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        String name = text.substring(at + 1, Math.max(end, at + 1));
        List<String> arguments = arguments(Math.max(end, at + 1));
        String first = arguments.isEmpty() ? "" : arguments.getFirst();
        if (branch(name, first) || !isReading()) {
            return null;
        }
        switch (name) {
            case "quit", "q" -> isEnded = true;
            case "r", "reset" -> clear();
            case "set" -> {
                if (!first.isEmpty()) {
                    variables.put(first, String.join("", arguments.subList(1, arguments.size())));
                }
            }
            case "unset" -> variables.remove(first);
            case "getenv" -> {
                if (arguments.size() > 1 && variables.containsKey("env " + arguments.get(1))) {
                    variables.put(first, variables.get("env " + arguments.get(1)));
                }
            }
            case "bind", "bind_named", "parse", "close_prepared" -> isBound = true;
            case "gset" -> {
                return taken(End.GSET, first);
            }
            case "gexec" -> {
                return taken(End.GEXEC, "");
            }
            case "sendpipeline", "gdesc" -> {
                return taken(End.OTHER, "");
            }
            default -> {
                if (RUNNING.contains(name)) {
                    return taken(End.SEMICOLON, "");
                }
            }
        }
        return null;
    }

    private boolean branch(String name, String condition) {
        switch (name) {
            case "if" -> {
                boolean holds = TRUE.contains(condition.toLowerCase(Locale.ROOT));
                branches.push(new Branch(holds, holds));
            }
            case "elif" -> {
                Branch before = branches.isEmpty() ? new Branch(false, true) : branches.pop();
                boolean holds = !before.wasRead() && TRUE.contains(condition.toLowerCase(Locale.ROOT));
                branches.push(new Branch(holds, before.wasRead() || holds));
            }
            case "else" -> {
                Branch before = branches.isEmpty() ? new Branch(false, true) : branches.pop();
                branches.push(new Branch(!before.wasRead(), true));
            }
            case "endif" -> branches.poll();
            default -> {
                return false;
            }
        }
        return true;
    }

    /// The words behind a command, up to the end of the line or `\\`.
    private List<String> arguments(int from) {
        List<String> arguments = new ArrayList<>();
        StringBuilder word = null;
        at = from;
        while (at < text.length() && text.charAt(at) != '\n') {
            char here = text.charAt(at);
            if (here == '\\') {
                break;
            }
            if (Character.isWhitespace(here)) {
                if (word != null) {
                    arguments.add(word.toString());
                }
                word = null;
                at++;
                continue;
            }
            word = word == null ? new StringBuilder() : word;
            if (here == ':') {
                StringBuilder kept = new StringBuilder(pending);
                int keptStart = start;
                pending.setLength(0);
                if (!substitute()) {
                    pending.append(here);
                    at++;
                }
                word.append(pending);
                pending.setLength(0);
                pending.append(kept);
                start = keptStart;
            } else if (here == '\'') {
                int end = SqlWords.endOfQuoted(text, at);
                word.append(text.substring(at + 1, end - 1).replace("''", "'"));
                at = end;
            } else {
                word.append(here);
                at++;
            }
        }
        if (word != null) {
            arguments.add(word.toString());
        }
        return arguments;
    }
}
