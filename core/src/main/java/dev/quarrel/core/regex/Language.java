package dev.quarrel.core.regex;

import java.util.List;

/// A set of texts that an expression, or a part of one, can match: what is left of it once greed and groups are gone.
sealed interface Language {
    Language EMPTY = new Sequence(List.of());

    /// One character out of a set.
    record Chars(CharSet set) implements Language {}

    record Sequence(List<Language> parts) implements Language {}

    record Choice(List<Language> parts) implements Language {}

    /// @param most [RegexParser#ENDLESS] for any number
    record Repeat(Language part, int least, int most) implements Language {}

    /// A place between two characters.
    record At(Place place) implements Language {}

    /// A place before (`isAhead`) or behind which a text of `part` stands, or does not.
    record Look(Language part, boolean isAhead, boolean isNegative) implements Language {}

    /// A condition on the characters around a place.
    enum Place {
        TEXT_START,
        TEXT_END,
        LINE_START,
        LINE_END,
        WORD_START,
        WORD_END,
        WORD_EDGE,
        NO_WORD_EDGE
    }

    /// The same without its conditions on places, as a reference to a part has it.
    default Language unconditional() {
        return switch (this) {
            case Chars _ -> this;
            case Sequence(List<Language> parts) ->
                new Sequence(parts.stream().map(Language::unconditional).toList());
            case Choice(List<Language> parts) ->
                new Choice(parts.stream().map(Language::unconditional).toList());
            case Repeat(Language part, int least, int most) -> new Repeat(part.unconditional(), least, most);
            case At _, Look _ -> EMPTY;
        };
    }

    /// How many instructions its automaton has; never less than 1.
    default long size() {
        long size =
                switch (this) {
                    case Chars _, At _ -> 1;
                    case Look(Language part, boolean _, boolean _) -> 1 + part.size();
                    case Sequence(List<Language> parts) ->
                        parts.stream().mapToLong(Language::size).sum();
                    case Choice(List<Language> parts) ->
                        parts.stream().mapToLong(part -> part.size() + 2).sum();
                    case Repeat(Language part, int least, int most) -> {
                        boolean isEndless = most == RegexParser.ENDLESS;
                        long copies = isEndless ? Math.max(least, 1) : most;
                        yield copies * part.size() + (isEndless ? 2 : most - least);
                    }
                };
        return Math.max(1, Math.min(size, Integer.MAX_VALUE));
    }

    static Language sequence(List<Language> parts) {
        return parts.size() == 1 ? parts.getFirst() : new Sequence(List.copyOf(parts));
    }

    static Language repeat(Language part, int least, int most) {
        return least == 1 && most == 1 ? part : new Repeat(part, least, most);
    }
}
