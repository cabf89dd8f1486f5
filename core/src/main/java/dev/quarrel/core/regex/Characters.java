package dev.quarrel.core.regex;

import dev.quarrel.core.collate.CharacterKinds;
import dev.quarrel.core.collate.CharacterKinds.Kind;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/// The classes of characters that an expression may name, and the other case of its letters: by ASCII, or by a
/// collation.
///
/// - Source: PostgreSQL's `regc_pg_locale.c`, `regc_locale.c` (allcases, range).
final class Characters {
    static final Characters ASCII = new Characters(null);
    /// As many characters of a range have their other case looked up, as in PostgreSQL.
    private static final int MAX_CASED = 100_000;

    private static final Map<CharacterKinds, Characters> KNOWN = new ConcurrentHashMap<>();

    private final CharacterKinds kinds; // null for ASCII's
    private final Map<Kind, CharSet> sets = new EnumMap<>(Kind.class); // guarded by this

    private Characters(CharacterKinds kinds) {
        this.kinds = kinds;
    }

    /// @param spec of a collation, as `Collation.spec` has it
    static Characters of(String spec) {
        return KNOWN.computeIfAbsent(CharacterKinds.of(spec), Characters::new);
    }

    boolean isAscii() {
        return kinds == null;
    }

    CharSet digits() {
        return kinds == null ? CharSet.DIGITS : set(Kind.DIGIT);
    }

    CharSet spaces() {
        return kinds == null ? CharSet.SPACES : set(Kind.SPACE);
    }

    CharSet word() {
        return kinds == null ? CharSet.WORD : set(Kind.ALNUM).with(CharSet.of('_', '_'));
    }

    CharSet alpha() {
        return kinds == null ? CharSet.LETTERS : set(Kind.ALPHA);
    }

    CharSet alnum() {
        return kinds == null ? CharSet.DIGITS.with(CharSet.LETTERS) : set(Kind.ALNUM);
    }

    CharSet upper() {
        return kinds == null ? CharSet.of('A', 'Z') : set(Kind.UPPER);
    }

    CharSet lower() {
        return kinds == null ? CharSet.of('a', 'z') : set(Kind.LOWER);
    }

    CharSet graph() {
        return kinds == null ? CharSet.of('!', '~') : set(Kind.GRAPH);
    }

    CharSet print() {
        return kinds == null ? CharSet.of(' ', '~') : set(Kind.PRINT);
    }

    CharSet punct() {
        return kinds == null ? graph().without(alnum()) : set(Kind.PUNCT);
    }

    private synchronized CharSet set(Kind kind) {
        return sets.computeIfAbsent(kind, _ -> where(character -> kinds.is(kind, character)));
    }

    private static CharSet where(IntPredicate isIn) {
        int[] ranges = new int[64];
        int size = 0;
        boolean inside = false;
        for (int character = 0; character <= Character.MAX_CODE_POINT + 1; character++) {
            boolean next = character <= Character.MAX_CODE_POINT && isIn.test(character);
            if (next != inside) {
                if (size == ranges.length) {
                    ranges = java.util.Arrays.copyOf(ranges, 2 * size);
                }
                ranges[size++] = next ? character : character - 1;
                inside = next;
            }
        }
        return new CharSet(java.util.Arrays.copyOf(ranges, size));
    }

    /// One character; with its other case too where `ignoreCase`.
    CharSet of(int character, boolean ignoreCase) {
        CharSet set = CharSet.of(character, character);
        return ignoreCase ? withOtherCase(set) : set;
    }

    CharSet withOtherCase(CharSet set) {
        if (kinds == null) {
            return set.withOtherCase();
        }
        CharSet all = set;
        int left = MAX_CASED;
        int[] ranges = set.ranges();
        for (int index = 0; index < ranges.length; index += 2) {
            int last = Math.min(ranges[index + 1], Character.MAX_CODE_POINT);
            for (int character = ranges[index]; character <= last && left > 0; character++, left--) {
                for (int other : new int[] {kinds.upper(character), kinds.lower(character)}) {
                    if (!all.contains(other)) {
                        all = all.with(CharSet.of(other, other));
                    }
                }
            }
        }
        return all;
    }
}
