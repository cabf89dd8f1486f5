package dev.quarrel.cuda.program;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.column.ColumnCache;
import dev.quarrel.cuda.column.ColumnUpload;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.column.ResidentColumns.Resident;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.DeviceColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The columns of one batch that a program reads, on the device: from the cache or from the table. They stay
/// there until this is closed.
public final class BatchColumns implements AutoCloseable {
    private final List<ColumnCache<Resident>.Pin> pins = new ArrayList<>();

    private BatchColumns() {}

    /// Finds them, or copies them, and returns when they are there.
    ///
    /// - Errors: [NoKernel] for values that have no form on the device; `DeviceFault`; the table's.
    ///
    /// @param encoded the program; columns that the device writes are none of them
    public static BatchColumns of(
            ResidentColumns resident,
            CommandQueue queue,
            Table table,
            int batch,
            PipelineFacts facts,
            EncodedPipeline encoded,
            PipelineContext context) {
        BatchColumns made = new BatchColumns();
        List<Integer> inputs = encoded.inputs();
        List<ColumnForm> forms = encoded.forms();
        try {
            List<Integer> missing = new ArrayList<>();
            for (int index = 0; index < inputs.size(); index++) {
                int input = inputs.get(index);
                made.pins.add(input < 0 ? null : resident.find(table, facts.column(input), batch, forms.get(index)));
                if (input >= 0 && made.pins.getLast() == null) {
                    missing.add(index);
                }
            }
            if (!missing.isEmpty()) {
                read(resident, queue, table, batch, facts, encoded, missing, context, made.pins);
            }
            for (int index = 0; index < inputs.size(); index++) {
                boolean hasNulls = inputs.get(index) >= 0 && made.column(index).valid() != 0;
                if (hasNulls && !facts.isNullable(inputs.get(index))) {
                    throw new NoKernel(ColumnUpload.UNLIKE_STATISTICS);
                }
            }
            return made;
        } catch (RuntimeException | Error problem) {
            made.close();
            throw problem;
        }
    }

    /// Copies columns of a batch to the device.
    ///
    /// @param missing numbers of the program's columns
    /// @param to gets their pins, in the places of those numbers
    static void read(
            ResidentColumns resident,
            CommandQueue queue,
            Table table,
            int batchNumber,
            PipelineFacts facts,
            EncodedPipeline encoded,
            List<Integer> missing,
            PipelineContext context,
            List<ColumnCache<Resident>.Pin> to) {
        int[] columns = missing.stream()
                .mapToInt(index -> facts.column(encoded.inputs().get(index)))
                .toArray();
        long bytes = table.readBytes(batchNumber, columns);
        for (int index = 0; index < columns.length; index++) {
            bytes += ColumnUpload.stagingBytes(
                    table.schema().type(columns[index]),
                    encoded.forms().get(missing.get(index)),
                    table.batchRows(batchNumber));
        }
        context.budget().reserve(bytes);
        List<Resident> made = new ArrayList<>();
        try (Batch batch = table.read(batchNumber, columns)) {
            context.counters().batchesRead.increment();
            ColumnUpload upload = new ColumnUpload(resident, queue);
            for (int index = 0; index < columns.length; index++) {
                made.add(upload.upload(batch.column(index), encoded.forms().get(missing.get(index))));
            }
            table.checkIntact(batchNumber);
            context.counters()
                    .bytesMoved
                    .add(made.stream().mapToLong(Resident::bytes).sum());
            for (int index = 0; index < columns.length; index++) {
                to.set(missing.get(index), resident.keep(table, columns[index], batchNumber, made.removeFirst()));
            }
        } catch (InternalError error) {
            throw fault(error, table, context);
        } finally {
            made.forEach(Resident::close);
            context.budget().release(bytes);
        }
    }

    /// What an access fault means: the file's error, or the fault itself where no file is to blame.
    public static QueryException fault(InternalError error, Table table, PipelineContext context) {
        QueryException fault = context.faultOf(table, error);
        if (fault == null) {
            throw error;
        }
        return fault;
    }

    /// Where the program's column is.
    public DeviceColumn column(int index) {
        return pins.get(index).buffer().column();
    }

    public long bytes() {
        return pins.stream()
                .filter(Objects::nonNull)
                .mapToLong(pin -> pin.buffer().bytes())
                .sum();
    }

    @Override
    public void close() {
        pins.stream().filter(Objects::nonNull).forEach(ColumnCache.Pin::close);
        pins.clear();
    }
}
