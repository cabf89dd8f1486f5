package dev.quarrel.core.regex;

import static dev.quarrel.core.regex.RegexErrors.invalid;

import dev.quarrel.core.regex.Language.Place;
import dev.quarrel.core.regex.RegexLexer.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads a regular expression into the tree of its parts.
///
/// How the tree is cut decides which of several matches is the one: it follows PostgreSQL's step by step.
///
/// - Errors: 2201B for a malformed expression, or one that is too large.
/// - Source: PostgreSQL's `regex/regcomp.c` (parse, parsebranch, parseqatom).
final class RegexParser {
    static final int ENDLESS = 256;
    private static final int MAX_BOUND = 255;
    /// Groups within groups, each of which takes some of the thread's stack.
    private static final int MAX_DEPTH = 1000;
    static final int MAX_INSTRUCTIONS = 100_000;

    private final RegexLexer lexer;
    private final RegexOptions options;
    /// By number; one whose end is not there yet is missing.
    private final Map<Integer, Part> groups = new HashMap<>();
    private int groupCount;
    private int depth;
    private int lookDepth;

    private RegexParser(RegexLexer lexer) {
        this.lexer = lexer;
        this.options = lexer.options();
    }

    /// @param groupCount how many groups are remembered
    /// @param options as the expression itself may have changed them
    record Parsed(Part tree, int groupCount, RegexOptions options) {}

    static Parsed parse(String source, RegexOptions options) {
        if (options.isLiteral()
                && (options.isExpanded() || options.newlineEndsDot() || options.newlineSplitsAnchors())) {
            throw invalid(RegexErrors.BAD_ARGUMENT);
        }
        RegexParser parser = new RegexParser(new RegexLexer(source, options));
        Part tree = parser.choice(Type.END);
        return new Parsed(tree, parser.groupCount, parser.options);
    }

    private Part choice(Type stopper) {
        List<Part> branches = new ArrayList<>();
        int flags = Part.LONGER;
        do {
            Part branch = branch(stopper);
            flags |= Part.upwards(flags | branch.flags);
            branches.add(branch);
        } while (lexer.takes(Type.OR));
        if (!lexer.sees(stopper)) {
            throw invalid(RegexErrors.BAD_PARENTHESES);
        }
        if (branches.size() == 1) {
            return branches.getFirst();
        }
        Language language = checked(
                new Language.Choice(branches.stream().map(part -> part.language).toList()));
        return Part.isIntricate(flags)
                ? new Part(Part.Kind.CHOICE, flags, language, branches.toArray(Part[]::new))
                : new Part(Part.Kind.LEAF, flags, language);
    }

    private boolean isBranchOver(Type stopper) {
        return lexer.sees(Type.OR) || lexer.sees(stopper) || lexer.sees(Type.END);
    }

    /// What has been read of a branch, as long as it is plain.
    private static final class Prefix {
        private final List<Language> parts = new ArrayList<>();
        private int flags;

        Part part() {
            return new Part(Part.Kind.LEAF, flags, Language.sequence(parts));
        }
    }

    private Part branch(Type stopper) {
        Prefix prefix = new Prefix();
        long size = 0;
        while (!isBranchOver(stopper)) {
            Part whole = atom(stopper, prefix);
            if (whole != null) {
                return whole;
            }
            size += prefix.parts.getLast().size();
            if (size > MAX_INSTRUCTIONS) {
                throw RegexErrors.tooComplex();
            }
        }
        return prefix.part();
    }

    private static Language checked(Language language) {
        if (language.size() > MAX_INSTRUCTIONS) {
            throw RegexErrors.tooComplex();
        }
        return language;
    }

    /// An atom and its quantifier, behind what is there of the branch.
    ///
    /// @return null if they went into the prefix; otherwise the whole branch, read to its end
    private Part atom(Type stopper, Prefix prefix) {
        Language constraint = constraint();
        if (constraint != null) {
            prefix.parts.add(constraint);
            return null;
        }
        Type type = lexer.type();
        boolean isGroup = type == Type.OPEN && lexer.value() == 1 && lookDepth == 0;
        Part atom =
                switch (type) {
                    case OPEN -> group(isGroup);
                    case REFERENCE -> reference();
                    default -> new Part(Part.Kind.LEAF, 0, characters(type));
                };
        Quantifier quantifier = quantifier();
        int least = quantifier.least;
        int most = quantifier.most;
        int preference = quantifier.preference;
        if (least == 0 && most == 0) {
            prefix.parts.add(Language.EMPTY);
            return null;
        }
        int flags = prefix.flags | preference | atom.flags;
        if (!isGroup && type != Type.REFERENCE && !Part.isIntricate(Part.upwards(flags))) {
            prefix.parts.add(checked(Language.repeat(atom.language, least, most)));
            prefix.flags = flags;
            return null;
        }
        return rest(stopper, prefix, quantified(atom, type, quantifier), Part.combined(preference, atom.flags));
    }

    private static Part quantified(Part atom, Type type, Quantifier quantifier) {
        int least = quantifier.least;
        int most = quantifier.most;
        int preference = quantifier.preference;
        int flags = Part.combined(preference, atom.flags);
        Language language = checked(Language.repeat(atom.language, least, most));
        if (type == Type.REFERENCE) {
            Part reference = new Part(Part.Kind.REFERENCE, atom.flags | flags, language).times(least, most);
            reference.reference = atom.reference;
            return reference;
        }
        int own = atom.flags & Part.ANY_PREFERENCE;
        if (least == 1 && most == 1 && (preference == 0 || own == 0 || preference == own)) {
            return atom;
        }
        if ((atom.flags & (Part.HAS_GROUP | Part.HAS_REFERENCE)) == 0) {
            return new Part(Part.Kind.LEAF, flags, language);
        }
        if (least > 0 && !atom.hasReference()) {
            // Groups remember what the last round matched: those before need no taking apart.
            Part before = new Part(
                    Part.Kind.LEAF,
                    Part.preference(flags),
                    new Language.Repeat(atom.language, least - 1, most == ENDLESS ? most : most - 1));
            return new Part(Part.Kind.PAIR, flags, language, before, atom);
        }
        return new Part(Part.Kind.REPEAT, flags, language, atom).times(least, most);
    }

    /// The branch whose `item` has been read, behind `prefix`.
    ///
    /// @param itemFlags what the pair of the item and the rest begins with
    private Part rest(Type stopper, Prefix prefix, Part item, int itemFlags) {
        boolean isFirst = prefix.parts.isEmpty();
        Part before = prefix.part();
        if (isBranchOver(stopper)) {
            return isFirst ? item : pair(before.flags | Part.combined(before.flags, item.flags), before, item);
        }
        Part rest = branch(stopper);
        int flags = itemFlags | Part.combined(itemFlags, rest.flags);
        int wholeFlags = before.flags | Part.combined(before.flags, flags);
        if (isFirst) {
            return pair(wholeFlags, item, rest);
        }
        boolean isPlain = item.kind == Part.Kind.LEAF
                && rest.kind == Part.Kind.LEAF
                && !Part.isIntricate(Part.upwards(item.flags | rest.flags));
        Part behind = isPlain
                ? new Part(
                        Part.Kind.LEAF,
                        Part.combined(item.flags, rest.flags),
                        checked(new Language.Sequence(List.of(item.language, rest.language))))
                : pair(flags, item, rest);
        return pair(wholeFlags, before, behind);
    }

    private static Part pair(int flags, Part one, Part other) {
        return new Part(
                Part.Kind.PAIR,
                flags,
                checked(new Language.Sequence(List.of(one.language, other.language))),
                one,
                other);
    }

    /// A condition on a place; null where none begins.
    private Language constraint() {
        Place place =
                switch (lexer.type()) {
                    case CARET -> options.newlineSplitsAnchors() ? Place.LINE_START : Place.TEXT_START;
                    case DOLLAR -> options.newlineSplitsAnchors() ? Place.LINE_END : Place.TEXT_END;
                    case TEXT_START -> Place.TEXT_START;
                    case TEXT_END -> Place.TEXT_END;
                    case WORD_START -> Place.WORD_START;
                    case WORD_END -> Place.WORD_END;
                    case WORD_EDGE -> Place.WORD_EDGE;
                    case NO_WORD_EDGE -> Place.NO_WORD_EDGE;
                    default -> null;
                };
        if (place != null) {
            lexer.advance();
            return new Language.At(place);
        }
        Type type = lexer.type();
        boolean isAhead = type == Type.AHEAD || type == Type.NOT_AHEAD;
        if (!isAhead && type != Type.BEHIND && type != Type.NOT_BEHIND) {
            return null;
        }
        lexer.advance();
        lookDepth++;
        Part part = nested();
        lookDepth--;
        return new Language.Look(part.language, isAhead, type == Type.NOT_AHEAD || type == Type.NOT_BEHIND);
    }

    /// What stands in parentheses, to behind them.
    private Part nested() {
        if (++depth > MAX_DEPTH) {
            throw RegexErrors.tooComplex();
        }
        Part part = choice(Type.CLOSE);
        lexer.advance();
        depth--;
        return part;
    }

    private Part group(boolean isGroup) {
        int number = isGroup ? lexer.newGroup() : 0;
        lexer.advance();
        Part part = nested();
        if (!isGroup) {
            return part;
        }
        groupCount = Math.max(groupCount, number);
        if (part.group == 0) {
            part.flags |= Part.HAS_GROUP;
        } else {
            part = new Part(Part.Kind.GROUP, part.flags | Part.HAS_GROUP, part.language, part);
        }
        part.group = number;
        groups.put(number, part);
        return part;
    }

    private Part reference() {
        Part group = lookDepth > 0 ? null : groups.get(lexer.value());
        if (group == null) {
            throw invalid(RegexErrors.BAD_REFERENCE);
        }
        lexer.advance();
        Part part = new Part(Part.Kind.REFERENCE, Part.HAS_REFERENCE, group.language.unconditional());
        part.reference = group.group;
        return part;
    }

    private record Quantifier(int least, int most, int preference) {}

    private Quantifier quantifier() {
        int preference = lexer.value() != 0 ? Part.LONGER : Part.SHORTER;
        switch (lexer.type()) {
            case STAR -> {
                lexer.advance();
                return new Quantifier(0, ENDLESS, preference);
            }
            case PLUS -> {
                lexer.advance();
                return new Quantifier(1, ENDLESS, preference);
            }
            case OPTION -> {
                lexer.advance();
                return new Quantifier(0, 1, preference);
            }
            case OPEN_BOUND -> {
                lexer.advance();
                return bound();
            }
            default -> {
                return new Quantifier(1, 1, 0);
            }
        }
    }

    private Quantifier bound() {
        int least = number();
        int most = least;
        int preference = 0;
        if (lexer.takes(Type.COMMA)) {
            most = lexer.sees(Type.DIGIT) ? number() : ENDLESS;
            if (least > most) {
                throw invalid(RegexErrors.BAD_COUNT);
            }
            preference = lexer.value() != 0 ? Part.LONGER : Part.SHORTER;
        }
        if (!lexer.takes(Type.CLOSE_BOUND)) {
            throw invalid(RegexErrors.BAD_COUNT);
        }
        return new Quantifier(least, most, preference);
    }

    private int number() {
        int number = 0;
        while (lexer.sees(Type.DIGIT) && number < MAX_BOUND) {
            number = number * 10 + lexer.value();
            lexer.advance();
        }
        if (lexer.sees(Type.DIGIT) || number > MAX_BOUND) {
            throw invalid(RegexErrors.BAD_COUNT);
        }
        return number;
    }

    /// One character: as written, any, or one out of a set.
    private Language characters(Type type) {
        CharSet set =
                switch (type) {
                    case PLAIN -> options.characters().of(lexer.value(), options.ignoreCase());
                    case CLOSE -> {
                        if (options.isAdvanced() || !options.isExtended()) {
                            throw invalid(RegexErrors.BAD_PARENTHESES);
                        }
                        yield CharSet.of(')', ')');
                    }
                    case DOT -> options.newlineEndsDot() ? CharSet.NEWLINE.complement() : CharSet.ALL;
                    case ESCAPED_CLASS -> Brackets.escaped(lexer.value(), options);
                    case OPEN_BRACKET -> Brackets.read(lexer, options);
                    default -> throw invalid(RegexErrors.BAD_QUANTIFIER);
                };
        lexer.advance();
        return new Language.Chars(set);
    }
}
