package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/// One join on one worker: looks up a tile's keys and hands on what becomes of the rows.
///
/// Where a probe row has one match at most (unique build keys, or no payload wanted) rows stay in their tile:
/// the mask narrows, carried vectors are handed on as they are, and payload is gathered when the next program
/// loads it. Otherwise pairs fill new tiles. A residual condition runs over the same rows or pairs before they
/// are handed on.
final class JoinProbe {
    private final Join join;
    private final JoinKind kind;
    private final JoinTable table;
    private final int tileRows;
    private final Cancellation cancellation;
    private final byte[] matched; // by build row, or null
    private final ProgramOutputs residual; // or null
    private final Mask present;
    private final Mask hits;
    private final Mask rest;
    private final int[] matches; // by row: the key's number, or -1
    private final int[] found;
    private final int[] places;
    private final Vector[] keys;
    private final KeyScratch scratch;
    private final NearestSearch nearest; // or null
    private final RangeSearch range; // or null
    private final BoolVector mark; // or null
    private final PlaceInput inPlace;
    private final PlaceInput checkedInPlace;
    private final Pairs pairs; // or null: rows stay in their tile
    private Mask wanted; // the rows that `matches` is for
    private boolean isMatched; // whether `matches` is filled for the rows that have a match
    private boolean isMatchedForAll; // and holds -1 for all others

    /// Runs the rest of the pipeline over a tile.
    interface Next {
        void run(TileInput input, Mask rows);
    }

    /// @param built flags for build rows, or null where nobody asks
    JoinProbe(
            Join join,
            JoinTable table,
            BuildMatches built,
            Program next,
            List<Literal> slotValues,
            int tileRows,
            Cancellation cancellation) {
        this.join = join;
        this.kind = join.kind();
        this.table = table;
        this.tileRows = tileRows;
        this.cancellation = cancellation;
        this.matched = built == null ? null : built.flags();
        this.present = new Mask(tileRows);
        this.hits = new Mask(tileRows);
        this.rest = new Mask(tileRows);
        this.wanted = hits;
        this.matches = new int[tileRows];
        this.found = new int[tileRows];
        this.places = new int[tileRows];
        this.keys = new Vector[join.keys().size()];
        this.scratch = new KeyScratch(keys.length, tileRows);
        this.nearest = join.nearest() == null ? null : table.newSearch(join);
        this.range = join.range() == null ? null : new RangeSearch(join, table, slotValues, tileRows);
        IntFunction<ValueStore> payload = nearest == null ? table::payload : nearest::payload;
        this.mark = kind.hasMark() ? new BoolVector(tileRows) : null;
        this.inPlace = new PlaceInput(
                join.carried(), join.payload(), next.inputs(), payload, tileRows, this::matchedRows, mark);
        Join.Residual check = join.residual();
        this.residual = check == null ? null : new ProgramOutputs(check.program(), slotValues, tileRows);
        this.checkedInPlace = check == null
                ? null
                : new PlaceInput(
                        check.carried(),
                        check.payload(),
                        check.program().inputs(),
                        payload,
                        tileRows,
                        this::matchedRows,
                        null);
        boolean needsPairs = check != null || kind.hasPayload() && kind.hasCarried();
        this.pairs = table.isUnique() || !needsPairs || nearest != null ? null : new Pairs(next);
    }

    /// @param rows the surviving rows of the program before
    void probe(TileOutputs outputs, Mask rows, Next next) {
        for (int key = 0; key < keys.length; key++) {
            keys[key] = outputs.get(join.keys().get(key), rows);
        }
        isMatched = false;
        isMatchedForAll = false;
        presentKeys(rows);
        if (table.isDenseInteger() && keys[0] instanceof IntVector ints) {
            probeDense(ints.values(), (int) (table.index().denseBase() - 1), rows);
        } else if (table.isDenseInteger() && keys[0] instanceof LongVector longs) {
            placesOf(longs.values(), rows.rowCount());
            probeDense(places, 0, rows);
        } else {
            probeIndex(rows);
        }
        if (nearest != null && !hits.isEmpty()) {
            findNearest(outputs.get(join.nearest().probe(), hits));
        }
        if (range != null && !hits.isEmpty()) {
            findRange(outputs);
        }
        if (residual == null || hits.isEmpty()) {
            handOn(outputs, rows, next);
        } else if (pairs == null) {
            checkInPlace(outputs, rows, next);
        } else {
            pairs.check(outputs, rows, next);
        }
    }

    /// Narrows `hits` to the rows that have a nearest row, which becomes their match.
    private void findNearest(Vector values) {
        wanted = hits;
        int[] rows = matchedRows();
        int count = nearest.find(values, rows, hits, found);
        hits.setIndexes(found, count, hits.rowCount());
        isMatchedForAll = false;
    }

    /// Narrows `hits` to the rows that have build rows in their range.
    private void findRange(TileOutputs outputs) {
        wanted = hits;
        int count = range.find(outputs, matchedRows(), hits, found);
        hits.setIndexes(found, count, hits.rowCount());
        isMatchedForAll = false;
    }

    /// Build rows, in which those of a probe row lie together.
    private int[] order() {
        return range == null ? table.order() : range.order();
    }

    /// The place in `order` where a probe row's candidates begin.
    ///
    /// @param key the number of its key
    private int firstPlace(int row, int key) {
        return range == null ? table.starts()[key] : range.from()[row];
    }

    private int endPlace(int row, int key) {
        return range == null ? table.starts()[key + 1] : range.to()[row];
    }

    private void presentKeys(Mask rows) {
        present.set(rows);
        for (Vector key : keys) {
            if (key.validity() != null) {
                present.setAnd(present, key.validity());
            }
        }
    }

    // What becomes of the rows, once `hits` are those with a match.

    private void handOn(TileOutputs outputs, Mask rows, Next next) {
        switch (kind) {
            case INNER, SEMI -> go(outputs, hits, next);
            case RIGHT -> {
                flag();
                go(outputs, hits, next);
            }
            case LEFT -> go(outputs, rows, next);
            case FULL -> {
                flag();
                go(outputs, rows, next);
            }
            case ANTI -> {
                rest.setAndNot(rows, hits.bits());
                go(outputs, rest, next);
            }
            case MARK, MARK_IN -> {
                mark(rows);
                go(outputs, rows, next);
            }
            case RIGHT_SEMI, RIGHT_ANTI -> flag();
        }
    }

    private void go(TileOutputs outputs, Mask rows, Next next) {
        if (rows.isEmpty()) {
            return;
        }
        if (pairs != null && residual == null) {
            pairs.handOn(outputs, rows, next);
        } else {
            goInPlace(outputs, rows, next);
        }
    }

    private void goInPlace(TileOutputs outputs, Mask rows, Next next) {
        wanted = rows;
        inPlace.start(outputs, rows != hits);
        next.run(inPlace, rows);
    }

    /// Flags the build rows that have a match with one of `hits`.
    private void flag() {
        if (hits.isEmpty()) {
            return;
        }
        wanted = hits;
        int[] numbers = matchedRows();
        int[] indexes = hits.indexes();
        int count = hits.count();
        if (table.isUnique()) {
            for (int index = 0; index < count; index++) {
                matched[numbers[indexes[index]]] = 1;
            }
            return;
        }
        int[] order = order();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            int from = firstPlace(row, numbers[row]);
            int to = endPlace(row, numbers[row]);
            // Without a range, rows of a key are flagged together.
            if (range != null || matched[order[from]] == 0) {
                for (int at = from; at < to; at++) {
                    matched[order[at]] = 1;
                }
            }
        }
    }

    private void mark(Mask rows) {
        int words = rows.wordCount();
        System.arraycopy(hits.bits(), 0, mark.bits(), 0, words);
        boolean isKnown = kind == JoinKind.MARK || table.isEmptyBuild();
        if (isKnown || !table.hasNullKeys() && present.count() == rows.count()) {
            mark.setAllPresent();
            return;
        }
        long[] validity = mark.writableValidity();
        for (int word = 0; word < words; word++) {
            validity[word] = hits.bits()[word] | (table.hasNullKeys() ? 0 : present.bits()[word]);
        }
    }

    /// Narrows `hits` to the rows whose one candidate meets the residual condition.
    private void checkInPlace(TileOutputs outputs, Mask rows, Next next) {
        boolean allSurvive = kind == JoinKind.LEFT || kind == JoinKind.FULL;
        wanted = allSurvive ? rows : hits;
        checkedInPlace.start(outputs, wanted != hits);
        Mask kept = residual.run(checkedInPlace, hits);
        if (kind == JoinKind.MARK) {
            BoolVector truth = (BoolVector) residual.get(0, hits);
            markBy(rows, truth.bits(), truth.validity());
            goInPlace(outputs, rows, next);
            return;
        }
        if (allSurvive) {
            int[] numbers = matchedRows();
            rest.setAndNot(hits, kept.bits());
            int[] indexes = rest.indexes();
            for (int index = 0; index < rest.count(); index++) {
                numbers[indexes[index]] = -1;
            }
        }
        hits.setAnd(hits, kept.bits());
        handOn(outputs, rows, next);
    }

    /// Marks `hits` by what the condition is for them, and all other rows false.
    private void markBy(Mask rows, long[] truth, long[] known) {
        long[] validity = known == null ? null : mark.writableValidity();
        if (known == null) {
            mark.setAllPresent();
        }
        for (int word = 0; word < rows.wordCount(); word++) {
            long candidates = hits.bits()[word];
            long isKnown = known == null ? -1L : known[word];
            mark.bits()[word] = candidates & isKnown & truth[word];
            if (validity != null) {
                validity[word] = ~candidates | isKnown;
            }
        }
    }

    // Dense integer keys: the mask first, matches only if somebody asks.

    /// Keys as places of the dense array, 0 for those outside.
    private void placesOf(long[] values, int rowCount) {
        long from = table.index().denseBase() - 1;
        long last = table.index().denseSpan() - 1L;
        for (int row = 0; row < rowCount; row++) {
            long place = values[row] - from;
            places[row] = Long.compareUnsigned(place - 1, last) < 0 ? (int) place : 0;
        }
    }

    private void probeDense(int[] values, int from, Mask rows) {
        long[] bits = hits.bits();
        hits.reset(rows.rowCount());
        if (present.isSparse()) {
            Arrays.fill(bits, 0, hits.wordCount(), 0);
            denseSparse(values, from, bits);
        } else if (table.prefersBitmap()) {
            denseBitmap(values, from, bits);
        } else {
            denseNumbers(values, from, bits);
        }
        hits.recount();
    }

    private void denseBitmap(int[] values, int from, long[] bits) {
        int[] bitmap = table.bitmap();
        int last = table.index().denseSpan() - 1;
        int rowCount = present.rowCount();
        for (int word = 0; word < present.wordCount(); word++) {
            int start = word << 6;
            int end = Math.min(64, rowCount - start);
            long found = 0;
            for (int bit = 0; bit < end; bit++) {
                int place = values[start + bit] - from;
                // Place 0 is NULL's, which no build row has.
                int safe = Integer.compareUnsigned(place - 1, last) < 0 ? place : 0;
                found |= (bitmap[safe >>> 5] >>> safe & 1L) << bit;
            }
            bits[word] = found & present.bits()[word];
        }
    }

    private void denseNumbers(int[] values, int from, long[] bits) {
        int[] numbers = table.index().denseNumbers();
        int last = table.index().denseSpan() - 1;
        int rowCount = present.rowCount();
        for (int word = 0; word < present.wordCount(); word++) {
            int start = word << 6;
            int end = Math.min(64, rowCount - start);
            long found = 0;
            for (int bit = 0; bit < end; bit++) {
                int place = values[start + bit] - from;
                int safe = Integer.compareUnsigned(place - 1, last) < 0 ? place : 0;
                int number = numbers[safe];
                matches[start + bit] = number;
                found |= (long) (~number >>> 31) << bit;
            }
            bits[word] = found & present.bits()[word];
        }
        isMatched = true;
        isMatchedForAll = present.count() == present.rowCount();
    }

    private void denseSparse(int[] values, int from, long[] bits) {
        int[] numbers = table.index().denseNumbers();
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
        isMatched = true;
    }

    /// `matches`, filled for the rows of `wanted`, where the probe has not done it.
    private int[] matchedRows() {
        boolean onlyHits = wanted == hits;
        if (onlyHits ? isMatched : isMatchedForAll) {
            return matches;
        }
        if (!isMatched) {
            matchDense();
        }
        isMatched = true;
        if (!onlyHits) {
            isMatchedForAll = true;
            int[] indexes = wanted.indexes();
            for (int index = 0; index < wanted.count(); index++) {
                int row = indexes[index];
                matches[row] = hits.contains(row) ? matches[row] : -1;
            }
        }
        return matches;
    }

    private void matchDense() {
        int[] numbers = table.index().denseNumbers();
        int[] indexes = hits.indexes();
        int count = hits.count();
        if (keys[0] instanceof IntVector ints) {
            int[] values = ints.values();
            int from = (int) (table.index().denseBase() - 1);
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                matches[row] = numbers[values[row] - from];
            }
        } else {
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                matches[row] = numbers[places[row]];
            }
        }
    }

    private void probeIndex(Mask rows) {
        table.index().find(keys, present, scratch);
        isMatched = true;
        int[] indexes = present.indexes();
        int count = present.count();
        int hitCount = 0;
        for (int index = 0; index < count; index++) {
            int id = scratch.ids[index];
            matches[indexes[index]] = id;
            found[hitCount] = indexes[index];
            hitCount += ~id >>> 31;
        }
        hits.setIndexes(found, hitCount, rows.rowCount());
    }

    /// Tiles of pairs, for build keys that repeat.
    private final class Pairs {
        private final PairInput next;
        private final PairInput checked;
        private final int[] probeRows = new int[tileRows];
        private final int[] buildRows = new int[tileRows];
        private final Mask all = new Mask(tileRows);
        private final long[] isTrue = new long[Bits.words(tileRows)]; // by probe row, where there is a residual
        private final long[] isUnknown = new long[Bits.words(tileRows)];
        private int filled;
        // What is handed on, where there is a residual: pairs that meet it, in the order of their probe rows.
        private final int[] keptProbeRows;
        private final int[] keptBuildRows;
        private int kept;
        private Mask rows = null;
        private int nextRow; // among `rows.indexes()`: those before it have been handed on, where all survive

        Pairs(Program nextProgram) {
            boolean handsPairsOn = kind.hasPayload() && kind.hasCarried();
            this.next = handsPairsOn
                    ? new PairInput(join.carried(), join.payload(), nextProgram.inputs(), table, tileRows)
                    : null;
            Join.Residual check = join.residual();
            this.keptProbeRows = new int[check != null && handsPairsOn ? tileRows : 0];
            this.keptBuildRows = new int[keptProbeRows.length];
            this.checked = check == null
                    ? null
                    : new PairInput(
                            check.carried(), check.payload(), check.program().inputs(), table, tileRows);
        }

        /// All pairs of the rows, and a pair with no build row for those that have none; without a residual.
        void handOn(TileOutputs outputs, Mask rows, Next after) {
            boolean mayBeAbsent = rows != hits;
            wanted = rows;
            int[] numbers = matchedRows();
            if (areSingle(numbers, rows)) {
                goInPlace(outputs, rows, after);
                return;
            }
            next.startTile(outputs, rows);
            filled = 0;
            int[] order = order();
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int key = numbers[row];
                if (key < 0) {
                    probeRows[filled] = row;
                    buildRows[filled++] = -1;
                    if (filled == tileRows) {
                        flush(mayBeAbsent, after);
                    }
                    continue;
                }
                int at = firstPlace(row, key);
                int end = endPlace(row, key);
                while (at < end) {
                    int take = Math.min(end - at, tileRows - filled);
                    Arrays.fill(probeRows, filled, filled + take, row);
                    System.arraycopy(order, at, buildRows, filled, take);
                    at += take;
                    filled += take;
                    if (filled == tileRows) {
                        flush(mayBeAbsent, after);
                    }
                }
            }
            flush(mayBeAbsent, after);
        }

        /// Whether no row has several matches; then `numbers` become build rows.
        private boolean areSingle(int[] numbers, Mask rows) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int key = numbers[row];
                if (key >= 0 && endPlace(row, key) - firstPlace(row, key) != 1) {
                    return false;
                }
            }
            int[] order = order();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int key = numbers[row];
                numbers[row] = key < 0 ? -1 : order[firstPlace(row, key)];
            }
            return true;
        }

        private void flush(boolean mayBeAbsent, Next after) {
            flush(probeRows, buildRows, filled, mayBeAbsent, after);
            filled = 0;
        }

        private void flush(int[] fromProbe, int[] fromBuild, int count, boolean mayBeAbsent, Next after) {
            if (count > 0) {
                // One tile of keys can match without end.
                cancellation.checkpoint();
                all.setAll(count);
                next.startPairs(fromProbe, fromBuild, all, mayBeAbsent);
                after.run(next, all);
            }
        }

        /// Runs the residual over all pairs of `hits`; hands on those that meet it, or what it says of the rows.
        void check(TileOutputs outputs, Mask probed, Next after) {
            rows = probed;
            nextRow = 0;
            kept = 0;
            wanted = hits;
            int[] numbers = matchedRows();
            Arrays.fill(isTrue, 0, rows.wordCount(), 0);
            Arrays.fill(isUnknown, 0, rows.wordCount(), 0);
            checked.startTile(outputs, hits);
            if (next != null) {
                next.startTile(outputs, survivesUnmatched() ? rows : hits);
            }
            filled = 0;
            boolean oneIsEnough = kind == JoinKind.SEMI || kind == JoinKind.ANTI || kind == JoinKind.MARK;
            boolean onceABuildRow = kind == JoinKind.RIGHT_SEMI || kind == JoinKind.RIGHT_ANTI;
            int[] order = order();
            int[] indexes = hits.indexes();
            int count = hits.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int at = firstPlace(row, numbers[row]);
                int end = endPlace(row, numbers[row]);
                while (at < end && !(oneIsEnough && Bits.get(isTrue, row))) {
                    if (onceABuildRow) {
                        probeRows[filled] = row;
                        buildRows[filled] = order[at];
                        filled += 1 - matched[order[at]];
                        at++;
                    } else {
                        int take = Math.min(end - at, tileRows - filled);
                        Arrays.fill(probeRows, filled, filled + take, row);
                        System.arraycopy(order, at, buildRows, filled, take);
                        at += take;
                        filled += take;
                    }
                    if (filled == tileRows) {
                        checkPairs(after);
                    }
                }
            }
            checkPairs(after);
            finish(outputs, after);
        }

        private boolean survivesUnmatched() {
            return kind == JoinKind.LEFT || kind == JoinKind.FULL;
        }

        private void checkPairs(Next after) {
            if (filled == 0) {
                return;
            }
            cancellation.checkpoint();
            all.setAll(filled);
            filled = 0;
            checked.startPairs(probeRows, buildRows, all, false);
            Mask met = residual.run(checked, all);
            if (kind == JoinKind.MARK) {
                noteTruth((BoolVector) residual.get(0, all));
                return;
            }
            int[] indexes = met.indexes();
            int count = met.count();
            if (matched != null) {
                for (int index = 0; index < count; index++) {
                    matched[buildRows[indexes[index]]] = 1;
                }
            }
            if (next != null) {
                keep(indexes, count, after);
            }
            for (int index = 0; index < count; index++) {
                int row = probeRows[indexes[index]];
                isTrue[row >>> 6] |= 1L << row;
            }
        }

        private void keep(int[] indexes, int count, Next after) {
            boolean all = survivesUnmatched();
            for (int index = 0; index < count; index++) {
                int row = probeRows[indexes[index]];
                if (all) {
                    keepUnmatched(row, after);
                    isTrue[row >>> 6] |= 1L << row;
                }
                keep(row, buildRows[indexes[index]], after);
            }
        }

        /// Hands on the rows before `end` that have no match: pairs come in the order of their rows.
        private void keepUnmatched(int end, Next after) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            while (nextRow < count && indexes[nextRow] < end) {
                if (!Bits.get(isTrue, indexes[nextRow])) {
                    keep(indexes[nextRow], -1, after);
                }
                nextRow++;
            }
        }

        private void keep(int row, int buildRow, Next after) {
            keptProbeRows[kept] = row;
            keptBuildRows[kept++] = buildRow;
            if (kept == tileRows) {
                flush(keptProbeRows, keptBuildRows, kept, survivesUnmatched(), after);
                kept = 0;
            }
        }

        private void noteTruth(BoolVector truth) {
            for (int pair = 0; pair < all.count(); pair++) {
                int row = probeRows[pair];
                if (!truth.isPresent(pair)) {
                    isUnknown[row >>> 6] |= 1L << row;
                } else if (truth.get(pair)) {
                    isTrue[row >>> 6] |= 1L << row;
                }
            }
        }

        private void finish(TileOutputs outputs, Next after) {
            switch (kind) {
                case RIGHT_SEMI, RIGHT_ANTI -> {}
                case INNER, RIGHT -> flush(keptProbeRows, keptBuildRows, kept, false, after);
                case LEFT, FULL -> {
                    keepUnmatched(rows.rowCount(), after);
                    flush(keptProbeRows, keptBuildRows, kept, true, after);
                }
                case SEMI -> {
                    hits.setAnd(rows, isTrue);
                    goIfAny(outputs, hits, after);
                }
                case ANTI -> {
                    rest.setAndNot(rows, isTrue);
                    goIfAny(outputs, rest, after);
                }
                case MARK -> {
                    long[] validity = mark.writableValidity();
                    for (int word = 0; word < rows.wordCount(); word++) {
                        mark.bits()[word] = isTrue[word];
                        validity[word] = isTrue[word] | ~isUnknown[word];
                    }
                    goInPlace(outputs, rows, after);
                }
                case MARK_IN -> throw new IllegalStateException("MARK_IN has no residual");
            }
        }

        private void goIfAny(TileOutputs outputs, Mask rows, Next after) {
            if (!rows.isEmpty()) {
                goInPlace(outputs, rows, after);
            }
        }
    }
}
