package dev.quarrel.core.cpu.window;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.RowGather;
import dev.quarrel.core.cpu.rows.RowIds;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/// Computes window functions over sorted rows that come batch by batch: partitions need not fit in memory.
///
/// Rows and answers go to a file side by side. They are worked on in rows. A function of a bounded frame of rows
/// has those rows before and behind in its block; one that sees its partition from the start carries what the rows
/// before the block came to; one whose answer is known only at the end of a group of peers, or of the partition,
/// answers then, once for all of its rows.
///
/// One thread uses it.
public final class WindowStream implements AutoCloseable {
    private static final int MIN_CHUNK_ROWS = 256;
    private static final int MAX_CHUNK_ROWS = 1 << 14;
    private static final int MAX_BLOCK_ROWS = 1 << 17;
    private static final int ROW_SCRATCH_BYTES = 64;
    private static final int CALL_SCRATCH_BYTES = 64;

    /// What a function needs of the rows around one.
    private enum Need {
        /// The numbers of the rows and groups before.
        PLACE,
        /// How many rows the partition has.
        SIZE,
        /// That, and the numbers of the rows and groups before.
        SHARE,
        /// A constant number of rows before and behind.
        NEIGHBOURS,
        /// The partition's first row.
        FIRST,
        /// The rows before.
        PREFIX,
        /// The rows up to the group's last one.
        GROUP,
        /// All rows of the partition.
        PARTITION,
        /// More than can be had from a stream.
        ALL
    }

    private final Sink.Window sink;
    private final List<DataType> outputs;
    private final PipelineContext context;
    private final SpillFile file;
    private final int chunkRows;
    private final int blockRows;
    private final RowStore block;
    private final Reservation reservation;
    private final List<Function> functions = new ArrayList<>();
    private final List<SpillFile.Chunk> rowChunks = new ArrayList<>();
    private int fresh; // the block's first row that functions with a carry have not seen

    /// @param file where rows and answers go; stays the caller's
    /// @param rowBytes of a row, about
    WindowStream(Sink.Window sink, List<DataType> outputs, PipelineContext context, SpillFile file, long rowBytes) {
        this.sink = sink;
        this.outputs = outputs;
        this.context = context;
        this.file = file;
        long limit = context.budget().limitBytes();
        this.chunkRows = (int) Math.clamp(limit / 256 / Math.max(1, rowBytes), MIN_CHUNK_ROWS, MAX_CHUNK_ROWS);
        long workBytes = 3 * rowBytes
                + ROW_SCRATCH_BYTES
                + (long) CALL_SCRATCH_BYTES * sink.calls().size();
        this.blockRows = (int) Math.clamp(limit / 32 / workBytes, chunkRows, MAX_BLOCK_ROWS);
        this.block = new RowStore(outputs, context.budget());
        this.reservation = new Reservation(context.budget());
        for (WindowCall call : sink.calls()) {
            functions.add(new Function(call, need(call)));
        }
    }

    /// Whether all functions can be had from a stream.
    public static boolean canStream(Sink.Window sink) {
        return sink.calls().stream().noneMatch(call -> need(call) == Need.ALL);
    }

    private static Need need(WindowCall call) {
        return switch (call) {
            case WindowCall.Position(WindowCall.PositionKind kind) ->
                switch (kind) {
                    case ROW_NUMBER, RANK, DENSE_RANK -> Need.PLACE;
                    case PERCENT_RANK, CUME_DIST -> Need.SHARE;
                };
            case WindowCall.Ntile _ -> Need.SIZE;
            case WindowCall.Shift _ -> Need.NEIGHBOURS;
            case WindowCall.Pick pick -> {
                Need need = need(pick.frame());
                yield switch (pick.kind()) {
                    case FIRST_VALUE -> need == Need.NEIGHBOURS || need == Need.ALL ? need : Need.FIRST;
                    case LAST_VALUE -> need;
                    case NTH_VALUE -> need == Need.NEIGHBOURS ? need : Need.ALL;
                };
            }
            case WindowCall.Aggregate(var aggregate, WindowFrame frame) -> {
                Need need = need(frame);
                yield aggregate.kind().isOrdered() && need != Need.NEIGHBOURS ? Need.ALL : need;
            }
        };
    }

    private static Need need(WindowFrame frame) {
        WindowFrame.EdgeKind start = frame.start().kind();
        WindowFrame.EdgeKind end = frame.end().kind();
        boolean isRows = frame.mode() == WindowFrame.Mode.ROWS;
        if (isRows
                && start != WindowFrame.EdgeKind.UNBOUNDED_PRECEDING
                && end != WindowFrame.EdgeKind.UNBOUNDED_FOLLOWING) {
            return Need.NEIGHBOURS;
        }
        if (start != WindowFrame.EdgeKind.UNBOUNDED_PRECEDING || frame.exclusion() != WindowFrame.Exclusion.NO_OTHERS) {
            return Need.ALL;
        }
        return switch (end) {
            case CURRENT_ROW -> isRows ? Need.PREFIX : Need.GROUP;
            case UNBOUNDED_FOLLOWING -> Need.PARTITION;
            case UNBOUNDED_PRECEDING, PRECEDING, FOLLOWING -> Need.ALL;
        };
    }

    /// Rows that batches are to have, but for the last one.
    int chunkRows() {
        return chunkRows;
    }

    /// Takes the next rows in order: the outputs, and columns that do not matter behind them. The batch stays the
    /// caller's.
    void add(Batch batch) {
        context.cancellation().check();
        List<Column> columns = batch.columns().subList(0, outputs.size());
        Batch rows = Batch.view(RowStore.schema(outputs), columns, batch.rowCount());
        rowChunks.add(file.write(rows));
        block.append(rows, ValueStore.GatherTile.ROWS);
        if (block.rowCount() - fresh >= blockRows) {
            work(false);
        }
    }

    /// Ends the rows: batches of rows and answers, each of chunks that stand side by side.
    List<List<SpillFile.Chunk>> finish() {
        work(true);
        List<List<SpillFile.Chunk>> made = new ArrayList<>(rowChunks.size());
        for (int index = 0; index < rowChunks.size(); index++) {
            List<SpillFile.Chunk> sides = new ArrayList<>(1 + functions.size());
            sides.add(rowChunks.get(index));
            for (Function function : functions) {
                sides.add(function.answers.chunks.get(index));
            }
            made.add(sides);
        }
        return made;
    }

    /// Computes what the block's rows have answers to, and forgets the rows that no function needs further.
    private void work(boolean isLast) {
        int rowCount = block.rowCount();
        if (rowCount > 0) {
            try (Reservation memory = new Reservation(context.budget())) {
                memory.grow(Bits.words(rowCount) * 16L + rowCount * 4L);
                try (Block rows = new Block(rowCount)) {
                    for (Function function : functions) {
                        context.cancellation().check();
                        function.work(rows, isLast);
                    }
                }
            }
        }
        int keepFrom = Math.max(0, rowCount - 1); // the next row is compared with the last one
        for (Function function : functions) {
            keepFrom = Math.min(keepFrom, function.firstNeeded());
        }
        for (Function function : functions) {
            function.moveBack(keepFrom);
        }
        fresh = rowCount - keepFrom;
        int[] kept = new int[fresh];
        for (int index = 0; index < fresh; index++) {
            kept[index] = keepFrom + index;
        }
        block.retain(kept, fresh);
    }

    /// The block's rows, in the forms that functions work on.
    private final class Block implements AutoCloseable {
        private final int rowCount;
        private final long[] partitions;
        private final long[] peers;
        private final int[] ids;
        private final RowGather gather;
        private WindowPart whole; // made when asked for
        private WindowPart unseen;

        Block(int rowCount) {
            this.rowCount = rowCount;
            this.partitions = new long[Bits.words(rowCount)];
            this.peers = new long[Bits.words(rowCount)];
            this.ids = new int[rowCount];
            RowIds rowIds = RowIds.of(1, rowCount);
            this.gather = new RowGather(List.of(block), rowIds);
            for (int row = 0; row < rowCount; row++) {
                ids[row] = rowIds.id(0, row);
            }
            ValueStore[] partitionKeys =
                    sink.partition().stream().map(block::column).toArray(ValueStore[]::new);
            ValueStore[] orderKeys =
                    sink.order().stream().map(key -> block.column(key.output())).toArray(ValueStore[]::new);
            for (int row = 0; row < rowCount; row++) {
                boolean isFirst = row == 0 || !isEqual(partitionKeys, row - 1, row);
                Bits.set(partitions, row, isFirst);
                Bits.set(peers, row, isFirst || !isEqual(orderKeys, row - 1, row));
            }
        }

        private static boolean isEqual(ValueStore[] keys, int one, int other) {
            for (ValueStore key : keys) {
                boolean isPresent = key.isPresent(one);
                if (isPresent != key.isPresent(other)
                        || isPresent && KeyForm.compareValues(key, one, key, other) != 0) {
                    return false;
                }
            }
            return true;
        }

        /// Whether the first fresh row goes on with the partition (or group of peers) of the row before.
        boolean continues(boolean isGroup) {
            return fresh > 0 && fresh < rowCount && !Bits.get(isGroup ? peers : partitions, fresh);
        }

        /// All rows.
        WindowPart whole() {
            if (whole == null) {
                whole = part(0);
            }
            return whole;
        }

        /// The fresh rows.
        WindowPart unseen() {
            if (unseen == null) {
                unseen = part(fresh);
            }
            return unseen;
        }

        private WindowPart part(int first) {
            return new WindowPart(
                    sink,
                    outputs,
                    gather,
                    ids,
                    first,
                    rowCount - first,
                    partitions,
                    peers,
                    new Reservation(context.budget()),
                    context.cancellation());
        }

        @Override
        public void close() {
            if (whole != null) {
                whole.close();
            }
            if (unseen != null) {
                unseen.close();
            }
        }
    }

    /// One function, and what it keeps from block to block.
    private final class Function implements AutoCloseable {
        private final WindowCall call;
        private final Need need;
        private final Answers answers;
        private final WindowAggregate.Carry carry; // or null
        private int answered; // NEIGHBOURS: rows of the block that have an answer
        private long before; // NEIGHBOURS: rows that are looked at in front of a row
        private long behind;
        private long place; // PLACE: rows of the partition so far; SIZE: those from the first with a number of buckets
        private long rank; // PLACE
        private long groups; // PLACE
        private int buckets; // SIZE: 0 while there is no number
        private final Answers places; // SHARE: what the partition's answers are made of when its rows are counted
        private long waiting; // rows that wait for the end of their group or partition
        private final ValueStore last; // the answer (or FIRST: the value) that rows to come, or those waiting, may have

        Function(WindowCall call, Need need) {
            this.call = call;
            this.need = need;
            DataType type = call.resultType(outputs);
            this.answers = new Answers(type);
            this.last = ValueStore.of(type, reservation);
            this.places = need == Need.SHARE ? new Answers(DataType.INT64) : null;
            boolean carries = need == Need.PREFIX || need == Need.GROUP || need == Need.PARTITION;
            this.carry = carries && call instanceof WindowCall.Aggregate(var aggregate, WindowFrame _)
                    ? new WindowAggregate.Carry(
                            aggregate,
                            aggregate.argument() < 0 ? null : outputs.get(aggregate.argument()),
                            context.budget())
                    : null;
        }

        void work(Block rows, boolean isLast) {
            switch (need) {
                case PLACE -> places(rows.unseen(), (WindowCall.Position) call, rows);
                case SIZE -> sizes(rows.unseen(), (WindowCall.Ntile) call, rows, isLast);
                case SHARE -> shares(rows.unseen(), (WindowCall.Position) call, rows, isLast);
                case NEIGHBOURS -> neighbours(rows, isLast);
                case FIRST -> firsts(rows.unseen(), (WindowCall.Pick) call, rows);
                case PREFIX -> answers.append(results(rows), 0, rows.unseen().rowCount());
                case GROUP, PARTITION -> late(rows, isLast);
                case ALL -> throw new IllegalStateException("no stream for " + call);
            }
            if (isLast) {
                answers.end();
            }
        }

        int firstNeeded() {
            return need == Need.NEIGHBOURS ? (int) Math.max(0, answered - before) : Integer.MAX_VALUE;
        }

        void moveBack(int rows) {
            answered -= need == Need.NEIGHBOURS ? rows : 0;
        }

        private ValueStore results(Block rows) {
            WindowPart part = rows.unseen();
            ValueStore made = ValueStore.of(call.resultType(outputs), part.scratch());
            if (part.rowCount() > 0) {
                part.compute(call, made, carry == null ? null : carry.from(rows.continues(false)));
            }
            return made;
        }

        private void neighbours(Block rows, boolean isLast) {
            WindowPart part = rows.whole();
            measure(part);
            int end = (int) (isLast ? rows.rowCount : Math.max(answered, rows.rowCount - behind));
            if (end > answered) {
                ValueStore made = ValueStore.of(call.resultType(outputs), part.scratch());
                part.compute(call, made);
                answers.append(made, answered, end - answered);
                answered = end;
            }
        }

        /// How far the function looks.
        private void measure(WindowPart part) {
            if (call instanceof WindowCall.Shift shift) {
                long distance = shift.distance() < 0 ? 1 : distance((IntStore) part.argument(shift.distance()));
                long forward = shift.forward() ? distance : -distance;
                before = Math.max(0, -forward);
                behind = Math.max(0, forward);
                return;
            }
            WindowFrame frame =
                    call instanceof WindowCall.Pick pick ? pick.frame() : ((WindowCall.Aggregate) call).frame();
            before = Math.max(0, -offset(frame.start(), part));
            behind = Math.max(0, offset(frame.end(), part));
        }

        private static long offset(WindowFrame.Edge edge, WindowPart part) {
            if (!edge.kind().hasOffset()) {
                return 0;
            }
            // Its first value is checked, and counts for all.
            LongStore offsets = (LongStore) part.argument(edge.offset());
            long offset = offsets.isPresent(0) ? Math.clamp(offsets.values()[0], 0, Integer.MAX_VALUE) : 0;
            return edge.kind() == WindowFrame.EdgeKind.PRECEDING ? -offset : offset;
        }

        private static long distance(IntStore distances) {
            boolean isPresent = distances.isPresent(0);
            for (int row = 1; row < distances.size(); row++) {
                if (distances.isPresent(row) != isPresent
                        || isPresent && distances.values()[row] != distances.values()[0]) {
                    throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                            .withDetail("The partition of a lag or lead whose distance is not the same in every row"
                                    + " does not fit in the query's memory.")
                            .withHint("Raise quarrel.query_memory.");
                }
            }
            return isPresent ? distances.values()[0] : 0;
        }

        private void places(WindowPart part, WindowCall.Position position, Block rows) {
            ValueStore made = ValueStore.of(DataType.INT64, part.scratch());
            made.grow(part.rowCount());
            long[] to = ((LongStore) made).values();
            boolean continues = rows.continues(false);
            boolean isPeer = rows.continues(true);
            for (int row = 0; row < part.rowCount(); row++) {
                if (part.partitionStart(row) == row && !(row == 0 && continues)) {
                    place = 0;
                    groups = 0;
                }
                if (part.peerStart(row) == row && !(row == 0 && isPeer)) {
                    rank = place + 1;
                    groups++;
                }
                place++;
                to[row] = switch (position.kind()) {
                    case ROW_NUMBER -> place;
                    case RANK -> rank;
                    case DENSE_RANK -> groups;
                    case PERCENT_RANK, CUME_DIST -> throw new IllegalStateException("no stream for " + position);
                };
            }
            answers.append(made, 0, part.rowCount());
        }

        private void sizes(WindowPart part, WindowCall.Ntile ntile, Block rows, boolean isLast) {
            IntStore numbers = (IntStore) part.argument(ntile.buckets());
            for (int row = 0; row < part.rowCount(); row++) {
                if (part.partitionStart(row) == row && !(row == 0 && rows.continues(false))) {
                    endBuckets();
                }
                place++;
                if (buckets == 0 && numbers.isPresent(row)) {
                    buckets = numbers.values()[row];
                    if (buckets <= 0) {
                        throw WindowPart.noBuckets();
                    }
                    answers.appendNulls(waiting);
                    waiting = 0;
                }
                waiting++;
            }
            if (isLast) {
                endBuckets();
            }
        }

        /// As PostgreSQL: the buckets' sizes are those of all of the partition's rows.
        private void endBuckets() {
            if (buckets == 0) {
                answers.appendNulls(waiting);
            }
            long rows = waiting;
            for (long bucket = 1; buckets > 0 && rows > 0; bucket++) {
                long size = Math.min(rows, place / buckets + (bucket <= place % buckets ? 1 : 0));
                last.reset();
                last.grow(1);
                ((IntStore) last).values()[0] = (int) bucket;
                answers.appendCopies(last, 0, Math.max(1, size));
                rows -= Math.max(1, size);
            }
            place = 0;
            waiting = 0;
            buckets = 0;
        }

        private void shares(WindowPart part, WindowCall.Position position, Block rows, boolean isLast) {
            boolean isRank = position.kind() == WindowCall.PositionKind.PERCENT_RANK;
            for (int row = 0; row < part.rowCount(); row++) {
                boolean isPeer = row == 0 ? rows.continues(true) : part.peerStart(row) != row;
                if (!isPeer) {
                    endGroup(isRank);
                    if (part.partitionStart(row) == row && !(row == 0 && rows.continues(false))) {
                        endShares(isRank);
                    }
                    rank = place + 1;
                }
                place++;
                waiting++;
            }
            if (isLast) {
                endGroup(isRank);
                endShares(isRank);
            }
        }

        /// The rank of a group's rows, or the place of its last one.
        private void endGroup(boolean isRank) {
            places.append(isRank ? rank : place, waiting);
            waiting = 0;
        }

        private void endShares(boolean isRank) {
            long rowCount = place;
            places.forEach(column -> {
                try (Reservation memory = new Reservation(context.budget())) {
                    ValueStore made = ValueStore.of(DataType.FLOAT64, memory);
                    made.grow(column.rowCount());
                    double[] to = ((DoubleStore) made).values();
                    for (int row = 0; row < column.rowCount(); row++) {
                        long value = Cells.int64(column, row);
                        to[row] = isRank
                                ? rowCount <= 1 ? 0 : (value - 1) / (double) (rowCount - 1)
                                : value / (double) rowCount;
                    }
                    answers.append(made, 0, made.size());
                }
            });
            place = 0;
        }

        private void firsts(WindowPart part, WindowCall.Pick pick, Block rows) {
            ValueStore values = part.argument(pick.argument());
            int row = 0;
            while (row < part.rowCount()) {
                if (row > 0 || !rows.continues(false)) {
                    last.reset();
                    last.append(values, row, 1);
                }
                int end = part.partitionEnd(row);
                answers.appendCopies(last, 0, end - row);
                row = end;
            }
        }

        /// Answers rows whose group or partition has ended.
        private void late(Block rows, boolean isLast) {
            WindowPart part = rows.unseen();
            int rowCount = part.rowCount();
            if (rowCount > 0) {
                ValueStore made = results(rows);
                int open = isLast
                        ? rowCount
                        : need == Need.GROUP ? part.peerStart(rowCount - 1) : part.partitionStart(rowCount - 1);
                if (!rows.continues(need == Need.GROUP)) {
                    answers.appendCopies(last, 0, waiting);
                    waiting = 0;
                } else if (open > 0) {
                    answers.appendCopies(made, 0, waiting);
                    waiting = 0;
                }
                answers.append(made, 0, open);
                waiting += rowCount - open;
                last.reset();
                last.append(made, rowCount - 1, 1);
            }
            if (isLast) {
                answers.appendCopies(last, 0, waiting);
                waiting = 0;
            }
        }

        @Override
        public void close() {
            if (carry != null) {
                carry.close();
            }
        }
    }

    /// One function's answers, in chunks that go with those of the rows.
    private final class Answers {
        private final DataType type;
        private final ValueStore pending;
        private final List<SpillFile.Chunk> chunks = new ArrayList<>();
        private final int[] tail = new int[chunkRows];

        Answers(DataType type) {
            this.type = type;
            this.pending = ValueStore.of(type, reservation);
        }

        void append(ValueStore values, int from, int count) {
            for (int done = 0; done < count; ) {
                int part = Math.min(count - done, chunkRows - pending.size());
                pending.append(values, from + done, part);
                done += part;
                flushFull();
            }
        }

        void appendCopies(ValueStore values, int row, long count) {
            if (count == 0) {
                return;
            }
            Arrays.fill(tail, row);
            ValueStore.GatherTile tile = new ValueStore.GatherTile(type);
            for (long done = 0; done < count; ) {
                int part = (int) Math.min(count - done, chunkRows - pending.size());
                pending.appendGathered(values, tail, 0, part, tile);
                done += part;
                flushFull();
            }
        }

        /// Copies of an int64.
        void append(long value, long count) {
            for (long done = 0; done < count; ) {
                int part = (int) Math.min(count - done, chunkRows - pending.size());
                int from = pending.size();
                pending.grow(part);
                Arrays.fill(((LongStore) pending).values(), from, from + part, value);
                done += part;
                flushFull();
            }
        }

        /// Gives out all answers so far, and forgets them.
        void forEach(Consumer<Column> receiver) {
            end();
            try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
                for (SpillFile.Chunk chunk : chunks) {
                    receiver.accept(file.read(chunk, 0, scratch));
                    scratch.reset();
                }
            }
            chunks.clear();
        }

        void appendNulls(long count) {
            for (long done = 0; done < count; done++) {
                pending.appendNull();
                flushFull();
            }
        }

        private void flushFull() {
            if (pending.size() == chunkRows) {
                flush();
            }
        }

        private void flush() {
            context.cancellation().check();
            try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
                Column column = pending.toColumn(null, 0, pending.size(), scratch);
                chunks.add(file.write(Batch.view(RowStore.schema(List.of(type)), List.of(column), pending.size())));
            }
            pending.reset();
        }

        void end() {
            if (pending.size() > 0) {
                flush();
            }
        }
    }

    @Override
    public void close() {
        functions.forEach(Function::close);
        block.close();
        reservation.close();
    }
}
