package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Sorts the rows of several stores by keys; equal rows stay in scan order.
///
/// It works in rounds of parts, which threads run at the same time: the keys' ranges; key words ([KeyWords]); how many
/// rows belong to each of some hundred buckets; rows into buckets, in scan order; each bucket by itself
/// ([WordSort]). Buckets without a place that is wanted are left out: so a page of a long order costs little more than
/// the count. Few rows make one part and one bucket.
///
/// - Memory: reserved, and given back by `close`. Stores are only read.
public final class RowSort implements AutoCloseable {
    private static final int PART_ROWS = 1 << 16;
    private static final int MAX_PARTS = 1 << 10;
    private static final int BUCKET_ROWS = 1 << 14;
    private static final int MAX_BUCKET_BITS = 12;
    private static final int SAMPLES_A_BUCKET = 16;

    private enum Round {
        NEW,
        STATISTICS,
        WORDS,
        COUNT,
        SCATTER,
        BUCKETS,
        DONE
    }

    private final List<RowStore> stores;
    private final RowStore.Runs runs;
    private final KeyWords keys;
    private final int keyCount;
    private final int rowCount;
    private final long firstHeldWanted; // places before it may be left out
    private final long firstWanted;
    private final long endWanted;
    private final Reservation reservation;
    private final int[] partStarts; // places in `runs`
    private final Queue<KeyWords.Tile> tiles = new ConcurrentLinkedQueue<>();
    private final Queue<WordSort> sorts = new ConcurrentLinkedQueue<>();
    private Round round = Round.NEW;
    private int digitShift = -1; // the bucket is what is above it, or
    private long[] splitters; // …how many of these the word reaches
    private int bucketCount = 1;
    private int[][] partCounts; // by part and bucket: rows, then where the next one goes
    private int[] bucketStarts;
    private int firstBucket; // of those with places that are wanted
    private int endBucket;
    private int firstHeld; // the place that `words` and `ids` begin with
    private long[] words;
    private int[] ids;

    /// The most that sorting takes, a row.
    public static long rowBytes(List<DataType> keyTypes) {
        long bits = 0;
        for (DataType type : keyTypes) {
            bits += 8L * type.byteWidth() + 1;
        }
        // A bucket's rows may be all of them, and have their words and places in order, too.
        return ((bits + KeyWords.WORD_BITS - 1) / KeyWords.WORD_BITS) * 8 + 12 + 28;
    }

    /// @param stores of one type of rows
    /// @param firstWanted place of the first row whose order is wanted; `endWanted` is behind the last one
    public RowSort(List<RowStore> stores, List<SortKey> keys, long firstWanted, long endWanted, MemoryBudget budget) {
        this(stores, keys, firstWanted, firstWanted, endWanted, budget);
    }

    /// Finds which rows are the first `count` of a store: the last of them is where it belongs, those before it are in
    /// any order.
    public static RowSort selecting(RowStore rows, List<SortKey> keys, int count) {
        return new RowSort(
                List.of(rows), keys, 0, count - 1, count, rows.reservation().budget());
    }

    private RowSort(
            List<RowStore> stores,
            List<SortKey> keys,
            long firstHeldWanted,
            long firstWanted,
            long endWanted,
            MemoryBudget budget) {
        this.stores = stores;
        this.runs = RowStore.runs(stores);
        long total = 0;
        int most = 0;
        for (RowStore store : stores) {
            total += store.rowCount();
            most = Math.max(most, store.rowCount());
        }
        RowIds rowIds = RowIds.of(stores.size(), most);
        if (total > Integer.MAX_VALUE - 16 || rowIds == null) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail(total + " rows would have to be sorted in memory.");
        }
        this.rowCount = (int) total;
        this.keyCount = keys.size();
        this.keys = new KeyWords(stores, keys, rowIds);
        this.firstHeldWanted = firstHeldWanted;
        this.firstWanted = firstWanted;
        this.endWanted = endWanted;
        this.reservation = new Reservation(budget);
        this.partStarts = runs.parts(Math.max(PART_ROWS, rowCount / MAX_PARTS));
    }

    public int rowCount() {
        return rowCount;
    }

    public RowIds rowIds() {
        return keys.ids();
    }

    public KeyWords keys() {
        return keys;
    }

    /// The rows in order, once there is no further round: those of places from `firstHeld` on, up to the last one that
    /// is wanted or behind it; outside the places wanted, in any order.
    public int[] ids() {
        return ids;
    }

    /// 0 if the first place is wanted.
    public int firstHeld() {
        return firstHeld;
    }

    /// Sorts on this thread.
    public void run() {
        for (int parts = beginRound(); parts > 0; parts = beginRound()) {
            for (int part = 0; part < parts; part++) {
                run(part);
            }
        }
    }

    /// Begins the next round; alone.
    ///
    /// @return its parts, 0 at the end
    public int beginRound() {
        round = next();
        int parts = partStarts.length - 1;
        return switch (round) {
            case NEW -> throw new IllegalStateException("no round");
            case STATISTICS, WORDS, COUNT, SCATTER -> parts;
            case BUCKETS -> endBucket - firstBucket;
            case DONE -> 0;
        };
    }

    private Round next() {
        return switch (round) {
            case NEW -> {
                if (rowCount < 2 || keyCount == 0) {
                    ids = runs.ids(rowCount, keys.ids(), reservation);
                    yield Round.DONE;
                }
                yield Round.STATISTICS;
            }
            case STATISTICS -> {
                keys.settle(stores.stream().mapToInt(RowStore::rowCount).toArray(), reservation);
                yield Round.WORDS;
            }
            case WORDS -> {
                partCounts = new int[partStarts.length - 1][];
                chooseBuckets();
                yield bucketCount > 1 ? Round.COUNT : beginScatter();
            }
            case COUNT -> beginScatter();
            case SCATTER -> Round.BUCKETS;
            case BUCKETS -> {
                reservation.shrink(words.length * 8L);
                words = null;
                yield Round.DONE;
            }
            case DONE -> Round.DONE;
        };
    }

    /// Does a part of the round.
    public void run(int part) {
        reservation.budget().checkStop();
        if (round == Round.BUCKETS) {
            sortBucket(firstBucket + part);
            return;
        }
        KeyWords.Tile tile = tiles.poll();
        if (tile == null) {
            tile = new KeyWords.Tile();
        }
        if (round == Round.COUNT) {
            partCounts[part] = new int[bucketCount];
        }
        for (int run = partStarts[part]; run < partStarts[part + 1]; run++) {
            reservation.budget().checkStop();
            int store = runs.store()[run];
            int from = runs.from()[run];
            int count = runs.count()[run];
            switch (round) {
                case STATISTICS -> keys.addStatistics(store, from, count, tile);
                case WORDS -> keys.encode(store, from, count, tile);
                case COUNT -> count(store, from, count, partCounts[part]);
                case SCATTER -> scatter(store, from, count, partCounts[part]);
                case NEW, BUCKETS, DONE -> throw new IllegalStateException("no part in round " + round);
            }
        }
        tiles.add(tile);
    }

    // Buckets

    private void chooseBuckets() {
        int bits = Math.min(32 - Integer.numberOfLeadingZeros(rowCount / BUCKET_ROWS), MAX_BUCKET_BITS);
        bits = Math.min(bits, keys.bitCount());
        if (rowCount < 2 * BUCKET_ROWS || bits == 0) {
            return;
        }
        bucketCount = 1 << bits;
        digitShift = KeyWords.WORD_BITS - bits;
        long[] sample = sample(bucketCount * SAMPLES_A_BUCKET);
        int[] hits = new int[bucketCount];
        int most = 0;
        for (long word : sample) {
            most = Math.max(most, ++hits[(int) (word >>> digitShift)]);
        }
        if (most > 4 * SAMPLES_A_BUCKET && keys.bitCount() > bits) {
            digitShift = -1;
            chooseSplitters(sample);
        }
    }

    private long[] sample(int size) {
        long[] sample = new long[size];
        int store = 0;
        long before = 0;
        for (int index = 0; index < size; index++) {
            long row = (long) rowCount * index / size;
            while (row >= before + stores.get(store).rowCount()) {
                before += stores.get(store).rowCount();
                store++;
            }
            sample[index] = keys.words(0, store)[(int) (row - before)];
        }
        return sample;
    }

    /// Words that cut the sample into equal parts; a frequent word gets a bucket of its own.
    private void chooseSplitters(long[] sample) {
        Arrays.sort(sample);
        splitters = new long[bucketCount - 1];
        int count = 0;
        for (int bucket = 1; bucket < bucketCount; bucket++) {
            long word = sample[bucket * SAMPLES_A_BUCKET];
            if (count > 0 && word == splitters[count - 1]) {
                word++;
            }
            if (count == 0 || word > splitters[count - 1]) {
                splitters[count++] = word;
            }
        }
        Arrays.fill(splitters, count, splitters.length, Long.MAX_VALUE);
    }

    private int bucketOf(long word) {
        int bucket = 0;
        for (int half = bucketCount >>> 1; half > 0; half >>>= 1) {
            bucket += splitters[bucket + half - 1] <= word ? half : 0;
        }
        return bucket;
    }

    private void count(int store, int from, int count, int[] counts) {
        long[] source = keys.words(0, store);
        if (digitShift >= 0) {
            for (int row = from; row < from + count; row++) {
                counts[(int) (source[row] >>> digitShift)]++;
            }
        } else {
            for (int row = from; row < from + count; row++) {
                counts[bucketOf(source[row])]++;
            }
        }
    }

    private Round beginScatter() {
        int parts = partCounts.length;
        bucketStarts = new int[bucketCount + 1];
        if (bucketCount == 1) {
            for (int part = 0; part < parts; part++) {
                partCounts[part] = new int[] {runs.rows(partStarts[part], partStarts[part + 1])};
            }
        }
        int next = 0;
        for (int bucket = 0; bucket < bucketCount; bucket++) {
            bucketStarts[bucket] = next;
            for (int part = 0; part < parts; part++) {
                int size = partCounts[part][bucket];
                partCounts[part][bucket] = next;
                next += size;
            }
        }
        bucketStarts[bucketCount] = next;
        while (firstBucket < bucketCount && bucketStarts[firstBucket + 1] <= firstHeldWanted) {
            firstBucket++;
        }
        endBucket = firstBucket;
        while (endBucket < bucketCount && bucketStarts[endBucket] < endWanted) {
            endBucket++;
        }
        firstHeld = bucketStarts[firstBucket];
        int held = bucketStarts[endBucket] - firstHeld;
        reservation.grow(held * 12L);
        words = new long[held];
        reservation.budget().checkStop(); // zeros take their time too
        ids = new int[held];
        reservation.budget().checkStop();
        return Round.SCATTER;
    }

    private void scatter(int store, int from, int count, int[] places) {
        long[] source = keys.words(0, store);
        int id = keys.ids().id(store, 0);
        if (bucketCount == 1 && firstBucket < endBucket) {
            System.arraycopy(source, from, words, places[0], count);
            for (int index = 0; index < count; index++) {
                ids[places[0] + index] = id | from + index;
            }
            places[0] += count;
            return;
        }
        for (int row = from; row < from + count; row++) {
            long word = source[row];
            int bucket = digitShift >= 0 ? (int) (word >>> digitShift) : bucketOf(word);
            if (bucket >= firstBucket && bucket < endBucket) {
                int place = places[bucket]++ - firstHeld;
                words[place] = word;
                ids[place] = id | row;
            }
        }
    }

    private void sortBucket(int bucket) {
        if (bucketStarts[bucket + 1] <= firstWanted) {
            return;
        }
        int from = bucketStarts[bucket] - firstHeld;
        int to = bucketStarts[bucket + 1] - firstHeld;
        WordSort sort = sorts.poll();
        if (sort == null) {
            sort = new WordSort(keys, reservation);
        }
        sort.sort(words, ids, from, to);
        sorts.add(sort);
    }

    /// Frees the keys' words, once rows are in order.
    public void releaseWords() {
        keys.clear(reservation);
    }

    @Override
    public void close() {
        words = null;
        ids = null;
        partCounts = null;
        sorts.clear();
        tiles.clear();
        reservation.close();
    }
}
