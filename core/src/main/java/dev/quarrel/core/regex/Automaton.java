package dev.quarrel.core.regex;

import dev.quarrel.core.regex.Alphabet.Around;
import dev.quarrel.core.regex.Language.Place;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Tells which texts of a language begin, or end, at a place: a deterministic automaton, made state by state as texts
/// ask for it, and forgotten where it becomes too large.
///
/// - Threads: one uses it.
/// - Source: the construction of subsets; PostgreSQL's `regex/rege_dfa.c` for what is asked of it.
final class Automaton {
    /// Instructions of all states together: 4 MiB.
    private static final int MAX_KEPT = 1 << 20;
    /// Each is a bit of what is known of a place.
    private static final int MAX_LOOKS = 31;

    private static final int[] START = {0};
    private static final int UNKNOWN = -1;
    private static final int FIRST_STATES = 8;

    private final Instructions code;
    private final Alphabet alphabet;
    /// Whether a text may begin anywhere behind the place where the automaton starts.
    private final boolean isSearch;
    private final Automaton[] looks;
    private final int endClass;

    // What follows a state without looks, by its number and the class: the number of the next state plus one, 0 where
    // nothing can follow, times two, and one where a text of the language ends before the character. A step is one look
    // into it, since each waits for the one before.
    private int[] steps;
    private final Map<Key, State> known = new HashMap<>();
    private final List<State> states = new ArrayList<>(); // the same, by number
    private final State[] starts = new State[Around.values().length]; // of the same, by what stands before
    private int kept;
    private int generation; // how often all were forgotten

    private final boolean[] seen;
    private final int[] stack;
    private final int[] reached;
    private int reachedCount;

    /// Where the last look behind stopped, and in which text.
    private State lookState;
    private int lookAt;
    private int lookVersion = -1;

    Automaton(Language language, Alphabet alphabet, boolean isSearch) {
        this.code = new Instructions(language, alphabet);
        this.alphabet = alphabet;
        this.isSearch = isSearch;
        this.endClass = alphabet.count();
        this.steps = new int[FIRST_STATES * (endClass + 1)];
        Arrays.fill(steps, UNKNOWN);
        if (code.looks().size() > MAX_LOOKS) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: more than " + MAX_LOOKS + " look-arounds in a regular expression");
        }
        this.looks = code.looks().stream()
                .map(look -> new Automaton(look.part(), alphabet, !look.isAhead()))
                .toArray(Automaton[]::new);
        this.seen = new boolean[code.count()];
        this.stack = new int[2 * code.count() + 1];
        this.reached = new int[code.count() + 1];
    }

    /// The instructions that wait at a place, and what stands before it.
    private record Key(int[] waiting, Around before) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key(int[] theirs, Around place)
                    && before == place
                    && Arrays.equals(waiting, theirs);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(waiting) + before.ordinal();
        }
    }

    private static final class State {
        private final Key key;
        /// The looks that steps from here ask for.
        private final int looks;
        private final int number;
        private final int generation;
        /// By what the looks say, and the class.
        private final Map<Long, Integer> looking;

        State(Key key, int looks, int number, int generation) {
            this.key = key;
            this.looks = looks;
            this.number = number;
            this.generation = generation;
            this.looking = looks == 0 ? null : new HashMap<>();
        }

        /// Whether nothing had been read before that a text could begin with.
        boolean isIdle() {
            return key.waiting.length == 1;
        }
    }

    private State state(int[] waiting, Around before) {
        Key key = new Key(waiting, before);
        State there = known.get(key);
        if (there != null) {
            return there;
        }
        if (kept > MAX_KEPT) {
            known.clear();
            states.clear();
            Arrays.fill(starts, null);
            Arrays.fill(steps, UNKNOWN);
            kept = 0;
            generation++;
        }
        int classes = endClass + 1;
        State state = new State(key, looks.length == 0 ? 0 : looksFrom(waiting), states.size(), generation);
        known.put(key, state);
        states.add(state);
        if (states.size() * classes > steps.length) {
            int old = steps.length;
            steps = Arrays.copyOf(steps, 2 * states.size() * classes);
            Arrays.fill(steps, old, steps.length, UNKNOWN);
        }
        kept += waiting.length + classes + 15;
        return state;
    }

    private State start(Subject subject, int at) {
        Around before = at == subject.start
                ? Around.NOTHING
                : alphabet.kind(alphabet.classOf(subject.character(subject.previous(at))));
        State start = starts[before.ordinal()];
        if (start == null) {
            start = state(START, before);
            starts[before.ordinal()] = start;
        }
        return start;
    }

    /// The looks that can be reached without a character.
    private int looksFrom(int[] waiting) {
        int found = 0;
        int depth = push(waiting);
        while (depth > 0) {
            int at = stack[--depth];
            switch (code.code(at)) {
                case GO -> depth = pushTargets(at, depth);
                case AT -> depth = push(at + 1, depth);
                case LOOK -> {
                    found |= 1 << code.one(at);
                    depth = push(at + 1, depth);
                }
                case TAKE, MATCH -> {}
            }
        }
        return found;
    }

    private int push(int[] waiting) {
        Arrays.fill(seen, false);
        int depth = 0;
        for (int at : waiting) {
            depth = push(at, depth);
        }
        return depth;
    }

    private int push(int at, int depth) {
        if (seen[at]) {
            return depth;
        }
        seen[at] = true;
        stack[depth] = at;
        return depth + 1;
    }

    private int pushTargets(int at, int depth) {
        int one = push(code.one(at), depth);
        return code.other(at) < 0 ? one : push(code.other(at), one);
    }

    /// As an entry of `steps`.
    private int step(State state, int characterClass, int answers) {
        Around behind = characterClass == endClass ? Around.NOTHING : alphabet.kind(characterClass);
        boolean isMatch = false;
        reachedCount = 0;
        int depth = push(state.key.waiting);
        while (depth > 0) {
            int at = stack[--depth];
            switch (code.code(at)) {
                case GO -> depth = pushTargets(at, depth);
                case AT -> depth = holds(code.one(at), state.key.before, behind) ? push(at + 1, depth) : depth;
                case LOOK -> depth = (answers >> code.one(at) & 1) != 0 ? push(at + 1, depth) : depth;
                case MATCH -> isMatch = true;
                case TAKE -> {
                    if (characterClass != endClass && code.takes(at, characterClass)) {
                        reached[reachedCount++] = at + 1;
                    }
                }
            }
        }
        int match = isMatch ? 1 : 0;
        if (characterClass == endClass || reachedCount == 0 && !isSearch) {
            return match;
        }
        if (isSearch) {
            reached[reachedCount++] = START[0];
        }
        int[] waiting = Arrays.copyOf(reached, reachedCount);
        Arrays.sort(waiting);
        return state(waiting, behind).number + 1 << 1 | match;
    }

    private static final Place[] PLACES = Place.values();

    private static boolean holds(int place, Around before, Around behind) {
        return switch (PLACES[place]) {
            case TEXT_START -> before == Around.NOTHING;
            case TEXT_END -> behind == Around.NOTHING;
            case LINE_START -> before == Around.NOTHING || before == Around.NEWLINE;
            case LINE_END -> behind == Around.NOTHING || behind == Around.NEWLINE;
            case WORD_START -> before != Around.WORD && behind == Around.WORD;
            case WORD_END -> before == Around.WORD && behind != Around.WORD;
            case WORD_EDGE -> (before == Around.WORD) != (behind == Around.WORD);
            case NO_WORD_EDGE -> (before == Around.WORD) == (behind == Around.WORD);
        };
    }

    private int classAt(Subject subject, int at) {
        return at < subject.end ? alphabet.classOf(subject.character(at)) : endClass;
    }

    /// What follows a state where `steps` does not say it yet, or cannot.
    private int stepAt(int number, Subject subject, int at, int characterClass) {
        State state = states.get(number);
        if (state.looks == 0) {
            int step = step(state, characterClass, 0);
            if (state.generation == generation) {
                steps[number * (endClass + 1) + characterClass] = step;
            }
            subject.worked(code.count());
            return step;
        }
        int answers = 0;
        for (int look = 0; look < looks.length; look++) {
            if ((state.looks >> look & 1) != 0 && looks(look, subject, at)) {
                answers |= 1 << look;
            }
        }
        long key = (long) answers << 32 | characterClass;
        Integer seen = state.looking.get(key);
        if (seen != null) {
            return seen;
        }
        int step = step(state, characterClass, answers);
        if (state.generation == generation) {
            state.looking.put(key, step);
        }
        subject.worked(code.count());
        return step;
    }

    private int stepAt(int number, Subject subject, int at) {
        int characterClass = classAt(subject, at);
        int step = steps[number * (endClass + 1) + characterClass];
        return step == UNKNOWN ? stepAt(number, subject, at, characterClass) : step;
    }

    private boolean looks(int number, Subject subject, int at) {
        Language.Look look = code.looks().get(number);
        boolean isThere = look.isAhead()
                ? looks[number].shortest(subject, at, at, subject.end) >= 0
                : looks[number].endsAt(subject, at);
        return isThere != look.isNegative();
    }

    /// Whether a text that begins anywhere ends at `at`; the automaton searches. What it has read of the text before is
    /// not read again.
    private boolean endsAt(Subject subject, int at) {
        if (lookVersion != subject.version || lookAt > at) {
            lookVersion = subject.version;
            lookAt = subject.start;
            lookState = start(subject, subject.start);
        }
        int from = lookAt;
        while (lookAt < at) {
            lookState = states.get((stepAt(current(lookState), subject, lookAt) >> 1) - 1);
            lookAt = subject.next(lookAt);
        }
        subject.worked(at - from);
        return (stepAt(current(lookState), subject, at) & 1) != 0;
    }

    /// The number of a state that may have been forgotten meanwhile.
    private int current(State state) {
        return state.generation == generation ? state.number : state(state.key.waiting, state.key.before).number;
    }

    /// The last place up to `to` where a text that begins at `from` ends; -1 for none.
    int longest(Subject subject, int from, int to) {
        int state = start(subject, from).number;
        int found = -1;
        int at = from;
        while (true) {
            int step = stepAt(state, subject, at);
            if ((step & 1) != 0) {
                found = at;
            }
            state = (step >> 1) - 1;
            if (at >= to || state < 0) {
                break;
            }
            at = subject.next(at);
        }
        subject.worked(at - from + 1);
        return found;
    }

    /// The first place from `least` to `to` where a text that begins at `from` ends; -1 for none. An automaton that
    /// searches takes texts that begin behind `from` too.
    int shortest(Subject subject, int from, int least, int to) {
        int state = start(subject, from).number;
        int found = -1;
        int at = from;
        while (true) {
            int step = stepAt(state, subject, at);
            if ((step & 1) != 0 && at >= least) {
                found = at;
                break;
            }
            state = (step >> 1) - 1;
            if (at >= to || state < 0) {
                break;
            }
            at = subject.next(at);
        }
        subject.worked(at - from + 1);
        return found;
    }

    /// The last place up to `end` before which nothing had been read that a text could begin with; the automaton
    /// searches, from `from`.
    int lastIdle(Subject subject, int from, int end) {
        int state = start(subject, from).number;
        int idle = from;
        for (int at = from; at < end; at = subject.next(at)) {
            if (states.get(state).isIdle()) {
                idle = at;
            }
            state = (stepAt(state, subject, at) >> 1) - 1;
        }
        subject.worked(end - from + 1);
        return states.get(state).isIdle() ? end : idle;
    }
}
