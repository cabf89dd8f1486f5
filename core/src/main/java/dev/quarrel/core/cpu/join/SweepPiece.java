package dev.quarrel.core.cpu.join;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.Sink;
import java.util.Arrays;

/// The piece of a swept build side that one worker is in: its rows, read tile by tile as the worker goes on.
final class SweepPiece {
    private final Sweep sweep;
    private final JoinTable kept;
    private final Sink.HashBuild sink;
    private final ProgramOutputs program;
    private final BatchInput input;
    private final Mask all;
    private final Mask known;
    private final int[] knownRows;
    private final Vector[] keys;
    private final Vector[] values;
    private final KeyScratch scratch;
    private final RowStore rows;
    private int[] keyOf = new int[0];
    private OrderColumn order;
    private Batch batch; // open, or null
    private int batchNumber = -1;
    private int nextRow;
    private int endRow;

    /// @param kept whose index numbers the keys
    SweepPiece(Sweep sweep, JoinTable kept) {
        int tileRows = sweep.tileRows();
        this.sweep = sweep;
        this.kept = kept;
        this.sink = (Sink.HashBuild) sweep.pipeline().sink();
        this.program = new ProgramOutputs(
                sweep.pipeline().lastProgram(), sweep.context().slotValues(), tileRows);
        this.input = new BatchInput(sweep.pipeline().source().types(), tileRows);
        this.all = new Mask(tileRows);
        this.known = new Mask(tileRows);
        this.knownRows = new int[tileRows];
        this.keys = new Vector[sink.keys().size()];
        this.values = new Vector[sink.payload().size()];
        this.scratch = new KeyScratch(keys.length, tileRows);
        this.rows = sweep.newStore(sweep.pieceRows() * 4L);
        this.order = OrderColumn.of(rows.column(sweep.order()));
    }

    /// Moves to the begin of a piece.
    void start(Morsel morsel) {
        rows.reset();
        if (batchNumber != morsel.batch()) {
            release();
            batch = sweep.source().hold(morsel.batch());
            batchNumber = morsel.batch();
        }
        nextRow = morsel.firstRow();
        endRow = morsel.firstRow() + morsel.rowCount();
    }

    /// Gives the batch back that was read last.
    void release() {
        if (batch != null) {
            sweep.context().counters().bytesRead.add(input.takeLoadedBytes());
            batch = null;
            sweep.source().release(batchNumber);
            batchNumber = -1;
        }
    }

    /// Reads one more tile.
    ///
    /// @return whether there was one; it may have no row that counts
    boolean readTile() {
        if (nextRow == endRow) {
            return false;
        }
        sweep.context().cancellation().checkpoint();
        int count = Math.min(sweep.tileRows(), endRow - nextRow);
        all.setAll(count);
        input.moveTo(batch, nextRow, count);
        nextRow += count;
        Mask selected = program.run(input, all);
        if (!selected.isEmpty()) {
            take(selected);
        }
        return true;
    }

    private void take(Mask selected) {
        known.set(selected);
        for (int key = 0; key < keys.length; key++) {
            keys[key] = program.get(sink.keys().get(key), selected);
            if (keys[key].validity() != null) {
                known.setAnd(known, keys[key].validity());
            }
        }
        kept.index().find(keys, known, scratch);
        int[] indexes = known.indexes();
        int first = rows.rowCount();
        if (keyOf.length < first + known.count()) {
            keyOf = Arrays.copyOf(keyOf, Math.max(2 * keyOf.length, first + known.count()));
        }
        int count = 0;
        for (int place = 0; place < known.count(); place++) {
            int key = scratch.ids[place];
            keyOf[first + count] = key;
            knownRows[count] = indexes[place];
            count += ~key >>> 31;
        }
        if (count < known.count()) {
            known.setIndexes(knownRows, count, selected.rowCount());
        }
        for (int column = 0; column < values.length; column++) {
            values[column] = program.get(sink.payload().get(column), known);
        }
        rows.append(values, known);
        order = OrderColumn.of(rows.column(sweep.order()));
        if (!order.ascends(Math.max(0, first - 1), rows.rowCount() - 1)) {
            throw sweep.disorder();
        }
    }

    /// The rows read so far.
    RowStore rows() {
        return rows;
    }

    /// The key of each row read.
    int[] keyOf() {
        return keyOf;
    }

    /// The order of the rows read so far.
    OrderColumn order() {
        return order;
    }
}
