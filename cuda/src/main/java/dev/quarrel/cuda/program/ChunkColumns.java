package dev.quarrel.cuda.program;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.cuda.backend.BusyTime;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.LaunchClock;
import dev.quarrel.cuda.column.Chunk;
import dev.quarrel.cuda.column.ChunkUpload;
import dev.quarrel.cuda.column.ColumnCache;
import dev.quarrel.cuda.column.ColumnUpload;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.column.ResidentColumns.Resident;
import dev.quarrel.cuda.column.Scratch;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.DeviceColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The columns of a chunk that a program reads, pinned on the device until this is closed.
public final class ChunkColumns implements AutoCloseable {
    private final List<ColumnCache<Resident>.Pin> pins = new ArrayList<>();

    /// What brings columns that are not there.
    ///
    /// @param inputs of the pipeline's source, by number of the program's column; -1 for one that the device writes
    public record Source(
            ResidentColumns resident,
            Table table,
            PipelineFacts facts,
            List<Integer> inputs,
            List<ColumnForm> forms,
            PipelineContext context,
            BusyTime moveTime) {
        /// Whether all of a chunk is there now.
        public boolean isResident(Chunk chunk) {
            for (int index = 0; index < inputs.size(); index++) {
                int input = inputs.get(index);
                if (input >= 0 && !resident.holds(table, facts.column(input), chunk, forms.get(index))) {
                    return false;
                }
            }
            return true;
        }
    }

    private ChunkColumns() {}

    /// Finds them, or copies them, and returns when they are there.
    ///
    /// - Errors: [NoKernel] for values that have no form on the device; `DeviceFault`; the table's.
    ///
    /// @param clock of launches, which stops while columns are copied
    public static ChunkColumns of(Source source, Chunk chunk, CommandQueue queue, LaunchClock clock) {
        ChunkColumns columns = new ChunkColumns();
        try {
            List<Integer> missing = new ArrayList<>();
            for (int index = 0; index < source.inputs().size(); index++) {
                int input = source.inputs().get(index);
                columns.pins.add(
                        input < 0
                                ? null
                                : source.resident()
                                        .find(
                                                source.table(),
                                                source.facts().column(input),
                                                chunk,
                                                source.forms().get(index)));
                if (input >= 0 && columns.pins.getLast() == null) {
                    missing.add(index);
                }
            }
            if (!missing.isEmpty()) {
                clock.end();
                double from = System.nanoTime() / 1e9;
                columns.read(source, chunk, queue, missing);
                source.moveTime().add(from, System.nanoTime() / 1e9);
            }
            return columns;
        } catch (RuntimeException | Error problem) {
            columns.close();
            throw problem;
        }
    }

    private void read(Source source, Chunk chunk, CommandQueue queue, List<Integer> missing) {
        Table table = source.table();
        int[] columns = missing.stream()
                .mapToInt(index -> source.facts().column(source.inputs().get(index)))
                .toArray();
        List<ChunkUpload> uploads = new ArrayList<>();
        try (Scratch scratch = new Scratch()) {
            for (int index : missing) {
                uploads.add(new ChunkUpload(
                        source.resident(),
                        queue,
                        source.forms().get(index),
                        chunk.rows(),
                        source.facts().isNullable(source.inputs().get(index))));
            }
            for (int number = chunk.first(); number < chunk.end(); number++) {
                source.context().cancellation().check();
                read(source, number, chunk.start(number), columns, missing, uploads, scratch);
            }
            queue.synchronize();
            for (int index = 0; index < columns.length; index++) {
                Resident made = uploads.get(index).take();
                source.context().counters().bytesMoved.add(made.bytes());
                pins.set(missing.get(index), source.resident().keep(table, columns[index], chunk, made));
            }
        } catch (InternalError error) {
            queue.settle();
            throw fault(error, table, source.context());
        } catch (RuntimeException | Error problem) {
            queue.settle(); // what is on its way ends before its memory goes
            throw problem;
        } finally {
            uploads.forEach(ChunkUpload::close);
        }
    }

    private static void read(
            Source source,
            int number,
            int start,
            int[] columns,
            List<Integer> missing,
            List<ChunkUpload> uploads,
            Scratch scratch) {
        long bytes = source.table().readBytes(number, columns);
        for (int index = 0; index < columns.length; index++) {
            bytes += ColumnUpload.stagingBytes(
                    source.table().schema().type(columns[index]),
                    source.forms().get(missing.get(index)),
                    source.table().batchRows(number));
        }
        source.context().budget().reserve(bytes);
        scratch.reset();
        try (Batch batch = source.table().read(number, columns)) {
            source.context().counters().batchesRead.increment();
            for (int index = 0; index < columns.length; index++) {
                uploads.get(index).add(batch.column(index), start, scratch);
            }
            source.table().checkIntact(number);
        } finally {
            source.context().budget().release(bytes);
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

    /// The program's columns, from a row on that begins a tile; null for those that the device writes.
    public List<DeviceColumn> from(int row) {
        List<DeviceColumn> columns = new ArrayList<>();
        pins.forEach(
                pin -> columns.add(pin == null ? null : pin.buffer().column().from(row)));
        return columns;
    }

    public long bytes() {
        return pins.stream()
                .filter(Objects::nonNull)
                .mapToLong(pin -> pin.buffer().bytes())
                .sum();
    }

    /// Bytes of those that go when this is closed.
    public long passingBytes() {
        return pins.stream()
                .filter(pin -> pin != null && !pin.isKept())
                .mapToLong(pin -> pin.buffer().bytes())
                .sum();
    }

    @Override
    public void close() {
        pins.stream().filter(Objects::nonNull).forEach(ColumnCache.Pin::close);
        pins.clear();
    }
}
