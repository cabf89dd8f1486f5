package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// The bars that a window's rows must reach to be among the first k of their partitions, of one worker: for each
/// partition the k least words ([OrderWords]) of the rows seen so far. A row whose word is greater than all of them
/// has k rows of the partition before it.
///
/// Where few rows are kept out (partitions of few rows; keys that begin alike), it is switched off.
final class PartitionBars implements AutoCloseable {
    /// With more rows wanted of a partition, they are found by sorting alone.
    static final int MOST_ROWS = 1 << 10;
    /// Where equal words count once, each is looked for among the others.
    static final int MOST_RANKS = 1 << 6;

    private static final int MANY_PARTITIONS = 1 << 20;
    private static final int FIRST_ROWS = 1 << 16;
    private static final int TRIAL_ROWS = 1 << 19;
    /// So many words are kept also while they keep out little, since there are rows to come.
    private static final int FEW_WORDS = 1 << 21;
    /// More words than these are for rows that have been seen.
    private static final int MANY_WORDS = 1 << 23;
    /// The part of what is seen that is to be kept out.
    private static final int LEAST_PART = 8;

    private final int most; // rows of a partition
    private final boolean countsOnce; // equal words
    private final boolean keepsPeers;
    private final int[] partition; // outputs
    private final OrderWords words;
    private final long memoryParts; // of what is left of the budget, of which this may have one
    private final Reservation reservation;
    private final KeyIndex index;
    private final KeyScratch scratch;
    private final Vector[] keys;
    private final int[] kept;
    private final Mask admitted;
    /// By partition, `most` words: a heap, the greatest first. Words that are still to come are the greatest of all.
    private long[] bars = new long[0];
    private long seen;
    private long out;
    private long nextLook = FIRST_ROWS;
    private long seenBefore; // the last look
    private long outBefore;
    private boolean isOff;

    /// null where so many rows are wanted that bars do not pay.
    ///
    /// @param threads that have such bars at the same time
    static PartitionBars of(Sink.Window window, List<DataType> types, int tileRows, int threads, MemoryBudget budget) {
        Sink.Window.First first = window.first();
        long limit = first.ties() == Sink.Window.Ties.COUNTED_ONCE ? MOST_RANKS : MOST_ROWS;
        return first.rows() < 1 || first.rows() > limit
                ? null
                : new PartitionBars(window, types, tileRows, threads, budget);
    }

    private PartitionBars(Sink.Window window, List<DataType> types, int tileRows, int threads, MemoryBudget budget) {
        this.most = (int) window.first().rows();
        this.countsOnce = window.first().ties() == Sink.Window.Ties.COUNTED_ONCE;
        this.keepsPeers = window.first().withPeers();
        this.partition = window.partition().stream().mapToInt(Integer::intValue).toArray();
        this.words = new OrderWords(window.order(), types, tileRows);
        this.memoryParts = 8L * threads;
        this.reservation = new Reservation(budget);
        long dense = budget.availableBytes() / memoryParts / Integer.BYTES;
        this.index = new KeyIndex(
                Arrays.stream(partition).mapToObj(types::get).toList(), reservation, Math.min(MANY_PARTITIONS, dense));
        this.scratch = new KeyScratch(partition.length, tileRows);
        this.keys = new Vector[partition.length];
        this.kept = new int[tileRows];
        this.admitted = new Mask(tileRows);
    }

    /// The rows of a tile that may be among the first.
    ///
    /// @param areLast whether none of the rows stands before one that was seen
    Mask admitted(TileOutputs outputs, Mask selected, boolean areLast) {
        if (isOff || selected.isEmpty() || !hasRoom()) {
            return selected;
        }
        for (int key = 0; key < keys.length; key++) {
            keys[key] = outputs.get(partition[key], selected);
        }
        index.assign(keys, selected, scratch);
        if (!growBars()) {
            return selected;
        }
        int count = selected.count();
        int next = admit(words.of(outputs, selected), selected, areLast && words.isExact() && !keepsPeers);
        seen += count;
        out += count - next;
        if (seen >= nextLook) {
            look();
        }
        if (next == count) {
            return selected;
        }
        admitted.setIndexes(kept, next, selected.rowCount());
        return admitted;
    }

    /// @param isStrict whether a row with the word of a bar comes behind it
    private int admit(long[] made, Mask selected, boolean isStrict) {
        int[] indexes = selected.indexes();
        int count = selected.count();
        int[] ids = scratch.ids;
        long[] heaps = bars;
        int next = 0;
        for (int place = 0; place < count; place++) {
            long word = made[place];
            int at = ids[place] * most;
            long bar = heaps[at];
            if (word > bar || word == bar && isStrict && word != Long.MAX_VALUE && word != Long.MIN_VALUE) {
                continue;
            }
            kept[next++] = indexes[place];
            if (word < bar && !(countsOnce && contains(heaps, at, word))) {
                replaceFirst(heaps, at, word);
            }
        }
        return next;
    }

    private boolean contains(long[] heaps, int from, long word) {
        for (int at = from; at < from + most; at++) {
            if (heaps[at] == word) {
                return true;
            }
        }
        return false;
    }

    private void replaceFirst(long[] heaps, int from, long word) {
        int at = 0;
        for (int child = 1; child < most; child = 2 * at + 1) {
            if (child + 1 < most && heaps[from + child + 1] > heaps[from + child]) {
                child++;
            }
            if (heaps[from + child] <= word) {
                break;
            }
            heaps[from + at] = heaps[from + child];
            at = child;
        }
        heaps[from + at] = word;
    }

    /// Whether a table may grow, on all threads at the same time; otherwise it is switched off.
    private boolean hasRoom() {
        if (reservation.bytes() * memoryParts / 4 > reservation.budget().availableBytes()) {
            close();
        }
        return !isOff;
    }

    private boolean growBars() {
        long wanted = (long) index.size() * most;
        if (wanted <= bars.length) {
            return true;
        }
        long length = Math.max(wanted, Math.min(2L * bars.length, Integer.MAX_VALUE / 2));
        boolean areUnfilled = wanted > MANY_WORDS && wanted / 2 > seen;
        if (areUnfilled
                || length > Integer.MAX_VALUE / 2
                || length * Long.BYTES * memoryParts / 4 > reservation.budget().availableBytes()) {
            close();
            return false;
        }
        reservation.grow(length * Long.BYTES);
        int old = bars.length;
        bars = Arrays.copyOf(bars, (int) length);
        Arrays.fill(bars, old, bars.length, Long.MAX_VALUE);
        reservation.shrink(old * (long) Long.BYTES);
        return true;
    }

    /// Looks whether this pays: at first by how many rows a partition has, then by what has been kept out of late.
    private void look() {
        if (nextLook < TRIAL_ROWS) {
            nextLook = TRIAL_ROWS;
            if (index.size() > seen / 32 * 31) {
                close();
            }
            return;
        }
        boolean areSmall = nextLook == TRIAL_ROWS && index.size() > seen / 4 * 3;
        long wanted = (long) index.size() * most;
        boolean isEarly = wanted <= FEW_WORDS && seen < 4 * wanted;
        boolean keepsOutFew = out - outBefore < (seen - seenBefore) / LEAST_PART;
        nextLook = 2 * seen;
        seenBefore = seen;
        outBefore = out;
        if (areSmall || keepsOutFew && !isEarly) {
            close();
        }
    }

    /// Switches it off, and frees what it has.
    @Override
    public void close() {
        isOff = true;
        bars = new long[0];
        reservation.close();
    }
}
