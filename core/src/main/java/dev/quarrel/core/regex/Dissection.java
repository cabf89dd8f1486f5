package dev.quarrel.core.regex;

import java.util.Arrays;

/// Takes a match apart: finds which piece of it each part of the expression has matched, in the order of preference,
/// and whether references hold.
///
/// - Source: PostgreSQL's `regex/regexec.c` (cdissect and what it calls).
final class Dissection {
    private final Automaton[] automata;
    private final Alphabet alphabet;
    private final boolean ignoreCase;
    private Subject subject;
    /// By group; -1 for one that has matched nothing. Group 0 is the whole.
    final int[] starts;
    final int[] ends;

    Dissection(int partCount, int groupCount, Alphabet alphabet, boolean ignoreCase) {
        this.automata = new Automaton[partCount];
        this.alphabet = alphabet;
        this.ignoreCase = ignoreCase;
        this.starts = new int[groupCount + 1];
        this.ends = new int[groupCount + 1];
    }

    /// Takes the match from `begin` to `end` apart.
    ///
    /// @return false if references do not hold, however it is taken apart
    boolean dissect(Subject newSubject, Part tree, int begin, int end) {
        subject = newSubject;
        Arrays.fill(starts, -1);
        Arrays.fill(ends, -1);
        return part(tree, begin, end);
    }

    private Automaton automaton(Part part) {
        if (automata[part.number] == null) {
            automata[part.number] = new Automaton(part.language, alphabet, false);
        }
        return automata[part.number];
    }

    private int longest(Part part, int from, int to) {
        return part.kind == Part.Kind.REFERENCE && starts[part.reference] >= 0
                ? referred(part, from, from, to, false)
                : automaton(part).longest(subject, from, to);
    }

    private int shortest(Part part, int from, int least, int to) {
        return part.kind == Part.Kind.REFERENCE && starts[part.reference] >= 0
                ? referred(part, from, least, to, true)
                : automaton(part).shortest(subject, from, least, to);
    }

    private boolean matches(Part part, int from, int to) {
        return longest(part, from, to) == to;
    }

    private void forget(Part part) {
        if (part.group > 0) {
            starts[part.group] = -1;
            ends[part.group] = -1;
        }
        part.children.forEach(this::forget);
    }

    private boolean part(Part part, int begin, int end) {
        subject.worked(1);
        boolean isMatch =
                switch (part.kind) {
                    case LEAF -> true;
                    case PAIR ->
                        part.children.getFirst().prefersLess()
                                ? pairFromShortest(part, begin, end)
                                : pairFromLongest(part, begin, end);
                    case CHOICE -> choice(part, begin, end);
                    case REPEAT ->
                        part.children.getFirst().prefersLess()
                                ? new Rounds(part, begin, end).fromShortest()
                                : new Rounds(part, begin, end).fromLongest();
                    case GROUP -> part(part.children.getFirst(), begin, end);
                    case REFERENCE -> reference(part, begin, end);
                };
        if (isMatch && part.group > 0) {
            starts[part.group] = begin;
            ends[part.group] = end;
        }
        return isMatch;
    }

    private boolean pairFromLongest(Part pair, int begin, int end) {
        Part left = pair.children.get(0);
        Part right = pair.children.get(1);
        int middle = longest(left, begin, end);
        while (middle >= 0) {
            if (isPair(left, right, begin, middle, end)) {
                return true;
            }
            middle = middle == begin ? -1 : longest(left, begin, subject.previous(middle));
        }
        return false;
    }

    private boolean pairFromShortest(Part pair, int begin, int end) {
        Part left = pair.children.get(0);
        Part right = pair.children.get(1);
        int middle = shortest(left, begin, begin, end);
        while (middle >= 0) {
            if (isPair(left, right, begin, middle, end)) {
                return true;
            }
            middle = middle == end ? -1 : shortest(left, begin, subject.next(middle), end);
        }
        return false;
    }

    private boolean isPair(Part left, Part right, int begin, int middle, int end) {
        if (!matches(right, middle, end) || !part(left, begin, middle)) {
            return false;
        }
        if (part(right, middle, end)) {
            return true;
        }
        forget(left);
        return false;
    }

    private boolean choice(Part choice, int begin, int end) {
        for (Part branch : choice.children) {
            if (matches(branch, begin, end) && part(branch, begin, end)) {
                return true;
            }
        }
        return false;
    }

    private boolean same(int one, int other, int length) {
        for (int index = 0; index < length; index++) {
            byte left = subject.bytes[one + index];
            byte right = subject.bytes[other + index];
            // Case is ASCII's: bytes of other characters have none.
            if (left != right && !(ignoreCase && lower(left) == lower(right))) {
                return false;
            }
        }
        return true;
    }

    private static int lower(byte character) {
        return character >= 'A' && character <= 'Z' ? character + 32 : character;
    }

    /// Where the repetitions of what a group has matched end: the last such place up to `to`, or the first from `least`
    /// on.
    private int referred(Part part, int from, int least, int to, boolean isShortest) {
        int length = ends[part.reference] - starts[part.reference];
        if (length == 0) {
            return least == from && part.least <= part.most ? from : -1;
        }
        int fewest = Math.max(part.least, least <= from ? 0 : (least - from - 1) / length + 1);
        int most = (to - from) / length;
        if (part.most != RegexParser.ENDLESS) {
            most = Math.min(most, part.most);
        }
        if (most < fewest) {
            return -1;
        }
        int count = 0;
        int at = from;
        while (count < most && !(isShortest && count >= fewest) && same(starts[part.reference], at, length)) {
            at += length;
            count++;
        }
        subject.worked(at - from + 1);
        return count >= fewest ? at : -1;
    }

    private boolean reference(Part part, int begin, int end) {
        if (starts[part.reference] < 0) {
            return false;
        }
        int length = ends[part.reference] - starts[part.reference];
        if (length == 0) {
            return begin == end && part.least <= part.most;
        }
        if (begin == end) {
            return part.least == 0;
        }
        int count = (end - begin) / length;
        return (end - begin) % length == 0
                && count >= part.least
                && (part.most == RegexParser.ENDLESS || count <= part.most)
                && referred(part, begin, end, end, false) == end;
    }

    /// The rounds of a repetition: places that cut its text into pieces, each of which the part matches.
    private final class Rounds {
        private final Part part;
        private final Part child;
        private final int begin;
        private final int end;
        private final int least;
        private final int most;
        /// Where each round ends; [0] is where the first begins.
        private int[] places = new int[8];
        /// Rounds that are known to hold.
        private int verified;

        Rounds(Part part, int begin, int end) {
            this.part = part;
            this.child = part.children.getFirst();
            this.begin = begin;
            this.end = end;
            // No rounds are considered last, so that groups remember something where they can.
            this.least = Math.max(part.least, 1);
            int bytes = end - begin;
            int limit = part.most == RegexParser.ENDLESS ? bytes : Math.min(bytes, part.most);
            this.most = Math.max(limit, least);
            places[0] = begin;
        }

        private void put(int round, int place) {
            if (round == places.length) {
                places = Arrays.copyOf(places, 2 * round);
            }
            places[round] = place;
            verified = Math.min(verified, round - 1);
        }

        /// Whether rounds of no characters may be needed from this one on, to have enough.
        private boolean isEmptyOf(int round, int place) {
            return round < least && least - round >= characters(place);
        }

        private int characters(int place) {
            int count = 0;
            for (int at = place; at < end && count <= least; at = subject.next(at)) {
                count++;
            }
            return count;
        }

        /// Takes the rounds apart.
        ///
        /// @return the round that does not hold, `count` + 1 for none
        private int verify(int count) {
            for (int round = verified + 1; round <= count; round++) {
                forget(child);
                if (!part(child, places[round - 1], places[round])) {
                    return round;
                }
                verified = round;
            }
            return count + 1;
        }

        boolean fromLongest() {
            int round = 1;
            int limit = end;
            while (round > 0) {
                int place = longest(child, places[round - 1], limit);
                if (place < 0) {
                    round--;
                } else {
                    put(round, place);
                    if (place != end) {
                        if (round >= most) {
                            round--;
                        } else if (place != places[round - 1] || isEmptyOf(round, place)) {
                            round++;
                            limit = end;
                            continue;
                        }
                    } else if (round >= least) {
                        int failed = verify(round);
                        if (failed > round) {
                            return true;
                        }
                        round = failed;
                    }
                }
                // A shorter piece for this round, or else for the one before.
                for (; round > 0; round--) {
                    int before = places[round - 1];
                    if (places[round] > before) {
                        limit = subject.previous(places[round]);
                        if (limit > before || isEmptyOf(round, before)) {
                            break;
                        }
                    }
                }
            }
            return part.least == 0 && begin == end;
        }

        boolean fromShortest() {
            if (part.least <= 0 && begin == end) {
                return true;
            }
            int round = 1;
            int limit = begin;
            while (round > 0) {
                if (limit == places[round - 1] && limit != end && !isEmptyOf(round, limit)) {
                    limit = subject.next(limit);
                }
                if (round >= most) {
                    limit = end;
                }
                int place = shortest(child, places[round - 1], limit, end);
                if (place < 0) {
                    round--;
                } else {
                    put(round, place);
                    if (place != end) {
                        if (round >= most) {
                            round--;
                        } else {
                            round++;
                            limit = places[round - 1];
                            continue;
                        }
                    } else if (round >= least) {
                        int failed = verify(round);
                        if (failed > round) {
                            return true;
                        }
                        round = failed;
                    }
                }
                // A longer piece for this round, or else for the one before.
                for (; round > 0; round--) {
                    if (places[round] < end) {
                        limit = subject.next(places[round]);
                        break;
                    }
                }
            }
            return false;
        }
    }
}
