package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ScanOrder;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.ir.Pipeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The end of a build side: it puts the rows of all workers in scan order, then makes an index over their keys.
///
/// It works in rounds of parts, which threads run at the same time: memory for each column; rows into scan order; the
/// keys' ranges. Integers of a small range then go straight to their places, if no key comes twice. Otherwise each key
/// has a word: how many are in each region (of the dense array, or of the hash); words into regions; numbers for each
/// region's keys; the index, and the lists of rows by key. Of text, numbers of many digits and the like the word is a
/// hash, whose rows are compared with each other. Codes of dictionaries, and all keys where two have one hash, are
/// numbered one after another, for each new one changes the index.
///
/// Which thread does what changes nothing: lists are in scan order, and no key's number is ever seen.
///
/// - Memory: owns the rows, until `finish` hands them on.
public final class JoinBuild implements Ending {
    private static final int FEW_ROWS = 1 << 14;
    private static final int PART_ROWS = 1 << 16;
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
        COLLISIONS,
        LISTS,
        TEXT,
        DONE
    }

    private final Pipeline pipeline;
    private final int keyCount;
    private final int tileRows;
    private final MemoryBudget budget;
    private final boolean encodes;
    private final Sweep sweep; // or null
    private final long hashMask;
    private final Reservation reservation;
    private final Reservation scratch;
    private final BudgetArena dictionaries;
    private final List<Integer> textColumns = new ArrayList<>();
    private ScanOrder merging;
    private RowStore rows;
    private int rowCount;
    private Round round = Round.NEW;
    private KeyRanges ranges; // null where a key is no integer, or all are NULL
    private KeyIndex index;
    private KeyRegions regions; // null where there are no rows
    private KeyPlaces places; // or null
    private boolean goesToRegions;
    private boolean nullKeys;
    private boolean unique;
    private int[] starts = {};
    private int[] order = {};
    private boolean isHandedOver;

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
        this(pipeline, stores, keyCount, tileRows, budget, encodes, null, KeyIndex.ALL_BITS);
    }

    /// @param sweep what reads the rows that are not kept; the table's from `finish` on. null where all are kept
    /// @param hashMask bits of hashes that are looked at: all but in tests, which force equal ones
    JoinBuild(
            Pipeline pipeline,
            List<RowStore> stores,
            int keyCount,
            int tileRows,
            MemoryBudget budget,
            boolean encodes,
            Sweep sweep,
            long hashMask) {
        this.pipeline = pipeline;
        this.keyCount = keyCount;
        this.tileRows = Math.max(tileRows, 64);
        this.budget = budget;
        this.encodes = encodes;
        this.sweep = sweep;
        this.hashMask = hashMask;
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
                ranges = rowCount > 0 ? KeyRanges.of(rows, keyCount) : null;
                yield ranges != null && keyCount > 0 ? rowParts() : 0;
            }
            case PLACES -> {
                startIndex();
                yield places != null ? rowParts() : 0;
            }
            case CHECK -> places != null ? rowParts() : 0;
            case COUNT -> beginCount();
            case SCATTER -> {
                if (goesToRegions) {
                    regions.beginScatter();
                }
                yield goesToRegions ? rowParts() : 0;
            }
            case NUMBERS -> goesToRegions ? regions.beginNumbers() : 0;
            case COLLISIONS -> beginCollisions();
            case LISTS -> goesToRegions ? regions.beginLists() : 0;
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
            case RANGES -> ranges.add(from, to);
            case PLACES -> places.put(from, to);
            case CHECK -> places.check(from, to);
            case COUNT -> {
                if (goesToRegions) {
                    regions.count(part, from, to);
                } else {
                    numberInTurn();
                }
            }
            case SCATTER -> regions.scatter(part, from, to);
            case NUMBERS -> regions.number(part);
            case COLLISIONS -> numberInTurn();
            case LISTS -> regions.makeLists(part);
            case TEXT -> encode(textColumns.get(part));
            case NEW, DONE -> throw new IllegalStateException("no part in round " + round);
        }
    }

    private int rowParts() {
        return (rowCount + PART_ROWS - 1) / PART_ROWS;
    }

    private KeyIndex newIndex() {
        return new KeyIndex(
                rows.types().subList(0, keyCount),
                reservation,
                Math.min(
                        budget.limitBytes() / 64,
                        Math.max(8L * rowCount, rowCount < LARGE_BUILD ? SMALL_DENSE : LARGE_DENSE)),
                hashMask);
    }

    private void startIndex() {
        index = newIndex();
        if (rowCount == 0) {
            return;
        }
        if (ranges != null && ranges.isAnyEmpty()) {
            ranges = null;
        }
        regions = new KeyRegions(index, ranges, rows, rowCount, keyCount, tileRows, budget, reservation, scratch);
        if (regions.isDense() && keyCount == 1 && rows.column(0).isAllPresent() && rowCount < index.denseSpan()) {
            places = new KeyPlaces(index, rows.column(0));
        }
    }

    private int beginCount() {
        if (places != null && !places.isRepeated()) {
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
        goesToRegions = true;
        regions.beginCount(rowParts(), places != null);
        return rowParts();
    }

    private int beginCollisions() {
        if (!goesToRegions || !regions.isCollided()) {
            return 0;
        }
        nullKeys = regions.hasNullKeys();
        goesToRegions = false;
        regions = null;
        scratch.close();
        index = newIndex();
        return 1;
    }

    private void numberInTurn() {
        reservation.grow(rowCount * 4L);
        int[] keyOf = new int[rowCount];
        BuildTile tile = new BuildTile(rows.types().subList(0, keyCount), tileRows);
        boolean areRows = true; // not where keys of one tile have the same hash
        for (int first = 0; first < rowCount; first += tileRows) {
            budget.checkStop();
            int count = Math.min(tileRows, rowCount - first);
            tile.moveTo(rows, first, count);
            index.assign(tile.keys, tile.present, tile.scratch);
            int[] ids = tile.scratch.ids;
            if (tile.present.isFull()) {
                System.arraycopy(ids, 0, keyOf, first, count);
                for (int at = 0; at < count; at++) {
                    areRows &= ids[at] == first + at;
                }
            } else {
                areRows = false;
                nullKeys = true;
                Arrays.fill(keyOf, first, first + count, -1);
                int[] indexes = tile.present.indexes();
                for (int at = 0; at < tile.present.count(); at++) {
                    keyOf[first + indexes[at]] = ids[at];
                }
            }
        }
        unique = areRows;
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

    private int beginText() {
        if (goesToRegions) {
            nullKeys = regions.hasNullKeys();
            unique = regions.isUnique();
            starts = regions.starts();
            order = regions.order();
            index.setRows(starts, order);
        }
        regions = null;
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
                new JoinTable.Keys(
                        index,
                        ranges == null ? null : ranges.min(),
                        ranges == null ? null : ranges.max(),
                        unique,
                        nullKeys,
                        starts,
                        order),
                reservation,
                dictionaries,
                sweep);
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
