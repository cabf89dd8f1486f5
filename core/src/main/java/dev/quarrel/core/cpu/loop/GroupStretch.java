package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.cpu.loop.LoopCompiler.Fold;
import dev.quarrel.core.cpu.loop.LoopCompiler.Update;
import dev.quarrel.core.cpu.loop.PackedGroups.Run;
import java.util.Arrays;

/// States of the groups whose key lies in a stretch of some thousand values, for rows that come clustered by their key:
/// the stretch moves with them, and what it leaves behind is packed.
///
/// A tile may span several stretches, at a cost; when it costs more than a hash table would, the stretch says so.
final class GroupStretch {
    /// What a row may cost, in places looked at: about what a hash table takes.
    private static final long ROW_CREDIT = 16;

    private static final long FIRST_CREDIT = 1 << 17;
    private static final long MAX_CREDIT = 1 << 22;
    /// What moving costs beside.
    private static final long MOVE_COST = 128;

    private final FusedGroups groups;
    private final PackedGroups packed;
    private final long[] states;
    private final int places;
    private final int words;
    private final boolean hasExtremes;
    private final Update[] updates;
    private final int[] at;
    private final int[] stretchRows;
    private long base; // the first place's key
    private int low; // of the places that rows have come to
    private int high = -1;
    private long credit = FIRST_CREDIT;
    // What `measure` found.
    private long least;
    private long greatest;

    GroupStretch(FusedGroups groups, long[] states, int tileRows, PackedGroups packed) {
        this.groups = groups;
        this.packed = packed;
        this.states = states;
        this.places = groups.places();
        this.words = groups.words();
        this.updates = groups.updates().toArray(Update[]::new);
        this.hasExtremes =
                Arrays.stream(updates).anyMatch(update -> update.fold().initial() != 0);
        this.at = new int[places];
        this.stretchRows = new int[tileRows];
        clear(0, places - 1);
    }

    /// Adds a tile's rows; false, with none of them added, where others should take them and all that follow.
    ///
    /// @param rows the rows' places in the tile
    boolean add(GroupLoop loop, int[] rows, int count, LoopInput input) {
        credit = Math.min(MAX_CREDIT, credit + ROW_CREDIT * count);
        Object keys = input.columns[groups.window().column()];
        measure(keys, 0, count);
        if (isNarrow()) {
            if (!holds()) {
                credit -= high - low + 1 + MOVE_COST;
                if (credit < 0 || !packed.ensure(room(count))) {
                    return false;
                }
                moveTo();
            }
            run(loop, rows, count, input);
            return true;
        }
        if (!affords(keys, count) || !packed.ensure(room(count))) {
            return false;
        }
        for (int first = 0; first < count; ) {
            int end = stretchEnd(keys, first, count);
            if (!holds()) {
                moveTo();
            }
            moveToStart(rows, input, first, end - first);
            run(loop, stretchRows, end - first, input);
            first = end;
        }
        return true;
    }

    /// Room for what the window holds and the tile's rows; and for all that may come into the window until it moves.
    private int room(int count) {
        return 2 * places + count;
    }

    /// Moves a stretch's rows to the start of the loop's columns: stretches are taken in order.
    private void moveToStart(int[] rows, LoopInput input, int first, int count) {
        System.arraycopy(rows, first, stretchRows, 0, count);
        for (Object column : input.columns) {
            if (column != null) {
                System.arraycopy(column, first, column, 0, count);
            }
        }
    }

    private void run(GroupLoop loop, int[] rows, int count, LoopInput input) {
        touch((int) (least - base), (int) (greatest - base));
        input.scalars[groups.window().baseScalar()] = base;
        loop.add(rows, count, input.columns, input.arrays, input.scalars, states);
    }

    private void touch(int first, int last) {
        if (high < low) {
            low = first;
            high = last;
        } else {
            low = Math.min(low, first);
            high = Math.max(high, last);
        }
    }

    /// Whether the tile's stretches cost no more than is allowed.
    private boolean affords(Object keys, int count) {
        long cost = high - low + 1;
        for (int first = 0; first < count && cost <= credit; ) {
            first = stretchEnd(keys, first, count);
            cost += greatest - least + 1 + MOVE_COST;
        }
        credit -= cost;
        return credit >= 0;
    }

    /// Whether least and greatest key fit one stretch.
    private boolean isNarrow() {
        return Long.compareUnsigned(greatest - least, places) < 0;
    }

    private boolean holds() {
        // Not by the distance alone: the least value of all is next to the greatest by that.
        return high >= low && least >= base && Long.compareUnsigned(greatest - base, places) < 0;
    }

    private void measure(Object keys, int first, int end) {
        if (keys instanceof int[] ints) {
            int min = ints[first];
            int max = min;
            for (int index = first + 1; index < end; index++) {
                min = Math.min(min, ints[index]);
                max = Math.max(max, ints[index]);
            }
            least = min;
            greatest = max;
            return;
        }
        long[] longs = (long[]) keys;
        long min = longs[first];
        long max = min;
        for (int index = first + 1; index < end; index++) {
            min = Math.min(min, longs[index]);
            max = Math.max(max, longs[index]);
        }
        least = min;
        greatest = max;
    }

    /// Where the longest stretch of rows from `first` on ends; measures it.
    private int stretchEnd(Object keys, int first, int end) {
        int[] ints = keys instanceof int[] values ? values : null;
        long[] longs = ints == null ? (long[]) keys : null;
        least = ints != null ? ints[first] : longs[first];
        greatest = least;
        for (int index = first + 1; index < end; index++) {
            long key = ints != null ? ints[index] : longs[index];
            long min = Math.min(least, key);
            long max = Math.max(greatest, key);
            if (Long.compareUnsigned(max - min, places) >= 0) {
                return index;
            }
            least = min;
            greatest = max;
        }
        return end;
    }

    /// Moves so that the measured keys have places. Those left behind are packed; others keep their states.
    private void moveTo() {
        int slack = (int) Math.min(places / 8, places - 1 - (greatest - least)); // keys that come a little late
        boolean isDown = high >= low && least < base + low;
        long to;
        if (isDown) {
            long end = greatest > Long.MAX_VALUE - slack ? greatest : greatest + slack;
            to = end < Long.MIN_VALUE + places ? Long.MIN_VALUE : end - places + 1;
        } else {
            to = least < Long.MIN_VALUE + slack ? Long.MIN_VALUE : least - slack;
        }
        moveTo(to);
    }

    private void moveTo(long to) {
        long shift = to > base ? to - base : base - to;
        if (high < low || Long.compareUnsigned(shift, places) >= 0) {
            pack();
        } else if (to > base) {
            int up = (int) shift;
            pack(low, Math.min(high, up - 1));
            slide(Math.max(low, up), high, -up);
        } else {
            int down = (int) shift;
            pack(Math.max(low, places - down), high);
            slide(low, Math.min(high, places - down - 1), down);
        }
        base = to;
    }

    /// Moves the states of places [first, last] and clears all others.
    private void slide(int first, int last, int by) {
        if (first > last) {
            clear(low, high);
            low = 0;
            high = -1;
            return;
        }
        System.arraycopy(states, first * words, states, (first + by) * words, (last - first + 1) * words);
        clear(low, Math.min(high, first + by - 1));
        clear(Math.max(low, last + by + 1), high);
        low = first + by;
        high = last + by;
    }

    private void clear(int first, int last) {
        if (first > last) {
            return;
        }
        Arrays.fill(states, first * words, (last + 1) * words, 0);
        if (hasExtremes) {
            for (Update update : updates) {
                long initial = update.fold().initial();
                for (int place = first; initial != 0 && place <= last; place++) {
                    states[place * words + update.at()] = initial;
                }
            }
        }
    }

    /// Packs all groups; the window is empty then. There is room for as many as places that rows have come to.
    void pack() {
        pack(low, high);
        clear(low, high);
        low = 0;
        high = -1;
    }

    private void pack(int first, int last) {
        int count = 0;
        for (int start = first * words, end = (last + 1) * words; start < end; start += words) {
            at[count] = start;
            count += states[start] != 0 ? 1 : 0;
        }
        packed.add(base, states, at, count);
    }

    // ---- merging

    /// Gives an empty window another stretch.
    void start(long newBase) {
        base = newBase;
    }

    /// Adds rows [from, to) of a run, whose keys have places.
    void add(Run run, int from, int to) {
        if (from >= to) {
            return;
        }
        touch((int) (run.key(from) - base), (int) (run.key(to - 1) - base));
        for (int row = from; row < to; row++) {
            int start = (int) (run.key(row) - base) * words;
            states[start] += run.word(row, 0);
            for (Update update : updates) {
                long more = run.word(row, update.at());
                long high = update.fold() == Fold.WIDE_SUM ? run.word(row, update.at() + 1) : 0;
                update.merge(states, start, more, high);
            }
        }
    }
}
