package dev.quarrel.core.regex;

import java.util.List;

/// A part of an expression, in the tree by which a match is taken apart: what it matches, how much of it it prefers,
/// and which group remembers it.
///
/// Parts without groups and references, and with one preference, are leaves.
///
/// - Source: PostgreSQL's `regex/regguts.h` (subre) and `regcomp.c`.
final class Part {
    enum Kind {
        LEAF,
        /// The first child, then the second.
        PAIR,
        CHOICE,
        /// The child, from `least` to `most` times.
        REPEAT,
        /// The child, which is a group itself.
        GROUP,
        /// What group `reference` has matched, from `least` to `most` times.
        REFERENCE
    }

    static final int LONGER = 1;
    static final int SHORTER = 2;
    /// Parts below prefer differently.
    static final int MIXED = 4;
    static final int HAS_GROUP = 8;
    static final int HAS_REFERENCE = 16;
    static final int ANY_PREFERENCE = LONGER | SHORTER | MIXED;

    final Kind kind;
    final List<Part> children;
    final Language language;
    int flags;
    int group;
    int reference;
    int least = 1;
    int most = 1;
    /// Where its automaton is among those of the expression.
    int number;

    Part(Kind kind, int flags, Language language, Part... children) {
        this.kind = kind;
        this.flags = flags;
        this.language = language;
        this.children = List.of(children);
    }

    Part times(int newLeast, int newMost) {
        least = newLeast;
        most = newMost;
        return this;
    }

    boolean prefersLess() {
        return (flags & SHORTER) != 0;
    }

    boolean hasReference() {
        return (flags & HAS_REFERENCE) != 0;
    }

    static int preference(int flags) {
        return flags & (LONGER | SHORTER);
    }

    /// The flags of a part that goes for what holds it too.
    static int upwards(int flags) {
        int clash = (flags & LONGER) != 0 && (flags & SHORTER) != 0 ? MIXED : 0;
        return flags & (MIXED | HAS_GROUP | HAS_REFERENCE) | clash;
    }

    static boolean isIntricate(int flags) {
        return (flags & (MIXED | HAS_GROUP | HAS_REFERENCE)) != 0;
    }

    static int combined(int one, int other) {
        return upwards(one | other) | (preference(one) != 0 ? preference(one) : preference(other));
    }
}
