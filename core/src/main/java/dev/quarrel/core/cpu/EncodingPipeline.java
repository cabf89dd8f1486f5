package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.encoded.ColumnEncoding;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.run.BatchBytes;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// A pipeline that first encodes columns, with all workers, and then runs over what they have become.
final class EncodingPipeline implements PreparedPipeline {
    private static final int MORSEL_ROWS = 1 << 17;

    private final EncodedColumns columns;
    private final QueryPlan plan;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final DeviceConfig config;
    private final Table table;
    private final Map<Integer, ColumnEncoding> known;
    private final List<ColumnEncoding> missing;
    private volatile boolean lacksMemory;
    private PreparedPipeline encoded; // null until all is encoded

    /// @param known what is encoded already, by the table's column
    /// @param missing what is to be encoded
    EncodingPipeline(
            EncodedColumns columns,
            QueryPlan plan,
            Pipeline pipeline,
            PipelineContext context,
            DeviceConfig config,
            Table table,
            Map<Integer, ColumnEncoding> known,
            List<ColumnEncoding> missing) {
        this.columns = columns;
        this.plan = plan;
        this.pipeline = pipeline;
        this.context = context;
        this.config = config;
        this.table = table;
        this.known = new HashMap<>(known);
        this.missing = missing;
    }

    @Override
    public List<Morsel> morsels() {
        List<Morsel> morsels = new ArrayList<>();
        for (int batch = 0; batch < table.batchCount(); batch++) {
            int rows = table.batchRows(batch);
            // What must be decompressed is so once.
            int share = table.readBytes(batch, tableColumns()) == 0 ? MORSEL_ROWS : Math.max(1, rows);
            for (int first = 0; first < rows; first += share) {
                morsels.add(new Morsel(morsels.size(), batch, first, Math.min(share, rows - first)));
            }
        }
        return morsels;
    }

    private int[] tableColumns() {
        return missing.stream().mapToInt(ColumnEncoding::column).toArray();
    }

    @Override
    public List<Morsel> moreMorsels() {
        if (encoded != null) {
            return encoded.moreMorsels();
        }
        for (ColumnEncoding made : missing) {
            if (!made.isRefused()) {
                made.finish();
                known.put(made.column(), made);
            }
        }
        if (lacksMemory) {
            columns.abandon(table, missing);
        } else {
            missing.forEach(made -> columns.keep(table, made));
        }
        encoded = columns.prepared(plan, pipeline, context, table, known);
        return encoded.morsels();
    }

    @Override
    public SinkState newState() {
        return new State();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        State own = (State) state;
        if (encoded == null) {
            encode(morsel, own);
        } else {
            encoded.run(morsel, own.state());
        }
    }

    private void encode(Morsel morsel, State state) {
        long bytes = table.readBytes(morsel.batch(), tableColumns());
        if (bytes > 0 && !context.budget().tryReserve(bytes)) {
            lacksMemory = true;
            missing.forEach(ColumnEncoding::refuse);
            return;
        }
        try (Batch batch = table.read(morsel.batch(), tableColumns())) {
            for (int index = 0; index < missing.size(); index++) {
                if (!missing.get(index).isRefused()) {
                    int first = morsel.firstRow();
                    int rows = morsel.rowCount();
                    Column values = batch.column(index);
                    state.part(index).encode(morsel.batch(), values, first, rows, context.cancellation());
                    context.counters().bytesRead.add(BatchBytes.of(values, first, rows));
                }
            }
            table.checkIntact(morsel.batch());
        } catch (InternalError error) {
            QueryException fault = context.faultOf(table, error);
            if (fault == null) {
                throw error;
            }
            throw fault;
        } finally {
            context.budget().release(bytes);
        }
    }

    @Override
    public boolean isSatisfied() {
        return encoded != null && encoded.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        return encoded.mergeParts(round, own(states));
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        encoded.merge(round, part, own(states));
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        return encoded.finish(own(states));
    }

    private static List<SinkState> own(List<SinkState> states) {
        return states.stream()
                .map(state -> ((State) state).state)
                .filter(state -> state != null)
                .toList();
    }

    @Override
    public void close() {
        if (encoded == null) {
            columns.abandon(table, missing);
        } else {
            encoded.close();
        }
    }

    /// A worker's encoders, and then its state of the pipeline.
    private final class State implements SinkState {
        private final ColumnEncoding.Part[] parts = new ColumnEncoding.Part[missing.size()];
        private SinkState state;

        ColumnEncoding.Part part(int index) {
            if (parts[index] == null) {
                parts[index] = missing.get(index).newPart();
            }
            return parts[index];
        }

        SinkState state() {
            if (state == null) {
                state = encoded.newState();
            }
            return state;
        }

        @Override
        public Schema layout() {
            return state().layout();
        }

        @Override
        public void exportTo(Consumer<Batch> receiver) {
            state().exportTo(receiver);
        }

        @Override
        public void transferIn(Batch content) {
            state().transferIn(content);
        }

        @Override
        public long reservedBytes() {
            return state == null ? 0 : state.reservedBytes();
        }

        @Override
        public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
            state().exportPartitions(firstBit, partitionCount, receiver);
        }

        @Override
        public void close() {
            if (state != null) {
                state.close();
            }
        }
    }
}
