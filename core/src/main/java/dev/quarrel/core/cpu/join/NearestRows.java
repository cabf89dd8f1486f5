package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Relation;
import java.util.Arrays;

/// The rows of a join table, key by key, in the order of one column: what ASOF joins and joins by a range search.
///
/// A table keeps the rows of a key in the order in which they were scanned. Where the column ascends in it, as the time
/// of a table that is sorted by it does, nothing is sorted or copied.
final class NearestRows {
    private static final int STOP_CHECK_ROWS = 1 << 16;

    private final int[] starts; // by key; null where each key has one row, which is its number
    private final int[] order;
    private final OrderColumn column; // by row

    private NearestRows(int[] starts, int[] order, OrderColumn column) {
        this.starts = starts;
        this.order = order;
        this.column = column;
    }

    /// @param column of the payload; a build row where it is NULL is near to nothing
    static NearestRows of(JoinTable table, int column, Reservation reservation) {
        ValueStore values = table.payload(column);
        NearestRows whole =
                new NearestRows(table.isUnique() ? null : table.starts(), table.order(), OrderColumn.of(values));
        int rowCount = (int) table.rowCount();
        if (values.isAllPresent() && (table.isUnique() || whole.ascends(rowCount, reservation))) {
            return whole;
        }
        return whole.sorted(table, values, reservation);
    }

    private long value(int row) {
        return column.value(row);
    }

    /// By key, where its rows begin in `order`, and the end of the last one's; null where each key has one row, which
    /// is its number.
    int[] starts() {
        return starts;
    }

    int[] order() {
        return order;
    }

    /// The value of the row at a place of `order`.
    long valueAt(int place) {
        return column.value(order[place]);
    }

    /// The first place of [from, to] whose value is not less than a bound, near the place `at`.
    int gallop(int from, int to, int at, long bound) {
        int width = 1;
        if (at < to && valueAt(at) < bound) {
            int low = at + 1;
            while (low + width <= to - 1 && valueAt(low + width - 1) < bound) {
                low += width;
                width <<= 1;
            }
            return firstNotLess(low, Math.min(to, low + width), bound);
        }
        int high = at;
        while (high - width >= from && valueAt(high - width) >= bound) {
            high -= width;
            width <<= 1;
        }
        return firstNotLess(Math.max(from, high - width), high, bound);
    }

    /// The first place of [from, to] whose value is not less than a bound.
    int firstNotLess(int from, int to, long bound) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (valueAt(middle) < bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Whether the column ascends over all rows, and so over those of each key.
    private boolean ascends(int rowCount, Reservation reservation) {
        for (int from = 0; from + 1 < rowCount; from += STOP_CHECK_ROWS) {
            reservation.budget().checkStop();
            int to = Math.min(rowCount - 1, from + STOP_CHECK_ROWS);
            if (!column.ascends(from, to)) {
                return false;
            }
        }
        return true;
    }

    /// The same with the rows of each key sorted, and without those where the column is NULL.
    private NearestRows sorted(JoinTable table, ValueStore values, Reservation reservation) {
        int keyCount = table.isUnique() ? (int) table.rowCount() : starts.length - 1;
        reservation.grow((keyCount + 1L + (table.isUnique() ? keyCount : order.length)) * Integer.BYTES);
        int[] newStarts = new int[keyCount + 1];
        int[] newOrder = new int[table.isUnique() ? keyCount : order.length];
        RowSorter sorter = new RowSorter(reservation);
        int filled = 0;
        int passed = 0; // rows of the keys before
        for (int key = 0; key < keyCount; key++) {
            newStarts[key] = filled;
            int from = starts == null ? key : starts[key];
            int to = starts == null ? key + 1 : starts[key + 1];
            // A large build numbers its keys region by region (KeyRegions): numbers between those of two regions are of
            // no key, and their starts are 0.
            if (from != passed) {
                to = from;
            }
            passed = Math.max(passed, to);
            boolean isSorted = true;
            for (int at = from; at < to; at++) {
                int row = starts == null ? key : order[at];
                if (values.isPresent(row)) {
                    isSorted &= filled == newStarts[key] || value(newOrder[filled - 1]) <= value(row);
                    newOrder[filled++] = row;
                }
            }
            if (!isSorted) {
                sorter.sort(newOrder, newStarts[key], filled);
            }
            if ((key & STOP_CHECK_ROWS - 1) == 0) {
                reservation.budget().checkStop();
            }
        }
        newStarts[keyCount] = filled;
        sorter.release();
        return new NearestRows(newStarts, newOrder, column);
    }

    /// Sorts rows by the column, and equal ones as they were: their numbers ascend with the scan's order.
    private final class RowSorter {
        private static final int INSERTION_ROWS = 32;
        /// So many at most are sorted as words, which takes some milliseconds.
        private static final int PACKED_ROWS = 1 << 18;

        private final Reservation reservation;
        private long reserved;
        private int[] spare = new int[0];
        private long[] packed = new long[0];

        RowSorter(Reservation reservation) {
            this.reservation = reservation;
        }

        void sort(int[] rows, int from, int to) {
            if (spare.length < to - from) {
                long bytes = (to - from) * (long) Integer.BYTES;
                reservation.grow(bytes);
                reserved += bytes;
                spare = new int[to - from];
            }
            split(rows, from, to, from);
        }

        /// @param base place of `spare`'s first element
        private void split(int[] rows, int from, int to, int base) {
            if (to - from <= INSERTION_ROWS) {
                insert(rows, from, to);
                return;
            }
            if (to - from <= PACKED_ROWS && sortPacked(rows, from, to, base)) {
                return;
            }
            int middle = (from + to) >>> 1;
            split(rows, from, middle, base);
            split(rows, middle, to, base);
            if (value(rows[middle - 1]) <= value(rows[middle])) {
                return;
            }
            if (to - from >= STOP_CHECK_ROWS) {
                reservation.budget().checkStop();
            }
            System.arraycopy(rows, from, spare, from - base, middle - from);
            int left = from - base;
            int leftEnd = middle - base;
            int right = middle;
            for (int at = from; left < leftEnd; at++) {
                boolean takesRight = right < to && value(rows[right]) < value(spare[left]);
                rows[at] = takesRight ? rows[right++] : spare[left++];
            }
        }

        /// Sorts words of a value and a row's place, where both fit into one.
        private boolean sortPacked(int[] rows, int from, int to, int base) {
            long least = Long.MAX_VALUE;
            long greatest = Long.MIN_VALUE;
            for (int at = from; at < to; at++) {
                long value = value(rows[at]);
                least = Math.min(least, value);
                greatest = Math.max(greatest, value);
            }
            int count = to - from;
            int placeBits = 32 - Integer.numberOfLeadingZeros(count - 1);
            long width = greatest - least;
            if (width < 0 || Long.numberOfLeadingZeros(width) <= placeBits) {
                return false;
            }
            if (packed.length < count) {
                long bytes = (count - packed.length) * (long) Long.BYTES;
                reservation.grow(bytes);
                reserved += bytes;
                packed = new long[count];
            }
            for (int index = 0; index < count; index++) {
                packed[index] = value(rows[from + index]) - least << placeBits | index;
            }
            Arrays.sort(packed, 0, count);
            System.arraycopy(rows, from, spare, from - base, count);
            int mask = (1 << placeBits) - 1;
            for (int index = 0; index < count; index++) {
                rows[from + index] = spare[from - base + ((int) packed[index] & mask)];
            }
            return true;
        }

        private void insert(int[] rows, int from, int to) {
            for (int next = from + 1; next < to; next++) {
                int row = rows[next];
                long value = value(row);
                int at = next;
                while (at > from && value(rows[at - 1]) > value) {
                    rows[at] = rows[at - 1];
                    at--;
                }
                rows[at] = row;
            }
        }

        void release() {
            spare = new int[0];
            packed = new long[0];
            reservation.shrink(reserved);
        }
    }

    /// The search of one worker. It begins where it last found a row of the key: a probe side in the order of time
    /// moves on by few rows.
    static final class Search implements NearestSearch {
        private static final int MAX_REMEMBERED = 1 << 18;

        private final JoinTable table;
        private final NearestRows rows;
        private final boolean isBefore; // the greatest below, or else the least above
        private final long step; // from a probe value to the first that is too great, or to the least that is enough
        private final int[] last; // by key, where a search ended; null where keys are too many

        Search(JoinTable table, NearestRows rows, Relation relation) {
            this.table = table;
            this.rows = rows;
            this.isBefore = relation == Relation.GE || relation == Relation.GT;
            // All is "how many values are less than a bound": x <= v is x < v + 1.
            this.step = relation == Relation.GE || relation == Relation.LT ? 1 : 0;
            boolean remembers = rows.starts != null && rows.starts.length <= MAX_REMEMBERED;
            this.last = remembers ? Arrays.copyOf(rows.starts, rows.starts.length) : null;
        }

        @Override
        public ValueStore payload(int column) {
            return table.payload(column);
        }

        @Override
        public int find(Vector values, int[] matches, Mask hits, int[] found) {
            int[] indexes = hits.indexes();
            int count = hits.count();
            int filled = 0;
            OrderColumn probe = OrderColumn.of(values);
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                int match = values.isPresent(row) ? find(matches[row], probe.value(row)) : -1;
                matches[row] = match;
                found[filled] = row;
                filled += ~match >>> 31;
            }
            return filled;
        }

        private int find(int key, long value) {
            if (value == Long.MAX_VALUE && step == 1) {
                // No bound is greater: nothing is above it, and all is at or below.
                int to = rows.starts == null ? key + 1 : rows.starts[key + 1];
                int from = rows.starts == null ? key : rows.starts[key];
                return isBefore && to > from ? row(to - 1) : -1;
            }
            long bound = value + step;
            if (rows.starts == null) {
                return rows.value(key) < bound == isBefore ? key : -1;
            }
            int from = rows.starts[key];
            int to = rows.starts[key + 1];
            int place = last == null ? rows.firstNotLess(from, to, bound) : rows.gallop(from, to, last[key], bound);
            if (last != null) {
                last[key] = place;
            }
            int answer = isBefore ? place - 1 : place;
            return answer >= from && answer < to ? rows.order[answer] : -1;
        }

        private int row(int at) {
            return rows.starts == null ? at : rows.order[at];
        }
    }
}
