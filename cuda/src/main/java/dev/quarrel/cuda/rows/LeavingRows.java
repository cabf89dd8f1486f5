package dev.quarrel.cuda.rows;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import dev.quarrel.cuda.column.Chunk;
import dev.quarrel.cuda.encode.ColumnGather;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.program.ChunkColumns;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/// Makes batches of rows that left the device: of values that it wrote, and of rows of the source and of build sides
/// that it names where a column has no form there.
public final class LeavingRows {
    private final EncodedRows encoded;
    private final PipelineFacts facts;
    private final Table table;
    private final RowsPart part;
    private final PipelineContext context;

    public LeavingRows(EncodedRows encoded, PipelineFacts facts, Table table, RowsPart part, PipelineContext context) {
        this.encoded = encoded;
        this.facts = facts;
        this.table = table;
        this.part = part;
        this.context = context;
    }

    /// The rows that come through as number `begin` to `end` - 1.
    ///
    /// - Errors: `DeviceFault`; the budget's, the table's.
    Batch batch(RowsLaunch launch, long begin, long end) {
        int rows = (int) (end - begin);
        BudgetArena arena = new BudgetArena(context.budget());
        try {
            List<RowsLaunch.Leaving> written = launch.write(begin, end, arena);
            List<Column> columns = columns(encoded, facts, written, rows, arena);
            if (columns.contains(null)) {
                int numbers = sourceOutputs(encoded).getFirst().written();
                Iterator<Column> others = sourceColumns(written.get(numbers).values(), rows, arena)
                        .iterator();
                columns.replaceAll(column -> column == null ? others.next() : column);
            }
            return batch(columns, rows, arena);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    /// @param arena holds the columns; the batch's from here on
    public static Batch batch(List<Column> columns, int rows, BudgetArena arena) {
        List<Field> fields = IntStream.range(0, columns.size())
                .mapToObj(index -> new Field("c" + index, columns.get(index).type(), true))
                .toList();
        return Batch.owning(new Schema(fields), columns, rows, arena::close);
    }

    /// The outputs' columns, of what the device has written; null for those of the source's rows.
    public static List<Column> columns(
            EncodedRows encoded, PipelineFacts facts, List<RowsLaunch.Leaving> written, int rows, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        for (EncodedRows.Output output : encoded.outputs()) {
            columns.add(
                    switch (output) {
                        case EncodedRows.Output.Values values ->
                            column(values, written.get(values.written()), rows, allocator);
                        case EncodedRows.Output.OfBuild(int number, int join, int payload) ->
                            facts.build(join).gather(payload, numbers(written.get(number), rows), allocator);
                        case EncodedRows.Output.Constant(var value) ->
                            constant(value.type(), value.value(), rows, allocator);
                        case EncodedRows.Output.OfSource _ -> null;
                    });
        }
        return columns;
    }

    /// Outputs without a form on the device; one column has the numbers of the rows of all of them.
    public static List<EncodedRows.Output.OfSource> sourceOutputs(EncodedRows encoded) {
        return encoded.outputs().stream()
                .filter(output -> output instanceof EncodedRows.Output.OfSource)
                .map(output -> (EncodedRows.Output.OfSource) output)
                .toList();
    }

    private static Column column(
            EncodedRows.Output.Values output, RowsLaunch.Leaving written, int rows, Allocator allocator) {
        Validity validity = written.valid() == null ? Validity.allPresent() : Validity.of(written.valid(), rows, -1);
        return switch (output.type()) {
            case DataType.Bool _ -> new BoolColumn(rows, written.values(), validity);
            case DataType.Utf8 _ -> {
                int codeBytes = (int) (written.values().byteSize() / Math.max(1, rows));
                yield new DictionaryColumn(rows, written.values(), codeBytes, output.dictionary(), validity);
            }
            case DataType.Decimal _ ->
                new FixedColumn(output.type(), rows, widened(written.values(), rows, allocator), validity);
            default -> new FixedColumn(output.type(), rows, written.values(), validity);
        };
    }

    private static MemorySegment widened(MemorySegment narrow, int rows, Allocator allocator) {
        MemorySegment wide = allocator.allocate(rows * 16L);
        for (int row = 0; row < rows; row++) {
            long value = narrow.get(INT64, row * 8L);
            wide.set(INT64, row * 16L, value);
            wide.set(INT64, row * 16L + 8, value >> 63);
        }
        return wide;
    }

    /// Row numbers, -1 where there is none.
    private static int[] numbers(RowsLaunch.Leaving written, int rows) {
        Validity validity = written.valid() == null ? Validity.allPresent() : Validity.of(written.valid(), rows, -1);
        int[] numbers = new int[rows];
        for (int row = 0; row < rows; row++) {
            numbers[row] = validity.isPresent(row) ? written.values().get(INT32, row * 4L) : -1;
        }
        return numbers;
    }

    private static Column constant(DataType type, Object value, int rows, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(type, allocator, rows);
        for (int row = 0; row < rows; row++) {
            ColumnGather.append(writer, value);
        }
        return writer.finish();
    }

    /// The outputs' columns that have no form on the device, from the table's batches.
    ///
    /// - Errors: the budget's, the table's.
    ///
    /// @param numbers of the part's rows, int32, ascending
    public List<Column> sourceColumns(MemorySegment numbers, int rows, Allocator allocator) {
        int[] inputs = sourceOutputs(encoded).stream()
                .mapToInt(output -> facts.column(output.input()))
                .toArray();
        List<ColumnWriter> writers = new ArrayList<>();
        for (int input : inputs) {
            writers.add(new ColumnWriter(table.schema().type(input), allocator, rows));
        }
        Chunk chunk = part.chunk();
        for (int row = 0; row < rows; ) {
            int batch = chunk.batchOf(part.start() + numbers.get(INT32, row * 4L));
            int first = row;
            while (row < rows && part.start() + numbers.get(INT32, row * 4L) < chunk.start(batch + 1)) {
                row++;
            }
            int[] ofBatch = new int[row - first];
            for (int index = 0; index < ofBatch.length; index++) {
                ofBatch[index] = part.start() + numbers.get(INT32, (first + index) * 4L) - chunk.start(batch);
            }
            append(batch, inputs, ofBatch, writers);
        }
        return writers.stream().map(ColumnWriter::finish).toList();
    }

    private void append(int number, int[] inputs, int[] rows, List<ColumnWriter> writers) {
        long bytes = table.readBytes(number, inputs);
        context.budget().reserve(bytes);
        try (Batch batch = table.read(number, inputs)) {
            for (int index = 0; index < inputs.length; index++) {
                for (int row : rows) {
                    ColumnGather.append(writers.get(index), batch.column(index), row);
                }
            }
            table.checkIntact(number);
        } catch (InternalError error) {
            throw ChunkColumns.fault(error, table, context);
        } finally {
            context.budget().release(bytes);
        }
    }
}
