package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/// The search of one worker in a swept build side ([Sweep]).
///
/// It is in the first piece that has a row behind the probe row's time, and knows the last row of each key before that
/// time there. Probe rows that do not ascend are answered, too, but each step back reads a piece from its begin.
final class SweepSearch implements NearestSearch {
    private final JoinTable kept;
    private final List<Sweep.Piece> pieces;
    private final boolean isStrict; // the build row's value is less, not equal
    private final SweepPiece piece;
    private final RowStore found;
    private final ValueStore.GatherTile[] gathers; // by payload column; null for one that nobody reads
    private final int[] lastOf; // by key: its last row in the piece before the time, or -1
    private final int[] placeOf; // by key: where its rows in the table were found to end
    private final int[] pendingInPiece; // rows of the piece, found in this tile
    private final int[] pendingKept; // rows of the table
    private final int[] pendingFor; // and the probe rows that they are for
    private int pending; // rows of `pendingInPiece`
    private int place = -1; // of the piece among all; -1 before the first search
    private int keptBefore; // rows of the table that are of pieces before
    private int passed; // rows of the piece that are at or before `time`
    private long time = Long.MAX_VALUE; // what `lastOf` is for
    private long high = Long.MIN_VALUE; // it is right for all times before this one

    SweepSearch(Sweep sweep, JoinTable kept, Join join) {
        this.kept = kept;
        this.pieces = sweep.pieces();
        this.isStrict = join.nearest().relation() == Relation.GT;
        this.piece = new SweepPiece(sweep, kept);
        int keyCount = kept.isUnique() ? (int) kept.rowCount() : kept.starts().length - 1;
        this.found = sweep.newStore(keyCount * 8L + sweep.tileRows() * 12L);
        List<DataType> types = sweep.payloadTypes();
        this.gathers = new ValueStore.GatherTile[types.size()];
        for (int column = 0; column < gathers.length; column++) {
            if (join.payload().contains(column)
                    || join.residual() != null && join.residual().payload().contains(column)) {
                gathers[column] = new ValueStore.GatherTile(types.get(column));
            }
        }
        this.lastOf = new int[keyCount];
        this.placeOf = kept.isUnique() ? new int[0] : Arrays.copyOf(kept.starts(), keyCount);
        this.pendingInPiece = new int[sweep.tileRows()];
        this.pendingKept = new int[sweep.tileRows()];
        this.pendingFor = new int[sweep.tileRows()];
    }

    @Override
    public ValueStore payload(int column) {
        return found.column(column);
    }

    @Override
    public int find(Vector values, int[] matches, Mask hits, int[] foundRows) {
        found.reset();
        OrderColumn times = OrderColumn.of(values);
        int[] indexes = hits.indexes();
        int count = hits.count();
        int filled = 0;
        int before = 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            int key = matches[row];
            matches[row] = -1;
            if (!values.isPresent(row)) {
                continue;
            }
            long value = times.value(row);
            if (isStrict && value == Long.MIN_VALUE) {
                continue;
            }
            long bound = isStrict ? value - 1 : value;
            if (bound < time || bound >= high) {
                advance(bound);
            }
            int last = lastOf[key];
            if (last >= 0) {
                matches[row] = found.rowCount() + pending;
                pendingInPiece[pending++] = last;
            } else {
                int keptRow = keptBefore(key);
                if (keptRow < 0) {
                    continue;
                }
                pendingKept[before] = keptRow;
                pendingFor[before++] = row;
            }
            foundRows[filled++] = row;
        }
        flush();
        int first = found.rowCount();
        for (int index = 0; index < before; index++) {
            matches[pendingFor[index]] = first + index;
        }
        take(kept::payload, pendingKept, before);
        return filled;
    }

    /// Makes `lastOf` right for a time.
    private void advance(long bound) {
        boolean isHere = place >= 0
                && bound >= time
                && (place == pieces.size() || pieces.get(place).last() > bound);
        if (!isHere) {
            flush();
            moveTo(bound);
        }
        pass(bound);
    }

    /// Moves to the piece that a time is in: the first that has a row behind it.
    private void moveTo(long bound) {
        int from = place < 0 || bound < time ? 0 : place;
        int to = pieces.size();
        if (from < to
                && pieces.get(from).last() <= bound
                && from + 1 < to
                && pieces.get(from + 1).last() > bound) {
            to = ++from; // the next one
        }
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (pieces.get(middle).last() <= bound) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        place = from;
        passed = 0;
        Arrays.fill(lastOf, -1);
        if (place < pieces.size()) {
            keptBefore = pieces.get(place).firstKept();
            piece.start(pieces.get(place).morsel());
        } else {
            keptBefore = (int) kept.rowCount();
            piece.release();
        }
    }

    /// Goes on in the piece, over all rows that are not behind a time.
    private void pass(long bound) {
        time = bound;
        high = Long.MAX_VALUE;
        if (place == pieces.size()) {
            return;
        }
        do {
            OrderColumn order = piece.order();
            int[] keyOf = piece.keyOf();
            int read = piece.rows().rowCount();
            int end = order.firstAbove(passed, read, bound);
            for (int row = passed; row < end; row++) {
                lastOf[keyOf[row]] = row;
            }
            passed = end;
            if (end < read) {
                high = order.value(end);
                return;
            }
        } while (piece.readTile());
    }

    /// The last row of a key in the pieces before, or -1.
    private int keptBefore(int key) {
        if (kept.isUnique()) {
            return key < keptBefore ? key : -1;
        }
        int[] order = kept.order();
        int from = kept.starts()[key];
        int to = kept.starts()[key + 1];
        int at = placeOf[key];
        if (at > from && order[at - 1] >= keptBefore) {
            at = firstNotBefore(order, from, at);
        } else if (at < to && order[at] < keptBefore) {
            int width = 1;
            while (at + width < to && order[at + width] < keptBefore) {
                at += width;
                width <<= 1;
            }
            at = firstNotBefore(order, at, Math.min(to, at + width + 1));
        }
        placeOf[key] = at;
        return at > from ? order[at - 1] : -1;
    }

    private int firstNotBefore(int[] order, int from, int to) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order[middle] < keptBefore) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Puts what was found in the piece into `found`, before the piece is left.
    private void flush() {
        take(piece.rows()::column, pendingInPiece, pending);
        pending = 0;
    }

    private void take(IntFunction<ValueStore> columns, int[] rows, int count) {
        if (count == 0) {
            return;
        }
        for (int column = 0; column < gathers.length; column++) {
            if (gathers[column] != null) {
                found.column(column).appendRows(columns.apply(column), rows, count, gathers[column]);
            }
        }
        found.filled(found.rowCount() + count);
    }
}
