package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.number.LongTable;
import dev.quarrel.core.cpu.number.SplitTable;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.device.KeyHash;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/// The keys of a build side that have words, or hashes for words, by regions of the index that is made of them
/// (of the dense array, or of the hash): how many are in each; words into regions; numbers for each region's
/// keys; the index, and the lists of rows by key.
///
/// One thread begins each round, in this order; its parts are for many.
final class KeyRegions {
    private static final int REGION_ROWS = 1 << 14;
    private static final int MAX_REGION_BITS = 8;
    private static final int STOP_CHECK_ROWS = 1 << 15;

    private final KeyIndex index;
    private final RowStore rows;
    private final int keyCount;
    private final int tileRows;
    private final MemoryBudget budget;
    private final Reservation reservation;
    private final Reservation scratch;
    private final SplitTable split; // or null: the dense array
    private final int regionShift; // of places of the dense array
    private final int finerBits; // of regions that are one part of the hash table
    private final int regionCount;
    private final Queue<BuildTile> tiles = new ConcurrentLinkedQueue<>();
    private boolean clearsPlaces;
    private volatile boolean hasNullKeys;
    private volatile boolean isCollided;
    private int[][] regionCounts; // by part and region: rows, then where the next one goes
    private int[] regionStarts;
    private long[] words; // by region, in scan order there; rows with NULL keys left out
    private int[] wordRows;
    private int[] numbers; // of the same, from 0 on in each region, as keys come first
    private int[] distinct; // by region
    private boolean isUnique;
    private int[] starts = {};
    private int[] order = {};

    /// Starts an index.
    ///
    /// @param ranges or null
    /// @param rowCount of the rows; not 0
    /// @param reservation of what the table keeps
    /// @param scratch of the rest
    KeyRegions(
            KeyIndex index,
            KeyRanges ranges,
            RowStore rows,
            int rowCount,
            int keyCount,
            int tileRows,
            MemoryBudget budget,
            Reservation reservation,
            Reservation scratch) {
        this.index = index;
        this.rows = rows;
        this.keyCount = keyCount;
        this.tileRows = tileRows;
        this.budget = budget;
        this.reservation = reservation;
        this.scratch = scratch;
        int bits = Math.clamp(32 - Integer.numberOfLeadingZeros(rowCount / REGION_ROWS), 0, MAX_REGION_BITS);
        long[] min = ranges == null ? null : ranges.min();
        long[] max = ranges == null ? null : ranges.max();
        if (ranges != null && keyCount > 0 && index.expectDense(min, max, rowCount)) {
            int places = index.denseNumbers().length;
            split = null;
            finerBits = 0;
            regionShift = Math.max(0, 32 - Integer.numberOfLeadingZeros(places - 1) - bits);
            regionCount = (places - 1 >>> regionShift) + 1;
        } else {
            SplitTable exact = index.startSplit(min, max);
            split = exact == null && isHashed(rows, keyCount) ? index.startHashed(keyColumns(rows, keyCount)) : exact;
            finerBits = split == null ? 0 : Math.max(0, bits - Integer.numberOfTrailingZeros(split.partCount()));
            regionShift = 0;
            regionCount = split == null ? 0 : split.partCount() << finerBits;
        }
    }

    private static List<ValueStore> keyColumns(RowStore rows, int keyCount) {
        return IntStream.range(0, keyCount).mapToObj(rows::column).toList();
    }

    /// Whether hashes are what keys without words are best found by: not where there are none, or where all are
    /// codes of dictionaries, which those that are looked up may have too.
    private static boolean isHashed(RowStore rows, int keyCount) {
        return !keyColumns(rows, keyCount).stream()
                .allMatch(column -> column instanceof TextStore text && text.dictionary() != null);
    }

    /// Whether there were two keys with one hash, after they were numbered: then the index is of no use.
    boolean isCollided() {
        return isCollided;
    }

    /// Whether keys have places in a dense array.
    boolean isDense() {
        return split == null && index.hasWords();
    }

    /// @param parts of the rows
    /// @param hasPlaces whether something stands in the dense array that is of no use
    void beginCount(int parts, boolean hasPlaces) {
        clearsPlaces = hasPlaces;
        regionCounts = new int[parts][];
    }

    /// Counts how many keys of some rows are in each region.
    void count(int part, int from, int to) {
        int[] counts = new int[regionCount];
        BuildTile tile = tile();
        long[] found = tile.scratch.packed;
        int present = 0;
        for (int first = from; first < to; first += tileRows) {
            int count = makeWords(tile, first, Math.min(tileRows, to - first));
            if (split == null) {
                for (int at = 0; at < count; at++) {
                    counts[(int) found[at] >>> regionShift]++;
                }
            } else {
                for (int at = 0; at < count; at++) {
                    counts[SplitTable.region(found[at], finerBits)]++;
                }
            }
            present += count;
        }
        tiles.add(tile);
        if (present < to - from) {
            hasNullKeys = true;
        }
        regionCounts[part] = counts;
    }

    /// Makes the words of those of some rows whose keys are present (`tile.present`).
    ///
    /// @return how many
    private int makeWords(BuildTile tile, int first, int count) {
        if (keyCount > 1 || !(rows.column(0) instanceof IntStore ints) || !ints.isAllPresent()) {
            tile.moveTo(rows, first, count);
            index.words(tile.keys, tile.present, tile.scratch);
            return tile.present.count();
        }
        tile.present.setAll(count);
        int[] values = ints.values();
        long base = split == null ? index.denseBase() - 1 : 0;
        for (int row = 0; row < count; row++) {
            tile.scratch.packed[row] = values[first + row] - base;
        }
        return count;
    }

    private BuildTile tile() {
        BuildTile tile = tiles.poll();
        return tile != null ? tile : new BuildTile(rows.types().subList(0, keyCount), tileRows);
    }

    void beginScatter() {
        regionStarts = new int[regionCount + 1];
        int next = 0;
        for (int region = 0; region < regionCount; region++) {
            regionStarts[region] = next;
            for (int[] counts : regionCounts) {
                int count = counts[region];
                counts[region] = next;
                next += count;
            }
        }
        regionStarts[regionCount] = next;
        scratch.grow(next * 16L);
        // The JVM clears them at some GB a second, a page's first time even slower.
        words = new long[next];
        budget.checkStop();
        wordRows = new int[next];
        budget.checkStop();
        numbers = new int[next];
    }

    /// Makes the words of the rows that were counted, and puts them into their regions.
    void scatter(int part, int from, int to) {
        int[] next = regionCounts[part];
        BuildTile tile = tile();
        long[] found = tile.scratch.packed;
        for (int first = from; first < to; first += tileRows) {
            int count = makeWords(tile, first, Math.min(tileRows, to - first));
            boolean isFull = tile.present.isFull();
            int[] indexes = isFull ? null : tile.present.indexes();
            for (int at = 0; at < count; at++) {
                long word = found[at];
                int place = next[split == null ? (int) word >>> regionShift : SplitTable.region(word, finerBits)]++;
                words[place] = word;
                wordRows[place] = first + (isFull ? at : indexes[at]);
            }
        }
        tiles.add(tile);
    }

    /// @return how many regions there are to number
    int beginNumbers() {
        regionCounts = null;
        distinct = new int[regionCount];
        return regionCount;
    }

    /// Numbers the keys of a region as they come first.
    void number(int region) {
        int from = regionStarts[region];
        int to = regionStarts[region + 1];
        distinct[region] = split == null ? numberPlaces(region, from, to) : numberWords(from, to);
    }

    private int numberPlaces(int region, int from, int to) {
        int[] places = index.denseNumbers();
        if (clearsPlaces) {
            // What stands there is of no use.
            int end = (int) Math.min(places.length, region + 1L << regionShift);
            Arrays.fill(places, region << regionShift, end, -1);
        }
        int size = 0;
        for (int start = from; start < to; start += STOP_CHECK_ROWS) {
            budget.checkStop();
            int end = Math.min(to, start + STOP_CHECK_ROWS);
            for (int at = start; at < end; at++) {
                int place = (int) words[at];
                int number = places[place];
                if (number < 0) {
                    number = size++;
                    places[place] = number;
                }
                numbers[at] = number;
            }
        }
        return size;
    }

    private int numberWords(int from, int to) {
        BuildTile tile = tile();
        if (tile.known == null) {
            tile.known = new LongTable(scratch, Math.min(REGION_ROWS, to - from));
        }
        tile.known.clear();
        for (int start = from; start < to; start += STOP_CHECK_ROWS) {
            budget.checkStop();
            int end = Math.min(to, start + STOP_CHECK_ROWS);
            for (int at = start; at < end; at++) {
                // Words of a region share the bits that a table would look at first.
                numbers[at] = tile.known.findOrAdd(KeyHash.of(words[at]), tile.known.size());
            }
        }
        int size = tile.known.size();
        if (index.isHashed() && size < to - from) {
            compare(tile, from, to, size);
        }
        tiles.add(tile); // another thread's from here on
        return size;
    }

    /// Compares the keys of a region's rows with that of the first row which has the same word.
    private void compare(BuildTile tile, int from, int to, int keys) {
        int[] firstRows = new int[keys];
        int known = 0;
        int[] others = new int[tileRows];
        int[] repeated = new int[tileRows];
        int count = 0;
        for (int at = from; at < to && !isCollided; at++) {
            if (numbers[at] == known) {
                firstRows[known++] = wordRows[at];
                continue;
            }
            repeated[count] = wordRows[at];
            others[count++] = firstRows[numbers[at]];
            if (count == tileRows) {
                compareTile(tile, repeated, others, count);
                count = 0;
            }
        }
        compareTile(tile, repeated, others, count);
    }

    private void compareTile(BuildTile tile, int[] repeated, int[] others, int count) {
        budget.checkStop();
        tile.moveTo(rows, repeated, count);
        if (!index.haveEqualKeys(tile.keys, tile.present, others, tile.scratch)) {
            isCollided = true;
        }
    }

    /// @return how many parts of the index there are to fill
    int beginLists() {
        int keys = IntStream.of(distinct).sum();
        index.filled(keys);
        isUnique = keys == words.length;
        if (split != null) {
            split.expect(keys);
        }
        if (!isUnique) {
            reservation.grow((2L * words.length + 1) * 4);
            starts = new int[words.length + 1];
            budget.checkStop();
            order = new int[words.length];
        }
        return split == null ? regionCount : split.partCount();
    }

    /// Puts the keys of a part into the index, and their rows into lists.
    void makeLists(int part) {
        if (split == null) {
            numberPlaces(part);
            makeList(part);
            return;
        }
        int first = part << finerBits;
        int end = part + 1 << finerBits;
        int keys = 0;
        for (int region = first; region < end; region++) {
            keys += distinct[region];
        }
        split.start(part, keys);
        for (int region = first; region < end; region++) {
            budget.checkStop();
            int from = regionStarts[region];
            int known = 0;
            for (int at = from; known < distinct[region]; at++) {
                if (numbers[at] == known) {
                    split.add(part, words[at], isUnique ? wordRows[at] : from + known);
                    known++;
                }
            }
            makeList(region);
        }
    }

    private void numberPlaces(int region) {
        int[] places = index.denseNumbers();
        int from = regionStarts[region];
        int end = (int) Math.min(places.length, region + 1L << regionShift);
        for (int place = region << regionShift; place < end; place++) {
            if (places[place] >= 0) {
                // With unique keys, the number is the place among the region's words.
                places[place] = isUnique ? wordRows[from + places[place]] : from + places[place];
            }
        }
    }

    /// Where keys repeat, numbers go on from where their region begins, so that regions know nothing of each other.
    private void makeList(int region) {
        int from = regionStarts[region];
        int to = regionStarts[region + 1];
        if (isUnique || from == to) {
            return;
        }
        int keys = distinct[region];
        int[] next = new int[keys + 1];
        for (int start = from; start < to; start += STOP_CHECK_ROWS) {
            budget.checkStop();
            int end = Math.min(to, start + STOP_CHECK_ROWS);
            for (int at = start; at < end; at++) {
                next[numbers[at] + 1]++;
            }
        }
        next[0] = from;
        for (int key = 0; key < keys; key++) {
            next[key + 1] += next[key];
        }
        // With a number for each of its rows, the last start is the next region's first one: it is the same.
        System.arraycopy(next, 0, starts, from, keys + 1);
        for (int start = from; start < to; start += STOP_CHECK_ROWS) {
            budget.checkStop();
            int end = Math.min(to, start + STOP_CHECK_ROWS);
            for (int at = start; at < end; at++) {
                order[next[numbers[at]]++] = wordRows[at];
            }
        }
    }

    /// Whether some row has a NULL key.
    boolean hasNullKeys() {
        return hasNullKeys;
    }

    /// Whether no key came twice.
    boolean isUnique() {
        return isUnique;
    }

    /// By number: where its rows begin in `order`. Empty where keys are unique.
    int[] starts() {
        return starts;
    }

    /// Rows by key.
    int[] order() {
        return order;
    }
}
