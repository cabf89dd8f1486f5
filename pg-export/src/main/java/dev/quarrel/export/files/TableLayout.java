package dev.quarrel.export.files;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.FieldReader;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The layout by which one table's rows become batches.
///
/// @param coded text columns that the files have as codes of a dictionary
/// @param memoryBytes what a worker may keep of the table
/// @param batchBytes how large batches become at most; those of smaller tables are smaller
/// @param expectedRows no more rows come to one worker, if an estimate is right
public record TableLayout(
        ExportTable table,
        Schema schema,
        Set<String> coded,
        long memoryBytes,
        long batchBytes,
        long expectedRows,
        boolean checkUtf8,
        Unfit unfit) {
    // A guess at a text, with its offset.
    private static final int TEXT_BYTES = 20;

    // So many batches a worker, so that the disk is busy from early on and little is left to write at the end.
    private static final int BATCHES_PER_WORKER = 8;
    private static final long MIN_BATCH_BYTES = 16L << 20;

    public static TableLayout of(
            ExportTable table, Set<String> coded, long memoryBytes, int workers, boolean checkUtf8, Unfit unfit) {
        long rowBytes = rowBytes(table, coded);
        long tableBytes = table.rowEstimate() > 0 ? Math.multiplyExact(table.rowEstimate(), rowBytes) : Long.MAX_VALUE;
        long batchBytes =
                Math.min(memoryBytes, Math.max(MIN_BATCH_BYTES, tableBytes / ((long) workers * BATCHES_PER_WORKER)));
        // No estimate, no bound: the first rows show how many there will be in a batch.
        long expectedRows = table.rowEstimate() > 0
                ? table.rowEstimate() / Math.min(workers, table.ranges().size())
                : Long.MAX_VALUE;
        return new TableLayout(table, table.fields(), coded, memoryBytes, batchBytes, expectedRows, checkUtf8, unfit);
    }

    private static long rowBytes(ExportTable table, Set<String> coded) {
        long rowBytes = 0;
        for (ExportColumn column : table.columns()) {
            int width = column.dataType().byteWidth();
            rowBytes += coded.contains(column.name()) ? 4 : width < 0 ? TEXT_BYTES : Math.max(width, 1);
        }
        return rowBytes;
    }

    /// Reads what COPY sends: the keys' texts, then the columns.
    public CopyBinaryReader newStreamReader() {
        return newReader(table.keys().fields().stream()
                .map(field -> Sent.key(field.name()))
                .toList());
    }

    /// Reads rows of the columns alone, without what is around them in a stream.
    CopyBinaryReader newRowReader() {
        CopyBinaryReader reader = newReader(List.of());
        reader.beginWithRows();
        return reader;
    }

    /// What COPY sends of one field.
    private record Sent(String name, PgType type, DataType dataType, boolean nullable) {
        static Sent key(String name) {
            return new Sent(name, PgType.TEXT, DataType.UTF8, true);
        }

        static Sent column(ExportColumn column) {
            return new Sent(column.name(), column.sentType(), column.dataType(), column.sendsNull());
        }
    }

    private CopyBinaryReader newReader(List<Sent> keys) {
        List<Sent> fields = new ArrayList<>(keys);
        table.columns().forEach(column -> fields.add(Sent.column(column)));
        return CopyBinaryReader.of(
                table.qualifiedName(),
                fields.stream().map(Sent::name).toList(),
                fields.stream()
                        .map(field -> FieldReader.of(
                                field.type(), field.dataType(), table.name() + "." + field.name(), checkUtf8, unfit))
                        .toList(),
                fields.stream().map(Sent::nullable).toList(),
                fields.stream().map(Sent::type).toList(),
                fields.stream().map(Sent::dataType).toList(),
                checkUtf8);
    }
}
