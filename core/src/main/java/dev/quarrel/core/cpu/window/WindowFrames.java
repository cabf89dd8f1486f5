package dev.quarrel.core.cpu.window;

import dev.quarrel.core.cpu.rows.BoolStore;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.FloatStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;

/// The frame of each row of a [WindowPart]: rows [low, high) less an exclusion, by the part's row numbers.
final class WindowFrames {
    private final WindowPart part;
    private final WindowFrame frame;
    private final int[] low;
    private final int[] high;

    WindowFrames(WindowPart part, WindowFrame frame, SortKey order) {
        this.part = part;
        this.frame = frame;
        this.low = new int[part.rowCount()];
        this.high = new int[part.rowCount()];
        edges(frame.start(), true, order);
        edges(frame.end(), false, order);
        for (int row = 0; row < low.length; row++) {
            part.check(row);
            low[row] = Math.min(low[row], high[row]);
        }
    }

    int low(int row) {
        return low[row];
    }

    int high(int row) {
        return high[row];
    }

    /// Whether every row's frame is its partition.
    boolean isPartition() {
        if (frame.exclusion() != WindowFrame.Exclusion.NO_OTHERS) {
            return false;
        }
        for (int row = 0; row < low.length; row++) {
            part.check(row);
            if (low[row] != part.partitionStart(row) || high[row] != part.partitionEnd(row)) {
                return false;
            }
        }
        return true;
    }

    boolean hasExclusion() {
        return frame.exclusion() != WindowFrame.Exclusion.NO_OTHERS;
    }

    /// Rows of all frames together.
    long totalRows() {
        long rows = 0;
        for (int row = 0; row < low.length; row++) {
            part.check(row);
            rows += high[row] - low[row];
        }
        return rows;
    }

    /// The runs that a row's frame consists of, ascending: start and end of each, in `runs`.
    ///
    /// @param runs 6 numbers
    /// @return how many runs, 0 to 3
    int runs(int row, int[] runs) {
        int from = low[row];
        int to = high[row];
        if (!hasExclusion()) {
            runs[0] = from;
            runs[1] = to;
            return from < to ? 1 : 0;
        }
        boolean isRow = frame.exclusion() == WindowFrame.Exclusion.CURRENT_ROW;
        int outFrom = Math.max(from, Math.min(to, isRow ? row : part.peerStart(row)));
        int outTo = Math.max(outFrom, Math.min(to, isRow ? row + 1 : part.peerEnd(row)));
        int count = 0;
        if (from < outFrom) {
            runs[0] = from;
            runs[1] = outFrom;
            count = 1;
        }
        if (frame.exclusion() == WindowFrame.Exclusion.TIES && row >= outFrom && row < outTo) {
            runs[2 * count] = row;
            runs[2 * count + 1] = row + 1;
            count++;
        }
        if (outTo < to) {
            runs[2 * count] = outTo;
            runs[2 * count + 1] = to;
            count++;
        }
        return count;
    }

    private void edges(WindowFrame.Edge edge, boolean isStart, SortKey order) {
        int[] to = isStart ? low : high;
        switch (edge.kind()) {
            case UNBOUNDED_PRECEDING -> {
                for (int row = 0; row < to.length; row++) {
                    part.check(row);
                    to[row] = part.partitionStart(row);
                }
            }
            case UNBOUNDED_FOLLOWING -> {
                for (int row = 0; row < to.length; row++) {
                    part.check(row);
                    to[row] = part.partitionEnd(row);
                }
            }
            case CURRENT_ROW -> {
                boolean isRows = frame.mode() == WindowFrame.Mode.ROWS;
                for (int row = 0; row < to.length; row++) {
                    part.check(row);
                    to[row] = isStart ? isRows ? row : part.peerStart(row) : isRows ? row + 1 : part.peerEnd(row);
                }
            }
            case PRECEDING, FOLLOWING -> {
                checkOffset(edge, isStart);
                switch (frame.mode()) {
                    case ROWS -> rows(edge, isStart, to);
                    case GROUPS -> groups(edge, isStart, to);
                    case RANGE -> range(edge, isStart, order, to);
                }
            }
        }
    }

    private void checkOffset(WindowFrame.Edge edge, boolean isStart) {
        if (edge.offset() < 0 || part.rowCount() == 0) {
            return;
        }
        ValueStore offsets = part.argument(edge.offset());
        String which = isStart ? "starting" : "ending";
        // An offset is the same in every row.
        if (!offsets.isPresent(0)) {
            throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "frame " + which + " offset must not be null");
        }
        if (sign(offsets) < 0) {
            throw new QueryException(
                    SqlState.INVALID_PRECEDING_OR_FOLLOWING_SIZE,
                    frame.mode() == WindowFrame.Mode.RANGE
                            ? "invalid preceding or following size in window function"
                            : "frame " + which + " offset must not be negative");
        }
    }

    private static int sign(ValueStore offsets) {
        return switch (offsets) {
            case IntStore ints -> Integer.signum(ints.values()[0]);
            case LongStore longs -> Long.signum(longs.values()[0]);
            case FloatStore floats -> floats.values()[0] < 0 || Float.isNaN(floats.values()[0]) ? -1 : 1;
            case DoubleStore doubles -> doubles.values()[0] < 0 || Double.isNaN(doubles.values()[0]) ? -1 : 1;
            case DecimalStore decimals
            when decimals.type() instanceof DataType.Interval ->
                Interval.compareSpans(decimals.low()[0], decimals.high()[0], 0, 0);
            case DecimalStore decimals -> decimals.high()[0] < 0 || isNotANumber(decimals) ? -1 : 1;
            case BoolStore _, TextStore _ -> throw new IllegalStateException("an offset of " + offsets.type());
        };
    }

    private static boolean isNotANumber(DecimalStore decimals) {
        return decimals.type() == DataType.NUMERIC
                && SpecialNumeric.orNull(decimals.low()[0], decimals.scale()[0]) == SpecialNumeric.NAN;
    }

    private long offset(WindowFrame.Edge edge) {
        long offset = ((LongStore) part.argument(edge.offset())).values()[0];
        // No partition is longer, and sums with row numbers stay in range.
        return Math.min(offset, Integer.MAX_VALUE) * (edge.kind() == WindowFrame.EdgeKind.PRECEDING ? -1 : 1);
    }

    private void rows(WindowFrame.Edge edge, boolean isStart, int[] to) {
        if (to.length == 0) {
            return;
        }
        long offset = offset(edge) + (isStart ? 0 : 1);
        for (int row = 0; row < to.length; row++) {
            part.check(row);
            to[row] = (int) Math.max(part.partitionStart(row), Math.min(part.partitionEnd(row), row + offset));
        }
    }

    private void groups(WindowFrame.Edge edge, boolean isStart, int[] to) {
        if (to.length == 0) {
            return;
        }
        long offset = offset(edge);
        int[] groupStarts = part.groupStarts();
        for (int row = 0; row < to.length; row++) {
            part.check(row);
            long group = part.group(row) + offset + (isStart ? 0 : 1);
            int first = part.group(part.partitionStart(row));
            int end = part.group(part.partitionEnd(row) - 1) + 1;
            to[row] = groupStarts[(int) Math.max(first, Math.min(end, group))];
        }
    }

    /// The edge moves with the rows: values ascend (or descend) as the order key does. NULLs are peers of NULLs alone.
    private void range(WindowFrame.Edge edge, boolean isStart, SortKey order, int[] to) {
        ValueStore keys = part.argument(order.output());
        ValueStore values = part.argument(edge.value());
        int row = 0;
        while (row < to.length) {
            int start = part.partitionStart(row);
            int end = part.partitionEnd(row);
            int firstPresent = start;
            while (firstPresent < end && !keys.isPresent(firstPresent)) {
                firstPresent++;
            }
            int endPresent = end;
            while (endPresent > firstPresent && !keys.isPresent(endPresent - 1)) {
                endPresent--;
            }
            int place = firstPresent;
            for (; row < end; row++) {
                if (!keys.isPresent(row)) {
                    to[row] = isStart ? part.peerStart(row) : part.peerEnd(row);
                    continue;
                }
                while (place < endPresent && isBefore(keys, place, values, row, order.descending(), isStart)) {
                    place++;
                }
                to[row] = place;
            }
        }
    }

    /// Whether the key at `place` lies in front of a start with the value of `row`, or not behind such an end.
    private static boolean isBefore(
            ValueStore keys, int place, ValueStore values, int row, boolean descending, boolean isStart) {
        int compared = KeyForm.compareValues(keys, place, values, row);
        compared = descending ? -compared : compared;
        return isStart ? compared < 0 : compared <= 0;
    }
}
