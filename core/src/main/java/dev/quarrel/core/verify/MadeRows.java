package dev.quarrel.core.verify;

import dev.quarrel.core.column.Batch;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// The hashes of the rows that a run made, in the order of its morsels; workers add to it.
///
/// - Memory: eight bytes a row, up to [#MAX_KEPT] rows; of more, only what tells equal from different.
final class MadeRows {
    static final int MAX_KEPT = 1 << 22;

    private static final long MULTIPLIER = 0xD6E8FEB86659FD93L;

    private final Map<Integer, Part> parts = new TreeMap<>();
    private long rowCount;

    /// Those of one morsel.
    private static final class Part {
        private long[] hashes = new long[16];
        private int kept;
        private long count;
        private long sum;
        private long chain; // depends on the order
        private long power = 1; // what a chain before this one is multiplied by
    }

    synchronized void add(int morsel, Batch batch) {
        Part part = parts.computeIfAbsent(morsel, _ -> new Part());
        long[] hashes = RowHashes.of(batch);
        for (long hash : hashes) {
            part.sum += hash;
            part.chain = part.chain * MULTIPLIER + hash;
            part.power *= MULTIPLIER;
        }
        part.count += hashes.length;
        rowCount += hashes.length;
        if (rowCount <= MAX_KEPT) {
            if (part.kept + hashes.length > part.hashes.length) {
                part.hashes = Arrays.copyOf(part.hashes, Math.max(part.kept + hashes.length, part.hashes.length * 2));
            }
            System.arraycopy(hashes, 0, part.hashes, part.kept, hashes.length);
            part.kept += hashes.length;
        }
    }

    long rowCount() {
        return rowCount;
    }

    boolean equals(MadeRows other, boolean isOrdered) {
        return rowCount == other.rowCount && (isOrdered ? chain() == other.chain() : sum() == other.sum());
    }

    private long sum() {
        return parts.values().stream().mapToLong(part -> part.sum).sum();
    }

    private long chain() {
        long chain = 0;
        for (Part part : parts.values()) {
            chain = chain * part.power + part.chain;
        }
        return chain;
    }

    /// The hashes in their order; null where not all were kept.
    private long[] all() {
        if (rowCount > MAX_KEPT) {
            return null;
        }
        long[] all = new long[(int) rowCount];
        int end = 0;
        for (Part part : parts.values()) {
            System.arraycopy(part.hashes, 0, all, end, part.kept);
            end += part.kept;
        }
        return all;
    }

    /// A row that stands here and not there, as often as it does: its hash, or null.
    Long onlyHere(MadeRows other) {
        long[] here = all();
        long[] there = other.all();
        if (here == null || there == null) {
            return null;
        }
        Arrays.sort(here);
        Arrays.sort(there);
        int right = 0;
        for (long hash : here) {
            while (right < there.length && there[right] < hash) {
                right++;
            }
            if (right == there.length || there[right] != hash) {
                return hash;
            }
            right++;
        }
        return null;
    }

    /// The first place where other rows stand than there; of runs that made the same rows in another order. Null where
    /// not all were kept.
    Long firstMoved(MadeRows other) {
        long[] here = all();
        long[] there = other.all();
        int place = here == null || there == null ? -1 : Arrays.mismatch(here, there);
        return place < 0 || place == here.length ? null : here[place];
    }
}
