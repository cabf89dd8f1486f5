package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// Numbers the distinct ones of keys that lie in several stores, where they stay: one of equal keys stands for all.
///
/// Within a store no two keys are equal. Stores come in their order, so that the keys of a store that stand for others
/// have numbers one behind the other.
///
/// - Memory: reserved; the stores are the caller's. Of equal numbers that are shown differently the one that stands for
///   them takes the form ([DecimalStore#showMostDigits]).
///
/// One thread uses it. Others may do the same with other keys of the same stores.
public final class MergedKeys {
    private final List<ValueStore[]> stores;
    private final Reservation reservation;
    private final RowKeys keys;
    private final KeyTile tile;
    private final Vector[] vectors;
    private final Mask all;
    private final int[] ids;
    private final int[] newAt;
    private final int[] candidatePlaces;
    private final int[] compared; // by place: the row of its store
    private final int[] firstNumbers; // by store
    private int[] rows; // by number
    private int store;
    private boolean isGathered; // whether the tile's keys are in the vectors

    /// @param expected keys, about
    /// @param tileRows that are looked at together
    public MergedKeys(
            List<ValueStore[]> stores, List<DataType> types, int expected, int tileRows, Reservation reservation) {
        this(stores, types, expected, tileRows, reservation, -1L);
    }

    /// @param hashMask bits of hashes that are looked at
    MergedKeys(
            List<ValueStore[]> stores,
            List<DataType> types,
            int expected,
            int tileRows,
            Reservation reservation,
            long hashMask) {
        this.stores = stores;
        this.reservation = reservation;
        this.keys = new RowKeys(reservation, expected, hashMask);
        this.tile = new KeyTile(types.size(), tileRows);
        this.vectors = types.stream().map(type -> Vector.of(type, tileRows)).toArray(Vector[]::new);
        this.all = new Mask(tileRows);
        this.ids = new int[tileRows];
        this.newAt = new int[tileRows];
        this.candidatePlaces = new int[tileRows];
        this.compared = new int[tileRows];
        this.firstNumbers = new int[stores.size() + 1];
        reservation.grow(expected * 4L);
        this.rows = new int[expected];
    }

    public int size() {
        return keys.size();
    }

    /// By number: the row of its store that stands for the key.
    public int[] rows() {
        return rows;
    }

    /// The first number of the keys of a store, where those of the store before end.
    public int firstNumber(int of) {
        return of > store ? size() : firstNumbers[of];
    }

    /// Numbers some rows of a store, which is the one before or the next one.
    ///
    /// @param hashes of its keys, by row; or null
    /// @param order whose entries [from, from + count) are the rows: as many as a tile has at most
    /// @param numbers receives that of `order[from + i]` at i
    public void add(int of, long[] hashes, int[] order, int from, int count, int[] numbers) {
        while (store < of) {
            store++;
            firstNumbers[store] = size();
        }
        all.setAll(count);
        System.arraycopy(order, from, ids, 0, count);
        isGathered = hashes == null;
        if (isGathered) {
            gather();
            tile.load(vectors, all.indexes(), count);
        } else {
            for (int place = 0; place < count; place++) {
                tile.hashes[place] = hashes[ids[place]];
            }
        }
        keys.assign(count, tile, numbers, newAt, new RowKeys.Stored() {
            @Override
            public void append(int[] at, int first, int end) {
                addRows(at, first, end);
            }

            @Override
            public int keepDiffering(int[] candidates, int candidateCount) {
                return MergedKeys.this.keepDiffering(candidates, candidateCount);
            }
        });
        showForms(numbers, count);
    }

    private void gather() {
        for (int key = 0; key < vectors.length; key++) {
            stores.get(store)[key].gather(ids, all, vectors[key], false);
        }
    }

    private void addRows(int[] at, int first, int end) {
        int next = size() - (end - first);
        if (size() > rows.length) {
            int larger = Math.max(size(), 2 * rows.length);
            reservation.grow((larger - rows.length) * 4L);
            rows = Arrays.copyOf(rows, larger);
        }
        for (int index = first; index < end; index++) {
            rows[next + index - first] = ids[at[index]];
        }
    }

    /// Compares candidates store by store.
    private int keepDiffering(int[] numbers, int count) {
        if (!isGathered) {
            // Where hardly any keys are equal, few have to be read.
            gather();
            tile.loadForComparison(vectors, all.indexes(), all.count());
            isGathered = true;
        }
        System.arraycopy(tile.places, 0, candidatePlaces, 0, count);
        int left = 0;
        for (int of = 0; of <= store; of++) {
            int from = firstNumbers[of];
            int to = firstNumber(of + 1);
            int candidates = 0;
            for (int index = 0; index < count; index++) {
                int place = candidatePlaces[index];
                if (numbers[place] >= from && numbers[place] < to) {
                    tile.places[left + candidates++] = place;
                    compared[place] = rows[numbers[place]];
                }
            }
            left += tile.keepDiffering(stores.get(of), compared, left, candidates);
        }
        // By place, as they came: numbers do not depend on how many stores there are.
        Arrays.sort(tile.places, 0, left);
        return left;
    }

    private void showForms(int[] numbers, int count) {
        if (!isGathered) {
            return; // none is equal to one of another store
        }
        for (int key = 0; key < vectors.length; key++) {
            if (!DecimalStore.hasForms(vectors[key].type())) {
                continue;
            }
            for (int place = 0; place < count; place++) {
                int number = numbers[place];
                int of = store;
                while (number < firstNumbers[of]) {
                    of--;
                }
                ids[0] = rows[number];
                newAt[0] = place;
                ((DecimalStore) stores.get(of)[key]).showMostDigits((DecimalVector) vectors[key], newAt, ids, 1);
            }
        }
    }
}
