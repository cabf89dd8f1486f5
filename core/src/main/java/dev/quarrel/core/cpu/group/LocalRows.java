package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.LocalAggregate;
import java.util.Arrays;

/// An application's aggregate over rows that are kept, one state at a time: rows are added in the order in which the
/// caller gives them.
public final class LocalRows implements AutoCloseable {
    private static final int TILE_ROWS = 1024;

    private final LocalAggregate aggregate;
    private final ValueStore[] arguments;
    private final Reservation memory;
    private final Vector[] vectors;
    private final Vector[] further;
    private final int[] tile = new int[TILE_ROWS];
    private final Mask all = new Mask(TILE_ROWS);
    private int first; // place of the first row in the vectors
    private int loaded;
    private int sinceCheck;
    private Object state;
    private long bytes;

    /// @param reservation of the budget that states are counted against
    public LocalRows(LocalAggregate aggregate, ValueStore[] arguments, Reservation reservation) {
        this.aggregate = aggregate;
        this.arguments = arguments;
        this.memory = new Reservation(reservation.budget());
        this.vectors = Arrays.stream(arguments)
                .map(store -> Vector.of(store.type(), TILE_ROWS))
                .toArray(Vector[]::new);
        this.further = Arrays.copyOfRange(vectors, 1, vectors.length);
    }

    /// Begins with no rows.
    public void start() {
        state = aggregate.start();
        measure();
    }

    private void measure() {
        long now = aggregate.bytes(state);
        if (now > bytes) {
            memory.grow(now - bytes);
        } else {
            memory.shrink(bytes - now);
        }
        bytes = now;
    }

    /// Adds the row at a place; places that follow each other are cheapest.
    ///
    /// @param rows the row at each place; null: its number is the place
    /// @param end of the places that may follow
    public void add(int[] rows, int place, int end) {
        if (place < first || place >= first + loaded) {
            load(rows, place, Math.min(TILE_ROWS, end - place));
        }
        if (++sinceCheck == TILE_ROWS) {
            sinceCheck = 0;
            memory.budget().checkStop();
        }
        int row = place - first;
        if (aggregate.isStrict() && !isPresent(row)) {
            return;
        }
        state = aggregate.add(state, LocalStates.values(vectors[0], further, row, aggregate));
        if (aggregate.code().isMeasured()) {
            measure();
        }
    }

    private void load(int[] rows, int from, int count) {
        for (int index = 0; index < count; index++) {
            tile[index] = rows == null ? from + index : rows[from + index];
        }
        all.setAll(count);
        for (int argument = 0; argument < arguments.length; argument++) {
            arguments[argument].gather(tile, all, vectors[argument], false);
        }
        first = from;
        loaded = count;
    }

    private boolean isPresent(int row) {
        for (Vector vector : vectors) {
            if (!vector.isPresent(row)) {
                return false;
            }
        }
        return true;
    }

    /// The result of the rows so far, in canonical form.
    public Object finish() {
        return aggregate.finish(state);
    }

    /// The results of groups [from, from + count), whose rows stand group by group.
    ///
    /// @param ends by group: where its rows end in `rows`
    Column results(int[] rows, int[] ends, int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(aggregate.result(), allocator, count);
        int last = ends.length == 0 ? 0 : ends[from + count - 1];
        for (int group = from; group < from + count; group++) {
            start();
            for (int place = group == 0 ? 0 : ends[group - 1]; place < ends[group]; place++) {
                add(rows, place, last);
            }
            writer.append(finish());
        }
        return writer.finish();
    }

    @Override
    public void close() {
        memory.close();
    }
}
