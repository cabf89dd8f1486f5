package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The build side of an ASOF join whose two sides come in the order that it compares, so that the build rows need not
/// be kept.
///
/// A first pass over the build side keeps, of each piece of the scan (a morsel), the last row of each key: that is what
/// the join's table holds. The nearest row before a time is then either in the piece that the time falls into, or the
/// last one of its key in the pieces before. Probe rows that ascend go from piece to piece, and each worker reads the
/// piece that it is in once more as it goes.
///
/// - Bytes: the build side's columns twice, and one row a key and piece. Keeping all rows would copy them, list them by
///   key and miss the cache with each look.
/// - Memory: owns the source that pieces are read from; `close` gives it back.
///
/// Threads share it.
public final class Sweep implements AutoCloseable {
    private final Pipeline pipeline;
    private final int order; // payload column
    private final String orderName;
    private final int keyLimit; // keys that there can be; -1 where that is unknown
    private final int pieceRows;
    private final PipelineContext context;
    private final int tileRows;
    private final Batches source;
    private final List<Piece> added = new ArrayList<>(); // guarded by this
    private final List<RowStore> stores = new ArrayList<>(); // guarded by this
    private final Reservation reservation; // guarded by this
    private List<Piece> pieces; // in scan order; guarded by this

    /// A piece of the scan that has rows.
    ///
    /// @param firstKept of its rows in the join's table
    /// @param kept rows of it there
    /// @param last the greatest value of the order
    record Piece(Morsel morsel, int firstKept, int kept, long last) {}

    /// Where pieces are read from.
    public interface Batches extends AutoCloseable {
        /// A batch, until it is released as often as it was held.
        Batch hold(int batch);

        void release(int batch);

        @Override
        void close();
    }

    /// @param pipeline the build side, of one program over a table's scan
    /// @param order payload column that the rows ascend in, without NULLs
    /// @param orderName what it is, for messages
    /// @param keyLimit how many keys there can be; -1 where that is unknown
    /// @param pieceRows rows of a piece at most
    /// @param source of the batches; owned from here on
    public Sweep(
            Pipeline pipeline,
            int order,
            String orderName,
            int keyLimit,
            int pieceRows,
            PipelineContext context,
            int tileRows,
            Batches source) {
        this.pipeline = pipeline;
        this.order = order;
        this.orderName = orderName;
        this.keyLimit = keyLimit;
        this.pieceRows = pieceRows;
        this.context = context;
        this.tileRows = tileRows;
        this.source = source;
        this.reservation = new Reservation(context.budget());
    }

    /// Rows of a piece at most.
    public int pieceRows() {
        return pieceRows;
    }

    /// One worker's sink.
    public SweepSink newSink() {
        return new SweepSink(this);
    }

    /// The end of the build side, which makes the join's table of what sinks have kept. That owns this then.
    public JoinBuild newBuild(List<RowStore> kept) {
        int keyCount = ((Sink.HashBuild) pipeline.sink()).keys().size();
        return new JoinBuild(pipeline, kept, keyCount, tileRows, context.budget(), true, this, KeyIndex.ALL_BITS);
    }

    /// How many keys there can be; -1 where that is unknown.
    int keyLimit() {
        return keyLimit;
    }

    /// The payload column that is the order.
    int order() {
        return order;
    }

    Pipeline pipeline() {
        return pipeline;
    }

    PipelineContext context() {
        return context;
    }

    int tileRows() {
        return tileRows;
    }

    Batches source() {
        return source;
    }

    List<DataType> payloadTypes() {
        List<DataType> types = pipeline.rowTypes();
        return types.subList(((Sink.HashBuild) pipeline.sink()).keys().size(), types.size());
    }

    /// Takes note of a piece that has rows.
    ///
    /// @param kept rows of it that the table gets
    /// @param last the greatest value of their order
    synchronized void add(Morsel morsel, int kept, long last) {
        added.add(new Piece(morsel, -1, kept, last));
        context.counters().piecesSwept.increment();
    }

    /// The pieces that have rows, in scan order.
    ///
    /// - Errors: XX001 if they do not ascend.
    synchronized List<Piece> pieces() {
        if (pieces == null) {
            List<Piece> ordered = new ArrayList<>();
            added.sort(Comparator.comparingInt(piece -> piece.morsel.index()));
            int first = 0;
            for (Piece piece : added) {
                if (!ordered.isEmpty() && ordered.getLast().last > piece.last) {
                    throw disorder();
                }
                ordered.add(new Piece(piece.morsel, first, piece.kept, piece.last));
                first += piece.kept;
            }
            pieces = List.copyOf(ordered);
        }
        return pieces;
    }

    QueryException disorder() {
        return new QueryException(
                        SqlState.DATA_CORRUPTED, "rows do not ascend in column " + orderName + ", as their files say")
                .withHint("Write the table's files anew.");
    }

    /// Room for rows of a worker, which is given back with this.
    ///
    /// @param bytes that it takes beside
    synchronized RowStore newStore(long bytes) {
        reservation.grow(bytes);
        RowStore made = new RowStore(payloadTypes(), context.budget());
        stores.add(made);
        return made;
    }

    /// The search of one worker.
    ///
    /// @param kept the join's table, of the last rows of each key and piece
    SweepSearch newSearch(JoinTable kept, Join join) {
        return new SweepSearch(this, kept, join);
    }

    @Override
    public synchronized void close() {
        stores.forEach(RowStore::close);
        stores.clear();
        reservation.close();
        source.close();
    }
}
