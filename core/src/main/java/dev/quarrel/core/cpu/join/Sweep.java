package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
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
    private static final int MIN_ROWS = 1 << 18;
    private static final int MIN_PIECE_ROWS = 1 << 16;
    private static final int MAX_PIECE_ROWS = 1 << 20;
    /// A piece has so many times the rows of what is kept of it, at least.
    private static final int MIN_THINNING = 4;

    private static final int ROW_BYTES = 24; // about
    private static final int BUDGET_SHARE = 8;

    private final Pipeline pipeline;
    private final Table table;
    private final int order; // payload column
    private final String orderName;
    private final int keyLimit; // keys that there can be; -1 where that is unknown
    private final int pieceRows;
    private final PipelineContext context;
    private final int tileRows;
    private final RowSource source;
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

    private Sweep(
            Pipeline pipeline,
            Table table,
            int order,
            int column,
            int keyLimit,
            int pieceRows,
            PipelineContext context,
            int tileRows) {
        this.pipeline = pipeline;
        this.table = table;
        this.order = order;
        this.orderName = table.schema().field(column).name();
        this.keyLimit = keyLimit;
        this.pieceRows = pieceRows;
        this.context = context;
        this.tileRows = tileRows;
        this.source = RowSource.of(pipeline.source(), pipeline.id(), context);
        this.reservation = new Reservation(context.budget());
    }

    /// null where the rows are to be kept: some side's order is unknown, others than one join read them, or they are
    /// few, or have many keys.
    public static Sweep of(QueryPlan plan, Pipeline build, PipelineContext context, DeviceConfig config) {
        if (!(build.sink() instanceof Sink.HashBuild sink)
                || sink.nullKeys()
                || !(build.source() instanceof Source.TableScan scan)
                || !build.joins().isEmpty()
                || !build.filters().isEmpty()
                || !isRepeatable(build.lastProgram())) {
            return null;
        }
        Join join = onlyReader(plan, build, context);
        if (join == null) {
            return null;
        }
        Table table = RowSource.table(scan, context);
        int order = join.nearest().payload();
        int column = order(build, 0, sink.payload().get(order), table, scan);
        if (column < 0 || hasNulls(table, column)) {
            return null;
        }
        boolean isTest = config.tier() != DeviceConfig.Tier.AUTO;
        long keys = 1;
        boolean isExact = true;
        for (int key : sink.keys()) {
            Keys some = keys(build, key, table, scan);
            keys = some.count < 0 || keys < 0 ? -1 : Math.min(Integer.MAX_VALUE, keys * some.count);
            isExact &= some.isLimit;
        }
        int limit = keys >= 0 && isExact ? (int) keys : -1;
        if (isTest) {
            return new Sweep(build, table, order, column, limit, 2 * config.tileRows(), context, config.tileRows());
        }
        if (keys < 0 || keys > MAX_PIECE_ROWS / MIN_THINNING || table.stats().rowCount() < MIN_ROWS) {
            return null;
        }
        int pieceRows = Math.max(MIN_PIECE_ROWS, Integer.highestOneBit((int) keys * MIN_THINNING * 2 - 1));
        long kept = 0;
        for (int batch = 0; batch < table.batchCount(); batch++) {
            long rows = table.batchRows(batch);
            kept += Math.min(rows, (rows + pieceRows - 1) / pieceRows * keys);
        }
        boolean isThin = kept <= table.stats().rowCount() / MIN_THINNING
                && kept * ROW_BYTES <= context.budget().limitBytes() / BUDGET_SHARE;
        return isThin ? new Sweep(build, table, order, column, limit, pieceRows, context, config.tileRows()) : null;
    }

    /// Whether a program gives the same rows each time it runs.
    private static boolean isRepeatable(Program program) {
        return program.code().stream().noneMatch(instruction -> instruction.op() == Opcode.CALL);
    }

    /// The one join that reads a build side, if it takes the nearest row before in the order of its own scan.
    private static Join onlyReader(QueryPlan plan, Pipeline build, PipelineContext context) {
        Join only = null;
        for (Pipeline pipeline : plan.pipelines()) {
            if (pipeline.source() instanceof Source.Rows(int maker, var _) && maker == build.id()) {
                return null;
            }
            for (int index = 0; index < pipeline.joins().size(); index++) {
                Join join = pipeline.joins().get(index);
                if (join.build() != build.id()) {
                    continue;
                }
                Join.Nearest nearest = join.nearest();
                boolean isBefore =
                        nearest != null && (nearest.relation() == Relation.GE || nearest.relation() == Relation.GT);
                if (only != null
                        || !isBefore
                        || !(pipeline.source() instanceof Source.TableScan scan)
                        || order(pipeline, index, nearest.probe(), RowSource.table(scan, context), scan) < 0) {
                    return null;
                }
                only = join;
            }
        }
        return only;
    }

    /// The table's column that an output is, if the rows ascend in it; or -1.
    private static int order(Pipeline pipeline, int program, int output, Table table, Source.TableScan scan) {
        int input = pipeline.sourceColumn(program, output);
        int column = input < 0 ? -1 : RowSource.columns(scan, table)[input];
        return table.sortedBy().contains(column) ? column : -1;
    }

    private static boolean hasNulls(Table table, int column) {
        for (int batch = 0; batch < table.batchCount(); batch++) {
            if (table.batchStats(batch, column).nullCount() != 0) {
                return true;
            }
        }
        return false;
    }

    /// How many keys a column has.
    ///
    /// @param count about; -1 where that is unknown
    /// @param isLimit whether there are no more
    private record Keys(long count, boolean isLimit) {}

    private static Keys keys(Pipeline build, int output, Table table, Source.TableScan scan) {
        int input = build.sourceColumn(0, output);
        if (input < 0) {
            return build.lastProgram().isConstant(output) ? new Keys(1, true) : new Keys(-1, false);
        }
        int column = RowSource.columns(scan, table)[input];
        if (table.dictionary(column) != null) {
            return new Keys(table.dictionary(column).size(), true);
        }
        ColumnStats stats = table.stats().columns().get(column);
        long distinct = stats.distinctCount();
        if (stats.min() instanceof Long min && stats.max() instanceof Long max) {
            long span = max - min + 1;
            if (span > 0 && (distinct < 0 || span <= 2 * distinct)) {
                return new Keys(span, true);
            }
        }
        return new Keys(distinct, false);
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
        return new JoinBuild(pipeline, kept, keyCount, tileRows, context.budget(), true, this);
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

    RowSource source() {
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
                        SqlState.DATA_CORRUPTED,
                        "rows of table \"" + table.name() + "\" do not ascend in column \"" + orderName
                                + "\", as its files say")
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
