package dev.quarrel.core.regex;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The characters as an expression tells them apart: classes of those that are in the same ones of its sets.
final class Alphabet {
    /// The kinds of characters that conditions on places ask for.
    enum Around {
        /// No character: the text ends here.
        NOTHING,
        NEWLINE,
        WORD,
        OTHER
    }

    /// First characters of the ranges; each reaches to the next one.
    private final int[] starts;
    private final int[] classes;
    private final int[] ascii = new int[128];
    private final Around[] kinds;
    private final Map<CharSet, BitSet> members = new HashMap<>();

    /// @param hasPlaces whether conditions on places look at characters
    /// @param word the characters of words
    Alphabet(List<Language> languages, boolean hasPlaces, CharSet word) {
        Set<CharSet> sets = new LinkedHashSet<>();
        languages.forEach(language -> collect(language, sets));
        if (hasPlaces) {
            sets.add(CharSet.NEWLINE);
            sets.add(word);
        }
        TreeSet<Integer> edges = new TreeSet<>(Set.of(0));
        for (CharSet set : sets) {
            for (int index = 0; index < set.ranges().length; index += 2) {
                edges.add(set.ranges()[index]);
                edges.add(set.ranges()[index + 1] + 1);
            }
        }
        starts = edges.stream().mapToInt(Integer::intValue).toArray();
        classes = new int[starts.length];
        int count = classify(new ArrayList<>(sets));
        kinds = new Around[count];
        for (int range = 0; range < starts.length; range++) {
            kinds[classes[range]] = !hasPlaces
                    ? Around.OTHER
                    : starts[range] == '\n'
                            ? Around.NEWLINE
                            : word.contains(starts[range]) ? Around.WORD : Around.OTHER;
        }
        for (int character = 0; character < ascii.length; character++) {
            ascii[character] = find(character);
        }
        for (CharSet set : sets) {
            BitSet within = new BitSet(count);
            for (int index = 0; index < set.ranges().length; index += 2) {
                for (int range = range(set.ranges()[index]);
                        range < starts.length && starts[range] <= set.ranges()[index + 1];
                        range++) {
                    within.set(classes[range]);
                }
            }
            members.put(set, within);
        }
    }

    private static void collect(Language language, Set<CharSet> sets) {
        switch (language) {
            case Language.Chars(CharSet set) -> sets.add(set);
            case Language.Sequence(List<Language> parts) -> parts.forEach(part -> collect(part, sets));
            case Language.Choice(List<Language> parts) -> parts.forEach(part -> collect(part, sets));
            case Language.Repeat(Language part, int _, int _) -> collect(part, sets);
            case Language.Look(Language part, boolean _, boolean _) -> collect(part, sets);
            case Language.At _ -> {}
        }
    }

    /// Splits the classes by one set after the other.
    private int classify(List<CharSet> sets) {
        int count = 1;
        for (CharSet set : sets) {
            Map<Integer, Integer> split = new HashMap<>();
            for (int index = 0; index < set.ranges().length; index += 2) {
                for (int range = range(set.ranges()[index]);
                        range < starts.length && starts[range] <= set.ranges()[index + 1];
                        range++) {
                    Integer with = split.get(classes[range]);
                    if (with == null) {
                        with = count++;
                        split.put(classes[range], with);
                    }
                    classes[range] = with;
                }
            }
        }
        return renumbered();
    }

    /// Splitting leaves gaps behind where a whole class moved.
    private int renumbered() {
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int range = 0; range < classes.length; range++) {
            int next = numbers.size();
            classes[range] = numbers.computeIfAbsent(classes[range], _ -> next);
        }
        return numbers.size();
    }

    private int range(int character) {
        int low = 0;
        int high = starts.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[middle] <= character) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private int find(int character) {
        return classes[range(character)];
    }

    int count() {
        return kinds.length;
    }

    int classOf(int character) {
        return character < 128 ? ascii[character] : find(character);
    }

    Around kind(int characterClass) {
        return kinds[characterClass];
    }

    /// The classes of a set's characters; it is one of the sets in the expression.
    BitSet members(CharSet set) {
        return members.get(set);
    }
}
