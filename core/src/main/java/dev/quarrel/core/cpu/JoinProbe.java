package dev.quarrel.core.cpu;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// One join on one worker: looks up a tile's keys and hands on what becomes of the rows.
///
/// With unique build keys (and for SEMI and ANTI always) rows stay in their tile: the mask narrows, carried vectors
/// are
/// handed on
/// as they are, and payload is gathered when the next program loads it. Otherwise matches fill new tiles.
final class JoinProbe {
    private final Join join;
    private final JoinTable table;
    private final int tileRows;
    private final Cancellation cancellation;
    private final Mask present;
    private final Mask survivors;
    private final int[] matches; // by row: the key's number, or -1
    private final int[] found;
    private final Vector[] keys;
    private final KeyScratch scratch;
    private final TileMatches narrowed;
    private final Expansion expansion;
    private boolean isMatched; // whether `matches` is filled for the tile

    /// Runs the rest of the pipeline over a tile.
    interface Next {
        void run(TileInput input, Mask rows);
    }

    JoinProbe(Join join, JoinTable table, Program next, int tileRows, Cancellation cancellation) {
        this.join = join;
        this.table = table;
        this.tileRows = tileRows;
        this.cancellation = cancellation;
        this.present = new Mask(tileRows);
        this.survivors = new Mask(tileRows);
        this.matches = new int[tileRows];
        this.found = new int[tileRows];
        this.keys = new Vector[join.keys().size()];
        this.scratch = new KeyScratch(keys.length, tileRows);
        boolean inPlace = table.isUnique() || join.kind() == JoinKind.SEMI || join.kind() == JoinKind.ANTI;
        this.narrowed = inPlace ? new TileMatches(next.inputs()) : null;
        this.expansion = inPlace ? null : new Expansion(next.inputs());
    }

    /// @param rows the surviving rows of the program before
    void probe(TileOutputs outputs, Mask rows, Next next) {
        for (int key = 0; key < keys.length; key++) {
            keys[key] = outputs.get(join.keys().get(key), rows);
        }
        isMatched = false;
        presentKeys(rows);
        if (table.isDenseInteger() && keys[0] instanceof IntVector ints) {
            probeDense(ints.values(), rows);
        } else {
            probeIndex(rows);
        }
        if (survivors.isEmpty()) {
            return;
        }
        if (expansion == null) {
            narrowed.start(outputs);
            next.run(narrowed, survivors);
        } else {
            match();
            expansion.run(outputs, next);
        }
    }

    private void presentKeys(Mask rows) {
        present.set(rows);
        for (Vector key : keys) {
            if (key.validity() != null) {
                present.setAnd(present, key.validity());
            }
        }
    }

    // Dense integer keys: the mask first, matches only if somebody asks.

    private void probeDense(int[] values, Mask rows) {
        long[] bits = survivors.bits();
        survivors.reset(rows.rowCount());
        if (present.isSparse()) {
            Arrays.fill(bits, 0, survivors.wordCount(), 0);
            denseSparse(values, bits);
        } else if (table.bitmap() != null) {
            denseBitmap(values, bits);
        } else {
            denseNumbers(values, bits);
        }
        survivors.recount();
        narrow(rows);
    }

    private void denseBitmap(int[] values, long[] bits) {
        long[] bitmap = table.bitmap();
        int from = (int) (table.index().denseBase() - 1);
        int last = table.index().denseSpan() - 1;
        int rowCount = present.rowCount();
        for (int word = 0; word < present.wordCount(); word++) {
            int start = word << 6;
            int end = Math.min(64, rowCount - start);
            long hits = 0;
            for (int bit = 0; bit < end; bit++) {
                int place = values[start + bit] - from;
                // Place 0 is NULL's, which no build row has.
                int safe = Integer.compareUnsigned(place - 1, last) < 0 ? place : 0;
                hits |= (bitmap[safe >>> 6] >>> safe & 1) << bit;
            }
            bits[word] = hits & present.bits()[word];
        }
    }

    private void denseNumbers(int[] values, long[] bits) {
        int[] numbers = table.index().denseNumbers();
        int from = (int) (table.index().denseBase() - 1);
        int last = table.index().denseSpan() - 1;
        int rowCount = present.rowCount();
        for (int word = 0; word < present.wordCount(); word++) {
            int start = word << 6;
            int end = Math.min(64, rowCount - start);
            long hits = 0;
            for (int bit = 0; bit < end; bit++) {
                int place = values[start + bit] - from;
                int safe = Integer.compareUnsigned(place - 1, last) < 0 ? place : 0;
                int number = numbers[safe];
                matches[start + bit] = number;
                hits |= (long) (~number >>> 31) << bit;
            }
            bits[word] = hits & present.bits()[word];
        }
        isMatched = join.kind() != JoinKind.LEFT;
    }

    private void denseSparse(int[] values, long[] bits) {
        int[] numbers = table.index().denseNumbers();
        int from = (int) (table.index().denseBase() - 1);
        int last = table.index().denseSpan() - 1;
        int[] indexes = present.indexes();
        int count = present.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            int place = values[row] - from;
            int number = Integer.compareUnsigned(place - 1, last) < 0 ? numbers[place] : -1;
            matches[row] = number;
            bits[row >>> 6] |= (long) (~number >>> 31) << row;
        }
        isMatched = join.kind() != JoinKind.LEFT;
    }

    /// From the rows with a match to those that the join lets live.
    private void narrow(Mask rows) {
        switch (join.kind()) {
            case INNER, SEMI -> {}
            case LEFT -> survivors.set(rows);
            case ANTI -> survivors.setAndNot(rows, survivors.bits());
        }
    }

    /// Fills `matches` for the surviving rows, where the dense probe has not.
    private void match() {
        if (isMatched) {
            return;
        }
        isMatched = true;
        int[] values = ((IntVector) keys[0]).values();
        int[] numbers = table.index().denseNumbers();
        int from = (int) (table.index().denseBase() - 1);
        int last = table.index().denseSpan() - 1;
        int[] indexes = survivors.indexes();
        int count = survivors.count();
        boolean mayBeNull = keys[0].validity() != null;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            int place = values[row] - from;
            int safe = Integer.compareUnsigned(place - 1, last) < 0 ? place : 0;
            matches[row] = mayBeNull && !present.contains(row) ? -1 : numbers[safe];
        }
    }

    private void probeIndex(Mask rows) {
        table.index().find(keys, present, scratch);
        isMatched = true;
        if (join.kind() == JoinKind.LEFT && present.count() < rows.count()) {
            int[] all = rows.indexes();
            for (int index = 0; index < rows.count(); index++) {
                matches[all[index]] = -1;
            }
        }
        int[] indexes = present.indexes();
        int count = present.count();
        int hits = 0;
        for (int index = 0; index < count; index++) {
            int id = scratch.ids[index];
            matches[indexes[index]] = id;
            found[hits] = indexes[index];
            hits += ~id >>> 31;
        }
        survivors.setIndexes(found, hits, rows.rowCount());
        narrow(rows);
    }

    /// What the next program loads when rows stay in their tile.
    private final class TileMatches implements TileInput {
        private final List<DataType> types;
        private final Vector[] vectors;
        private final Mask[] loaded;
        private final boolean[] isLoaded;
        private final Mask missing;
        private TileOutputs outputs;

        TileMatches(List<DataType> types) {
            this.types = types;
            this.vectors = new Vector[types.size()];
            this.loaded = new Mask[types.size()];
            this.isLoaded = new boolean[types.size()];
            this.missing = new Mask(tileRows);
        }

        void start(TileOutputs newOutputs) {
            outputs = newOutputs;
            Arrays.fill(isLoaded, false);
        }

        @Override
        public Vector load(int input, Mask rows) {
            int carried = join.carried().size();
            return input < carried
                    ? outputs.get(join.carried().get(input), rows)
                    : payload(input, table.payload(join.payload().get(input - carried)), rows);
        }

        private Vector payload(int input, ValueStore store, Mask rows) {
            if (vectors[input] == null) {
                vectors[input] = Vector.of(types.get(input), tileRows);
                loaded[input] = new Mask(tileRows);
            }
            match();
            boolean mayBeAbsent = join.kind() == JoinKind.LEFT;
            if (!isLoaded[input]) {
                isLoaded[input] = true;
                loaded[input].set(rows);
                store.gather(matches, rows, vectors[input], mayBeAbsent);
                return vectors[input];
            }
            missing.setAndNot(rows, loaded[input].bits());
            if (!missing.isEmpty()) {
                store.gather(matches, missing, vectors[input], mayBeAbsent);
                long[] bits = loaded[input].bits();
                for (int word = 0; word < missing.wordCount(); word++) {
                    bits[word] |= missing.bits()[word];
                }
                loaded[input].recount();
            }
            return vectors[input];
        }
    }

    /// New tiles of matches, for build keys that repeat.
    private final class Expansion implements TileInput {
        private final List<DataType> types;
        private final Vector[] vectors;
        private final boolean[] isLoaded;
        private final Vector[] carried;
        private final int[] probeRows;
        private final int[] buildRows;
        private final Mask all;
        private TileOutputs outputs;
        private int filled;

        Expansion(List<DataType> types) {
            this.types = types;
            this.vectors = new Vector[types.size()];
            this.isLoaded = new boolean[types.size()];
            this.carried = new Vector[join.carried().size()];
            this.probeRows = new int[tileRows];
            this.buildRows = new int[tileRows];
            this.all = new Mask(tileRows);
        }

        void run(TileOutputs newOutputs, Next next) {
            outputs = newOutputs;
            Arrays.fill(carried, null);
            filled = 0;
            int[] starts = table.starts();
            int[] order = table.order();
            int[] indexes = survivors.indexes();
            int count = survivors.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int key = matches[row];
                if (key < 0) {
                    probeRows[filled] = row;
                    buildRows[filled++] = -1;
                    flushIfFull(next);
                    continue;
                }
                int at = starts[key];
                int end = starts[key + 1];
                while (at < end) {
                    int take = Math.min(end - at, tileRows - filled);
                    Arrays.fill(probeRows, filled, filled + take, row);
                    System.arraycopy(order, at, buildRows, filled, take);
                    at += take;
                    filled += take;
                    flushIfFull(next);
                }
            }
            flush(next);
        }

        private void flushIfFull(Next next) {
            if (filled == tileRows) {
                flush(next);
            }
        }

        private void flush(Next next) {
            if (filled == 0) {
                return;
            }
            // One tile of keys can match without end.
            cancellation.check();
            all.setAll(filled);
            Arrays.fill(isLoaded, false);
            next.run(this, all);
            filled = 0;
        }

        @Override
        public Vector load(int input, Mask rows) {
            if (vectors[input] == null) {
                vectors[input] = Vector.of(types.get(input), tileRows);
            }
            Vector vector = vectors[input];
            if (!isLoaded[input]) {
                isLoaded[input] = true;
                if (input < carried.length) {
                    if (carried[input] == null) {
                        carried[input] = outputs.get(join.carried().get(input), survivors);
                    }
                    vector.gather(carried[input], probeRows, filled);
                } else {
                    ValueStore store = table.payload(join.payload().get(input - carried.length));
                    store.gather(buildRows, all, vector, join.kind() == JoinKind.LEFT);
                }
            }
            return vector;
        }
    }
}
