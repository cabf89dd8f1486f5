package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Relation;
import java.util.List;

/// How one worker finds the build rows of each probe row of a join by a range: between two bisections of the rows of
/// its key, each of which begins where it last ended there. A probe side in the order of the range moves on by few
/// rows.
final class RangeSearch {
    private static final int MAX_REMEMBERED = 1 << 18;

    private final Join.Range range;
    private final boolean isAbove; // whether a value at the lower bound is no match
    private final boolean isBelow; // whether one at the upper bound is none
    private final ColumnShift shifts; // null where there is none
    private final ProgramOutputs bounds;
    private final PlaceInput input;
    private final ValueStore column;
    private final NearestRows rows; // null where keys are unique: then there is nothing to search
    private final int[] from;
    private final int[] to;
    private final int[] lastFrom; // by key; null where keys are too many
    private final int[] lastTo;

    RangeSearch(Join join, JoinTable table, List<Literal> slotValues, int tileRows) {
        this.range = join.range();
        this.isAbove = range.lower() != null && range.lower().relation() == Relation.GT;
        this.isBelow = range.upper() != null && range.upper().relation() == Relation.LT;
        this.shifts = ColumnShift.of(table.payload(range.payload()).type(), range);
        this.bounds = new ProgramOutputs(range.program(), slotValues, tileRows);
        this.input = new PlaceInput(
                range.carried(), List.of(), range.program().inputs(), table::payload, tileRows, () -> new int[0], null);
        this.column = table.payload(range.payload());
        this.rows = table.isUnique() ? null : table.nearest(range.payload());
        this.from = new int[rows == null ? 0 : tileRows];
        this.to = new int[from.length];
        boolean remembers = rows != null && rows.starts().length <= MAX_REMEMBERED;
        this.lastFrom = remembers ? rows.starts().clone() : null;
        this.lastTo = remembers ? rows.starts().clone() : null;
    }

    /// Build rows; those of a key come in the order of the range's column.
    int[] order() {
        return rows.order();
    }

    /// By probe row that was found, the place of its first match in `order`.
    int[] from() {
        return from;
    }

    /// By probe row that was found, the place behind its last match.
    int[] to() {
        return to;
    }

    /// Finds the places of each row's matches; where the table's keys are unique, whether the one row is a match.
    ///
    /// @param matches by row of `hits`, the key's number
    /// @param found gets the rows that have a match
    /// @return how many have
    int find(TileOutputs outputs, int[] matches, Mask hits, int[] found) {
        input.start(outputs, false);
        bounds.run(input, hits);
        Vector low = range.lower() == null ? null : bounds.get(0, hits);
        Vector high = range.upper() == null ? null : bounds.get(low == null ? 0 : 1, hits);
        OrderColumn lows = low == null ? null : OrderColumn.of(low);
        OrderColumn highs = high == null ? null : OrderColumn.of(high);
        OrderColumn values = rows == null ? OrderColumn.of(column) : null;
        int[] indexes = hits.indexes();
        int count = hits.count();
        int filled = 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (low != null && !low.isPresent(row) || high != null && !high.isPresent(row)) {
                continue;
            }
            long lower = lows == null ? Long.MIN_VALUE : lowerOf(lows.value(row));
            long upper = highs == null ? Long.MAX_VALUE : upperOf(highs.value(row));
            boolean isFound = rows == null
                    ? column.isPresent(matches[row]) && holds(checked(values.value(matches[row])), lower, upper)
                    : find(row, matches[row], lower, upper);
            found[filled] = row;
            filled += isFound ? 1 : 0;
        }
        return filled;
    }

    private long lowerOf(long bound) {
        return shifts == null ? bound : shifts.unshifted(bound, range.lower().shift());
    }

    private long upperOf(long bound) {
        return shifts == null ? bound : shifts.unshifted(bound, range.upper().shift());
    }

    private long checked(long value) {
        if (shifts != null) {
            shifts.require(value);
        }
        return value;
    }

    /// Whether a key's one row is between the bounds, or prevails.
    private boolean holds(long value, long lower, long upper) {
        boolean isLowEnough = isBelow ? value < upper : value <= upper;
        return (isAbove ? value > lower : value >= lower) && isLowEnough || range.prevailing() && value < lower;
    }

    private boolean find(int row, int key, long lower, long upper) {
        int first = rows.starts()[key];
        int end = rows.starts()[key + 1];
        if (shifts != null && first < end) {
            shifts.require(rows, first, end);
        }
        int begin = first;
        if (range.lower() != null) {
            begin = firstNotLess(first, end, lastFrom, key, lower, isAbove);
        }
        int stop = end;
        if (range.upper() != null) {
            stop = firstNotLess(first, end, lastTo, key, upper, !isBelow);
        }
        if (range.prevailing() && begin > first && (begin == end || rows.valueAt(begin) != lower)) {
            begin--;
            stop = Math.max(stop, begin + 1);
        }
        from[row] = begin;
        to[row] = stop;
        return begin < stop;
    }

    /// The first place whose value is not less than a bound, or, `isBehind`, is greater.
    private int firstNotLess(int first, int end, int[] last, int key, long bound, boolean isBehind) {
        if (isBehind && bound == Long.MAX_VALUE) {
            return end;
        }
        long least = isBehind ? bound + 1 : bound;
        if (last == null) {
            return rows.firstNotLess(first, end, least);
        }
        int place = rows.gallop(first, end, last[key], least);
        last[key] = place;
        return place;
    }
}
