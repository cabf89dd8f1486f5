package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.number.LongTable;
import dev.quarrel.core.cpu.number.SplitTable;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ScanOrder;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/// The end of a build side: the rows of all workers in scan order, then an index over their keys.
///
/// It works in rounds of parts, which threads run at the same time: memory for each column; rows into scan order; the
/// keys' ranges. Integers of a small range then go straight to their places, if no key comes twice. Otherwise each key
/// has a word: how many are in each region (of the dense array, or of the hash); words into regions; numbers for each
/// region's keys; the index, and the lists of rows by key. Text and numbers of many digits are numbered one after
/// another, for each new one changes the index.
///
/// Which thread does what changes nothing: lists are in scan order, and no key's number is ever seen.
///
/// - Memory: owns the rows, until `finish` hands them on.
public final class JoinBuild implements Ending {
    private static final int FEW_ROWS = 1 << 14;
    private static final int PART_ROWS = 1 << 16;
    private static final int REGION_ROWS = 1 << 14;
    private static final int MAX_REGION_BITS = 8;
    private static final long SMALL_DENSE = 1 << 20;
    private static final long LARGE_DENSE = 1 << 24;
    private static final int LARGE_BUILD = 4096;
    private static final int STOP_CHECK_ROWS = 1 << 15;
    private static final int MIN_ENCODED_ROWS = 64;
    private static final int MAX_ENTRIES = 1 << 16;

    private enum Round {
        NEW,
        COLUMNS,
        ROWS,
        RANGES,
        PLACES,
        CHECK,
        COUNT,
        SCATTER,
        NUMBERS,
        LISTS,
        TEXT,
        DONE
    }

    private final Pipeline pipeline;
    private final int keyCount;
    private final int tileRows;
    private final MemoryBudget budget;
    private final boolean encodes;
    private final Reservation reservation;
    private final Reservation scratch;
    private final BudgetArena dictionaries;
    private final List<Integer> textColumns = new ArrayList<>();
    private final Queue<Tile> tiles = new ConcurrentLinkedQueue<>();
    private ScanOrder merging;
    private RowStore rows;
    private int rowCount;
    private Round round = Round.NEW;
    private long[] min; // of integer keys; null where a key is no integer, or all are NULL
    private long[] max;
    private KeyIndex index;
    private SplitTable split; // or null: the dense array
    private int regionShift; // of places of the dense array
    private int finerBits; // of regions that are one part of the hash table
    private int regionCount;
    private boolean goesToPlaces;
    private volatile boolean isRepeated; // whether a key came twice
    private volatile boolean nullKeys;
    private int[][] regionCounts; // by part and region: rows, then where the next one goes
    private int[] regionStarts;
    private long[] words; // by region, in scan order there; rows with NULL keys left out
    private int[] wordRows;
    private int[] numbers; // of the same, from 0 on in each region, as keys come first
    private int[] distinct; // by region
    private boolean unique;
    private int[] starts = {};
    private int[] order = {};
    private boolean isHandedOver;

    /// What one thread needs to make words.
    private static final class Tile {
        private final KeyScratch scratch;
        private final Vector[] keys;
        private final Mask all;
        private final Mask present;
        private final int[] ids;
        private LongTable known; // of a region's words

        Tile(List<DataType> keyTypes, int tileRows) {
            this.scratch = new KeyScratch(keyTypes.size(), tileRows);
            this.keys = keyTypes.stream().map(type -> Vector.of(type, tileRows)).toArray(Vector[]::new);
            this.all = new Mask(tileRows);
            this.present = new Mask(tileRows);
            this.ids = new int[tileRows];
        }

        /// Takes rows [first, first + count); `present` are those whose keys are.
        void moveTo(RowStore rows, int first, int count) {
            all.setAll(count);
            for (int row = 0; row < count; row++) {
                ids[row] = first + row;
            }
            present.set(all);
            for (int key = 0; key < keys.length; key++) {
                rows.column(key).gather(ids, all, keys[key], false);
                if (keys[key].validity() != null) {
                    present.setAnd(present, keys[key].validity());
                }
            }
        }
    }

    /// @param stores the rows (keys, then payload), by worker; owned from here on, also when this fails
    /// @param encodes whether text may become codes of a dictionary, which rows that come out then need: not where
    ///     the table closes before the query ends
    public JoinBuild(
            Pipeline pipeline,
            List<RowStore> stores,
            int keyCount,
            int tileRows,
            MemoryBudget budget,
            boolean encodes) {
        this.pipeline = pipeline;
        this.keyCount = keyCount;
        this.tileRows = Math.max(tileRows, 64);
        this.budget = budget;
        this.encodes = encodes;
        this.merging = new ScanOrder(stores, budget);
        this.rowCount = merging.rowCount();
        this.reservation = new Reservation(budget);
        this.scratch = new Reservation(budget);
        this.dictionaries = new BudgetArena(budget);
    }

    /// So few rows that other threads would come too late to help.
    private boolean isSmall() {
        return rowCount <= FEW_ROWS;
    }

    @Override
    public int beginRound(int number) {
        return isSmall() ? 0 : nextRound();
    }

    private int nextRound() {
        int parts = 0;
        while (parts == 0 && round != Round.DONE) {
            budget.checkStop();
            round = Round.values()[round.ordinal() + 1];
            parts = begin();
        }
        return parts;
    }

    private int begin() {
        return switch (round) {
            case NEW -> throw new IllegalStateException("no round");
            case COLUMNS -> merging.columnParts();
            case ROWS -> merging.rowParts();
            case RANGES -> {
                rows = merging.finish();
                yield rowCount > 0 && hasIntegerKeys() ? rowParts() : 0;
            }
            case PLACES -> {
                startIndex();
                goesToPlaces = split == null
                        && index.hasWords()
                        && keyCount == 1
                        && rows.column(0).isAllPresent()
                        && rowCount < index.denseSpan();
                yield goesToPlaces ? rowParts() : 0;
            }
            case CHECK -> goesToPlaces ? rowParts() : 0;
            case COUNT -> beginCount();
            case SCATTER -> regionCounts == null ? 0 : beginScatter();
            case NUMBERS -> words == null ? 0 : beginNumbers();
            case LISTS -> words == null ? 0 : beginLists();
            case TEXT -> beginText();
            case DONE -> 0;
        };
    }

    @Override
    public void run(int part) {
        budget.checkStop();
        int from = part * PART_ROWS;
        int to = Math.min(rowCount, from + PART_ROWS);
        switch (round) {
            case COLUMNS -> merging.runColumn(part);
            case ROWS -> merging.runRows(part);
            case RANGES -> addRanges(from, to);
            case PLACES -> goToPlaces(from, to);
            case CHECK -> checkPlaces(from, to);
            case COUNT -> {
                if (regionCounts == null) {
                    numberInTurn();
                } else {
                    count(part, from, to);
                }
            }
            case SCATTER -> scatter(part, from, to);
            case NUMBERS -> number(part);
            case LISTS -> makeLists(part);
            case TEXT -> encode(textColumns.get(part));
            case NEW, DONE -> throw new IllegalStateException("no part in round " + round);
        }
    }

    private int rowParts() {
        return (rowCount + PART_ROWS - 1) / PART_ROWS;
    }

    // Ranges

    private boolean hasIntegerKeys() {
        for (int key = 0; key < keyCount; key++) {
            if (!(rows.column(key) instanceof IntStore || rows.column(key) instanceof LongStore)) {
                return false;
            }
        }
        min = new long[keyCount];
        max = new long[keyCount];
        Arrays.fill(min, Long.MAX_VALUE);
        Arrays.fill(max, Long.MIN_VALUE);
        return keyCount > 0;
    }

    private void addRanges(int from, int to) {
        for (int key = 0; key < keyCount; key++) {
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            ValueStore column = rows.column(key);
            boolean allPresent = column.isAllPresent();
            if (column instanceof IntStore ints) {
                int[] values = ints.values();
                for (int row = from; row < to; row++) {
                    if (allPresent || column.isPresent(row)) {
                        low = Math.min(low, values[row]);
                        high = Math.max(high, values[row]);
                    }
                }
            } else {
                long[] values = ((LongStore) column).values();
                for (int row = from; row < to; row++) {
                    if (allPresent || column.isPresent(row)) {
                        low = Math.min(low, values[row]);
                        high = Math.max(high, values[row]);
                    }
                }
            }
            synchronized (this) {
                min[key] = Math.min(min[key], low);
                max[key] = Math.max(max[key], high);
            }
        }
    }

    private void startIndex() {
        index = new KeyIndex(
                rows.types().subList(0, keyCount),
                reservation,
                Math.min(
                        budget.limitBytes() / 64,
                        Math.max(8L * rowCount, rowCount < LARGE_BUILD ? SMALL_DENSE : LARGE_DENSE)));
        if (rowCount == 0) {
            return;
        }
        for (int key = 0; min != null && key < keyCount; key++) {
            if (min[key] > max[key]) {
                min = null; // NULLs alone
            }
        }
        int bits = Math.clamp(32 - Integer.numberOfLeadingZeros(rowCount / REGION_ROWS), 0, MAX_REGION_BITS);
        if (min != null && keyCount > 0 && index.expectDense(min, max, rowCount)) {
            int places = index.denseNumbers().length;
            regionShift = Math.max(0, 32 - Integer.numberOfLeadingZeros(places - 1) - bits);
            regionCount = (places - 1 >>> regionShift) + 1;
            return;
        }
        split = index.startSplit(min, max);
        if (split != null) {
            finerBits = Math.max(0, bits - Integer.numberOfTrailingZeros(split.partCount()));
            regionCount = split.partCount() << finerBits;
        }
    }

    // Straight to their places

    private void goToPlaces(int from, int to) {
        int[] places = index.denseNumbers();
        long base = index.denseBase() - 1;
        // Of rows with one key, any may win: the next round sees it.
        switch (rows.column(0)) {
            case IntStore ints -> {
                int[] values = ints.values();
                for (int row = from; row < to; row++) {
                    places[(int) (values[row] - base)] = row;
                }
            }
            case LongStore longs -> {
                long[] values = longs.values();
                for (int row = from; row < to; row++) {
                    places[(int) (values[row] - base)] = row;
                }
            }
            case ValueStore other -> throw new IllegalStateException("a range of " + other.type());
        }
    }

    private void checkPlaces(int from, int to) {
        if (isRepeated) {
            return;
        }
        int[] places = index.denseNumbers();
        long base = index.denseBase() - 1;
        int others = 0;
        switch (rows.column(0)) {
            case IntStore ints -> {
                int[] values = ints.values();
                for (int row = from; row < to; row++) {
                    others |= places[(int) (values[row] - base)] ^ row;
                }
            }
            case LongStore longs -> {
                long[] values = longs.values();
                for (int row = from; row < to; row++) {
                    others |= places[(int) (values[row] - base)] ^ row;
                }
            }
            case ValueStore other -> throw new IllegalStateException("a range of " + other.type());
        }
        if (others != 0) {
            isRepeated = true;
        }
    }

    // Words into regions

    private int beginCount() {
        if (goesToPlaces && !isRepeated) {
            unique = true;
            index.filled(rowCount);
            return 0;
        }
        if (rowCount == 0) {
            unique = true;
            return 0;
        }
        if (!index.hasWords()) {
            return 1;
        }
        regionCounts = new int[rowParts()][];
        return rowParts();
    }

    private void count(int part, int from, int to) {
        int[] counts = new int[regionCount];
        Tile tile = tile();
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
            nullKeys = true;
        }
        regionCounts[part] = counts;
    }

    /// Makes the words of those of some rows whose keys are present (`tile.present`).
    ///
    /// @return how many
    private int makeWords(Tile tile, int first, int count) {
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

    private Tile tile() {
        Tile tile = tiles.poll();
        return tile != null ? tile : new Tile(rows.types().subList(0, keyCount), tileRows);
    }

    private int beginScatter() {
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
        return rowParts();
    }

    private void scatter(int part, int from, int to) {
        int[] next = regionCounts[part];
        Tile tile = tile();
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

    // Numbers

    private int beginNumbers() {
        regionCounts = null;
        distinct = new int[regionCount];
        return regionCount;
    }

    private void number(int region) {
        int from = regionStarts[region];
        int to = regionStarts[region + 1];
        distinct[region] = split == null ? numberPlaces(region, from, to) : numberWords(from, to);
    }

    private int numberPlaces(int region, int from, int to) {
        int[] places = index.denseNumbers();
        if (goesToPlaces) {
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
        Tile tile = tile();
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
        tiles.add(tile); // another thread's from here on
        return size;
    }

    // Lists

    private int beginLists() {
        int keys = IntStream.of(distinct).sum();
        index.filled(keys);
        unique = keys == words.length;
        if (split != null) {
            split.expect(keys);
        }
        if (!unique) {
            reservation.grow((2L * words.length + 1) * 4);
            starts = new int[words.length + 1];
            budget.checkStop();
            order = new int[words.length];
        }
        return split == null ? regionCount : split.partCount();
    }

    /// Puts the keys of a part into the index, and their rows into lists.
    private void makeLists(int part) {
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
                    split.add(part, words[at], unique ? wordRows[at] : from + known);
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
                places[place] = unique ? wordRows[from + places[place]] : from + places[place];
            }
        }
    }

    /// Where keys repeat, numbers go on from where their region begins, so that regions know nothing of each other.
    private void makeList(int region) {
        int from = regionStarts[region];
        int to = regionStarts[region + 1];
        if (unique || from == to) {
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

    // One after another

    private void numberInTurn() {
        reservation.grow(rowCount * 4L);
        int[] keyOf = new int[rowCount];
        Tile tile = tile();
        for (int first = 0; first < rowCount; first += tileRows) {
            budget.checkStop();
            int count = Math.min(tileRows, rowCount - first);
            tile.moveTo(rows, first, count);
            index.assign(tile.keys, tile.present, tile.scratch);
            int[] ids = tile.scratch.ids;
            if (tile.present.isFull()) {
                System.arraycopy(ids, 0, keyOf, first, count);
            } else {
                nullKeys = true;
                Arrays.fill(keyOf, first, first + count, -1);
                int[] indexes = tile.present.indexes();
                for (int at = 0; at < tile.present.count(); at++) {
                    keyOf[first + indexes[at]] = ids[at];
                }
            }
        }
        unique = index.size() == rowCount;
        if (!unique) {
            makeLists(keyOf);
        }
        reservation.shrink(rowCount * 4L);
    }

    private void makeLists(int[] keyOf) {
        reservation.grow((index.size() + 1L + keyOf.length) * 4);
        starts = new int[index.size() + 1];
        budget.checkStop();
        order = new int[keyOf.length];
        for (int key : keyOf) {
            if (key >= 0) {
                starts[key + 1]++;
            }
        }
        for (int key = 0; key < index.size(); key++) {
            starts[key + 1] += starts[key];
        }
        budget.checkStop();
        int[] next = Arrays.copyOf(starts, index.size());
        for (int row = 0; row < keyOf.length; row++) {
            if (keyOf[row] >= 0) {
                order[next[keyOf[row]]++] = row;
            }
            if ((row & STOP_CHECK_ROWS - 1) == 0) {
                budget.checkStop();
            }
        }
    }

    // Text

    private int beginText() {
        words = null;
        wordRows = null;
        numbers = null;
        tiles.clear();
        scratch.close();
        if (encodes && rowCount >= MIN_ENCODED_ROWS) {
            for (int column = keyCount; column < rows.types().size(); column++) {
                if (rows.column(column) instanceof TextStore) {
                    textColumns.add(column);
                }
            }
        }
        return textColumns.size();
    }

    private void encode(int column) {
        ((TextStore) rows.column(column)).encode(Math.min(MAX_ENTRIES, rowCount / 2), dictionaries);
    }

    /// The table; what is left of the rounds is done here.
    @Override
    public JoinTable finish() {
        while (round != Round.DONE) {
            int parts = nextRound();
            for (int part = 0; part < parts; part++) {
                run(part);
            }
        }
        isHandedOver = true;
        return new JoinTable(
                pipeline,
                rows,
                keyCount,
                new JoinTable.Keys(index, min, max, unique, nullKeys, starts, order),
                reservation,
                dictionaries);
    }

    @Override
    public void close() {
        scratch.close();
        if (!isHandedOver) {
            isHandedOver = true;
            merging.close();
            if (rows != null) {
                rows.close();
            }
            dictionaries.close();
            reservation.close();
        }
    }
}
