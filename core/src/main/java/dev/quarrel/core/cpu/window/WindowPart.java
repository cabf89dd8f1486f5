package dev.quarrel.core.cpu.window;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.RowGather;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Some whole partitions of a window sink, their rows numbered from 0 in the windows' order: computes the functions.
///
/// - Memory: arguments and scratch are freed with `close`; results belong to the reservation given.
final class WindowPart implements AutoCloseable {
    private static final int STOP_CHECK_ROWS = 1 << 16;

    private final Sink.Window sink;
    private final List<DataType> outputs;
    private final RowGather gather;
    private final int[] ids;
    private final int first;
    private final int rowCount;
    private final Cancellation cancellation;
    private final Reservation scratch;
    private final int[] partitionStarts; // by partition; the part's end behind the last
    private final int[] partitionOf;
    private final int[] groupStarts; // by group of peers; the part's end behind the last
    private final int[] groupOf;
    private final Map<Integer, ValueStore> arguments = new HashMap<>();
    private final Map<WindowFrame, WindowFrames> frames = new HashMap<>();

    /// @param ids the rows in order; the part's are `first` to `first + rowCount - 1`
    /// @param partitions a bit a row of `ids`: where a partition starts; `peers`: where a group of peers does
    WindowPart(
            Sink.Window sink,
            List<DataType> outputs,
            RowGather gather,
            int[] ids,
            int first,
            int rowCount,
            long[] partitions,
            long[] peers,
            Reservation scratch,
            Cancellation cancellation) {
        this.sink = sink;
        this.outputs = outputs;
        this.gather = gather;
        this.ids = ids;
        this.first = first;
        this.rowCount = rowCount;
        this.cancellation = cancellation;
        this.scratch = scratch;
        scratch.grow(rowCount * 8L);
        this.partitionOf = new int[rowCount];
        this.groupOf = new int[rowCount];
        this.partitionStarts = starts(partitions, partitionOf);
        this.groupStarts = starts(peers, groupOf);
    }

    private int[] starts(long[] bits, int[] numbers) {
        int count = 0;
        for (int row = 0; row < rowCount; row++) {
            check(row);
            count += row == 0 || Bits.get(bits, first + row) ? 1 : 0;
            numbers[row] = count - 1;
        }
        scratch.grow((count + 1L) * 4);
        int[] starts = new int[count + 1];
        for (int row = rowCount - 1; row >= 0; row--) {
            starts[numbers[row]] = row;
        }
        starts[count] = rowCount;
        return starts;
    }

    int rowCount() {
        return rowCount;
    }

    int partitionStart(int row) {
        return partitionStarts[partitionOf[row]];
    }

    int partitionEnd(int row) {
        return partitionStarts[partitionOf[row] + 1];
    }

    int partitionCount() {
        return partitionStarts.length - 1;
    }

    int partition(int row) {
        return partitionOf[row];
    }

    int peerStart(int row) {
        return groupStarts[groupOf[row]];
    }

    int peerEnd(int row) {
        return groupStarts[groupOf[row] + 1];
    }

    int group(int row) {
        return groupOf[row];
    }

    int[] groupStarts() {
        return groupStarts;
    }

    Reservation scratch() {
        return scratch;
    }

    void check() {
        cancellation.check();
    }

    /// Lets a loop over all rows end with its query.
    void check(int row) {
        if ((row & STOP_CHECK_ROWS - 1) == 0) {
            cancellation.check();
        }
    }

    /// An output's values in the part's order.
    ValueStore argument(int output) {
        return arguments.computeIfAbsent(output, column -> {
            ValueStore values = ValueStore.of(outputs.get(column), scratch);
            values.ensure(rowCount);
            gather.append(column, ids, first, rowCount, values);
            return values;
        });
    }

    /// The answers of one function.
    void compute(WindowCall call, ValueStore result) {
        compute(call, result, null);
    }

    /// The same, of an aggregate whose frames in the first partition begin with rows in front of the part.
    ///
    /// @param carry or null; what those rows come to, and then those of the last partition
    void compute(WindowCall call, ValueStore result, WindowAggregate.Carry carry) {
        result.ensure(rowCount);
        switch (call) {
            case WindowCall.Position(WindowCall.PositionKind kind) -> position(kind, result);
            case WindowCall.Ntile(int buckets) -> ntile((IntStore) argument(buckets), (IntStore) result);
            case WindowCall.Shift shift -> shift(shift, result);
            case WindowCall.Pick pick -> pick(pick, result);
            case WindowCall.Aggregate(var aggregate, WindowFrame frame) ->
                new WindowAggregate(
                                this,
                                aggregate,
                                aggregate.argument() < 0 ? null : outputs.get(aggregate.argument()),
                                frames(frame),
                                result,
                                carry)
                        .compute();
        }
    }

    private WindowFrames frames(WindowFrame frame) {
        WindowFrames known = frames.get(frame);
        if (known == null) {
            scratch.grow(rowCount * 8L);
            known = new WindowFrames(
                    this, frame, sink.order().isEmpty() ? null : sink.order().getFirst());
            frames.put(frame, known);
        }
        return known;
    }

    private void position(WindowCall.PositionKind kind, ValueStore result) {
        result.grow(rowCount);
        long[] words = result instanceof LongStore longs ? longs.values() : null;
        double[] numbers = result instanceof DoubleStore doubles ? doubles.values() : null;
        for (int row = 0; row < rowCount; row++) {
            check(row);
            int start = partitionStart(row);
            int rows = partitionEnd(row) - start;
            switch (kind) {
                case ROW_NUMBER -> words[row] = row - start + 1L;
                case RANK -> words[row] = peerStart(row) - start + 1L;
                case DENSE_RANK -> words[row] = groupOf[row] - groupOf[start] + 1L;
                case PERCENT_RANK -> numbers[row] = rows <= 1 ? 0 : (peerStart(row) - start) / (double) (rows - 1);
                case CUME_DIST -> numbers[row] = (peerEnd(row) - start) / (double) rows;
            }
        }
    }

    /// As PostgreSQL: the number of buckets is that of the partition's first row in which it is present.
    private void ntile(IntStore buckets, IntStore result) {
        result.grow(rowCount);
        int row = 0;
        while (row < rowCount) {
            int end = partitionEnd(row);
            int size = end - row;
            while (row < end && !buckets.isPresent(row)) {
                result.setNull(row++);
            }
            if (row == end) {
                continue;
            }
            int count = buckets.values()[row];
            if (count <= 0) {
                throw noBuckets();
            }
            int rest = size / count == 0 ? 0 : size % count;
            int boundary = size / count == 0 ? 1 : size / count + (rest > 0 ? 1 : 0);
            int bucket = 1;
            int inBucket = 0;
            for (; row < end; row++) {
                if (++inBucket > boundary) {
                    if (rest > 0 && bucket == rest) {
                        boundary--;
                        rest = 0;
                    }
                    bucket++;
                    inBucket = 1;
                }
                result.values()[row] = bucket;
            }
        }
    }

    static QueryException noBuckets() {
        return new QueryException(SqlState.INVALID_ARGUMENT_FOR_NTILE, "argument of ntile must be greater than zero");
    }

    private void shift(WindowCall.Shift shift, ValueStore result) {
        ValueStore from = argument(shift.argument());
        IntStore distances = shift.distance() < 0 ? null : (IntStore) argument(shift.distance());
        scratch.grow(rowCount * 4L);
        int[] rows = new int[rowCount];
        boolean[] falls = shift.fallback() < 0 ? null : new boolean[rowCount];
        for (int row = 0; row < rowCount; row++) {
            check(row);
            if (distances != null && !distances.isPresent(row)) {
                rows[row] = -1;
                continue;
            }
            long distance = distances == null ? 1 : distances.values()[row];
            long place = row + (shift.forward() ? distance : -distance);
            boolean isInside = place >= partitionStart(row) && place < partitionEnd(row);
            rows[row] = isInside ? (int) place : -1;
            if (falls != null) {
                falls[row] = !isInside;
            }
        }
        ValueStore.GatherTile tile = new ValueStore.GatherTile(from.type());
        if (falls == null) {
            result.appendGathered(from, rows, 0, rowCount, tile);
        } else {
            ValueStore fallback = argument(shift.fallback());
            int row = 0;
            while (row < rowCount) {
                int start = row;
                while (row < rowCount && falls[row] == falls[start]) {
                    row++;
                }
                if (falls[start]) {
                    result.append(fallback, start, row - start);
                } else {
                    result.appendGathered(from, rows, start, row - start, tile);
                }
            }
        }
        scratch.shrink(rowCount * 4L);
    }

    private void pick(WindowCall.Pick pick, ValueStore result) {
        ValueStore from = argument(pick.argument());
        WindowFrames bounds = frames(pick.frame());
        IntStore places = pick.place() < 0 ? null : (IntStore) argument(pick.place());
        scratch.grow(rowCount * 4L);
        int[] rows = new int[rowCount];
        int[] runs = new int[6];
        for (int row = 0; row < rowCount; row++) {
            check(row);
            int count = bounds.runs(row, runs);
            rows[row] = switch (pick.kind()) {
                case FIRST_VALUE -> count == 0 ? -1 : runs[0];
                case LAST_VALUE -> count == 0 ? -1 : runs[2 * count - 1] - 1;
                case NTH_VALUE -> places.isPresent(row) ? nth(places.values()[row], runs, count) : -1;
            };
        }
        result.appendGathered(from, rows, 0, rowCount, new ValueStore.GatherTile(from.type()));
        scratch.shrink(rowCount * 4L);
    }

    private static int nth(int place, int[] runs, int count) {
        if (place <= 0) {
            throw new QueryException(
                    SqlState.INVALID_ARGUMENT_FOR_NTH_VALUE, "argument of nth_value must be greater than zero");
        }
        int rest = place - 1;
        for (int run = 0; run < count; run++) {
            int length = runs[2 * run + 1] - runs[2 * run];
            if (rest < length) {
                return runs[2 * run] + rest;
            }
            rest -= length;
        }
        return -1;
    }

    @Override
    public void close() {
        arguments.clear();
        frames.clear();
        scratch.close();
    }
}
