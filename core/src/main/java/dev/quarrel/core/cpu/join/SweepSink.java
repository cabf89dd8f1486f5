package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.Sink;
import java.util.Arrays;

/// The sink of a build side that is swept ([Sweep]): of each morsel the last row of each key, as keys, then payload. It
/// reads morsels from their ends, and stops when it has seen all keys that there can be.
public final class SweepSink extends RowSink {
    private static final long DENSE_PLACES = 1 << 20;

    private final Sweep sweep;
    private final int keyCount;
    private final int[] outputs;
    private final Vector[] values;
    private final Vector[] keys;
    private final Mask present;
    private final Mask last;
    private final int[] lastRows;
    private final KeyIndex index;
    private final KeyScratch scratch;
    private int[] seenIn = {}; // by key: the number of the morsel that it was seen in of late
    private int morsels;
    private int seen; // keys of this morsel
    private int firstKept;

    SweepSink(Sweep sweep) {
        super(sweep.pipeline().rowTypes(), sweep.tileRows(), sweep.context().budget());
        this.sweep = sweep;
        Sink.HashBuild sink = (Sink.HashBuild) sweep.pipeline().sink();
        this.keyCount = sink.keys().size();
        this.outputs = new int[keyCount + sink.payload().size()];
        for (int column = 0; column < outputs.length; column++) {
            outputs[column] =
                    column < keyCount ? sink.keys().get(column) : sink.payload().get(column - keyCount);
        }
        this.values = new Vector[outputs.length];
        this.keys = new Vector[keyCount];
        this.present = new Mask(sweep.tileRows());
        this.last = new Mask(sweep.tileRows());
        this.lastRows = new int[sweep.tileRows()];
        this.index = new KeyIndex(sweep.pipeline().rowTypes().subList(0, keyCount), rows().reservation(), DENSE_PLACES);
        this.scratch = new KeyScratch(keyCount, sweep.tileRows());
    }

    @Override
    public boolean readsBackwards() {
        return true;
    }

    @Override
    public void startMorsel(Morsel morsel) {
        rows().startMorsel(morsel.index());
        morsels++;
        seen = 0;
        firstKept = rowCount();
    }

    @Override
    public boolean isMorselDone() {
        return seen == sweep.keyLimit();
    }

    @Override
    public void consume(TileOutputs tile, Mask selected) {
        present.set(selected);
        for (int key = 0; key < keyCount; key++) {
            keys[key] = tile.get(outputs[key], selected);
            values[key] = keys[key];
            if (keys[key].validity() != null) {
                present.setAnd(present, keys[key].validity());
            }
        }
        if (present.isEmpty()) {
            return;
        }
        int count = lastOfKeys();
        if (count == 0) {
            return;
        }
        last.setIndexes(lastRows, count, selected.rowCount());
        for (int column = keyCount; column < outputs.length; column++) {
            values[column] = tile.get(outputs[column], last);
        }
        rows().append(values, last);
        countRowsOut(count);
    }

    /// Puts the tile's last row of each key that the morsel has not shown yet into `lastRows`, ascending.
    private int lastOfKeys() {
        index.assign(keys, present, scratch);
        if (seenIn.length < index.size()) {
            int size = Integer.highestOneBit(index.size()) * 2;
            rows().reservation().grow((size - seenIn.length) * 4L);
            seenIn = Arrays.copyOf(seenIn, size);
        }
        int[] ids = scratch.ids;
        int[] indexes = present.indexes();
        int first = lastRows.length;
        for (int place = present.count() - 1; place >= 0; place--) {
            int id = ids[place];
            if (seenIn[id] != morsels) {
                seenIn[id] = morsels;
                lastRows[--first] = indexes[place];
            }
        }
        int count = lastRows.length - first;
        System.arraycopy(lastRows, first, lastRows, 0, count);
        seen += count;
        return count;
    }

    @Override
    public void endMorsel(Morsel morsel) {
        super.endMorsel(morsel);
        int kept = rowCount() - firstKept;
        if (kept > 0) {
            OrderColumn order = OrderColumn.of(rows().column(keyCount + sweep.order()));
            long greatest = Long.MIN_VALUE;
            for (int row = firstKept; row < firstKept + kept; row++) {
                greatest = Math.max(greatest, order.value(row));
            }
            sweep.add(morsel, kept, greatest);
        }
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        throw new IllegalStateException("rows of a sweep are not for files");
    }
}
