package dev.quarrel.core.regex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// The instructions of a nondeterministic automaton: each takes a character, asks for a condition, or goes on
/// elsewhere.
final class Instructions {
    enum Code {
        /// Goes on if the next character is in the set number `one`.
        TAKE,
        /// Goes on at `one`, and at `other` unless that is -1.
        GO,
        /// Goes on if the place is as `one`, the ordinal of a [Language.Place], says.
        AT,
        /// Goes on if the look number `one` says so.
        LOOK,
        MATCH
    }

    private Code[] codes = new Code[16];
    private int[] ones = new int[16];
    private int[] others = new int[16];
    private int count;
    private final List<BitSet> sets = new ArrayList<>();
    private final List<Language.Look> looks = new ArrayList<>();
    private final Alphabet alphabet;

    Instructions(Language language, Alphabet alphabet) {
        this.alphabet = alphabet;
        append(language);
        add(Code.MATCH, 0, -1);
    }

    int count() {
        return count;
    }

    Code code(int at) {
        return codes[at];
    }

    int one(int at) {
        return ones[at];
    }

    int other(int at) {
        return others[at];
    }

    boolean takes(int at, int characterClass) {
        return sets.get(ones[at]).get(characterClass);
    }

    List<Language.Look> looks() {
        return looks;
    }

    private int add(Code code, int one, int other) {
        if (count == codes.length) {
            codes = Arrays.copyOf(codes, 2 * count);
            ones = Arrays.copyOf(ones, 2 * count);
            others = Arrays.copyOf(others, 2 * count);
        }
        codes[count] = code;
        ones[count] = one;
        others[count] = other;
        return count++;
    }

    private void append(Language language) {
        switch (language) {
            case Language.Chars(CharSet set) -> {
                BitSet members = alphabet.members(set);
                int known = sets.indexOf(members);
                if (known < 0) {
                    known = sets.size();
                    sets.add(members);
                }
                add(Code.TAKE, known, -1);
            }
            case Language.At(Language.Place place) -> add(Code.AT, place.ordinal(), -1);
            case Language.Look look -> {
                add(Code.LOOK, looks.size(), -1);
                looks.add(look);
            }
            case Language.Sequence(List<Language> parts) -> parts.forEach(this::append);
            case Language.Choice(List<Language> parts) -> appendChoice(parts);
            case Language.Repeat(Language part, int least, int most) -> appendRepeat(part, least, most);
        }
    }

    private void appendChoice(List<Language> parts) {
        List<Integer> ends = new ArrayList<>();
        for (int index = 0; index < parts.size(); index++) {
            boolean isLast = index == parts.size() - 1;
            int split = isLast ? -1 : add(Code.GO, count + 1, -1);
            append(parts.get(index));
            if (!isLast) {
                ends.add(add(Code.GO, -1, -1));
                others[split] = count;
            }
        }
        ends.forEach(end -> ones[end] = count);
    }

    private void appendRepeat(Language part, int least, int most) {
        for (int copy = 0; copy < least - (most == RegexParser.ENDLESS ? 1 : 0); copy++) {
            append(part);
        }
        if (most == RegexParser.ENDLESS) {
            // At least one more, or none: what follows is reached before the part, or behind it.
            int skip = least == 0 ? add(Code.GO, count + 1, -1) : -1;
            int loop = count;
            append(part);
            add(Code.GO, loop, count + 1);
            others[count - 1] = count;
            if (skip >= 0) {
                others[skip] = count;
            }
            return;
        }
        List<Integer> skips = new ArrayList<>();
        for (int copy = least; copy < most; copy++) {
            skips.add(add(Code.GO, count + 1, -1));
            append(part);
        }
        skips.forEach(skip -> others[skip] = count);
    }
}
