package dev.quarrel.core.regex;

import dev.quarrel.core.collate.PatternPreface;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A compiled regular expression: finds the matches that PostgreSQL finds, and what their groups have matched.
///
/// Without references to groups, a search takes time in proportion to the text for each place where a match could
/// begin; with them it may try every way to take a text apart, and looks now and then whether the query is still
/// wanted.
///
/// - Errors: 2201B for a malformed expression, and for one that would be too large.
/// - Threads: one uses it.
/// - Source: PostgreSQL's `regex/regexec.c` (find, cfind).
public final class Regex {
    private final Part tree;
    private final int groupCount;
    private final Automaton search;
    private final Automaton whole;
    private final boolean isAnchored; // a match begins where the text does
    private final Dissection dissection;
    private final Subject subject = new Subject();
    /// Where the next search begins: an index of a byte.
    private int next;

    private Regex(RegexParser.Parsed parsed, RegexOptions options) {
        tree = parsed.tree();
        groupCount = parsed.groupCount();
        List<Part> parts = new ArrayList<>();
        number(tree, parts);
        List<Language> languages = parts.stream().map(part -> part.language).toList();
        Alphabet alphabet = new Alphabet(
                languages,
                languages.stream().anyMatch(Regex::hasPlaces),
                options.characters().word());
        search = new Automaton(tree.language, alphabet, true);
        whole = new Automaton(tree.language, alphabet, false);
        isAnchored = isAnchored(tree.language);
        dissection = new Dissection(parts.size(), groupCount, alphabet, options.ignoreCase());
    }

    /// @param pattern with a [PatternPreface] or without
    ///
    /// - Errors: 2201B; 0A000 for a reference to a group that may have another case than ASCII's.
    public static Regex of(byte[] pattern, RegexOptions options) {
        try {
            String whole = new String(pattern, StandardCharsets.UTF_8);
            String spec = PatternPreface.spec(whole);
            String written = PatternPreface.written(whole);
            RegexOptions collated = spec == null ? options : options.by(Characters.of(spec));
            RegexParser.Parsed parsed = RegexParser.parse(written, collated);
            boolean isBeyond = parsed.options().ignoreCase()
                    && !collated.characters().isAscii()
                    && parsed.tree().hasReference();
            if (isBeyond) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: a reference to a group that ignores case, by a collation other than \"C\"");
            }
            return new Regex(parsed, parsed.options());
        } catch (StackOverflowError _) {
            throw RegexErrors.tooComplex();
        }
    }

    private static void number(Part part, List<Part> parts) {
        part.number = parts.size();
        parts.add(part);
        part.children.forEach(child -> number(child, parts));
    }

    private static boolean hasPlaces(Language language) {
        return switch (language) {
            case Language.At _ -> true;
            case Language.Chars _ -> false;
            case Language.Sequence(List<Language> parts) -> parts.stream().anyMatch(Regex::hasPlaces);
            case Language.Choice(List<Language> parts) -> parts.stream().anyMatch(Regex::hasPlaces);
            case Language.Repeat(Language part, int _, int _) -> hasPlaces(part);
            case Language.Look(Language part, boolean _, boolean _) -> hasPlaces(part);
        };
    }

    private static boolean isAnchored(Language language) {
        return switch (language) {
            case Language.At(Language.Place place) -> place == Language.Place.TEXT_START;
            case Language.Chars _, Language.Look _ -> false;
            case Language.Sequence(List<Language> parts) -> {
                for (Language part : parts) {
                    if (isAnchored(part)) {
                        yield true;
                    }
                    if (!(part instanceof Language.At) && !(part instanceof Language.Look)) {
                        break; // it may have taken characters
                    }
                }
                yield false;
            }
            case Language.Choice(List<Language> parts) ->
                !parts.isEmpty() && parts.stream().allMatch(Regex::isAnchored);
            case Language.Repeat(Language part, int least, int _) -> least > 0 && isAnchored(part);
        };
    }

    /// How many groups of the expression are remembered.
    public int groupCount() {
        return groupCount;
    }

    /// Takes the text that the next searches are in; its bytes are only read, and not copied. They begin at the text's
    /// beginning.
    public void open(byte[] bytes, int start, int length) {
        subject.set(bytes, start, length);
        next = start;
    }

    /// Lets the searches begin that many characters further; there is no match then where the text has less.
    public void skip(int characters) {
        int skipped = 0;
        while (skipped < characters && next < subject.end) {
            next = subject.next(next);
            skipped++;
        }
        next += skipped < characters ? 1 : 0;
    }

    /// Whether a part of the text matches.
    public boolean isFound() {
        return tree.hasReference()
                ? find(subject.start, false)
                : (isAnchored ? whole : search).shortest(subject, subject.start, subject.start, subject.end) >= 0;
    }

    /// Finds the next match. It is looked for behind the last one, and one character further where that was empty.
    ///
    /// - Errors: the query's reason to stop; 2201B for a match that is too intricate.
    /// - Source: PostgreSQL's `regexp.c` (setup_regexp_matches), `varlena.c` (replace_text_regexp).
    ///
    /// @param withGroups whether [#start] and [#end] will be asked for groups
    public boolean next(boolean withGroups) {
        if (next > subject.end || !find(next, withGroups)) {
            return false;
        }
        next = dissection.ends[0];
        if (next == dissection.starts[0]) {
            next = next == subject.end ? next + 1 : subject.next(next);
        }
        return true;
    }

    private boolean find(int from, boolean withGroups) {
        try {
            return tree.hasReference() ? findReferring(from) : findPlain(from, withGroups);
        } catch (StackOverflowError _) {
            throw RegexErrors.tooComplex();
        }
    }

    private boolean findPlain(int from, boolean withGroups) {
        int begin = from;
        int end;
        if (isAnchored) {
            end = from == subject.start ? end(from, from, subject.end) : -1;
            if (end < 0) {
                return false;
            }
        } else {
            int close = search.shortest(subject, from, from, subject.end);
            if (close < 0) {
                return false;
            }
            begin = search.lastIdle(subject, from, close);
            end = end(begin, begin, subject.end);
            while (end < 0) {
                begin = subject.next(begin);
                end = end(begin, begin, subject.end);
            }
        }
        if (withGroups && groupCount > 0) {
            require(dissection.dissect(subject, tree, begin, end));
        }
        return found(begin, end);
    }

    private boolean found(int begin, int end) {
        dissection.starts[0] = begin;
        dissection.ends[0] = end;
        return true;
    }

    /// The end of a match from `begin`, as the expression prefers it, between two places; -1 for none.
    private int end(int begin, int least, int most) {
        return tree.prefersLess() ? whole.shortest(subject, begin, least, most) : whole.longest(subject, begin, most);
    }

    private static void require(boolean isTakenApart) {
        if (!isTakenApart) {
            throw new IllegalStateException("a match of a regular expression cannot be taken apart");
        }
    }

    /// Tries the ends of each beginning until references hold.
    private boolean findReferring(int from) {
        int close = from;
        do {
            int open = close;
            close = search.shortest(subject, open, open, subject.end);
            if (close < 0) {
                return false;
            }
            for (int begin = search.lastIdle(subject, open, close);
                    begin <= close;
                    begin = begin < subject.end ? subject.next(begin) : begin + 1) {
                int end = end(begin, begin, subject.end);
                while (end >= 0) {
                    if (dissection.dissect(subject, tree, begin, end)) {
                        return found(begin, end);
                    }
                    if (tree.prefersLess()) {
                        end = end == subject.end ? -1 : end(begin, subject.next(end), subject.end);
                    } else {
                        end = end == begin ? -1 : end(begin, begin, subject.previous(end));
                    }
                }
            }
            close = close < subject.end ? subject.next(close) : close + 1;
            // PostgreSQL begins no match at the very end of the text here, unless it began its search there.
        } while (close < subject.end);
        return false;
    }

    /// Where the last match of a group begins, 0 for the whole: an index of a byte; -1 for a group that matched
    /// nothing.
    public int start(int group) {
        return dissection.starts[group];
    }

    /// Where it ends.
    public int end(int group) {
        return dissection.ends[group];
    }
}
