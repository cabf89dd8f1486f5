package dev.quarrel.core.cpu.text;

import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;

/// How large the program of a regular expression will be, told before it is made: bounds within bounds multiply, so a
/// dozen characters can ask for more than any memory.
///
/// Sizes are in the compiler's instructions: one a character or class, one a choice; of a part that is repeated, as
/// many copies as it may match.
///
/// - Errors: 2201B as soon as the size or the depth is beyond its bound.
final class RegexSize {
    static final int MAX_INSTRUCTIONS = 100_000;
    /// Groups within groups, each of which takes some of the thread's stack.
    private static final int MAX_DEPTH = 1000;

    /// A group that is not closed yet.
    private static final class Group {
        private long before; // all but the last part
        private long last; // the part that a quantifier would repeat
    }

    private final List<Group> open = new ArrayList<>(List.of(new Group()));

    /// A character, a class, or an anchor follows.
    void part() {
        follow(1);
    }

    void openGroup() {
        if (open.size() > MAX_DEPTH) {
            throw tooComplex();
        }
        open.add(new Group());
    }

    /// One that was not opened is left to the compiler to refuse.
    void closeGroup() {
        if (open.size() > 1) {
            Group closed = open.removeLast();
            follow(Math.max(1, closed.before + closed.last));
        }
    }

    void alternative() {
        follow(1);
        follow(0);
    }

    /// A quantifier of the last part: `*`, `+` or `?`.
    void choice() {
        Group group = open.getLast();
        group.last++;
        check(group);
    }

    /// A bound of the last part.
    ///
    /// @param most as many as `least` where there is no end
    void repeat(int least, int most) {
        Group group = open.getLast();
        group.last = group.last * Math.max(most, 1) + (most - least) + 1;
        check(group);
    }

    private void follow(long size) {
        Group group = open.getLast();
        group.before += group.last;
        group.last = size;
        check(group);
    }

    private static void check(Group group) {
        if (group.before + group.last > MAX_INSTRUCTIONS) {
            throw tooComplex();
        }
    }

    static QueryException tooComplex() {
        return RegexMatcher.invalid("regular expression is too complex", null);
    }
}
